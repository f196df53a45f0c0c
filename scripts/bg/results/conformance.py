"""What a result lacks by the contract's rules: notes to the parent, never a reason to block.

A summary's tokens are estimated without a tokenizer: one for every four ASCII characters, one for each non-ASCII
character. A finding rests on a single source when it has one place and nothing more; quoted code counts as a second
source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple, Optional

from bg.results import form, markdown
from bg.results.contract import Result
from bg.results.issues import Issue, column
from bg.results.markdown import Place, Table

CODE_MATCH = re.compile(r"\bcode(?: match)?\W{0,4}:\W{0,4}`", re.IGNORECASE)
CODE_SIGNS = re.compile(r"[()=;{}<>]|\w\s+\w")
EVIDENCE = re.compile(r"^[\s*_•-]{0,8}evidence[\s*_]{0,4}:(.*)$", re.IGNORECASE | re.MULTILINE)
TEMPLATE = re.compile(r"\[[^\]]*\]|<[^>]*>")
COMPONENTS = ("verified", "inferred", "combined")


class Note(NamedTuple):
    """One remark: the rule's name, the names of what breaks it, and its figure; `words.reasons` has the sentence."""

    rule: str
    names: tuple[str, ...] = ()
    figure: str = ""


def check(result: Result) -> list[Note]:
    """Every remark about a result."""
    found = [Note("locations", tuple(_nowhere(result))), Note("corroboration", tuple(_single(result)))]
    return [*(note for note in found if note.names), *_confidence(result), *_summary(result)]


def cited(result: Result) -> list[Place]:
    """Every file:line that a result points at, once."""
    found = [reference.place for reference in result.references]
    found += [issue.place for issue in result.issues]
    found += [place for part in result.parts for place in markdown.places(part.text)]
    return list(dict.fromkeys(place for place in found if place is not None and place.line is not None))


def tokens(text: str) -> int:
    """The estimated tokens of a text."""
    plain = sum(sign.isascii() for sign in text)
    return (plain + 3) // 4 + len(text) - plain


def _nowhere(result: Result) -> Iterator[str]:
    """The references, issues and rows of findings that have no file:line."""
    for reference in result.references:
        if not _is_line(reference.place):
            yield reference.item or reference.location
    for issue in result.issues:
        if not _is_line(issue.place):
            yield issue.id or issue.text
    for part in result.parts:
        for table in part.tables:
            yield from _rows_nowhere(table)


def _is_line(place: Optional[Place]) -> bool:
    return place is not None and place.line is not None


def _rows_nowhere(table: Table) -> list[str]:
    """The rows of a table whose column for file and line is without a place; none if the table lists issues."""
    at = column(table, "file line")
    if at is None or column(table, "severity") is not None:
        return []
    return [row[0] for row in table.rows if not markdown.places(row[at])]


def _single(result: Result) -> Iterator[str]:
    """Findings that rest on a single source and do not say so."""
    words = form.FORM["corroboration"]
    for issue in result.issues:
        if words not in issue.detail.casefold() and len(markdown.places(issue.detail)) == 1 and not _quotes_code(issue):
            yield issue.id or issue.text
    for part in result.parts:
        for match in EVIDENCE.finditer(part.text):
            found = markdown.places(match[1])
            if len(found) == 1 and words not in match[1].casefold():
                yield f"{part.name}, {found[0]}"


def _quotes_code(issue: Issue) -> bool:
    """Whether an issue quotes code: a code block, a code match, or a code span that is no path and no name."""
    if CODE_MATCH.search(issue.detail) or any(markdown.FENCE.match(line) for line in issue.detail.split("\n")):
        return True
    spans = markdown.SPAN.findall(issue.detail)
    return any(CODE_SIGNS.search(span) and markdown.place(f"`{span}`") is None for span in spans)


def _confidence(result: Result) -> Iterator[Note]:
    """A note if no confidence from 0 to 100 is given, else notes on the explanations that this one needs and lacks."""
    score = form.inside(result.confidence.score)
    if result.status == "FAILED":
        return
    if score is None:
        yield Note("confidence")
        return
    figure = f"{score:g}"
    missing = [name for name in COMPONENTS if getattr(result.confidence, name) is None]
    if missing and score >= form.LIMITS["breakdown_from"]:
        yield Note("breakdown", tuple(missing), figure)
    if score >= form.LIMITS["justification_from"] and not _filled(result.justification):
        yield Note("justification", (), figure)
    if score < form.LIMITS["uncertainty_below"] and not _filled(result.uncertainty):
        yield Note("uncertainty", (), figure)


def _filled(text: str) -> bool:
    """Whether there is text other than the template's placeholder."""
    return bool(text.strip()) and not TEMPLATE.fullmatch(text.strip().strip("*-`. "))


def _summary(result: Result) -> Iterator[Note]:
    count = tokens(result.summary)
    if count > form.LIMITS["summary_tokens"]:
        yield Note("summary", (str(form.LIMITS["summary_tokens"]),), str(count))
