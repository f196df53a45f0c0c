"""Goes through a report line by line and gives its statements, each with what it stands under."""

from __future__ import annotations

import re
from typing import Optional

from bg.pattern import pattern
from bg.record import Record

STATEMENTS = 2000
MARKER = pattern(r"^[ >]*\[(/?)([A-Z_]{6,30})\][ ]*$", re.MULTILINE)
FIELD = pattern(
    r"^[>\s]{0,3}\W{0,3}(agent_id|timestamp|status|deliverables?|summary|metrics(?:_achieved)?|"
    r"issues(?:_encountered)?|"
    r"recommendations?|total_duration|duration|priority)\W{0,3}:[ ]*(?:[|>][-+]?[ ]*$)?",
    re.IGNORECASE,
)
HEADING = pattern(r"^\s{0,3}(#{1,6})\s+(.*)")
FENCE = pattern(r"^\s*(?:>\s*)?(`{3,}|~{3,})\s*([\w.+-]*)")
ITEM = pattern(r"^(\s*)(?:[-*+•・–]|\d{1,3}[.)])(?:\s+|(?<=・))(?=\S)")
TREE = pattern(r"[├└]")
ROW = pattern(r"^\s*\|.*\|\s*$")
RULE = pattern(r"^[\s|:+-]+$")
BOLD = pattern(r"^\s*\*\*([^*]{1,80})\*\*:?\s*$")
OTHER_KEY = pattern(r"\w[\w /-]{0,30}: \S|\S+(?: \S+){7}")
SKIPPED = {"agent_id", "timestamp", "status", "total_duration", "duration", "priority"}
NAMES = {
    "deliverable": "deliverables",
    "metric": "metrics_achieved",
    "issue": "issues_encountered",
    "recommend": "recommendations",
}


class Statement(Record):
    """Some words of a report that belong together, with what they stand under, outermost first."""

    text: str
    kind: str = "prose"
    under: tuple[str, ...] = ()
    field: str = ""
    lead: str = ""
    head: tuple[str, ...] = ()


def field_name(name: str) -> str:
    """A field's name in full."""
    name = name.lower()
    return next((full for start, full in NAMES.items() if name.startswith(start)), name)


class Reader:
    """Goes through the lines once and remembers the headings, the line that announces a list, and the table's head."""

    def __init__(self, text: str, field: str) -> None:
        self.lines = [line.rstrip() for line in text.split("\n")]
        self.field = self.given = field
        self.headings: dict[int, str] = {}
        self.announced = ""
        self.parents: list[tuple[int, str]] = []
        self.head: tuple[str, ...] = ()
        self.lead = ""
        self.found: list[Statement] = []
        self.at = 0

    def read(self) -> list[Statement]:
        """The statements of the whole text."""
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
            self._key(line, mark)
        elif self.field in SKIPPED and self.field and line[:1] in " \t":
            return
        elif fence:
            self._fence(fence)
        elif heading:
            self._heading(heading)
        elif TREE.search(line) and not ROW.match(line):
            self.at -= 1
            self._tree()
        elif ROW.match(line):
            self._row(line)
        else:
            self._words(line, item)

    def _words(self, line: str, item: Optional[re.Match[str]]) -> None:
        if item:
            self._item(line, item)
            return
        if self.field != self.given and OTHER_KEY.match(line):
            self.field = self.given
        self._prose(line)

    def _key(self, line: str, mark: re.Match[str]) -> None:
        self.field, self.headings, self.announced, self.parents = field_name(mark[1]), {}, "", []
        if line[mark.end() :].strip() and self.field not in SKIPPED:
            self._add(self._joined(line[mark.end() :].strip()), "item")

    def _heading(self, heading: re.Match[str]) -> None:
        level = len(heading[1])
        self.headings = {key: value for key, value in self.headings.items() if key < level}
        self.headings[level] = heading[2].strip(" #:")
        self.announced, self.parents, self.field = "", [], self.given
        self._add(heading[2], "heading")

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
        if not indented:
            self.parents = []
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
            goes_on = (
                (word[:1].islower() or word[:1] in "(\"`'")
                and "/" not in first
                and not re.match(r"[\w.-]+\.\w+$", first)
            )
            if (
                len(text) < 40
                or not word
                or text[-1] in ".:;!?。"
                or not goes_on
                or FIELD.match(follows)
                or ITEM.match(follows)
            ):
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
            inner = path[len(root) :] if root and path.startswith(root) else ""
            self.found.append(
                Statement(f"`{path}` {remark}".strip(), "tree", self._under(), self.field, line.strip(), (inner,))
            )

    def _under(self) -> tuple[str, ...]:
        return (
            *self.headings.values(),
            *([self.announced] if self.announced else []),
            *(text for _, text in self.parents),
        )

    def _add(self, text: str, kind: str, head: tuple[str, ...] = ()) -> None:
        self.found.append(Statement(text, kind, self._under(), self.field, self.lead, head))
        if kind != "heading":
            self.lead = text
