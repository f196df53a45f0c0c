"""Doubts: what makes two people read the same words differently, so that nothing is sent before it is confirmed."""

from __future__ import annotations

import re

from bg.loop.answer_ids import folded, normal
from bg.loop.answer_words import GO, SKIP, UNDO, reserved
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.loop.answers import Part

_POLITE = pattern(
    r"(?:(?:hi|hello|hey|thanks|thank you|thx|ok|okay|sure|right|so|well|here you go|here you are|here we go|here goes"
    r"|sorry for the (?:wait|delay)|good (?:morning|evening|questions?)|danke|hallo|merci|gracias|my answers?"
    r"|here are (?:the|my) answers|the answers|answers?|please|no problem|see below)[\s,.!:…-]*)+",
    re.IGNORECASE,
)
# A word behind which `go` and the like end a sentence.
_BEFORE_A_VERB = pattern(
    r"(?:to|let|lets|it|we|good|ready|they|you|and|use|in|or|must|can|will|should|i|a|the|of|for|with|no)$",
    re.IGNORECASE,
)
_SAYS_NOTHING = pattern(r"(?:\.{2,}|…+|\?+|[-–—]+|\"\"|''|“”|‘’)")
_ASKS = pattern(
    r"(?:what|why|how|who|which|where|when|can you|could you|do you|does|is it|are there|was|warum|wieso|wie|welche"
    r"|pourquoi|comment|quel|por qué|cómo|cuál)\b.*\?\s*",
    re.IGNORECASE | re.DOTALL,
)
_HOW_MANY = pattern(
    r"\b(?:how (?:many|much|long|often)|which (?:port|number|version)|wie viele?|combien)\b", re.IGNORECASE
)
_IN_A_LINE = pattern(r"\(?1[.)]\s.*\s\(?2[.)]\s")

# Why words are not taken as they are.
TWICE, LEAD, UNKNOWN, MENTION, EMPTY, SEVERAL_IDS, QUOTED, TRAILING, LABELS, COMMAND, NUMBER, MISSPELT, QUESTION = (
    "twice", "lead", "unknown", "mention", "empty", "several ids", "quoted", "trailing", "labels", "command", "number",
    "misspelt", "question",
)  # fmt: skip


def doubt(parts: list[Part], plain: str, lead: str, doubts: list[tuple[str, str]]) -> None:
    """What makes two people read the same words differently."""
    if lead and not _POLITE.fullmatch(folded(lead)):
        doubts.append((LEAD, lead))
    seen: dict[tuple[str, str], str] = {}
    for part in parts:
        words = normal(part.text)
        if seen.setdefault((part.label, part.qid), words) != words:
            doubts.append((TWICE, part.qid))
        is_asked_back_anyway = part.qid[:1] == "D"
        if not part.text or (not is_asked_back_anyway and _SAYS_NOTHING.fullmatch(part.text)):
            doubts.append((EMPTY, part.qid))
        doubts += _trailing(part.text)
        if not is_asked_back_anyway and is_question(part.text):
            doubts.append((QUESTION, part.qid))
        if "\n" not in part.text and _IN_A_LINE.match(part.text):
            doubts.append((NUMBER, part.text[:2]))
    first = folded(plain).split(None, 1)[:1]
    if first and first[0].lower().rstrip(",.!:") == UNDO:
        doubts.append((COMMAND, UNDO))
    doubts += _trailing(plain)


def _trailing(text: str) -> list[tuple[str, str]]:
    """A command may have been meant by the last word, or by the last line."""
    *before, last = text.splitlines() or [""]
    words = last.split()
    if before and reserved(last) and reserved(last) != SKIP:
        return [(TRAILING, last.strip())]
    ends = len(words) > 1 and words[-1] in (GO, UNDO) and not _BEFORE_A_VERB.match(words[-2])
    return [(TRAILING, words[-1])] if ends else []


def asks_for_a_number(text: str) -> bool:
    """The question itself wants a number."""
    return bool(_HOW_MANY.search(text))


def is_question(text: str) -> bool:
    """The words ask something back, and nothing else."""
    return bool(_ASKS.fullmatch(folded(text).strip()))
