"""Each setting does what its description says, in the flow of a real host's payloads."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from bg.host import versions
from bg.ledger import place
from bg.words.outcome import at_a_glance
from drive import Drive, block, context
from recordings import VERSIONS, recorded


@pytest.fixture
def drive(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive("2.1.258", tmp_path)


def given(drive: Drive, **values) -> None:
    path = Path(place.config_directory()) / "bg.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


def begun(drive: Drive, agent: str = "a1") -> str:
    drive.prompt("/bg:bg Audit the auth code")
    token = drive.launch("Audit.", agent)
    assert token
    return token


@pytest.mark.parametrize(
    ("values", "asked"), [({}, 1), ({"gate": "observe"}, 0), ({"max_corrections": 0}, 0), ({"max_corrections": 1}, 1)]
)
def test_an_agent_is_asked_again_as_often_as_the_settings_say(drive, values, asked):
    given(drive, **values)
    begun(drive)
    said = drive.ends("a1", "All done, trust me.")
    assert [said.get("decision"), drive.rows("SELECT corrections FROM runs")] == [
        "block" if asked else None,
        [{"corrections": asked}],
    ]


@pytest.mark.parametrize(("values", "limit"), [({}, 2), ({"max_corrections": 1}, 1)])
def test_the_second_correction_is_for_a_block_that_stays_unreadable(drive, values, limit):
    given(drive, **values)
    token = begun(drive)
    broken = f"[COMPLETION_REPORT]\nagent_id: someone-else\nstatus: success\n[/COMPLETION_REPORT] {token[:4]}"
    for number in range(4):
        drive.ends("a1", f"{broken}\n{number}", stop_hook_active=number > 0)
    assert drive.rows("SELECT max(corrections) AS most FROM runs") == [{"most": limit}]


def test_observe_holds_no_turn(drive):
    given(drive, gate="observe")
    token = begun(drive)
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    assert "needs answers" in context(drive.announced("a1"))
    assert drive.stop(last_assistant_message="Noted.") == {}
    given(drive)
    assert "bg-1 Q1" in context(drive.stop(last_assistant_message="Noted."))


def test_a_blocking_delegation_is_denied_at_once_and_the_agent_told_whose_word_that_is(drive):
    given(drive, delegation="deny")
    token = begun(drive)
    drive.stop()
    drive.ends("a1", block("DELEGATE_WORK", token, independence="blocks_current_work"))
    said = drive.announced("a1")
    assert "it has been denied" in context(said)
    assert "Resume it now" in context(said)
    assert "AskUserQuestion" not in context(said)
    assert said["systemMessage"].startswith("bg-1 wanted another agent, which bg.json denies: “")
    assert drive.rows("SELECT state, words FROM delegations") == [
        {"state": "denied", "words": "deny: bg.json allows no further agents"}
    ]
    sent = drive.send(
        recorded("2.1.258", "resume", "PreToolUse", "SendMessage"), tool_input={"to": "a1", "message": "No."}
    )
    message = sent["hookSpecificOutput"]["updatedInput"]["message"]
    assert "## DELEGATION DENIED" in message
    assert "Reason (the user's settings): deny: bg.json allows no further agents" in message


def test_no_more_tasks_at_once_than_allowed(drive):
    given(drive, max_tasks=1)
    begun(drive)
    drive.stop()
    words = "bg-1 work already, and bg.json allows 1 at once (max_tasks). Nothing was launched."
    assert drive.prompt("/bg:bg Another one")["reason"] == words
    before = recorded("2.1.258", "background", "PreToolUse", "Agent")
    said = drive.send(before, tool_use_id="t9", tool_input={**before["tool_input"], "subagent_type": "bg:worker"})
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == words
    assert [row["label"] for row in drive.rows("SELECT label FROM tasks WHERE state <> 'not_launched'")] == ["bg-1"]
    given(drive, max_tasks=2)
    assert "[from the bg plugin, not from the user] label:" in context(drive.prompt("/bg:bg Another one"))
    assert drive.launch("Other.", "a2")


def test_notices_off_keeps_the_reminders_and_what_a_command_answers(drive):
    given(drive, notices=False)
    token = begun(drive)
    assert drive.started == {}
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    said = drive.announced("a1")
    assert ("systemMessage" in said, "needs answers" in context(said)) == (False, True)
    said = drive.prompt("/bg-answer Q1: CSV Q2: no")
    assert "bg-1 Q1 answered: CSV" in said["systemMessage"]


@pytest.mark.parametrize(
    ("values", "program", "sequence"),
    [
        ({}, "", None),
        (
            {"notify": True},
            "",
            "\x1b]777;notify;Claude Code;bg-1 asks: Should the export be CSV, XLSX, or both? (+1)\x07",
        ),
        (
            {"notify": True},
            "ghostty",
            "\x1b]9;bg-1 asks: Should the export be CSV, XLSX, or both? (+1)\x07",
        ),
    ],
)
def test_a_notification_when_a_question_waits(drive, monkeypatch, values, program, sequence):
    monkeypatch.setenv("TERM_PROGRAM", program)
    given(drive, **values)
    token = begun(drive)
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    assert drive.announced("a1").get("terminalSequence") == sequence


def test_no_notification_for_a_report_or_where_nobody_sits(drive, monkeypatch):
    given(drive, notify=True)
    token = begun(drive)
    drive.stop()
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    assert "terminalSequence" not in drive.announced("a1")
    assert versions.host_of((2, 1, 327)).notification("bg-1 asks") == ""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    assert versions.host_of((2, 1, 100)).notification("bg-1 asks") == ""
    assert "\x1b]0;" not in versions.host_of((2, 1, 327)).notification("bg-1 \x1b]0;title\x07 asks")


def test_a_quiet_agent_is_mentioned_once_for_each_stretch(drive):
    given(drive, quiet_minutes=2)
    begun(drive)
    path = drive.transcript_of("a1", "Still reading.")
    drive.stop()
    os.utime(path, (time.time() - 100, time.time() - 100))
    assert drive.prompt("How is it going?") == {}
    os.utime(path, (time.time() - 300, time.time() - 300))
    assert drive.prompt("And now?")["systemMessage"] == "bg-1 has written nothing for 5m · /bg-status bg-1"
    assert drive.prompt("And now?") == {}
    assert "quiet since 5m" in drive.prompt("/bg-status")["reason"]
    os.utime(path, (time.time() - 200, time.time() - 200))
    assert "written nothing for 3m" in drive.prompt("And now?")["systemMessage"]


def test_what_to_type_is_right_for_the_host(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    for version in VERSIONS:
        drive = Drive(version, tmp_path / version)
        expected = "/bg" if version in ("2.1.7", "2.1.38", "2.1.100", "2.1.197") else "/bg:bg"
        assert f"type {expected} <task>" in drive.prompt("/bg:bg")["reason"]
        if "No background" in drive.prompt("/bg-status")["reason"]:
            assert f"Type {expected} <task>" in drive.prompt("/bg-status")["reason"]
    assert at_a_glance(0, 0, 0) == ""
