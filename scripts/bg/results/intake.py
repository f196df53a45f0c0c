"""Takes in the results and JSONL findings of agents for a merge, and names the reporter of each."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bg.results import contract, form, markdown, records
from bg.results.contract import Result
from bg.results.issues import Issue
from bg.results.records import Report, Source, Unreadable
from bg.words import phrases

DISPUTED = re.compile(r"\W*(false positive|not an issue)\b", re.IGNORECASE)


@dataclass
class Intake:
    """Everything that was read: results with reporter and source, reports, repetitions, and unreadable pieces."""

    results: list[tuple[str, str, Result]] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    repeated: list[str] = field(default_factory=list)
    unreadable: list[Unreadable] = field(default_factory=list)


def read(paths: Iterable[str]) -> Intake:
    """The contents of files (`-`: standard input); one that cannot be opened is unreadable, the others still count."""
    sources, missing = [], []
    for path in paths:
        try:
            sources.append(Source(path, sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()))
        except (OSError, ValueError) as error:
            missing.append(Unreadable(path, None, getattr(error, "strerror", None) or str(error), ""))
    found = take(sources)
    found.unreadable[:0] = missing
    return found


def take(sources: Sequence[Source], *, only_results: bool = False) -> Intake:
    """The contents of sources; a result found word for word in two sources is one result.

    With `only_results`, a text without a result is passed over, as it may be a report or document never meant as one.
    """
    intake = Intake()
    results: dict[Result, str] = {}
    for source in sources:
        text = source.data.decode("utf-8-sig", errors="replace")
        lines_only = source.name.lower().endswith((".jsonl", ".ndjson", ".json"))
        found = [] if lines_only else contract.parse_all(text)
        for result in found:
            if result in results:
                intake.repeated.append(f"{source.name} repeats the result in {results[result]}")
            results.setdefault(result, source.name)
        if found:
            continue
        if lines_only or (not only_results and re.search(r"^[ \t]*\{", text, re.MULTILINE)):
            _take_records(intake, source)
        elif not only_results:
            intake.unreadable.append(Unreadable(source.name, None, phrases.NO_RESULT, text[:200]))
    _name(intake, results)
    return intake


def _take_records(intake: Intake, source: Source) -> None:
    seen: dict[Report, int] = {}
    for number, raw, found in records.read(source):
        if isinstance(found, str):
            intake.unreadable.append(Unreadable(source.name, number, found, raw[:200]))
        elif found in seen:
            intake.repeated.append(f"{source.name}:{number} repeats line {seen[found]}")
        else:
            seen[found] = number
            intake.reports.append(found)


def _name(intake: Intake, results: Mapping[Result, str]) -> None:
    """Name the reporter of every result: the agent, with the source added if several results have that agent."""
    agents = [markdown.key(result.agent).replace(" ", "-") or Path(source).stem for result, source in results.items()]
    sources = Counter(zip(agents, results.values()))
    nth: Counter[tuple[str, str]] = Counter()
    for agent, (result, source) in zip(agents, results.items()):
        nth[agent, source] += 1
        place = source if sources[agent, source] == 1 else f"{source}, result {nth[agent, source]}"
        reporter = agent if agents.count(agent) == 1 else f"{agent} ({place})"
        intake.results.append((reporter, source, result))
        intake.reports.extend(_of_issue(reporter, agent, source, result, issue) for issue in result.issues)


def _of_issue(reporter: str, agent: str, source: str, result: Result, issue: Issue) -> Report:
    own = form.inside(issue.confidence)
    return Report(
        reporter=reporter,
        agent=agent,
        agent_type=agent,
        source=source,
        id=issue.id,
        text=issue.text,
        category=issue.category,
        severity=issue.severity,
        stated_severity=issue.stated_severity,
        file=issue.place.file if issue.place else "",
        line=issue.place.line if issue.place else None,
        confidence=own if own is not None else form.inside(result.confidence.score),
        inherited=own is None,
        disputes=bool(DISPUTED.match(issue.text) or DISPUTED.match(issue.stated_severity)),
        detail=issue.detail,
    )
