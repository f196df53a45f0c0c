"""Receipts read off a transcript: how far back what a record follows may be, and which calls were refused."""

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


def test_the_result_of_a_call_says_whether_and_why_it_was_refused(tmp_path):
    path = tmp_path / "session.jsonl"
    parts = [
        {"type": "tool_result", "tool_use_id": "t1", "content": "Async agent launched successfully."},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": True, "content": "Denied by a rule."},
        {"type": "tool_result", "tool_use_id": "t3", "is_error": True, "content": ""},
        {"type": "tool_result", "tool_use_id": "t4", "content": "Another call's."},
    ]
    records = [{"type": "user", "message": {"content": [part]}} for part in parts]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found = receipts.results(str(path), ["t1", "t2", "t3", "t5"])
    assert found == {"t1": "", "t2": "Denied by a rule.", "t3": "refused"}


def test_each_call_is_known_by_the_message_that_made_it(tmp_path):
    path = tmp_path / "session.jsonl"
    made = [("m1", "t1"), ("m1", "t2"), ("m2", "t3")]
    spoken = {"id": "m1", "content": [{"type": "text", "text": "I launch two."}]}
    messages = [spoken, *({"id": message, "content": [{"type": "tool_use", "id": call}]} for message, call in made)]
    path.write_text("".join(json.dumps({"type": "assistant", "message": each}) + "\n" for each in messages))
    assert receipts.messages(str(path)) == {call: message for message, call in made}
