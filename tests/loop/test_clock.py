"""The order of what happens is that of its numbers: a clock that goes back changes nothing."""

from __future__ import annotations

import json
import time

import pytest
from bg.ledger import spool
from bg.ledger.place import directory
from drive import Drive, block, context
from test_flow import asking


def test_a_launch_after_the_clock_went_back_fills_its_window(drive):
    """It is not said to be not launched, and the next launch gets another label."""
    drive.prompt("/bg Audit")
    drive.advance(-2)
    assert drive.launch("Audit", "a1").startswith("bg-1-")
    assert drive.launch("Count", "a2").startswith("bg-2-")
    assert "not launched" not in str(drive.stop())
    assert "not launched" not in str(drive.prompt("What now?"))
    assert [row["state"] for row in drive.rows("SELECT state FROM tasks ORDER BY number")] == ["working", "working"]


@pytest.mark.parametrize("behind", [True, False])
def test_a_notification_in_mid_turn_counts_by_its_place(behind, tmp_path):
    """Behind the call that began the run it is of this run, whatever the host's clock says; before it, of another."""
    drive = Drive("2.1.258", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    call = {"type": "tool_use", "id": "toolu_0001", "name": "Agent", "input": {}}
    words = (
        "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Agent finished</summary>\n"
        f"<result>{block('COMPLETION_REPORT', token, status='success')}</result>\n</task-notification>"
    )
    lines = [
        {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {
            "type": "attachment",
            "timestamp": "2001-01-01T00:00:00Z",
            "attachment": {"type": "queued_command", "prompt": words},
        },
    ]
    with drive.transcript.open("a") as file:
        file.write("".join(f"{json.dumps(line)}\n" for line in (lines if behind else reversed(lines))))
    drive.advance(-3600)
    drive.stop()
    assert [row["state"] for row in drive.rows("SELECT state FROM tasks")] == ["done" if behind else "working"]


def test_events_that_wait_are_taken_in_as_they_came():
    now = time.time()
    for number in range(5):
        assert spool.keep(directory(), f'{{"number": {number}}}', now - number * (number + 1))
    taken: list[str] = []
    assert spool.take_in(directory(), now, lambda text, _: taken.append(text))
    assert taken == [f'{{"number": {number}}}' for number in range(5)]


def repeats(drive: Drive, prompts: int) -> list[bool]:
    """Whether each of the next prompts names the answers again that the parent has not sent."""
    told = []
    for _ in range(prompts):
        drive.stop()
        told.append("Resume it now" in context(drive.prompt("Something else.")))
    return told


def test_answers_are_named_three_times_and_no_more_after_the_clock_went_back(drive):
    asking(drive)
    assert "Resume it now" in context(drive.prompt("/bg-answer Q1: CSV Q2: all"))
    drive.advance(-3600)
    assert repeats(drive, 5) == [True, True, False, False, False]


def test_the_user_is_told_once_that_the_parent_does_nothing(drive):
    asking(drive)
    drive.prompt("/bg-answer Q1: CSV Q2: all")
    said = []
    for _ in range(6):
        drive.stop()
        said.append(drive.prompt("Something else.").get("systemMessage", ""))
    words = "Claude was told three times how bg-1 goes on, and has not done it · /bg-status bg-1"
    assert [words in each for each in said] == [False, False, True, False, False, False]


def test_another_answer_is_named_three_times_though_the_clock_went_back_before_it(drive):
    """What was said of the answer that it replaces is not counted against it."""
    asking(drive)
    assert "Resume it now" in context(drive.prompt("/bg-answer Q1: CSV Q2: all"))
    assert repeats(drive, 3) == [True, True, False]
    drive.advance(-3600)
    drive.stop()
    assert "Resume it now" in context(drive.prompt("/bg-answer bg-1 Q1: XLSX"))
    assert repeats(drive, 4) == [True, True, False, False]
