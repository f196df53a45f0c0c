"""Claude Code's protocol: an event in, one answer out.

The only module that knows a host field name. Unknown keys pass, a malformed value reads as absent.
"""

from __future__ import annotations

import json
import re

from bg import foreign
from bg.host import versions
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

SPAWN_TOOLS = ("Agent", "Task")
ONE_SHOT_TYPES = ("Explore", "Plan")
DEFAULT_TYPE = "general-purpose"
MAIN = "main"
PATH_LIMIT = 4096

_NOTIFICATION = pattern(r"\s*(?:<system-reminder>\s*(?:\[SYSTEM NOTIFICATION[^\n]*\n)?\s*)?<task-notification>")
_AGENT_MESSAGE = pattern(r'\s*(?:Another Claude session sent a message:\s*)?<agent-message from="([^"]*)"')


# Plain tuples and classes: a dataclass costs every hook a tenth of its time.


class Event(Record):
    """One hook call, with the fields that this plugin reads."""

    name: str
    session: str
    cwd: str
    transcript: str
    mode: str
    agent: str
    agent_type: str
    tool: str
    tool_use: str
    prompt: str
    source: str
    last_text: Optional[str]
    agent_transcript: str
    repeated_stop: bool
    tool_input: dict[str, Any]
    tool_response: Any = None
    background: Optional[list[dict[str, Any]]] = None
    error: str = ""

    @property
    def in_subagent(self) -> bool:
        """The call comes from a subagent, so its output cannot reach the parent."""
        return bool(self.agent)


class Notification(Record):
    """The host's word that an agent's run has ended."""

    agent: str
    status: str
    summary: str
    result: str
    tool_use: str


class Answer:
    """What a handler wants said; `render` gives it the event's own shape."""

    def __init__(
        self, *, notice: Optional[list[str]] = None, deny: str = "", updated_input: Optional[dict[str, Any]] = None
    ) -> None:
        self.context: list[str] = []
        self.notice: list[str] = notice or []
        self.block = ""
        self.deny = deny
        self.updated_input = updated_input
        self.sequence = ""

    @property
    def empty(self) -> bool:
        """Whether there is nothing to say."""
        return not (self.context or self.notice or self.block or self.deny or self.updated_input)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _path(value: Any) -> str:
    """A path that the system can be asked about; one with NUL or beyond any limit raises where others do not."""
    return value if isinstance(value, str) and "\0" not in value and len(value) <= PATH_LIMIT else ""


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def read(text: str) -> Optional[Event]:
    """The event on standard input, or None where it is none."""
    try:
        raw = foreign.loads(text)
    except ValueError:
        return None
    if not isinstance(raw, dict) or not _text(raw.get("hook_event_name")):
        return None
    tasks = raw.get("background_tasks")
    last = raw.get("last_assistant_message")
    return Event(
        name=raw["hook_event_name"],
        session=_text(raw.get("session_id")),
        cwd=_path(raw.get("cwd")),
        transcript=_path(raw.get("transcript_path")),
        mode=_text(raw.get("permission_mode")),
        agent=_text(raw.get("agent_id")),
        agent_type=_text(raw.get("agent_type")),
        tool=_text(raw.get("tool_name")),
        tool_use=_text(raw.get("tool_use_id")),
        prompt=_text(raw.get("prompt")),
        source=_text(raw.get("source")),
        last_text=last if isinstance(last, str) else None,
        agent_transcript=_path(raw.get("agent_transcript_path")),
        repeated_stop=raw.get("stop_hook_active") is True,
        tool_input=_mapping(raw.get("tool_input")),
        tool_response=raw.get("tool_response"),
        background=_background(tasks),
        error=_text(raw.get("error")),
    )


def _background(tasks: Any) -> Optional[list[dict[str, Any]]]:
    """The host's list of what runs; None where it has another shape than known, because that ends nobody."""
    if not isinstance(tasks, list):
        return None
    known = all(isinstance(item, dict) and item.get("id") and isinstance(item["id"], str) for item in tasks)
    return tasks if known else None


def render(event: Event, answer: Answer) -> str:
    """The answer in the shape that this event takes, as one JSON object, or nothing."""
    if answer.empty:
        return ""
    out: dict[str, Any] = {}
    specific: dict[str, Any] = {}
    if answer.notice:
        out["systemMessage"] = "\n".join(answer.notice)
    if answer.context:
        specific["additionalContext"] = "\n\n".join(answer.context)
    if answer.updated_input is not None:
        specific["updatedInput"] = answer.updated_input
    if answer.deny:
        specific.update(permissionDecision="deny", permissionDecisionReason=answer.deny)
    if answer.block:
        out.update(decision="block", reason=answer.block)
    if answer.sequence:
        out["terminalSequence"] = answer.sequence
    if specific:
        out["hookSpecificOutput"] = {"hookEventName": event.name, **specific}
    return json.dumps(out, ensure_ascii=False)


def is_machine_prompt(prompt: str) -> bool:
    """The prompt is the host's own message about an agent, not typed by the user."""
    return bool(_NOTIFICATION.match(prompt) or _AGENT_MESSAGE.match(prompt))


def _element(text: str, name: str) -> str:
    start = text.find(f"<{name}>")
    end = text.rfind(f"</{name}>")
    return text[start + len(name) + 2 : end] if 0 <= start < end else ""


def notifications(prompt: str) -> list[Notification]:
    """The notifications in a machine prompt; several may arrive together."""
    if not _NOTIFICATION.match(prompt):
        return []
    found = []
    for part in re.split(r"(?=^\s*<task-notification>)", prompt, flags=re.MULTILINE):
        agent = _element(part.split("<result>", 1)[0], "task-id").strip()
        if agent:
            head = part.split("<result>", 1)[0]
            found.append(
                Notification(
                    agent=agent,
                    status=_element(head, "status").strip(),
                    summary=_plain(_element(head, "summary")).strip(),
                    result=_plain(_element(part, "result")),
                    tool_use=_element(head, "tool-use-id").strip(),
                )
            )
    return found


def _plain(text: str) -> str:
    if "&" not in text:
        return text
    # Late: its table of entities costs more than most events.
    import html  # noqa: PLC0415

    return html.unescape(text)


def show(answer: Answer, text: str, version: Optional[versions.Version]) -> None:
    """Show the user a text instead of asking the model, or through the model where the host would show nothing."""
    if versions.shows_blocked_prompts(version):
        answer.block = text
    else:
        answer.context.append("[bg] Show the user exactly this, in a code block, and do nothing else:\n" + text[:3500])


def is_launch(event: Event) -> bool:
    """The parent is about to launch a new agent."""
    tried = event.name == "PreToolUse" and event.tool in SPAWN_TOOLS
    return tried and not event.in_subagent and not event.tool_input.get("resume")


def typed_command(prompt: str) -> tuple[str, str]:
    """Our command that the user typed and what stands behind it, both empty where it is none."""
    found = re.match(r"/(?:bg:)?(bg|bg-status|bg-answer)(?:\s+(.*))?\Z", prompt.strip(), re.DOTALL)
    return (found[1], (found[2] or "").strip()) if found else ("", "")


def invoked_command(event: Event) -> tuple[str, str]:
    """Our command that Claude runs through the Skill tool."""
    name = _text(event.tool_input.get("skill") or event.tool_input.get("command")).lstrip("/")
    arguments = _text(event.tool_input.get("args"))
    return typed_command(f"/{name} {arguments}".strip()) if name else ("", "")


def started_agent(event: Event) -> str:
    """The id of the agent that a launch or a resume has started."""
    response = _mapping(event.tool_response)
    return _text(response.get("agentId"))


def resumed_agent(event: Event) -> str:
    """The id of the agent that a SendMessage has woken, empty where it has not."""
    response = _response_record(event.tool_response)
    if response.get("success") is False:
        return ""
    return _text(response.get("resumedAgentId") or response.get("revivedAgentId"))


def delivered_message(event: Event) -> bool:
    """The host accepted the message, whether or not it had to wake the agent."""
    return _response_record(event.tool_response).get("success") is True


def _response_record(value: Any) -> dict[str, Any]:
    """A tool's response as a record; some hosts give it as JSON text or as text parts."""
    if isinstance(value, list):
        value = "".join(_text(_mapping(part).get("text")) for part in value)
    if isinstance(value, str):
        try:
            value = foreign.loads(value)
        except ValueError:
            return {}
    return _mapping(value)


def foreground_text(event: Event) -> Optional[str]:
    """The final text of an agent that ran in the foreground, None where it went to the background."""
    response = _mapping(event.tool_response)
    if response.get("status") != "completed":
        return None
    handed_back = _mapping(response.get("handbackReport")).get("text")
    if isinstance(handed_back, str):
        return handed_back
    parts = response.get("content")
    if not isinstance(parts, list):
        return None
    return "\n".join(_text(part.get("text")) for part in parts if isinstance(part, dict))


def polled_output(event: Event) -> tuple[str, str, str]:
    """What TaskOutput brought: the agent's id, its status, the output as this host gives it."""
    task = _mapping(_mapping(event.tool_response).get("task"))
    agent = _text(task.get("task_id")) or _text(event.tool_input.get("task_id"))
    return agent, _text(task.get("status")), _text(task.get("result")) or _text(task.get("output"))


def dialog_questions(event: Event) -> list[dict[str, Any]]:
    """The questions of an AskUserQuestion call."""
    found = event.tool_input.get("questions")
    return [item for item in found if isinstance(item, dict)] if isinstance(found, list) else []


def dialog_answers(event: Event) -> dict[str, str]:
    """The user's answers, keyed by the question as the user saw it, with the notes that the user added to a choice."""
    response = _mapping(event.tool_response)
    # 2.1.327 brings the notes beside the answers.
    notes = _mapping(response.get("annotations"))
    return {
        key: "\n".join(part for part in (value, _text(_mapping(notes.get(key)).get("notes"))) if part.strip())
        for key, value in _mapping(response.get("answers")).items()
        if isinstance(value, str)
    }


def live_agents(event: Event) -> Optional[set[str]]:
    """The ids of the background agents that still run, None where the host does not say."""
    if event.background is None:
        return None
    return {_text(item.get("id")) for item in event.background}
