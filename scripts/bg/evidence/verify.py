"""The check that the user named: started in a process of its own, one at a time in a tree, and read when it has ended.

Each check has three files: the job, which the runner obeys while the file exists; the lock of the tree, which the
runner holds while it lives, and signs; and the result.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shlex
import signal
import sys
from pathlib import Path

from bg import foreign, machine, repository
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Optional

# Why a check has no verdict: it took too long, its session ended, its own shell was killed, it could not be started,
# the agent's folder is gone, the shell found no such command, the runner was killed, the task has gone on.
TOO_LONG, SESSION_ENDED, KILLED, NOT_STARTED = "too long", "session ended", "killed", "not started"
NO_FOLDER, NO_COMMAND, RUNNER_GONE, GONE_ON = "no folder", "no command", "runner gone", "gone on"
CANNOT_RUN = (126, 127)  # the shell's own exit statuses, for a command that it may not run or does not find
STARTED, BUSY = "started", "busy"
MOST = 256 * 1024
MOST_CODE = 255
OUTPUT = 4000
RUNNER = Path(__file__).resolve().with_name("runner.py")

# The files that define the checks of each program.
DEFINES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("npm", "npx", "pnpm", "yarn", "bun", "node"), ("package.json",)),
    **dict.fromkeys(("make", "gmake"), ("Makefile", "makefile", "GNUmakefile")),
    **dict.fromkeys(
        ("pytest", "python", "python3", "tox", "nox", "uv", "poetry", "hatch", "pdm"),
        ("pyproject.toml", "tox.ini", "setup.cfg", "pytest.ini", "noxfile.py", "conftest.py", "tests/conftest.py"),
    ),
    "jest": ("package.json", "jest.config.js", "jest.config.ts", "jest.config.mjs"),
    "vitest": ("package.json", "vitest.config.ts", "vitest.config.js", "vite.config.ts"),
    "cargo": ("Cargo.toml", "build.rs", ".cargo/config.toml"),
    "go": ("go.mod",),
    **dict.fromkeys(
        ("gradle", "gradlew"), ("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts")
    ),
    **dict.fromkeys(("mvn", "mvnw"), ("pom.xml",)),
    "just": ("justfile", "Justfile"),
    "task": ("Taskfile.yml", "Taskfile.yaml"),
    "mise": ("mise.toml", ".mise.toml"),
    **dict.fromkeys(("rake", "bundle", "rspec"), ("Rakefile", "Gemfile", ".rspec")),
    **dict.fromkeys(("composer", "phpunit"), ("composer.json", "phpunit.xml")),
    "mix": ("mix.exs",),
    "cmake": ("CMakeLists.txt",),
    "ctest": ("CMakeLists.txt",),
}


class Job(Record):
    """The orders for the runner; `host` is the session's process, `commit` and `made` are those of the launch."""

    token: str
    command: str
    folder: str
    seconds: int
    umask: int
    host: int
    host_started: str
    commit: str
    made: float
    defines: list[str]


class Result(Record):
    """The end of a check, and the tree that it ran on; `code` is None if `why` tells why there is no verdict."""

    head: str
    tree: str
    dirty: Optional[bool]
    changed: list[str]
    why: str = ""
    code: Optional[int] = None
    seconds: float = 0.0
    output: str = ""
    moved: bool = False


# A result's form is verified, as the check itself could write the file.
_FORM: dict[str, tuple[type, ...]] = {
    **dict.fromkeys(("head", "tree", "why", "output"), (str,)),
    "dirty": (bool, type(None)),
    "moved": (bool,),
    "changed": (list,),
    "code": (int, type(None)),
    "seconds": (int, float),
}


def tree_of(folder: str) -> str:
    """The checkout around a folder, in which two checks would disturb each other; the folder itself if none is."""
    return repository.top(folder) or str(Path(folder).resolve())


def defining(command: str) -> list[str]:
    """The files that may define the checks of a command: by the programs in it, and those that it names."""
    try:
        words = shlex.split(command)
    except ValueError:
        words = command.split()
    found: dict[str, None] = {}
    for word in words:
        found.update(dict.fromkeys(DEFINES.get(Path(word).name, ())))
        named = word.rpartition("=")[2]
        if "/" in named or "." in named:
            found[named] = None
    return list(found)


def start(place: Path, job: Job, is_due: Callable[[], bool]) -> str:
    """Start the runner detached, unless another check runs in this tree; `STARTED`, `BUSY`, or why it could not start.

    `is_due` is asked while nobody else can start the check.
    """
    if not Path(job.folder).is_dir():
        return NO_FOLDER
    lock = _locked(place, tree_of(job.folder))
    if lock < 0:
        return BUSY
    path = _job(place, job.token)
    try:
        if result_of(path).exists() or not is_due():
            return STARTED
        sign(lock, job.token, machine.Process(0, ""))
        write(path, job._asdict())
        isolated = [sys.executable, "-I", "-S", "-X", "utf8", *_compiled()]
        machine.detach([*isolated, str(RUNNER), str(path), str(lock)], lock)
    except (OSError, ValueError):
        return NOT_STARTED
    finally:
        os.close(lock)
    return STARTED


def _compiled() -> list[str]:
    """The options for Python to keep compiled files with those of the hooks, and never in the plugin's folder."""
    return ["-X", f"pycache_prefix={sys.pycache_prefix}"] if sys.pycache_prefix else ["-B"]


def is_running(place: Path, token: str, folder: str) -> bool:
    """Whether the runner of this check has the lock of its tree."""
    lock = _locked(place, tree_of(folder))
    if lock < 0:
        signed = _signed(_lock(place, tree_of(folder)))
        return signed is None or signed[0] == token
    os.close(lock)
    return False


def cancel(place: Path, token: str, folder: str) -> None:
    """Take a check back: its runner ends by itself once the job is gone, and at once if it has signed the lock."""
    with contextlib.suppress(OSError):
        _job(place, token).unlink()
    signed = _signed(_lock(place, tree_of(folder)))
    runner = machine.Process(signed[1], signed[2]) if signed and signed[0] == token else None
    if runner and runner.pid > 0 and runner.started and machine.alive(runner):
        with contextlib.suppress(OSError):
            os.kill(runner.pid, signal.SIGTERM)


def take(place: Path, token: str) -> Optional[Result]:
    """The result of a check, None while there is none."""
    found = _read(result_of(_job(place, token)))
    if found is None or found.keys() != _FORM.keys() or not all(type(found[key]) in _FORM[key] for key in _FORM):
        return None
    named, code = found["changed"], found["code"]
    is_right = all(type(name) is str for name in named) and (code is None or 0 <= code <= MOST_CODE)
    return Result(**found) if is_right else None


def nothing(why: str) -> Result:
    """The result of a check without a verdict."""
    return Result("", "", None, [], why)


def forget(place: Path, token: str) -> None:
    """Delete the files of a check whose result has been taken over."""
    for path in (_job(place, token), result_of(_job(place, token))):
        with contextlib.suppress(OSError):
            path.unlink()


def read_job(path: Path) -> Optional[Job]:
    """The job in this file; None if it was taken back."""
    found = _read(path)
    return Job(**found) if found is not None and set(found) == set(Job._fields) else None


def result_of(path: Path) -> Path:
    """The file for the result of the job in this file."""
    return path.with_suffix(".result")


def write(path: Path, content: dict[str, Any]) -> None:
    """Write a private file, whole or not at all."""
    part = path.with_suffix(".part")
    number = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with os.fdopen(number, "w", encoding="utf-8", errors="replace") as file:
        json.dump(content, file)
    part.replace(path)


def sign(lock: int, token: str, process: machine.Process) -> None:
    """Write into the lock that the runner of this check holds it, and is this process."""
    data = json.dumps([token, process.pid, process.started]).encode()
    os.ftruncate(lock, 0)
    os.pwrite(lock, data, 0)


def _signed(path: Path) -> Optional[tuple[str, int, str]]:
    try:
        token, pid, started = foreign.loads(foreign.whole(path, 4096))
    except (OSError, ValueError, TypeError):
        return None
    return (token, pid, started) if isinstance(pid, int) and isinstance(started, str) else None


def _locked(place: Path, tree: str) -> int:
    """The open file of a tree's lock, which is locked now; -1 if a runner has it."""
    path = _lock(place, tree)
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        return -1
    except OSError:  # this file system has no locks: the process that signed last has the lock while it lives
        signed = _signed(path)
        if signed and signed[1] > 0 and machine.alive(machine.Process(signed[1], signed[2])):
            os.close(lock)
            return -1
    return lock


def _lock(place: Path, tree: str) -> Path:
    import zlib  # noqa: PLC0415 - late: nearly no event needs it

    return place / f"{zlib.crc32(os.fsencode(tree)):08x}.lock"


def _job(place: Path, token: str) -> Path:
    return place / f"{token}.job"


def _read(path: Path) -> Optional[dict[str, Any]]:
    try:
        found = foreign.loads(foreign.whole(path, MOST))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
