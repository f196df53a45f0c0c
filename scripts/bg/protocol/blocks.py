"""Finds the signal blocks of a text: markers on lines of their own and outside quotations, or a JSON object."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from itertools import accumulate

from bg.pattern import pattern
from bg.protocol.marks import KEYLIKE, Fence, Mark, fence_of, mark_of, marker_of
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Each object that cannot be parsed costs a scan; a real report has one or two.
JSON_ATTEMPTS = 20

_SIGNAL_TYPE = pattern(r"\"signal_?type\"", re.IGNORECASE)
_INDENT = pattern(r"[ \t\u00a0\u3000]*")

# Levels of nested fences; deeper nesting is no Markdown, but would take very long.
DEPTH = 16


class Block(Record):
    """One signal as it is written; `line` is the line of its opening marker, from 1."""

    marker: str
    body: str
    line: int
    closed: bool
    repairs: tuple[str, ...]


def find(text: str) -> list[Block]:
    """All blocks of the text, in order, including templates with placeholders."""
    return _Scan(text).blocks()


def outside(text: str) -> str:
    """The lines of the text that belong to no block."""
    scan = _Scan(text)
    scan.blocks()
    kept, after = [], 0
    for begin, end in scan.spans:
        kept += scan.lines[after:begin]
        after = end
    return "\n".join([*kept, *scan.lines[after:]])


class _Scan:
    """One pass over the lines; every step either consumes lines or rejects one in constant time."""

    def __init__(self, text: str) -> None:
        self.text = text.lstrip("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        self.lines = self.text.split("\n")
        self.offsets = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.marks: dict[int, Mark] = {}
        self.braces: set[int] = set()
        self.fences = _Fences(self._classified(json_too=_SIGNAL_TYPE.search(text) is not None))
        self.stops = sorted({*self.marks, *self.fences.at, *self.braces})
        self.attempts = 0
        self.spans: list[tuple[int, int]] = []  # the first line of each stretch of blocks, and the line after it

    def _classified(self, *, json_too: bool) -> dict[int, Fence]:
        """The fences by line; also collects the lines with markers and braces."""
        fences: dict[int, Fence] = {}
        seen: dict[str, Mark | Fence | None] = {}
        for number, line in enumerate(self.lines):
            if json_too and line.lstrip().startswith("{"):
                self.braces.add(number)
            elif "[" in line or "```" in line or "~~~" in line:
                if line not in seen:
                    seen[line] = mark_of(line) or fence_of(line)
                kind = seen[line]
                if isinstance(kind, Mark):
                    self.marks[number] = kind
                elif kind is not None:
                    fences[number] = kind
        return fences

    def blocks(self) -> list[Block]:
        found: list[Block] = []
        at = 0 if self.marks or self.braces else len(self.lines)
        while at < len(self.lines):
            index = bisect_right(self.stops, at - 1)
            if index == len(self.stops):
                break
            at = begin = self.stops[index]
            count = len(found)
            if at in self.fences.at:
                at = self._fenced(at, found)
            elif at in self.marks:
                at = self._marked(at, found, None)
            else:
                at = self._object(at, found)
            if len(found) > count:
                self.spans.append((begin, at))
        return found

    def _next_text(self, at: int) -> int:
        """The first line from here on that is not blank."""
        while at < len(self.lines) and not self.lines[at].strip():
            at += 1
        return at

    def _opens(self, at: int) -> bool:
        """Whether a block begins here; after a decorated marker, something that looks like a field must follow."""
        mark = self.marks.get(at)
        if mark is None or mark.closing:
            return False
        following = self._next_text(at + 1)
        if mark.plain or following in self.fences.at or following in self.marks or following in self.braces:
            return True
        return following < len(self.lines) and KEYLIKE.match(self.lines[following]) is not None

    def _end(self, start: int) -> int:
        """The line of the marker that ends the block opened at `start`; the number of lines if there is none."""
        fence: int | None = None  # the open fence; `quoted` is the signal whose marker was opened within it
        quoted = ""
        for index in range(bisect_right(self.stops, start), len(self.stops)):
            at = self.stops[index]
            mark = self.marks.get(at)
            if at in self.fences.at:
                if fence is None:
                    fence, quoted = at if self.fences.closable[at] else None, ""
                elif self.fences.closes(at, fence):
                    fence = None
            elif mark is None:
                continue
            elif fence is None or (mark.closing and mark.name != quoted):
                return at
            else:
                quoted = "" if mark.closing else mark.name
        return len(self.lines)

    def _marked(self, start: int, found: list[Block], outer: int | None) -> int:
        """Take the block opened at `start`, in the fence at `outer`; return the line to continue from."""
        if not self._opens(start):
            return start + 1
        mark, end = self.marks[start], self._end(start)
        ender = self.marks.get(end)
        if ender is None or not ender.closing:
            return self._unclosed(start, end, found, outer)
        repairs = self._respelled(start)
        if ender.name != mark.name:
            repairs.append(f"line {end + 1}: [/{ender.name}] was taken as the closing marker of [{mark.name}]")
        elif not ender.plain:
            repairs.append(f"line {end + 1}: the closing marker was written {self.lines[end].strip()!r}")
        body = _plain(self.lines[start + 1 : end], repairs, start)
        found.append(Block(mark.name, body, start + 1, True, tuple(repairs)))
        return end + 1

    def _unclosed(self, start: int, end: int, found: list[Block], outer: int | None) -> int:
        """The same for an unclosed block, which ends with the next block, the fence around it, or the text."""
        name, ender = self.marks[start].name, self.marks.get(end)
        if outer is not None:
            within = (at for at in range(start + 1, end) if self.fences.closes(at, outer))
            end, ender = next(((at, None) for at in within), (end, ender))
        lines = self.lines[start + 1 : end]
        if not any(line.strip() for line in lines):
            return end
        repairs, after = self._respelled(start), end
        closed = ender is not None and ender.name == name and self._repeats(end)
        if closed:
            after = end + 1
            repairs.append(f"line {end + 1}: the closing marker was written without its slash")
        else:
            closed = _closed_in_its_last_line(name, lines, repairs, start)
        found.append(Block(name, _plain(lines, repairs, start), start + 1, closed, tuple(repairs)))
        return after

    def _respelled(self, start: int) -> list[str]:
        """The note on an opening marker that was written otherwise, if it was."""
        plain = self.marks[start].plain
        return [] if plain else [f"line {start + 1}: the marker was written {self.lines[start].strip()!r}"]

    def _repeats(self, at: int) -> bool:
        """Whether the opening marker at this line is meant as a closing one, as nothing of a block follows it."""
        following = self._next_text(at + 1)
        return following >= len(self.lines) or not (
            KEYLIKE.match(self.lines[following]) or following in self.braces or following in self.marks
        )

    def _fenced(self, opener: int, found: list[Block]) -> int:
        """Take the blocks of a fence that holds nothing else; skip any other fence as an example."""
        at = self._next_text(opener + 1)
        if at in self.braces:
            return self._fenced_object(opener, at, found)
        if not self._opens(at):
            return self._behind(opener)
        held: list[Block] = []
        while self._opens(at):
            at = self._next_text(self._marked(at, held, opener))
        if at < len(self.lines) and not self.fences.closes(at, opener):
            if held and self._fence_inside(held, opener):
                found.extend(held)
                return at
            closer = self.fences.closer_after(at, opener)
            if closer is not None:
                return closer + 1
            found.extend(held)
            return at
        if at >= len(self.lines) and held:
            self._fence_inside(held, opener)
        found.extend(held)
        return at + 1

    def _fence_inside(self, held: list[Block], opener: int) -> bool:
        """Drop the fence's end from the last body, and return True, if it was written before the closing marker."""
        lines = held[-1].body.split("\n")
        last = max((number for number, line in enumerate(lines) if line.strip()), default=-1)
        fence = fence_of(lines[last]) if last >= 0 else None
        outer = self.fences.at[opener]
        if fence is None or not fence.bare or (fence.char, fence.length) != (outer.char, outer.length):
            return False
        if sum(fence_of(line) is not None for line in lines) % 2 == 0:
            return False
        lines[last] = ""
        repair = "the code fence around the block was closed before the closing marker"
        held[-1] = held[-1]._replace(body="\n".join(lines), repairs=(*held[-1].repairs, repair))
        return True

    def _object(self, start: int, found: list[Block]) -> int:
        """Take a JSON object on lines of its own, the protocol's other form; return the line to continue from."""
        block, end = self._json(start)
        if block is not None:
            found.append(block)
        return end

    def _fenced_object(self, opener: int, start: int, found: list[Block]) -> int:
        """The same within a fence, which must hold nothing else."""
        block, end = self._json(start)
        after = self._next_text(end)
        if block is not None and (after >= len(self.lines) or self.fences.closes(after, opener)):
            found.append(block)
            return after + 1
        return self._behind(opener)

    def _behind(self, opener: int) -> int:
        """The line after a fence that is an example, or after its first line if nothing closes it."""
        closer = self.fences.closer(opener)
        return opener + 1 if closer is None else closer + 1

    def _json(self, start: int) -> tuple[Block | None, int]:
        """The signal in the object that begins here, and the line to continue from."""
        if self.attempts >= JSON_ATTEMPTS:
            return None, start + 1
        line = self.lines[start]
        begin = self.offsets[start] + len(line) - len(line.lstrip())
        try:
            value, end = json.JSONDecoder(strict=False).raw_decode(self.text, begin)
        except (ValueError, RecursionError):
            self.attempts += 1
            return None, start + 1
        last = bisect_right(self.offsets, end - 1) - 1
        if self.text[end : self.offsets[last + 1]].strip():
            self.attempts += 1
            return None, start + 1
        marker = _signal_type(value)
        if marker is None:
            return None, last + 1
        return Block(marker, self.text[begin:end], start + 1, True, ()), last + 1


class _Fences:
    """The fences of one text, by line."""

    def __init__(self, at: dict[int, Fence]) -> None:
        self.at = at
        self.lines = sorted(at)
        self.closable = self._closable()
        self._settled: dict[int, int] | None = None

    def _closable(self) -> dict[int, bool]:
        """For each fence line, whether a line further down could close it."""
        longest = {"`": 0, "~": 0}
        answer = {}
        for number in reversed(self.lines):
            fence = self.at[number]
            answer[number] = longest[fence.char] >= fence.length
            if fence.bare:
                longest[fence.char] = max(longest[fence.char], fence.length)
        return answer

    def closes(self, at: int, opener: int) -> bool:
        """Whether the line `at` has a fence that can close the fence at `opener`."""
        fence, outer = self.at.get(at), self.at[opener]
        return fence is not None and fence.bare and fence.char == outer.char and fence.length >= outer.length

    def closer_after(self, at: int, opener: int) -> int | None:
        """The first line from here on that can close a fence."""
        if not self.closable[opener]:
            return None
        later = range(bisect_right(self.lines, at - 1), len(self.lines))
        return next((self.lines[index] for index in later if self.closes(self.lines[index], opener)), None)

    def closer(self, opener: int) -> int | None:
        """The line that closes a fence, nested fences counted; None if it is never closed."""
        if self._settled is not None:
            return self._settled.get(opener)
        stack = [opener]
        pairs: dict[int, int] = {}
        for index in range(bisect_right(self.lines, opener), len(self.lines)):
            at = self.lines[index]
            depth = self._innermost(stack, at)
            if depth is None:
                stack.append(at)
                continue
            pairs[stack[depth]] = at
            del stack[depth:]
            if not stack:
                return at
        self._settled = pairs
        return None

    def _innermost(self, stack: list[int], at: int) -> int | None:
        """Which of the open fences a line closes: preferably one of exactly its length, else a shorter one."""
        if not self.at[at].bare:
            return None
        depths = range(len(stack) - 1, max(-1, len(stack) - 1 - DEPTH), -1)
        exact = (depth for depth in depths if self.at[stack[depth]][:2] == self.at[at][:2])
        longer = (depth for depth in depths[:1] if self.closes(at, stack[depth]))
        return next(exact, next(longer, None))


def _plain(lines: list[str], repairs: list[str], start: int) -> str:
    """The fields' lines without a common indent, a fence or a document mark; the number of lines stays the same."""
    lines = list(lines)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if filled and lines[filled[0]].strip() == "---":
        lines[filled.pop(0)] = ""
    inner = _fence_of_fields(lines, filled)
    if inner:
        repairs.append(f"line {start + 2 + inner[0]}: a code fence inside the markers was left out")
    for number in inner:
        lines[number] = ""
        filled.remove(number)
    indent = _INDENT.match(lines[filled[0]]).group() if filled else ""  # type: ignore[union-attr]
    if indent:
        repairs.append(f"line {start + 2 + filled[0]}: the block was indented by {len(indent)}")
        lines = [_outdent(line, indent) for line in lines]
    return "\n".join(lines)


def _fence_of_fields(lines: list[str], filled: list[int]) -> list[int]:
    """The lines of a fence around the fields: the first that is not blank, and the last if that closes the fence."""
    if len(filled) < 2:
        return []
    first, last = fence_of(lines[filled[0]]), fence_of(lines[filled[-1]])
    following = lines[filled[1]]
    if first is None or not (KEYLIKE.match(following) or following.lstrip().startswith("{")):
        return []
    closed = last is not None and last.bare and last.char == first.char
    return [filled[0], filled[-1]] if closed else filled[:1]


def _outdent(line: str, indent: str) -> str:
    if line.startswith(indent):
        return line[len(indent) :]
    own = _INDENT.match(line)
    return line[min(len(indent), own.end() if own else 0) :]


def _closed_in_its_last_line(name: str, lines: list[str], repairs: list[str], start: int) -> bool:
    """Whether the closing marker is at the end of a block's last line; it is removed from there."""
    last = max(number for number, line in enumerate(lines) if line.strip())
    closing = f"[/{name}]"
    if lines[last].rstrip().endswith(closing):
        lines[last] = lines[last].rstrip()[: -len(closing)].rstrip()
        repairs.append(f"line {start + last + 2}: the closing marker stood at the end of a line")
        return True
    repairs.append(f"the block of line {start + 1} was never closed; it was read up to line {start + 1 + len(lines)}")
    return False


def _signal_type(value: Any) -> str | None:
    for key, named in value.items() if isinstance(value, dict) else ():
        if key.replace("_", "").lower() == "signaltype" and isinstance(named, str):
            return marker_of(named)
    return None
