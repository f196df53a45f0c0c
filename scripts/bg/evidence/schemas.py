"""Judges deliverables against the JSON Schemas that the launch or the report names: `findings.json (schema: s.json)`.

The check itself is `fitting`, a process of its own: a schema can be written so that it never ends.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath
from typing import NamedTuple, Optional

from bg import foreign, machine
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding, short
from bg.evidence.paths import mentions
from bg.evidence.project import Found
from bg.evidence.reader import Statement

LARGEST = 1024 * 1024
SECONDS = 5
PAIRS = 20
NAMED = re.compile(
    r"\(\s?(?:fits\s)?(?:the\s)?schema\b:?\s{0,3}([`\"']?)(?P<schema>[^()`\"'\n]{1,400}?\.(?:json|ya?ml))\1\s?\)",
    re.IGNORECASE,
)


class Problem(NamedTuple):
    """One place of a document that does not fit, and what is wrong there; line 0 where it is not known."""

    line: int
    path: str
    text: str


class Fit(NamedTuple):
    """The problems of a document, the first of `total`; or `why` it was not checked.

    `missing` where a package is, `line` where the document itself does not parse.
    """

    problems: tuple[Problem, ...] = ()
    total: int = 0
    why: str = ""
    missing: bool = False
    line: int = 0


class Pair(NamedTuple):
    """A document and the schema that it shall fit: as named, by whom, and their texts, or why there are none."""

    document: str
    schema: str
    claim: str
    launch: bool
    texts: tuple[str, str] = ("", "")
    why: str = ""
    altered: bool = False


def without(text: str) -> str:
    """The text with blanks where a schema is named: no claim is made of that file."""
    return NAMED.sub(lambda found: " " * len(found[0]), text)


def named(text: str) -> Iterator[tuple[str, str]]:
    """Each document that a text names with its schema: the last path before the parenthesis, on its line."""
    last = 0
    for found in NAMED.finditer(text):
        before = text[max(last, text.rfind("\n", 0, found.start()) + 1) : found.start()]
        last = found.end()
        documents = mentions(before[-1000:])
        if documents:
            yield documents[-1].path, found["schema"].strip()


def gather(disk: Disk, brief: Mapping[str, str], said: list[Statement]) -> list[Pair]:
    """What is to be checked: the launch's pairs, then those of the report's deliverables, each with its texts."""
    pairs = [(*pair, short(text), True) for text in brief.values() for pair in named(text)]
    for statement in said:
        if statement.field == "deliverables" and statement.kind != "fence":
            pairs += [(*pair, short(statement.text), False) for pair in named(statement.text)]
    declared = {pair[:2] for pair in pairs if not pair[3]}
    found: dict[tuple[str, str], Pair] = {}
    for document, schema, claim, launch in pairs[: 2 * PAIRS]:
        if (document, schema) not in found and len(found) < PAIRS:
            pair = Pair(document, schema, claim, launch and (document, schema) not in declared)
            found[document, schema] = _read(disk, pair)
    return list(found.values())


def judge(pairs: list[Pair], *, success: bool) -> list[Finding]:
    """The findings on all pairs; a misfit with what only the launch named refutes no report that admits a failure."""
    until = time.monotonic() + SECONDS
    findings = []
    for pair in pairs:
        grade, reason = _judged(pair, until, success=success)
        subject = f"{pair.document} (schema: {pair.schema})"
        findings.append(Finding(pair.claim, "deliverable", subject, grade, reason))
    return findings


def _judged(pair: Pair, until: float, *, success: bool) -> tuple[str, str]:
    left = int(until - time.monotonic() + 0.5)
    if pair.why or left < 1:
        return "claimed", f"Not checked: {pair.why or 'the time for such checks was used up'}."
    names = (pair.document, pair.schema)
    fit = check(*pair.texts, names, sys.executable, sys.path, seconds=left, most=3)
    if fit.why:
        return "claimed", f"Not checked: {fit.why}{f' (line {fit.line})' if fit.line else ''}."
    if fit.problems:
        told = [": ".join(part for part in (_at(each), each.text) if part) for each in fit.problems]
        told += [f"and {fit.total - len(told)} more"] if fit.total > len(told) else []
        reason = f"{pair.document} does not fit {pair.schema}: {'; '.join(told)}."
        return ("claimed" if pair.launch and not success else "refuted"), reason
    if pair.altered:
        return "claimed", f"{pair.document} fits {pair.schema}, which is not as it was at launch."
    return "verified", f"{pair.document} fits {pair.schema}."


def _at(problem: Problem) -> str:
    return ", ".join(part for part in (f"line {problem.line}" if problem.line else "", problem.path) if part)


def check(
    document: str, schema: str, names: tuple[str, str], python: str, path: list[str], *, seconds: int, most: int
) -> Fit:
    """Whether a document's text fits a schema's text, as an interpreter with these folders of packages sees it."""
    given = {
        "document": document, "document_yaml": _is_yaml(names[0], document),
        "schema": schema, "schema_yaml": _is_yaml(names[1], schema),
        "path": path, "seconds": seconds, "most": most,
    }  # fmt: skip
    program = str(Path(__file__).with_name("fitting.py"))
    done = machine.python(python, program, seconds=seconds, given=json.dumps(given).encode())
    try:
        told = foreign.loads(done.out)
        problems = tuple(Problem(int(each["line"]), each["path"], each["text"]) for each in told["problems"])
        return Fit(problems, told["total"], told["why"], told["missing"], told["line"])
    except (ValueError, KeyError, TypeError):
        slow = "timed out" in done.said or done.code == -signal.SIGXCPU
        return Fit(why=f"it took more than {seconds} seconds" if slow else "the check broke off")


def _is_yaml(name: str, text: str) -> bool:
    """By the ending; a text without a telling one is JSON where it begins like it."""
    ending = PurePath(name).suffix.lower()
    return ending in {".yaml", ".yml"} or (ending != ".json" and not text.lstrip().startswith(("{", "[")))


def _read(disk: Disk, pair: Pair) -> Pair:
    schema, why = _file(disk, pair.schema, None)
    if schema is None:
        return pair._replace(why=f"schema {why} ({pair.schema})")
    document, why = _file(disk, pair.document, schema)
    if document is None:
        return pair._replace(why=f"{pair.document} {why}")
    texts = []
    for each in (document, schema):
        content = disk.project.content(each)
        if content is None:
            return pair._replace(why=f"{each.name} could not be read")
        try:
            texts.append(content.decode("utf-8-sig"))
        except UnicodeDecodeError:
            return pair._replace(why=f"{each.name} is not UTF-8")
    altered = pair.launch and disk.changed(schema) is True
    return pair._replace(texts=(texts[0], texts[1]), altered=altered)


def _file(disk: Disk, name: str, other: Optional[Found]) -> tuple[Optional[Found], str]:
    """The regular file that a name means, or why there is none; never the other one."""
    place = disk.project.place(name)
    if place.outside:
        return None, "lies outside the project"
    found = [each for each in place.found if other is None or each.path != other.path]
    files = [each for each in found if each.name == name.removeprefix("./")][:1] or found
    if not files:
        return None, "not found" if place.certain else "not found in time"
    if len(files) > 1:
        return None, "could be one of several files"
    if not files[0].regular:
        return None, "is no regular file"
    return (files[0], "") if files[0].size <= LARGEST else (None, "is too large")
