"""Reads markdown as models write it: fences, headings, tables, list items, places in files."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from typing import NamedTuple, Optional

FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})[ \t]*([^`\s]*)[^`]*$")
HEADING = re.compile(r" {0,3}(#{1,6})(?!#)[ \t]*(\S.*)$")
ITEM = re.compile(r"([ \t]*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(\S.*)$")
SIGN = re.compile(r"\\.|`(?:\\.|[^`\\])*`|.", re.DOTALL)  # an escaped character, a code span, or any character
RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
SPAN = re.compile(r"`([^`\n]+)`")
LINK = re.compile(
    r"!?\[([^\[\]\n]{0,300})\]\([^()\n]{0,600}\)"
)  # bounded: a run of brackets must not take quadratic time
TOKEN = re.compile(r"[^\s|,;()<>\"'`\[\]]+")
LINE_SUFFIX = re.compile(r"(?::L?|#L)(\d{1,9})(?:[-–:](?:L|#L)?\d+)*$")
LINE_AFTER = re.compile(r"[\s`,(:*]{0,4}(?:lines?\s*|L)(\d{1,9})\b", re.IGNORECASE)
EXTENSION = re.compile(r"\.[A-Za-z]\w{0,9}$")
BARE_FILES = frozenset(("makefile", "dockerfile", "license", "rakefile", "gemfile", "justfile", "procfile"))
LONGEST_PATH = 400


class Line(NamedTuple):
    """One line and whether it is in a fenced code block (or is its fence)."""

    text: str
    code: bool


class Table(NamedTuple):
    """A table whose rows all have one cell for each column; surplus cells are joined to the last."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Place(NamedTuple):
    """A file, and the line in it if one was given."""

    file: str
    line: Optional[int] = None

    def __str__(self) -> str:
        """As it is written: file:line."""
        return self.file if self.line is None else f"{self.file}:{self.line}"


def lines(text: str) -> list[Line]:
    """The text's lines, those of fenced code marked; an unclosed fence is plain text, and so swallows no heading."""
    raw = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff").split("\n")
    fences = [(number, match[1], match[2]) for number, line in enumerate(raw) if (match := FENCE.match(line))]
    code = [False] * len(raw)
    position = 0
    while position + 1 < len(fences):
        closing = _closing(fences, position)
        if closing is None:
            position += 1
            continue
        start, end = fences[position][0], fences[closing][0]
        code[start : end + 1] = [True] * (end + 1 - start)
        position = closing + 1
    return [Line(line, inside) for line, inside in zip(raw, code)]


def unwrapped(text: str) -> Optional[str]:
    """The text between the first markdown fence and the last bare one."""
    raw = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    fences = [(number, match[2]) for number, line in enumerate(raw) if (match := FENCE.match(line))]
    opening = [number for number, info in fences if info.lower() in {"markdown", "md"}]
    if not opening:
        return None
    closing = [number for number, info in fences if not info and number > opening[0]]
    return "\n".join(raw[opening[0] + 1 : closing[-1] if closing else len(raw)])


def heading(line: Line) -> Optional[tuple[int, str]]:
    """Level and text of a heading line, outside code."""
    match = None if line.code else HEADING.match(line.text)
    return (len(match[1]), match[2].rstrip().rstrip("#").rstrip()) if match else None


def plain(text: str) -> str:
    """The text without emphasis, backticks and links."""
    return LINK.sub(r"\1", text).replace("`", "").replace("**", "").replace("__", "").strip(" \t*")


def key(text: str) -> str:
    """A name as it is compared with others: without emphasis, case, signs or doubled spaces."""
    return " ".join(re.findall(r"[^\W_]+", plain(text).casefold()))


def cells(row: str) -> list[str]:
    """A table row's cells; a bar that is escaped or in backticks does not divide."""
    row = row.strip()
    signs = SIGN.findall(row)
    if "`" in signs:  # an unpaired backtick must not swallow the cells after it
        return [cell.strip() for cell in row.strip("|").split("|")]
    divided = "".join("\n" if sign == "|" else sign for sign in signs).split("\n")
    found = [re.sub(r"\\(.)", _unescaped, cell).strip() for cell in divided[row.startswith("|") :]]
    return found[:-1] if found and not found[-1] else found


def tables(part: Sequence[Line]) -> list[Table]:
    """The tables of a stretch, with or without outer bars, with or without the rule line below the header."""
    found: list[Table] = []
    run: list[str] = []
    for line in [*part, Line("", code=False)]:
        if not line.code and "|" in line.text and not ITEM.match(line.text):
            run.append(line.text)
            continue
        found.extend(_table(run))
        run = []
    return found


def items(part: Sequence[Line]) -> list[str]:
    """The list items of a stretch, outermost level only, each with the lines that belong to it."""
    found: list[str] = []
    outer: Optional[int] = None
    for line in part:
        match = None if line.code else ITEM.match(line.text)
        depth = len(match[1].expandtabs(4)) if match else 0
        if match and (outer is None or depth <= outer):
            outer = depth
            found.append(match[2].rstrip())
        elif found and line.text.strip():
            found[-1] += "\n" + (line.text if line.code else line.text.strip())
    return found


def prose(part: Sequence[Line]) -> str:
    """A stretch as text, without the blank lines around it."""
    return "\n".join(line.text for line in part).strip()


def place(text: str) -> Optional[Place]:
    """The file:line in a cell or sentence; else the first thing that looks like a file."""
    found = _spots(text)
    return next((spot for spot in found if spot.line is not None), found[0] if found else None)


def places(text: str) -> list[Place]:
    """Every file:line in a text, once each, in order."""
    return list(dict.fromkeys(spot for spot in _spots(text) if spot.line is not None))


def same_file(path: str) -> str:
    """A path in one spelling: forward slashes, no leading ./, no doubled parts."""
    return posixpath.normpath(path.replace("\\", "/")) if path else path


def _closing(fences: Sequence[tuple[int, str, str]], position: int) -> Optional[int]:
    """The fence that closes this one; None if a fence that names a language comes first: this one is unclosed."""
    mark = fences[position][1]
    for number in range(position + 1, len(fences)):
        _, other, info = fences[number]
        if other[0] == mark[0] and len(other) >= len(mark):
            return None if info else number
    return None


def _unescaped(sign: re.Match[str]) -> str:
    return "|" if sign[1] == "|" else sign[0]


def _table(run: list[str]) -> list[Table]:
    ruled = next((number for number in range(1, len(run)) if _is_rule(run[number])), 0)
    if not ruled and not (len(run) > 1 and all(row.strip().startswith("|") for row in run)):
        return []
    columns = cells(run[max(ruled - 1, 0)])
    if not columns:
        return []
    rows = [_even(cells(row), len(columns)) for row in run[ruled + 1 :] if not _is_rule(row)]
    return [Table(tuple(map(plain, columns)), tuple(filter(any, rows)))]


def _is_rule(row: str) -> bool:
    return "-" in row and RULE.match(row) is not None


def _even(row: list[str], wide: int) -> tuple[str, ...]:
    """A row with as many cells as there are columns."""
    if len(row) > wide:
        return (*row[: wide - 1], " | ".join(row[wide - 1 :]))
    return (*row, *[""] * (wide - len(row)))


def _spots(text: str) -> list[Place]:
    bare = LINK.sub(r"\1", text)
    spans = [(match.start(), match.end(), match[1].strip()) for match in SPAN.finditer(bare)]
    tokens = [
        (match.start(), match.end(), match[0])
        for match in TOKEN.finditer(SPAN.sub(lambda span: " " * len(span[0]), bare))
    ]
    found = [_spot(word, bare[end : end + 24]) for _, end, word in sorted([*spans, *tokens])]
    return [spot for spot in found if spot]


def _spot(word: str, after: str) -> Optional[Place]:
    if len(word) > LONGEST_PATH or "://" in word:
        return None
    name = word.strip("*").rstrip(".:!?")
    suffix = LINE_SUFFIX.search(name)
    if suffix:
        name = name[: suffix.start()]
    if not _is_file(name):
        return None
    following = None if suffix else LINE_AFTER.match(after)
    line = suffix[1] if suffix else following[1] if following else None
    return Place(same_file(name), int(line) if line else None)


def _is_file(name: str) -> bool:
    if not any(sign.isalnum() for sign in name) or "\n" in name or set(name) & set("=;{}<>\"'"):
        return False
    spaced = " " in name and not EXTENSION.search(name)
    return not spaced and ("/" in name or "\\" in name or bool(EXTENSION.search(name)) or name.casefold() in BARE_FILES)
