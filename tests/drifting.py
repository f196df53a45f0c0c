"""Changes that a next version of the host may bring, and a stand-in for `hooks/run` that brings one to a real client.

`python drifting.py NAME HOOKS_RUN` hands the event on standard input to that launcher as such a host would, and gives back
what such a host would take of the answer.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

sys.path.insert(0, str(Path(__file__).resolve().parent))

from recordings import NEWEST, VERSIONS, since

Payload = dict[str, Any]
Change = Callable[[Payload], Optional[Payload]]
LOOP = "resume"
BY_MESSAGE = since("2.1.197")
HAND_BACK = since("2.1.327")


class Drift(NamedTuple):
    """One change: what is done to each event, or to each answer, what is told of it, and in which scenes."""

    change: Optional[Change]
    told: str
    versions: tuple[str, ...] = tuple(VERSIONS)
    scene: str = "background"
    takes: Optional[Callable[[Payload], Payload]] = None
    client: str = ""  # what is told where a real client was used, if that is something else


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
    "session_id": Drift(moved("session_id", "sessionId"), "without a usable session_id"),
    "hook_event_name": Drift(moved("hook_event_name", "event"), "without a usable hook_event_name"),
    "prompt": Drift(moved("prompt", "text", events=("UserPromptSubmit",)), "UserPromptSubmit without prompt"),
    "transcript_path": Drift(moved("transcript_path"), "without transcript_path"),
    "agent_transcript_path": Drift(
        moved("agent_transcript_path", "path"), "SubagentStop without agent_transcript_path"
    ),
    "last_assistant_message": Drift(
        moved("last_assistant_message", "message", events=("SubagentStop",)),
        r"SubagentStop without last_assistant_message since \w+ \d+.*: reports are read from transcripts instead",
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
        ("2.1.197", NEWEST),
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


def copied(plugin: Path, folder: Path, name: str) -> Path:
    """A copy of the plugin whose hooks are called as a host with this change would call them."""
    for part in (".claude-plugin", "commands", "hooks", "scripts", "agents"):
        shutil.copytree(plugin / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    run = folder / "hooks" / "run"
    (folder / "hooks" / "own").write_text(run.read_text().replace('BG_HOST_PID="$PPID"', 'BG_HOST_PID="$HOST"'))
    given = [sys.executable, str(Path(__file__).resolve()), name]
    run.write_text(f'#!/bin/sh\nHOST=$PPID exec {shlex.join(given)} "${{0%/*}}/own"\n')
    return folder


def main(name: str, launcher: str) -> int:
    """One event."""
    drift = DRIFTS[name]
    event = json.load(sys.stdin)
    given = drift.change(event) if drift.change else event
    if given is None:
        return 0
    text = json.dumps(given, separators=(",", ":"), ensure_ascii=False).encode()
    out = subprocess.run(["sh", launcher], input=text, stdout=subprocess.PIPE, check=False).stdout
    if out.strip():
        answer = json.loads(out)
        print(json.dumps(drift.takes(answer) if drift.takes else answer))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
