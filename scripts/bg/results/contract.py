"""Reads a result in the contract's form into a typed record; a text that is not in the form reads as no result.

Nothing here raises over a text. A text is cut into the contract's sections first, then what each says is read. The form
itself is described in `form`, and what is missing from a result says `conformance`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Optional

from bg.results import form, markdown
from bg.results.form import PARTS, SECTIONS
from bg.results.issues import Issue, Part, column, empty, issues, said
from bg.results.markdown import Line, Place

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
ONE_LINE = frozenset(("Status", "Summary", "Confidence"))


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
    found = results(markdown.lines(text))
    if not found:
        inside = markdown.unwrapped(text)
        found = results(markdown.lines(inside)) if inside is not None else []
    return [_record(agent, parts) for agent, parts in found]


def _record(agent: str, found: list[Cut]) -> Result:
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


@dataclass
class Cut:
    """A stretch below one heading: a section of the contract by name, a part of the findings, or something else."""

    name: str
    heading: str
    level: int
    part: bool = False
    lines: list[Line] = field(default_factory=list)


def results(found: Sequence[Line]) -> list[tuple[str, list[Cut]]]:
    """Agent and sections of every stretch in the contract's form: from its title to the next, or an untitled text."""
    titles = [(at, *title) for at, line in enumerate(found) if (title := _title(line))]
    reaches = [at for at, _, _ in titles[1:]] + [len(found)]
    own = [divide(found[at + 1 : end]) for (at, _, _), end in zip(titles, reaches)]
    first = next((number for number, sections in enumerate(own) if _formed(sections, 2)), None)
    if first is None:  # a heading like "Benchmark Results" inside the first result may stand before its core
        first = next(
            (number for number in range(len(titles)) if _formed(divide(found[titles[number][0] + 1 :]), 2)), None
        )
    if first is None:
        whole = divide(found)
        return [("", whole)] if _formed(whole, 3) else []
    taken = [titles[first]]
    for later, sections in zip(titles[first + 1 :], own[first + 1 :]):
        if later[1] <= taken[-1][1] and any(section.name == "Status" for section in sections):
            taken.append(later)
    ends = [at for at, _, _ in taken[1:]] + [len(found)]
    divided = [(agent, divide(found[at + 1 : end])) for (at, _, agent), end in zip(taken, ends)]
    divided[0][1].insert(0, Cut("", "", 0, lines=list(found[: taken[0][0]])))
    return [(agent, sections) for agent, sections in divided if _formed(sections, 2)]


def divide(found: Sequence[Line]) -> list[Cut]:
    """The lines by section, in order; what stands before the first heading opens the list, without a name."""
    headings = [markdown.heading(line) for line in found]
    headed = {_known(heading[1])[0] for heading in headings if heading}
    sections = [Cut("", "", 0)]
    for line, heading in zip(found, headings):
        label = None if heading or line.code else LABEL.match(line.text)
        name = SECTIONS.get(markdown.key(label[1] or label[3]), "") if label else ""
        if heading:
            sections.extend(_opened(sections[-1], heading[0], heading[1], line))
        elif label and name and name not in headed and not _in_headed_findings(sections[-1]):
            sections.append(Cut(name, name, 0, lines=[Line(label[2] or label[4] or "", code=False)]))
        elif not line.code and MARKER.match(line.text):
            sections.append(Cut("", line.text.strip(), 1))
        else:
            sections[-1].lines.append(line)
    return sections


def _opened(current: Cut, level: int, text: str, line: Line) -> list[Cut]:
    """What a heading opens after the current section; nothing if it stands inside it, where it stays as a line."""
    name, rest = _known(text)
    known_part = markdown.key(NUMBERED.sub("", text)) in PARTS
    if name:
        return [Cut(name, text, level, lines=[Line(rest, code=False)] if rest else [])]
    flat = current.name == "Findings" and level == current.level and not markdown.prose(current.lines)
    inside = flat or (level > current.level and (current.part or current.name == "Findings"))
    if known_part or (inside and not current.part):
        return [Cut("", text, level, part=True)]
    if current.part and level == current.level:
        return [Cut("", text, level, part=True)]
    if inside or level > current.level > 0:
        current.lines.append(line)
        return []
    return [Cut("", text, level)]


def _in_headed_findings(section: Cut) -> bool:
    return section.level > 0 and (section.part or section.name == "Findings")


def _title(line: Line) -> Optional[tuple[int, str]]:
    """Level and agent of a heading like "Code Explorer Result"."""
    heading = markdown.heading(line)
    if not heading or heading[0] > 4 or markdown.key(heading[1]) in PARTS:
        return None
    match = TITLE.match(markdown.plain(heading[1])[:200])
    return (heading[0], " ".join(re.findall(r"[\w&/+.-]+", match[1] or match[2] or ""))) if match else None


def _known(text: str) -> tuple[str, str]:
    """The section a heading names, and what it says beside the name (`Status: SUCCESS`, `Confidence (92)`)."""
    text = NUMBERED.sub("", text)
    whole = SECTIONS.get(markdown.key(text))
    cut = None if whole else CUT.search(text)
    name = SECTIONS.get(markdown.key(text[: cut.start()]), "") if cut else whole or ""
    return name, text[cut.end() :].strip(" )*") if cut and name in ONE_LINE else ""


def _formed(sections: Sequence[Cut], needed: int) -> bool:
    """Whether enough of the core stands there, with some of what an ordinary report does not have."""
    named = {section.name for section in sections}
    return len(named & CORE) >= needed and bool(named & TELLING)
