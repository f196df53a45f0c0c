"""Deliveries: what the parent must hear, and how far each has come.

made (durable) → surfaced (a hook is about to say it) → said (it was printed) → seen (the host went on
after it). A hook killed between surfaced and said left no word, so it is said again; what is seen is
never repeated. While the hook that is about to say it still lives, no other one does.
"""

from __future__ import annotations

import os
import time

from bg import machine
from bg.ledger.file import Ledger
from bg.ledger.tasks import Row

ENDED, MESSAGE, GROUP, ANSWERED = "ended", "message", "group", "answered"
CLAIM = 20.0  # as long as the host lets a hook live


def make(book: Ledger, label: str, kind: str, key: str) -> bool:
    """Queue one thing to say; False when it is queued or said already."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO deliveries (label, kind, key, made) VALUES (?,?,?,?)", label, kind, key, time.time()
        )
    )


def due(book: Ledger, session: str) -> list[Row]:
    """What this session has not seen yet: what to do about an answer first, then the oldest."""
    rows = book.all(
        "SELECT d.*, t.session AS owner FROM deliveries d JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND t.session = ? ORDER BY d.kind <> 'answered', d.id",
        session,
    )
    return [row for row in rows if not _is_claimed(row)]


def _is_claimed(row: Row) -> bool:
    """Another hook, started at the same time, is just about to say it."""
    if row["surfaced"] is None or row["said"] is not None or time.time() - row["surfaced"] > CLAIM:
        return False
    owner = (row["via"] or "").rpartition(" ")[2]
    if not owner.isdigit() or int(owner) == os.getpid():
        return False
    return machine.alive(machine.Process(int(owner), ""))


def surface(book: Ledger, ids: list[int], session: str, event: str) -> None:
    """Recorded before anything is printed."""
    for identifier in ids:
        book.write(
            "UPDATE deliveries SET surfaced = ?, said = NULL, session = ?, via = ? WHERE id = ?",
            time.time(),
            session,
            f"{event} {os.getpid()}",
            identifier,
        )


def say(book: Ledger, ids: list[int]) -> None:
    """Recorded after the answer was printed whole."""
    for identifier in ids:
        book.write("UPDATE deliveries SET said = ? WHERE id = ?", time.time(), identifier)


def see(book: Ledger, session: str, now: float) -> None:
    """The host went on after these were said: they have arrived."""
    book.write(
        "UPDATE deliveries SET seen = ? WHERE seen IS NULL AND said < ? AND session = ?", time.time(), now, session
    )


def settle(book: Ledger, key: str) -> None:
    """The parent has heard this another way."""
    book.write("UPDATE deliveries SET seen = coalesce(seen, ?) WHERE key = ?", time.time(), key)
