"""Verifications: the check that the user named, the run after which it is owed, whether it runs, and how it ended."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing
from bg.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# Where the user named it.
TYPED, IN_SETTINGS = "typed", "bg.json"


class Verification(Record):
    """One check after one run: it waits while `begun` is empty, and runs until `ended` is set.

    `why` says in a word why the outcome is unknown, `meanwhile` why a failure does not count against the report.
    """

    _table = "verifications"

    id: int
    label: str
    agent: str
    run: int
    command: str
    source: str
    token: str
    folder: str
    made: float
    begun: Optional[float]
    ended: Optional[float]
    outcome: str
    why: str
    code: Optional[int]
    seconds: Optional[float]
    output: str
    head: str
    tree: str
    dirty: Optional[int]
    changed: str
    meanwhile: str


def name(book: Writing, label: str, command: str, source: str) -> None:
    """Note that the user wants this check to run after the task's report; the check that was named first holds."""
    sql = "UPDATE tasks SET verify = ?, verify_source = ? WHERE label = ? AND verify IS NULL"
    book.write(sql, command, source, label)


def owe(book: Writing, label: str, agent: str, run: int) -> None:
    """Queue the check that the user named, if any, as this run has ended."""
    named = book.one(
        "SELECT t.verify, t.verify_source, l.cwd FROM tasks t JOIN launches l ON l.label = t.label"
        " WHERE t.label = ? AND l.agent = ? AND t.verify <> ''",
        label,
        agent,
    )
    if named:
        book.write(
            "INSERT OR IGNORE INTO verifications (label, agent, run, command, source, token, folder, made)"
            " VALUES (?,?,?,?,?,?,?,?)",
            label,
            agent,
            run,
            named["verify"],
            named["verify_source"],
            book.chance(12).hex(),
            named["cwd"],
            book.now(),
        )


def unended(book: Ledger, session: str) -> list[Verification]:
    """The checks of a session's tasks that wait or run, the oldest first."""
    return Verification.all(
        book,
        "SELECT v.* FROM verifications v CROSS JOIN tasks t ON t.label = v.label"
        " WHERE v.ended IS NULL AND t.session = ? ORDER BY +v.id",
        session,
    )


def begin(book: Writing, number: int) -> None:
    """Note that the check runs."""
    book.write("UPDATE verifications SET begun = ? WHERE id = ? AND begun IS NULL", book.now(), number)


def end(book: Writing, number: int, outcome: str, why: str) -> bool:
    """Note that the check has ended, or will never begin; return False if another hook has noted that already."""
    sql = "UPDATE verifications SET ended = ?, outcome = ?, why = ? WHERE id = ? AND ended IS NULL"
    return bool(book.write(sql, book.now(), outcome, why, number))


def note_result(
    book: Writing,
    number: int,
    code: Optional[int],
    seconds: float,
    output: str,
    commit: tuple[str, str, Optional[bool]],
    changed: list[str],
) -> None:
    """Keep the end of the check's output, and what it ran on: commit, tree, and whether something was uncommitted."""
    head, tree, dirty = commit
    book.write(
        "UPDATE verifications SET code = ?, seconds = ?, output = ?, head = ?, tree = ?, dirty = ?, changed = ?"
        " WHERE id = ?",
        code,
        seconds,
        masked(output),
        head,
        tree,
        dirty,
        "\n".join(changed),
        number,
    )


def set_meanwhile(book: Writing, number: int, who: str) -> None:
    """Note who else worked in the tree after the run had ended."""
    book.write("UPDATE verifications SET meanwhile = ? WHERE id = ?", who, number)


def is_due(book: Ledger, number: int) -> bool:
    """Whether the check waits to be started."""
    return bool(book.value("SELECT 1 FROM verifications WHERE id = ? AND begun IS NULL AND ended IS NULL", number))


def find(book: Ledger, *, label: str = ANY, agent: str = ANY, run: int = ANY) -> list[Verification]:
    """The checks with these values, the oldest first."""
    return Verification.where(book, label=label, agent=agent, run=run)
