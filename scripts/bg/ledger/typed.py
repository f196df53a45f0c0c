"""What the user typed or chose for a task, to the character, whatever was understood of it."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# What came of the words: recorded, shown back with a reading that can be confirmed, shown back without one, or a
# command (a list, a resume, an answer taken back).
TAKEN, DOUBTFUL, REFUSED, COMMAND = "taken", "doubtful", "refused", "command"


class Typed(Record):
    """One thing that the user said; `reading` is how doubtful words would be taken, as JSON."""

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
    """Write down what was said before anything is made of it; its number."""
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
    """What came of it, and for which task it was."""
    book.write(
        "UPDATE typed SET outcome = ?, label = coalesce(nullif(?, ''), label), reading = ? WHERE id = ?",
        outcome,
        label,
        reading,
        identifier,
    )


def doubtful(book: Ledger, identifier: int, session: str) -> Optional[Typed]:
    """What was shown back in this session under that number, as long as it has not been confirmed."""
    return Typed.one(
        book,
        "SELECT * FROM typed WHERE id = ? AND session = ? AND outcome = ?",
        identifier,
        session,
        DOUBTFUL,
    )


def blank_shared(book: Writing, label: str) -> None:
    """Empty what was said for other tasks too: one command may answer several."""
    book.write(
        "UPDATE typed SET text = '', reading = '' WHERE label IS NOT ? AND (lower(text) || ' ' GLOB ?"
        " OR id IN (SELECT typed FROM answers WHERE label = ? UNION ALL SELECT typed FROM retracted WHERE label = ?))",
        label,
        f"*{label}[^0-9]*",
        label,
        label,
    )


def forget_unassigned_in(book: Writing, session: str) -> None:
    """Delete what was said in this session and could not be assigned to a task."""
    book.write("DELETE FROM typed WHERE session = ? AND coalesce(label, '') = ''", session)


def forget_unassigned(book: Writing, until: float) -> int:
    """Delete what was said before this moment and could not be assigned to a task; how much there was."""
    return book.write("DELETE FROM typed WHERE at < ? AND coalesce(label, '') = ''", until)


def find(book: Ledger, *, label: str = ANY) -> list[Typed]:
    """What was said, with these columns."""
    return Typed.where(book, label=label)
