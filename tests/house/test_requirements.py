"""The page of requirements names only what is there: modules and texts, and tests that hold them."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
ROWS = [re.findall(r"`([^`]+)`", line) for line in PAGE.splitlines() if line.startswith("| ") and "`scripts/" in line]


def test_every_requirement_has_its_place_and_its_test():
    assert len(ROWS) >= 20
    assert not [row for row in ROWS if len(row) < 2]


def test_what_is_named_is_there():
    missing = []
    for *_, place, test in ROWS:
        path, _, name = test.partition("::")
        found = ROOT / path
        if not (ROOT / place).is_file() or not found.is_file() or f"def {name}(" not in found.read_text(encoding="utf-8"):
            missing.append((place, test))
    assert missing == []


def test_each_departure_gives_its_reason():
    left_out = PAGE.partition("## What is left out")[2]
    items = re.findall(r"^- \*\*.+?\*\* (.+)$", left_out, re.MULTILINE)
    assert len(items) == left_out.count("\n- **") >= 5
    assert all(len(item) > 40 for item in items)
