"""A run that its turn limit ended, on the hosts that say only that it has completed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from drive import Drive

CALL = {"type": "tool_use", "id": "t9", "name": "Bash", "input": {"command": "echo work"}}
RESULT = {"type": "tool_result", "tool_use_id": "t9", "content": "work"}


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    """2.1.100 calls no hook at such an end, and its notification names no limit."""
    found = Drive("2.1.100", tmp_path)
    found.prompt("/bg Audit the auth code")
    assert found.launch("Audit.", "a1")
    found.stop()
    return found


def writes(drive: Drive, *parts: tuple[str, object]) -> None:
    path = drive.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for kind, part in parts:
            message = {"role": kind, "content": [part], **({"stop_reason": "tool_use"} if kind == "assistant" else {})}
            file.write(json.dumps({"type": kind, "uuid": f"u{file.tell()}", "message": message}) + "\n")


def test_the_host_says_that_it_has_ended(drive: Drive) -> None:
    writes(drive, ("assistant", {"type": "text", "text": "Step 1."}), ("assistant", CALL), ("user", RESULT))
    drive.announced("a1", result="Step 1.")
    assert drive.state() == "unreported"


@pytest.mark.parametrize(
    ("result", "last"),
    [("Step 1.", ("assistant", CALL)), ("Something else.", ("user", RESULT)), ("", ("user", RESULT))],
    ids=["a call is open", "other words", "no words"],
)
def test_a_notification_that_the_transcript_does_not_bear_out_ends_nothing(drive: Drive, result: str, last) -> None:
    writes(drive, ("assistant", {"type": "text", "text": "Step 1."}), ("assistant", CALL), ("user", RESULT), last)
    drive.announced("a1", result=result)
    assert drive.state() == "working"
