"""Tasks: the text of each, its state and since when, its agent, and the session that it belongs to.

The host's events are accepted in any order.
"""

from __future__ import annotations

from bg.ledger import naming, projects
from bg.ledger.file import Ledger, Record, Writing
from bg.ledger.values import Due, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

RUNNING_STATES = (State.LAUNCHED, State.WORKING)
WAITING_STATES = (State.NEEDS_ANSWER, State.BLOCKED, State.DELEGATING)
OPEN_STATES = (*RUNNING_STATES, *WAITING_STATES, State.PAUSED)
_UNFINISHED = (
    State.INTERRUPTED, State.FAILED, State.STOPPED, State.UNREPORTED, State.PARTIAL, State.DISPUTED,
)  # fmt: skip
ENDED_STATES = (State.NOT_LAUNCHED, State.DONE, *_UNFINISHED)
# An agent has worked on it and ended before the work was over: it can be woken, or a new agent can continue.
CONTINUABLE_STATES = (*WAITING_STATES, State.PAUSED, *_UNFINISHED)
_AT_ONCE = 500  # values in one statement, fewer than SQLite's limit


class Task(Record):
    """One task; `agent` is the one that works on it now, `grp` the label of those launched together with it.

    `verify` is the check that the user named for it, and `verify_source` says where.
    """

    label: str
    number: int
    grp: str
    session: str
    project: str
    text: str
    description: str
    prompt: str
    state: str
    since: float
    created: float
    ended: Optional[float]
    agent: str
    note: str
    root: str
    closed: Optional[float]
    verify: str
    verify_source: str


def create(book: Writing, label: str, group: str, session: str, project: str, text: str, state: str) -> None:
    """Create a task in its first state; an existing one stays as it is."""
    now = book.now()
    book.write(
        "INSERT OR IGNORE INTO tasks (label, number, grp, session, project, root, text, state, since, created)"
        " VALUES (?,?,?,?,?,?,?,?,?,?)",
        label,
        int(label.split("-")[1]),
        group,
        session,
        project,
        projects.root_of(project),
        text,
        state,
        now,
        now,
    )


def describe(book: Writing, label: str, description: str, prompt: str) -> None:
    """Note the parent's description of the task, and its prompt to the agent."""
    book.write(
        "UPDATE tasks SET description = ?, prompt = ?, text = coalesce(nullif(text, ''), ?) WHERE label = ?",
        description,
        prompt,
        description,
        label,
    )


def get(book: Ledger, label: str) -> Optional[Task]:
    """The task of this label."""
    return Task.one(book, "SELECT * FROM tasks WHERE label = ?", label)


def label_of(book: Ledger, agent: str) -> str:
    """The label of the task that a host's agent was launched for; empty if the agent is not ours."""
    return book.value("SELECT label FROM launches WHERE agent = ? AND agent <> ''", agent) or ""


def of_agent(book: Ledger, agent: str) -> Optional[Task]:
    """The task that a host's agent works on."""
    return Task.one(
        book,
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label WHERE l.agent = ? AND l.agent <> ''",
        agent,
    )


def addressed(book: Ledger, session: str, to: str) -> Optional[Task]:
    """The task that a message is addressed to: by the agent's id, by the task's label, or by the agent's name."""
    found = of_agent(book, to) or (get(book, to) if naming.LABEL.fullmatch(to) else None)
    return found or Task.one(
        book,
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label"
        " WHERE l.name = ? AND l.name <> '' AND t.session = ? ORDER BY l.made DESC LIMIT 1",
        to,
        session,
    )


def set_state(book: Writing, label: str, state: str, note: str = "") -> None:
    """Move a task to a state; `since` changes only if the state does."""
    now = book.now()
    ended = now if state in ENDED_STATES else None
    book.write(
        "UPDATE tasks SET since = CASE WHEN state = ? THEN since ELSE ? END, state = ?, ended = ?, note = ?,"
        " closed = CASE WHEN ? IS NULL THEN NULL ELSE closed END"
        " WHERE label = ?",
        state,
        now,
        state,
        ended,
        note,
        ended,
        label,
    )


def set_agent(book: Writing, label: str, agent: str) -> None:
    """Note that this agent works on the task from now on."""
    book.write("UPDATE tasks SET agent = ? WHERE label = ?", agent, label)


def hand_over_one(book: Writing, label: str, session: str) -> None:
    """Hand one task over to this session."""
    book.write("UPDATE tasks SET session = ? WHERE label = ?", session, label)


def hand_over(book: Writing, labels: list[str], session: str) -> None:
    """Hand tasks over to this session."""
    for begin in range(0, len(labels), _AT_ONCE):
        some = tuple(labels[begin : begin + _AT_ONCE])
        book.write(f"UPDATE tasks SET session = ? WHERE label IN {marks(some)}", session, *some)


def every(book: Ledger) -> list[Task]:
    """All tasks."""
    return Task.all(book, "SELECT * FROM tasks ORDER BY number")


def open_in(book: Ledger, project: str) -> list[Task]:
    """The tasks of a project, or of all, that have not ended."""
    found: list[Task] = []
    for where, values in projects.parts(project):
        found += Task.all(book, f"SELECT * FROM tasks WHERE {where} AND ended IS NULL", *values)
    return sorted(found, key=lambda task: task.number)


def recent(book: Ledger, since: float) -> list[Task]:
    """The tasks that are open, or ended after this moment."""
    # The plus keeps SQLite from reading every task in the order of its number.
    sql = "SELECT * FROM tasks WHERE (ended IS NULL OR ended > ?) AND closed IS NULL ORDER BY +number"
    return Task.all(book, sql, since)


def after(book: Ledger, number: int, most: int) -> list[Task]:
    """At most `most` tasks above this number, in order, so that a reader of all tasks needs no memory for all."""
    return Task.all(book, "SELECT * FROM tasks WHERE number > ? ORDER BY number LIMIT ?", number, most)


def close(book: Writing, label: str, note: str) -> None:
    """Close a task that the user is done with: it is not shown any more, unless it is continued."""
    now = book.now()
    book.write(
        "UPDATE tasks SET closed = ?, note = coalesce(nullif(note, ''), ?),"
        " since = CASE WHEN ended IS NULL THEN ? ELSE since END,"
        f" state = CASE WHEN ended IS NULL THEN '{State.STOPPED}' ELSE state END,"
        " ended = coalesce(ended, ?) WHERE label = ?",
        now,
        note,
        now,
        now,
        label,
    )


def count(book: Ledger) -> int:
    """The number of tasks."""
    return int(book.value("SELECT count(*) FROM tasks"))


def of_project(book: Ledger, project: str) -> list[Task]:
    """The tasks of a project."""
    return Task.all(
        book, f"SELECT * FROM tasks WHERE {projects.IN_PROJECT} ORDER BY number", projects.root_of(project), project
    )


def running_in(book: Ledger, project: str) -> list[Task]:
    """The tasks of a project whose agent works now or is being launched."""
    return Task.all(
        book,
        f"SELECT * FROM tasks WHERE {projects.IN_PROJECT} AND state IN {marks(RUNNING_STATES)}",
        projects.root_of(project),
        project,
        *RUNNING_STATES,
    )


def members(book: Ledger, group: str) -> list[Task]:
    """The launched tasks of a group, which one `/bg` began."""
    return Task.all(
        book, f"SELECT * FROM tasks WHERE grp = ? AND state <> '{State.NOT_LAUNCHED}' ORDER BY number", group
    )


def ended_group(book: Ledger, task: Task) -> str:
    """The group of a task if it has several launched tasks and all of them have ended; else empty."""
    together = members(book, task.grp)
    return task.grp if len(together) > 1 and all(one.ended is not None for one in together) else ""


def not_done(book: Ledger, group: str) -> int:
    """How many of a group's tasks are not done."""
    return sum(one.state != State.DONE for one in members(book, group))


def in_state(book: Ledger, project: str, state: str) -> list[Task]:
    """The tasks of a project in this state."""
    sql = f"SELECT * FROM tasks WHERE {projects.IN_PROJECT} AND state = ? ORDER BY number"
    return Task.all(book, sql, projects.root_of(project), project, state)


def is_any_in(book: Ledger, session: str) -> bool:
    """Whether the session has a task."""
    return bool(book.value("SELECT 1 FROM tasks WHERE session = ? LIMIT 1", session))


def in_session(book: Ledger, session: str, states: tuple[str, ...]) -> list[Task]:
    """The tasks of a session in these states."""
    sql = f"SELECT * FROM tasks WHERE session = ? AND state IN {marks(states)} ORDER BY number"
    return Task.all(book, sql, session, *states)


def some_in_session(book: Ledger, session: str, states: tuple[str, ...], most: int) -> list[str]:
    """The labels of at most `most` tasks of a session in these states, for callers that need not know all."""
    sql = f"SELECT label FROM tasks WHERE session = ? AND state IN {marks(states)} LIMIT ?"
    return [row["label"] for row in book.all(sql, session, *states, most)]


def marks(values: tuple[str, ...]) -> str:
    """The placeholders for these values, for `IN`."""
    return f"({','.join('?' * len(values))})"


def with_open_agent(book: Ledger) -> list[Task]:
    """The tasks that have an agent and have not ended."""
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
    """How many tasks of a session were interrupted by this moment and are not closed."""
    return int(
        book.value(
            f"SELECT count(*) FROM tasks WHERE session = ? AND state = '{State.INTERRUPTED}'"
            " AND closed IS NULL AND ended <= ?",
            session,
            until,
        )
    )


def unfinished(book: Ledger, session: str) -> list[Task]:
    """The tasks of a session whose agent works or has an open run."""
    return _unfinished(book, session)


def unheard(book: Ledger, session: str) -> list[Task]:
    """The unfinished tasks, and those with a run's end that the parent has not heard of."""
    return _unfinished(
        book, session, f" UNION SELECT label FROM deliveries WHERE seen IS NULL AND kind = '{Due.ENDED}'"
    )


def _unfinished(book: Ledger, session: str, more: str = "") -> list[Task]:
    return Task.all(
        book,
        # By label, so that none of the parts reads every task that the session has had.
        "SELECT * FROM tasks WHERE label IN"
        f" (SELECT label FROM tasks WHERE session = ? AND state IN {marks(RUNNING_STATES)}"
        " UNION SELECT label FROM runs WHERE ended IS NULL"
        f" AND agent = (SELECT agent FROM tasks WHERE label = runs.label){more})"
        " AND +session = ? AND agent <> '' ORDER BY +number",
        session,
        *RUNNING_STATES,
        session,
    )


def newest(book: Ledger, project: str, since: float, most: int, states: tuple[str, ...] = ()) -> list[Task]:
    """At most `most` tasks of a project, or of all, that ended after this moment and are not closed, the last first.

    If states are given, only tasks in those.
    """
    sql = "SELECT * FROM tasks WHERE {where} AND closed IS NULL AND ended > ?"
    sql += f" AND state IN {marks(states)}" if states else ""
    found: list[Task] = []
    for where, value in projects.parts(project):
        found += Task.all(book, f"{sql.format(where=where)} ORDER BY ended DESC LIMIT ?", *value, since, *states, most)
    found.sort(key=lambda task: (task.ended or 0.0, task.number), reverse=True)
    return found[:most]


def counted(book: Ledger, project: str) -> dict[str, int]:
    """How many tasks of a project, or of all, have ended in each state."""
    found: dict[str, int] = {}
    for where, value in projects.parts(project):
        # For all states: a condition on the state would take longer than the index alone.
        for row in book.all(f"SELECT state, count(*) AS times FROM tasks WHERE {where} GROUP BY state", *value):
            if row["state"] in ENDED_STATES:
                found[row["state"]] = found.get(row["state"], 0) + row["times"]
    return found


def interrupted_in(book: Ledger, project: str, since: float, most: int) -> int:
    """How many tasks of a project, or of all, are among the `most` interrupted after this moment and not closed."""
    sql = (
        f"SELECT root, project FROM tasks WHERE state = '{State.INTERRUPTED}' AND closed IS NULL AND ended > ? LIMIT ?"
    )
    rows = book.all(sql, since, most)
    root = projects.root_of(project) if project else ""
    return sum(not project or root == (row["root"] or row["project"]) for row in rows)
