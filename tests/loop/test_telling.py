"""Words, and `stop`, behind a label in every state: they reach the agent as the user typed them."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from bg.ledger import tasks
from drive import Drive, block, context
from recordings import VERSIONS

WORDS = "you never ran pytest: run it, and what did it say?"
HOSTS = ["2.1.7", "2.1.100", "2.1.197", VERSIONS[-1]]
BY_MESSAGE = ["2.1.197", VERSIONS[-1]]
QUEUED = {"success": True, "message": "Message queued for delivery to a1 at its next tool round."}


def working(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Drive, str]:
    """A session with one task whose agent works, and its token."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    assert token
    return drive, token


def ends(drive: Drive, token: str, status: str = "success") -> None:
    drive.ends("a1", block("COMPLETION_REPORT", token, status=status))
    drive.announced("a1")
    drive.stop()


def be(drive: Drive, state: str) -> None:
    with contextlib.closing(drive.ledger()) as book, book.transaction() as writing:
        tasks.set_state(writing, "bg-1", state)


def sends(drive: Drive, use: str = "s1", answer: dict[str, object] | None = None) -> str:
    """The parent wakes the agent, or passes something on to it; the message that goes out."""
    if drive.version == "2.1.7":
        given = {"description": "go on", "prompt": "Go on.", "subagent_type": "general-purpose", "resume": "a1"}
        call = {"hook_event_name": "PreToolUse", "tool_name": "Task", "tool_use_id": use, "tool_input": given}
        out = drive.send(call)["hookSpecificOutput"]["updatedInput"]
        drive.send({**call, "hook_event_name": "PostToolUse", "tool_input": out,
                    "tool_response": {"isAsync": True, "status": "async_launched", "agentId": "a1"}})  # fmt: skip
        return str(out["prompt"])
    given = {"to": "a1", "message": "Go on."}
    call = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": use, "tool_input": given}
    out = drive.send(call)["hookSpecificOutput"]["updatedInput"]
    response = answer or {"success": True, "resumedAgentId": "a1"}
    drive.send({**call, "hook_event_name": "PostToolUse", "tool_input": out, "tool_response": response})
    return str(out["message"])


@pytest.mark.parametrize("now", sorted({*tasks.ENDED_STATES, *tasks.CONTINUABLE_STATES} - {"not_launched"}))
@pytest.mark.parametrize("version", HOSTS)
def test_words_wake_an_ended_agent(version: str, now: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive, token = working(version, tmp_path, monkeypatch)
    ends(drive, token)
    be(drive, now)
    said = drive.prompt(f"/bg-answer bg-1 {WORDS}")
    assert "bg-1 goes on with your words" in said["systemMessage"]
    assert "What the user said to bg-1 is recorded. Resume it now: " in context(said)
    if version == "2.1.100":
        assert "in a new agent" in said["systemMessage"]
        drive.launch("Go on.", "a2", description="bg-1: go on")
        sent = drive.taken["prompt"]
    else:
        sent = sends(drive)
    assert sent.count(f"> {WORDS}") == 1
    assert "## MESSAGE FROM THE USER" in sent
    assert "## MESSAGE FROM YOUR PARENT AGENT" not in sent
    assert "working" == drive.state()
    assert [] == drive.rows("SELECT text FROM errors")
    assert [] == drive.rows("SELECT id FROM answers WHERE sent IS NULL")


@pytest.mark.parametrize("version", BY_MESSAGE)
def test_words_reach_an_agent_that_works(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive, _ = working(version, tmp_path, monkeypatch)
    said = drive.prompt(f"/bg-answer bg-1 {WORDS}")
    assert "bg-1 works: Claude passes your words on now." in said["systemMessage"]
    assert "Pass it on now: call SendMessage" in context(said)
    sent = sends(drive, answer=QUEUED)
    assert sent.count(f"> {WORDS}") == 1
    assert "working" == drive.state()


@pytest.mark.parametrize("version", ["2.1.7", "2.1.100"])
def test_words_wait_where_a_running_agent_cannot_be_told(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, token = working(version, tmp_path, monkeypatch)
    said = drive.prompt(f"/bg-answer bg-1 {WORDS}")
    assert "it gets your words when its run ends" in said["systemMessage"]
    assert "hears it at the end of its run" in context(said)
    drive.ends("a1", block("COMPLETION_REPORT", token))
    assert "W1 reached it" in context(drive.announced("a1"))


@pytest.mark.parametrize("version", BY_MESSAGE)
def test_stop_asks_for_a_checkpoint_and_stops_at_once_at_the_second_time(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, _ = working(version, tmp_path, monkeypatch)
    said = drive.prompt("/bg-answer bg-1 stop")
    assert "bg-1 is asked to stop and to leave a checkpoint" in said["systemMessage"]
    sent = sends(drive, answer=QUEUED)
    assert sent.startswith("## THE USER ASKS YOU TO STOP")
    assert "STOP_WORK" in sent
    assert "continue" not in sent
    again = drive.prompt("/bg-answer bg-1 stop")
    assert "Claude stops bg-1 now" in again["systemMessage"]
    assert "Stop its agent a1 now" in context(again)


@pytest.mark.parametrize("version", HOSTS)
def test_stop_of_what_does_not_work_says_so(version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive, token = working(version, tmp_path, monkeypatch)
    ends(drive, token)
    assert "bg-1 (done) does not work" in drive.prompt("/bg-answer bg-1 stop")["reason"]
    assert [] == drive.rows("SELECT id FROM answers")


@pytest.mark.parametrize("version", HOSTS)
def test_words_that_answer_nothing_are_asked_back_while_something_waits(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive, token = working(version, tmp_path, monkeypatch)
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.stop()
    said = drive.prompt("/bg-answer bg-1 you never ran pytest: run it")
    assert "bg-1 asks 2 things; say which each answer is for" in said["reason"]
    assert [] == drive.rows("SELECT id FROM answers")


def test_words_are_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drive, token = working(VERSIONS[-1], tmp_path, monkeypatch)
    ends(drive, token)
    drive.prompt(f"/bg-answer bg-1 {WORDS}")
    drive.prompt("/bg-answer bg-1 undo")
    assert [] == drive.rows("SELECT id FROM answers")
    assert [] == drive.rows("SELECT id FROM questions WHERE state IN ('open', 'answered')")
    assert "Needs you" not in drive.prompt("/bg-status")["reason"]
