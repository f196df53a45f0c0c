"""Seconds: each number of them is in one module, with its reason; whatever else is held against a clock is found."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parents[2] / "scripts" / "bg"
DURATIONS = PACKAGE / "durations.py"
#: What an expression names that has to do with time: a clock, a moment, an age.
CLOCKS = {"now", "monotonic", "time", "last_sign", "moment", "silent", "st_mtime", "st_ctime", "began"}
CLOCKS |= {"last_seen", "ended", "bound", "asked"}
LIMITS = {"timeout", "seconds", "wait", "patience"}
# A time in words is no bound on anything.
WORDED = {"words/times.py"}


def numbers(node: ast.AST, known: Collection[str] = ()) -> Iterator[str]:
    """The numbers in an expression that are no 0, 1 or -1, as such or by a name of the module."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant) and type(each.value) in (int, float) and each.value not in (0, 1):
            yield str(each.value)
        if isinstance(each, ast.Name) and each.id in known:
            yield each.id


def named(node: ast.AST) -> set[str]:
    """What an expression names; `now` may be anything that is there now, so the name alone says nothing."""
    names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)} - {"now"}
    return names | {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}


def constants(tree: ast.Module) -> set[str]:
    """What the module itself calls a number."""
    found: set[str] = set()
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(numbers(node.value)):
            targets = [each for target in node.targets for each in ast.walk(target)]
            found |= {each.id for each in targets if isinstance(each, ast.Name)}
    return found


def seconds_in(source: str) -> list[str]:
    """The numbers that are held against a clock, slept for, or given as a limit of time, each with its line."""
    tree = ast.parse(source)
    known = constants(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            is_sleep = isinstance(node.func, ast.Attribute) and node.func.attr == "sleep"
            parts = [each.value for each in node.keywords if each.arg in LIMITS] + (node.args if is_sleep else [])
        elif isinstance(node, ast.Compare) or (isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub))):
            parts = [node] if named(node) & CLOCKS else []
        elif isinstance(node, ast.arguments):
            given = [*zip(reversed(node.args), reversed(node.defaults)), *zip(node.kwonlyargs, node.kw_defaults)]
            parts = [default for name, default in given if default is not None and name.arg in LIMITS]
        else:
            continue
        found += [f"{part.lineno}: {number}" for part in parts for number in numbers(part, known)]
    return sorted(set(found))


def modules() -> list[str]:
    return sorted(str(path.relative_to(PACKAGE)) for path in PACKAGE.rglob("*.py") if path != DURATIONS)


@pytest.mark.parametrize("name", modules())
def test_no_other_module_has_a_number_of_seconds(name: str) -> None:
    assert name in WORDED or [] == seconds_in((PACKAGE / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "GRACE = 5.0\ndef f(book, at): return book.now() - at > GRACE",
        "def f(book, at): return book.now() - at > 5",
        "import time\nSTEP = 0.03\ntime.sleep(STEP)",
        "import time\nuntil = time.monotonic() + 2.5",
        "run(['git'], timeout=10)",
        "def look(path, wait=0.6): ...",
        "HOUR = 60 * 60\ndef f(path, now): return now - path.st_mtime < HOUR",
    ],
)
def test_a_number_of_seconds_is_found(source: str) -> None:
    assert seconds_in(source)


def test_each_has_its_reason_and_is_used() -> None:
    lines = [line for line in DURATIONS.read_text(encoding="utf-8").splitlines() if re.match(r"[A-Z_]+ = ", line)]
    assert len(lines) > 20
    used = " ".join(path.read_text(encoding="utf-8") for path in PACKAGE.rglob("*.py") if path != DURATIONS)
    for line in lines:
        name = line.split(" = ")[0]
        assert "#" in line or name in ("MINUTE", "DAY", "RECENT"), line
        assert re.search(rf"\bdurations\.{name}\b", used), line
