"""Finds where fields do not keep to a schema, for the few keywords that the schemas of the signals use."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    Violation = tuple[tuple[Any, ...], str]

TYPES: dict[str, type] = {"object": dict, "array": list, "string": str}


def violations(given: Any, spec: Mapping[str, Any], path: tuple[Any, ...] = ()) -> Iterator[Violation]:
    """The path and the keyword of each violation, as JSON Schema counts them; a missing field stands in its path."""
    yield from ((path, keyword) for keyword in _broken(given, spec))
    if isinstance(given, dict):
        yield from (((*path, name), "missing") for name in spec.get("required", ()) if name not in given)
        for name, each in spec.get("properties", {}).items():
            if name in given:
                yield from violations(given[name], each, (*path, name))
    elif isinstance(given, list) and "items" in spec:
        for place, item in enumerate(given):
            yield from violations(item, spec["items"], (*path, place))


def _broken(given: Any, spec: Mapping[str, Any]) -> Iterator[str]:
    """The keywords that a value itself breaks, whatever is in it."""
    if "type" in spec and not isinstance(given, TYPES[spec["type"]]):
        yield "type"
    if "enum" in spec and given not in spec["enum"]:
        yield "enum"
    if isinstance(given, list) and len(given) < spec.get("minItems", 0):
        yield "minItems"
    if isinstance(given, str) and len(given) < spec.get("minLength", 0):
        yield "minLength"
    if isinstance(given, str) and "pattern" in spec and not re.search(spec["pattern"], given):
        yield "pattern"
