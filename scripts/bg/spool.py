"""The spool: events that could not be written into the ledger, kept as files until a hook takes them in."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Callable

from bg import processes, state

LOG_LIMIT = 200_000
STALE = 60.0  # no hook lives that long: the host ends it earlier


def keep(place: Path, text: str) -> bool:
    """Keep one event, in the data directory or, where that cannot be written, in the temporary one."""
    for folder in (place / "spool", state.fallback_spool()):
        with contextlib.suppress(OSError):
            state.make_private(folder)
            name = f"{time.time_ns()}-{os.getpid()}"
            part = folder / f"{name}.part"
            with part.open("w", encoding="utf-8") as file:
                part.chmod(0o600)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            part.replace(folder / f"{name}.json")
            return True
    return False


def waiting(place: Path) -> list[Path]:
    """The events that wait, the oldest first."""
    found: list[Path] = []
    for folder in (place / "spool", state.fallback_spool()):
        with contextlib.suppress(OSError):
            if folder.is_dir() and folder.stat().st_uid == os.getuid():
                found += folder.glob("*.json")
                found += [path for path in folder.glob("*.taken-*") if _is_abandoned(path)]
                found += [path for path in folder.glob("*.part") if _is_stale(path)]
    return sorted(found, key=lambda path: path.name)


def _is_abandoned(path: Path) -> bool:
    """The hook that took this event in was killed before it had finished."""
    owner = path.suffix.rpartition("-")[2]
    return _is_stale(path) or (owner.isdigit() and not processes.alive(processes.Process(int(owner), "")))


def _is_stale(path: Path) -> bool:
    """Nobody works on this file any more, whoever has its owner's number by now."""
    try:
        return time.time() - path.stat().st_ctime > STALE
    except OSError:
        return False


def take_in(place: Path, replay: Callable[[str, float], None]) -> None:
    """Hand each waiting event, and when it came, to `replay`; removed only after that, so a crash repeats it."""
    for path in waiting(place):
        claimed = path.with_suffix(f".taken-{os.getpid()}")
        try:
            path.rename(claimed)
            text = claimed.read_text(encoding="utf-8", errors="replace")
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


def first_in(session: str) -> bool:
    """Whether the session is to be told now that the ledger cannot be used: once, noted where that can be written."""
    path = state.fallback_spool() / f"told-{state.safe_name(session)}"
    try:
        state.make_private(path.parent)
        path.touch(mode=0o600, exist_ok=False)
    except OSError:
        return False
    return True


def _came(path: Path) -> float:
    """When the event came, as its file's name tells."""
    number = path.name.partition("-")[0]
    return int(number) / 1e9 if number.isdigit() else time.time()


def log(place: Path, event: str, text: str) -> None:
    """A trace for the time when the ledger cannot take it."""
    for folder in (place, state.fallback_spool()):
        with contextlib.suppress(OSError):
            state.make_private(folder)
            path = folder / "errors.log"
            if path.is_file() and path.stat().st_size > LOG_LIMIT:
                path.replace(folder / "errors.log.old")
            with path.open("a", encoding="utf-8") as file:
                file.write(f"{time.strftime('%Y-%m-%dT%H:%M:%S')} {event}: {text.strip()[:2000]}\n")
            return
