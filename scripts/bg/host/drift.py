"""Drift: the keys that each event of the host is known to have, and those that a given event lacks.

The table holds the keys that this plugin reads and that every tried client sends, from the first version that does.
Keys that only some calls have are not in it, as they cannot be missed. An event is noted with the keys of the table
that it lacks; whether its version should have sent them is decided only when somebody asks.
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

#: The newest client that was tried; every other place that means it takes it from here.
TRIED: Version = (2, 1, 328)

#: Words of a form: they tell an event from others of its kind that have other keys.
TYPED, NOTIFIED, HEARD, HANDED = "typed", "notification", "message", "handback"
OURS, ENDED, AUTO = "ours", "ended", "auto"
BACKGROUND, FOREGROUND = "background", "foreground"
#: Words of a form for other observations than an ordinary event.
UNREAD, UNKNOWN, MISSED, ANSWERED = "unread", "unknown", "missed", "answered"
INPUT, CONTEXT = "updatedInput", "additionalContext"  # parts of an answer that the host may not have taken
MOST = 40  # characters of a name; anything longer may be text that somebody wrote
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
#: The further keys of events of a form, and the keys that events of a form need not have.
_BESIDES: dict[tuple[str, str], Keys] = {
    ("UserPromptSubmit", NOTIFIED): {"<task-id>": OLDEST, "<status>": OLDEST, "<summary>": OLDEST},
    ("PostToolUse", FOREGROUND): {"tool_response.content": OLDEST},
    ("PostToolUse", ENDED): {"tool_response.resumedAgentId": (2, 1, 197)},
    # For calls where the loop knows that a hook's answer should have changed the call or reached the model.
    ("PreToolUse", ANSWERED): {INPUT: OLDEST},
    **{(name, ANSWERED): {CONTEXT: (2, 1, 100)} for name in _TOLD},
}
_SPARED: dict[tuple[str, str], frozenset[str]] = {
    # After a hand-back the report has already come another way.
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
    """The form in which an event came, the known keys that it lacks, and the names of the keys that it has.

    `tool` is the name of a call's tool, known or not; `form` and `lacks` are words, in order.
    """

    event: str
    tool: str = ""
    form: str = ""
    lacks: str = ""
    keys: str = ""


def shape_of(event: Event, *more: str) -> Shape:
    """The shape of an event; `more` are words of its form that only the loop knows."""
    tool = known(event.tool)
    form = " ".join([*_forms(event, tool), *more])
    wanted = wanted_of(event.name, tool, form)
    lacks = " ".join(key for key in wanted if not _has(event, key))
    # The keys are kept if some are missing, which people look into, and of every prompt: the doctor plays a prompt
    # that has just the keys of the last one.
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
    """The names of an event's keys, and of those in a call's input and result."""
    found = list(raw)
    for outer in ("tool_input", "tool_response"):
        found += [f"{outer}.{name}" for name in mapping(raw.get(outer))]
    return " ".join(name for name in found if len(name) <= MOST and name.replace(".", "_").isidentifier())


def _forms(event: Event, tool: Optional[Tool]) -> list[str]:
    """The words of its form that the event itself shows."""
    if event.name == "UserPromptSubmit":
        return [_form_of_prompt(event)]
    if event.name == "SubagentStop":
        return [AUTO] if event.mode == "auto" else []
    if event.name == "PostToolUse" and tool is LAUNCH:
        return [FOREGROUND if mapping(event.tool_response).get("status") == "completed" else BACKGROUND]
    return []


def _form_of_prompt(event: Event) -> str:
    """The word for the form of a prompt: typed, or one of the host's own kinds."""
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
