"""The records that a host writes into a transcript for an event and its hooks' answers, as they were recorded."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

Payload = dict[str, Any]

WRITES_CONTEXT = (2, 1, 100)
TAIL = 64 * 1024
BLOCKED = "UserPromptSubmit operation blocked by hook:"
# The versions from which fields of a prompt's record say who has said it, as seen on real clients.
NAMES_ENTRYPOINTS = (2, 1, 100)
SIGNS_PROMPTS = (2, 1, 197)
SIGNS_COMMANDS = (2, 1, 236)
NAMES_TURNS = (2, 1, 327)
_MACHINE = re.compile(r"\s*(<system-reminder>|<task-notification>|<agent-message|Another Claude session sent)")
_COMMAND = re.compile(r"(/[\w:-]+)(?:\s+(.*))?\Z", re.DOTALL)
LAUNCHES = ("Agent", "Task")
#: Events of which the host shows the model nothing, or writes the records elsewhere.
ELSEWHERE = ("SubagentStart", "SubagentStop", "SessionEnd", "PreToolUse")


def write(
    path: Path, version: str, event: Payload, said: dict[str, Any], *, attended: bool = False, at: float = 0.0
) -> None:
    """Append the records of one event of the session itself, each of which names the one before it."""
    if path.is_file() and not event.get("agent_id") and event["hook_event_name"] not in ELSEWHERE:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - TAIL))
            ids = re.findall(r'"uuid": "([^"]*)"', file.read().decode("utf-8", "replace"))
        with path.open("a", encoding="utf-8") as file:
            for number, line in enumerate(records(version, event, said, attended=attended, at=at)):
                ids.append(f"r-{size}-{number}")
                linked = {"parentUuid": ids[-2] if len(ids) > 1 else None, **line, "uuid": ids[-1]}
                file.write(json.dumps(linked) + "\n")


def called(path: Path, tool: str, *calls: tuple[str, dict[str, Any]]) -> None:
    """Append the calls of one message, as the model made them: the host writes them about when their hooks begin."""
    if path.is_file():
        with path.open("a", encoding="utf-8") as file:
            for call, given in calls:
                part = {"type": "tool_use", "id": call, "name": tool, "input": given}
                message = {"id": f"msg_{calls[0][0]}", "role": "assistant", "content": [part]}
                file.write(json.dumps({"type": "assistant", "message": message}) + "\n")


def begun(path: Path, event: Payload) -> None:
    """Append the call of a launch by the session itself whose hook begins now."""
    if event["hook_event_name"] == "PreToolUse" and event["tool_name"] in LAUNCHES and not event.get("agent_id"):
        called(path, event["tool_name"], (event["tool_use_id"], event["tool_input"]))


def told(path: Path, version: str, event: Payload) -> None:
    """Append the message that has woken an agent to the agent's transcript: it is there before the call's result."""
    response = event.get("tool_response")
    woken = event["hook_event_name"] == "PostToolUse" and isinstance(response, dict) and "resumedAgentId" in response
    message = event["tool_input"].get("message") if woken else None
    if message and path.is_file() and json.dumps(message) not in path.read_text(encoding="utf-8"):
        line = {"uuid": f"t-{path.stat().st_size}", "version": version}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({**line, **_user(message)}) + "\n")


def records(
    version: str, event: Payload, said: dict[str, Any], *, attended: bool = False, at: float = 0.0
) -> list[dict[str, Any]]:
    """The records of one event of the session itself."""
    name = event["hook_event_name"]
    blocked = said.get("decision") == "block"
    found: list[dict[str, Any]] = []
    if name == "UserPromptSubmit" and blocked:
        words = f"{BLOCKED}\n{said.get('reason')}\n\nOriginal prompt: {event['prompt']}"
        return [{"type": "system", "subtype": "informational", "content": words}]
    if name == "UserPromptSubmit":
        found.append(prompt(version, event["prompt"], event.get("prompt_id", ""), attended=attended, at=at))
    if name in ("PostToolUse", "PostToolUseFailure") and event.get("tool_use_id"):
        result = {"type": "tool_result", "tool_use_id": event["tool_use_id"], "content": "Done."}
        found.append({**_user([result]), "toolUseResult": event.get("tool_response")})
    if name == "Stop":
        message = {"role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": "So."}]}
        found.append({"type": "assistant", "timestamp": _stamp(at), "message": message})
    if name == "Stop" and blocked:
        found.append({**_user(f"Stop hook feedback:\n{said.get('reason')}"), "isMeta": True})
    context = (said.get("hookSpecificOutput") or {}).get("additionalContext")
    if context and tuple(map(int, version.split("."))) >= WRITES_CONTEXT:
        found.append({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [context]}})
    return found


def prompt(version: str, words: str, turn: str = "", *, attended: bool, at: float = 0.0) -> dict[str, Any]:
    """The record of a prompt, typed in a terminal or sent by a program, as this version writes it."""
    able, command = tuple(map(int, version.split("."))), _COMMAND.match(words)
    if command:
        name, rest = command[1], command[2] or ""
        words = f"<command-message>{name[1:]}</command-message>\n<command-name>{name}</command-name>"
        words += f"\n<command-args>{rest}</command-args>"
    found = {**_user(words), "version": version, "timestamp": _stamp(at)}
    found.update({"promptId": turn} if turn else {})
    if able >= NAMES_ENTRYPOINTS:
        found["entrypoint"] = "cli" if attended else "sdk-cli"
    if _MACHINE.match(words):
        return {**found, "origin": {"kind": "task-notification"}} if able >= SIGNS_COMMANDS else found
    if able >= SIGNS_PROMPTS and not command:
        found["promptSource"] = "typed" if attended else "sdk"
    if attended and able >= (SIGNS_COMMANDS if command else SIGNS_PROMPTS):
        found["origin"] = {"kind": "human"}
    if able >= NAMES_TURNS:
        found["turnOrigin"] = "human" if attended else "sdk"
    return found


def _stamp(at: float) -> str:
    """A moment as the host writes it; the present if none is given."""
    moment = at or time.time()
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(moment))}.{int(moment % 1 * 1000):03d}Z"


def _user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}
