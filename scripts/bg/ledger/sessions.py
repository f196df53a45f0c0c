"""Sessions: those that have something of ours, their project, and the process that runs each."""

from __future__ import annotations

from bg.ledger import deliveries, notes
from bg.ledger.file import Ledger, Record, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Session(Record):
    """A session as its last event showed it."""

    id: str
    project: Optional[str]
    transcript: Optional[str]
    version: Optional[str]
    pid: Optional[int]
    pid_started: Optional[str]
    first_seen: float
    last_seen: float
    ended: Optional[float]
    root: str
    machine: str


def note(book: Writing, session: str, project: str, transcript: str, version: str, root: str = "") -> None:
    """Note that a session with something of ours was seen; `root` is the identity of its project."""
    now = book.now()
    book.write(
        "INSERT INTO sessions (id, project, transcript, version, first_seen, last_seen, root) VALUES (?,?,?,?,?,?,?)"
        " ON CONFLICT (id) DO UPDATE SET last_seen = excluded.last_seen, ended = NULL,"
        " transcript = coalesce(nullif(excluded.transcript, ''), transcript),"
        " version = coalesce(nullif(excluded.version, ''), version), root = coalesce(root, nullif(excluded.root, ''))",
        session,
        project,
        transcript,
        version,
        now,
        now,
        root,
    )


def note_process(book: Writing, session: str, pid: int, started: str, machine: str = "") -> None:
    """Note the process that runs this session now, and its machine."""
    book.write("UPDATE sessions SET pid = ?, pid_started = ?, machine = ? WHERE id = ?", pid, started, machine, session)


def processes(book: Ledger) -> set[tuple[int, str]]:
    """The processes that have run sessions, each by its number and start time."""
    rows = book.all("SELECT DISTINCT pid, pid_started FROM sessions WHERE pid > 0")
    return {(row["pid"], row["pid_started"]) for row in rows}


def get(book: Ledger, session: str) -> Optional[Session]:
    """The session of this id; None if it never had anything of ours."""
    return Session.one(book, "SELECT * FROM sessions WHERE id = ?", session)


def transcript(book: Ledger, session: str) -> str:
    """The path of a session's transcript; empty if unknown."""
    known = get(book, session)
    return (known.transcript or "") if known else ""


def continue_in(book: Writing, old: str, new: str) -> None:
    """Hand over everything of a session to the one under whose id the host continues it."""
    for table in ("tasks", "windows", "typed"):
        book.write(f"UPDATE {table} SET session = ? WHERE session = ?", new, old)
    deliveries.continue_in(book, old, new)
    notes.continue_in(book, old, new)


def end(book: Writing, session: str) -> None:
    """Note that the session has announced its end."""
    book.write("UPDATE sessions SET ended = ? WHERE id = ?", book.now(), session)
    notes.forget_asked_leave(book, session)
