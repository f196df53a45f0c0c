"""What the demo's stand-in hands on between script, hooks and project: messages, calls and their results."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rig import clients
from rig.script import Reply

VERSION = clients.newest()
SCENE = "resume"


def recording(plugin: Path) -> dict[str, dict[str, Any]]:
    """The first payload of each event, and of each event with a tool, in the recorded scene."""
    path = plugin / "tests" / "recorded" / VERSION / f"{SCENE}.jsonl"
    found: dict[str, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        payload = json.loads(line)
        found.setdefault(f"{payload['hook_event_name']} {payload.get('tool_name', '')}".strip(), payload)
    return found


def user_says(words: str) -> dict[str, Any]:
    """A message of the user's."""
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def added_by(answer: dict[str, Any]) -> list[str]:
    """What a hook's answer adds to the conversation."""
    found = (answer.get("hookSpecificOutput") or {}).get("additionalContext")
    return [str(found)] if found else []


def calls_in(reply: Reply) -> list[dict[str, Any]]:
    """The tool calls of a reply."""
    return [block for block in reply.blocks if block["type"] == "tool_use"]


def text_of(reply: Reply) -> str:
    """The text of a reply."""
    return "\n".join(str(block["text"]) for block in reply.blocks if block["type"] == "text")


def result_of(call: str, words: str) -> dict[str, Any]:
    """What a tool call comes back with."""
    return {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": words}]}


def work(block: dict[str, Any]) -> dict[str, Any]:
    """What a tool of the agent does, done for real in the temporary project."""
    path = Path(str(block["input"].get("file_path")))
    if block["name"] == "Write":
        path.write_text(str(block["input"]["content"]), encoding="utf-8")
        return result_of(block["id"], f"File created successfully at: {path}")
    return result_of(block["id"], path.read_text(encoding="utf-8"))
