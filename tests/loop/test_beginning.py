"""An identity that was thrown out of a launch comes with the agent's start, or the user is told; a refused label is free."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bg import durations
from drive import Drive, context
from recordings import VERSIONS, recorded


@pytest.fixture(params=VERSIONS)
def drive(request, tmp_path, monkeypatch):
    monkeypatch.setattr(durations, "HOOK_BESIDE", 0.0)
    return Drive(request.param, tmp_path)


def launches(drive: Drive, call: str = "toolu_1", words: str = "Audit it") -> dict[str, Any]:
    before = recorded(drive.version, "background", "PreToolUse", drive.spawn)
    return drive.send(
        before, tool_use_id=call, tool_input={**before["tool_input"], "description": "audit", "prompt": words}
    )


def launched(drive: Drive, prompt: str, call: str = "toolu_1", agent: str = "a1") -> None:
    after = recorded(drive.version, "background", "PostToolUse", drive.spawn)
    given = {**after["tool_input"], "prompt": prompt}
    drive.send(after, tool_use_id=call, tool_input=given, tool_response={**after["tool_response"], "agentId": agent})


def starts(drive: Drive, agent: str = "a1") -> str:
    return context(drive.send(recorded(drive.version, "background", "SubagentStart"), agent_id=agent))


def identity(drive: Drive) -> list[str]:
    return [row["identity"] for row in drive.rows("SELECT identity FROM launches")]


def test_an_agent_with_its_identity_is_told_nothing_more(drive):
    drive.prompt("/bg Audit")
    given = launches(drive)["hookSpecificOutput"]["updatedInput"]
    launched(drive, given["prompt"])
    assert starts(drive) == ""
    assert identity(drive) == ["prompt"]


def test_one_that_lost_it_is_told_at_its_start_and_the_transcript_is_asked(drive):
    drive.prompt("/bg Audit")
    launches(drive)
    launched(drive, "Audit it. Be brief.")
    [row] = drive.rows("SELECT token FROM launches")
    said = starts(drive)
    assert f"You are {row['token']}" in said
    assert f"agent_id: {row['token']}" in said
    assert identity(drive) == ["given"]
    assert starts(drive) == ""
    path = drive.transcript_of("a1", "I begin.")
    with path.open("a") as file:
        line = {"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [said]}}
        file.write(json.dumps(line) + "\n")
    assert "systemMessage" not in drive.prompt("What is the time?")
    assert identity(drive) == ["context"]


def test_where_neither_way_brought_it_the_user_is_told_once(drive, monkeypatch):
    drive.prompt("/bg Audit")
    launches(drive)
    launched(drive, "Audit it. Be brief.")
    drive.transcript_of("a1", "I begin.")
    monkeypatch.setattr(durations, "GRACE", -1.0)
    assert "works without its identity" in drive.prompt("What is the time?")["systemMessage"]
    assert "identity" not in drive.prompt("And the date?").get("systemMessage", "")
    assert identity(drive) == ["nowhere"]


@pytest.mark.parametrize("keeps", [True, False])
@pytest.mark.parametrize("ends", [True, False])
def test_what_an_agent_was_given_is_known_where_no_event_told_of_its_launch(drive, keeps, ends):
    """Its own transcript is asked, at its end or at a prompt before: whether its prompt has kept the identity."""
    drive.prompt("/bg Audit")
    prompt = launches(drive)["hookSpecificOutput"]["updatedInput"]["prompt"]
    path = drive.transcript_of("a1", "")
    given = {"type": "user", "message": {"content": prompt if keeps else "Audit it. Be brief."}}
    path.write_text(json.dumps(given) + "\n")
    path.with_suffix(".meta.json").write_text(json.dumps({"toolUseId": "toolu_1"}))
    if ends:
        drive.ends("a1", "I have looked around.")
    else:
        drive.prompt("What is the time?")
    assert drive.rows("SELECT agent, identity FROM launches") == [
        {"agent": "a1", "identity": "prompt" if keeps else "lost"}
    ]


def test_an_agent_that_is_not_ours_is_told_nothing(drive):
    drive.prompt("/bg Audit")
    given = launches(drive)["hookSpecificOutput"]["updatedInput"]
    assert starts(drive, "other") == ""
    launched(drive, given["prompt"])
    assert starts(drive, "other") == ""


def test_a_launch_that_was_refused_without_an_event_frees_its_label(drive):
    drive.prompt("/bg Audit")
    launches(drive)
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "Not now.", "is_error": True}
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"role": "user", "content": [result]}}) + "\n")
    given = launches(drive, "toolu_2")["hookSpecificOutput"]["updatedInput"]
    assert given["description"].startswith("bg-1:")
    assert [row["failed"] for row in drive.rows("SELECT failed FROM launches ORDER BY rowid")] == ["Not now.", None]


def test_a_task_whose_launch_the_user_refused_is_not_interrupted_for_ever(drive):
    """Esc at the permission prompt ends the turn without a Stop; the session's next beginning finds the refusal."""
    drive.prompt("/bg Audit")
    launches(drive)
    words = "The user doesn't want to proceed with this tool use."
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": words, "is_error": True}
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"role": "user", "content": [result]}}) + "\n")
    drive.send(recorded(drive.version, "sessions", "SessionEnd"))
    said = drive.send(recorded(drive.version, "sessions", "SessionStart"), source="resume")
    assert drive.rows("SELECT state, note FROM tasks") == [{"state": "not_launched", "note": words}]
    assert "interrupted" not in said.get("systemMessage", "")
