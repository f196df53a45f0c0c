"""Whether a JSON, YAML or TOML file that the launch asked for parses, told by place and never by content."""

from __future__ import annotations

import json
import sys
from pathlib import Path, PurePath

from bg import foreign, machine
from bg.pattern import pattern

MOST = 256 * 1024
SECONDS = 2
_TEMPLATE = pattern(r"\{\{|\{%|<%|\$\{\{|@@\w+@@")
_COMMENT = pattern(r"^\s*(//|/\*|#)", 8)  # re.MULTILINE
_KINDS = {".json": "json", ".jsonl": "lines", ".ndjson": "lines", ".toml": "toml", ".yaml": "yaml", ".yml": "yaml"}
_NAMES = {"json": "JSON", "lines": "JSON, a value a line", "toml": "TOML", "yaml": "YAML"}


def is_parsed(name: str) -> bool:
    """Whether a file of this name is one that is parsed."""
    return PurePath(name).suffix.lower() in _KINDS


def fault(name: str, content: bytes) -> str:
    """Why a file does not parse; empty where it does, or where that proves nothing."""
    kind = _KINDS[PurePath(name).suffix.lower()]
    try:
        text = content.decode("utf-8-sig") if len(content) <= MOST else ""
    except UnicodeDecodeError:
        return ""
    if not text or _TEMPLATE.search(text) or (kind == "json" and _COMMENT.search(text)):
        return ""
    wrong = _json(kind, text) if kind in ("json", "lines") else _parsed(kind, text)
    return f"it is not valid {_NAMES[kind]}{f' (line {wrong})' if wrong else ''}" if wrong is not None else ""


def _json(kind: str, text: str) -> int | None:
    """The first line that does not parse."""
    values = [(1, text)] if kind == "json" else [each for each in enumerate(text.split("\n"), 1) if each[1].strip()]
    for number, value in values:
        try:
            json.loads(value)
        except ValueError as error:
            return getattr(error, "lineno", 1) + number - 1
        except RecursionError:
            return None
    return None


def _parsed(kind: str, text: str) -> int | None:
    """The line that a parser refuses, 0 where it names none; it runs in a process of its own with bounds."""
    machine.find_packages()
    given = {"kind": kind, "text": text, "path": sys.path, "seconds": SECONDS}
    program = str(Path(__file__).with_name("parsing.py"))
    done = machine.python(sys.executable, program, seconds=SECONDS, given=json.dumps(given).encode())
    try:
        found = foreign.loads(done.out)
    except ValueError:
        return None
    return found.get("line") if isinstance(found, dict) else None
