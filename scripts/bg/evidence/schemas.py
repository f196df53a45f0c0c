"""Judges deliverables against the JSON Schemas that the launch names: `findings.json (schema: s.json)`.

The check itself is `fitting`, a process of its own, as a schema can be written so that its check never ends.
"""

from __future__ import annotations

import json
import re
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from bg import durations, foreign, machine
from bg.evidence import access
from bg.evidence.declared import Item
from bg.evidence.disk import Disk
from bg.evidence.finding import Evidence, Finding
from bg.evidence.named import paths
from bg.evidence.project import Found
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

LARGEST = 1024 * 1024
PAIRS = 20
PARSED = re.compile(r"\.(?:json|ya?ml)$", re.IGNORECASE)
FILLED_IN = re.compile(r"\{\{|\{%|<%|@@\w+@@|^\s*(?://|/\*)", re.MULTILINE)  # a template, or JSON with comments
REFUSED = {
    access.DENIED: "a permission rule denies it to the agent",
    access.UNCLEAR: "a settings file cannot be understood",
    access.NOT_OWN: "git does not track it, and no call was seen that opened or wrote it",
}
NAMED = re.compile(
    r"\(\s?(?:fits\s)?(?:the\s)?schema\b:?\s{0,3}([`\"']?)(?P<schema>[^()`\"'\n]{1,400}?\.(?:json|ya?ml))\1\s?\)",
    re.IGNORECASE,
)


class Problem(Record):
    """One place of a document that does not fit, and its fault; line 0 if the line is not known."""

    line: int
    path: str
    text: str


class Fit(Record):
    """The first of `total` problems of a document, or `why` it was not checked.

    `missing` means that a package is missing; `line` is the one on which the document itself does not parse.
    """

    problems: tuple[Problem, ...] = ()
    total: int = 0
    why: str = ""
    missing: bool = False
    line: int = 0


class Pair(Record):
    """A document and the schema that it shall fit, as the launch names them: their texts, or why there are none."""

    document: str
    schema: str
    texts: tuple[str, str] = ("", "")
    why: str = ""
    altered: bool = False

    @property
    def claim(self) -> str:
        """The pair as the launch names it."""
        return f"{self.document} (schema: {self.schema})"


def without_schemas(text: str) -> str:
    """A text without the schemas that it names, which are no deliverables."""
    return NAMED.sub(" ", text)


def pairs_in(text: str) -> Iterator[tuple[str, str]]:
    """Each document that a text names with its schema: the last path before the parenthesis, on its line."""
    last = 0
    for found in NAMED.finditer(text):
        before = text[max(last, text.rfind("\n", 0, found.start()) + 1) : found.start()]
        last = found.end()
        documents = paths(before[-1000:])
        if documents:
            yield documents[-1], found["schema"].strip()


def judge(disk: Disk, brief: Mapping[str, str], evidence: Evidence) -> None:
    """Judge each pair of a document and a schema that the launch names."""
    named = dict.fromkeys(pair for text in brief.values() for pair in pairs_in(text))
    until = time.monotonic() + durations.SCHEMA
    for document, schema in evidence.first(list(named), PAIRS, "pairs"):
        pair = _read(disk, Pair(document, schema))
        reason, detail = _judged(pair, until)
        evidence.asked.append(Finding(pair.claim, "fits", pair.claim, reason, detail))


def judge_declared(item: Item, evidence: Evidence) -> Finding:
    """The finding on a declared fit: that of the launch's pair, if it names one; a report alone opens no file."""
    for each in evidence.asked:
        document, _, schema = each.subject.removesuffix(")").partition(" (schema: ")
        ours = schema.removeprefix("./") == item.other.removeprefix("./")
        if each.kind == "fits" and ours and item.subject.removeprefix("./") in ("", document.removeprefix("./")):
            evidence.asked = [other for other in evidence.asked if other is not each]
            return each._replace(line=item.line)
    return Finding(item.line, "fits", f"{item.subject} (schema: {item.other})", "not asked")


def _judged(pair: Pair, until: float) -> tuple[str, str]:
    left = round(until - time.monotonic())
    if pair.why or left < 1:
        return "not checked", pair.why or "the time for such checks was used up"
    names = (pair.document, pair.schema)
    fit = check(*pair.texts, names, sys.executable, sys.path, seconds=left, most=3)
    if fit.why:
        return "not checked", f"{fit.why}{f' (line {fit.line})' if fit.line else ''}"
    if fit.problems:
        return "does not fit", _told(fit)
    if pair.altered:
        return "not checked", f"it fits {pair.schema}, which is not as it was at launch"
    return "fits", ""


def _told(fit: Fit) -> str:
    told = [": ".join(part for part in (_at(each), each.text) if part) for each in fit.problems]
    return "; ".join(told + ([f"and {fit.total - len(told)} more"] if fit.total > len(told) else []))


def _at(problem: Problem) -> str:
    return ", ".join(part for part in (f"line {problem.line}" if problem.line else "", problem.path) if part)


def check(
    document: str,
    schema: str,
    names: tuple[str, str],
    python: str,
    path: list[str],
    *,
    seconds: int,
    most: int,
    values: bool = False,
) -> Fit:
    """Whether a document's text fits a schema's text, as an interpreter with these folders of packages finds.

    With `values`, which is for their owner only, the answer may quote the two texts.
    """
    given = {
        "document": document, "document_yaml": _is_yaml(names[0], document),
        "schema": schema, "schema_yaml": _is_yaml(names[1], schema),
        "path": path, "seconds": seconds, "most": most, "values": values,
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


def fault(disk: Disk, found: Found) -> str:
    """Why an asked-for JSON or YAML file does not parse; empty if it does, or did not at launch either."""
    text = disk.text(found) if PARSED.search(found.name) else None
    wrong = fault_of(found.name, text or "")
    return "" if wrong and fault_of(found.name, disk.earlier(found.name) or "") else wrong


def fault_of(name: str, text: str) -> str:
    """Why a text does not parse, without its words; empty if it does, or if that proves nothing, as for a template."""
    if not text.strip() or len(text) > LARGEST or FILLED_IN.search(text):
        return ""
    machine.find_packages()
    fit = check(text, "", (name, ""), sys.executable, sys.path, seconds=durations.SCHEMA, most=1)
    return f"it is not valid {'YAML' if _is_yaml(name, text) else 'JSON'} (line {fit.line})" if fit.line else ""


def _is_yaml(name: str, text: str) -> bool:
    """Whether a text is YAML and not JSON: by the ending of its file or, if that does not tell, by its first sign."""
    ending = PurePath(name).suffix.lower()
    return ending in {".yaml", ".yml"} or (ending != ".json" and not text.lstrip().startswith(("{", "[")))


def _read(disk: Disk, pair: Pair) -> Pair:
    if not pair.document:
        return pair._replace(why="no file is named")
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
    return pair._replace(texts=(texts[0], texts[1]), altered=disk.changed(schema) is True)


def _file(disk: Disk, name: str, other: Optional[Found]) -> tuple[Optional[Found], str]:
    """The regular file that a name means, or why there is none; never the file `other`."""
    place = disk.project.place(name)
    found = {each.name: each for each in place.found if each != other}
    exact = found.get(name.removeprefix("./"))
    files = [exact] if exact else list(found.values())
    missing = "not found" if place.certain else "not found in time"
    if place.outside or not files:
        return None, "lies outside the project" if place.outside else missing
    why = "could be one of several files" if len(files) > 1 else _unusable(disk, files[0])
    return None if why else files[0], why


def _unusable(disk: Disk, found: Found) -> str:
    """Why a file cannot be checked; empty if it can."""
    refused = disk.refused(found)
    if not found.regular:
        return "is no regular file"
    if refused:
        return f"is not looked at: {REFUSED[refused]}"
    return "is too large" if found.size > LARGEST else ""
