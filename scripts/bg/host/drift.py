"""Drift: what each event of the host is known to bring, and what an event that came lacks of that.

The table holds what this plugin reads and every client that was tried sends, with the first of them that does. What
some calls only sometimes have is not in it: it cannot be missed. Everything else follows from the table: an event is
noted by what it lacks, and what its version ought to bring is decided when somebody asks.
"""

from __future__ import annotations

from bg.host.event import Event, is_machine_prompt, mapping
from bg.host.tools import ASK, HANDBACK, LAUNCH, MESSAGE, OUTPUT, SKILL, Tool, known
from bg.host.versions import OLDEST, Version
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    Keys = dict[str, Version]

#: The newest client that was tried, for whatever means the newest one: nothing else names it.
TRIED: Version = (2, 1, 328)

#: Words of a form: what tells an event from others of its kind that bring other things.
TYPED, NOTIFIED, HEARD, HANDED = "typed", "notification", "message", "handback"
OURS, ENDED, AUTO = "ours", "ended", "auto"
BACKGROUND, FOREGROUND = "background", "foreground"
#: What is noted besides an event that came.
UNREAD, UNKNOWN, MISSED, ANSWERED = "unread", "unknown", "missed", "answered"
INPUT, CONTEXT = "updatedInput", "additionalContext"  # of an answer, which the host may not have taken
MOST = 40  # characters of a name; what is longer may be what somebody wrote
_HANDED = "[Subagent hand-back]"

_EACH: Keys = {"session_id": OLDEST, "transcript_path": OLDEST, "cwd": OLDEST, "hook_event_name": OLDEST}
_TURN: Keys = {**_EACH, "permission_mode": OLDEST}
_CALL: Keys = {**_TURN, "tool_name": OLDEST, "tool_use_id": OLDEST, "tool_input": OLDEST}
_STOP: Keys = {**_TURN, "stop_hook_active": OLDEST, "last_assistant_message": (2, 1, 100)}
_LAUNCH: Keys = {**_CALL, "tool_input.prompt": OLDEST, "tool_input.description": OLDEST}
_MESSAGE: Keys = {**_CALL, "tool_input.to": (2, 1, 197), "tool_input.message": (2, 1, 197)}
_ASK: Keys = {**_CALL, "tool_input.questions": OLDEST}

_KNOWN: dict[tuple[str, Optional[Tool]], Keys] = {
    ("SessionStart", None): {**_EACH, "source": OLDEST},
    ("SessionEnd", None): {**_EACH, "reason": OLDEST},
    ("UserPromptSubmit", None): {**_TURN, "prompt": OLDEST, "prompt_id": (2, 1, 197)},
    ("Stop", None): {**_STOP, "background_tasks": (2, 1, 197)},
    ("SubagentStart", None): {**_EACH, "agent_id": OLDEST, "agent_type": OLDEST},
    ("SubagentStop", None): {
        **_STOP,
        "agent_id": OLDEST,
        "agent_transcript_path": OLDEST,
        "agent_type": (2, 1, 38),
        "background_tasks": (2, 1, 197),
    },
    ("PermissionRequest", None): {**_TURN, "tool_name": OLDEST, "tool_input": OLDEST},
    ("PreToolUse", LAUNCH): _LAUNCH,
    ("PostToolUse", LAUNCH): {**_LAUNCH, "tool_response": OLDEST, "tool_response.agentId": OLDEST},
    ("PostToolUseFailure", LAUNCH): {**_LAUNCH, "error": OLDEST},
    ("PreToolUse", MESSAGE): _MESSAGE,
    ("PostToolUse", MESSAGE): {**_MESSAGE, "tool_response": (2, 1, 197), "tool_response.success": (2, 1, 197)},
    ("PostToolUseFailure", MESSAGE): {**_MESSAGE, "error": (2, 1, 197)},
    ("PreToolUse", HANDBACK): {**_CALL, "agent_id": (2, 1, 327), "tool_input.message": (2, 1, 327)},
    ("PreToolUse", ASK): _ASK,
    ("PostToolUse", ASK): {**_ASK, "tool_response": OLDEST, "tool_response.answers": OLDEST},
    ("PostToolUse", OUTPUT): {
        **_CALL,
        "tool_input.task_id": OLDEST,
        "tool_response": OLDEST,
        "tool_response.task": OLDEST,
    },
    ("PostToolUse", SKILL): {**_CALL, "tool_input.skill": OLDEST, "tool_response": OLDEST},
}
_TOLD = ("UserPromptSubmit", "PostToolUse", "Stop", "SessionStart", "SubagentStart")
#: What events of a form bring besides, and what those of a form need not bring.
_BESIDES: dict[tuple[str, str], Keys] = {
    ("UserPromptSubmit", NOTIFIED): {"<task-id>": OLDEST, "<status>": OLDEST, "<summary>": OLDEST},
    ("PostToolUse", FOREGROUND): {"tool_response.content": OLDEST},
    ("PostToolUse", ENDED): {"tool_response.resumedAgentId": (2, 1, 197)},
    # For calls where the loop knows that a hook's answer should have changed the call or reached the model.
    ("PreToolUse", ANSWERED): {INPUT: OLDEST},
    **{(name, ANSWERED): {CONTEXT: (2, 1, 100)} for name in _TOLD},
}
_SPARED: dict[tuple[str, str], frozenset[str]] = {
    # After a hand-back the report has gone another way.
    ("SubagentStop", AUTO): frozenset({"last_assistant_message"}),
}
_KINDS: dict[str, type] = {
    "tool_input": dict,
    "tool_input.questions": list,
    "tool_response": object,
    "tool_response.answers": dict,
    "tool_response.content": list,
    "tool_response.success": bool,
    "tool_response.task": dict,
    "stop_hook_active": bool,
    "background_tasks": list,
}


class Shape(Record):
    """In which form an event came, what it lacks of all that is known of such events, and the names of its keys.

    A call is named by its tool, which an unknown one is too; `form` and `lacks` are words, in order.
    """

    event: str
    tool: str = ""
    form: str = ""
    lacks: str = ""
    keys: str = ""


def shape_of(event: Event, *more: str) -> Shape:
    """The shape of an event that was read; `more` are words of its form that only the loop knows."""
    tool = known(event.tool)
    form = " ".join([*_forms(event, tool), *more])
    wanted = wanted_of(event.name, tool, form)
    lacks = " ".join(key for key in wanted if not _has(event, key))
    # Only the last prompt is played again, and only what departs is looked into.
    keys = keys_of(mapping(event.raw)) if lacks or event.prompt else ""
    return Shape(event.name, event.tool, form, lacks, keys)


def wanted_of(name: str, tool: Optional[Tool], form: str) -> Keys:
    """The keys that events of this kind and form are known to have."""
    found = _KNOWN.get((name, tool), {})
    for word in form.split():
        found = {**found, **_BESIDES.get((name, word), {})}
        spared = _SPARED.get((name, word))
        found = {key: since for key, since in found.items() if key not in spared} if spared else found
    return found


def keys_of(raw: dict[str, Any]) -> str:
    """The names of an event's keys, with those of a call's input and result."""
    found = list(raw)
    for outer in ("tool_input", "tool_response"):
        found += [f"{outer}.{name}" for name in mapping(raw.get(outer))]
    return " ".join(name for name in found if len(name) <= MOST and name.replace(".", "_").isidentifier())


def _forms(event: Event, tool: Optional[Tool]) -> list[str]:
    """What the event itself says of its form."""
    if event.name == "UserPromptSubmit":
        return [_form_of_prompt(event)]
    if event.name == "SubagentStop":
        return [AUTO] if event.mode == "auto" else []
    if event.name == "PostToolUse" and tool is LAUNCH:
        return [FOREGROUND if mapping(event.tool_response).get("status") == "completed" else BACKGROUND]
    return []


def _form_of_prompt(event: Event) -> str:
    """Who speaks by this prompt, as far as it is of the host's own."""
    if not is_machine_prompt(event.prompt):
        return TYPED
    if "<task-notification>" in event.prompt:
        return NOTIFIED
    return HANDED if _HANDED in event.prompt else HEARD


def _has(event: Event, key: str) -> bool:
    if key.startswith("<"):
        return key in event.prompt
    outer, _, inner = key.partition(".")
    value = mapping(event.raw).get(outer)
    if inner == "resumedAgentId":
        value = mapping(value).get(inner) or mapping(value).get("revivedAgentId")
    elif inner:
        value = mapping(value).get(inner)
    return value is not None and isinstance(value, _KINDS.get(key, str))
