"""The one way out for the words of others: neutralized, framed or in quotation marks, bounded."""

from __future__ import annotations

import json
import re

from bg.foreign import encodable
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

CONTEXT_LIMIT = 4000
MESSAGE_LIMIT = 16000
DECIDED = 1500  # characters of a delegation that the user is shown; exactly these are passed on

# Characters that control a terminal, reverse the order of letters, or are invisible.
_CONTROL = pattern(
    "\x1b\\[[0-9;?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)"
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u2800\u3164\ud800-\udfff\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\U0001bca0-\U0001bca3"
    "\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
# Anything that Python, a terminal or a model may take for the end of a line: words after it would be unframed.
_LINE_END = pattern("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Anything that the host or its model may take for one of the host's tags. Every version brings new ones, so this
# matches every name of several parts, and the known names of one plain word.
_HOST_TAG = pattern(
    "[<\uff1c\ufe64](?=\\s{0,3}[/!?]?\\s{0,3}(?:system|user|human|assistant|agent|channel|command|context|env|error"
    "|example|function|hook|ide|instruction|invoke|memory|mode|note|output|parameter|policy|reasoning|reminder|result"
    "|session|status|stderr|stdout|summary|task|teammate|thinking|tool|usage|antml)s?\\b"
    "|[/!?]?[a-z][a-z0-9]*[-_:])",
    re.IGNORECASE,
)
_OUR_FRAME = pattern("[\\[\uff3b\u3010](?=\\s*from\\s+the\\s+bg\\s+plugin)", re.IGNORECASE)
# The beginning of one of our commands, as the user types it: nobody else's words may look like such a command.
_COMMAND = pattern("(?<![\\w/])/(?=bg(?:[-:][a-z]|\\s|$))")
# Every tag or frame begins with one of these signs: most texts have none, and so need no pattern compiled.
_OPENING = frozenset("<\uff1c\ufe64[\uff3b\u3010")
_MARKS = str.maketrans("\u201c\u201d\u201e\u201f", '""""')


def visible(text: str) -> str:
    """The text without control sequences and invisible characters; every line ends with a newline."""
    if text.isascii() and text.replace("\n", "").isprintable():
        return text
    return _CONTROL.sub("", _LINE_END.sub("\n", encodable(text)))


def neutral(text: str) -> str:
    """The visible text, with anything that looks like a tag of the host or our own frame defused."""
    seen = visible(text)
    return seen if _OPENING.isdisjoint(seen) else _OUR_FRAME.sub("(", _HOST_TAG.sub("\u2039", seen))


def spelled(text: str) -> str:
    """The text with every invisible character as an escape, which JSON reads back; colours stay."""
    return _CONTROL.sub(_escape, _LINE_END.sub(_escape, text))


def _escape(found: re.Match[str]) -> str:
    is_colour = found[0].startswith("\x1b[") and found[0].endswith("m")
    return found[0] if is_colour else json.dumps(found[0])[1:-1].replace("\\n", "\n")


def framed(text: str) -> list[str]:
    """The lines of somebody's words, each marked with `>`."""
    return [f"> {line}".rstrip() for line in neutral(text).split("\n")]


def beside(text: str) -> str:
    """Somebody's words to put after a name: as they are if one harmless line, else framed on the lines below it."""
    return text if len(text.splitlines()) < 2 and neutral(text) == text else "\n" + "\n".join(framed(text.strip()))


def named(name: str, text: str) -> str:
    """A name with somebody's words on its line, or framed below it."""
    said = beside(text)
    return f"{name}{said}" if said.startswith("\n") else f"{name} {said}"


def inline(text: str, most: int = 200) -> str:
    """One line of somebody's words."""
    # A far too long text is cut before anything else: it may be megabytes.
    words = " ".join(neutral(text[: 8 * most + 1000]).split())
    return words if len(words) <= most and len(text) <= 8 * most + 1000 else f"{words[: most - 1].rstrip()}…"


def cited(text: str, most: int = 200) -> str:
    """One line of somebody's words within a sentence of ours, in quotation marks that it cannot close."""
    return f"“{inline(text, most).translate(_MARKS)}”"


def spoken(text: str) -> str:
    """Somebody's words for a screen that also shows commands of ours: nothing in them looks like one."""
    return _COMMAND.sub("", text.replace("\u2192", "->"))


def whole(text: str) -> str:
    """All of somebody's words in quotation marks, for a screen that also shows commands of ours."""
    return cited(spoken(text), len(text) + 1)


def begun(text: str, most: int) -> str:
    """The lines of a text: all of them, or the first `most` characters and a note on the cut."""
    words = neutral(text)
    return words if len(words) <= most else f"{words[:most]}… [cut: {most} of {len(words)} characters]"


def shown(text: str, most: int) -> str:
    """The subject of somebody's decision on one line: whole, or with a note on the cut."""
    words = inline(text, most)
    return words if not words.endswith("…") else f"{words} [cut: {len(words) - 1} of {len(text)} characters]"


def quote(text: str, most: int = 1200) -> str:
    """The lines of somebody's words, each marked with `>`; a text that is cut ends with a note on the cut."""
    text = text.strip()
    lines = [line.rstrip() for line in neutral(text[: 8 * most + 1000]).strip().split("\n")]
    kept: list[str] = []
    used = 0
    cut = len(text) > 8 * most + 1000
    for line in lines:
        if used + len(line) > most:
            if not kept:
                kept.append(line[:most] + "…")
            cut = True
            break
        kept.append(line)
        used += len(line) + 1
    if cut:
        kept.append(f"[cut here, {len(text)} characters in all]")
    return "\n".join(f"> {line}".rstrip() for line in kept)


def first(lines: list[str], most: int) -> list[str]:
    """The first `most` lines of a list, and a line with the number of the others."""
    return [*lines[:most], f"- and {len(lines) - most} more"] if len(lines) > most else lines


class Said:
    """An agent's words, which can enter a text only on one line, in quotation marks or framed."""

    __slots__ = ("_text",)

    def __init__(self, value: Any) -> None:
        self._text = value if isinstance(value, str) else "" if value is None else as_text(value)

    def __bool__(self) -> bool:
        """Whether it says anything."""
        return bool(self._text.strip())

    def __str__(self) -> str:
        """Refuse: the words come out framed or in quotation marks only."""
        raise TypeError("somebody's words stand in a text of ours only framed")

    __repr__ = __format__ = __str__  # type: ignore[assignment]

    def among(self, known: Collection[str]) -> str:
        """The word itself if it is one of `known`, else in quotation marks."""
        return self._text if self._text in known else cited(self._text, 60)

    def inline(self, most: int = 200) -> str:
        """One line, for a person."""
        return inline(self._text, most)

    def cited(self, most: int = 200) -> str:
        """One line in quotation marks, empty if it says nothing."""
        return cited(self._text, most) if self else ""

    def quote(self, most: int = 700) -> str:
        """Framed lines, empty if it says nothing."""
        return quote(self._text, most) if self else ""


def as_text(value: Any) -> str:
    """A value of a signal as lines of text."""
    if isinstance(value, dict):
        return "\n".join(f"{key}: {as_text(item)}" for key, item in value.items())
    if isinstance(value, list):
        return "\n".join(f"- {as_text(item)}" for item in value)
    return str(value)


def fit(texts: list[str], limit: int, rest: str) -> tuple[list[str], int]:
    """The texts that fit under the limit (at least the first, cut if it must be), and how many these are.

    `rest` is the line that says how to see the others.
    """
    kept: list[str] = []
    room = limit - len(rest) - 2
    for text in texts:
        if len(text) + 2 > room:
            if not kept:
                kept.append(text[: room - 2].rsplit("\n", 1)[0] + "\n" + rest)
                return kept, 1
            kept.append(rest)
            return kept, len(kept) - 1
        kept.append(text)
        room -= len(text) + 2
    return kept, len(kept)
