"""Unfinished tasks: an agent works on it, has an open run, or was interrupted."""

from __future__ import annotations

from bg.ledger import tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import Due, State


def with_open_agent(book: Ledger) -> list[Task]:
    """The tasks that an agent was launched for and that have not ended."""
    return Task.all(book, "SELECT * FROM tasks WHERE agent <> '' AND ended IS NULL")


def interrupted(book: Ledger, session: str, since: float, most: int) -> list[Task]:
    """The tasks of a session that were interrupted after this moment and are not closed, the newest first."""
    return Task.all(
        book,
        f"SELECT * FROM tasks WHERE session = ? AND state = '{State.INTERRUPTED}' AND closed IS NULL AND ended > ?"
        " ORDER BY +number DESC LIMIT ?",
        session,
        since,
        most,
    )


def count_interrupted(book: Ledger, session: str, until: float) -> int:
    """How many were interrupted before this moment, and are not closed."""
    return int(
        book.value(
            f"SELECT count(*) FROM tasks WHERE session = ? AND state = '{State.INTERRUPTED}'"
            " AND closed IS NULL AND ended <= ?",
            session,
            until,
        )
    )


def of_session(book: Ledger, session: str) -> list[Task]:
    """The tasks of a session whose agent works, or has a run that nobody has ended."""
    return _open_in(book, session)


def unheard(book: Ledger, session: str) -> list[Task]:
    """The same, and those of which the parent has not heard that a run has ended."""
    return _open_in(book, session, f" UNION SELECT label FROM deliveries WHERE seen IS NULL AND kind = '{Due.ENDED}'")


def _open_in(book: Ledger, session: str, more: str = "") -> list[Task]:
    return Task.all(
        book,
        # By label, so that none of the parts reads every task that the session has had.
        "SELECT * FROM tasks WHERE label IN"
        f" (SELECT label FROM tasks WHERE session = ? AND state IN {tasks.marks(tasks.RUNNING_STATES)}"
        " UNION SELECT label FROM runs WHERE ended IS NULL"
        f" AND agent = (SELECT agent FROM tasks WHERE label = runs.label){more})"
        " AND +session = ? AND agent <> '' ORDER BY +number",
        session,
        *tasks.RUNNING_STATES,
        session,
    )
