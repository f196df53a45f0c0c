"""Reads the fields of a block line by line: a key at column 0, the text below it; standard library only."""

from __future__ import annotations

import re

from bg import foreign
from bg.pattern import pattern
from bg.protocol.marks import INVISIBLE
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

_KEY = pattern(
    r"(?P<bullet>(?:[-*+\u2022]\s+)?)(?P<key>[^\s:\uff1a][^:\uff1a]{0,48})(?P<colon>[:\uff1a])(?P<rest>.*)", re.DOTALL
)
_HEADING = pattern(r"(?:#{1,6}\s+(?P<title>[^#:]{1,40})|\*\*(?P<bold>[^*:]{1,40})\*\*)\s*")
_EMPHASIS = pattern(r"\*\*|__|`")
_SNAKE = pattern(r"[a-z][a-z0-9]*(?:_[a-z0-9]+)+")
_SCALAR = pattern(r"(?P<style>[|>])(?P<indent>[1-9]?)(?P<chomp>[+-]?)(?P<late>[1-9]?)")
_INDENT = pattern(r"[ \t]*")
_FENCE = pattern(r"(```+|~~~+)([^`]*)")
# Levels of nested JSON; deeper nesting is no report, and would exhaust the stack of recursive code.
_DEPTH = 20
# An unterminated string runs to the end, so that no quote is scanned twice.
_TRAILING_COMMA = pattern(r'("(?:[^"\\]|\\.?)*(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
_PAIRS = {'"': '"', "'": "'", "\u201c": "\u201d", "\u201d": "\u201d", "\u2018": "\u2019"}


class Key(Record):
    """A line that opens a field: its canonical name, whether that is its spelling, and the text after the colon."""

    name: str
    exact: bool
    known: bool
    bullet: bool
    raw: str
    rest: str


class Field(Record):
    """A field's name, the number of its line in the body (from 0), the text after the colon and the lines below."""

    name: str
    line: int
    first: str
    rest: list[str]

    def text(self) -> str:
        """The value as a string."""
        return value(self.first, self.rest)


def canonical(key: str) -> str:
    """The canonical form of a key: `agent_id` for `Agent ID`, `agent-id`, `agentId` and `**agent_id**`."""
    key = key.translate(INVISIBLE).strip(" \t\u00a0*`_\"'\u201c\u201d\u2018\u2019#")
    key = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key)
    return re.sub(r"[\s\-_\u00a0]+", "_", key).lower()


def key_of(line: str, names: Mapping[str, str]) -> Key | None:
    """The key that a line opens with, if it is one of `names` or a snake_case key of the sender's own."""
    match = _KEY.match(line.translate(INVISIBLE) if line[:1] in "\ufeff\u200b\u2060" else line)
    if match is None:
        return _heading(line, names)
    raw, rest = match["key"].rstrip(), match["rest"]
    name = names.get(canonical(raw))
    spaced = not rest[:1].strip()
    if name is None:
        own = _SNAKE.fullmatch(raw) and spaced and not match["bullet"]
        return Key(raw, True, False, False, raw, rest) if own else None
    exact = (raw, match["colon"], match["bullet"]) == (name, ":", "") and spaced
    emphasis = _EMPHASIS.match(raw)
    if emphasis and not raw.endswith(raw[0]):  # the emphasis ends after the colon
        raw, rest = f"{raw}:{emphasis[0]}", rest.lstrip().removeprefix(emphasis[0])
    return Key(name, exact, True, bool(match["bullet"]), match["bullet"] + raw, rest)


def split(body: str, names: Mapping[str, str], lists: Mapping[str, Mapping[str, str]]) -> tuple[list[Field], list[str]]:
    """The fields of a body in order, and the repairs; the first field, without a name, is the text before any key.

    `names` maps each accepted spelling to the field it means; `lists` gives the keys of the items of list fields.
    """
    lines = body.split("\n")
    quoted = _quoted(lines)
    keys = {
        number: key
        for number, line in enumerate(lines)
        if line[:1].strip() and number not in quoted and (key := key_of(line, names))
    }
    found = _Split(keys, lists, next((number for number, line in enumerate(lines) if line.strip()), 0))
    for number, line in enumerate(lines):
        found.take(number, line)
    return found.fields, found.repairs


def dedent(lines: Iterable[str]) -> list[str]:
    """The lines without their common indent; blank lines do not count."""
    lines = list(lines)
    common = min((_indent(line) for line in lines if line.strip()), default=0)
    return [line[min(common, _indent(line)) :] for line in lines]


def value(first: str, rest: list[str]) -> str:
    """A field's text as written: block scalars unfolded, one pair of surrounding quotes removed."""
    head = first.strip()
    style = _SCALAR.fullmatch(head)
    if style is not None:
        return _scalar(style, rest)
    lines = _to_its_end([*([head] if head else []), *dedent(rest)])
    while lines and not lines[0].strip():
        lines.pop(0)
    return unquoted("\n".join(lines))


def unquoted(text: str) -> str:
    """The text without one pair of matching quotes around all of it."""
    closing = _PAIRS.get(text[:1])
    if closing is None or len(text) < 2 or text[-1] != closing:
        return text
    inner = text[1:-1]
    if text[0] == '"':
        plain = inner.replace('\\"', "")
        return text if '"' in plain else inner.replace('\\"', '"')
    if text[0] == "'":
        return text if "'" in inner.replace("''", "") else inner.replace("''", "'")
    return text if text[0] in inner or (closing in inner and closing != "\u2019") else inner


def as_text(given: Any) -> str:
    """A JSON or YAML value as the text a person would have written; strings stay as they are."""
    if given is None:
        return ""
    if isinstance(given, str):
        return given
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, list):
        return "\n".join("- " + as_text(item).replace("\n", "\n  ") for item in given)
    if isinstance(given, dict):
        return "\n".join(_pair(str(key), as_text(item)) for key, item in given.items())
    return str(given)


def json_value(text: str) -> Any:
    """The text as JSON with every number as written; a trailing comma is forgiven; None if it is not JSON."""
    for candidate in (text, _TRAILING_COMMA.sub(lambda match: match[1] or "", text)):
        try:
            found = foreign.loads(candidate, strict=False, parse_int=str, parse_float=str, parse_constant=str)
        except ValueError:
            continue
        return None if foreign.is_deeper(found, _DEPTH) else found
    return None


def _heading(line: str, names: Mapping[str, str]) -> Key | None:
    """The key of a line that is a heading, or is bold as a whole; None for any other line."""
    heading = _HEADING.fullmatch(line)
    name = names.get(canonical(heading["title"] or heading["bold"])) if heading else None
    return Key(name, False, True, False, line.strip(), "") if name else None


def _quoted(lines: list[str]) -> set[int]:
    """The lines of closed code fences at column 0: they hold pasted text, not keys."""
    inside: set[int] = set()
    opener: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        match = _FENCE.match(line)
        if match is None:
            continue
        if opener is None:
            opener = (number, match[1])
        elif match[1].startswith(opener[1]) and not match[2].strip():
            inside.update(range(opener[0], number + 1))
            opener = None
    return inside


class _Split:
    """The fields of a body while its lines are taken one by one."""

    def __init__(self, keys: Mapping[int, Key], lists: Mapping[str, Mapping[str, str]], first: int) -> None:
        self.keys, self.lists = keys, lists
        self.exactly = {key.name for key in keys.values() if key.exact}
        opening = keys.get(first)
        # Whether the whole body is a list of fields.
        self.bulleted = opening is not None and opening.bullet and opening.name not in self.exactly
        self.loose = False  # whether a key was spelled otherwise than in the protocol
        self.crowded = False  # whether text is at column 0 below the last key
        self.current = Field("", 0, "", [])
        self.fields = [self.current]
        self.seen: set[str] = set()
        self.later: dict[str, Field] = {}  # the second texts of fields that were given again, by name
        self.repairs: list[str] = []

    def take(self, number: int, line: str) -> None:
        """Take the next line, which opens a field or belongs to the last one."""
        key = self.keys.get(number)
        if key is None or not self._opens(key):
            self.current.rest.append(line)
            self.crowded = self.crowded or bool(line[:1].strip())
            return
        self.crowded = False
        if not key.exact:
            self.loose = True
            spelled = key.raw != key.name
            self.repairs.append(f"{key.raw!r} was read as {key.name}" if spelled else f"no space after {key.name}:")
        if key.name in self.seen:
            self._again(key, number)
        else:
            self.seen.add(key.name)
            self._open(Field(key.name, number, key.rest, []))

    def _opens(self, key: Key) -> bool:
        """Whether a key opens a field here; if not, it is part of the last field's text."""
        last = self.current.name
        if key.exact:
            return key.known or last not in self.lists
        if key.name in self.seen or key.name in self.exactly:
            return False
        if key.bullet and (last in self.lists or not self.bulleted):
            return False
        if canonical(key.raw) in self.lists.get(last, ()):
            return False
        return self.loose or not (self.crowded and last)

    def _again(self, key: Key, number: int) -> None:
        """Take a field that was given before: its first text is kept, and the later ones in a field of their own."""
        if key.name in self.later:
            self.current = self.later[key.name]
            self.current.rest.append(key.rest.strip())
            return
        name = f"{key.name}_2"
        self.repairs.append(f"{key.name} was given again; the later text is kept as {name}")
        self.later[key.name] = Field(name, number, key.rest, [])
        self._open(self.later[key.name])

    def _open(self, field: Field) -> None:
        self.current = field
        self.fields.append(field)


def _indent(line: str) -> int:
    match = _INDENT.match(line)
    return match.end() if match else 0


def _scalar(style: re.Match[str], rest: list[str]) -> str:
    explicit = style["indent"] or style["late"]
    lines = [line[min(int(explicit), _indent(line)) :] for line in rest] if explicit else dedent(rest)
    if style["chomp"] != "+":
        lines = _to_its_end(lines)
    return "\n".join(lines) if style["style"] == "|" else _folded(lines)


def _to_its_end(lines: list[str]) -> list[str]:
    """The lines without blank ones at the end."""
    while lines and not lines[-1].strip():
        lines.pop()
    return lines


def _folded(lines: list[str]) -> str:
    """The lines joined to one, except at those that are blank or indented."""
    text = ""
    for before, line in zip(["", *lines], lines):
        plain = before.strip() and line.strip() and not before.startswith(" ") and not line.startswith(" ")
        text += (" " if plain else "\n" if text else "") + line
    return text


def _pair(key: str, text: str) -> str:
    return f"{key}:\n  " + text.replace("\n", "\n  ") if "\n" in text else f"{key}: {text}"
