"""What a host writes into a session's transcript about an event and what its hooks have answered, as recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

Payload = dict[str, Any]

WRITES_CONTEXT = (2, 1, 100)
TAIL = 64 * 1024
BLOCKED = "UserPromptSubmit operation blocked by hook:"
#: The host shows the model nothing of these, or writes it elsewhere.
ELSEWHERE = ("SubagentStart", "SubagentStop", "SessionEnd", "PreToolUse")


def write(path: Path, version: str, event: Payload, said: dict[str, Any]) -> None:
    """The records of one event of the session itself, each of which names the one before it."""
    if path.is_file() and not event.get("agent_id") and event["hook_event_name"] not in ELSEWHERE:
        size = path.stat().st_size
        with path.open("rb") as file:
            file.seek(max(0, size - TAIL))
            ids = re.findall(r'"uuid": "([^"]*)"', file.read().decode("utf-8", "replace"))
        with path.open("a", encoding="utf-8") as file:
            for number, line in enumerate(records(version, event, said)):
                ids.append(f"r-{size}-{number}")
                linked = {"parentUuid": ids[-2] if len(ids) > 1 else None, **line, "uuid": ids[-1]}
                file.write(json.dumps(linked) + "\n")


def records(version: str, event: Payload, said: dict[str, Any]) -> list[dict[str, Any]]:
    """The same as records."""
    name = event["hook_event_name"]
    blocked = said.get("decision") == "block"
    found: list[dict[str, Any]] = []
    if name == "UserPromptSubmit" and blocked:
        words = f"{BLOCKED}\n{said.get('reason')}\n\nOriginal prompt: {event['prompt']}"
        return [{"type": "system", "subtype": "informational", "content": words}]
    if name == "UserPromptSubmit":
        found.append({**_user(event["prompt"]), **({"promptId": event["prompt_id"]} if "prompt_id" in event else {})})
    if name in ("PostToolUse", "PostToolUseFailure") and event.get("tool_use_id"):
        result = {"type": "tool_result", "tool_use_id": event["tool_use_id"], "content": "Done."}
        found.append({**_user([result]), "toolUseResult": event.get("tool_response")})
    if name == "Stop":
        message = {"role": "assistant", "content": [{"type": "text", "text": "So."}]}
        found.append({"type": "assistant", "message": message})
    if name == "Stop" and blocked:
        found.append({**_user(f"Stop hook feedback:\n{said.get('reason')}"), "isMeta": True})
    context = (said.get("hookSpecificOutput") or {}).get("additionalContext")
    if context and tuple(map(int, version.split("."))) >= WRITES_CONTEXT:
        found.append({"type": "attachment", "attachment": {"type": "hook_additional_context", "content": [context]}})
    return found


def _user(content: Any) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": content}}
