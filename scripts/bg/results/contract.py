"""Reads a result in the contract's form into a typed record; a text that is not in the form reads as no result.

No text makes this module raise. A text is first cut into the contract's sections, then each section is read. `form`
describes the form itself; `conformance` notes what is missing from a result.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from bg.results import form, markdown
from bg.results.form import PARTS, SECTIONS
from bg.results.issues import Issue, Part, by_meaning, column, issues, said, says_nothing
from bg.results.markdown import Line, Place, Table

FIGURE_NAME = r"\b(?:verified|inferred|combined)(?:[ _]+confidence[\s*_`]*[:=|]?|[\s*_`]*[:=|])"
FIGURE = re.compile(rf"({FIGURE_NAME})([^\n]*?)(?={FIGURE_NAME}|\n|$)", re.IGNORECASE)
RESOLUTION = re.compile(r"\s{0,9}[|;\n]?[\s*_•-]{0,9}\bresolution[\s*_]{0,4}:[\s*_]*", re.IGNORECASE)
TITLE = re.compile(r"result\s*[:–—-]\s*(.+)$|(.*?)\W*\bresults?\W*$", re.IGNORECASE)
LABEL = re.compile(
    r"(?:\*\*|__)([A-Za-z][A-Za-z -]{2,40}?)\s*:?\s*(?:\*\*|__)\s*:?\s*(.*)$|(Status|Summary|Confidence)\s*:\s*(.*)$"
)
NUMBERED = re.compile(r"^\W*\d{1,2}[.)]\s+")
CUT = re.compile(r"\s*(?::|\s[–—-]\s|\()")
MARKER = re.compile(r"\[/?[A-Z]+_[A-Z_]+\]\s*$")  # a signal block under a result is not part of its last section
CORE = frozenset(("Status", "Summary", "Findings", "Key References", "Confidence"))
TELLING = frozenset(("Status", "Confidence", "Key References"))
TRIED = 10  # titles that are tried with all of the text below them: each costs a pass over the text
ONE_LINE = frozenset(("Status", "Summary", "Confidence"))


class Reference(NamedTuple):
    """One row of Key References; `place` is None if the location names no file."""

    item: str
    location: str
    relevance: str
    place: Optional[Place]


class Blocker(NamedTuple):
    """An obstacle to the work, and its resolution."""

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


def parse_all(text: str) -> list[Result]:
    """Every result in the text, in order; one inside a markdown fence is read only if there is none outside."""
    found = _results(markdown.lines(text))
    if not found:
        inside = markdown.unwrapped(text)
        found = _results(markdown.lines(inside)) if inside is not None else []
    return [_record(agent, parts) for agent, parts in found]


@dataclass
class Cut:
    """The lines below one heading: a section of the contract by name, a part of the findings, or something else."""

    name: str
    heading: str
    level: int
    part: bool = False
    lines: list[Line] = field(default_factory=list)


class Title(NamedTuple):
    """A heading like "Code Explorer Result": its line, its level and the agent it names."""

    at: int
    level: int
    agent: str


def _results(found: Sequence[Line]) -> list[tuple[str, list[Cut]]]:
    """Agent and sections of every result: each reaches from its title to the next; an untitled text is one result."""
    titles = _result_titles(found)
    if not titles:
        whole = _divide(found)
        return [("", whole)] if _formed(whole, 3) else []
    divided = _below(titles, found)
    divided[0].insert(0, Cut("", "", 0, lines=list(found[: titles[0].at])))
    return [(title.agent, sections) for title, sections in zip(titles, divided) if _formed(sections, 2)]


def _result_titles(found: Sequence[Line]) -> list[Title]:
    """The first title with a result below it, then each title with a status that is no deeper than the one before."""
    titles = [title for at, line in enumerate(found) if (title := _title(at, line))]
    own = _below(titles, found)
    first = _first_formed(own)
    if first is None:  # a heading like "Benchmark Results" inside the first result may come before its core
        first = _first_formed(_divide(found[title.at + 1 :]) for title in titles[:TRIED])
    if first is None:
        return []
    taken = [titles[first]]
    for title, sections in zip(titles[first + 1 :], own[first + 1 :]):
        if title.level <= taken[-1].level and any(section.name == "Status" for section in sections):
            taken.append(title)
    return taken


def _title(at: int, line: Line) -> Optional[Title]:
    heading = markdown.heading(line)
    if not heading or heading[0] > 4 or markdown.key(heading[1]) in PARTS:
        return None
    match = TITLE.match(markdown.plain(heading[1])[:200])
    return Title(at, heading[0], " ".join(re.findall(r"[\w&/+.-]+", match[match.lastindex or 0]))) if match else None


def _below(titles: Sequence[Title], found: Sequence[Line]) -> list[list[Cut]]:
    """The sections below each title, up to the next one."""
    ends = [title.at for title in titles[1:]] + [len(found)]
    return [_divide(found[title.at + 1 : end]) for title, end in zip(titles, ends)]


def _divide(found: Sequence[Line]) -> list[Cut]:
    """The lines by section, in order; the first section has no name and holds the text before the first heading."""
    headings = [markdown.heading(line) for line in found]
    headed = {_known(heading[1])[0] for heading in filter(None, headings)}
    sections = [Cut("", "", 0)]
    for line, heading in zip(found, headings):
        name, rest = _label(line)
        if heading:
            sections.extend(_opened(sections[-1], heading[0], heading[1], line))
        elif name and name not in headed and not _in_headed_findings(sections[-1]):
            sections.append(Cut(name, name, 0, lines=[Line(rest, code=False)]))
        elif not line.code and MARKER.match(line.text):
            sections.append(Cut("", line.text.strip(), 1))
        else:
            sections[-1].lines.append(line)
    return sections


def _known(text: str) -> tuple[str, str]:
    """The section that a heading names, and the text beside the name (`Status: SUCCESS`, `Confidence (92)`)."""
    text = NUMBERED.sub("", text)
    whole = SECTIONS.get(markdown.key(text))
    cut = None if whole else CUT.search(text)
    name = SECTIONS.get(markdown.key(text[: cut.start()]), "") if cut else whole or ""
    return name, text[cut.end() :].strip(" )*") if cut and name in ONE_LINE else ""


def _label(line: Line) -> tuple[str, str]:
    """The section that a line opens with a label (**Status**: or Status:), and the text after the label."""
    match = None if line.code else LABEL.match(line.text)
    if match is None:
        return "", ""
    label, rest = (each for each in match.groups() if each is not None)
    return SECTIONS.get(markdown.key(label), ""), rest


def _opened(current: Cut, level: int, text: str, line: Line) -> list[Cut]:
    """The section or part that a heading opens; if it opens none, its line is added to the current section."""
    name, rest = _known(text)
    if name:
        return [Cut(name, text, level, lines=[Line(rest, code=False)] if rest else [])]
    deeper, beside = level > current.level, level == current.level
    if current.name == "Findings":
        opens_part = deeper or (beside and not markdown.prose(current.lines))
    else:
        opens_part = beside and current.part
    if opens_part or markdown.key(NUMBERED.sub("", text)) in PARTS:
        return [Cut("", text, level, part=True)]
    if deeper and current.level > 0:
        current.lines.append(line)
        return []
    return [Cut("", text, level)]


def _in_headed_findings(section: Cut) -> bool:
    return section.level > 0 and (section.part or section.name == "Findings")


def _first_formed(stretches: Iterable[list[Cut]]) -> Optional[int]:
    return next((number for number, sections in enumerate(stretches) if _formed(sections, 2)), None)


def _formed(sections: Sequence[Cut], needed: int) -> bool:
    """Whether at least `needed` core sections are there, one of them a section that ordinary reports do not have."""
    named = {section.name for section in sections}
    return len(named & CORE) >= needed and bool(named & TELLING)


def _record(agent: str, found: list[Cut]) -> Result:
    named: dict[str, list[Line]] = defaultdict(list)
    for section in found:
        if not section.part:
            named[section.name].extend(section.lines)
    parts = tuple(
        _part(section)
        for section in found
        if section.part or (section.name == "Findings" and markdown.prose(section.lines))
    )
    stated = next(filter(None, (line.text.strip() for line in named["Status"])), "")
    justification = markdown.prose(named["Confidence Justification"])
    return Result(
        agent=agent,
        status=_status(stated),
        stated_status=stated,
        summary=markdown.prose(named["Summary"]),
        parts=parts,
        references=tuple(_references(named["Key References"])),
        confidence=_confidence(markdown.prose(named["Confidence"]), justification),
        justification=justification,
        uncertainty=markdown.prose(named["Uncertainty"]),
        issues=tuple(issues(parts, named["Issues"])),
        next_steps=tuple(said(named["Next Steps"])),
        blockers=tuple(_blockers(named["Blockers"])),
        written=tuple(
            Section(section.heading.strip(), markdown.prose(section.lines))
            for section in found
            if section.heading or markdown.prose(section.lines)
        ),
    )


def _part(section: Cut) -> Part:
    name = markdown.plain(section.heading) if section.part else ""
    return Part(name, markdown.prose(section.lines), tuple(markdown.tables(section.lines)))


def _status(stated: str) -> str:
    """The one status that the line names; none if it names several, as the unfilled template does."""
    named = {word for word in re.findall(r"[A-Z]+", stated.upper()) if word in form.STATUSES}
    return named.pop() if len(named) == 1 else ""


def _references(part: Sequence[Line]) -> list[Reference]:
    tables = markdown.tables(part)
    if not tables:
        return [Reference(markdown.plain(item.split("\n")[0]), item, "", markdown.place(item)) for item in said(part)]
    found = [reference for table in tables for reference in _of_table(table)]
    return [reference for reference in found if not (says_nothing(reference.item) and says_nothing(reference.location))]


def _of_table(table: Table) -> Iterator[Reference]:
    """The references in a table; if no column is named for the location, the second one holds it."""
    where = column(table, "location")
    where = min(1, len(table.columns) - 1) if where is None else where
    for row, cell in zip(table.rows, by_meaning(table)):
        item, relevance = markdown.plain(cell["item"] or row[0]), markdown.plain(cell["relevance"])
        yield Reference(item, row[where], relevance, markdown.place(row[where]))


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
