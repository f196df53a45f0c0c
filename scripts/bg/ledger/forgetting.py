"""Forgetting: a task is written down elsewhere, then each of its rows is deleted, in whatever table."""

from __future__ import annotations

from bg.ledger import notes, tasks
from bg.ledger.file import Ledger, Record, Writing
from bg.ledger.tasks import Task
from bg.ledger.values import ItemState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    Archive = Callable[[Ledger, Task], None]

DAY = 24 * 3600
MOST = 200  # at a session's begin, so that it waits for nothing


class _Name(Record):
    name: str


def sweep(book: Ledger, days: int, archive: Archive) -> None:
    """Once a day: forget what ended so long ago, and was heard."""
    now = book.now()
    if notes.swept(book) == int(now // DAY):
        return
    for label in forgettable(book, now - days * DAY, MOST):
        task = tasks.get(book, label)
        if task is not None:
            forget(book, task, archive)
    with book.transaction() as writing:
        notes.set_swept(writing, int(now // DAY))


def forget(book: Ledger, task: Task, archive: Archive) -> None:
    """Archive a task, then delete it; its label is not given out again."""
    archive(book, task)
    with book.transaction() as writing:
        _delete(writing, task.label)


def _delete(book: Writing, label: str) -> None:
    agents = [row["agent"] for row in book.all("SELECT agent FROM launches WHERE label = ? AND agent <> ''", label)]
    for table in _Name.all(book, "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
        columns = [column.name for column in _Name.all(book, f'PRAGMA table_info("{table.name}")')]
        if "label" in columns:
            book.write(f'DELETE FROM "{table.name}" WHERE label = ?', label)
        elif "agent" in columns:
            for agent in agents:
                book.write(f'DELETE FROM "{table.name}" WHERE agent = ?', agent)


def forgettable(book: Ledger, until: float, most: int) -> list[str]:
    """The labels of tasks that ended before this moment, of which nothing waits and all was heard, the oldest first."""
    found = book.all(
        "SELECT label FROM tasks t WHERE ended <= ?"
        " AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.label = t.label AND d.seen IS NULL)"
        f" AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.label = t.label AND q.state = '{ItemState.OPEN}')"
        " ORDER BY ended LIMIT ?",
        until,
        most,
    )
    return [row["label"] for row in found]
