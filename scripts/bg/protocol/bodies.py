"""The body of a block: its fields' lines without what an agent wrote around them, each repair in a sentence."""

from __future__ import annotations

from bg.pattern import pattern
from bg.protocol.marks import KEYLIKE, fence_of

_INDENT = pattern(r"[ \t\u00a0\u3000]*")


def plain(lines: list[str], repairs: list[str], start: int) -> str:
    """The fields' lines without a common indent, a fence or a document mark; their number stays the same."""
    lines = list(lines)
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if filled and lines[filled[0]].strip() == "---":
        lines[filled.pop(0)] = ""
    if len(filled) > 1:
        first, last = fence_of(lines[filled[0]]), fence_of(lines[filled[-1]])
        if first is not None and (KEYLIKE.match(lines[filled[1]]) or lines[filled[1]].lstrip().startswith("{")):
            repairs.append(f"line {start + 2 + filled[0]}: a code fence inside the markers was left out")
            lines[filled.pop(0)] = ""
            if last is not None and last.bare and last.char == first.char:
                lines[filled.pop()] = ""
    indent = _INDENT.match(lines[filled[0]]).group() if filled else ""  # type: ignore[union-attr]
    if indent:
        repairs.append(f"line {start + 2 + filled[0]}: the block was indented by {len(indent)}")
        lines = [_outdent(line, indent) for line in lines]
    return "\n".join(lines)


def _outdent(line: str, indent: str) -> str:
    if line.startswith(indent):
        return line[len(indent) :]
    own = _INDENT.match(line)
    return line[min(len(indent), own.end() if own else 0) :]


def closed_at_its_end(name: str, lines: list[str], repairs: list[str], start: int, end: int) -> bool:
    """Closes an unclosed block: by a marker at the end of its last line, else where it ran out."""
    last = max(number for number, line in enumerate(lines) if line.strip())
    closing = f"[/{name}]"
    if lines[last].rstrip().endswith(closing):
        lines[last] = lines[last].rstrip()[: -len(closing)].rstrip()
        repairs.append(f"line {start + last + 2}: the closing marker stood at the end of a line")
        return True
    repairs.append(f"the block of line {start + 1} was never closed; it was read up to line {end}")
    return False
