"""Finds what looks like a file, a folder or a glob in a text, with the lines that are named beside it.

Ratios, times, hosts, URLs, versions, module names and products that merely look like files are left out.
"""

from __future__ import annotations

import re
from typing import NamedTuple, Optional

from bg.evidence.pathlike import KNOWN, extension, pathlike
from bg.pattern import pattern

MOST = 60
TICKED = pattern(r"(`{1,3})([^`\n]{1,400})\1")
LINKED = pattern(r"\[([^\]\[\n]{0,200})\]\(<?([^()\s<>]{1,400})>?(?:\s+\"[^\"\n]{0,80}\")?\)")
TRACED = pattern(r"File \"([^\"\n]{1,400})\", line (\d+)")
URL = pattern(r"[a-zA-Z][\w+.-]{1,15}://[^\s)\]>\"'`]*|[\w.+-]{1,64}@[\w-]+\.[\w.-]+")
# Letters of alphabets only: Chinese and Japanese put no blank between a path and the next word.
BARE = pattern(
    r"(?:[A-Za-z]:\\|~/|\.{1,2}[/\\]|/)?[A-Za-z0-9_\u00aa-\u024f\u0370-\u1fff.@+\-*?\[\]{},/\\()=#%]{2,400}"
)
LINES = pattern(
    r":(\d{1,7})(?:\s?[-–]\s?(\d{1,7})|:\d{1,5}(?:[-–]\d+)?)?(?![A-Za-z0-9_]|\.[A-Za-z0-9])|"
    r"#L(\d{1,7})(?:-L?(\d{1,7}))?"
)
NEAR = pattern(
    r"[`*\"')\]]{0,3}[\s,]{0,2}\(?(?:\bat\s|\bon\s|\bin\s)?(?:lines?|zeilen?|lignes?|líneas?|linhas?|righe|"
    r"riga|L|строк[аие]|行)\s?(\d{1,7})"
    r"(?:\s?(?:[-–]|to|bis|à|a)\s?(\d{1,7}))?(?!\d)|[`*\"')\]]{0,3}\s?第\s?(\d{1,7})\s?行",
    re.IGNORECASE,
)
CALLED = pattern(r"[`]?\((\d{1,6})(?:,\d+)?\)")
LINE_OF = pattern(
    r"(?:lines?|zeilen?|lignes?|líneas?)\s(\d{1,6})(?:\s?[-–]\s?(\d{1,6}))?\s(?:of|in|from|von|de|"
    r"del)\s(?:the\s(?:file\s)?)?$",
    re.IGNORECASE,
)
COUNTED = pattern(r"\{[^{}/]*,[^{}/]*\}")


class Mention(NamedTuple):
    """A path in a text: what it says, which lines, and where it stands."""

    path: str
    first: int
    last: int
    start: int
    end: int
    marked: bool


def mentions(text: str) -> list[Mention]:
    """The paths of a text, in order, none inside another."""
    text = text[:20_000]
    found: list[Mention] = []
    taken = [(url.start(), url.end()) for url in URL.finditer(text)]
    for trace in TRACED.finditer(text):
        _note(
            text, found, taken, Mention(trace[1], int(trace[2]), int(trace[2]), trace.start(), trace.end(), marked=True)
        )
    for link in LINKED.finditer(text):
        target = link[2]
        if "://" not in target and not target.startswith(("#", "mailto:")):
            path, first, last = _split(target)
            if pathlike(path, marked=True):
                _note(text, found, taken, Mention(path, first, last, link.start(), link.end(), marked=True))
        taken.append((link.start(), link.end()))
    for ticked in TICKED.finditer(text):
        start, end = ticked.span()
        path, first, last = _split(ticked[2].strip())
        if " " in path and not _named_with_blanks(path):
            continue
        if pathlike(path, marked=True):
            first, last, end = _lines_after(text, first, last, end)
            _note(text, found, taken, Mention(path, first, last, start, end, marked=True))
    blocked = [ticked.span() for ticked in TICKED.finditer(text)]
    taken += [span for span in blocked if span not in taken]
    for bare in BARE.finditer(text):
        if len(found) >= MOST:
            break
        _bare(text, bare, found, taken)
    return sorted(found, key=lambda each: each.start)[:MOST]


def _bare(text: str, bare: re.Match[str], found: list[Mention], taken: list[tuple[int, int]]) -> None:
    start, word = bare.start(), bare[0]
    if start and (text[start - 1] in "<@$:" or (text[start - 1].isalnum() and word[0] in "./\\")):
        return
    if word.startswith("*") and not word.startswith(("*.", "**/", "*/")):
        stars = len(word) - len(word.lstrip("*"))
        word, start = word[stars:], start + stars
    word = re.sub(r"(?<=[^/.])\*{1,3}$|\*{2,3}(?=[,.;:]?$)", "", word) if word.endswith("*") else word
    for opening in "([,":
        while word.startswith(opening):
            word, start = word[1:], start + 1
    end = start + len(word)
    if any(low < end and start < high for low, high in taken) or text[end : end + 1] == "<":
        return
    trimmed = _trim(word)
    for part in _parts(trimmed):
        at = text.find(part, start, end)
        path, first, last = _split(part)
        rest = at + len(part)
        lines = LINES.match(text, rest) if not first else None
        if lines:
            first, last = _numbers(lines)
            rest = lines.end()
        if pathlike(path, marked=False):
            first, last, rest = _lines_after(text, first, last, rest)
            _note(text, found, taken, Mention(path, first, last, at, rest, marked=False))


def _parts(word: str) -> list[str]:
    """A word with commas is several paths, unless they stand in braces."""
    if "," not in word or COUNTED.search(word):
        return [word]
    return [part for part in (_trim(each) for each in word.split(",")) if part]


def _trim(word: str) -> str:
    while word and (
        word[-1] in ".,;!?=#%+\\-\u00b7@" or (word[-1] in ")]}" and word.count(word[-1]) > word.count(_OPEN[word[-1]]))
    ):
        word = word[:-1]
    for closing, opening in (("(", ")"), ("[", "]")):
        if word.count(closing) > word.count(opening):
            word = word[: word.index(closing)]
    called = word.find("(")
    return word[:called] if called > 0 and word.endswith(")") and "." in word[:called] else word


_OPEN = {")": "(", "]": "[", "}": "{"}


def _note(text: str, found: list[Mention], taken: list[tuple[int, int]], mention: Mention) -> None:
    ahead = LINE_OF.search(text[max(0, mention.start - 50) : mention.start]) if not mention.first else None
    if ahead:
        first, last = _numbers(ahead)
        mention = mention._replace(first=first, last=last)
    if not any(low < mention.end and mention.start < high for low, high in taken):
        found.append(mention)
        taken.append((mention.start, mention.end))


def _numbers(lines: re.Match[str]) -> tuple[int, int]:
    given = [int(each) for each in lines.groups() if each]
    return given[0], max(given) if len(given) > 1 else given[0]


def _split(text: str) -> tuple[str, int, int]:
    """A path and the lines that are written to it."""
    lines = LINES.search(text)
    if lines and lines.end() == len(text) and lines.start():
        return text[: lines.start()], *_numbers(lines)
    path, mark, _ = text.partition("#")
    return (path if mark and path else text), 0, 0


def _lines_after(text: str, first: int, last: int, end: int) -> tuple[int, int, int]:
    """The lines that words behind a path name: `x.py` (line 28)."""
    called = CALLED.match(text, end) if not first else None
    if called:
        return int(called[1]), int(called[1]), called.end()
    near = NEAR.match(text, end) if not first else None
    if near:
        return (*_numbers(near), near.end())
    return first, last, end


def _named_with_blanks(path: str) -> bool:
    """Whether something with blanks is one file's name and no command or sentence."""
    if re.search(r"[=;|<>&$\"']|\s-|https?:", path) or path.count(" ") > 6:
        return False
    folder, _, name = path.rpartition("/")
    first = path.split(" ", 1)[0]
    return (
        bool(folder)
        and " " in name
        and extension(name) in KNOWN
        and "." not in first
        and first.startswith(folder.split(" ")[0])
    )


def globbed(path: str) -> bool:
    """Whether a path names several files."""
    return bool(re.search(r"[*?]|\{[^{}]*,[^{}]*\}", path))


def spread(path: str) -> list[str]:
    """A brace list as its members."""
    braces = COUNTED.search(path)
    if not braces:
        return [path]
    return [path[: braces.start()] + part.strip() + path[braces.end() :] for part in braces[0][1:-1].split(",")[:20]]


def lines_of(path: str, first: int, last: int) -> str:
    """A path with its lines as a subject spells it."""
    return path if not first else f"{path}:{first}" if last == first else f"{path}:{first}-{last}"


def folder(path: str) -> Optional[str]:
    """The folder that a path with a slash at its end names."""
    return path.rstrip("/\\") if path.endswith(("/", "\\")) else None
