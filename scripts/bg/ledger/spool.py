"""The spool: events that could not be written into the ledger, kept as files until a hook takes them in."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time

from bg import durations, foreign, machine
from bg.ledger import place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

LOG_LIMIT = 200_000
TRIAL = 4096
MOST = 64 * 1024 * 1024  # more than any host sends


def keep(directory: str, text: str, now: float) -> bool:
    """Keep one event, in the data directory or, if that cannot be written, a temporary one; False if neither works."""
    for folder in folders(directory) if len(text) <= MOST else ():
        with contextlib.suppress(OSError):
            part = _write(folder, text, now)
            os.replace(part, f"{part[: -len('.part')]}.json")
            return True
    return False


def folders(directory: str) -> list[str]:
    """The folders in which events may wait, the preferred one first."""
    return [os.path.join(directory, "spool"), *place.fallback_spools(directory)]


def can_keep(directory: str) -> bool:
    """Whether an event could be kept now, found out by trying."""
    for folder in folders(directory):
        with contextlib.suppress(OSError):
            os.unlink(_write(folder, "x" * TRIAL, 0.0))
            return True
    return False


def trouble(directory: str) -> Optional[OSError]:
    """Why nothing can be written into this directory, found out by trying; None if it can."""
    try:
        os.unlink(_write(directory, "x" * TRIAL, 0.0))
    except OSError as error:
        return error
    return None


def _make(folder: str) -> None:
    place.make_private(folder)
    if not _is_own(folder):
        raise PermissionError(errno.EACCES, "it belongs to another user", folder)


def _write(folder: str, text: str, now: float) -> str:
    """Write a whole file, or none, as a part would take up space on a full disk; return its path."""
    _make(folder)
    part = os.path.join(folder, f"{_next_number(folder, now)}-{os.getpid()}.part")
    try:
        with open(part, "w", encoding="utf-8") as file:
            os.chmod(part, 0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
    return part


def _next_number(folder: str, now: float) -> int:
    """A number above those of all waiting events, as these are taken in by number: the time, if the clock is right."""
    waits = [int(number) for number in (name.partition("-")[0] for name in foreign.names(folder)) if number.isdigit()]
    return max([int(now * 1e9), *(number + 1 for number in waits)])


def waiting(directory: str, now: float) -> list[str]:
    """The events that wait, the oldest first."""
    found: list[str] = []
    for folder in filter(_is_own, folders(directory)):
        for path in (os.path.join(folder, name) for name in foreign.names(folder)):
            kind = os.path.splitext(path)[1].partition("-")[0]
            if kind in _LEFT and _LEFT[kind](path, now) and foreign.stat_of(path):
                found.append(path)
    return sorted(found, key=os.path.basename)


def files(directory: str) -> list[str]:
    """Every file that may hold an event, also those that a hook is working on."""
    return [
        os.path.join(folder, name) for folder in filter(_is_own, folders(directory)) for name in foreign.names(folder)
    ]


def _is_own(folder: str) -> bool:
    """Whether the folder is the user's own: in a temporary directory somebody else may have made one of this name."""
    try:
        found = os.stat(folder)
        return stat.S_ISDIR(found.st_mode) and {os.lstat(folder).st_uid, found.st_uid} == {os.getuid()}
    except OSError:
        return False


def _is_abandoned(path: str, now: float) -> bool:
    """Whether the hook that was taking this event in was killed before it had finished."""
    owner = os.path.splitext(path)[1].rpartition("-")[2]
    return _is_stale(path, now) or (owner.isdigit() and not machine.alive(machine.Process(int(owner), "")))


def _is_stale(path: str, now: float) -> bool:
    """Whether the file is so old that nobody works on it any more, whichever process has its owner's number now."""
    try:
        return now - os.stat(path).st_ctime > durations.UNFINISHED
    except OSError:
        return False


# The endings of files with waiting events, and for each the test that nobody else works on the file.
_LEFT: dict[str, Callable[[str, float], bool]] = {
    ".json": lambda _, __: True,
    ".taken": _is_abandoned,
    ".part": _is_stale,
}


def take_in(directory: str, now: float, replay: Callable[[str, float], bool]) -> bool:
    """Hand each waiting event, and the time when it came, to `replay`; then remove it, so that a crash repeats it.

    An event that `replay` passes over stays. Return whether all were handed over: if hundreds wait, the next hooks
    continue.
    """
    found = waiting(directory, now)
    until = time.monotonic() + durations.SPOOL
    for path in found:
        if time.monotonic() > until:
            return False
        claimed = f"{os.path.splitext(path)[0]}.taken-{os.getpid()}"
        try:
            os.rename(path, claimed)
            text = foreign.read(claimed, 4 * MOST).decode("utf-8", "replace")
        except OSError:
            continue
        try:
            taken = replay(text, _came(path, now))
        except BaseException:
            with contextlib.suppress(OSError):
                os.rename(claimed, path)
            raise
        with contextlib.suppress(OSError):
            os.unlink(claimed) if taken else os.rename(claimed, path)
    if found:
        _forget_who_was_told(directory)
    return True


def _forget_who_was_told(directory: str) -> None:
    """Forget which sessions were told of the trouble: it is over, and the next one is to be told again."""
    for folder in place.fallback_spools(directory):
        for name in foreign.names(folder):
            if name.startswith("told-"):
                with contextlib.suppress(OSError):
                    os.unlink(os.path.join(folder, name))


def first_in(directory: str, session: str) -> bool:
    """Whether the session has not been told yet that the ledger cannot be used; from now on it counts as told."""
    name = f"told-{place.safe_name(session)}"
    noted = [os.path.join(folder, name) for folder in place.fallback_spools(directory)]
    if any(_is_own(os.path.dirname(path)) and os.path.exists(path) for path in noted):
        return False
    for path in noted:
        with contextlib.suppress(OSError):
            _make(os.path.dirname(path))
            place.touch(path)
            break
    return True


def _came(path: str, now: float) -> float:
    """When the event came, by its file's name."""
    number = os.path.basename(path).partition("-")[0]
    return int(number) / 1e9 if number.isdigit() else now


def log_files(directory: str) -> list[str]:
    """The files for traces that the ledger could not take."""
    folders = (directory, *filter(_is_own, place.fallback_spools(directory)))
    return [os.path.join(folder, "errors.log") for folder in folders]


def log(directory: str, event: str, text: str, now: float) -> None:
    """Write a trace to a file, as the ledger cannot take it."""
    when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime(now))
    for folder in (directory, *place.fallback_spools(directory)):
        with contextlib.suppress(OSError):
            _make(folder)
            path = os.path.join(folder, "errors.log")
            place.touch(path)
            found = foreign.stat_of(path)
            if found and found.st_size > LOG_LIMIT:
                os.replace(path, f"{path}.old")
            with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{when} {event}: {text.strip()[:2000]}\n")
            return
