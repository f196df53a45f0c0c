"""An agent of ours that launches an agent itself: allowed within what the user has set, recorded and shown; or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bg.ledger import place
from drive import Drive
from recordings import events

MODERN = ("2.1.197", "2.1.258", "2.1.327")


@pytest.fixture(params=MODERN)
def drive(request, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    made = Drive(request.param, tmp_path)
    made.prompt("/bg:bg Audit the auth code")
    made.token = made.launch("Audit.", "a1")  # type: ignore[attr-defined]
    assert made.token  # type: ignore[attr-defined]
    return made


def given(**values: Any) -> None:
    path = Path(place.config_directory()) / "bg.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


def nested(drive: Drive, name: str, agent: str = "a1", call: str = "n1", **changes: Any) -> dict:
    """The event of an agent's own launch, as this host gave it."""
    found = next(
        event
        for event in events(drive.version, "nested")
        if (event["hook_event_name"], event.get("tool_name")) == (name, "Agent") and event.get("agent_id")
    )
    return drive.send(found, agent_id=agent, tool_use_id=call, **changes)


def refused(said: dict) -> str:
    return said.get("hookSpecificOutput", {}).get("permissionDecisionReason", "")


def test_it_is_allowed_recorded_and_shown(drive):
    assert nested(drive, "PreToolUse") == {}
    nested(drive, "PostToolUse", tool_response={"status": "async_launched", "agentId": "c1"})
    [child] = drive.rows("SELECT label, parent, agent, ended, refused FROM children")
    assert child == {"label": "bg-1", "parent": "a1", "agent": "c1", "ended": None, "refused": None}
    assert "bg-1 launched an agent of its own: " in drive.prompt("Hello")["systemMessage"]
    assert "launched an agent of its own" in drive.prompt("/bg-status bg-1")["reason"]
    drive.ends("c1", "Done.")
    assert drive.rows("SELECT 1 FROM children WHERE ended IS NULL") == []
    assert drive.rows("SELECT 1 FROM reports WHERE agent = 'c1'") == []


def test_it_counts_among_those_that_work_at_once(drive):
    given(max_tasks=2)
    assert nested(drive, "PreToolUse") == {}
    nested(drive, "PostToolUse", tool_response={"status": "async_launched", "agentId": "c1"})
    said = refused(nested(drive, "PreToolUse", call="n2"))
    assert "bg-1, an agent of bg-1's own work already, and bg.json allows 2 at once (max_tasks)" in said
    assert "an agent of bg-1's own" in refused(nested(drive, "PreToolUse", agent="c1", call="n3"))
    assert "Nothing was launched" in drive.prompt("/bg:bg Another one")["reason"]
    drive.ends("c1", "Done.")
    assert nested(drive, "PreToolUse", call="n4") == {}


def test_under_deny_it_is_refused_with_the_form_that_asks(drive):
    given(delegation="deny")
    said = refused(nested(drive, "PreToolUse"))
    assert "bg.json allows no further agents (delegation: deny)" in said
    assert f"[DELEGATE_WORK]\nagent_id: {drive.token}" in said
    told = drive.prompt("Hello")["systemMessage"]
    assert "bg-1 wanted an agent of its own (" in told
    assert "was refused an agent of its own" in drive.prompt("/bg-status bg-1")["reason"]


def test_a_project_cannot_loosen_it(drive):
    given(delegation="deny", max_tasks=1)
    path = drive.folder / ".claude" / "bg.json"
    path.parent.mkdir()
    path.write_text(json.dumps({"delegation": "ask", "max_tasks": 50}))
    assert "delegation: deny" in refused(nested(drive, "PreToolUse"))


def test_another_agents_own_launch_is_its_own_affair(drive):
    given(delegation="deny")
    assert nested(drive, "PreToolUse", agent="stranger") == {}
    assert drive.rows("SELECT 1 FROM children") == []
