"""The page of requirements: every row says how it stands, with a reason where that is not "done", and names what is there."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "requirements.md").read_text(encoding="utf-8")
STANDINGS = ("done", "in part", "left out")


def rows() -> list[list[str]]:
    lines = [
        line for line in PAGE.splitlines() if line.startswith("| ") and not line.startswith(("| Requirement", "| ---"))
    ]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines]


ROWS = rows()


def standing(row: list[str]) -> tuple[str, str]:
    how, _, why = row[1].partition(": ")
    return how, why


def test_every_row_says_how_it_stands():
    assert len(ROWS) >= 100
    assert [row for row in ROWS if len(row) != 4 or standing(row)[0] not in STANDINGS] == []
    assert len({row[0] for row in ROWS}) == len(ROWS)


def test_the_page_counts_its_rows():
    count = Counter(standing(row)[0] for row in ROWS)
    said = re.search(r"(\d+) rows: (\d+) done, (\d+) in part, (\d+) left out", PAGE)
    assert said
    assert [len(ROWS), *(count[how] for how in STANDINGS)] == [int(number) for number in said.groups()]


def test_what_is_not_done_has_its_reason():
    assert [row[0] for row in ROWS if (standing(row)[0] != "done") != (len(standing(row)[1]) > 40)] == []


def test_what_is_named_is_there():
    missing = []
    for row in ROWS:
        place, (path, _, name) = row[2].strip("`"), row[3].strip("`").partition("::")
        if standing(row)[0] == "left out":
            missing += [] if not place and not path else [row]
            continue
        found = ROOT / path
        held = found.is_file() and re.search(rf"^def {name}\(", found.read_text(encoding="utf-8"), re.MULTILINE)
        missing += [] if (ROOT / place).is_file() and held and name else [row]
    assert missing == []
