"""Says what is amiss in a result by the contract's rules: notes to the parent, never a reason to block anything.

Tokens of a summary are estimated, without a tokenizer: one for every four ASCII characters, one for every other
character. A finding rests on a single source when it has one place and nothing more; quoted code counts as a second
source. The pre-submission checklist is missed only where it was written down and left unticked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Callable, NamedTuple, Optional

from bg.results import confidence, form, markdown, reading
from bg.results.contract import Result
from bg.results.issues import Issue, column, empty, security
from bg.words import amiss

CODE_MATCH = re.compile(r"\bcode(?: match)?\W{0,4}:\W{0,4}`", re.IGNORECASE)
CODE_SIGNS = re.compile(r"[()=;{}<>]|\w\s+\w")
EVIDENCE = re.compile(r"^[\s*_•-]{0,8}evidence[\s*_]{0,4}:(.*)$", re.IGNORECASE | re.MULTILINE)


class Note(NamedTuple):
    """One remark: the rule's name, and a sentence for the parent."""

    rule: str
    text: str


def check(result: Result) -> list[Note]:
    """Every remark about a result, in the order of the contract's sections."""
    failed = result.status == "FAILED"
    asked = [rule for rule, (check_rule, of_failed) in RULES.items() if of_failed or not failed]
    return [Note(rule, text) for rule in asked for text in RULES[rule][0](result)]


def tokens(text: str) -> int:
    """The estimated tokens of a text."""
    plain = sum(sign.isascii() for sign in text)
    return (plain + 3) // 4 + len(text) - plain


def quotes_code(issue: Issue) -> bool:
    """Whether an issue quotes code: a code block, a code match, or a code span that is no path and no name."""
    return (
        any(markdown.FENCE.match(line) for line in issue.detail.split("\n"))
        or bool(CODE_MATCH.search(issue.detail))
        or any(_is_code(span) for span in markdown.SPAN.findall(issue.detail))
    )


def _is_code(span: str) -> bool:
    return bool(CODE_SIGNS.search(span)) and markdown.place(f"`{span}`") is None


def _status(result: Result) -> Iterator[str]:
    if not result.status:
        stated = amiss.STATUS_GIVEN.format(said=reading.short(result.stated_status))
        said = stated if result.stated_status else amiss.NO_STATUS_GIVEN
        yield amiss.STATUS.format(said=said, known=", ".join(form.STATUSES))


def _summary(result: Result) -> Iterator[str]:
    limit, count = form.LIMITS["summary_tokens"], tokens(result.summary)
    if not reading.filled(result.summary):
        yield amiss.NO_SUMMARY
    elif count > limit:
        yield amiss.LONG_SUMMARY.format(count=count, limit=limit)


def _findings(result: Result) -> Iterator[str]:
    if not result.parts:
        yield amiss.NO_FINDINGS
        return
    asked = form.KINDS.get(result.kind, {"parts": ()})["parts"]
    missing = [part["name"] for part in asked if part.get("required") is True and not _has_table(result, part)]
    either = [part for part in asked if part.get("required") == "one of these"]
    if either and not any(_has_table(result, part) for part in either):
        missing.append(" or ".join(part["name"] for part in either))
    if missing:
        yield amiss.NO_TABLE.format(kind=_kind(result), names=reading.listed(missing))


def _columns(result: Result) -> Iterator[str]:
    for part in form.KINDS.get(result.kind, {"parts": ()})["parts"]:
        table = next(
            (table for written in result.parts if _named(written.name, part) for table in written.tables), None
        )
        absent = [name for name in part.get("table", {"columns": ()})["columns"] if table and _at(table, name) is None]
        if absent:
            yield amiss.NO_COLUMN.format(table=part["name"], names=reading.listed(absent))


def _references(result: Result) -> Iterator[str]:
    if not result.references:
        yield amiss.NO_REFERENCES
    without = [
        reference.item or reference.location
        for reference in result.references
        if not reference.place or reference.place.line is None
    ]
    if without:
        yield amiss.REFERENCES_NOWHERE.format(names=reading.listed(without))


def _locations(result: Result) -> Iterator[str]:
    without = [issue.id or issue.text for issue in result.issues if not issue.place or issue.place.line is None]
    asked = [
        (table, at)
        for part in result.parts
        for table in part.tables
        for at, name in enumerate(table.columns)
        if markdown.key(name) == "file line" and column(table, "severity") is None
    ]
    without += [row[0] for table, at in asked for row in table.rows if not markdown.places(row[at])]
    if without:
        yield amiss.FINDINGS_NOWHERE.format(names=reading.listed(without))


def _corroboration(result: Result) -> Iterator[str]:
    words = form.FORM["corroboration"]
    single = [
        issue.id or issue.text
        for issue in result.issues
        if words not in issue.detail.casefold() and len(markdown.places(issue.detail)) == 1 and not quotes_code(issue)
    ]
    single += [
        f"{part.name}, {found[0]}"
        for part in result.parts
        for match in EVIDENCE.finditer(part.text)
        if words not in match[1].casefold() and len(found := markdown.places(match[1])) == 1
    ]
    if single:
        yield amiss.SINGLE_SOURCE.format(words=words, names=reading.listed(single))


def _evidence(result: Result) -> Iterator[str]:
    whole = "security" in markdown.key(result.agent)
    bare = [
        issue.id or issue.text
        for issue in result.issues
        if (security(issue) or (whole and not issue.category)) and not quotes_code(issue)
    ]
    if bare:
        yield amiss.NO_CODE.format(names=reading.listed(bare))


def _severity(result: Result) -> Iterator[str]:
    known = ", ".join(form.FORM["severities"])
    without = [issue.id or issue.text for issue in result.issues if not issue.severity]
    foreign = [
        amiss.READ_AS.format(stated=issue.stated_severity, severity=issue.severity)
        for issue in result.issues
        if issue.severity and markdown.key(issue.stated_severity) != issue.severity
    ]
    if without:
        yield amiss.NO_SEVERITY.format(known=known, names=reading.listed(without))
    if foreign:
        yield amiss.OTHER_SEVERITY.format(known=known, names=reading.listed(foreign))


def _blockers(result: Result) -> Iterator[str]:
    if result.status in {"PARTIAL", "FAILED"} and not result.blockers:
        yield amiss.NO_BLOCKER.format(status=result.status)
    without = [blocker.text for blocker in result.blockers if not reading.filled(blocker.resolution)]
    if without:
        yield amiss.NO_RESOLUTION.format(names=reading.listed(without))


def _checklist(result: Result) -> Iterator[str]:
    if result.unticked:
        open_points = [item.split(":")[0] for item in result.unticked]
        yield amiss.OPEN_POINTS.format(names=reading.listed(open_points))


def _failure(result: Result) -> Iterator[str]:
    failure = result.failure
    if not failure:
        return
    missing = [
        name for name in form.section("Error Details")["fields"] if not reading.filled(failure.details.get(name, ""))
    ]
    others = {
        "Attempted Actions": failure.attempted,
        "Root Cause Analysis": failure.root_cause,
        "Recovery Options": failure.recovery,
    }
    missing += [
        name for name, said in others.items() if not reading.filled(said if isinstance(said, str) else "\n".join(said))
    ]
    if missing:
        yield amiss.ERROR_LACKS.format(names=reading.listed(missing))
    recoverable = failure.details.get("Recoverable", "")
    if reading.filled(recoverable) and markdown.key(recoverable).split()[:1] not in (["true"], ["false"]):
        yield amiss.RECOVERABLE.format(said=reading.short(recoverable))


RULES: dict[
    str, tuple[Callable[[Result], Iterator[str]], bool]
] = {  # each with whether it holds for a FAILED result, too
    "status": (_status, True),
    "summary": (_summary, True),
    "findings": (_findings, False),
    "columns": (_columns, False),
    "references": (_references, False),
    "locations": (_locations, True),
    "confidence": (confidence.in_band, False),
    "breakdown": (confidence.breakdown, False),
    "justification": (confidence.justification, False),
    "uncertainty": (confidence.uncertainty, False),
    "corroboration": (_corroboration, True),
    "evidence": (_evidence, True),
    "severity": (_severity, True),
    "blockers": (_blockers, True),
    "checklist": (_checklist, True),
    "error": (_failure, True),
}


def _named(name: str, part: dict[str, Any]) -> bool:
    return bool(form.PARTS.get(markdown.key(name)) == part["name"])


def _has_table(result: Result, part: dict[str, Any]) -> bool:
    """Whether a table of that name, or with all its columns, was written; a part that says there is nothing will do."""
    wanted = part["table"]["columns"]
    if any(_named(written.name, part) and (written.tables or empty(written.text)) for written in result.parts):
        return True
    return any(
        all(_at(table, name) is not None for name in wanted) for written in result.parts for table in written.tables
    )


def _at(table: markdown.Table, name: str) -> Optional[int]:
    """The column of that name, or of the meaning it has."""
    meaning = next((what for what, spellings in form.COLUMNS.items() if markdown.key(name) in spellings), name)
    return column(table, meaning)


def _kind(result: Result) -> str:
    return f"{'an' if result.kind[:1] in 'aeiou' else 'a'} {result.kind} result"
