"""The process that runs one check of the user's, in an agent's folder, and writes down its result.

A hook starts this runner detached, with the lock of the tree. The runner kills the check's whole process group when the
time is up, when the session's process is gone, or when the job file is gone, which a hook deletes to take the check
back. If the runner itself is killed, the check's own shell sees its standard input end, and kills the group.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import selectors
import signal
import subprocess
import sys
import time
from pathlib import Path

if __name__ == "__main__":  # started by its path, so that nothing is imported from a project's folder
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bg import durations, machine
from bg.evidence import verify
from bg.evidence.baseline import CLOSED, SAFE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, Optional

    from bg.evidence.verify import Job

KEPT = 16_000
AT_ONCE = 65536
MOST_AT_ONCE = 16  # a check that prints without end must not keep its runner from looking at the time
# The shell runs nothing before it is told to. Its group is killed as soon as nobody holds the other end of its input.
# The exit status of the check goes to the shell's error output; all that the check prints goes to the shell's output.
SHELL = """exec 3<&0 4>&2 2>&1 </dev/null
read -r go <&3 || exit 1
(read -r end <&3; kill -9 0) >/dev/null 2>&1 4>&- &
/bin/sh -c "$1" 3<&- 4>&-
echo "$?" >&4
read -r end <&3
"""
# Variables of the host and of the plugin's hooks, which a check does not get: it is no part of the session.
_HOSTS = ("CLAUDE", "AI_AGENT", "BG_DATA", "BG_PLACE", "BG_HOST_PID", "BG_UMASK", "BG_JOURNAL_MODE")


def main(path: Path, lock: int) -> None:
    """Run the job that this file holds; `lock` is the number of the open file that locks its tree."""
    job = verify.read_job(path)
    if job is None or not _is_locked(lock):
        return
    verify.sign(lock, job.token, machine.this_process())
    seen = _seen(job)
    found = verify.Result(**seen, **_run(job, path)) if path.exists() else None
    if found and path.exists():
        verify.write(verify.result_of(path), {**found._asdict(), "moved": _head(job.folder) != found.head})
        path.unlink()


def _is_locked(lock: int) -> bool:
    until = time.monotonic() + durations.TREE_LOCK
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(durations.LOOK_AGAIN)
        except OSError:
            return True  # this file system has no locks
        else:
            return True


def _run(job: Job, path: Path) -> dict[str, Any]:
    """The end of the check, the last part of its output, and its duration."""
    began = time.monotonic()
    environment = {key: value for key, value in os.environ.items() if not key.startswith(_HOSTS)}
    try:
        shell = subprocess.Popen(
            ["/bin/sh", "-c", SHELL, "sh", job.command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd=job.folder,
            env=environment,
            umask=job.umask,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return {"why": verify.NOT_STARTED, "output": str(error)}
    out = _Tail(_number(shell.stdout))
    try:
        os.write(_number(shell.stdin), b"go\n")
        why, said = _wait(job, path, _number(shell.stderr), out, began)
    finally:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(shell.pid, signal.SIGKILL)  # not reaped yet, so the number is still its own
        shell.wait()
    out.read()
    code = int(said) if said.isdigit() else None
    seconds = time.monotonic() - began
    return {"why": why if code is None else "", "code": code, "seconds": seconds, "output": out.text()}


def _number(stream: Optional[IO[bytes]]) -> int:
    return stream.fileno() if stream else -1


def _wait(job: Job, path: Path, ending: int, out: _Tail, began: float) -> tuple[str, str]:
    """The reason for which the check was ended, and the exit status that its shell told, if it did."""
    host = machine.Process(job.host, job.host_started)
    with selectors.DefaultSelector() as waiting:
        waiting.register(ending, selectors.EVENT_READ)
        waiting.register(out, selectors.EVENT_READ)
        while True:
            left = began + job.seconds - time.monotonic()
            if left <= 0:
                return verify.TOO_LONG, ""
            ready = [key.fileobj for key, _ in waiting.select(min(left, durations.RUNNER_LOOKS))]
            if out in ready and not out.read():
                waiting.unregister(out)
            if ending in ready:
                return verify.KILLED, os.read(ending, 16).decode("ascii", "replace").strip()
            if not path.exists() or not machine.alive(host):
                return verify.SESSION_ENDED, ""


class _Tail:
    """The last part of a check's output."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._kept = b""
        os.set_blocking(number, False)

    def fileno(self) -> int:
        """The number that the selector waits for."""
        return self._number

    def read(self) -> bool:
        """Take the output so far; False once nobody can print any more."""
        with contextlib.suppress(BlockingIOError):
            for _ in range(MOST_AT_ONCE):
                data = os.read(self._number, AT_ONCE)
                if not data:
                    return False
                self._kept = (self._kept + data)[-KEPT:]
        return True

    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")


def _seen(job: Job) -> dict[str, Any]:
    """The commit that the check runs on, and which of the files that define it have changed since the launch."""
    commit, tree = [*_git(job.folder, "rev-parse", "HEAD", "HEAD^{tree}").split(), "", ""][:2]
    status = _git(job.folder, "status", "--porcelain") if commit else ""
    dirty = bool(status) if commit else None
    return {
        "head": commit,
        "tree": tree,
        "dirty": dirty,
        "changed": [name for name in job.defines if _is_new(job, name)],
    }


def _head(folder: str) -> str:
    return (_git(folder, "rev-parse", "HEAD", "HEAD^{tree}").split() or [""])[0]


def _is_new(job: Job, name: str) -> bool:
    """Whether a file has changed since the launch: by its ctime, which nobody can set, and by git if committed then."""
    try:
        changed = Path(job.folder, name).stat().st_ctime >= job.made
    except (OSError, ValueError):
        return False
    known = changed and _git(job.folder, "ls-tree", "--name-only", job.commit, "--", name) if job.commit else ""
    return changed and (not known or bool(_git(job.folder, "diff", "--name-only", job.commit, "--", name)))


def _git(folder: str, *arguments: str) -> str:
    """Git's output; empty if it fails or is late. Any program that git may start here, the check may start as well."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
    environment.update(GIT_OPTIONAL_LOCKS="0", GIT_TERMINAL_PROMPT="0", GIT_LITERAL_PATHSPECS="1", LC_ALL="C", **CLOSED)
    try:
        done = subprocess.run(
            [*SAFE, "-C", folder, *arguments],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=durations.GIT, env=environment, check=False, cwd="/",
        )  # fmt: skip
    except (OSError, ValueError, subprocess.SubprocessError):
        return ""
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
