"""Decides which reports are about the same issue: same file:line and same category, else by their wording."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bg.results import markdown
from bg.results.records import Report

STOP_WORDS = frozenset(
    (
        "the",
        "and",
        "for",
        "with",
        "from",
        "into",
        "not",
        "are",
        "was",
        "has",
        "have",
        "can",
        "that",
        "this",
        "its",
        "missing",
        "line",
        "file",
        "issue",
        "code",
    )
)
ALIKE = 0.5  # of the shorter wording's words: how much two wordings at one line share when no category joins them


def groups(reports: Sequence[Report]) -> list[list[Report]]:
    """The reports by issue, each group in the order they came."""
    found: list[list[Report]] = []
    for report in sorted((report for report in reports if report.file), key=lambda report: not report.category):
        _join(found, report)  # those with a category come first: the others join them
    for report in (report for report in reports if not report.file):
        named = [group for group in found if report.id and any(report.id == other.id for other in group)]
        if len(named) == 1:
            named[0].append(report)
        else:
            _join(found, report)
    order = {id(report): number for number, report in enumerate(reports)}
    return [sorted(group, key=lambda report: order[id(report)]) for group in found]


def _join(found: list[list[Report]], report: Report) -> None:
    scored = [(_likeness(report, group), -number) for number, group in enumerate(found)]
    best, at = max(scored, default=(0.0, 0))
    if best >= ALIKE:
        found[-at].append(report)
    else:
        found.append([report])


def _likeness(report: Report, group: Sequence[Report]) -> float:
    """1 for the same category at the same line, else the share of the wordings; 0 elsewhere or by another category."""
    first = group[0]
    category = next((other.category for other in group if other.category), "")
    if (report.file, report.line) != (first.file, first.line) or (
        report.category and category and report.category != category
    ):
        return 0.0
    if (
        report.line is not None
        and category
        and (report.category == category or (category == "security" and report.security))
    ):
        return 1.0
    return max(_shared(report.text, other.text) for other in group)


def _shared(one: str, other: str) -> float:
    first, second = _words(one), _words(other)
    if not first or not second:
        return float(markdown.key(one) == markdown.key(other))
    return len(first & second) / min(len(first), len(second))


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.casefold()) if len(word) > 2} - STOP_WORDS


def one_spelling(reports: Sequence[Report]) -> list[Report]:
    """One path for one file: an absolute path that ends with a relative one that was used is that file."""
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
