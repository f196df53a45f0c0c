"""Flow collections, `[{text: Which one?}]`: what is between JSON and YAML, read leaf by leaf as strings."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def value(text: str) -> Any:
    """A flow collection (`[{text: Which one?}]`): every leaf a string; None if it is not one."""
    try:
        found, end = _collection(text, 0, 0)
    except (ValueError, IndexError):
        return None
    return found if not text[end:].strip() else None


def _collection(text: str, at: int, depth: int) -> tuple[Any, int]:
    if depth > 8:
        raise ValueError
    opening = text[at]
    closing = {"[": "]", "{": "}"}[opening]
    found: list[Any] = []
    pairs: dict[str, Any] = {}
    at = _skip(text, at + 1)
    while text[at] != closing:
        if opening == "{":
            key, at = _leaf(text, at, ":")
            at = _skip(text, at + 1)
            pairs[key], at = _node(text, at, depth)
        else:
            item, at = _node(text, at, depth)
            found.append(item)
        at = _skip(text, at)
        if text[at] == ",":
            at = _skip(text, at + 1)
        elif text[at] != closing:
            raise ValueError
    return (pairs if opening == "{" else found), at + 1


def _node(text: str, at: int, depth: int) -> tuple[Any, int]:
    return _collection(text, at, depth + 1) if text[at] in "[{" else _leaf(text, at, "")


def _leaf(text: str, at: int, end: str) -> tuple[str, int]:
    if text[at] in "\"'":
        close = text.index(text[at], at + 1)
        leaf, at = text[at + 1 : close], _skip(text, close + 1)
    else:
        start = at
        while text[at] not in ",[]{}" and not (text[at] == ":" and text[at + 1].isspace()):
            at += 1
        leaf = " ".join(text[start:at].split())
    if not leaf or (end and text[at] != end):
        raise ValueError
    return leaf, at


def _skip(text: str, at: int) -> int:
    while text[at].isspace():
        at += 1
    return at
