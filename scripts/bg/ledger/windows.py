"""Windows: a command opens one for the launches of its turn, which get their labels from it."""

from __future__ import annotations

from bg.ledger import notes
from bg.ledger.file import ANY, Ledger, Record, Writing
from bg.ledger.values import Opened, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Window(Record):
    """One window: the launches of its turn are for its text, and the first of them gets its label."""

    _table = "windows"
    id: int
    session: str
    kind: str
    label: str
    text: str
    opened: float
    closed: Optional[float]
    proof: Optional[int]


def take_label(book: Writing) -> str:
    """Take a label that no task and no window has had."""
    number = notes.last_number(book) + 1
    notes.set_last_number(book, number)
    return f"bg-{number}"


def is_known(book: Ledger, label: str) -> bool:
    """Whether a task or a window has this label."""
    return bool(
        book.value("SELECT 1 FROM windows WHERE label = ? UNION ALL SELECT 1 FROM tasks WHERE label = ?", label, label)
    )


def open_window(book: Writing, session: str, kind: str, text: str, label: str = "") -> str:
    """Open a window for this turn; return the label that its first launch gets."""
    label = label or take_label(book)
    book.write("UPDATE windows SET closed = ? WHERE label = ? AND closed IS NULL", book.now(), label)
    book.write(
        "INSERT INTO windows (session, kind, label, text, opened) VALUES (?,?,?,?,?)",
        session,
        kind,
        label,
        text,
        book.now(),
    )
    return label


def open_windows(book: Ledger, session: str) -> list[Window]:
    """The open windows of a session, the newest first."""
    return Window.all(book, "SELECT * FROM windows WHERE session = ? AND closed IS NULL ORDER BY id DESC", session)


def sessions_with_open(book: Ledger) -> list[str]:
    """The sessions with an open window."""
    return [row["session"] for row in book.all("SELECT DISTINCT session FROM windows WHERE closed IS NULL")]


def is_open(book: Ledger, session: str, label: str) -> bool:
    """Whether the session has an open window with this label."""
    return any(window.label == label for window in open_windows(book, session))


def window_of(book: Ledger, session: str, label: str) -> Optional[Window]:
    """The window with this label, if it is open, or closed with nothing launched."""
    return Window.one(
        book,
        "SELECT w.* FROM windows w LEFT JOIN tasks t ON t.label = w.label WHERE w.session = ? AND w.label = ?"
        f" AND (w.closed IS NULL OR t.state = '{State.NOT_LAUNCHED}') ORDER BY w.id DESC LIMIT 1",
        session,
        label,
    )


def never_filled(book: Ledger, session: str) -> list[str]:
    """The labels of a session's tasks for which nothing was launched."""
    rows = book.all(f"SELECT label FROM tasks WHERE session = ? AND state = '{State.NOT_LAUNCHED}'", session)
    return [row["label"] for row in rows]


def close_window(book: Writing, window: Window) -> None:
    """Close a window: its turn is over."""
    book.write("UPDATE windows SET closed = ? WHERE id = ?", book.now(), window.id)


def close_windows_of(book: Writing, label: str) -> None:
    """Close the windows with this label: for now nothing is to be launched under it."""
    book.write("UPDATE windows SET closed = ? WHERE label = ? AND closed IS NULL", book.now(), label)


def find(book: Ledger, *, session: str = ANY, label: str = ANY, proof: int = ANY, closed: None = ANY) -> list[Window]:
    """The windows with these values."""
    return Window.where(book, session=session, label=label, proof=proof, closed=closed)


def own_label_is_used(book: Ledger, window: Window) -> bool:
    """Whether a launch has used the window's own label."""
    return bool(
        book.value(
            "SELECT 1 FROM launches WHERE label = ? AND failed IS NULL"
            " AND (? OR window >= ? OR (window IS NULL AND made >= ?))",
            window.label,
            window.kind == Opened.PART,
            window.id,
            window.opened,
        )
    )


def has_agent(book: Ledger, window: Window) -> bool:
    """Whether an agent has been launched in the window, under any label."""
    return bool(
        book.value(
            "SELECT 1 FROM launches l JOIN tasks t ON t.label = l.label WHERE t.grp = ? AND l.agent <> ''"
            " AND (l.window >= ? OR (l.window IS NULL AND l.made >= ?))",
            window.label,
            window.id,
            window.opened,
        )
    )


def refusal(book: Ledger, window: Window) -> str:
    """Why the last launch under the window's own label was refused; empty if none was."""
    return (
        book.value(
            "SELECT failed FROM launches WHERE label = ? AND failed IS NOT NULL"
            " AND (window >= ? OR (window IS NULL AND made >= ?)) ORDER BY rowid DESC LIMIT 1",
            window.label,
            window.id,
            window.opened,
        )
        or ""
    )
