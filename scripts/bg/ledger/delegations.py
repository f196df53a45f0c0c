"""Delegations: work that an agent asked to hand on, what was decided, and the task that does it."""

from __future__ import annotations

import time

from bg.ledger.file import Ledger
from bg.ledger.record import Record
from bg.ledger.tasks import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

WAITING, APPROVED, LAUNCHED, DENIED = "waiting", "approved", "launched", "denied"


class Delegation(Record):
    """One request; `child` is the window that its approval opened, then the label of the task that does the work."""

    id: int
    label: str
    signal: int
    blocking: int
    state: str
    words: Optional[str]
    decided: Optional[float]
    child: Optional[str]


def _window(label: str) -> str:
    """How the column `child` names the window of this label while nothing has been launched in it."""
    return f"window:{label}"


def note(book: Ledger, label: str, signal: int, *, blocking: bool) -> None:
    """A task has asked for this, by that signal; a blocking one has ended its run with it."""
    book.write(
        "INSERT OR IGNORE INTO delegations (label, signal, blocking, state) VALUES (?,?,?,'waiting')",
        label,
        signal,
        int(blocking),
    )


def of_signal(book: Ledger, signal: int) -> Optional[Delegation]:
    """What this signal asked for."""
    return Delegation.one(book, "SELECT * FROM delegations WHERE signal = ?", signal)


def decide(book: Ledger, agent: str, run: int, place: int, words: str, window: str) -> None:
    """The user has approved (the window of that label is open) or denied (no window) a run's request of this place."""
    book.write(
        "UPDATE delegations SET state = ?, words = ?, child = ?, decided = ? WHERE state <> 'launched' AND id ="
        " (SELECT d.id FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
        " ORDER BY s.id LIMIT 1 OFFSET ?)",
        APPROVED if window else DENIED,
        words,
        _window(window) if window else "",
        time.time(),
        agent,
        run,
        place,
    )


def of_place(book: Ledger, agent: str, run: int, place: int) -> Optional[Delegation]:
    """A run's request of this place."""
    return Delegation.one(
        book,
        "SELECT d.* FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
        " ORDER BY s.id LIMIT 1 OFFSET ?",
        agent,
        run,
        place,
    )


def reopen(book: Ledger, one: Delegation) -> None:
    """Its decision was taken back: it waits again."""
    book.write(
        "UPDATE delegations SET state = 'waiting', words = NULL, child = '', decided = NULL WHERE id = ?"
        " AND state IN ('approved', 'denied')",
        one.id,
    )


def deny(book: Ledger, signal: int, words: str) -> None:
    """What this signal asked for is denied without asking the user."""
    book.write(
        "UPDATE delegations SET state = 'denied', words = ?, decided = ? WHERE signal = ?", words, time.time(), signal
    )


def is_decided_by(book: Ledger, agent: str, run: int, digest: str, words: str) -> bool:
    """These very words have decided what this signal asked for."""
    return bool(
        book.value(
            "SELECT 1 FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
            " AND s.digest = ? AND d.words = ?",
            agent,
            run,
            digest,
            words,
        )
    )


def note_launch(book: Ledger, window: str, label: str) -> None:
    """A task was launched in the window of that label: if an approval opened it, this is its task."""
    book.write(
        "UPDATE delegations SET child = ?, state = 'launched' WHERE state = 'approved' AND child = ?",
        label,
        _window(window),
    )


def last_child(book: Ledger, label: str) -> str:
    """The task that was launched last for this one, empty where none was."""
    found = book.value("SELECT child FROM delegations WHERE label = ? AND state = 'launched' ORDER BY id DESC", label)
    return found or ""


def waits_for_child(book: Ledger, label: str) -> bool:
    """An approved delegation blocks this task until its agent has ended."""
    row = book.one(
        "SELECT t.ended FROM delegations d LEFT JOIN tasks t ON t.label = d.child"
        " WHERE d.label = ? AND d.blocking = 1 AND d.state IN ('approved', 'launched') ORDER BY d.id DESC",
        label,
    )
    return row is not None and row["ended"] is None


def waiter(book: Ledger, child: str) -> Optional[Task]:
    """The task that is blocked until this one has ended."""
    return Task.one(
        book,
        "SELECT t.* FROM delegations d JOIN tasks t ON t.label = d.label"
        " WHERE d.child = ? AND d.blocking = 1 AND t.state = 'blocked'",
        child,
    )


def of_task(book: Ledger, label: str) -> list[Delegation]:
    """Everything that a task asked to hand on, the oldest first."""
    return Delegation.all(book, "SELECT * FROM delegations WHERE label = ? ORDER BY id", label)
