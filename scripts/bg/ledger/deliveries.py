"""Deliveries: what the parent must hear, and how far each has come.

made (durable) → surfaced (a hook is about to say it) → said (it was printed) → seen (the host has written it down).
What was printed and dropped on the way is unsaid, and due again; what is seen is never repeated. While the hook that
is about to say it still lives, no other one does.
"""

from __future__ import annotations

import os

from bg import machine
from bg.ledger.file import Ledger, Writing
from bg.ledger.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

_PARTS = 4  # of `via`: the event, its turn, when its process started, and that process; earlier versions knew two
ENDED, MESSAGE, GROUP, JOINT, ANSWERED = "ended", "message", "group", "joint", "answered"
AGAIN = " again"


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
    def of_end(cls, agent: str, run: int) -> Key:
        """A run that ended without a signal."""
        return cls(agent, run, "end")

    @classmethod
    def of_signal(cls, agent: str, run: int, digest: str) -> Key:
        """A signal of a run."""
        return cls(agent, run, digest)

    @classmethod
    def of_group(cls, group: str, left: int) -> Key:
        """Tasks launched together, all of which have ended; so many of them are not done, and may still be."""
        return cls(group, left, "group")

    @classmethod
    def of_joint(cls, label: str, count: int) -> Key:
        """A task that has asked for so much, and the agents that it asked for, all of which have ended."""
        return cls(label, count, "joint")

    @classmethod
    def of_answers(cls, label: str, session: str, number: int, *, again: bool = False) -> Key:
        """What the user has said to a task in this session, anew each time; or the same `again`."""
        return cls(label, 0, f"{session} {number}{AGAIN if again else ''}")


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
    via: str
    words: str
    place: Optional[int]
    carrier: str
    missed: Optional[int]

    @property
    def event(self) -> str:
        """The event whose hook has printed it last."""
        return self.via.partition(" ")[0]

    @property
    def turn(self) -> str:
        """The host's id of the turn in which that was, empty where it gives none."""
        parts = self.via.split(" ")
        return parts[1] if len(parts) == _PARTS else ""

    @property
    def owner(self) -> Optional[machine.Process]:
        """The process of that hook."""
        parts = self.via.split(" ")
        started = parts[2].replace("_", " ") if len(parts) == _PARTS else ""
        return machine.Process(int(parts[-1]), started) if parts[-1].isdigit() else None

    @property
    def about(self) -> Key:
        """What it is about."""
        subject, run, mark = self.key.rsplit(":", 2)
        return Key(subject, int(run), mark)

    def is_answered_in(self, session: str) -> bool:
        """The user has answered in this very session."""
        return session in self.about.mark


def make(book: Writing, label: str, kind: str, key: Key) -> bool:
    """Queue one thing to say; False when it is queued or said already."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO deliveries (label, kind, key, made) VALUES (?,?,?,?)",
            label,
            kind,
            str(key),
            book.now(),
        )
    )


def owe_next_step(book: Writing, label: str, session: str, *, again: bool = False) -> None:
    """Queue what to do about a task's answers, instead of what was queued of it before."""
    settle_next_step(book, label)
    number = 1 + int(book.value("SELECT coalesce(max(id), 0) FROM deliveries"))
    make(book, label, ANSWERED, Key.of_answers(label, session, number, again=again))


def is_end_due(book: Ledger, agent: str, run: int) -> bool:
    """The parent is still to hear how this run has ended."""
    sql = "SELECT 1 FROM deliveries WHERE seen IS NULL AND said IS NULL AND kind = 'ended' AND key LIKE ?"
    return book.one(sql, f"{agent}:{run}:%") is not None


def owed_since(book: Ledger, label: str, moment: float) -> bool:
    """The parent was owed what to do about a task's answers after this moment."""
    sql = "SELECT 1 FROM deliveries WHERE label = ? AND kind = 'answered' AND made >= ?"
    return book.one(sql, label, moment) is not None


def continue_in(book: Writing, old: str, new: str) -> None:
    """One session goes on as another: what the user answered in the one counts as answered in the other."""
    sql = "UPDATE OR IGNORE deliveries SET key = replace(key, ?1, ?2) WHERE seen IS NULL AND kind = ?3"
    book.write(f"{sql} AND instr(key, ?1) > 0", old, new, ANSWERED)


def due(book: Ledger, session: str) -> list[Delivery]:
    """What this session has to be told: what to do about an answer first, then the oldest."""
    found = Delivery.all(
        book,
        # CROSS keeps the order: first what is unseen, which is little, not every task that the session has had.
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND d.said IS NULL AND t.session = ? ORDER BY d.kind <> 'answered', d.id",
        session,
    )
    return [delivery for delivery in found if not is_claimed(delivery)]


def printed(book: Ledger, session: str) -> list[Delivery]:
    """What was printed, in this session or for a task that it has now, and is not known to have arrived."""
    return Delivery.all(
        book,
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND d.surfaced IS NOT NULL AND (t.session = ? OR d.session = ?) ORDER BY +d.id",
        session,
        session,
    )


def is_claimed(delivery: Delivery) -> bool:
    """Another hook, started at the same time, is just about to say it; once that has ended, it has not said it."""
    if delivery.surfaced is None or delivery.said is not None:
        return False
    owner = delivery.owner
    return owner is not None and owner.pid != os.getpid() and machine.alive(owner)


def surface(
    book: Writing, ids: list[int], session: str, via: tuple[str, str], words: list[str], place: int, carrier: str
) -> None:
    """Recorded before anything is printed: at which event and turn, what, and where the transcript will show it."""
    event, turn = via
    own = machine.own()
    for identifier, said in zip(ids, words):
        book.write(
            "UPDATE deliveries SET surfaced = ?, said = NULL, session = ?, via = ?, words = ?, place = ?, carrier = ?"
            " WHERE id = ?",
            book.now(),
            session,
            # The number of the process is the last word, which is all that an earlier version reads.
            f"{event} {turn} {own.started.replace(' ', '_')} {own.pid}",
            said,
            place,
            carrier,
            identifier,
        )


def say(book: Writing, ids: list[int]) -> None:
    """Recorded after the answer was printed whole."""
    for identifier in ids:
        book.write("UPDATE deliveries SET said = ? WHERE id = ?", book.now(), identifier)


def unsay(book: Writing, delivery: Delivery, *, counted: bool) -> None:
    """It was printed and did not arrive; counted where the host went on as if it had."""
    book.write(
        "UPDATE deliveries SET surfaced = NULL, said = NULL, missed = coalesce(missed, 0) + ? WHERE id = ?",
        int(counted),
        delivery.id,
    )


def settle(book: Writing, delivery: Delivery) -> None:
    """It has arrived, or the parent has heard this another way; what was noted to find it is needed no longer."""
    book.write(
        "UPDATE deliveries SET seen = coalesce(seen, ?), words = NULL, carrier = NULL WHERE id = ?",
        book.now(),
        delivery.id,
    )


def settle_task(book: Writing, label: str) -> None:
    """The user is done with the task: nothing of it has to be said any more."""
    book.write(
        "UPDATE deliveries SET seen = ?, words = NULL, carrier = NULL WHERE label = ? AND seen IS NULL",
        book.now(),
        label,
    )


def settle_next_step(book: Writing, label: str) -> None:
    """What the parent was to do about a task's answers is overtaken."""
    book.write(
        "UPDATE deliveries SET seen = ? WHERE label = ? AND kind = 'answered' AND seen IS NULL", book.now(), label
    )


def next_steps(book: Ledger, label: str) -> tuple[int, int]:
    """How many times the parent was owed the present next step of a task, and how many of these it has seen.

    What a run's end, or the user, has changed since counts no longer.
    """
    row = book.one(
        "SELECT count(*) AS times, count(seen) AS seen FROM deliveries WHERE label = ? AND kind = 'answered'"
        " AND id >= coalesce((SELECT max(id) FROM deliveries WHERE label = ?"
        " AND (kind = 'ended' OR (kind = 'answered' AND substr(key, ?) <> ?))), 0)",
        label,
        label,
        -len(AGAIN),
        AGAIN,
    )
    return (row["times"], row["seen"]) if row else (0, 0)
