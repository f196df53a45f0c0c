"""The threat model: every promise names the tests that hold it, every open road says how it shows, and misses are named."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISED, WORDS, ROADS, RISKS = (
    "What is promised",
    "How your words are recognized",
    "What an agent with unrestricted Bash can do",
    "Accepted risks",
)


def section(name: str) -> str:
    found = re.search(rf"^## {re.escape(name)}\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE)
    assert found, name
    return found[1]


def rows(name: str) -> list[list[str]]:
    """The table of a section, without its head."""
    lines = [line for line in section(name).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[2:]]


def test_it_says_who_is_trusted_before_what_is_promised() -> None:
    names = re.findall(r"^## (.+)$", PAGE, re.MULTILINE)
    assert names == ["Who is trusted", "Who is not trusted", PROMISED, WORDS, ROADS, RISKS]


@pytest.mark.parametrize("row", rows(PROMISED), ids=lambda row: row[0])
def test_each_promise_has_its_tests(row: list[str]) -> None:
    against, promise, tests = row
    named = re.findall(r"`(tests/[\w/]+\.py)`", tests)
    assert against
    assert promise.endswith(".")
    assert named
    for path in named:
        assert re.search(r"^def test_", (ROOT / path).read_text(encoding="utf-8"), re.MULTILINE), path


def test_no_promise_is_made_twice() -> None:
    found = [row[0] for row in rows(PROMISED)]
    assert len(found) >= 12
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("name", [WORDS, ROADS])
def test_every_row_says_what_stays_open(name: str) -> None:
    found = rows(name)
    assert len(found) >= 4
    assert [row for row in found if len(row) != 3 or not all(row)] == []
