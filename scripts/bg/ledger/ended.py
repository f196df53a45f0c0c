"""What has ended in a project: its newest tasks one by one, all of them as a count of each state."""

from __future__ import annotations

from bg.ledger import projects, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import State


def newest(book: Ledger, project: str, since: float, most: int, states: tuple[str, ...] = ()) -> list[Task]:
    """So many tasks of a project, or of all, that ended after this moment and are not closed, the last first.

    Where states are given, only those.
    """
    sql = "SELECT * FROM tasks WHERE {where} AND closed IS NULL AND ended > ?"
    sql += f" AND state IN {tasks.marks(states)}" if states else ""
    found: list[Task] = []
    for where, value in projects.parts(project):
        found += Task.all(book, f"{sql.format(where=where)} ORDER BY ended DESC LIMIT ?", *value, since, *states, most)
    found.sort(key=lambda task: (task.ended or 0.0, task.number), reverse=True)
    return found[:most]


def counted(book: Ledger, project: str) -> dict[str, int]:
    """How many tasks of a project, or of all, have ended in which state."""
    found: dict[str, int] = {}
    for where, value in projects.parts(project):
        # Of all states: one more condition would take longer than the index does.
        for row in book.all(f"SELECT state, count(*) AS times FROM tasks WHERE {where} GROUP BY state", *value):
            if row["state"] in tasks.ENDED_STATES:
                found[row["state"]] = found.get(row["state"], 0) + row["times"]
    return found


def interrupted(book: Ledger, project: str, since: float, most: int) -> int:
    """How many tasks of a project, or of all, were interrupted after this moment, at most so many; none is closed."""
    sql = (
        f"SELECT root, project FROM tasks WHERE state = '{State.INTERRUPTED}' AND closed IS NULL AND ended > ? LIMIT ?"
    )
    rows = book.all(sql, since, most)
    root = projects.root_of(project) if project else ""
    return sum(not project or root == (row["root"] or row["project"]) for row in rows)
