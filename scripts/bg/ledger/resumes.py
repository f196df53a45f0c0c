"""Resumes: the messages that wake an ended agent, and the host's word that they have arrived."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Resume(Record):
    """A message that is noted before the call that sends it; `proven` is when it was known to have arrived."""

    _table = "resumes"
    id: int
    label: str
    agent: str
    tool_use: str
    kind: str
    typed: str
    message: str
    at: float
    proven: Optional[float]
    failed: Optional[str]


def note(book: Writing, label: str, agent: str, tool_use: str, kind: str, typed: str, message: str) -> int:
    """Note a message that a call is about to send; return its id."""
    return book.insert(
        "INSERT OR REPLACE INTO resumes (label, agent, tool_use, kind, typed, message, at) VALUES (?,?,?,?,?,?,?)",
        label,
        agent,
        tool_use,
        kind,
        typed,
        message,
        book.now(),
    )


def find(book: Ledger, *, label: str = ANY, tool_use: str = ANY) -> list[Resume]:
    """The resumes with these values."""
    return Resume.where(book, label=label, tool_use=tool_use)


def pending(book: Ledger, agent: str) -> Optional[Resume]:
    """The newest resume of an agent, if its outcome is not known yet; earlier ones no longer matter."""
    found = Resume.one(book, "SELECT * FROM resumes WHERE agent = ? ORDER BY id DESC LIMIT 1", agent)
    return found if found and found.proven is None and found.failed is None else None


_QUEUED = (
    " r.proven IS NULL AND r.failed IS NULL"
    " AND (EXISTS (SELECT 1 FROM answers a WHERE a.resume = r.id AND a.sent IS NOT NULL)"
    " OR EXISTS (SELECT 1 FROM delegations d WHERE d.resume = r.id AND d.told IS NOT NULL))"
)


def queued(book: Ledger, agent: str) -> list[Resume]:
    """The messages that the host has put into the queue of a running agent, none of which is known to have arrived."""
    return Resume.all(book, f"SELECT r.* FROM resumes r WHERE r.agent = ? AND {_QUEUED} ORDER BY r.id", agent)


def labels_queued(book: Ledger, session: str) -> list[str]:
    """The tasks of a session with messages in an agent's queue that are not known to have arrived."""
    found = "SELECT DISTINCT r.label FROM resumes r CROSS JOIN tasks t ON t.label = r.label"
    return [row["label"] for row in book.all(f"{found} WHERE {_QUEUED} AND +t.session = ?", session)]


def is_on_its_way(book: Ledger, identifier: Optional[int]) -> bool:
    """Whether the call that sends this message has begun and its outcome is not known."""
    return bool(book.value("SELECT 1 FROM resumes WHERE id = ? AND proven IS NULL AND failed IS NULL", identifier or 0))


def prove(book: Writing, identifier: int) -> None:
    """Note that the message has arrived."""
    book.write("UPDATE resumes SET proven = ? WHERE id = ?", book.now(), identifier)


def fail(book: Writing, identifier: int, why: str) -> None:
    """Note that the host did not wake the agent, and why."""
    book.write("UPDATE resumes SET failed = ? WHERE id = ?", why, identifier)


def called(book: Ledger, tool_use: str) -> Optional[float]:
    """When this call, a launch or a resume, was made; None if the call is unknown."""
    found: Optional[float] = book.value(
        "SELECT made FROM launches WHERE tool_use = ? UNION ALL SELECT at FROM resumes WHERE tool_use = ?",
        tool_use,
        tool_use,
    )
    return found


def last_call(book: Ledger, agent: str) -> str:
    """The last call that launched or woke an agent; empty if none is known."""
    woken = book.value(
        "SELECT tool_use FROM resumes WHERE agent = ? AND proven IS NOT NULL ORDER BY id DESC LIMIT 1", agent
    )
    launched = "SELECT tool_use FROM launches WHERE agent = ? ORDER BY rowid DESC LIMIT 1"
    return woken or book.value(launched, agent) or ""


def last_woken(book: Ledger, agent: str, until: float) -> Optional[float]:
    """When the last message that has woken the agent was noted, up to this moment; None if none was."""
    found: Optional[float] = book.value(
        "SELECT max(at) FROM resumes WHERE agent = ? AND proven IS NOT NULL AND at <= ?", agent, until
    )
    return found
