"""Parses one file in a process of its own with bounds, which `formats` starts and feeds: parsers can crash and crawl.

JSON comes in and goes out. Nothing is run, opened or fetched.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import re
import resource
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    Told = dict[str, Any]

MEMORY = 512 * 1024 * 1024


def main() -> int:
    """The whole program."""
    given = json.loads(sys.stdin.buffer.read())
    with contextlib.suppress(OSError, ValueError):  # a system without such bounds: the parent's time limit is left
        resource.setrlimit(resource.RLIMIT_CPU, (given["seconds"], given["seconds"]))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.path += [each for each in given["path"] if each not in sys.path]
    print(json.dumps(told(given["kind"], given["text"])))  # noqa: T201 - what it says is what it is for
    return 0


def told(kind: str, text: str) -> Told:
    """On which line a text does not parse (0 for unknown), without the parser's words, as they quote it.

    Nothing where it parses, or where its parser came to no end.
    """
    try:
        return PARSERS[kind](text)
    except (ImportError, RecursionError, MemoryError, OverflowError):
        return {}


def _toml(text: str) -> Told:
    try:
        importlib.import_module("tomllib").loads(text)  # from Python 3.11 on
    except ValueError as error:
        place = re.search(r"\(at line (\d+), column \d+\)$", str(error))
        return {"line": int(place[1]) if place else 0}
    return {}


def _yaml(text: str) -> Told:
    import yaml  # noqa: PLC0415 - optional

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for _event in yaml.parse(text, Loader=loader):  # events only: no tag is resolved, no alias expanded
            pass
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        return {"line": mark.line + 1 if mark else 0}
    except (yaml.YAMLError, ValueError):
        return {}
    return {}


PARSERS: dict[str, Callable[[str], Told]] = {"toml": _toml, "yaml": _yaml}


if __name__ == "__main__":
    raise SystemExit(main())
