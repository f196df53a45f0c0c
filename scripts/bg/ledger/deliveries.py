"""Deliveries: what the parent must hear, and how far each has come.

made (durable) → surfaced (a hook is about to say it) → said (it was printed) → seen (the host has written it down).
What was printed and dropped on the way is unsaid, and due again; what is seen is never repeated. While the hook that
is about to say it still lives, no other one does.
"""

from __future__ import annotations

import os

from bg import machine
from bg.ledger.file import Ledger, Record, Writing
from bg.ledger.values import Due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


MOST_TIMES = 3  # nothing is owed to the parent more often: then the user is shown it instead


class Key:
    """What a delivery is about, the same by whatever path it became known.

    `subject` is the agent, for tasks that have ended together their label; `mark` tells a run's deliveries apart.
    """

    def __init__(self, subject: str, run: int, mark: str) -> None:
        self.subject = subject
        self.run = run
        self.mark = mark

    @classmethod
    def of_end(cls, agent: str, run: int) -> Key:
        """A run that ended without a signal."""
        return cls(agent, run, "end")

    @classmethod
    def of_verification(cls, agent: str, run: int) -> Key:
        """The check that the user named, after a run."""
        return cls(agent, run, "verify")

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


class Delivery(Record):
    """One thing to say, and how far it has come.

    `subject`, `run` and `mark` are those of its `Key`. What to do about answers has no mark, but the session that they
    were given in, and is owed `again` where nobody has done it. `session` is the one in which it was printed, by the
    hook of that `event` and `turn` in the process `pid`.
    """

    id: int
    label: str
    kind: str
    subject: str
    run: int
    mark: str
    answered_in: str
    again: int
    made: float
    surfaced: Optional[float]
    said: Optional[float]
    seen: Optional[float]
    session: Optional[str]
    event: str
    turn: str
    pid: int
    started: str
    words: str
    place: Optional[int]
    carrier: str
    missed: Optional[int]

    @property
    def owner(self) -> Optional[machine.Process]:
        """The process of the hook that has printed it last."""
        return machine.Process(self.pid, self.started) if self.pid else None


def make(book: Writing, label: str, kind: str, key: Key) -> bool:
    """Queue one thing to say; False when it is queued or said already."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO deliveries (label, kind, subject, run, mark, made) VALUES (?,?,?,?,?,?)",
            label,
            kind,
            key.subject,
            key.run,
            key.mark,
            book.now(),
        )
    )


def owe_next_step(book: Writing, label: str, session: str, *, again: bool = False) -> None:
    """Queue what to do about a task's answers, instead of what was queued of it before."""
    settle_next_step(book, label)
    book.write(
        "INSERT INTO deliveries (label, kind, subject, run, answered_in, again, made) VALUES (?1,?2,?1,0,?3,?4,?5)",
        label,
        Due.ANSWERED,
        session,
        int(again),
        book.now(),
    )


def is_end_due(book: Ledger, agent: str, run: int) -> bool:
    """The parent is still to hear how this run has ended."""
    sql = f"SELECT 1 FROM deliveries WHERE subject = ? AND run = ? AND kind = '{Due.ENDED}'"
    return book.one(f"{sql} AND seen IS NULL AND said IS NULL", agent, run) is not None


def is_end_heard(book: Ledger, agent: str, run: int) -> bool:
    """The parent was told of the end of this run when the host announced it."""
    sql = f"SELECT 1 FROM deliveries WHERE subject = ? AND run = ? AND kind = '{Due.ENDED}' AND event = ?"
    return bool(book.value(sql, agent, run, "UserPromptSubmit"))


def owed_since(book: Ledger, label: str, moment: float) -> bool:
    """The parent was owed what to do about a task's answers after this moment."""
    sql = f"SELECT 1 FROM deliveries WHERE label = ? AND kind = '{Due.ANSWERED}' AND made >= ?"
    return book.one(sql, label, moment) is not None


def continue_in(book: Writing, old: str, new: str) -> None:
    """One session goes on as another: what the user answered in the one counts as answered in the other."""
    book.write("UPDATE deliveries SET answered_in = ? WHERE seen IS NULL AND answered_in = ?", new, old)


def unsaid(book: Ledger, session: str) -> list[Delivery]:
    """What this session has to be told: what to do about an answer first, then the oldest."""
    return Delivery.all(
        book,
        # CROSS keeps the order: first what is unseen, which is little, not every task that the session has had.
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        f" WHERE d.seen IS NULL AND d.said IS NULL AND t.session = ? ORDER BY d.kind <> '{Due.ANSWERED}', d.id",
        session,
    )


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
    own = machine.this_process()
    for identifier, said in zip(ids, words):
        book.write(
            "UPDATE deliveries SET surfaced = ?, said = NULL, session = ?, event = ?, turn = ?, pid = ?, started = ?,"
            " words = ?, place = ?, carrier = ? WHERE id = ?",
            book.now(),
            session,
            event,
            turn,
            own.pid,
            own.started,
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
        f"UPDATE deliveries SET seen = ? WHERE label = ? AND kind = '{Due.ANSWERED}' AND seen IS NULL",
        book.now(),
        label,
    )


def next_steps(book: Ledger, label: str) -> tuple[int, int]:
    """How many times the parent was owed the present next step of a task, and how many of these it has seen.

    What a run's end, or the user, has changed since counts no longer.
    """
    row = book.one(
        f"SELECT count(*) AS times, count(seen) AS seen FROM deliveries WHERE label = ? AND kind = '{Due.ANSWERED}'"
        " AND id >= coalesce((SELECT max(id) FROM deliveries WHERE label = ?"
        f" AND (kind = '{Due.ENDED}' OR (kind = '{Due.ANSWERED}' AND NOT again))), 0)",
        label,
        label,
    )
    return (row["times"], row["seen"]) if row else (0, 0)
