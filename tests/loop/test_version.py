"""Which client runs a session now: one may begin it, and another go on with it."""

from __future__ import annotations

import json
import os

import pytest
from bg import machine
from drive import Drive, block, context, plain
from recordings import NEWEST, recorded

HERE = machine.Process(os.getpid(), machine._look(os.getpid())[2])


def announced(version: str) -> str:
    return f"claude-code_{version.replace('.', '-')}_harness"


def resumed(drive: Drive, version: str) -> str:
    """Another client goes on with the session; what its parent is told at the beginning."""
    drive.version = version
    return context(drive.send(recorded(version, "sessions", "SessionStart"), source="resume"))


def goes_on(drive: Drive, version: str) -> None:
    """The client writes down a prompt."""
    record = {"type": "user", "version": version, "message": {"role": "user", "content": "I am back."}}
    with drive.transcript.open("a") as file:
        file.write(json.dumps(record) + "\n")


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A session of this version in which an agent has asked."""
    monkeypatch.setattr(machine, "host", lambda: HERE)

    def begun(version: str) -> Drive:
        drive = Drive(version, tmp_path)
        drive.prompt("/bg Audit")
        drive.ends("a1", block("CLARIFICATION_NEEDED", drive.launch("Audit", "a1")))
        drive.announced("a1")
        drive.stop()
        return drive

    return begun


def test_a_client_that_wakes_agents_does_so_in_a_session_of_one_that_cannot(asked, monkeypatch):
    drive = asked("2.1.100")
    monkeypatch.setenv("AI_AGENT", announced(NEWEST))
    assert 'SendMessage with to: "a1"' in resumed(drive, NEWEST)
    assert 'SendMessage with to: "a1"' in context(drive.prompt("/bg-answer Q1: CSV Q2: no"))


@pytest.mark.parametrize("begun", ["2.1.38", NEWEST])
def test_a_client_that_does_not_say_its_version_is_known_by_what_it_has_written_last(asked, monkeypatch, begun):
    """Whatever the ledger was told of the session by the client that began it."""
    if begun == NEWEST:
        monkeypatch.setenv("AI_AGENT", announced(begun))
    drive = asked(begun)
    monkeypatch.delenv("AI_AGENT", raising=False)
    resumed(drive, "2.1.100")
    goes_on(drive, "2.1.100")
    drive.spawn = "Agent"
    token = drive.launch("Write.", "a2", "docs", subagent_type="bg:worker")
    drive.ends("a2", block("CLARIFICATION_NEEDED", token))
    assert "cannot wake an ended agent" in context(drive.announced("a2"))


def test_an_agent_that_hands_back_in_a_session_begun_without_hand_back_has_one_run(asked, monkeypatch):
    drive = asked("2.1.258")
    monkeypatch.setenv("AI_AGENT", announced(NEWEST))
    resumed(drive, NEWEST)
    prompt = recorded(NEWEST, "handback", "UserPromptSubmit")
    drive.send(prompt, prompt="/bg Write the docs")
    token = drive.launch("Write.", "a2", "docs")
    report = block("COMPLETION_REPORT", token, status="success")
    before = recorded(NEWEST, "handback", "PreToolUse", "SubagentHandback")
    drive.send(before, agent_id="a2", tool_input={"message": report})
    stopped = recorded(NEWEST, "handback", "SubagentStop")
    path = drive.transcript_of("a2", "I hand it over.")
    drive.send(stopped, agent_id="a2", agent_transcript_path=str(path))
    assert drive.rows("SELECT run FROM runs WHERE agent = 'a2'") == [{"run": 1}]
    assert drive.rows("SELECT state FROM tasks WHERE label = 'bg-2'") == [{"state": "done"}]


def launched(drive: Drive, agent: str, *, continues: bool) -> str:
    """The host answers a launch, and says whether its session can continue the agent; what the user is shown."""
    drive.launch("Write.", agent, "docs", subagent_type="bg:worker")
    after = recorded(NEWEST, "background", "PostToolUse", "Agent")
    assert after["tool_response"]["canContinueAgent"] is True
    given = {**after["tool_response"], "agentId": agent, "canContinueAgent": continues, "prompt": drive.taken["prompt"]}
    said = drive.send(after, tool_use_id=f"toolu_{drive.calls:04d}", tool_input=drive.taken, tool_response=given)
    return str(said["systemMessage"])


def test_a_session_that_is_not_offered_messages_says_so_at_the_launch(drive, monkeypatch):
    """Whatever its version can do elsewhere; another client, or another launch, may have it again."""
    monkeypatch.setattr(machine, "host", lambda: HERE)
    drive.prompt("/bg Audit")
    drive.launch("Audit.", "a1")
    shown = launched(drive, "a2", continues=False)
    assert "started: docs · in this session a new agent goes on with your answer · /bg-status" in shown
    assert "this session, which is not offered SendMessage, cannot wake" in plain(
        drive.prompt("/bg-status doctor")["reason"]
    )
    drive.ends(
        "a2", block("CLARIFICATION_NEEDED", drive.rows("SELECT token FROM launches WHERE agent = 'a2'")[0]["token"])
    )
    assert "cannot wake an ended agent, so launch a new agent" in context(drive.announced("a2"))
    monkeypatch.setenv("AI_AGENT", announced("2.1.400"))
    assert "answers go to the same agent" in plain(drive.prompt("/bg-status doctor")["reason"])
    monkeypatch.delenv("AI_AGENT")
    assert "goes on with your answer" not in launched(drive, "a3", continues=True)
    assert "answers go to the same agent" in plain(drive.prompt("/bg-status doctor")["reason"])
    assert drive.rows("SELECT 1 FROM meta WHERE key LIKE 'continues:%'") == []


def test_a_record_longer_than_what_is_read_first_hides_no_version(asked):
    drive = asked("2.1.100")
    goes_on(drive, "2.1.100")
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"role": "user", "content": "x" * 100_000}}) + "\n")
    assert "cannot wake an ended agent" in context(drive.prompt("/bg-answer Q1: CSV Q2: no"))
