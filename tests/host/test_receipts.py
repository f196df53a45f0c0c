"""Receipts read off a transcript: how far back what a record follows may be."""

from __future__ import annotations

import json

import pytest
from bg.host import receipts

FIRST = {"uuid": "u0", "type": "user", "message": {"content": "Go on"}}


@pytest.mark.parametrize("between", [1_000, 600_000])
def test_what_the_carrier_follows_may_have_been_written_long_before(between, tmp_path):
    path = tmp_path / "session.jsonl"
    path.write_text(json.dumps(FIRST) + "\n" + json.dumps({"type": "user", "toolUseResult": "x" * between}) + "\n")
    place = path.stat().st_size
    with path.open("a") as file:
        for record in (
            {"uuid": "u1", "parentUuid": "u0", "type": "user", "message": {"content": "An agent has ended"}},
            {"uuid": "u2", "parentUuid": "u1", "type": "assistant", "message": {"content": "I see."}},
        ):
            file.write(json.dumps(record) + "\n")
    found = receipts.Stretch(str(path), place).receipt("bg-1 reports", "An agent has ended")
    assert (found.shown, found.carried, found.answered, found.passed) == (False, True, True, True)
