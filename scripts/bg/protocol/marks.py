"""What a single line is to the reader of blocks: the marker of a signal, a code fence, or neither."""

from __future__ import annotations

import os
import re

from bg.pattern import pattern
from bg.record import Record

SCHEMAS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schemas")
MARKERS = tuple(sorted(name[:-5].upper() for name in os.listdir(SCHEMAS) if name.endswith(".json")))
INVISIBLE = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u200e\u200f\u2060\u00ad"))
# A line that looks like a field.
KEYLIKE = pattern(r"[\s\-*`\"'{]*[A-Za-z][\w \-]{0,40}[*`\"']*\s{0,4}[:\uff1a]")


class Mark(Record):
    """A marker: its signal, whether it closes a block, and whether it is written exactly as the protocol says."""

    name: str
    closing: bool
    plain: bool


class Fence(Record):
    """A code fence: its character, how many of it, and whether the line has nothing else."""

    char: str
    length: int
    bare: bool


def marker_of(name: str) -> str | None:
    """The marker that a name means, in any case and with any separators; None if there is no such signal."""
    spelled = re.sub(r"[\s\-]+", "_", name.strip(" \t[]")).upper()
    return spelled if spelled in MARKERS else None


def is_marker(line: str) -> bool:
    """Whether the line, as a whole, is an opening or closing marker."""
    return mark_of(line) is not None


def mark_of(line: str) -> Mark | None:
    """The marker that the whole line is; None if it is none."""
    text = line.strip()
    if "[" not in text or len(text) > 80:
        return None
    text = text.translate(INVISIBLE).strip()
    bare = text.strip("*`_#~ \t").rstrip(":").rstrip("*`_ ").replace("\\", "")
    if not (bare.startswith("[") and bare.endswith("]")):
        return None
    inner = bare[1:-1].strip()
    closing = inner.startswith("/") or inner.upper().startswith(("END ", "END_"))
    if closing:
        inner = inner[1:] if inner.startswith("/") else inner[4:]
    name = marker_of(inner) if "[" not in inner else None
    if name is None:
        return None
    return Mark(name, closing, text == f"[{'/' if closing else ''}{name}]")


def fence_of(line: str) -> Fence | None:
    """The code fence that the line is; None if it is none."""
    text = line.translate(INVISIBLE).strip()
    if not text.startswith(("```", "~~~")):
        return None
    char = text[0]
    info = text.lstrip(char)
    if char == "`" and "`" in info:
        return None
    return Fence(char, len(text) - len(info), not info.strip())
