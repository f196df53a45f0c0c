"""Whether a file is what its name says, and when a failure to parse is no proof."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path, PurePath

from bg import foreign, machine
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

MOST = 256 * 1024
UNFINISHED = "unfinished"  # nested too deep or too slow to parse: that is no fault
HARMLESS = 8 * 1024  # too little to exhaust a stack or to crawl: it costs no process
SECONDS = 2
TEMPLATE = pattern(r"\{\{|\{%|<%|\$\{\{|@@\w+@@")
NOT_MEANT_TO = pattern(
    r"invalid|broken|malformed|corrupt|fixture|template|snippet|\bbad\b|[-_]bad|bad[-_]", re.IGNORECASE
)
WITH_COMMENTS = pattern(
    r"(^|/)(\.vscode|\.devcontainer|\.zed)/|(^|/)([tj]sconfig[^/]*|devcontainer|deno|biome|turbo|nx|angular|tslint|"
    r"renovate|api-extractor|language-configuration|\.?eslintrc|\.babelrc|\.swcrc|\.prettierrc|\.jshintrc|\.hintrc)("
    r"\.json)?$|\.(jsonc|json5|code-workspace)$",
    re.IGNORECASE,
)
COMMENT = pattern(r"^\s*(//|/\*|#)", re.MULTILINE)
NEWER_OR_OLDER = pattern(
    r"^\s*(match|case)\b.*:|\bexcept\s*\*|^\s*type\s+\w+|\b(def|class)\s+\w+\s*\[|^\s*(print|exec)\s+[^=(\s]|"
    r"\bexcept\s+[\w.]+\s*,|"
    r"<>|\b0\d+\b|\bur['\"]|\braise\s+\w+\s*,|`|[fFtT][rR]?['\"]|\bwith\s*\(|\basync\b|\bawait\b|\blazy\b|:=|"
    r"^\s*[%!]|\bprint\s+['\"%\w]",
)


def fault(name: str, content: bytes, before: Optional[bytes]) -> Optional[str]:
    """Why a file does not parse, None where it does or where that proves nothing."""
    found = _fault(name, content)
    if found is None or NOT_MEANT_TO.search(name):
        return None
    if before is not None and _fault(name, before) is not None:
        return None  # it was written in another dialect already
    return found


def _fault(name: str, content: bytes) -> Optional[str]:
    check = _CHECKS.get(PurePath(name).suffix.lower())
    if check is None or len(content) > MOST or b"\0" in content:
        return None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if TEMPLATE.search(text):
        return None
    try:
        return check(name, text)
    except (RecursionError, MemoryError, OverflowError):
        return UNFINISHED


def is_parsed(name: str) -> bool:
    """A file of this name is one that is parsed where it is small enough."""
    return PurePath(name).suffix.lower() in _CHECKS


def _json(name: str, text: str) -> Optional[str]:
    try:
        json.loads(text)
    except ValueError as error:
        if WITH_COMMENTS.search(name) or COMMENT.search(text) or _lines_fault(text) is None:
            return None
        return f"it is not valid JSON ({_at(error)})"
    return None


def _jsonl(_name: str, text: str) -> Optional[str]:
    return _lines_fault(text)


def _lines_fault(text: str) -> Optional[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                json.loads(line)
            except ValueError:
                return f"line {number} is not valid JSON"
    return None


def _at(error: ValueError) -> str:
    line = getattr(error, "lineno", None)
    return f"line {line}" if line else "see its content"


def _parsed(kind: str, text: str) -> dict[str, Any]:
    """What a parser says, in a process of its own: one that breaks off or takes too long is `unfinished`."""
    # Late: most reports name no such file.
    from bg.evidence import parsing  # noqa: PLC0415

    if len(text) <= HARMLESS and kind != "yaml":
        return parsing.told(kind, text)
    machine.find_packages()
    given = {"kind": kind, "text": text, "path": sys.path, "seconds": SECONDS}
    program = str(Path(__file__).with_name("parsing.py"))
    done = machine.python(sys.executable, program, seconds=SECONDS, given=json.dumps(given).encode())
    try:
        found = foreign.loads(done.out)
    except ValueError:
        found = None
    return found if isinstance(found, dict) else {"unfinished": True}


def _python(_name: str, text: str) -> Optional[str]:
    found = _parsed("python", text)
    if not found or found.get("unfinished"):
        return UNFINISHED if found else None
    number = int(found["line"])
    lines = text.splitlines()
    near = "\n".join(lines[max(0, number - 2) : number + 1])
    if NEWER_OR_OLDER.search(near) or any(NEWER_OR_OLDER.search(line) for line in near.splitlines()):
        return None  # perhaps the syntax of another Python than the one that runs here
    if "python2" in text[:80]:
        return None
    return f"it is not valid Python (line {number})"


def _toml(_name: str, text: str) -> Optional[str]:
    found = _parsed("toml", text)
    if found.get("unfinished"):
        return UNFINISHED
    return f"it is not valid TOML ({_line(found)})" if found else None


def _yaml(_name: str, text: str) -> Optional[str]:
    found = _parsed("yaml", text)
    if found.get("unfinished"):
        return UNFINISHED
    return f"it is not valid YAML ({_line(found)})" if found else None


def _line(found: dict[str, Any]) -> str:
    return f"line {found['line']}" if found.get("line") else "see its content"


_CHECKS: dict[str, Callable[[str, str], Optional[str]]] = {
    ".json": _json,
    ".ipynb": _json,
    ".webmanifest": _json,
    ".geojson": _json,
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".py": _python,
    ".toml": _toml,
    ".yaml": _yaml,
    ".yml": _yaml,
}
