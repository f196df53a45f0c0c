"""Reads append-only JSONL findings: one report a line; a line that is none is a sentence on what is wrong with it.

A line says what was found (`issue`, `title`, …), where (`location`, or `file` and `line`), `category`, `severity`,
`confidence` and `agent`, and has a `verdict` where somebody disputes it; all of it is kept in the report's detail.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, NoReturn, Optional, Union

from bg import foreign
from bg.results import form, markdown
from bg.results.issues import category
from bg.words import phrases

KEYS = {
    "id": ("id", "issue id", "finding id"),
    "text": ("issue", "title", "finding", "message", "summary", "description", "text", "name"),
    "category": ("category", "class", "type"),
    "severity": ("severity", "level", "priority"),
    "confidence": ("confidence", "conf", "score"),
    "location": ("location", "file line", "file", "path", "where", "reference"),
    "line": ("line", "line number", "start line"),
    "agent": ("agent", "reporter", "agent name", "found by", "agent type", "agent id", "by"),
    "agent type": ("agent type", "role"),
    "verdict": ("verdict", "status", "state"),
}
DISPUTES = frozenset(
    ("false positive", "not an issue", "disputed", "refuted", "rejected", "invalid", "retracted", "withdrawn")
)
NO_CATEGORY = frozenset(("finding", "issue"))


class Source(NamedTuple):
    """A name to show, and what was written there."""

    name: str
    data: bytes


class Unreadable(NamedTuple):
    """What could not be taken in: where, its line if it has one, why, and the beginning of it."""

    source: str
    line: Optional[int]
    reason: str
    text: str


class Report(NamedTuple):
    """One reporter's statement of one issue; `inherited`: the confidence is that of the whole result."""

    reporter: str
    agent: str
    agent_type: str
    source: str
    id: str
    text: str
    category: str
    severity: str
    stated_severity: str
    file: str
    line: Optional[int]
    confidence: Optional[float]
    inherited: bool
    disputes: bool
    detail: str


def read(source: Source) -> Iterator[tuple[int, str, Union[Report, str]]]:
    """Line number, raw line, and its report or what is wrong; a confidence that is none is told beside its report."""
    for number, raw, record in _records(source):
        found = record if isinstance(record, str) else _report(source.name, record)
        yield number, raw, found
        stated = "" if isinstance(found, str) else _value(record, "confidence")
        if stated and isinstance(found, Report) and found.confidence is None:
            yield number, raw, phrases.ODD_CONFIDENCE.format(stated=stated[:40])


def inside(confidence: Optional[float]) -> Optional[float]:
    """The confidence, if it is one."""
    return confidence if confidence is not None and 0 <= confidence <= 100 else None


def _records(source: Source) -> Iterator[tuple[int, str, Any]]:
    """Line number, raw line and its object, or a sentence on what is wrong; an array counts as one line an element."""
    whole = source.data.decode("utf-8-sig", errors="replace")
    listed = _loaded(whole) if whole.lstrip().startswith("[") else None
    if isinstance(listed, list):
        yield from (
            (number, json.dumps(item), item if isinstance(item, dict) else "not a JSON object")
            for number, item in enumerate(listed, 1)
        )
        return
    for number, line in enumerate(source.data.removeprefix(b"\xef\xbb\xbf").split(b"\n"), 1):
        raw = line.decode("utf-8", errors="replace").strip()
        if not raw:
            continue
        found = "not UTF-8" if "\ufffd" in raw and not _is_utf8(line) else _loaded(raw)
        yield number, raw, found if isinstance(found, (dict, str)) else "not a JSON object"


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _loaded(text: str) -> Any:
    """The JSON value; a sentence where there is none."""
    try:
        value = foreign.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return f"not JSON: {error}"
    return "not a JSON object" if isinstance(value, str) else value


def _refuse(constant: str) -> NoReturn:
    message = f"{constant} is not a JSON number"
    raise ValueError(message)


def _report(source: str, record: dict[str, Any]) -> Any:
    """The report in a record, or a sentence on why it is none."""
    inner = record.get("finding")
    if isinstance(inner, dict):
        record = {**record, **inner, "finding": ""}
    spot = _place(record)
    text = _value(record, "text")
    if not text and not (spot and _value(record, "id")):
        return phrases.NOTHING_FOUND
    name = _value(record, "id")
    agent = markdown.key(_value(record, "agent")).replace(" ", "-") or Path(source).stem
    stated = _value(record, "category")
    kind = category("" if markdown.key(stated) in NO_CATEGORY else stated, name)
    severity = _value(record, "severity")
    return Report(
        reporter=agent,
        agent=agent,
        agent_type=_value(record, "agent type") or agent,
        source=source,
        id=name,
        text=text or name,
        category=kind,
        severity=form.severity(severity),
        stated_severity=severity,
        file=spot.file if spot else "",
        line=spot.line if spot else None,
        confidence=inside(form.number(_value(record, "confidence"))),
        inherited=False,
        disputes=markdown.key(_value(record, "verdict")) in DISPUTES
        or any(_key(name) in DISPUTES and value is True for name, value in record.items()),
        detail=json.dumps(record, ensure_ascii=False, sort_keys=True),
    )


def _place(record: dict[str, Any]) -> Optional[markdown.Place]:
    where = next(
        (value for name, value in record.items() if _key(name) in KEYS["location"] and isinstance(value, dict)), None
    )
    if where is not None:
        return _place(where)
    stated = _value(record, "location")
    spot = (markdown.place(f"`{stated}`") or markdown.place(stated)) if stated else None
    line = form.number(_value(record, "line"))
    if spot and spot.line is None and line is not None and line > 0:
        return markdown.Place(spot.file, int(line))
    return spot


def _value(record: dict[str, Any], what: str) -> str:
    """The first of the field's spellings that holds a string or a number, as text."""
    by_key = {_key(name): value for name, value in reversed(list(record.items()))}
    found = (by_key.get(name) for name in KEYS[what])
    return next(
        (
            str(value).strip()
            for value in found
            if isinstance(value, (str, int, float)) and not isinstance(value, bool) and str(value).strip()
        ),
        "",
    )


@lru_cache(maxsize=1000)
def _key(name: str) -> str:
    """The same few names stand in every record of a file."""
    return markdown.key(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))
