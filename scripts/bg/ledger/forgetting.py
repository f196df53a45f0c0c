"""Forgetting: a task is archived, then all its rows are deleted from every table."""

from __future__ import annotations

from bg import durations
from bg.ledger import notes, tasks
from bg.ledger.file import Ledger, Record, Writing
from bg.ledger.tasks import Task
from bg.ledger.values import ItemState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Archive = Callable[[Ledger, Task], None]

MOST = 200  # tasks at each beginning of a session, so that it is not held up


class _Name(Record):
    name: str


def is_due(book: Ledger) -> bool:
    """Whether today's search for old tasks is still to be done."""
    return notes.swept(book) != int(book.now() // durations.DAY)


def note_done(book: Ledger) -> None:
    """Note that old tasks have been looked for today."""
    with book.transaction() as writing:
        notes.set_swept(writing, int(book.now() // durations.DAY))


def forget_old(book: Ledger, days: int, archive: Archive) -> None:
    """Forget tasks that ended more than `days` days ago and were heard."""
    for label in forgettable(book, book.now() - days * durations.DAY, MOST):
        task = tasks.get(book, label)
        if task is not None:
            forget(book, task, archive)


def forget(book: Ledger, task: Task, archive: Archive) -> None:
    """Archive a task, then delete it; its label is never given out again."""
    archive(book, task)
    with book.transaction() as writing:
        delete(writing, task.label, agents(book, task.label))


def agents(book: Ledger, label: str) -> list[str]:
    """Every agent that has worked on a task."""
    return [row["agent"] for row in book.all("SELECT agent FROM launches WHERE label = ? AND agent <> ''", label)]


def delete(book: Writing, label: str, agents: list[str]) -> None:
    """Delete every row of the task and of these agents, and all single values kept about it."""
    notes.forget_task(book, label)
    for table, columns in tables(book):
        if "label" in columns:
            book.write(f'DELETE FROM "{table}" WHERE label = ?', label)
        elif "agent" in columns:
            for agent in agents:
                book.write(f'DELETE FROM "{table}" WHERE agent = ?', agent)


def tables(book: Ledger) -> list[tuple[str, set[str]]]:
    """Every table with the names of its columns."""
    found = _Name.all(book, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [
        (table.name, {column.name for column in _Name.all(book, f'PRAGMA table_info("{table.name}")')})
        for table in found
    ]


def forgettable(book: Ledger, until: float, most: int) -> list[str]:
    """The labels of tasks that ended by this moment, with all deliveries heard and no open items, the oldest first."""
    found = book.all(
        "SELECT label FROM tasks t WHERE ended <= ?"
        " AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.label = t.label AND d.seen IS NULL)"
        f" AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.label = t.label AND q.state = '{ItemState.OPEN}')"
        " ORDER BY ended LIMIT ?",
        until,
        most,
    )
    return [row["label"] for row in found]
