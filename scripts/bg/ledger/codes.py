"""Codes: each confirms one thing that was said, once; the ledger keeps only their digests."""

from __future__ import annotations

from bg.ledger import digests, notes, proofs
from bg.ledger.file import Writing
from bg.ledger.proofs import Proof

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MOST_MISSED = 3
_SIGNS = "abcdefghijklmnopqrstuvwxyz234567"
_HALF = 5  # of a code: fifty bits are as much as a person likes to type


def give(book: Writing, rows: list[Proof]) -> list[tuple[str, Proof]]:
    """A new code for each of these; no earlier one counts from now on."""
    given = [(_made(book), row) for row in rows]
    notes.set_codes(book, {row.id: _digest(code, book.chance(8).hex()) for code, row in given})
    return given


def take(book: Writing, typed: str) -> Optional[Proof]:
    """What a typed code confirms, which it does once; several wrong ones end them all."""
    left = notes.codes(book)
    number = next((number for number, known in left.items() if known == _digest(typed, known.partition(".")[0])), 0)
    row = proofs.of_id(book, number)
    if row is None or row.proof != proofs.KEPT:
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
