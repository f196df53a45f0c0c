"""Proofs: who said the words that claim to be the user's (typed, chosen or passed on), and how that is known.

A code confirms one such message, once; the ledger keeps only the codes' digests.
"""

from __future__ import annotations

from bg.ledger import digests, notes
from bg.ledger.file import ANY, Ledger, Record, Writing

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# The classes: chosen in a dialog, typed at a keyboard, given by a program that drives the host, confirmed by a code,
# passed on by the parent from chat, decided by the user's settings.
DIALOG, KEYBOARD, SDK, CODE, RELAYED, SETTINGS = "dialog", "keyboard", "sdk", "code", "relayed", "settings"
CLIENT = "client"  # typed in the client, as the chain of its module proves
# Without effect: known to be somebody else's, or of an unknown origin, in which case a code can confirm the words.
UNPROVEN, KEPT = "unproven", "kept"
WITHOUT_EFFECT = (UNPROVEN, KEPT)
# How the words came: in a prompt, in a prompt that waited in the spool, in a prompt that, once proven, closes a task,
# in a dialog's answers, in the parent's own message.
PROMPTED, SPOOLED, CLOSES, CHOSEN, PASSED_ON = "prompt", "spool", "close", "dialog", "message"
MOST_MISSED = 3
_SIGNS = "abcdefghijklmnopqrstuvwxyz234567"
_HALF = 5  # characters in half a code: a whole one has fifty bits, as much as a person likes to type


class Proof(Record):
    """Words that somebody said; `place` is how long the transcript was then; `proof` is empty until looked up.

    `turn` is the host's id of the prompt; `call` is the id of the dialog or of the message, or names the record that
    proves the prompt; `origin` says where the words came from.
    """

    _table = "proofs"
    id: int
    session: str
    label: str
    way: str
    text: str
    at: float
    transcript: str
    place: int
    turn: str
    call: str
    looks: int
    proof: str
    origin: str
    judged: Optional[float]


class Marks:
    """How far the ledger had come before an event's words were taken: all newer rows come from these words."""

    def __init__(self, book: Ledger) -> None:
        self.answers = book.value("SELECT coalesce(max(id), 0) FROM answers")
        self.at = book.now()
        self.windows = book.value("SELECT coalesce(max(id), 0) FROM windows")


def depend_on_proof(
    book: Writing,
    before: Marks,
    session: str,
    way: str,
    text: str,
    at: float,
    transcript: str,
    place: int,
    turn: str,
    call: str,
    closes: str = "",
    proof: Optional[str] = None,
) -> list[str]:
    """Make the answers and windows that came from these words since then depend on their proof; return the labels.

    `closes` is the label that the words close as soon as they are proven; `proof` is given if they are proven already.
    """
    answered = book.all(
        "SELECT DISTINCT label FROM answers WHERE id > ? AND source <> 'settings' ORDER BY id", before.answers
    )
    opened = book.all("SELECT label FROM windows WHERE id > ? ORDER BY id", before.windows)
    undone = book.all(
        "SELECT DISTINCT label FROM retracted WHERE replaced_by IS NULL AND undone_by IS NULL AND gone >= ?", before.at
    )
    first = 0
    labels = [row["label"] for row in answered or undone or opened[:1]] or [closes][: bool(closes)]
    for label in labels:
        number = book.insert(
            "INSERT INTO proofs (session, label, way, text, at, transcript, place, turn, call, looks, proof, judged)"
            " VALUES (?,?,?,?,?,?,?,?,?,0,?,?)",
            session,
            label,
            way,
            text,
            at,
            transcript,
            place,
            turn,
            call,
            proof,
            at if proof else None,
        )
        first = first or number
        book.write("UPDATE answers SET proof = ? WHERE id > ? AND label = ?", number, before.answers, label)
    book.write("UPDATE windows SET proof = ? WHERE id > ?", first, before.windows)
    book.write(
        "UPDATE retracted SET undone_by = ? WHERE replaced_by IS NULL AND undone_by IS NULL AND gone >= ?",
        first,
        before.at,
    )
    return labels


def touched(book: Ledger, before: Marks, labels: list[str], until: float) -> float:
    """When these tasks last asked or were answered, before `until` and before these words, which refer to that."""
    found = [
        book.value(
            "SELECT max(at) FROM (SELECT max(asked) AS at FROM questions WHERE label = ?"
            " UNION ALL SELECT max(at) FROM answers WHERE label = ? AND id <= ?"
            " UNION ALL SELECT max(at) FROM retracted WHERE label = ?) WHERE at < ?",
            label,
            label,
            before.answers,
            label,
            until,
        )
        for label in labels
    ]
    return float(max([moment for moment in found if moment], default=0.0))


def move(book: Writing, at: float, session: str, place: int) -> None:
    """Note that the record of the words said at this moment is to be looked for from this place on."""
    book.write("UPDATE proofs SET place = ? WHERE at = ? AND session = ? AND proof IS NULL", place, at, session)


def is_used(book: Ledger, proof: Proof, place: int) -> bool:
    """Whether the record at this place has already proved other words of this session."""
    found = book.value("SELECT 1 FROM proofs WHERE call = ? AND at <> ?", _record(proof.session, place), proof.at)
    return bool(found)


def _record(session: str, place: int) -> str:
    return f"{session}@{place}"


def note(
    book: Writing, session: str, label: str, text: str, call: str, proof: str, origin: str, way: str = PASSED_ON
) -> None:
    """Note words that the parent passes on by this call, or puts into it; they are judged at once."""
    book.write(
        "INSERT INTO proofs (session, label, way, text, at, transcript, place, turn, call, looks, proof, origin,"
        " judged) VALUES (?,?,?,?,?,'',0,'',?,0,?,?,?)",
        session,
        label,
        way,
        text,
        book.now(),
        call,
        proof,
        origin,
        book.now(),
    )


def unjudged(book: Ledger, session: str, label: str = "") -> list[Proof]:
    """The words, said in this session or to this task in any session, whose proof was not looked up yet."""
    return Proof.all(
        book,
        "SELECT * FROM proofs WHERE proof IS NULL AND session = ?"
        " UNION SELECT * FROM proofs WHERE proof IS NULL AND label = ? ORDER BY id",
        session,
        label,
    )


def unjudged_elsewhere(book: Ledger, session: str) -> list[str]:
    """The tasks of this session to which words were said in another session whose proof was not looked up yet."""
    rows = book.all(
        "SELECT DISTINCT p.label FROM proofs p INDEXED BY proofs_open CROSS JOIN tasks t ON t.label = p.label"
        " WHERE p.proof IS NULL AND p.session <> ? AND t.session = ?",
        session,
        session,
    )
    return [row["label"] for row in rows]


def count_look(book: Writing, number: int) -> None:
    """Count a search for the proof that found nothing in the time that a hook may wait."""
    book.write("UPDATE proofs SET looks = looks + 1 WHERE id = ?", number)


def judge(book: Writing, number: int, proof: str, origin: str = "") -> None:
    """Note who said it."""
    book.write("UPDATE proofs SET proof = ?, origin = ?, judged = ? WHERE id = ?", proof, origin, book.now(), number)


def use(book: Writing, proof: Proof, place: int) -> None:
    """Note that the record at this place proves this prompt, and so cannot prove another one."""
    book.write("UPDATE proofs SET call = ? WHERE id = ? AND call = ''", _record(proof.session, place), proof.id)


def find(book: Ledger, *, label: str = ANY, call: str = ANY, way: str = ANY) -> list[Proof]:
    """The proofs with these values."""
    return Proof.where(book, label=label, call=call, way=way)


def of_id(book: Ledger, number: Optional[int]) -> Optional[Proof]:
    """The proof of this number."""
    return Proof.one(book, "SELECT * FROM proofs WHERE id = ?", number) if number else None


def unproven(book: Ledger, since: float) -> list[Proof]:
    """The words that were judged since then and could not be shown to be the user's, the newest first."""
    sql = "SELECT * FROM proofs WHERE proof IN (?, ?) AND judged > ? ORDER BY id DESC"
    return Proof.all(book, sql, *WITHOUT_EFFECT, since)


def kept(book: Ledger, since: float, most: int) -> list[Proof]:
    """The words judged since then that a code can confirm, each message once, the newest first."""
    sql = "SELECT * FROM proofs WHERE proof = ? AND judged > ? GROUP BY session, at ORDER BY id DESC LIMIT ?"
    return Proof.all(book, sql, KEPT, since, most)


def confirm(book: Writing, proof: Proof) -> list[int]:
    """Mark the rows of these words, which the user has confirmed and which are taken once more; return their ids."""
    rows = book.all("SELECT id FROM proofs WHERE at = ? AND session = ? AND proof = ?", proof.at, proof.session, KEPT)
    for row in rows:
        book.write("UPDATE proofs SET proof = ? WHERE id = ?", CODE, row["id"])
    return [row["id"] for row in rows]


def blank_shared(book: Writing, label: str) -> None:
    """Empty the words of this task's prompts and dialogs in other tasks' rows too; no code can confirm those then."""
    book.write(
        "UPDATE proofs SET text = '', proof = CASE proof WHEN ? THEN ? ELSE proof END"
        " WHERE label IS NOT ? AND judged IS NOT NULL AND EXISTS"
        " (SELECT 1 FROM proofs o WHERE o.label = ? AND o.session = proofs.session AND o.at = proofs.at)",
        KEPT,
        UNPROVEN,
        label,
        label,
    )


def class_of(book: Ledger, number: Optional[int], source: str) -> str:
    """The class of an answer; empty if it was not looked up yet, or was given before classes were kept."""
    found = of_id(book, number)
    return found.proof if found else SETTINGS if source == SETTINGS else ""


def give(book: Writing, rows: list[Proof]) -> list[tuple[str, Proof]]:
    """Make a new code for each of these; no earlier code counts any more."""
    given = [(_made(book), row) for row in rows]
    notes.set_codes(book, {row.id: _digest(code, book.chance(8).hex()) for code, row in given})
    return given


def take(book: Writing, typed: str) -> Optional[Proof]:
    """The words that a typed code confirms; a code works once, and several wrong ones make all codes void."""
    left = notes.codes(book)
    number = next((number for number, known in left.items() if known == _digest(typed, known.partition(".")[0])), 0)
    row = of_id(book, number)
    if row is None or row.proof != KEPT:
        if notes.miss_code(book) >= MOST_MISSED:
            notes.set_codes(book, {})
        return None
    notes.set_codes(book, {each: known for each, known in left.items() if each != number})
    return row


def _made(book: Writing) -> str:
    signs = "".join(_SIGNS[byte % len(_SIGNS)] for byte in book.chance(2 * _HALF))
    return f"{signs[:_HALF]}-{signs[_HALF:]}"


def _digest(code: str, salt: str) -> str:
    signs = "".join(sign for sign in code.lower() if sign in _SIGNS)
    return f"{salt}.{digests.slow(signs, salt)}"
