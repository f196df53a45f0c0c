"""Figures: the counts of `bgctl truth`, read a few rows at a time, as a ledger may be larger than the memory."""

from __future__ import annotations

from bg.ledger.file import Ledger, Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional, TypeVar

    _Row = TypeVar("_Row", "Ended", "Asked")

AT_ONCE = 500


class Ended(Record):
    """An ended run: its agent's type, what was found of its report, and the signal that ended it."""

    place: int
    kind: str
    corrections: int
    evidence: Optional[str]
    marker: str
    body: str


class Asked(Record):
    """Something that an agent asked, and when it was first answered."""

    place: int
    extra: str
    asked: float
    answered: Optional[float]


def states(book: Ledger, since: float) -> dict[str, int]:
    """How many of the tasks that began at this moment or later are in each state."""
    rows = book.all("SELECT state, count(*) AS number FROM tasks WHERE created >= ? GROUP BY state", since)
    return {str(row["state"]): int(row["number"]) for row in rows}


def first(book: Ledger, since: float) -> Optional[float]:
    """When the first of the tasks since this moment began; None if there are none."""
    found: Optional[float] = book.value("SELECT min(created) FROM tasks WHERE created >= ?", since)
    return found


def ended(book: Ledger, since: float) -> Iterator[Ended]:
    """The ended runs of the tasks since this moment."""
    sql = (
        "SELECT r.rowid AS place, l.agent_type AS kind, r.corrections, r.evidence, s.marker, s.body FROM runs r"
        " JOIN tasks t ON t.label = r.label LEFT JOIN launches l ON l.agent = r.agent"
        " LEFT JOIN signals s ON s.id = (SELECT max(id) FROM signals WHERE agent = r.agent AND run = r.run"
        " AND terminal = 1) WHERE r.rowid > ? AND r.ended IS NOT NULL AND t.created >= ?"
        f" GROUP BY r.rowid ORDER BY r.rowid LIMIT {AT_ONCE}"
    )
    return _in_turn(Ended, book, sql, since)


def asked(book: Ledger, since: float) -> Iterator[Asked]:
    """Everything that the agents of the tasks since this moment have asked."""
    sql = (
        "SELECT q.id AS place, q.extra, q.asked, (SELECT min(at) FROM answers WHERE question = q.id) AS answered"
        " FROM questions q JOIN tasks t ON t.label = q.label WHERE q.id > ? AND t.created >= ?"
        f" ORDER BY q.id LIMIT {AT_ONCE}"
    )
    return _in_turn(Asked, book, sql, since)


def _in_turn(kind: type[_Row], book: Ledger, sql: str, since: float) -> Iterator[_Row]:
    """All rows of a query, in batches; each batch begins after the last row of the one before."""
    found = kind.all(book, sql, 0, since)
    while found:
        yield from found
        found = kind.all(book, sql, found[-1].place, since)
