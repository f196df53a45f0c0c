"""What the user typed or chose for a task, to the character, even if it was not understood."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# The outcome: the words were recorded, shown back with a reading that can be confirmed, shown back without one, or
# were a command (a list, a resume, taking an answer back).
TAKEN, DOUBTFUL, REFUSED, COMMAND = "taken", "doubtful", "refused", "command"


class Typed(Record):
    """One thing that the user said; `reading` is a proposal, in JSON, of how to take doubtful words."""

    _table = "typed"
    id: int
    session: str
    at: float
    via: str
    label: str
    text: str
    outcome: str
    reading: str


def keep(book: Writing, session: str, via: str, label: str, text: str) -> int:
    """Record the words before they are understood; return their number."""
    return book.insert(
        "INSERT INTO typed (session, at, via, label, text, outcome) VALUES (?,?,?,?,?,?)",
        session,
        book.now(),
        via,
        label,
        text,
        REFUSED,
    )


def conclude(book: Writing, identifier: int, outcome: str, label: str = "", reading: str = "") -> None:
    """Note the outcome of the words, and for which task they were."""
    book.write(
        "UPDATE typed SET outcome = ?, label = coalesce(nullif(?, ''), label), reading = ? WHERE id = ?",
        outcome,
        label,
        reading,
        identifier,
    )


def doubtful(book: Ledger, identifier: int, session: str) -> Optional[Typed]:
    """The words shown back in this session under this number, if they have not been confirmed."""
    return Typed.one(
        book,
        "SELECT * FROM typed WHERE id = ? AND session = ? AND outcome = ?",
        identifier,
        session,
        DOUBTFUL,
    )


def blank_shared(book: Writing, label: str) -> None:
    """Empty the words in other tasks' rows that were also for this task: one command may answer several."""
    book.write(
        "UPDATE typed SET text = '', reading = '' WHERE label IS NOT ? AND (lower(text) || ' ' GLOB ?"
        " OR id IN (SELECT typed FROM answers WHERE label = ? UNION ALL SELECT typed FROM retracted WHERE label = ?))",
        label,
        f"*{label}[^0-9]*",
        label,
        label,
    )


def forget_unassigned_in(book: Writing, session: str) -> None:
    """Delete the words of this session that could not be assigned to a task."""
    book.write("DELETE FROM typed WHERE session = ? AND coalesce(label, '') = ''", session)


def forget_unassigned(book: Writing, until: float) -> int:
    """Delete the words from before this moment that could not be assigned to a task; return how many there were."""
    return book.write("DELETE FROM typed WHERE at < ? AND coalesce(label, '') = ''", until)


def find(book: Ledger, *, label: str = ANY) -> list[Typed]:
    """The user's words with these values."""
    return Typed.where(book, label=label)
