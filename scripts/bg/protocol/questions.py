"""Reads a list of questions in any of the shapes that models write; standard library only."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.protocol import fields
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_DASH = pattern(r"[-*+\u2022](?:\s+|$)")
_NUMBER = pattern(r"\(?\d{1,3}[.)]\s+")
_LABEL = pattern(
    r"#*\s*[*`_\"']*(?:q|question)[ _\-#]?(?P<number>\d{1,3})[*`_\"']*\s*(?:[:.)\uff1a]|\s[-\u2013\u2014]\s)[*`_]*\s*",
    re.IGNORECASE,
)
_SCALAR_ONLY = pattern(r"[|>][+-]?")


class Reading(Record):
    """The questions; the name of their shape, if it was not a list of maps; the keys that were spelled otherwise."""

    items: list[dict[str, str]]
    shape: str
    renamed: tuple[str, ...] = ()


def read(first: str, rest: list[str], names: Mapping[str, str]) -> Reading:
    """The items of a list field; `names` maps each accepted key of an item to its canonical name."""
    head = "" if _SCALAR_ONLY.fullmatch(first.strip()) else first.strip()
    lines = [head, *rest] if head else fields.dedent(rest)
    while lines and not lines[0].strip():
        lines.pop(0)
    text = "\n".join(lines).strip()
    if not text:
        return Reading([], "")
    if text[0] in "[{":
        given = fields.json_value(text)
        if given is None:
            given = value(text)
        if given is not None:
            return shaped(given, names)
    begins, shape = _opener(lines[0], names)
    if begins is None:
        return _plain(lines)
    renamed: dict[str, str] = {}
    items = [_item(chunk, names, renamed) for chunk in _chunks(lines, begins)]
    return Reading(items, shape, _said(renamed))


def shaped(given: Any, names: Mapping[str, str]) -> Reading:
    """Questions that were read as JSON or YAML."""
    renamed: dict[str, str] = {}
    if isinstance(given, dict) and not any(names.get(fields.canonical(str(key))) == "text" for key in given):
        pairs = [_labelled(str(key), item, names, renamed) for key, item in given.items()]
        return Reading(pairs, "a map", _said(renamed))
    items = given if isinstance(given, list) else [given]
    shape = "" if all(isinstance(item, dict) for item in items) else "plain strings"
    return Reading([_mapped(item, names, renamed) for item in items], shape, _said(renamed))


def value(text: str) -> Any:
    """A YAML flow collection (`[{text: Which one?}]`) with every leaf as a string; None if the text is none."""
    try:
        found, end = _collection(text, 0, 0)
    except (ValueError, IndexError):
        return None
    return found if not text[end:].strip() else None


def _opener(line: str, names: Mapping[str, str]) -> tuple[Callable[[str], object] | None, str]:
    """The test for the first lines of items, by the first line of the list, and the name of the shape if unusual."""
    dash = _DASH.match(line)
    if dash is not None:
        rest = line[dash.end() :]
        maps = not rest.strip() or rest.lstrip().startswith("{") or _key(rest, names) is not None
        return _DASH.match, "" if maps else "plain strings"
    if _NUMBER.match(line):
        return _NUMBER.match, "a numbered list"
    if _LABEL.match(line):
        return _LABEL.match, "a map"
    if _key(line, names) is not None:
        return _Again(names).opens, "fields without a list"
    return None, ""


def _key(line: str, names: Mapping[str, str]) -> fields.Key | None:
    key = fields.key_of(line, names)
    return key if key is not None and key.known else None


class _Again:
    """Recognizes an item's first line by a key that the item before already has."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = names
        self.seen: set[str] = set()

    def opens(self, line: str) -> bool:
        key = _key(line, self.names)
        if key is None:
            return False
        again = key.name in self.seen
        self.seen = {key.name} if again else self.seen | {key.name}
        return again


def _plain(lines: list[str]) -> Reading:
    """Text without any list: one question, or one for each line if every line ends with a question mark."""
    asked = [line.strip() for line in lines if line.strip()]
    if len(asked) > 1 and all(line.endswith("?") for line in asked):
        return Reading([_text_item(line) for line in asked], "plain strings")
    return Reading([_text_item(fields.value(lines[0], lines[1:]))], "plain text")


def _text_item(text: str) -> dict[str, str]:
    label = _LABEL.match(text)
    if label is not None and text[label.end() :].strip():
        return {"question_id": f"Q{label['number']}", "text": fields.unquoted(text[label.end() :].strip())}
    return {"text": text}


def _item(lines: list[str], names: Mapping[str, str], renamed: dict[str, str]) -> dict[str, str]:
    first, item = lines[0], {}
    for mark in (_DASH, _NUMBER):
        match = mark.match(first)
        if match is not None:
            width = match.end()
            lines = [" " * width + first[width:], *lines[1:]]
            break
    else:
        width = 0
    lines = [_shift(line, width) for line in lines]
    if lines[0].startswith("{"):
        text = "\n".join(lines).strip()
        given = fields.json_value(text)
        given = value(text) if given is None else given
        if isinstance(given, dict):
            return _mapped(given, names, renamed)
    label = _LABEL.match(lines[0])
    if label is not None:
        item["question_id"] = f"Q{label['number']}"
        lines[0] = lines[0][label.end() :]
    if not lines[0].strip():
        lines = fields.dedent(lines[1:])
    return {**item, **_fields(lines, names, renamed)}


def _shift(line: str, width: int) -> str:
    indent = len(line) - len(line.lstrip(" \t"))
    return line[min(width, indent) :]


def _mapped(item: Any, names: Mapping[str, str], renamed: dict[str, str]) -> dict[str, str]:
    if not isinstance(item, dict):
        return _text_item(fields.as_text(item))
    if len(item) == 1 and (key := str(next(iter(item)))) and _LABEL.fullmatch(key + ":"):
        return _labelled(key, item[key], names, renamed)
    mapped = {}
    for key, part in item.items():
        name = names.get(fields.canonical(str(key)), str(key))
        mapped[name] = fields.as_text(part)
        if name != key:
            renamed[str(key)] = name
    return mapped


def _labelled(key: str, item: Any, names: Mapping[str, str], renamed: dict[str, str]) -> dict[str, str]:
    label = _LABEL.fullmatch(key + ":")
    return {"question_id": f"Q{label['number']}" if label else key, **_mapped(item, names, renamed)}


def _fields(lines: list[str], names: Mapping[str, str], renamed: dict[str, str]) -> dict[str, str]:
    """The fields of one item; text before the first key is the question."""
    parts = [_Part("", 0, "", [])]
    seen = set()
    for line in lines:
        indent = len(line) - len(line.lstrip(" \t"))
        key = fields.key_of(line[indent:], names)
        if key is None or key.name in seen or not _opens(key, indent, parts[-1]):
            parts[-1].rest.append(line)
            continue
        seen.add(key.name)
        parts.append(_Part(key.name, indent, key.rest, []))
        if not key.exact:
            renamed[key.raw] = key.name
    leading = fields.value("", parts[0].rest)
    item = _text_item(leading) if leading else {}
    return {**item, **{part.name: fields.value(part.first, part.rest) for part in parts[1:]}}


class _Part(Record):
    """A key of an item: its column, the text after it and the lines below."""

    name: str
    column: int
    first: str
    rest: list[str]


def _opens(key: fields.Key, indent: int, last: _Part) -> bool:
    """Whether a key begins a part of its own; if not, it belongs to the text of the last part."""
    if indent <= last.column:
        return key.known or indent == 0
    is_literal = _SCALAR_ONLY.match(last.first.strip()) is not None
    return key.known and not is_literal and (key.exact or not last.name)


def _chunks(lines: list[str], begins: Callable[[str], object]) -> list[list[str]]:
    """The lines of each item; `begins` recognizes the first line of one."""
    chunks: list[list[str]] = []
    for line in lines:
        opens = line[:1].strip() and begins(line)
        if opens or not chunks:
            chunks.append([])
        chunks[-1].append(line)
    return chunks


def _said(renamed: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(f"{raw!r} was read as {name}" for raw, name in renamed.items())


def _collection(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > 8:
        raise ValueError
    opening = text[at]
    closing = {"[": "]", "{": "}"}[opening]
    found: list[Any] = []
    pairs: dict[str, Any] = {}
    at = _skip_blanks(text, at + 1)
    while text[at] != closing:
        if opening == "{":
            key, at = _leaf(text, at, ":")
            at = _skip_blanks(text, at + 1)
            pairs[key], at = _node(text, at, depth)
        else:
            item, at = _node(text, at, depth)
            found.append(item)
        at = _skip_blanks(text, at)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)
        elif text[at] != closing:
            raise ValueError
    return (pairs if opening == "{" else found), at + 1


def _skip_blanks(text: str, at: int) -> int:
    while text[at].isspace():
        at += 1
    return at


def _leaf(text: str, at: int, end: str) -> tuple[str, int]:
    if text[at] in "\"'":
        close = text.index(text[at], at + 1)
        leaf, at = text[at + 1 : close], _skip_blanks(text, close + 1)
    else:
        start = at
        while text[at] not in ",[]{}" and not (text[at] == ":" and text[at + 1].isspace()):
            at += 1
        leaf = " ".join(text[start:at].split())
    if not leaf or (end and text[at] != end):
        raise ValueError
    return leaf, at


def _node(text: str, at: int, depth: int) -> tuple[Any, int]:
    return _collection(text, at, depth + 1) if text[at] in "[{" else _leaf(text, at, "")
