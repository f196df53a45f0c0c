"""A report as statements: each with its words, its kind and the headings that it stands under.

Reads markdown, blocks, tables, drawn trees and JSON alike; nothing is ever rejected.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Optional

from bg import foreign
from bg.evidence.reader import MARKER, SKIPPED, STATEMENTS, Reader, Statement, field_name

MOST = 200_000
NESTING = 12


def statements(report: str, fields: Optional[Mapping[str, Any]]) -> list[Statement]:
    """Everything that is said; the fields of a block instead of its own text where they are given."""
    report = "".join(each for each in report[:MOST] if not "\ue000" <= each <= "\uf8ff").replace("\r\n", "\n")
    if fields is not None:
        report = _without_blocks(report)
    found = list(_document(report))
    for name, value in (fields or {}).items():
        if isinstance(name, str) and field_name(name) not in SKIPPED:
            text = _flat(value)[:MOST].replace("\r\n", "\n")
            text = "".join(each for each in text if not "\ue000" <= each <= "\uf8ff")
            found += Reader(text, field_name(name)).read()
    return found[:STATEMENTS]


def _without_blocks(report: str) -> str:
    kept, last, opened = [], 0, None
    for mark in MARKER.finditer(report):
        if mark[1] and opened == mark[2]:
            last, opened = mark.end(), None
        elif not mark[1] and opened is None:
            kept.append(report[last : mark.start()])
            opened, last = mark[2], mark.end()
    if opened is None:
        kept.append(report[last:])
    return "\n".join(kept)


def _flat(value: Any, depth: int = 0) -> str:
    if depth > NESTING:
        return ""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_flat(each, depth + 1)}" for key, each in list(value.items())[:500])
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_flat(each, depth + 1)}" for each in value[:500])
    return str(value) if value is not None else ""


def _document(report: str) -> Iterator[Statement]:
    text = report.strip()
    bare = re.sub(r"^```\w*\n|\n```$", "", text)
    if bare[:1] in "{[" and bare[-1:] in "]}" and bare:
        try:
            given = foreign.loads(bare)
        except ValueError:
            given = None
        if isinstance(given, (dict, list)):
            yield from _from_json(given, ())
            return
    yield from Reader(report, "").read()


def _from_json(given: Any, under: tuple[str, ...]) -> Iterator[Statement]:
    """Each string of a JSON report under its keys; a small object of plain values is one statement."""
    if len(under) > NESTING:
        return
    if isinstance(given, dict):
        plain = all(not isinstance(value, (dict, list)) for value in given.values())
        if under and plain:
            joined = ", ".join(f"{key}: {value}" for key, value in given.items())
            yield Statement(joined[:2000], "json", under)
        else:
            for key, value in given.items():
                yield from _from_json(value, (*under, str(key)))
    elif isinstance(given, list):
        for value in given[:500]:
            yield from _from_json(value, under)
    elif given is not None and (under[-1].lower() if under else "") not in SKIPPED:
        yield Statement(str(given)[:4000], "json", under)
