"""Cells of a terminal: how many a text takes, and a text cut or padded to a number of them."""

from __future__ import annotations

import unicodedata


def _width_of_one(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_width_of_one, text))


def head(text: str, room: int) -> str:
    """The beginning of a text, as far as it fits into `room` columns."""
    for count, character in enumerate(text):
        room -= _width_of_one(character)
        if room < 0:
            return text[:count]
    return text


def fit(text: str, most: int) -> str:
    """The text in at most `most` columns; if it is cut, it ends with an ellipsis."""
    if width_of(text) <= most:
        return text
    return head(text, most - 1).rstrip() + ("…" if most > 0 else "")


def pad(text: str, columns: int) -> str:
    """The text, cut or padded to exactly this many columns."""
    text = fit(text, columns)
    return text + " " * (columns - width_of(text))
