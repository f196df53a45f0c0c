"""What the host's prompts are taken for, on every recorded version, and what each version can do."""

from __future__ import annotations

import ast
import inspect
import json

import pytest
from bg.host import dialogs, tools, versions
from bg.host.answer import Answer, render
from bg.host.event import is_machine_prompt, notifications, read, typed_command
from recordings import VERSIONS, events, everything, since


def payloads(version, name):
    found = [payload for _, payload in everything(version) if payload["hook_event_name"] == name]
    assert found
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_every_recorded_payload_is_read(version):
    for place, payload in everything(version):
        event = read(json.dumps(payload))
        assert event is not None, place
        assert event.session, place
        if payload["hook_event_name"] == "SubagentStop":
            assert event.agent, place


@pytest.mark.parametrize("version", VERSIONS)
def test_machine_prompts_are_told_from_the_users(version):
    for payload in payloads(version, "UserPromptSubmit"):
        words = payload["prompt"]
        machine = words.lstrip().startswith(("<task-notification>", "<agent-message"))
        assert is_machine_prompt(words) == machine, words[:80]
        for found in notifications(words):
            assert found.agent
            assert found.status in {"completed", "failed", "killed"}


@pytest.mark.parametrize("version", VERSIONS)
def test_a_launch_and_its_agent_are_read(version):
    tool = "Task" if version in ("2.1.7", "2.1.38") else "Agent"
    wanted = ("PostToolUse", tool)
    launched = [
        payload
        for payload in events(version, "background")
        if (payload["hook_event_name"], payload.get("tool_name")) == wanted
    ]
    assert [bool(tools.started_agent(read(json.dumps(payload)))) for payload in launched] == [True]
    assert tools.foreground_text(read(json.dumps(launched[0]))) is None


def test_two_notifications_in_one_prompt():
    one = (
        "<task-notification>\n<task-id>a{0}</task-id>\n<status>completed</status>\n<summary>s</summary>\n"
        "<result>r{0} &lt;x&gt;</result>\n</task-notification>"
    )
    found = notifications(f"{one.format(1)}\n{one.format(2)}")
    assert [(each.agent, each.result) for each in found] == [("a1", "r1 <x>"), ("a2", "r2 <x>")]


@pytest.mark.parametrize(
    ("prompt", "command", "arguments"),
    [
        ("/bg", "bg", ""),
        ("/bg:bg do it\nnow", "bg", "do it\nnow"),
        ("/bg do $HOME `x`", "bg", "do $HOME `x`"),
        ("/bg-status", "bg-status", ""),
        ("/bg:bg-answer bg-1 x", "bg-answer", "bg-1 x"),
        ("/bgx", "", ""),
        ("please /bg it", "", ""),
        ("bg", "", ""),
        ("/background x", "", ""),
    ],
)
def test_a_command_of_ours_is_told_from_other_prompts(prompt, command, arguments):
    assert typed_command(prompt) == (command, arguments)


@pytest.mark.parametrize(
    ("version", "way", "hands_back"),
    [
        ("2.1.7", versions.BY_LAUNCH, False),
        ("2.1.38", versions.BY_LAUNCH, False),
        ("2.1.100", versions.NO_WAY, False),
        ("2.1.197", versions.BY_MESSAGE, False),
        ("2.1.258", versions.BY_MESSAGE, False),
        ("2.1.327", versions.BY_MESSAGE, True),
        ("", versions.UNKNOWN, True),
    ],
)
def test_what_a_version_can_do(version, way, hands_back, monkeypatch):
    monkeypatch.delenv("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", raising=False)
    host = versions.host_of(versions.version_of(version))
    assert way == host.resume_way
    assert host.hands_back("auto") is hands_back
    assert host.hands_back("default") is False


def test_an_ability_that_came_and_went():
    """Every ability's bounds as the tried clients show them; an unknown host is trusted with none."""
    announcing = [version for version in VERSIONS if versions.host_of(versions.version_of(version)).announces_every_end]
    assert ["2.1.100", *since("2.1.327")] == announcing
    assert not any(versions.host_of(None)[1:])


@pytest.mark.parametrize("version", VERSIONS)
def test_the_tools_of_a_version_have_the_names_and_fields_that_it_was_recorded_with(version):
    numbers = versions.version_of(version)
    seen = set()
    for place, payload in everything(version):
        tool = tools.known(payload.get("tool_name", ""))
        if tool is None:
            continue
        seen.add(tool)
        assert tool.called(numbers) == payload["tool_name"], place
        response = payload.get("tool_response")
        for known, given in ((tool.takes, payload["tool_input"]), (tool.gives, response)):
            early = [name for name, since in known.items() if since > numbers]
            assert not set(early) & set(given if isinstance(given, dict) else ()), place
    assert {tools.LAUNCH, tools.ASK, tools.SKILL} <= seen


def test_only_fields_that_are_recorded_with_their_tool_are_read():
    tree = ast.parse(
        "".join(inspect.getsource(module) for module in (tools, dialogs)).replace(
            "from __future__ import annotations", ""
        )
    )
    inner = {"text", "result", "output", "question", "notes", "options", "label"}  # of a dialog's questions
    inner |= {"metadata", "source"}  # the mark that a hook of ours puts into a call and looks for
    fields = {name for tool in tools.TOOLS for name in (*tool.takes, *tool.gives)}
    read_here = {
        node.args[0].value
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "get"
        and isinstance(node.args[0], ast.Constant)
    }
    assert len(read_here) > 15
    assert read_here - inner <= fields


def test_an_answer_has_its_events_shape():
    event = read(json.dumps({"hook_event_name": "PreToolUse", "session_id": "s"}))
    assert render(event, Answer()) == ""
    said = json.loads(render(event, Answer(deny="no", notice=["a", "b"], updated_input={"x": 1})))
    assert said == {
        "systemMessage": "a\nb",
        "hookSpecificOutput": {
            "hookEventName": "PreToolUse",
            "updatedInput": {"x": 1},
            "permissionDecision": "deny",
            "permissionDecisionReason": "no",
        },
    }
