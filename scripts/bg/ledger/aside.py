"""Damage: whether a ledger is whole, which errors mean that it is not, and where a damaged one is kept."""

from __future__ import annotations

import contextlib
import os
import time

from bg import foreign
from bg.ledger import sqlite3
from bg.ledger.place import LEDGER

LOGS = ("-wal", "-shm", "-journal")
CUT_TO_NOTHING = "it is empty, and its log is not"


def kept_aside(place: str) -> list[str]:
    """The damaged ledgers that were moved aside, the oldest first."""
    start = f"{LEDGER}.corrupt-"
    names = [name for name in foreign.names(place) if name.startswith(start) and name[-1].isdigit()]
    return [os.path.join(place, name) for name in names]


def keep_aside(path: str, now: float) -> None:
    """Rename a damaged ledger and its logs."""
    aside = f"{path}.corrupt-{time.strftime('%Y%m%d-%H%M%S', time.localtime(now))}-{os.getpid()}"
    # The logs get a second name before the ledger moves: a hook that opened a ledger here in between would delete them.
    for suffix in LOGS:
        with contextlib.suppress(OSError):
            os.link(f"{path}{suffix}", f"{aside}{suffix}")
    os.rename(path, aside)
    for suffix in LOGS:
        log, kept = f"{path}{suffix}", f"{aside}{suffix}"
        with contextlib.suppress(OSError):
            os.unlink(log) if os.path.exists(kept) else os.rename(log, kept)


def delete(path: str) -> None:
    """Delete a damaged ledger and its logs."""
    for each in (*(f"{path}{suffix}" for suffix in LOGS), path):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(each)


def is_cut_to_nothing(path: str) -> bool:
    """Whether the file is empty and its log is not, which SQLite would then throw away."""
    found, log = foreign.stat_of(path), foreign.stat_of(f"{path}-wal")
    return found is not None and log is not None and not found.st_size and log.st_size > 0


def is_corrupt(error: sqlite3.Error) -> bool:
    """Whether the error says that the file cannot be read; a missing table means another schema, not damage."""
    words = str(error).lower()
    return any(sign in words for sign in ("malformed", "not a database", "file is encrypted"))


def is_passing(error: sqlite3.Error) -> bool:
    """Whether a later try may succeed: another hook or the disk is in the way for now."""
    words = str(error).lower()
    return any(
        sign in words for sign in ("locked", "busy", "full", "readonly", "unable to open", "disk i/o", "protocol")
    )


def damage(place: str) -> str:
    """What is wrong with the ledger file in this directory; empty if it is whole."""
    if is_cut_to_nothing(os.path.join(place, LEDGER)):
        return CUT_TO_NOTHING
    try:
        with contextlib.closing(sqlite3.connect(f"file:{os.path.join(place, LEDGER)}?mode=ro", uri=True)) as connection:
            found = str(connection.execute("PRAGMA quick_check").fetchone()[0])
    except sqlite3.DatabaseError as error:
        return str(error)
    return "" if found == "ok" else found
