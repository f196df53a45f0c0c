"""Tasks: what was handed over, in which state it is, since when, and which session has it.

Every function takes an open ledger; the ones that write expect a transaction around them and accept
the host's events in any order.
"""

from __future__ import annotations

import contextlib
import os
import re
import time

from bg import repository
from bg.ledger.file import Ledger
from bg.ledger.record import Record
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional


OPEN_STATES = ("launched", "working", "needs_answer", "blocked", "delegating")
ENDED_STATES = ("not_launched", "done", "disputed", "partial", "failed", "unreported", "interrupted", "stopped")
RUNNING_STATES = ("launched", "working")
# An agent has worked on it and ended before the work was over: it can be woken, or a new one can go on.
CONTINUABLE_STATES = (
    "needs_answer", "blocked", "delegating", "interrupted", "failed", "stopped", "unreported", "partial", "disputed",
)  # fmt: skip
PAUSED_STATES = ("needs_answer", "blocked", "delegating")

LABEL = pattern(r"\bbg-\d{1,6}\b(?!-[a-z2-7]{10})")
TOKEN = pattern(r"\bbg-\d{1,6}-[a-z2-7]{10}\b")
PIECE = 100_000
_SPACE = pattern(r"\s")


_ANY_LABEL = pattern(r"(?:bg)?[-_ #\u2010-\u2015\u2212]{0,3}0*(\d{1,6})[:.,]?", re.IGNORECASE)


def label_of(text: str) -> str:
    """The label that somebody means with `bg-3`, `BG-3`, `bg3`, `#3` or `3`; of a longer text, the label in it."""
    alone = _ANY_LABEL.fullmatch(text.strip())
    if alone:
        return f"bg-{int(alone[1])}"
    found = LABEL.search(text.lower())
    return found[0] if found else ""


class Task(Record):
    """One task; `agent` is the one that works on it now, `grp` the label of those launched together with it."""

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


def digest(text: str) -> str:
    """What tells two texts apart, whatever white space a path added."""
    made, gap = _sha256()(), ""
    for piece in _pieces(text):
        words = " ".join(piece.split())
        if words:
            made.update(f"{gap}{words}".encode("utf-8", "replace"))
            gap = " "
    found: str = made.hexdigest()
    return found[:24]


def _pieces(text: str) -> Iterator[str]:
    """A text in parts that end between two words: a list of all words takes ten times the room of a long text."""
    begin = 0
    while begin < len(text):
        space = _SPACE.search(text, begin + PIECE) if len(text) > begin + PIECE else None
        end = space.start() if space else len(text)
        yield text[begin:end]
        begin = end


def _sha256() -> Any:
    """Python's own, as hashlib would load OpenSSL with it: a quarter of a bare start."""
    for name in ("_sha2", "_sha256"):  # since 3.12, and before
        with contextlib.suppress(ImportError, AttributeError):
            return __import__(name).sha256
    import hashlib  # noqa: PLC0415

    return hashlib.sha256


def root_of(project: str) -> str:
    """What makes folders one project: the repository that they are checkouts or parts of, else the folder itself."""
    return repository.common(project) or project


# An older plugin, which may go on writing, knows no root.
_IN_PROJECT = "(root = ? OR (root IS NULL AND project = ?))"


def create(book: Ledger, label: str, group: str, session: str, project: str, text: str, state: str) -> None:
    """A task in its first state; one that is there already keeps what it has."""
    now = time.time()
    book.write(
        "INSERT OR IGNORE INTO tasks (label, number, grp, session, project, root, text, state, since, created)"
        " VALUES (?,?,?,?,?,?,?,?,?,?)",
        label,
        int(label.split("-")[1]),
        group,
        session,
        project,
        root_of(project),
        text,
        state,
        now,
        now,
    )


def describe(book: Ledger, label: str, description: str, prompt: str) -> None:
    """What the parent called the task, and what it wrote to the agent."""
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


def of_agent(book: Ledger, agent: str) -> Optional[Task]:
    """The task that a host's agent works on."""
    return Task.one(
        book,
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label WHERE l.agent = ? AND l.agent <> ''",
        agent,
    )


def addressed(book: Ledger, session: str, to: str) -> Optional[Task]:
    """The task that a message is sent to, by the agent's id, by its label, or by the name it was given."""
    found = of_agent(book, to) or (get(book, to) if LABEL.fullmatch(to) else None)
    return found or Task.one(
        book,
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label"
        " WHERE l.name = ? AND l.name <> '' AND t.session = ? ORDER BY l.made DESC LIMIT 1",
        to,
        session,
    )


def set_state(book: Ledger, label: str, state: str, note: str = "") -> None:
    """Move a task to a state; its age starts anew only when the state changes."""
    now = time.time()
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


def set_agent(book: Ledger, label: str, agent: str) -> None:
    """From now on this agent works on the task."""
    book.write("UPDATE tasks SET agent = ? WHERE label = ?", agent, label)


def hand_to(book: Ledger, label: str, session: str) -> None:
    """The task belongs to this session now."""
    book.write("UPDATE tasks SET session = ? WHERE label = ?", session, label)


def hand_over(book: Ledger, owner: str, project: str, session: str) -> None:
    """What one session has in a project belongs to another one now."""
    place = root_of(project), project
    book.write(f"UPDATE tasks SET session = ? WHERE session = ? AND {_IN_PROJECT}", session, owner, *place)


def give_roots(book: Ledger) -> None:
    """What an older plugin has written belongs to its repository too."""
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root IS NULL"):
        if os.path.isdir(row["project"] or ""):
            root = root_of(row["project"])
            book.write("UPDATE tasks SET root = ? WHERE root IS NULL AND project = ?", root, row["project"])


def set_place(book: Ledger, label: str, project: str) -> None:
    """The task goes on in this project."""
    book.write("UPDATE tasks SET project = ?, root = ? WHERE label = ?", project, root_of(project), label)


def move(book: Ledger, old: str, new: str) -> None:
    """A project of that root is now of another one: its folder was renamed."""
    before, after = _folder(old), _folder(new)
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root = ?", old):
        was = row["project"] or ""
        now = after + was[len(before) :] if was == before or was.startswith(f"{before}{os.sep}") else was
        book.write("UPDATE tasks SET project = ?, root = ? WHERE root = ? AND project = ?", now, new, old, was)
        book.write("UPDATE sessions SET project = ?, root = ? WHERE project = ?", now, new, was)


def roots_in(book: Ledger, project: str) -> list[str]:
    """The roots that the tasks of this very folder have."""
    found = book.all("SELECT DISTINCT root FROM tasks WHERE project = ?", project)
    return [row["root"] for row in found if row["root"]]


def _folder(root: str) -> str:
    return os.path.dirname(root) if os.path.basename(root) == ".git" else root


def owners(book: Ledger, project: str) -> list[str]:
    """The sessions that have tasks in a project."""
    place = root_of(project), project
    return [row["session"] for row in book.all(f"SELECT DISTINCT session FROM tasks WHERE {_IN_PROJECT}", *place)]


def projects(book: Ledger) -> list[str]:
    """The projects that have tasks, the one that was last busy first."""
    rows = book.all("SELECT project, max(since) FROM tasks GROUP BY coalesce(root, project) ORDER BY max(since) DESC")
    return [row["project"] or "" for row in rows]


def every(book: Ledger) -> list[Task]:
    """All tasks there are."""
    return Task.all(book, "SELECT * FROM tasks ORDER BY number")


def recent(book: Ledger, since: float) -> list[Task]:
    """The tasks that are open, or ended after this moment."""
    # The plus keeps SQLite from reading every task in the order of its number.
    sql = "SELECT * FROM tasks WHERE (ended IS NULL OR ended > ?) AND closed IS NULL ORDER BY +number"
    return Task.all(book, sql, since)


def is_any_since(book: Ledger, project: str, since: float) -> bool:
    """A task of the project is open, or ended after this moment."""
    sql = f"SELECT 1 FROM tasks WHERE {_IN_PROJECT} AND closed IS NULL AND (ended IS NULL OR ended > ?) LIMIT 1"
    return bool(book.value(sql, root_of(project), project, since))


def after(book: Ledger, number: int, most: int) -> list[Task]:
    """So many tasks behind that number, in order: what reads all of them needs no memory for all."""
    return Task.all(book, "SELECT * FROM tasks WHERE number > ? ORDER BY number LIMIT ?", number, most)


def close(book: Ledger, label: str, note: str) -> None:
    """The user is done with this task: it is shown no longer, until it goes on."""
    now = time.time()
    book.write(
        "UPDATE tasks SET closed = ?, note = coalesce(nullif(note, ''), ?),"
        " since = CASE WHEN ended IS NULL THEN ? ELSE since END,"
        " state = CASE WHEN ended IS NULL THEN 'stopped' ELSE state END, ended = coalesce(ended, ?) WHERE label = ?",
        now,
        note,
        now,
        now,
        label,
    )


def with_open_agent(book: Ledger) -> list[Task]:
    """The tasks that an agent was launched for and that have not ended."""
    return Task.all(book, "SELECT * FROM tasks WHERE agent <> '' AND ended IS NULL")


def count(book: Ledger) -> int:
    """How many tasks there are."""
    return int(book.value("SELECT count(*) FROM tasks"))


def of_project(book: Ledger, project: str) -> list[Task]:
    """The tasks of a project."""
    return Task.all(book, f"SELECT * FROM tasks WHERE {_IN_PROJECT} ORDER BY number", root_of(project), project)


def running_in(book: Ledger, project: str) -> list[Task]:
    """The tasks of a project that work now."""
    return Task.all(
        book,
        f"SELECT * FROM tasks WHERE {_IN_PROJECT} AND state IN {_marks(RUNNING_STATES)}",
        root_of(project),
        project,
        *RUNNING_STATES,
    )


def members(book: Ledger, group: str) -> list[Task]:
    """The tasks of one `/bg` that were launched."""
    return Task.all(book, "SELECT * FROM tasks WHERE grp = ? AND state <> 'not_launched' ORDER BY number", group)


def group_over(book: Ledger, label: str) -> str:
    """The group of a task, where it has several launched tasks and all of them have ended; else empty."""
    task = get(book, label)
    together = members(book, task.grp) if task else []
    over = task is not None and len(together) > 1 and all(one.ended is not None for one in together)
    return task.grp if task and over else ""


def is_any_in(book: Ledger, session: str) -> bool:
    """The session has a task."""
    return bool(book.value("SELECT 1 FROM tasks WHERE session = ? LIMIT 1", session))


def in_session(book: Ledger, session: str, states: tuple[str, ...]) -> list[Task]:
    """The tasks of a session in these states."""
    sql = f"SELECT * FROM tasks WHERE session = ? AND state IN {_marks(states)} ORDER BY number"
    return Task.all(book, sql, session, *states)


def interrupted(book: Ledger, session: str, since: float, most: int) -> list[Task]:
    """The tasks of a session that were interrupted after this moment and are not closed, the newest first."""
    return Task.all(
        book,
        "SELECT * FROM tasks WHERE session = ? AND state = 'interrupted' AND closed IS NULL AND ended > ?"
        " ORDER BY +number DESC LIMIT ?",
        session,
        since,
        most,
    )


def count_interrupted(book: Ledger, session: str, until: float) -> int:
    """How many were interrupted before this moment, and are not closed."""
    return int(
        book.value(
            "SELECT count(*) FROM tasks WHERE session = ? AND state = 'interrupted' AND closed IS NULL AND ended <= ?",
            session,
            until,
        )
    )


def unfinished(book: Ledger, session: str) -> list[Task]:
    """The tasks of a session whose agent works, or has a run that nobody has ended."""
    return Task.all(
        book,
        # By label, so that neither half reads every task that the session has had.
        "SELECT * FROM tasks WHERE label IN"
        f" (SELECT label FROM tasks WHERE session = ? AND state IN {_marks(RUNNING_STATES)}"
        " UNION SELECT label FROM runs WHERE ended IS NULL"
        " AND agent = (SELECT agent FROM tasks WHERE label = runs.label))"
        " AND +session = ? AND agent <> '' ORDER BY +number",
        session,
        *RUNNING_STATES,
        session,
    )


def _marks(values: tuple[str, ...]) -> str:
    return f"({','.join('?' * len(values))})"
