"""Shows a merge as markdown for a person, as JSON, or briefly for a reminder; the agents' words are neutralized."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from itertools import chain, starmap
from typing import Any, Optional

from bg.results.merge import Finding, Merged
from bg.results.records import Report
from bg.words import phrases, verdict
from bg.words.quoting import framed, inline, neutral


def document(merged: Merged) -> dict[str, Any]:
    """The account as plain data."""
    plain: dict[str, Any] = _plain(merged)
    return plain


def text(merged: Merged) -> str:
    """The account as markdown."""
    return neutral("\n".join(_lines(merged)).strip()) + "\n"


def brief(merged: Merged, limit: int = 2000, *, how: str = "bgctl merge", status: bool = True) -> str:
    """The account in a few lines, for a reminder: status, what to do, conflicts, the findings as far as they fit.

    Pass `status=False` if an agent left no result: the others' status would not be that of all.
    """
    head = [_status(merged)] if status else []
    if merged.conflicts:
        head.append(f"{len(merged.conflicts)} to decide by a person: {inline('; '.join(merged.conflicts), 300)}")
    if merged.unreadable:
        head.append(f"{len(merged.unreadable)} could not be read: {inline('; '.join(_unreadable(merged)), 200)}")
    rows = [f"- {_headline(finding)}: {_figures(finding)}" for finding in merged.findings]
    room = limit - sum(len(line) + 1 for line in head) - 80
    kept: list[str] = []
    for row in rows:
        room -= len(row) + 1
        if room < 0:
            break
        kept.append(row)
    left = len(rows) - len(kept)
    if left or merged.appendix:
        kept.append(phrases.FURTHER.format(left=left, appendix=len(merged.appendix), how=how))
    return neutral("\n".join([*head, *kept]))


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {name: _plain(part) for name, part in zip(value._fields, value)}
    if isinstance(value, (tuple, list)):
        return [_plain(part) for part in value]
    return {name: _plain(part) for name, part in value.items()} if isinstance(value, dict) else value


def _lines(merged: Merged) -> Iterator[str]:
    yield from ("# Merged results", "", _status(merged), "")
    yield from (f"- {told.reporter} ({told.source}): {told.status or 'no status'}" for told in merged.results)
    yield from _items("For a person to decide", merged.conflicts)
    yield from _section(f"Findings ({len(merged.findings)})", chain.from_iterable(map(_finding, merged.findings)))
    blockers = (
        f"{blocker.text} | Resolution: {blocker.resolution or 'none given'} ({reporter})"
        for reporter, blocker in merged.blockers
    )
    yield from _items("Blockers", blockers)
    yield from _items("Next steps", (f"{inline(said.text, 1000)} ({said.reporter})" for said in merged.next_steps))
    references = (
        f"{inline(reference.location, 300)} {reference.item}: {reference.relevance} ({reporter})"
        for reporter, reference in merged.references
    )
    yield from _items("Key references", references)
    yield from _section(phrases.APPENDIX, chain.from_iterable(map(_finding, merged.appendix)))
    yield from _items("Could not be read", _unreadable(merged))
    yield from _items("Said twice", merged.repeated)
    yield from _as_written(merged)


def _status(merged: Merged) -> str:
    return f"Status: {merged.status}: {merged.then}." if merged.status else f"Status: none; {merged.then}."


def _items(title: str, items: Iterable[str]) -> Iterator[str]:
    return _section(title, (f"- {item}" for item in items))


def _section(title: str, lines: Iterable[str]) -> Iterator[str]:
    """A heading with the lines below it; nothing if there are no lines."""
    found = list(lines)
    if found:
        yield from ("", f"## {title}", "", *found)


def _finding(finding: Finding) -> Iterator[str]:
    yield f"- {_headline(finding)}: {_figures(finding)}"
    yield from (f"  - conflict, for a person: {conflict}" for conflict in finding.conflicts)
    for report in finding.reports:
        yield f"  - {_said(report)}"


def _headline(finding: Finding) -> str:
    category = f" [{finding.category}]" if finding.category else ""
    return f"`{finding.where or 'no location'}`{category} {inline(finding.text)}"


def _figures(finding: Finding) -> str:
    """The highest and the combined confidence, each called by its name, and the finders."""
    confidence, reporter, severity = finding.highest
    highest = f"highest {_figure(confidence)} by {reporter}, severity {severity or 'none given'}"
    found = ", ".join(finding.reporters) or "nobody now"
    return f"{highest}; combined {_figure(finding.combined)}; found by {found}"


def _figure(value: Optional[float]) -> str:
    return "not given" if value is None else f"{value:g}"


def _said(report: Report) -> str:
    verb = "disputes" if report.disputes else "says"
    name = f"{report.id} " if report.id and report.id != report.text else ""
    whole = " (of the whole result)" if report.inherited and report.confidence is not None else ""
    severity = report.stated_severity or "none given"
    what = f"{report.reporter} ({report.source}) {verb}: {name}{inline(report.text, 400)}"
    return f"{what} | Severity: {severity} | Confidence: {_figure(report.confidence)}{whole}"


def _unreadable(merged: Merged) -> list[str]:
    return [
        f"{bad.source}{':' + str(bad.line) if bad.line else ''}: {bad.reason}: {inline(bad.text, 80)}".rstrip(": ")
        for bad in merged.unreadable
    ]


def _as_written(merged: Merged) -> Iterator[str]:
    """The agents' words verbatim: the reports that belong to no result, then each result."""
    read = {told.source for told in merged.results}
    reports = [report for finding in (*merged.findings, *merged.appendix) for report in finding.reports]
    lines = [framed(f"{report.source}: {report.detail}") for report in reports if report.source not in read]
    yield from _section(phrases.AS_WRITTEN, chain.from_iterable(lines))
    for told in merged.results:
        lacking = [{"source": told.source, **note._asdict()} for note in told.notes]
        notes = [f"- By the result contract, {line}" for line in verdict.by_contract({"contract": lacking})]
        said = chain.from_iterable(starmap(_quoted, told.result.written))
        yield from _section(f"As {told.reporter} wrote it ({told.source})", [*notes, *([""] if notes else []), *said])


def _quoted(heading: str, text: str) -> Iterator[str]:
    yield from framed(f"**{heading}**\n{text}\n" if heading else f"{text}\n")
