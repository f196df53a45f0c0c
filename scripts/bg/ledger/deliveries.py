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
from bg.ledger.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

ENDED, MESSAGE, GROUP, ANSWERED = "ended", "message", "group", "answered"
CLAIM = 20.0  # as long as the host lets a hook live


class Key:
    """What a delivery is about, the same by whatever path it became known.

    `subject` is the agent, for a group its label, for answers the task's; `mark` tells a run's deliveries apart.
    """

    def __init__(self, subject: str, run: int, mark: str) -> None:
        self.subject = subject
        self.run = run
        self.mark = mark

    def __str__(self) -> str:
        """The key as it stands in the ledger."""
        return f"{self.subject}:{self.run}:{self.mark}"

    @classmethod
    def read(cls, text: str) -> Key:
        """The key that stands in the ledger so."""
        subject, run, mark = text.rsplit(":", 2)
        return cls(subject, int(run), mark)

    @classmethod
    def of_end(cls, agent: str, run: int) -> Key:
        """A run that ended without a signal."""
        return cls(agent, run, "end")

    @classmethod
    def of_signal(cls, agent: str, run: int, digest: str) -> Key:
        """A signal of a run."""
        return cls(agent, run, digest)

    @classmethod
    def of_group(cls, group: str) -> Key:
        """Tasks launched together, all of which have ended."""
        return cls(group, 0, "group")

    @classmethod
    def of_answers(cls, label: str, session: str) -> Key:
        """What the user has said to a task in this session, anew each time."""
        return cls(label, 0, f"{session} {time.time_ns()}")


class Delivery(Record):
    """One thing to say, and how far it has come."""

    id: int
    label: str
    kind: str
    key: str
    made: float
    surfaced: Optional[float]
    said: Optional[float]
    seen: Optional[float]
    session: Optional[str]
    via: Optional[str]

    @property
    def about(self) -> Key:
        """What it is about."""
        return Key.read(self.key)

    def is_answered_in(self, session: str) -> bool:
        """The user has answered in this very session."""
        return session in self.about.mark


def make(book: Ledger, label: str, kind: str, key: Key) -> bool:
    """Queue one thing to say; False when it is queued or said already."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO deliveries (label, kind, key, made) VALUES (?,?,?,?)",
            label,
            kind,
            str(key),
            time.time(),
        )
    )


def due(book: Ledger, session: str) -> list[Delivery]:
    """What this session has not seen yet: what to do about an answer first, then the oldest."""
    found = Delivery.all(
        book,
        # CROSS keeps the order: first what is unseen, which is little, not every task that the session has had.
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND t.session = ? ORDER BY d.kind <> 'answered', d.id",
        session,
    )
    return [delivery for delivery in found if not _is_claimed(delivery)]


def _is_claimed(delivery: Delivery) -> bool:
    """Another hook, started at the same time, is just about to say it."""
    if delivery.surfaced is None or delivery.said is not None or time.time() - delivery.surfaced > CLAIM:
        return False
    owner = (delivery.via or "").rpartition(" ")[2]
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


def is_unseen(book: Ledger, session: str, now: float) -> bool:
    """Something was said in this session before now, and not yet known to have arrived."""
    return bool(book.value("SELECT 1 FROM deliveries WHERE seen IS NULL AND said < ? AND session = ?", now, session))


def see(book: Ledger, session: str, now: float) -> None:
    """The host went on after these were said: they have arrived."""
    book.write(
        "UPDATE deliveries SET seen = ? WHERE seen IS NULL AND said < ? AND session = ?", time.time(), now, session
    )


def settle(book: Ledger, delivery: Delivery) -> None:
    """The parent has heard this another way."""
    book.write("UPDATE deliveries SET seen = coalesce(seen, ?) WHERE id = ?", time.time(), delivery.id)


def settle_next_step(book: Ledger, label: str) -> None:
    """What the parent was to do about a task's answers is overtaken."""
    book.write(
        "UPDATE deliveries SET seen = ? WHERE label = ? AND kind = 'answered' AND seen IS NULL", time.time(), label
    )


def next_steps(book: Ledger, label: str, since: float) -> tuple[int, int]:
    """How many times since then the parent was owed the next step of a task, and how many of these it has seen."""
    row = book.one(
        "SELECT count(*) AS times, count(seen) AS seen FROM deliveries"
        " WHERE label = ? AND kind = 'answered' AND made >= ?",
        label,
        since,
    )
    return (row["times"], row["seen"]) if row else (0, 0)
