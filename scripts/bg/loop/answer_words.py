"""Words that /bg-answer takes as commands: which reading they confirm, and where one is an answer itself."""

from __future__ import annotations

import re

from bg.ledger.inbox import Question
from bg.loop.answer_ids import folded
from bg.pattern import pattern

SKIP, GO, HELP, DOCTOR, UNDO, CLOSE = "skip", "go", "help", "doctor", "undo", "close"
RESERVED = (SKIP, GO, HELP, DOCTOR, UNDO, CLOSE)
_CONFIRM = pattern(r"confirm\s+#?(\d{1,9})", re.IGNORECASE)


def reserved(text: str) -> str:
    """The command that the text is, empty where it is none."""
    word = folded(text).strip().rstrip(".!").strip().lower()
    return word if word in RESERVED else ""


def confirmed(text: str) -> int:
    """The number of the reading that is confirmed, 0 where none is."""
    found = _CONFIRM.fullmatch(folded(text).strip())
    return int(found[1]) if found else 0


def mentions(item: Question, word: str, *, extra: str = "") -> bool:
    """The item itself offers the word as an answer."""
    return bool(re.search(rf"\b{re.escape(word)}\b", f"{item.text}\n{extra}", re.IGNORECASE))
