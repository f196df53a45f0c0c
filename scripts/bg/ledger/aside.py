"""Damage: which error means that a ledger is no longer whole, and where it is kept instead of being deleted."""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time
from pathlib import Path

from bg.ledger.place import LEDGER

LOGS = ("-wal", "-shm", "-journal")


def kept_aside(place: Path) -> list[Path]:
    """The ledgers that could not be read, the oldest first."""
    return sorted(place.glob(f"{LEDGER}.corrupt-*[0-9]"))


def keep_aside(path: Path) -> None:
    """Give a damaged ledger another name, its logs with it."""
    aside = path.with_name(f"{LEDGER}.corrupt-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}")
    # The logs get their second name first: a hook that opens the place in between would throw them away.
    for suffix in LOGS:
        with contextlib.suppress(OSError):
            os.link(f"{path}{suffix}", f"{aside}{suffix}")
    path.rename(aside)
    for suffix in LOGS:
        log, kept = Path(f"{path}{suffix}"), Path(f"{aside}{suffix}")
        with contextlib.suppress(OSError):
            log.unlink() if kept.exists() else log.rename(kept)


def is_cut_to_nothing(path: Path) -> bool:
    """SQLite would throw the log of an empty file away."""
    log = Path(f"{path}-wal")
    return path.is_file() and not path.stat().st_size and log.is_file() and log.stat().st_size > 0


def is_corrupt(error: sqlite3.Error) -> bool:
    """What stands in the file cannot be read; a table that is not there is another schema, not damage."""
    words = str(error).lower()
    return any(sign in words for sign in ("malformed", "not a database", "file is encrypted"))


def is_passing(error: sqlite3.Error) -> bool:
    """Another hook or the disk is in the way, which another time it will not be."""
    words = str(error).lower()
    return any(
        sign in words for sign in ("locked", "busy", "full", "readonly", "unable to open", "disk i/o", "protocol")
    )
