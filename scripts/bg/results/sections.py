"""Finds the results in a text and divides each into the contract's sections; what is said in them `contract` reads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Optional

from bg.results import markdown
from bg.results.form import PARTS, SECTIONS
from bg.results.markdown import Line

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


@dataclass
class Section:
    """A stretch below one heading: a section of the contract by name, a part of the findings, or something else."""

    name: str
    heading: str
    level: int
    part: bool = False
    lines: list[Line] = field(default_factory=list)


def results(found: Sequence[Line]) -> list[tuple[str, list[Section]]]:
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
    divided[0][1].insert(0, Section("", "", 0, lines=list(found[: taken[0][0]])))
    return [(agent, sections) for agent, sections in divided if _formed(sections, 2)]


def divide(found: Sequence[Line]) -> list[Section]:
    """The lines by section, in order; what stands before the first heading opens the list, without a name."""
    headings = [markdown.heading(line) for line in found]
    headed = {_known(heading[1])[0] for heading in headings if heading}
    sections = [Section("", "", 0)]
    for line, heading in zip(found, headings):
        label = None if heading or line.code else LABEL.match(line.text)
        name = SECTIONS.get(markdown.key(label[1] or label[3]), "") if label else ""
        if heading:
            sections.extend(_opened(sections[-1], heading[0], heading[1], line))
        elif label and name and name not in headed and not _in_headed_findings(sections[-1]):
            sections.append(Section(name, name, 0, lines=[Line(label[2] or label[4] or "", code=False)]))
        elif not line.code and MARKER.match(line.text):
            sections.append(Section("", line.text.strip(), 1))
        else:
            sections[-1].lines.append(line)
    return sections


def _opened(current: Section, level: int, text: str, line: Line) -> list[Section]:
    """What a heading opens after the current section; nothing if it stands inside it, where it stays as a line."""
    name, rest = _known(text)
    known_part = markdown.key(NUMBERED.sub("", text)) in PARTS
    if name:
        return [Section(name, text, level, lines=[Line(rest, code=False)] if rest else [])]
    flat = current.name == "Findings" and level == current.level and not markdown.prose(current.lines)
    inside = flat or (level > current.level and (current.part or current.name == "Findings"))
    if known_part or (inside and not current.part):
        return [Section("", text, level, part=True)]
    if current.part and level == current.level:
        return [Section("", text, level, part=True)]
    if inside or level > current.level > 0:
        current.lines.append(line)
        return []
    return [Section("", text, level)]


def _in_headed_findings(section: Section) -> bool:
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


def _formed(sections: Sequence[Section], needed: int) -> bool:
    """Whether enough of the core stands there, with some of what an ordinary report does not have."""
    named = {section.name for section in sections}
    return len(named & CORE) >= needed and bool(named & TELLING)
