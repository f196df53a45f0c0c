"""A report as statements: each with its words, its kind and the headings that it stands under.

Reads markdown, blocks, tables, drawn trees and JSON alike, line by line; nothing is ever rejected.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, Iterator, Mapping, Optional

MOST = 200_000
STATEMENTS = 2000
NESTING = 12
MARKER = re.compile(r"^[ >]*\[(/?)([A-Z_]{6,30})\][ ]*$", re.MULTILINE)
FIELD = re.compile(
    r"^[>\s]{0,3}\W{0,3}(agent_id|timestamp|status|deliverables?|summary|metrics(?:_achieved)?|issues(?:_encountered)?|"
    r"recommendations?|total_duration|duration|priority)\W{0,3}:[ ]*(?:[|>][-+]?[ ]*$)?",
    re.IGNORECASE,
)
HEADING = re.compile(r"^\s{0,3}(#{1,6})\s+(.*)")
FENCE = re.compile(r"^\s*(?:>\s*)?(`{3,}|~{3,})\s*([\w.+-]*)")
ITEM = re.compile(r"^(\s*)(?:[-*+•・–]|\d{1,3}[.)])(?:\s+|(?<=・))(?=\S)")
TREE = re.compile(r"[├└]")
ROW = re.compile(r"^\s*\|.*\|\s*$")
RULE = re.compile(r"^[\s|:+-]+$")
BOLD = re.compile(r"^\s*\*\*([^*]{1,80})\*\*:?\s*$")
SKIPPED = {"agent_id", "timestamp", "status", "total_duration", "duration", "priority"}
NAMES = {"deliverable": "deliverables", "metric": "metrics_achieved", "issue": "issues_encountered", "recommend": "recommendations"}


@dataclass(frozen=True)
class Statement:
    """Some words of a report that belong together, with what they stand under, outermost first."""

    text: str
    kind: str = "prose"
    under: tuple[str, ...] = ()
    field: str = ""
    lead: str = ""
    head: tuple[str, ...] = ()


def statements(report: str, fields: Optional[Mapping[str, Any]]) -> list[Statement]:
    """Everything that is said; the fields of a block instead of its own text where they are given."""
    report = "".join(each for each in report[:MOST] if not "\ue000" <= each <= "\uf8ff").replace("\r\n", "\n")
    if fields is not None:
        report = _without_blocks(report)
    found = list(_document(report))
    for name, value in (fields or {}).items():
        if isinstance(name, str) and _field(name) not in SKIPPED:
            text = _flat(value)[:MOST].replace("\r\n", "\n")
            text = "".join(each for each in text if not "\ue000" <= each <= "\uf8ff")
            found += _Reader(text, _field(name)).read()
    return found[:STATEMENTS]


def _without_blocks(report: str) -> str:
    kept, last, opened = [], 0, None
    for mark in MARKER.finditer(report):
        if mark[1] and opened == mark[2]:
            last, opened = mark.end(), None
        elif not mark[1] and opened is None:
            kept.append(report[last : mark.start()])
            opened, last = mark[2], mark.end()
    if opened is None:
        kept.append(report[last:])
    return "\n".join(kept)


def _field(name: str) -> str:
    name = name.lower()
    return next((full for start, full in NAMES.items() if name.startswith(start)), name)


def _flat(value: Any, depth: int = 0) -> str:
    if depth > NESTING:
        return ""
    if isinstance(value, Mapping):
        return "\n".join(f"{key}: {_flat(each, depth + 1)}" for key, each in list(value.items())[:500])
    if isinstance(value, (list, tuple)):
        return "\n".join(f"- {_flat(each, depth + 1)}" for each in value[:500])
    return str(value) if value is not None else ""


def _document(report: str) -> Iterator[Statement]:
    text = report.strip()
    bare = re.sub(r"^```\w*\n|\n```$", "", text)
    if bare[:1] in "{[" and bare[-1:] in "]}" and bare:
        try:
            given = json.loads(bare)
        except (ValueError, RecursionError):
            given = None
        if isinstance(given, (dict, list)):
            yield from _from_json(given, ())
            return
    yield from _Reader(report, "").read()


def _from_json(given: Any, under: tuple[str, ...]) -> Iterator[Statement]:
    """Each string of a JSON report under its keys; a small object of plain values is one statement."""
    if len(under) > NESTING:
        return
    if isinstance(given, dict):
        plain = all(not isinstance(value, (dict, list)) for value in given.values())
        if under and plain:
            joined = ", ".join(f"{key}: {value}" for key, value in given.items())
            yield Statement(joined[:2000], "json", under)
        else:
            for key, value in given.items():
                yield from _from_json(value, (*under, str(key)))
    elif isinstance(given, list):
        for value in given[:500]:
            yield from _from_json(value, under)
    elif given is not None and (under[-1].lower() if under else "") not in SKIPPED:
        yield Statement(str(given)[:4000], "json", under)


class _Reader:
    """Goes through the lines once and remembers the headings, the line that announces a list, and the table's head."""

    def __init__(self, text: str, field: str) -> None:
        self.lines = [line.rstrip() for line in text.split("\n")]
        self.field = field
        self.headings: dict[int, str] = {}
        self.announced = ""
        self.parents: list[tuple[int, str]] = []
        self.head: tuple[str, ...] = ()
        self.lead = ""
        self.found: list[Statement] = []
        self.at = 0

    def read(self) -> list[Statement]:
        while self.at < len(self.lines) and len(self.found) < STATEMENTS:
            line = self.lines[self.at]
            self.at += 1
            self._line(line)
        return self.found

    def _line(self, line: str) -> None:
        mark, fence, heading, item = FIELD.match(line), FENCE.match(line), HEADING.match(line), ITEM.match(line)
        if not ROW.match(line):
            self.head = ()
        if not line.strip() or MARKER.match(line):
            self.parents = []
        elif mark and (self.field or line[:1] not in " \t"):
            self.field, self.headings, self.announced, self.parents = _field(mark[1]), {}, "", []
            if line[mark.end() :].strip() and self.field not in SKIPPED:
                self._add(self._joined(line[mark.end() :].strip()), "item")
        elif self.field in SKIPPED and self.field and line[:1] in " \t":
            return
        elif fence:
            self._fence(fence)
        elif heading:
            level = len(heading[1])
            self.headings = {key: value for key, value in self.headings.items() if key < level}
            self.headings[level] = heading[2].strip(" #:")
            self.announced, self.parents, self.field = "", [], ""
            self._add(heading[2], "heading")
        elif TREE.search(line) and not ROW.match(line):
            self.at -= 1
            self._tree()
        elif ROW.match(line):
            self._row(line)
        elif item:
            self._item(line, item)
        else:
            self._prose(line)

    def _item(self, line: str, item: re.Match[str]) -> None:
        depth = len(item[1].expandtabs())
        self.parents = [each for each in self.parents if each[0] < depth]
        text = self._joined(line[item.end() :])
        self._add(text, "item")
        self.parents.append((depth, text))

    def _prose(self, line: str) -> None:
        bold = BOLD.match(line)
        follows = self.lines[self.at] if self.at < len(self.lines) else ""
        indented = len(line) - len(line.lstrip())
        deeper = len(follows) - len(follows.lstrip()) > indented and bool(follows.strip())
        announcing = line.rstrip().endswith((":", "：")) or bold or (deeper and len(line) < 60)
        if announcing:
            self._add(bold[1] if bold else line.strip(), "prose")
            self.announced, self.parents = (bold[1] if bold else line).strip(), []
            return
        if not indented and not self.field and self.announced and not self._listed():
            self.announced = ""
        self._add(self._joined(line), "item" if indented and self.announced else "prose")

    def _listed(self) -> bool:
        """Whether the line before this one announced it."""
        return self.at >= 2 and self.lines[self.at - 2].strip().strip("*") == self.announced.strip("*")

    def _joined(self, line: str) -> str:
        """A line with those that go on with it after a hard wrap."""
        text = line.strip()
        while self.at < len(self.lines) and len(text) < 4000:
            follows = self.lines[self.at]
            word = follows.strip()
            first = word.split(" ", 1)[0]
            goes_on = (word[:1].islower() or word[:1] in "(\"`'") and "/" not in first and not re.match(r"[\w.-]+\.\w+$", first)
            if len(text) < 40 or text[-1] in ".:;!?。" or not goes_on or FIELD.match(follows) or ITEM.match(follows):
                break
            if re.match(r"[\w -]{1,30}: ", word) or FENCE.match(follows):
                break
            text += " " + word
            self.at += 1
        return text

    def _row(self, line: str) -> None:
        cells = tuple(cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|")))
        follows = self.lines[self.at] if self.at < len(self.lines) else ""
        if RULE.match(line):
            return
        if RULE.match(follows) and "-" in follows:
            self.head = cells
            return
        self._add(" | ".join(cells), "row", head=self.head or ("",))

    def _fence(self, fence: re.Match[str]) -> None:
        body = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            self.at += 1
            if line.strip().lstrip("> ").startswith(fence[1]) and not line.strip().lstrip("> ").strip(fence[1][0]):
                break
            body.append(line)
        inner = "\n".join(body)
        if MARKER.search(inner) or (not self.found and self.at >= len(self.lines) and FIELD.match(inner)):
            self.lines[self.at : self.at] = body
        elif TREE.search(inner):
            self.lines[self.at : self.at] = [*[line for line in body if line.strip()], ""]
        elif inner.strip():
            self.found.append(Statement(inner, "fence", self._under(), self.field, self.lead, (fence[2],)))

    def _tree(self) -> None:
        """A drawn tree, each leaf with its folders."""
        before = self.lines[self.at - 1].strip() if self.at else ""
        root = before if before.endswith("/") and " " not in before and before != "./" else ""
        stack: list[tuple[int, str]] = []
        while self.at < len(self.lines) and TREE.search(self.lines[self.at]):
            line = self.lines[self.at]
            self.at += 1
            drawn = re.match(r"[\s│├└─|`+\u00a0-]*", line)
            depth = drawn.end() if drawn else 0
            name, _, remark = line[depth:].strip().partition("  ")
            name = re.split(r"\s+(?:#|<-|←|\(|—|–)", name)[0].strip()
            stack = [each for each in stack if each[0] < depth]
            path = "/".join([root.rstrip("/"), *[each[1] for each in stack], name]).strip("/")
            stack.append((depth, name.rstrip("/")))
            self.found.append(Statement(f"`{path}` {remark}".strip(), "tree", self._under(), self.field, line.strip()))

    def _under(self) -> tuple[str, ...]:
        return (*self.headings.values(), *([self.announced] if self.announced else []), *(text for _, text in self.parents))

    def _add(self, text: str, kind: str, head: tuple[str, ...] = ()) -> None:
        self.found.append(Statement(text, kind, self._under(), self.field, self.lead, head))
        if kind != "heading":
            self.lead = text
