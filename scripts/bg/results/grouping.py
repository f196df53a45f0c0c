"""Decides which reports are about the same issue: same place and category, else the same id or the same words there."""

from __future__ import annotations

from collections.abc import Sequence

from bg.results import markdown
from bg.results.records import Report


def groups(reports: Sequence[Report]) -> list[list[Report]]:
    """The reports by issue, each group in the order they came; one that fits several groups stands for itself."""
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
    if one.category and other.category and one.category != other.category:
        return False
    named = bool(one.id) and one.id == other.id
    if not (one.file and other.file):
        return named or (one.file == other.file and markdown.key(one.text) == markdown.key(other.text))
    if (one.file, one.line) != (other.file, other.line):
        return False
    placed = one.line is not None and bool(one.category) and one.category == other.category
    return placed or named or markdown.key(one.text) == markdown.key(other.text)


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
