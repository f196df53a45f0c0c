"""Tasks, their launches, runs and raw reports: who works on what, since when, in which state.

Every function takes an open ledger; the ones that write expect a transaction around them and accept
the host's events in any order.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time

from bg.ledger.file import Ledger
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

Row = sqlite3.Row

OPEN_STATES = ("launched", "working", "needs_answer", "blocked")
ENDED_STATES = ("not_launched", "done", "partial", "failed", "unreported", "interrupted", "stopped")
RUNNING_STATES = ("launched", "working")

LABEL = pattern(r"\bbg-\d{1,6}\b(?!-[a-z2-7]{10})")
TOKEN = pattern(r"\bbg-\d{1,6}-[a-z2-7]{10}\b")
_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


def digest(text: str) -> str:
    """What tells two texts apart, whatever white space a path added."""
    found: str = _sha256()(" ".join(text.split()).encode("utf-8", "replace")).hexdigest()
    return found[:24]


def _sha256() -> Any:
    """Python's own, as hashlib would load OpenSSL with it: a quarter of a bare start."""
    for name in ("_sha2", "_sha256"):  # since 3.12, and before
        with contextlib.suppress(ImportError, AttributeError):
            return __import__(name).sha256
    import hashlib  # noqa: PLC0415

    return hashlib.sha256


# Sessions


def note_session(book: Ledger, session: str, project: str, transcript: str, version: str) -> None:
    """A session that has something to do with us was seen."""
    now = time.time()
    book.write(
        "INSERT INTO sessions (id, project, transcript, version, first_seen, last_seen) VALUES (?,?,?,?,?,?)"
        " ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen, ended = NULL,"
        " transcript = coalesce(nullif(excluded.transcript, ''), transcript),"
        " version = coalesce(nullif(excluded.version, ''), version)",
        session,
        project,
        transcript,
        version,
        now,
        now,
    )


# Windows and labels


def next_label(book: Ledger) -> str:
    """A label that no task and no window has had."""
    number = int(book.meta("last_number") or 0) + 1
    book.set_meta("last_number", str(number))
    return f"bg-{number}"


def open_window(book: Ledger, session: str, kind: str, text: str, label: str = "") -> str:
    """Open a launch window for this turn; the label that its first launch gets."""
    label = label or next_label(book)
    book.write("UPDATE windows SET closed = ? WHERE label = ? AND closed IS NULL", time.time(), label)
    book.write(
        "INSERT INTO windows (session, kind, label, text, opened) VALUES (?,?,?,?,?)",
        session,
        kind,
        label,
        text,
        time.time(),
    )
    return label


def open_windows(book: Ledger, session: str) -> list[Row]:
    """The windows of a session that are open, the newest first."""
    return book.all("SELECT * FROM windows WHERE session = ? AND closed IS NULL ORDER BY id DESC", session)


def window_of(book: Ledger, session: str, label: str) -> Optional[Row]:
    """The window that a label names: an open one, or one that closed with nothing launched."""
    return book.one(
        "SELECT w.* FROM windows w LEFT JOIN tasks t ON t.label = w.label WHERE w.session = ? AND w.label = ?"
        " AND (w.closed IS NULL OR t.state = 'not_launched') ORDER BY w.id DESC LIMIT 1",
        session,
        label,
    )


def is_taken(book: Ledger, window: Row) -> bool:
    """A launch has already used the window's own label."""
    return bool(
        book.value(
            "SELECT 1 FROM launches WHERE label = ? AND made >= ? AND failed IS NULL", window["label"], window["opened"]
        )
    )


# Tasks


def create(book: Ledger, label: str, group: str, session: str, project: str, text: str, state: str) -> None:
    """A task in its first state; one that is there already keeps what it has."""
    now = time.time()
    book.write(
        "INSERT OR IGNORE INTO tasks (label, number, grp, session, project, text, state, since, created)"
        " VALUES (?,?,?,?,?,?,?,?,?)",
        label,
        int(label.split("-")[1]),
        group,
        session,
        project,
        text,
        state,
        now,
        now,
    )


def get(book: Ledger, label: str) -> Optional[Row]:
    """The task of this label."""
    return book.one("SELECT * FROM tasks WHERE label = ?", label)


def of_agent(book: Ledger, agent: str) -> Optional[Row]:
    """The task that a host's agent works on."""
    return book.one(
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label WHERE l.agent = ? AND l.agent <> ''", agent
    )


def of_token(book: Ledger, token: str) -> Optional[Row]:
    """The launch that gave out this token."""
    return book.one("SELECT * FROM launches WHERE token = ?", token)


def token_of(book: Ledger, agent: str) -> str:
    """The id that an agent of ours signs with."""
    return book.value("SELECT token FROM launches WHERE agent = ?", agent) or ""


def set_state(book: Ledger, label: str, state: str, note: str = "") -> None:
    """Move a task to a state; its age starts anew only when the state changes."""
    now = time.time()
    ended = now if state in ENDED_STATES else None
    book.write(
        "UPDATE tasks SET since = CASE WHEN state = ? THEN since ELSE ? END, state = ?, ended = ?, note = ?"
        " WHERE label = ?",
        state,
        now,
        state,
        ended,
        note,
        label,
    )


def in_session(book: Ledger, session: str, states: tuple[str, ...]) -> list[Row]:
    """The tasks of a session in these states."""
    marks = ",".join("?" * len(states))
    return book.all(f"SELECT * FROM tasks WHERE session = ? AND state IN ({marks}) ORDER BY number", session, *states)


def unfinished(book: Ledger, session: str) -> list[Row]:
    """The tasks of a session whose agent works, or has a run that nobody has ended."""
    marks = ",".join("?" * len(RUNNING_STATES))
    return book.all(
        f"SELECT * FROM tasks WHERE session = ? AND agent <> '' AND (state IN ({marks}) OR EXISTS"
        " (SELECT 1 FROM runs WHERE runs.agent = tasks.agent AND runs.ended IS NULL)) ORDER BY number",
        session,
        *RUNNING_STATES,
    )


# Launches


def new_token(label: str) -> str:
    """An id that nobody outside this launch can guess."""
    return f"{label}-{''.join(_LETTERS[byte % 32] for byte in os.urandom(10))}"


def note_launch(book: Ledger, tool_use: str, label: str, agent_type: str, name: str, cwd: str, head: str) -> str:
    """A launch call of ours is on its way; the token that its agent signs with."""
    known = book.value("SELECT token FROM launches WHERE tool_use = ?", tool_use)
    if known:
        return str(known)
    token = new_token(label)
    book.write(
        "INSERT INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made)"
        " VALUES (?,?,?,'',?,?,?,?,?)",
        tool_use or token,
        label,
        token,
        agent_type,
        name,
        cwd,
        head,
        time.time(),
    )
    return token


def addressed(book: Ledger, session: str, to: str) -> Optional[Row]:
    """The task that a message is sent to, by the agent's id, by its label, or by the name it was given."""
    row = of_agent(book, to) or (get(book, to) if LABEL.fullmatch(to) else None)
    return row or book.one(
        "SELECT t.* FROM tasks t JOIN launches l ON l.label = t.label"
        " WHERE l.name = ? AND l.name <> '' AND t.session = ? ORDER BY l.made DESC LIMIT 1",
        to,
        session,
    )


def fail_launch(book: Ledger, tool_use: str, why: str) -> str:
    """The host refused a launch: its label is free again within the window."""
    row = book.one("SELECT * FROM launches WHERE tool_use = ? AND agent = ''", tool_use)
    if not row:
        return ""
    book.write("UPDATE launches SET failed = ? WHERE tool_use = ?", why[:500] or "refused", tool_use)
    return str(row["label"])


def unbound(book: Ledger, session: str) -> list[Row]:
    """Launches of a session whose agent nobody has seen yet."""
    return book.all(
        "SELECT l.*, t.state, t.session FROM launches l JOIN tasks t ON t.label = l.label"
        " WHERE t.session = ? AND l.agent = '' AND l.failed IS NULL",
        session,
    )
