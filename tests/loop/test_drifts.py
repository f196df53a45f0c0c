"""Changes that a next version of the host may bring: each is played through recorded scenes, and named."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

import pytest
from bg import hook
from bg.desk import drifts
from bg.host import arriving
from bg.ledger.file import Ledger
from bg.loop import beginning, launching, proof

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import plays

Payload = dict[str, Any]
Change = Callable[[Payload], Optional[Payload]]
LOOP = "resume"
WITHOUT_RESUME = ("2.1.100",)
BY_MESSAGE = ("2.1.197", "2.1.258", "2.1.327", "2.1.328")
HAND_BACK = ("2.1.327", "2.1.328")
CALLS = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


class InProcess(plays.Play):
    """A golden play without the launcher; `change` is what the host hands over instead of an event, None for nothing.

    `takes` is what it makes of an answer.
    """

    change: Change = staticmethod(lambda event: event)
    takes: Callable[[Payload], Payload] = staticmethod(lambda answer: answer)

    def hook(self, event: Payload) -> str:
        self.clock += 7
        out = io.StringIO()
        given = self.change(json.loads(json.dumps(event)))
        if given is not None:
            assert hook.main(io.StringIO(json.dumps(given)), out, clock=lambda: float(self.clock)) == 0
        said = self.takes(json.loads(out.getvalue())) if out.getvalue() else {}
        return json.dumps(said) if said else ""

    def export(self) -> list[Payload]:
        return []


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Plays a scene, and says what is told of the host then."""
    for module, name in ((arriving, "WAIT"), (arriving, "LAG"), (proof, "WAIT"), (launching, "WRITTEN")):
        monkeypatch.setattr(module, name, 0.0)
    monkeypatch.setattr(beginning, "WAIT", 0.0)
    for name in ("AI_AGENT", "CLAUDECODE", "CLAUDE_CONFIG_DIR", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)

    def run(version: str, scene: str, ending: str, change: Any = None, takes: Any = None) -> list[str]:
        root = tmp_path / f"{version}-{scene}-{ending}"
        root.mkdir()
        played = InProcess(version, scene, ending, root.resolve())
        played.change, played.takes = change or played.change, takes or played.takes  # type: ignore[method-assign]
        monkeypatch.setenv("HOME", str(played.root / "home"))
        monkeypatch.setenv("BG_DATA", str(played.data))
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(played.project))
        monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
        played.run()
        if not (played.data / "ledger.db").exists():
            return []
        book = Ledger(played.data)
        try:
            return [drifts.told(one) for one in drifts.noticed(book, 0)[0]]
        finally:
            book.close()

    return run


@pytest.mark.parametrize(
    ("version", "scene", "ending"),
    [(version, *each) for version in plays.VERSIONS for each in plays.plays(version) if each[1] in ("prose", "asks")],
)
def test_no_recorded_scene_is_accused(play: Callable[..., list[str]], version: str, scene: str, ending: str) -> None:
    assert [] == play(version, scene, ending)


class Drift(NamedTuple):
    """One change: what is done to each event, or to each answer, what is told of it, and in which scenes."""

    change: Optional[Change]
    told: str
    versions: tuple[str, ...] = tuple(plays.VERSIONS)
    scene: str = "background"
    takes: Optional[Callable[[Payload], Payload]] = None


def moved(key: str, to: str = "", *, events: tuple[str, ...] = (), tool: str = "") -> Change:
    """The key, within a call's input or result where it has a dot, is called otherwise, or is gone."""
    outer, _, inner = key.rpartition(".")

    def change(event: Payload) -> Payload:
        holder = event.get(outer) if outer else event
        fits = (not events or event["hook_event_name"] in events) and tool in ("", event.get("tool_name"))
        if fits and isinstance(holder, dict) and inner in holder:
            value = holder.pop(inner)
            holder.update({to: value} if to else {})
        return event

    return change


def replaced(pattern: str, to: str) -> Change:
    """The host's own messages are in other words."""

    def change(event: Payload) -> Payload:
        if event["hook_event_name"] == "UserPromptSubmit":
            event["prompt"] = re.sub(pattern, to, event["prompt"])
        return event

    return change


def renamed_tool(names: tuple[str, ...], to: str) -> Change:
    def change(event: Payload) -> Payload:
        return {**event, "tool_name": to} if event.get("tool_name") in names else event

    return change


def gone(*names: str, tool: tuple[str, ...] = ()) -> Change:
    """The host hands over no such event any more."""

    def change(event: Payload) -> Optional[Payload]:
        fits = event["hook_event_name"] in names and (not tool or event.get("tool_name") in tool)
        return None if fits else event

    return change


def without(key: str) -> Callable[[Payload], Payload]:
    """The host takes no notice of this part of an answer."""

    def takes(answer: Payload) -> Payload:
        specific = {name: value for name, value in answer.get("hookSpecificOutput", {}).items() if name != key}
        return {**answer, **({"hookSpecificOutput": specific} if "hookSpecificOutput" in answer else {})}

    return takes


LAUNCHES, MESSAGES = ("Agent", "Task"), ("SendMessage",)
FROM_100 = ("2.1.100", *BY_MESSAGE)
DRIFTS = {
    "session_id": Drift(
        moved("session_id", "sessionId"), "events? .*without a usable session_id|without a usable session_id"
    ),
    "hook_event_name": Drift(moved("hook_event_name", "event"), "without a usable hook_event_name"),
    "prompt": Drift(moved("prompt", "text", events=("UserPromptSubmit",)), "UserPromptSubmit without prompt"),
    "transcript_path": Drift(moved("transcript_path"), "without transcript_path"),
    "agent_transcript_path": Drift(
        moved("agent_transcript_path", "path"), "SubagentStop without agent_transcript_path"
    ),
    "last_assistant_message": Drift(
        moved("last_assistant_message", "message", events=("SubagentStop",)),
        "SubagentStop without last_assistant_message since Nov 1[45].*: reports are read from transcripts instead",
        FROM_100,
    ),
    "agent_id": Drift(moved("agent_id", "agent"), "SubagentStop without agent_id"),
    "agentId": Drift(moved("tool_response.agentId", "id"), "without tool_response.agentId"),
    "resumedAgentId": Drift(
        moved("tool_response.resumedAgentId"), "without tool_response.resumedAgentId", ("2.1.197", "2.1.258"), LOOP
    ),
    "a notification's tag": Drift(
        replaced("task-notification>", "agent-notice>"),
        "announces the ends of agents in a form",
        ("2.1.197", "2.1.328"),
    ),
    "a notification's id": Drift(replaced("task-id>", "agent-id>"), "announcements of agents without <task-id>"),
    "the launch tool": Drift(renamed_tool(LAUNCHES, "Spawn"), "by a tool that is not known, Spawn"),
    "the launch's prompt": Drift(
        moved("tool_input.prompt", "instructions"), r"PreToolUse\((Agent|Task)\) without tool_input.prompt"
    ),
    "the message tool": Drift(renamed_tool(MESSAGES, "Tell"), "by a tool that is not known, Tell", BY_MESSAGE, LOOP),
    "the message's text": Drift(
        moved("tool_input.message", "text", tool="SendMessage"), "without tool_input.message", BY_MESSAGE, LOOP
    ),
    "no SubagentStop": Drift(gone("SubagentStop"), "never calls the hook of SubagentStop"),
    "no SubagentStart": Drift(gone("SubagentStart"), "never calls the hook of SubagentStart"),
    "no Stop": Drift(gone("Stop"), "never calls the hook of Stop"),
    "no PostToolUse": Drift(gone("PostToolUse"), r"never calls the hook of PostToolUse\((Agent|Task)\)"),
    "no PreToolUse of messages": Drift(
        gone("PreToolUse", tool=MESSAGES), r"never calls the hook of PreToolUse\(SendMessage\)", BY_MESSAGE, LOOP
    ),
    "no PreToolUse of a hand-back": Drift(
        gone("PreToolUse", tool=("SubagentHandback",)),
        r"never calls the hook of PreToolUse\(SubagentHandback\)",
        HAND_BACK,
        "handback",
    ),
    "updatedInput": Drift(
        None, r"does not take over what the hook of PreToolUse\((Agent|Task)\)", takes=without("updatedInput")
    ),
    "additionalContext": Drift(
        None, "does not show the model what the hook of", FROM_100, takes=without("additionalContext")
    ),
}


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name, drift in DRIFTS.items() for version in drift.versions]
)
def test_each_change_is_named(play: Callable[..., list[str]], name: str, version: str) -> None:
    drift = DRIFTS[name]
    told = play(version, drift.scene, "asks", drift.change, drift.takes)
    assert any(re.search(drift.told, each) for each in told), told
