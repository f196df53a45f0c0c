"""Combines the results and findings of several agents into one account that drops nothing and names every finder.

An issue has two figures, which are never mixed: the highest confidence, with its reporter and that reporter's severity;
and the combined confidence, the weighted mean over its reporters, plus one bonus if there are several. `intake` reads
the agents' words, `account` shows the merge.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, filterfalse
from typing import NamedTuple, Optional, TypeVar

from bg.results import form, markdown
from bg.results.conformance import Note, check
from bg.results.contract import Blocker, Reference, Result
from bg.results.intake import Intake
from bg.results.records import Report, Unreadable

Piece = TypeVar("Piece")


class Figure(NamedTuple):
    """The highest confidence of an issue, with who gave it and the severity of that same report."""

    confidence: Optional[float]
    reporter: str
    severity: str


@dataclass(frozen=True)
class Finding:
    """One issue with all its reports; `combined` is the mean over its reporters, `highest` comes from one report."""

    file: str
    line: Optional[int]
    category: str
    text: str
    highest: Figure
    combined: Optional[float]
    reporters: tuple[str, ...]
    reports: tuple[Report, ...]
    conflicts: tuple[str, ...]

    @property
    def where(self) -> str:
        """The file, with the line if one is known."""
        return str(markdown.Place(self.file, self.line))


class Told(NamedTuple):
    """One result, its reporter, source and status, and the checker's notes on it."""

    reporter: str
    source: str
    status: str
    result: Result
    notes: tuple[Note, ...]


class Attributed(NamedTuple):
    """A sentence and who said it."""

    reporter: str
    text: str


@dataclass(frozen=True)
class Merged:
    """The whole account; `appendix` holds the findings of one reporter alone with a low confidence."""

    status: str
    then: str
    findings: tuple[Finding, ...]
    appendix: tuple[Finding, ...]
    conflicts: tuple[str, ...]
    results: tuple[Told, ...]
    references: tuple[tuple[str, Reference], ...]
    blockers: tuple[tuple[str, Blocker], ...]
    next_steps: tuple[Attributed, ...]
    repeated: tuple[str, ...]
    unreadable: tuple[Unreadable, ...]


def merge(intake: Intake, weights: Optional[Mapping[str, float]] = None) -> Merged:
    """One account of the whole intake; `weights`, by agent type, override the contract's; any other weight is 1."""
    table = {markdown.key(name): value for name, value in {**form.FORM["expertise"], **(weights or {})}.items()}
    findings = sorted((_finding(group, table) for group in _groups(_one_spelling(intake.reports))), key=_rank)
    results = tuple(
        Told(reporter, source, result.status, result, tuple(check(result)))
        for reporter, source, result in intake.results
    )
    status = aggregate([told.status for told in results])
    own = [f"{finding.where or finding.text}: {conflict}" for finding in findings for conflict in finding.conflicts]
    return Merged(
        status=status,
        then=form.STATUSES[status]["then"] if status else "no result gave a status",
        findings=tuple(filterfalse(_low, findings)),
        appendix=tuple(filter(_low, findings)),
        conflicts=(*own, *_contradictions(results)),
        results=results,
        references=_attributed(results, lambda result: result.references),
        blockers=_attributed(results, lambda result: result.blockers),
        next_steps=tuple(map(Attributed._make, _attributed(results, lambda result: result.next_steps))),
        repeated=tuple(intake.repeated),
        unreadable=tuple(intake.unreadable),
    )


def aggregate(statuses: Sequence[str]) -> str:
    """FAILED if any failed; SUCCESS only if all succeeded; else PARTIAL; empty if there are no statuses."""
    if not statuses:
        return ""
    return "FAILED" if "FAILED" in statuses else "SUCCESS" if set(statuses) == {"SUCCESS"} else "PARTIAL"


def _finding(reports: Sequence[Report], weights: Mapping[str, float]) -> Finding:
    group = _one_voice(reports)
    standing = _standing(group)
    top = max(standing, key=lambda report: -1.0 if report.confidence is None else report.confidence, default=group[0])
    return Finding(
        file=next(filter(None, [top.file, *(report.file for report in group)]), ""),
        line=next((report.line for report in group if report.line is not None), None),
        category=next(filter(None, (report.category for report in group)), ""),
        text=top.text,
        highest=Figure(top.confidence if standing else None, top.reporter, top.stated_severity),
        combined=_combined(standing, weights),
        reporters=tuple(dict.fromkeys(report.reporter for report in standing)),
        reports=tuple(group),
        conflicts=tuple(_conflicts(group, standing)),
    )


def _one_voice(reports: Sequence[Report]) -> list[Report]:
    """The reports, with the JSONL findings of an agent under the same reporter as its result."""
    results = {report.agent: report.reporter for report in reports if report.reporter != report.agent}
    return [report._replace(reporter=results.get(report.reporter, report.reporter)) for report in reports]


def _standing(group: Sequence[Report]) -> list[Report]:
    """The reports of an issue that their own agents have not taken back."""
    last = {report.reporter: report.disputes for report in group}
    return [report for report in group if not report.disputes and not last[report.reporter]]


def _combined(reports: Sequence[Report], weights: Mapping[str, float]) -> Optional[float]:
    """The mean of the reporters' figures by weight, plus the bonus once if there are several; at most 100."""
    figures: dict[str, tuple[float, float]] = {}
    for report in reports:
        if report.confidence is not None:
            weight = weights.get(markdown.key(report.agent_type), 1.0)
            figures[report.reporter] = max(figures.get(report.reporter, (-1.0, weight)), (report.confidence, weight))
    if not figures:
        return None
    total = sum(weight for _, weight in figures.values())
    values = list(figures.values()) if total else [(value, 1.0) for value, _ in figures.values()]
    mean = sum(value * weight for value, weight in values) / (total or len(values))
    bonus = form.LIMITS["agreement_bonus"] if len({report.reporter for report in reports}) > 1 else 0
    return round(min(mean + bonus, 100.0), 2)


def _conflicts(group: Sequence[Report], standing: Sequence[Report]) -> Iterator[str]:
    rated = filter(lambda report: report.severity, standing)
    severities = {report.severity: f"{report.stated_severity} ({report.reporter})" for report in rated}
    if len(severities) > 1:
        yield f"severity: {', '.join(severities.values())}"
    against = sorted({report.reporter for report in group if report.disputes})
    reporters = ", ".join(dict.fromkeys(report.reporter for report in group if not report.disputes))
    if against:
        yield f"disputed by {', '.join(against)}" + (f", reported by {reporters}" if reporters else "")


def _groups(reports: Sequence[Report]) -> list[list[Report]]:
    """The reports by issue, each group in order of arrival; a report that fits several groups gets its own group."""
    found: list[list[Report]] = []
    for report in sorted(reports, key=lambda report: (not report.file, not report.category)):
        fitting = [group for group in found if any(_same(report, other) for other in group)]
        if len(fitting) == 1:
            fitting[0].append(report)
        else:
            found.append([report])
    order = {id(report): number for number, report in enumerate(reports)}
    return [sorted(group, key=lambda report: order[id(report)]) for group in found]


def _same(one: Report, other: Report) -> bool:
    if _differ(one.category, other.category) or _differ(one.file, other.file):
        return False
    named = bool(one.id) and one.id == other.id
    if one.file != other.file:
        return named
    if one.line != other.line:
        return False
    placed = one.line is not None and bool(one.category) and one.category == other.category
    return placed or named or markdown.key(one.text) == markdown.key(other.text)


def _differ(one: str, other: str) -> bool:
    """Whether both are given and differ."""
    return bool(one and other) and one != other


def _one_spelling(reports: Sequence[Report]) -> list[Report]:
    """The reports with one path for each file: a relative path also replaces the absolute ones that end with it."""
    used = {report.file for report in reports}
    relative = sorted((file for file in used if "/" in file and not _absolute(file)), key=len, reverse=True)
    same = {
        file: next((short for short in relative if file.endswith("/" + short)), file)
        for file in used
        if _absolute(file)
    }
    return [report._replace(file=same.get(report.file, report.file)) for report in reports]


def _absolute(file: str) -> bool:
    return file.startswith("/") or file[1:3] == ":/"


def _rank(finding: Finding) -> tuple[int, float, str, int]:
    order = list(form.FORM["severities"])
    worst = min((order.index(report.severity) for report in finding.reports if report.severity), default=len(order))
    return worst, -(finding.highest.confidence or 0.0), finding.file, finding.line or 0


def _low(finding: Finding) -> bool:
    """Whether one reporter alone found it, with a low confidence; a finding with a conflict stays in the main list."""
    confidence = finding.highest.confidence
    alone = len(finding.reporters) == 1 and not finding.conflicts
    return alone and confidence is not None and confidence < form.LIMITS["uncertainty_below"]


def _contradictions(results: Sequence[Told]) -> Iterator[str]:
    """The things to which the tables of two results give different values, as PASS and FAIL for one standard."""
    said: dict[tuple[str, str], list[tuple[str, str]]] = defaultdict(list)
    for told in results:
        for table in chain.from_iterable(part.tables for part in told.result.parts):
            for thing, name, stated in _statements(table):
                said[thing, name].append((stated, told.reporter))
    for (thing, name), found in said.items():
        values = {stated.split("(")[0].strip().casefold() for stated, _ in found}
        if len(values) > 1 and len({reporter for _, reporter in found}) > 1:
            yield f"{thing} {name}: {' but '.join(f'{stated} ({reporter})' for stated, reporter in found)}"


def _statements(table: markdown.Table) -> Iterator[tuple[str, str, str]]:
    """The statements in the column pairs that contract.json names: the kind of thing, the thing, its value."""
    names = {markdown.key(name): at for at, name in enumerate(table.columns)}
    for pair in (pair for kind in form.KINDS.values() for pair in kind["contradictions"]):
        at, by = names.get(markdown.key(pair["key"])), names.get(markdown.key(pair["value"]))
        if at is not None and by is not None:
            for row in table.rows:
                yield pair["key"], markdown.same_file(markdown.plain(row[at])), markdown.plain(row[by])


def _attributed(results: Sequence[Told], of: Callable[[Result], Sequence[Piece]]) -> tuple[tuple[str, Piece], ...]:
    """One part of every result, each piece of it with the reporter."""
    return tuple((told.reporter, each) for told in results for each in of(told.result))
