"""Forgetting: every row of a task is deleted, in whatever table; who calls it has written the task down elsewhere."""

from __future__ import annotations

from bg.ledger.file import Ledger, Writing
from bg.ledger.record import Record


class _Name(Record):
    name: str


def forget(book: Writing, label: str) -> None:
    """Nothing of the task is left; its label is not given out again."""
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
        " AND NOT EXISTS (SELECT 1 FROM questions q WHERE q.label = t.label AND q.state = 'open')"
        " ORDER BY ended LIMIT ?",
        until,
        most,
    )
    return [row["label"] for row in found]
