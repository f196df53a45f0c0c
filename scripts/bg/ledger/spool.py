"""The spool: events that could not be written into the ledger, kept as files until a hook takes them in."""

from __future__ import annotations

import contextlib
import errno
import os
import time
from pathlib import Path
from typing import Callable, Optional

from bg import foreign, machine
from bg.ledger import place as state

LOG_LIMIT = 200_000
TRIAL = 4096
STALE = 60.0  # no hook lives that long: the host ends it earlier
MOST = 64 * 1024 * 1024  # more than any host sends
LONG = 5.0  # for what waited; the rest of its time belongs to the event that the hook was called for


def keep(place: Path, text: str) -> bool:
    """Keep one event, in the data directory or, where that cannot be written, in a temporary one."""
    for folder in folders(place) if len(text) <= MOST else ():
        with contextlib.suppress(OSError):
            part = _write(folder, text)
            part.replace(part.with_suffix(".json"))
            return True
    return False


def folders(place: Path) -> list[Path]:
    """Where events may wait, the preferred place first."""
    return [place / "spool", *state.fallback_spools(place)]


def can_keep(place: Path) -> bool:
    """An event that comes now could be kept: tried, not asked."""
    for folder in folders(place):
        with contextlib.suppress(OSError):
            _write(folder, "x" * TRIAL).unlink()
            return True
    return False


def trouble(place: Path) -> Optional[OSError]:
    """Why nothing can be written into this directory, None where something can: tried, not asked."""
    try:
        _write(place, "x" * TRIAL).unlink()
    except OSError as error:
        return error
    return None


def _make(folder: Path) -> None:
    state.make_private(folder)
    if not _is_own(folder):
        raise PermissionError(errno.EACCES, "it belongs to another user", str(folder))


def _write(folder: Path, text: str) -> Path:
    """A whole file, or none: half of one would take room that nobody has."""
    _make(folder)
    part = folder / f"{time.time_ns()}-{os.getpid()}.part"
    try:
        with part.open("w", encoding="utf-8") as file:
            part.chmod(0o600)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
    return part


def waiting(place: Path) -> list[Path]:
    """The events that wait, the oldest first."""
    found: list[Path] = []
    for folder in filter(_is_own, folders(place)):
        for path in map(folder.joinpath, foreign.names(folder)):
            kind = path.suffix.partition("-")[0]
            if kind in _LEFT and _LEFT[kind](path) and foreign.about(path):
                found.append(path)
    return sorted(found, key=lambda path: path.name)


def _is_own(folder: Path) -> bool:
    """A temporary directory is everybody's: another user may have made a folder of this name first."""
    try:
        return folder.is_dir() and {folder.lstat().st_uid, folder.stat().st_uid} == {os.getuid()}
    except OSError:
        return False


def _is_abandoned(path: Path) -> bool:
    """The hook that took this event in was killed before it had finished."""
    owner = path.suffix.rpartition("-")[2]
    return _is_stale(path) or (owner.isdigit() and not machine.alive(machine.Process(int(owner), "")))


def _is_stale(path: Path) -> bool:
    """Nobody works on this file any more, whoever has its owner's number by now."""
    try:
        return time.time() - path.stat().st_ctime > STALE
    except OSError:
        return False


# The endings under which an event may wait, and when nobody else works on it.
_LEFT: dict[str, Callable[[Path], bool]] = {".json": lambda _: True, ".taken": _is_abandoned, ".part": _is_stale}


def take_in(place: Path, replay: Callable[[str, float], None]) -> bool:
    """Hand each waiting event, and when it came, to `replay`; removed only after that, so a crash repeats it.

    Whether all were taken in: where hundreds wait, the next hooks go on.
    """
    found = waiting(place)
    until = time.monotonic() + LONG
    for path in found:
        if time.monotonic() > until:
            return False
        claimed = path.with_suffix(f".taken-{os.getpid()}")
        try:
            path.rename(claimed)
            text = foreign.read(claimed, 4 * MOST).decode("utf-8", "replace")
        except OSError:
            continue
        try:
            replay(text, _came(path))
        except BaseException:
            with contextlib.suppress(OSError):
                claimed.rename(path)
            raise
        with contextlib.suppress(OSError):
            claimed.unlink()
    if found:
        _forget_who_was_told(place)
    return True


def _forget_who_was_told(place: Path) -> None:
    """It is over: another time is told anew."""
    for folder in state.fallback_spools(place):
        for name in foreign.names(folder):
            if name.startswith("told-"):
                with contextlib.suppress(OSError):
                    (folder / name).unlink()


def first_in(place: Path, session: str) -> bool:
    """Whether the session has not been told yet that the ledger cannot be used; noted where that can be written."""
    name = f"told-{state.safe_name(session)}"
    noted = [folder / name for folder in state.fallback_spools(place)]
    if any(_is_own(path.parent) and path.exists() for path in noted):
        return False
    for path in noted:
        with contextlib.suppress(OSError):
            _make(path.parent)
            path.touch(mode=0o600)
            break
    return True


def _came(path: Path) -> float:
    """When the event came, as its file's name tells."""
    number = path.name.partition("-")[0]
    return int(number) / 1e9 if number.isdigit() else time.time()


def logs(place: Path) -> list[Path]:
    """Where traces lie that the ledger could not take."""
    return [folder / "errors.log" for folder in (place, *filter(_is_own, state.fallback_spools(place)))]


def log(place: Path, event: str, text: str) -> None:
    """A trace for the time when the ledger cannot take it."""
    for folder in (place, *state.fallback_spools(place)):
        with contextlib.suppress(OSError):
            _make(folder)
            path = folder / "errors.log"
            path.touch(mode=0o600)
            if path.is_file() and path.stat().st_size > LOG_LIMIT:
                path.replace(path.with_suffix(".log.old"))
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {event}: {text.strip()[:2000]}\n")
            return
