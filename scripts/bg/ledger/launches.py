"""Launches: the windows that commands open, the labels given out in them, and the calls that fill them.

A window waits for launches until its turn ends. A launch hands its agent a token; the host's agent is bound by it.
"""

from __future__ import annotations

import os
import time

from bg.ledger import notes
from bg.ledger.file import Ledger
from bg.ledger.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# Where the agent has its identity from: its prompt; another plugin's hook threw that away; its start has brought it
# (printed, then shown by its transcript); or it never had one, and the user knows.
PROMPT, LOST, GIVEN, CONTEXT, NOWHERE = "prompt", "lost", "given", "context", "nowhere"

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class Window(Record):
    """What a command opened: launches of this turn are for its text, the first gets its label."""

    id: int
    session: str
    kind: str
    label: str
    text: str
    opened: float
    closed: Optional[float]
    proof: Optional[int]


class Launch(Record):
    """One call that launches an agent of ours; `agent` is empty until the host's agent is known."""

    tool_use: str
    label: str
    token: str
    agent: str
    agent_type: str
    name: str
    cwd: str
    head: Optional[str]
    made: float
    bound: Optional[float]
    failed: Optional[str]
    window: Optional[int]
    identity: str


def next_label(book: Ledger) -> str:
    """A label that no task and no window has had."""
    number = notes.last_number(book) + 1
    notes.set_last_number(book, number)
    return f"bg-{number}"


def is_known(book: Ledger, label: str) -> bool:
    """A task or a window has this label."""
    return bool(
        book.value("SELECT 1 FROM windows WHERE label = ? UNION ALL SELECT 1 FROM tasks WHERE label = ?", label, label)
    )


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


def open_windows(book: Ledger, session: str) -> list[Window]:
    """The windows of a session that are open, the newest first."""
    return Window.all(book, "SELECT * FROM windows WHERE session = ? AND closed IS NULL ORDER BY id DESC", session)


def window_of(book: Ledger, session: str, label: str) -> Optional[Window]:
    """The window that a label names: an open one, or one that closed with nothing launched."""
    return Window.one(
        book,
        "SELECT w.* FROM windows w LEFT JOIN tasks t ON t.label = w.label WHERE w.session = ? AND w.label = ?"
        " AND (w.closed IS NULL OR t.state = 'not_launched') ORDER BY w.id DESC LIMIT 1",
        session,
        label,
    )


def never_filled(book: Ledger, session: str) -> list[str]:
    """The labels of a session's tasks that a window gave out and that nothing was launched for."""
    rows = book.all("SELECT label FROM tasks WHERE session = ? AND state = 'not_launched'", session)
    return [row["label"] for row in rows]


def close_window(book: Ledger, window: Window) -> None:
    """The window's turn is over."""
    book.write("UPDATE windows SET closed = ? WHERE id = ?", time.time(), window.id)


def close_windows_of(book: Ledger, label: str) -> None:
    """Nothing is launched under this label for the time being."""
    book.write("UPDATE windows SET closed = ? WHERE label = ? AND closed IS NULL", time.time(), label)


def last_window(book: Ledger, session: str, label: str) -> Optional[Window]:
    """The window of this label that was opened last, open or closed."""
    return Window.one(
        book, "SELECT * FROM windows WHERE session = ? AND label = ? ORDER BY id DESC LIMIT 1", session, label
    )


def of_proof(book: Ledger, proof: int) -> list[Window]:
    """The open windows that hang on this proof."""
    return Window.all(book, "SELECT * FROM windows WHERE proof = ? AND closed IS NULL", proof)


def is_taken(book: Ledger, window: Window) -> bool:
    """A launch has already used the window's own label."""
    return bool(
        book.value(
            "SELECT 1 FROM launches WHERE label = ? AND failed IS NULL"
            " AND (window >= ? OR (window IS NULL AND made >= ?))",
            window.label,
            window.id,
            window.opened,
        )
    )


def is_filled(book: Ledger, window: Window) -> bool:
    """An agent has been launched in the window, under whatever label."""
    return bool(
        book.value(
            "SELECT 1 FROM launches l JOIN tasks t ON t.label = l.label WHERE t.grp = ? AND l.agent <> ''"
            " AND (l.window >= ? OR (l.window IS NULL AND l.made >= ?))",
            window.label,
            window.id,
            window.opened,
        )
    )


def new_token(label: str) -> str:
    """An id that nobody outside this launch can guess."""
    return f"{label}-{''.join(_LETTERS[byte % 32] for byte in os.urandom(10))}"


def note(book: Ledger, tool_use: str, label: str, agent_type: str, name: str, cwd: str, head: str) -> str:
    """A launch call of ours is on its way; the token that its agent signs with."""
    known = book.value("SELECT token FROM launches WHERE tool_use = ?", tool_use)
    if known:
        return str(known)
    token = new_token(label)
    book.write(
        # With the newest window that there is: a clock that goes back would put the launch before its own.
        "INSERT INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made, window)"
        " VALUES (?,?,?,'',?,?,?,?,?, (SELECT max(id) FROM windows))",
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


def of_call(book: Ledger, tool_use: str) -> Optional[Launch]:
    """The launch that this call is."""
    return Launch.one(book, "SELECT * FROM launches WHERE tool_use = ?", tool_use)


def of_token(book: Ledger, token: str) -> Optional[Launch]:
    """The launch that gave out this token."""
    return Launch.one(book, "SELECT * FROM launches WHERE token = ?", token)


def of_agent(book: Ledger, agent: str) -> Optional[Launch]:
    """The launch that a host's agent came from."""
    return Launch.one(book, "SELECT * FROM launches WHERE agent = ?", agent)


def of_task(book: Ledger, label: str) -> list[Launch]:
    """The launches of a task whose agent is known, the oldest first."""
    return Launch.all(book, "SELECT * FROM launches WHERE label = ? AND agent <> '' ORDER BY made", label)


def unbound(book: Ledger, session: str) -> list[Launch]:
    """Launches of a session whose agent nobody has seen yet."""
    return Launch.all(
        book,
        "SELECT l.* FROM launches l CROSS JOIN tasks t ON t.label = l.label"
        " WHERE l.agent = '' AND l.failed IS NULL AND t.session = ? ORDER BY +l.rowid",
        session,
    )


def in_doubt(book: Ledger, session: str) -> list[Launch]:
    """Launches of a session whose agent may not know who it is."""
    return Launch.all(
        book,
        "SELECT l.* FROM launches l CROSS JOIN tasks t ON t.label = l.label"
        " WHERE l.identity IN ('lost', 'given') AND t.session = ?",
        session,
    )


def set_identity(book: Ledger, token: str, identity: str) -> None:
    """Where the agent of this launch has its identity from."""
    book.write("UPDATE launches SET identity = ? WHERE token = ?", identity, token)


def token_of(book: Ledger, agent: str) -> str:
    """The id that an agent of ours signs with."""
    return book.value("SELECT token FROM launches WHERE agent = ?", agent) or ""


def set_agent(book: Ledger, token: str, agent: str) -> bool:
    """The host's agent that carries this token; True when that is news."""
    return bool(
        book.write(
            "UPDATE launches SET agent = ?, bound = ?, failed = NULL WHERE token = ? AND agent = ''",
            agent,
            time.time(),
            token,
        )
    )


def set_made(book: Ledger, tool_use: str, at: float) -> None:
    """The call was made then: its event had to wait."""
    book.write("UPDATE launches SET made = ? WHERE tool_use = ?", at, tool_use)


def set_folder(book: Ledger, agent: str, cwd: str) -> None:
    """Where the agent really works."""
    book.write("UPDATE launches SET cwd = ? WHERE agent = ?", cwd, agent)


def fail(book: Ledger, tool_use: str, why: str) -> str:
    """The host refused a launch: its label is free again within the window."""
    found = of_call(book, tool_use)
    if found is None or found.agent:
        return ""
    book.write("UPDATE launches SET failed = ? WHERE tool_use = ?", why[:500] or "refused", tool_use)
    return found.label
