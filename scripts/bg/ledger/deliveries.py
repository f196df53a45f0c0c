"""Deliveries: everything that the parent must hear, and how far each item has come.

made (durable) → surfaced (a hook is about to say it) → said (it was printed) → seen (the host has written it down).
A delivery that was printed and then lost is unsaid, and due again; a seen one is never repeated. While the hook that
is about to say it is alive, no other hook says it.
"""

from __future__ import annotations

import os

from bg import machine
from bg.ledger.file import Ledger, Record, Writing
from bg.ledger.values import Due

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


MOST_TIMES = 3  # the parent is owed nothing more often than this; after that the user is shown it


class Key:
    """The subject of a delivery, the same on whichever path it became known.

    `subject` is the agent, or a label for tasks that have ended together; `mark` tells the deliveries of one run apart.
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
        """Tasks launched together, all of which have ended; `left` of them are not done, and may still be."""
        return cls(group, left, "group")

    @classmethod
    def of_joint(cls, label: str, count: int) -> Key:
        """A task that has made `count` requests, and the agents that it asked for, all of which have ended."""
        return cls(label, count, "joint")


class Delivery(Record):
    """One thing to say, and how far it has come.

    `subject`, `run` and `mark` are those of its `Key`. The next step after an answer has no mark: it has `answered_in`,
    the session in which the answer was given, and is owed `again` if nobody took the step. `session` is the session in
    which the delivery was printed, by the hook of that `event` and `turn` in the process `pid`.
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
        """The process of the hook that surfaced it last."""
        return machine.Process(self.pid, self.started) if self.pid else None


def make(book: Writing, label: str, kind: str, key: Key) -> bool:
    """Queue one thing to say; return False if it was queued before."""
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
    """Queue the next step after the answers to a task, in place of any queued before."""
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
    """Whether the parent is still to be told how this run has ended."""
    sql = f"SELECT 1 FROM deliveries WHERE subject = ? AND run = ? AND kind = '{Due.ENDED}'"
    return book.one(f"{sql} AND seen IS NULL AND said IS NULL", agent, run) is not None


def is_end_heard(book: Ledger, agent: str, run: int) -> bool:
    """Whether the parent was told of this run's end at a prompt, which is how the host announces it."""
    sql = f"SELECT 1 FROM deliveries WHERE subject = ? AND run = ? AND kind = '{Due.ENDED}' AND event = ?"
    return bool(book.value(sql, agent, run, "UserPromptSubmit"))


def owed_since(book: Ledger, label: str, moment: float) -> bool:
    """Whether the next step after the answers to a task became owed at this moment or later."""
    sql = f"SELECT 1 FROM deliveries WHERE label = ? AND kind = '{Due.ANSWERED}' AND made >= ?"
    return book.one(sql, label, moment) is not None


def continue_in(book: Writing, old: str, new: str) -> None:
    """Note that a session continues as another: answers given in the old one count as given in the new one."""
    book.write("UPDATE deliveries SET answered_in = ? WHERE seen IS NULL AND answered_in = ?", new, old)


def unsaid(book: Ledger, session: str) -> list[Delivery]:
    """The deliveries that are due in this session: next steps after answers first, then the oldest."""
    return Delivery.all(
        book,
        # CROSS makes SQLite begin with the unseen deliveries, which are few, and not with all tasks of the session.
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        f" WHERE d.seen IS NULL AND d.said IS NULL AND t.session = ? ORDER BY d.kind <> '{Due.ANSWERED}', d.id",
        session,
    )


def printed(book: Ledger, session: str) -> list[Delivery]:
    """The deliveries printed in this session, or for a task that it has now, that are not known to have arrived."""
    return Delivery.all(
        book,
        "SELECT d.* FROM deliveries d CROSS JOIN tasks t ON t.label = d.label"
        " WHERE d.seen IS NULL AND d.surfaced IS NOT NULL AND (t.session = ? OR d.session = ?) ORDER BY +d.id",
        session,
        session,
    )


def is_claimed(delivery: Delivery) -> bool:
    """Whether another hook, which is still alive, is about to say it; one that ended before it said it has no claim."""
    if delivery.surfaced is None or delivery.said is not None:
        return False
    owner = delivery.owner
    return owner is not None and owner.pid != os.getpid() and machine.alive(owner)


def surface(
    book: Writing, ids: list[int], session: str, via: tuple[str, str], words: list[str], place: int, carrier: str
) -> None:
    """Record, before anything is printed, the event, the turn, the words, and where the transcript ended then."""
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
    """Record that the whole answer was printed."""
    for identifier in ids:
        book.write("UPDATE deliveries SET said = ? WHERE id = ?", book.now(), identifier)


def unsay(book: Writing, delivery: Delivery, *, counted: bool) -> None:
    """Note that it was printed and did not arrive; `counted` if the host went on without it."""
    book.write(
        "UPDATE deliveries SET surfaced = NULL, said = NULL, missed = coalesce(missed, 0) + ? WHERE id = ?",
        int(counted),
        delivery.id,
    )


def settle(book: Writing, delivery: Delivery) -> None:
    """Note that it has arrived, or was heard in another way, and forget what was noted to find it in a transcript."""
    book.write(
        "UPDATE deliveries SET seen = coalesce(seen, ?), words = NULL, carrier = NULL WHERE id = ?",
        book.now(),
        delivery.id,
    )


def settle_task(book: Writing, label: str) -> None:
    """Note that nothing about the task needs to be said any more: the user is done with it."""
    book.write(
        "UPDATE deliveries SET seen = ?, words = NULL, carrier = NULL WHERE label = ? AND seen IS NULL",
        book.now(),
        label,
    )


def settle_next_step(book: Writing, label: str) -> None:
    """Note that the next step after the answers to a task need not be said any more."""
    book.write(
        f"UPDATE deliveries SET seen = ? WHERE label = ? AND kind = '{Due.ANSWERED}' AND seen IS NULL",
        book.now(),
        label,
    )


def next_steps(book: Ledger, label: str) -> tuple[int, int]:
    """How often the parent was owed the present next step of a task, and how often it has seen it.

    Steps owed before the last end of a run, or before the user's last words, do not count.
    """
    row = book.one(
        f"SELECT count(*) AS times, count(seen) AS seen FROM deliveries WHERE label = ? AND kind = '{Due.ANSWERED}'"
        " AND id >= coalesce((SELECT max(id) FROM deliveries WHERE label = ?"
        f" AND (kind = '{Due.ENDED}' OR (kind = '{Due.ANSWERED}' AND NOT again))), 0)",
        label,
        label,
    )
    return (row["times"], row["seen"]) if row else (0, 0)
