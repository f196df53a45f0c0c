"""Reads issues out of the lists and tables of a result; `contract` puts them into the record."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, Optional

from bg.results import form, markdown
from bg.results.markdown import Line, Place, Table

# Letters, dash, digits, as in SEC-001; but not the names of standards in that form, as ISO-8601.
IDENTIFIER = re.compile(
    r"[\s#*_>\d.)•+\[-]{0,12}\b((?!UTF-|SHA-|ISO-|CVE-|CWE-|RFC-|HTTP-|MD-|ES-)[A-Z][A-Z0-9]{0,9}-\d{1,6})\b"
)
SEVERITY = re.compile(r"\bseverity\W{0,4}[:=]", re.IGNORECASE)
INLINE_SEVERITY = re.compile(r"\s{0,9}[—–-]\s{0,9}severity\b", re.IGNORECASE)
ITEM_PLACES = ("location", "file", "file line", "where", "at")
FIELD = re.compile(r"(?:^|[|\n;—–])[\s*_•-]{0,8}([A-Za-z][A-Za-z:/_ ]{1,24}?)[\s*_]{0,4}[:=][\s*_]*([^|\n;—–]*)")
BRACKETED = re.compile(r"[\[(]\s*([A-Za-z]+)\s*[\])]|^\W{0,4}([A-Za-z]+)\W{0,2}:")
NOTHING = frozenset(
    (
        "",
        "none",
        "n a",
        "na",
        "nil",
        "nothing",
        "not applicable",
        "no issues",
        "no blockers",
        "no issues found",
        "none found",
        "no changes",
        "none identified",
    )
)


class Part(NamedTuple):
    """One subsection of the findings, its text as written."""

    name: str
    text: str
    tables: tuple[Table, ...]


class Issue(NamedTuple):
    """One issue, from a findings table or the Issues section; severity in the contract's words and as stated."""

    id: str
    text: str
    category: str
    severity: str
    stated_severity: str
    place: Optional[Place]
    confidence: Optional[float]
    detail: str


def issues(parts: Sequence[Part], section: Sequence[Line]) -> list[Issue]:
    """The issues of the findings' tables, then those that only the Issues section or a list in the findings has."""
    details = _details(parts)
    found = [issue for part in parts for table in part.tables for issue in _of_table(table, details)]
    found += [issue for issue in _of_section(section, details) if not any(_same(issue, row) for row in found)]
    listed = {item: markdown.places(item) for part in parts for item in markdown.items(markdown.lines(part.text))}
    found += _rated(listed, details, {issue.place for issue in found})
    return [_with_items(issue, listed) for issue in found]


def said(part: Sequence[Line]) -> list[str]:
    """A section's items, or its text if it has no list; any that only says "none" is left out."""
    return [item for item in markdown.items(part) or [markdown.prose(part)] if not says_nothing(item)]


def says_nothing(text: str) -> bool:
    """Whether a section or item only says that it has nothing to say."""
    return markdown.key(text) in NOTHING


def column(table: Table, what: str) -> Optional[int]:
    """The index of the table's column with that meaning or, if the contract knows no such meaning, with that name."""
    spellings = form.COLUMNS.get(what, {markdown.key(what)})
    return next((at for at, name in enumerate(table.columns) if (markdown.key(name) or name) in spellings), None)


def by_meaning(table: Table) -> Iterator[dict[str, str]]:
    """Each row's cells by the meaning of their columns; empty for a meaning that no column has."""
    at = {what: column(table, what) for what in form.COLUMNS}
    for row in table.rows:
        yield {what: "" if number is None else row[number] for what, number in at.items()}


def category(stated: str, name: str) -> str:
    """The stated category in one spelling, else the one that the identifier's letters stand for (SEC-001)."""
    prefix = form.category(name.split("-", maxsplit=1)[0])
    return form.category(stated) or (prefix if prefix in form.FORM["categories"] else "")


def _details(parts: Sequence[Part]) -> dict[str, str]:
    """The text on each issue in the findings, from its identifier or title on, outside the tables."""
    found: dict[str, list[str]] = {}
    titles = _titles(parts)
    for part in parts:
        current: list[str] = []
        for line in markdown.lines(part.text):
            name = "" if line.code else _headed(line.text, titles)
            if name:
                current = found.setdefault(name, [])
            current.append(line.text)
    return {name: "\n".join(lines) for name, lines in found.items()}


def _titles(parts: Sequence[Part]) -> set[str]:
    """The titles of the issues in the findings' tables."""
    tables = [table for part in parts for table in part.tables if column(table, "issue") is not None]
    return {markdown.key(cell["issue"]) for table in tables for cell in by_meaning(table)} - {""}


def _headed(line: str, titles: set[str]) -> str:
    """The identifier or title of the issue that this line begins to describe; empty if it begins none."""
    named = None if line.lstrip().startswith("|") else IDENTIFIER.match(line)
    if named:
        return named[1]
    title = markdown.key(line)
    return title if title in titles else ""


def _of_table(table: Table, details: dict[str, str]) -> Iterator[Issue]:
    """The issues of a table; none if it lists something else."""
    if not _lists_issues(table):
        return
    for row, cell in zip(table.rows, by_meaning(table)):
        spot = markdown.place(cell["location"]) or markdown.place(cell["issue"])
        if spot and spot.line is None and re.fullmatch(r"\s*[0-9]{1,9}\s*", cell["line"]):
            spot = Place(spot.file, int(cell["line"]))
        yield _issue({**cell, "issue": cell["issue"] or cell["id"]}, spot, " | ".join(row), details)


def _lists_issues(table: Table) -> bool:
    return column(table, "severity") is not None and (
        column(table, "issue") is not None or column(table, "id") is not None
    )


def _issue(cell: dict[str, str], spot: Optional[Place], written: str, details: dict[str, str]) -> Issue:
    name, text, stated = (markdown.plain(cell[what]) for what in ("id", "issue", "severity"))
    detail = details.get(name) or details.get(markdown.key(text), "")
    return Issue(
        id=name,
        text=text,
        category=category(cell["category"], name),
        severity=form.severity(stated),
        stated_severity=stated,
        place=spot,
        confidence=form.number(markdown.plain(cell.get("confidence", ""))),
        detail=f"{written}\n{detail}".strip(),
    )


def _of_section(section: Sequence[Line], details: dict[str, str]) -> list[Issue]:
    """The issues of the Issues section: from its tables, or from its items if no table lists issues."""
    tables = [table for table in markdown.tables(section) if _lists_issues(table)]
    if not tables:
        return [_item_issue(item, details) for item in said(section)]
    return [issue for table in tables for issue in _of_table(table, details)]


def _item_issue(item: str, details: dict[str, str]) -> Issue:
    cell = {markdown.key(match[1]): match[2] for match in FIELD.finditer(item)}
    text = next(iter(markdown.cells(item.split("\n", maxsplit=1)[0])), "") or item
    text = INLINE_SEVERITY.split(markdown.plain(text), maxsplit=1)[0]
    named = IDENTIFIER.match(text)
    spot = next((markdown.place(cell[name]) for name in ITEM_PLACES if name in cell), None)
    cell["id"] = named[1] if named else ""
    cell["issue"] = (text[named.end() :].lstrip("])*_ :–—-") if named else "") or text
    cell["severity"] = cell.get("severity") or _marked_severity(item)
    cell["category"] = cell.get("category") or cell.get("type", "")
    return _issue(cell, spot or next(iter(markdown.places(item)), None), item, details)


def _marked_severity(item: str) -> str:
    """The first severity in brackets or before a colon."""
    words = (match[match.lastindex or 0] for match in BRACKETED.finditer(item))
    return next(filter(form.severity, words), "")


def _same(issue: Issue, row: Issue) -> bool:
    """Whether an item of the Issues section only repeats a row of the findings."""
    named = bool(issue.id and issue.id == row.id) or markdown.key(issue.text) == markdown.key(row.text)
    return named and issue.place in {None, row.place}


def _rated(listed: Iterable[str], details: dict[str, str], known: set[Optional[Place]]) -> list[Issue]:
    """The issues in list items that state a severity, except at places that are known."""
    rated = [_item_issue(item, details) for item in filter(SEVERITY.search, listed)]
    return [issue for issue in rated if issue.severity and issue.place not in known]


def _with_items(issue: Issue, listed: dict[str, list[Place]]) -> Issue:
    """The issue, completed by the list items about its place: their text and, if it has none, their confidence."""
    told = [item for item, spots in listed.items() if issue.place in spots and item not in issue.detail]
    said_there = [match for item in told for match in FIELD.finditer(item)]
    stated = (form.number(match[2]) for match in said_there if match[1].lower() == "confidence")
    confidence = issue.confidence if issue.confidence is not None else next(stated, None)
    return issue._replace(confidence=confidence, detail="\n".join([issue.detail, *told]))
