"""Processes: which one is the host, whether it is alive, and programs started apart from any project.

Unknown counts as alive: a task is never called dead on a guess.
"""

from __future__ import annotations

import os
import sys

from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn, Optional

MOST_ABOVE = 64
_SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "busybox"}


class Process(Record):
    """A process; its start time tells it from a later process with the same number."""

    pid: int
    started: str


class Done(Record):
    """What a program printed; `code` is -1 if it could not be started, or did not end in time."""

    code: int
    out: str
    said: str


APART = "/"  # a program may read its directory, and a cloned project could have put something there


def find(name: str) -> str:
    """The path of a program in PATH; relative entries are skipped, as they would lead into the project."""
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    tries = [os.path.join(folder, name) for folder in folders if os.path.isabs(folder)]
    return next((path for path in tries if os.access(path, os.X_OK) and not os.path.isdir(path)), "")


def run_program(command: list[str], seconds: float, given: bytes = b"", told: Optional[dict[str, str]] = None) -> Done:
    """Run a program in `APART`, without Python's environment variables but with those in `told`."""
    # Late: most hooks start nothing.
    import subprocess  # noqa: PLC0415

    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            input=given,
            timeout=seconds,
            check=False,
            cwd=APART,
            env={**environment, **(told or {})},
        )
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        return Done(-1, "", f"{command[0]}: {error}\n")
    out, said = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    return Done(done.returncode, out, out + said)


def detach(command: list[str], held: int) -> None:
    """Start a program that outlives this process, in a session of its own and without streams; nobody waits for it.

    It inherits the open file `held`.
    """
    import subprocess  # noqa: PLC0415 - late, as above

    subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=APART,
        env=dict(os.environ),
        start_new_session=True,
        pass_fds=(held,),
    )


def python(interpreter: str, *arguments: str, seconds: float, given: bytes = b"") -> Done:
    """Run a Python that imports nothing but its own library and packages."""
    return run_program([interpreter, "-I", *arguments], seconds, given)


def become(interpreter: str, *arguments: str) -> NoReturn:
    """Become a Python that imports only its own library and packages; its output goes where ours would go."""
    os.chdir(APART)
    os.execv(interpreter, [interpreter, "-I", *arguments])  # noqa: S606 - no shell, on purpose


def find_packages() -> None:
    """Make this Python's installed packages importable; hooks start without them, which saves time."""
    if sys.flags.no_site and "site" not in sys.modules:
        import site  # noqa: PLC0415

        site.main()


def above() -> list[Process]:
    """The ancestors of this process, the nearest first, as far as the machine tells."""
    found: list[Process] = []
    looked = _look(os.getpid())
    while looked is not None and looked[0] > 1 and len(found) < MOST_ABOVE:
        pid = looked[0]
        looked = _look(pid)
        found += [Process(pid, looked[2])] if looked else []
    return found


def host() -> Optional[Process]:
    """The host that called `hooks/run`, past any shells in between."""
    try:
        pid = int(os.environ.get("BG_HOST_PID") or os.getppid())
    except ValueError:
        return None
    for _ in range(4):
        found = _look(pid)
        if found is None:
            return None
        parent, name, started = found
        if os.path.basename(name).lstrip("-") not in _SHELLS:
            return Process(pid, started)
        pid = parent
    return None


def shares_terminal(with_: Process) -> bool:
    """Whether this process belongs to the same terminal as another one.

    A tool, a hook or a daemon runs in a session of its own, and no process can return to the session that it has left.
    """
    try:
        if os.getsid(0) != os.getsid(with_.pid):
            return False
        os.close(os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_CLOEXEC))
    except OSError:
        return False
    return True


def this_process() -> Process:
    """The running process, with its start time."""
    found = _look(os.getpid())
    return Process(os.getpid(), found[2] if found else "")


def here() -> str:
    """An identifier of this machine, container and boot, beyond which a process number means another process."""
    return f"{os.uname().nodename} {_link('/proc/self/ns/pid')} {_line('/proc/sys/kernel/random/boot_id')}"


def is_of_another(known: str) -> bool:
    """Whether an earlier answer of `here` names another machine or container."""
    return bool(known) and known.rpartition(" ")[0] != here().rpartition(" ")[0]


def has_restarted(known: str) -> bool:
    """Whether an earlier answer of `here` names this machine before it was rebooted, so that its processes are gone."""
    return bool(known) and known != here() and not is_of_another(known)


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return "-"


def _line(path: str) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    except OSError:
        return "-"


def alive(process: Optional[Process]) -> bool:
    """False only for a process that is known to be gone."""
    if process is None or process.pid <= 0:
        return True
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    found = _look(process.pid)
    return found is None or not process.started or found[2] == process.started


def _look(pid: int) -> Optional[tuple[int, str, str]]:
    """A process's parent, name and start time; None if the machine does not tell."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            stat = file.read()
        name = stat[stat.index("(") + 1 : stat.rindex(")")]
        fields = stat[stat.rindex(")") + 2 :].split()
        return int(fields[1]), name, fields[19]
    except (OSError, ValueError, IndexError):
        pass
    try:
        shown = run_program(["/bin/ps", "-o", "ppid=,lstart=,comm=", "-p", str(pid)], 2).out.split()
        return int(shown[0]), " ".join(shown[6:]), " ".join(shown[1:6])
    except (ValueError, IndexError):
        return None
