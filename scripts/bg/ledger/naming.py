"""How a task is named: its label, its agents' tokens, and the label that a person means by a shorter form."""

from __future__ import annotations

import re

from bg.pattern import pattern

LABEL = pattern(r"\bbg-\d{1,6}\b(?!-[a-z2-7]{10})")
TOKEN = pattern(r"\bbg-\d{1,6}-[a-z2-7]{10}\b")
_ANY_LABEL = pattern(r"(?:bg)?[-_ #\u2010-\u2015\u2212]{0,3}0*(\d{1,6})[:.,]?", re.IGNORECASE)


def label_of(text: str) -> str:
    """The label meant by `bg-3`, `BG-3`, `bg3`, `#3` or `3`; in a longer text, the first label in it, or empty."""
    alone = _ANY_LABEL.fullmatch(text.strip())
    if alone:
        return f"bg-{int(alone[1])}"
    found = LABEL.search(text.lower())
    return found[0] if found else ""
