"""Problems: the faults of a signal's fields, by its schema, in finished sentences."""

from __future__ import annotations

import re

from bg.protocol.draft import MOST, Draft, short
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from bg.protocol.blocks import Block

    Violation = tuple[tuple[Any, ...], str]

TYPES: dict[str, type] = {"object": dict, "array": list, "string": str}
# For each keyword of a schema, the test that a value breaks it.
_BREAKS: dict[str, Callable[[Any, Any], bool]] = {
    "type": lambda given, name: not isinstance(given, TYPES[name]),
    "enum": lambda given, allowed: given not in allowed,
    "minItems": lambda given, least: isinstance(given, list) and len(given) < least,
    "minLength": lambda given, least: isinstance(given, str) and len(given) < least,
    "pattern": lambda given, form: isinstance(given, str) and not re.search(form, given),
}


class Problem(Record):
    """One fault of a field; `text` is the finished sentence."""

    field: str
    line: int
    expected: str
    text: str


def judged(
    block: Block, spec: Mapping[str, Any], draft: Draft, violations: set[Violation]
) -> tuple[list[Problem], list[str]]:
    """The violations of a schema that are problems, and notes on the others."""
    problems: list[Problem] = []
    notes: list[str] = []
    for name, count in draft.too_many.items():
        line = draft.lines.get(name, block.line)
        text = f"of {count} {name} only the first {MOST} are read."
        problems.append(Problem(name, line, f"at most {MOST}", f"{block.marker}, line {line}: {text}"))
    order = list(spec["properties"])
    by_path: dict[tuple[Any, ...], set[str]] = {}
    for path, kind in violations:
        by_path.setdefault(path, set()).add(kind)
    for path in sorted(by_path, key=lambda path: (order.index(path[0]), *map(str, path[1:]))):
        kinds = by_path[path]
        each = _at(spec, path)
        empty = bool(kinds & {"minLength", "minItems"})
        name = _name(path)
        line = draft.lines.get(str(path[0]), block.line)
        if "missing" not in kinds and not empty and each.get("x-severity") == "note":
            notes.append(f"{name} {short(_value(draft.fields, path))} is no {each['description']}")
            continue
        if "missing" in kinds or empty:
            expected = placeholder(each)
            text = f"{name} is {'empty' if empty else 'missing'}; expected {expected}."
        else:
            expected = f"one of {', '.join(each['enum'])}" if "enum" in kinds else each["type"]
            text = f"{name} is {short(str(_value(draft.fields, path)))}; expected {expected}."
        problems.append(Problem(name, line, expected, f"{block.marker}, line {line}: {text}"))
    return problems, notes


def placeholder(each: Mapping[str, Any]) -> str:
    """A field's text in a template: its values if the schema lists them, else its description."""
    return f"<{'|'.join(offered(each)) if 'enum' in each else each['description']}>"


def offered(each: Mapping[str, Any]) -> list[str]:
    """The values of a field that agents are told of; others are accepted too."""
    return [value for value in each["enum"] if value not in each.get("x-not-offered", [])]


def violations(given: Any, spec: Mapping[str, Any], path: tuple[Any, ...] = ()) -> Iterator[Violation]:
    """The path and the keyword of each violation, as JSON Schema counts them; that of a missing field is "missing"."""
    yield from ((path, keyword) for keyword in _broken(given, spec))
    if isinstance(given, dict):
        yield from (((*path, name), "missing") for name in spec.get("required", ()) if name not in given)
        for name, each in spec.get("properties", {}).items():
            if name in given:
                yield from violations(given[name], each, (*path, name))
    elif isinstance(given, list) and "items" in spec:
        for place, item in enumerate(given):
            yield from violations(item, spec["items"], (*path, place))


def _at(spec: Mapping[str, Any], path: tuple[Any, ...]) -> Mapping[str, Any]:
    for part in path:
        spec = spec["items"] if isinstance(part, int) else spec["properties"][part]
    return spec


def _name(path: tuple[Any, ...]) -> str:
    """A path as people write it, such as `questions[1].text`."""
    return "".join(f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in path).lstrip(".")


def _value(given: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        given = given[part]
    return given


def _broken(given: Any, spec: Mapping[str, Any]) -> Iterator[str]:
    """The keywords that a value itself breaks, regardless of its items."""
    return (keyword for keyword, breaks in _BREAKS.items() if keyword in spec and breaks(given, spec[keyword]))
