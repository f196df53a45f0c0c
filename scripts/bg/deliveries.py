"""Deliveries: what the parent must hear, and how far each has come.

made (durable) → surfaced (a hook is about to say it) → said (it was printed) → seen (the host went on
after it). A hook killed between surfaced and said left no word, so it is said again; what is seen is
never repeated.
"""

from __future__ import annotations

import time

from bg.ledger import Ledger
from bg.tasks import Row

ENDED, MESSAGE, GROUP, ANSWERED = "ended", "message", "group", "answered"


def make(book: Ledger, label: str, kind: str, key: str) -> bool:
    """Queue one thing to say; False when it is queued or said already."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO deliveries (label, kind, key, made) VALUES (?,?,?,?)", label, kind, key, time.time()
        )
    )


def due(book: Ledger, session: str) -> list[Row]:
    """What this session has not seen yet, the oldest first."""
    return book.all(
        "SELECT d.*, t.session AS owner FROM deliveries d JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND t.session = ? ORDER BY d.id",
        session,
    )


def surface(book: Ledger, ids: list[int], session: str, event: str) -> None:
    """Recorded before anything is printed."""
    for identifier in ids:
        book.write(
            "UPDATE deliveries SET surfaced = ?, said = NULL, session = ?, via = ? WHERE id = ?",
            time.time(),
            session,
            event,
            identifier,
        )


def say(book: Ledger, ids: list[int]) -> None:
    """Recorded after the answer was printed whole."""
    for identifier in ids:
        book.write("UPDATE deliveries SET said = ? WHERE id = ?", time.time(), identifier)


def see(book: Ledger, session: str) -> None:
    """The host went on after these were said: they have arrived."""
    book.write(
        "UPDATE deliveries SET seen = ? WHERE seen IS NULL AND said IS NOT NULL AND session = ?", time.time(), session
    )


def settle(book: Ledger, key: str) -> None:
    """The parent has heard this another way."""
    book.write("UPDATE deliveries SET seen = coalesce(seen, ?) WHERE key = ?", time.time(), key)
