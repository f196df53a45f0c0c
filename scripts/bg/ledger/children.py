"""Children: the agents that an agent of ours has launched itself, or was not allowed to launch."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing
from bg.ledger.values import State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Child(Record):
    """One agent that a task's agent `parent` has launched; if it was not allowed to, `refused` says why."""

    _table = "children"
    id: int
    label: str
    parent: str
    call: str
    agent: str
    description: str
    kind: str
    made: float
    ended: Optional[float]
    refused: str


def note(book: Writing, label: str, parent: str, call: str, description: str, kind: str, refused: str) -> None:
    """Note that a task's agent is about to launch another one, or was refused."""
    book.write(
        "INSERT OR IGNORE INTO children (label, parent, call, description, kind, made, refused) VALUES (?,?,?,?,?,?,?)",
        label,
        parent,
        call,
        description,
        kind,
        book.now(),
        refused or None,
    )


def find(book: Ledger, *, label: str = ANY, call: str = ANY) -> list[Child]:
    """The children with these values."""
    return Child.where(book, label=label, call=call)


def of_agent(book: Ledger, agent: str) -> Optional[Child]:
    """The newest child that is this agent of the host."""
    return Child.one(book, "SELECT * FROM children WHERE agent = ? ORDER BY id DESC", agent) if agent else None


def set_agent(book: Writing, number: int, agent: str) -> None:
    """Note which agent the host has launched as this child."""
    book.write("UPDATE children SET agent = ? WHERE id = ?", agent, number)


def end(book: Writing, number: int) -> None:
    """Note that a child has ended, or was never launched."""
    book.write("UPDATE children SET ended = ? WHERE id = ? AND ended IS NULL", book.now(), number)


def working(book: Ledger, project: str) -> list[Child]:
    """The children that work now for the tasks of a project; a session's end is the end of its children."""
    return Child.all(
        book,
        "SELECT c.* FROM children c JOIN tasks t ON t.label = c.label JOIN sessions s ON s.id = t.session"
        " WHERE t.project = ? AND c.ended IS NULL AND c.refused IS NULL AND s.ended IS NULL"
        f" AND t.state NOT IN ('{State.INTERRUPTED}', '{State.STOPPED}', '{State.FAILED}') ORDER BY c.id",
        project,
    )
