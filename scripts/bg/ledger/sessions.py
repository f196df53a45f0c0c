"""Sessions: those that have something of ours, where they work, and which process has them."""

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
    """A session that has something to do with us was seen; `root` is what makes its folder's tasks one project."""
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
    """The process that has this session now, and the machine that it runs on."""
    book.write("UPDATE sessions SET pid = ?, pid_started = ?, machine = ? WHERE id = ?", pid, started, machine, session)


def processes(book: Ledger) -> set[tuple[int, str]]:
    """The processes that have had sessions, each by its number and start."""
    rows = book.all("SELECT DISTINCT pid, pid_started FROM sessions WHERE pid > 0")
    return {(row["pid"], row["pid_started"]) for row in rows}


def get(book: Ledger, session: str) -> Optional[Session]:
    """What is known of a session, None where it never had anything of ours."""
    return Session.one(book, "SELECT * FROM sessions WHERE id = ?", session)


def transcript(book: Ledger, session: str) -> str:
    """Where the host writes this session down, empty where that is unknown."""
    known = get(book, session)
    return (known.transcript or "") if known else ""


def continue_in(book: Writing, old: str, new: str) -> None:
    """The host goes on with a session under a new id: whatever the one had, the other has now."""
    for table in ("tasks", "windows", "typed"):
        book.write(f"UPDATE {table} SET session = ? WHERE session = ?", new, old)
    deliveries.continue_in(book, old, new)
    notes.continue_in(book, old, new)


def end(book: Writing, session: str) -> None:
    """The session has said good-bye."""
    book.write("UPDATE sessions SET ended = ? WHERE id = ?", book.now(), session)
    notes.forget_asked_leave(book, session)
