"""Digests: short strings that tell texts apart, made without loading OpenSSL and without copying a long text."""

from __future__ import annotations

import contextlib

from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


PIECE = 100_000
ROUNDS = 1 << 16

_SPACE = pattern(r"\s")


def digest(text: str) -> str:
    """The digest of a text's words; white space, which may change on the way, does not count."""
    made, gap = _sha256()(), ""
    for piece in _pieces(text):
        words = " ".join(piece.split())
        if words:
            made.update(f"{gap}{words}".encode("utf-8", "replace"))
            gap = " "
    found: str = made.hexdigest()
    return found[:24]


def slow(secret: str, salt: str) -> str:
    """A digest of a short secret that is slow to make, so that nobody who reads it can find the secret by trying."""
    make, found = _sha256(), f"{salt}{secret}".encode()
    for _ in range(ROUNDS):
        found = make(found).digest()
    return found.hex()[:24]


def _pieces(text: str) -> Iterator[str]:
    """A text in parts that end between two words; a list of all words would take ten times the text's memory."""
    begin = 0
    while begin < len(text):
        space = _SPACE.search(text, begin + PIECE) if len(text) > begin + PIECE else None
        end = space.start() if space else len(text)
        yield text[begin:end]
        begin = end


def _sha256() -> Any:
    """SHA-256 from Python itself: hashlib would load OpenSSL, which costs a quarter of a bare start."""
    for name in ("_sha2", "_sha256"):  # since 3.12, and before
        with contextlib.suppress(ImportError, AttributeError):
            return __import__(name).sha256
    import hashlib  # noqa: PLC0415

    return hashlib.sha256
