"""Reads append-only JSONL findings: one report a line, or a sentence on what is wrong with the line.

A line holds the finding (`issue`, `title`, …), its place (`location`, or `file` and `line`), `category`, `severity`,
`confidence` and `agent`, and a `verdict` if somebody disputes it; the report's detail keeps all of it.
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
    """A text that agents wrote, with the name to show for it."""

    name: str
    data: bytes


class Unreadable(NamedTuple):
    """A piece that could not be taken in: its source, its line if it has one, the reason, and its beginning."""

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
    """Line number, raw line, and its report or the fault; an unusable confidence is a fault beside its report."""
    for number, raw, record in _records(source):
        found = record if isinstance(record, str) else _report(source.name, record)
        yield number, raw, found
        if isinstance(found, Report) and found.confidence is None:
            stated = _values(record)["confidence"]
            if stated:
                yield number, raw, phrases.ODD_CONFIDENCE.format(stated=stated[:40])


def _records(source: Source) -> Iterator[tuple[int, str, Any]]:
    """Line number, raw line, and its object or the fault; each element of an array counts as a line."""
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


def _loaded(text: str) -> Any:
    """The JSON value, or a sentence on what is wrong."""
    try:
        value = foreign.loads(text, parse_constant=_refuse)
    except ValueError as error:
        return f"not JSON: {error}"
    return "not a JSON object" if isinstance(value, str) else value


def _refuse(constant: str) -> NoReturn:
    message = f"{constant} is not a JSON number"
    raise ValueError(message)


def _is_utf8(line: bytes) -> bool:
    try:
        line.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _report(source: str, record: dict[str, Any]) -> Union[Report, str]:
    """The report in a record, or a sentence on why there is none."""
    inner = record.get("finding")
    if isinstance(inner, dict):
        record = {**record, **inner, "finding": ""}
    given = _values(record)
    spot = _place(record)
    if not given["text"] and not (spot and given["id"]):
        return phrases.NOTHING_FOUND
    agent = markdown.key(given["agent"]).replace(" ", "-") or Path(source).stem
    kind = "" if markdown.key(given["category"]) in NO_CATEGORY else given["category"]
    return Report(
        reporter=agent,
        agent=agent,
        agent_type=given["agent type"] or agent,
        source=source,
        id=given["id"],
        text=given["text"] or given["id"],
        category=category(kind, given["id"]),
        severity=form.severity(given["severity"]),
        stated_severity=given["severity"],
        file=spot.file if spot else "",
        line=spot.line if spot else None,
        confidence=form.inside(form.number(given["confidence"])),
        inherited=False,
        disputes=_disputes(record, given["verdict"]),
        detail=json.dumps(record, ensure_ascii=False, sort_keys=True),
    )


def _values(record: dict[str, Any]) -> dict[str, str]:
    """For each field, the first of its spellings that holds a string or a number, as text; empty if none does."""
    texts = {_key(name): text for name, value in reversed(list(record.items())) if (text := _text(value))}
    return {what: next((texts[name] for name in names if name in texts), "") for what, names in KEYS.items()}


@lru_cache(maxsize=1000)
def _key(name: str) -> str:
    """A key in one spelling; cached, as the records of a file share a few keys."""
    return markdown.key(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name))


def _text(value: object) -> str:
    return str(value).strip() if isinstance(value, (str, int, float)) and not isinstance(value, bool) else ""


def _place(record: dict[str, Any]) -> Optional[markdown.Place]:
    inner = (value for name, value in record.items() if _key(name) in KEYS["location"] and isinstance(value, dict))
    where = next(inner, None)
    if where is not None:
        return _place(where)
    given = _values(record)
    stated, line = given["location"], form.number(given["line"])
    spot = (markdown.place(f"`{stated}`") or markdown.place(stated)) if stated else None
    if spot and spot.line is None and line is not None and line > 0:
        return markdown.Place(spot.file, int(line))
    return spot


def _disputes(record: dict[str, Any], verdict: str) -> bool:
    """Whether a record takes an issue back: by its verdict, or by a key that is true."""
    return markdown.key(verdict) in DISPUTES or any(
        _key(name) in DISPUTES and value is True for name, value in record.items()
    )
