"""Reads a result in the contract's form into a typed record; a text that is not in the form reads as no result.

Nothing here raises over a text. The form itself is described in `form`, sections are found by `sections`, and what is
missing from a result says `conformance`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Optional

from bg.results import form, markdown, sections
from bg.results.issues import Issue, Part, column, empty, issues, said
from bg.results.markdown import Line, Place

FIGURE_NAME = r"\b(?:verified|inferred|combined)(?:[ _]+confidence[\s*_`]*[:=|]?|[\s*_`]*[:=|])"
FIGURE = re.compile(rf"({FIGURE_NAME})([^\n]*?)(?={FIGURE_NAME}|\n|$)", re.IGNORECASE)
RESOLUTION = re.compile(r"\s{0,9}[|;\n]?[\s*_•-]{0,9}\bresolution[\s*_]{0,4}:[\s*_]*", re.IGNORECASE)


class Reference(NamedTuple):
    """One row of Key References; no place where its location names no file."""

    item: str
    location: str
    relevance: str
    place: Optional[Place]


class Blocker(NamedTuple):
    """What stops the work and what would resolve it."""

    text: str
    resolution: str


class Confidence(NamedTuple):
    """The score, and the two components with their mean."""

    score: Optional[float]
    verified: Optional[float]
    inferred: Optional[float]
    combined: Optional[float]


class Section(NamedTuple):
    """Everything below one heading, as written."""

    heading: str
    text: str


@dataclass(frozen=True)
class Result:
    """A result in contract form; `written` holds all of it in order."""

    agent: str
    status: str
    stated_status: str
    summary: str
    parts: tuple[Part, ...]
    references: tuple[Reference, ...]
    confidence: Confidence
    justification: str
    uncertainty: str
    issues: tuple[Issue, ...]
    next_steps: tuple[str, ...]
    blockers: tuple[Blocker, ...]
    written: tuple[Section, ...]


def parse(text: str) -> Optional[Result]:
    """The first result in the text; None if nothing in it has the contract's form."""
    return next(iter(parse_all(text)), None)


def parse_all(text: str) -> list[Result]:
    """Every result in the text, in order; one inside a markdown fence is read only if none stands outside."""
    found = sections.results(markdown.lines(text))
    if not found:
        inside = markdown.unwrapped(text)
        found = sections.results(markdown.lines(inside)) if inside is not None else []
    return [_record(agent, parts) for agent, parts in found]


def _record(agent: str, found: list[sections.Section]) -> Result:
    by_name: dict[str, list[Line]] = {}
    for section in found:
        by_name.setdefault(section.name if not section.part else "Findings", []).extend(
            [] if section.part else section.lines
        )
    held = [
        section for section in found if section.part or (section.name == "Findings" and markdown.prose(section.lines))
    ]
    parts = tuple(
        Part(
            markdown.plain(section.heading) if section.part else "",
            markdown.prose(section.lines),
            tuple(markdown.tables(section.lines)),
        )
        for section in held
    )
    stated = next((line.text.strip() for line in by_name.get("Status", ()) if line.text.strip()), "")
    confidence = markdown.prose(by_name.get("Confidence", ()))
    justification = markdown.prose(by_name.get("Confidence Justification", ()))
    return Result(
        agent=agent,
        status=_status(stated),
        stated_status=stated,
        summary=markdown.prose(by_name.get("Summary", ())),
        parts=parts,
        references=tuple(_references(by_name.get("Key References", ()))),
        confidence=_confidence(confidence, justification),
        justification=justification,
        uncertainty=markdown.prose(by_name.get("Uncertainty", ())),
        issues=tuple(issues(parts, by_name.get("Issues", ()))),
        next_steps=tuple(said(by_name.get("Next Steps", ()))),
        blockers=tuple(_blockers(by_name.get("Blockers", ()))),
        written=tuple(
            Section(section.heading.strip(), markdown.prose(section.lines))
            for section in found
            if section.heading or markdown.prose(section.lines)
        ),
    )


def _status(stated: str) -> str:
    """The one status that the line names; none if it names several, as the unfilled template does."""
    named = {word for word in re.findall(r"[A-Z]+", stated.upper()) if word in form.STATUSES}
    return named.pop() if len(named) == 1 else ""


def _confidence(stated: str, justification: str) -> Confidence:
    lines = [line for line in stated.split("\n") if not FIGURE.search(line) and "0-100" not in line]
    first = next((line for line in lines if form.NUMBER.search(line)), "")
    figures: dict[str, Optional[float]] = {}
    for match in FIGURE.finditer(f"{stated}\n{justification}".replace("**", "")):
        figures.setdefault(match[1][:8].lower(), form.number(match[2].rpartition("=")[2]))
    score = form.number(first)
    score = figures.get("combined") if score is None else score
    return Confidence(
        score=score,
        verified=figures.get("verified"),
        inferred=figures.get("inferred"),
        combined=figures.get("combined"),
    )


def _references(part: Sequence[Line]) -> list[Reference]:
    tables = markdown.tables(part)
    if not tables:
        return [Reference(markdown.plain(item.split("\n")[0]), item, "", markdown.place(item)) for item in said(part)]
    found = []
    for table in tables:
        at = {what: column(table, what) for what in ("item", "location", "relevance")}
        where = at["location"] if at["location"] is not None else min(1, len(table.columns) - 1)
        for row in table.rows:
            name, why = (row[number] if number is not None else "" for number in (at["item"], at["relevance"]))
            found.append(
                Reference(markdown.plain(name or row[0]), row[where], markdown.plain(why), markdown.place(row[where]))
            )
    return [reference for reference in found if not all(empty(text) for text in reference[:2])]


def _blockers(part: Sequence[Line]) -> list[Blocker]:
    found: list[Blocker] = []
    for table in markdown.tables(part):
        found += [Blocker(markdown.plain(row[0]), markdown.plain(row[1]) if len(row) > 1 else "") for row in table.rows]
    for item in [] if found else said(part):
        text, *rest = RESOLUTION.split(item, maxsplit=1)
        resolution = rest[0].strip() if rest else ""
        if not text.strip() and found:
            found[-1] = Blocker(found[-1].text, f"{found[-1].resolution} {resolution}".strip())
        else:
            found.append(Blocker(markdown.plain(text), resolution))
    return found
