"""Deviations: the signs that a version of the host behaves otherwise than is known, and the names of the consequences.

Handling an event needs none of this, unless its shape is unknown; it is for reports on departures.
"""

from __future__ import annotations

from bg import foreign
from bg.host import drift, transcripts, versions
from bg.host.event import Event, identifier, is_machine_prompt, mapping, text_of
from bg.host.tools import ASK, HANDBACK, LAUNCH, MESSAGE, Tool, known
from bg.host.versions import OLDEST
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Optional

HEAD = 4000
_ELEMENT = pattern(r">([A-Za-z0-9_-]{6,128})<")


class Seen(Record):
    """How often a version of the host has sent events of one shape, and when first and last."""

    version: str
    shape: drift.Shape
    times: int
    first: float
    last: float


class Departure(Record):
    """One thing that a version does otherwise than is known: `what` was lacking in `times` of `of` events of a kind."""

    version: str
    event: str
    tool: str
    kind: str  # LACKING, or one of `_NOTED`
    what: str
    then: str  # the name of the consequence
    times: int
    of: int
    first: float
    last: float


LACKING = "lacking"
_NOTED = frozenset({drift.UNREAD, drift.UNKNOWN, drift.MISSED, drift.ANSWERED})

# The consequence of a departure here: looked up by event or tool and the lacking thing, else by the thing alone.
_UNTIED, _NO_IDENTITY, _UNSENT = "dialogs_untied", "no_identity", "answers_unsent"
_ENDS_ELSEWHERE, _UNSEEN, _UNREADABLE = "ends_elsewhere", "prompts_unseen", "events_unread"
_CONSEQUENCES = {
    "session_id": _UNREADABLE,
    "hook_event_name": _UNREADABLE,
    f"{drift.UNREAD} agent_id": _UNREADABLE,
    "transcript_path": "transcripts_unfound",
    "cwd": "project_elsewhere",
    "permission_mode": "mode_unknown",
    "prompt": _UNSEEN,
    "prompt_id": "turns_untold",
    "source": "beginnings_untold",
    "reason": "clearing_untold",
    "error": "errors_untold",
    "stop_hook_active": "held_twice",
    "background_tasks": "running_unknown",
    "tool_name": "calls_unread",
    "tool_input": "calls_unread",
    "tool_use_id": "results_untied",
    "tool_response": "results_unread",
    "tool_input.questions": _UNTIED,
    "tool_response.answers": _UNTIED,
    "tool_response.content": "foreground_elsewhere",
    "agent_type": "forks_untold",
    "agent_transcript_path": "agents_elsewhere",
    "tool_response.agentId": "agents_by_prompt",
    "tool_response.resumedAgentId": "resumes_by_transcript",
    "tool_response.success": "resumes_by_transcript",
    "<task-id>": _ENDS_ELSEWHERE,
    "<status>": _ENDS_ELSEWHERE,
    "<task-notification>": _ENDS_ELSEWHERE,
    "<summary>": "cuts_unknown",
    "SubagentStart agent_id": "starts_untied",
    "SubagentStop agent_id": "ends_announced",
    "SubagentStop last_assistant_message": "reports_by_transcript",
    "Stop last_assistant_message": "words_by_transcript",
    "launch tool_input.prompt": _NO_IDENTITY,
    "launch tool_input.description": "launches_by_type",
    "message tool_input.to": _UNSENT,
    "message tool_input.message": "answers_by_transcript",
    "handback tool_input.message": "handback_unread",
    "handback agent_id": "handback_unread",
    "SessionStart missed": "told_at_prompt",
    "UserPromptSubmit missed": _UNSEEN,
    "Stop missed": "ends_of_turns_late",
    "SubagentStart missed": "starts_untied",
    "SubagentStop missed": "ends_announced",
    "PreToolUse launch missed": _NO_IDENTITY,
    "PostToolUse launch missed": "agents_by_prompt",
    "PreToolUse message missed": _UNSENT,
    "PostToolUse message missed": "resumes_by_transcript",
    "PreToolUse handback missed": "handback_unread",
    "PreToolUse question missed": _UNTIED,
    f"launch {drift.INPUT}": "identity_at_start",
    f"message {drift.INPUT}": "answers_offered_again",
    f"question {drift.INPUT}": _UNTIED,
    drift.CONTEXT: "reminders_unheard",
    f"SubagentStart {drift.CONTEXT}": _NO_IDENTITY,
    f"{drift.UNKNOWN} tool": "tool_unknown",
    f"{drift.UNKNOWN} event": "event_unknown",
}
#: The consequence of everything else.
_ELSE = "unused"
_NICKNAMES = {LAUNCH: "launch", MESSAGE: "message", HANDBACK: "handback", ASK: "question"}


# Events that show that another must have come before: (event, tool, a word of its form), and the events, any of which
# will do.
_AFTER: tuple[tuple[tuple[str, Optional[Tool], str], tuple[tuple[str, Optional[Tool]], ...]], ...] = (
    (("SubagentStop", None, drift.OURS), (("SubagentStart", None),)),
    (("SubagentStop", None, drift.OURS), (("PostToolUse", LAUNCH), ("PostToolUseFailure", LAUNCH))),
    (("PostToolUse", LAUNCH, drift.OURS), (("PreToolUse", LAUNCH),)),
    (("PostToolUse", MESSAGE, drift.OURS), (("PreToolUse", MESSAGE),)),
    (("PostToolUse", ASK, drift.OURS), (("PreToolUse", ASK),)),
    (("UserPromptSubmit", None, drift.HANDED), (("PreToolUse", HANDBACK),)),
)


def unread(text: str) -> Optional[tuple[drift.Shape, str]]:
    """The shape of an event that could not be read, and its session's transcript; None if it is no event at all."""
    try:
        raw = foreign.loads(text)
    except ValueError:
        return None
    if not isinstance(raw, dict):
        return None
    lacks = [key for key in ("session_id", "hook_event_name") if not text_of(raw.get(key))]
    lacks += [key for key in ("session_id", "agent_id") if raw.get(key) and not identifier(raw[key])]
    shape = drift.Shape(
        text_of(raw.get("hook_event_name"))[: drift.MOST], "", drift.UNREAD, " ".join(lacks), drift.keys_of(raw)
    )
    return shape, text_of(raw.get("transcript_path"))


def names_command(text: str) -> bool:
    """Whether an event holds one of our commands, by the same test as in `hooks/run`."""
    return '"/bg' in text or '"bg:' in text


def said_by(event: Event) -> list[str]:
    """The texts of a call's input."""
    return _texts(event.tool_input)


def is_like_launch(event: Event) -> bool:
    """Whether the call of an unknown tool has the fields of a launch."""
    return {"prompt", "description"} <= event.tool_input.keys()


def is_unknown_form(prompt: str) -> bool:
    """Whether a prompt begins like a message of the host's and is no known one."""
    return prompt.lstrip().startswith("<") and not is_machine_prompt(prompt)


def elements(prompt: str) -> list[str]:
    """The single words between two tags; any of them may be an agent's id."""
    return [each for each in _ELEMENT.findall(prompt[:HEAD]) if identifier(each)]


class Call(Record):
    """A call in a session's transcript: its id, its tool, the texts of its input."""

    id: str
    tool: str
    texts: list[str]


def calls(path: str) -> list[Call]:
    """The last calls that the host has carried out in a session, the oldest first."""
    found: dict[str, Call] = {}
    done = set()
    for record in transcripts.tail(path):
        for part in transcripts.parts(record):
            if part.get("type") == "tool_use" and record.get("type") == "assistant":
                call = str(part.get("id"))
                found[call] = Call(call, text_of(part.get("name"))[: drift.MOST], _texts(part.get("input")))
            elif part.get("type") == "tool_result" and not part.get("is_error"):
                done.add(str(part.get("tool_use_id")))
    return [call for call in found.values() if call.id in done]


def departures(seen: Iterable[Seen]) -> list[Departure]:
    """Everything that the versions do otherwise than is known, the first noticed first."""
    by_version: dict[str, list[Seen]] = {}
    for each in seen:
        by_version.setdefault(each.version, []).append(each)
    found = [one for name, rows in by_version.items() for one in [*_lacking(name, rows), *_absent(name, rows)]]
    return sorted(found, key=lambda one: one.first)


def _texts(value: Any) -> list[str]:
    return [each for each in mapping(value).values() if isinstance(each, str)]


def _lacking(name: str, rows: list[Seen]) -> list[Departure]:
    """The departures seen in events: missing keys, unknown tools and events, and answers that were not taken."""
    found: dict[tuple[str, str, str, str], Departure] = {}
    for row in rows:
        for kind, what in _departs(name, row.shape):
            if kind != drift.ANSWERED or not _was_taken_since(rows, row, what):
                key = (row.shape.event, row.shape.tool, kind, what)
                found[key] = _added(found.get(key), name, key, row)
    return [one._replace(of=_number(rows, one)) for one in found.values()]


def _departs(name: str, shape: drift.Shape) -> list[tuple[str, str]]:
    """The departures of one shape, each as its kind and the thing that departs."""
    kind = _kind(shape)
    if kind == drift.MISSED:
        return []
    if kind in (drift.UNREAD, drift.UNKNOWN):
        return [(kind, what) for what in shape.lacks.split() or [""]]
    version = versions.version_of(name) or OLDEST
    wanted = drift.wanted_of(shape.event, known(shape.tool), shape.form)
    return [(kind, key) for key in shape.lacks.split() if key in wanted and wanted[key] <= version]


def _kind(shape: drift.Shape) -> str:
    """The kind of departure that this shape means: the one that its form notes, else `LACKING`."""
    return next((word for word in shape.form.split() if word in _NOTED), LACKING)


def _was_taken_since(rows: list[Seen], lost: Seen, what: str) -> bool:
    """Whether the host took a similar answer later; if so, another plugin's hook may have discarded the lost one."""
    like = [row for row in rows if _kind(row.shape) == drift.ANSWERED and row.shape[:2] == lost.shape[:2]]
    return any(row.last > lost.last and what not in row.shape.lacks.split() for row in like)


def _added(had: Optional[Departure], name: str, key: tuple[str, str, str, str], row: Seen) -> Departure:
    if had is None:
        return Departure(name, *key, _consequence(*key), row.times, row.times, row.first, row.last)
    times = had.times + row.times
    return had._replace(times=times, of=times, first=min(had.first, row.first), last=max(had.last, row.last))


def _consequence(event: str, tool: str, kind: str, what: str) -> str:
    """The name of a departure's consequence."""
    which = known(tool)
    nickname = _NICKNAMES.get(which, "") if which else ""
    if kind == drift.MISSED:
        return _CONSEQUENCES.get(" ".join(filter(None, [event, nickname, kind])), _ELSE)
    if kind == drift.UNKNOWN and not what:
        what = "tool" if tool else "event"
    keys = (f"{kind} {what}", f"{nickname} {what}", f"{event} {what}", what)
    return next((_CONSEQUENCES[key] for key in keys if key in _CONSEQUENCES), _ELSE)


def _number(rows: list[Seen], one: Departure) -> int:
    """The number of all events of the departure's kind."""
    return sum(row.times for row in rows if (*row.shape[:2], _kind(row.shape)) == (one.event, one.tool, one.kind))


def _absent(name: str, rows: list[Seen]) -> list[Departure]:
    """The events that this version has never sent, although others show that they happened."""
    came = {(row.shape.event, known(row.shape.tool)) for row in rows if _kind(row.shape) == LACKING}
    version = versions.version_of(name)
    found: dict[tuple[str, str, str, str], Departure] = {}
    for row in rows if version else ():
        for event, tool in _events_not_told(row.shape, came):
            key = (event, tool.called(version) if tool else "", drift.MISSED, "")
            found[key] = _added(found.get(key), name, key, row)
    return list(found.values())


def _events_not_told(shape: drift.Shape, came: set[tuple[str, Optional[Tool]]]) -> list[tuple[str, Optional[Tool]]]:
    """The events that must have happened before this shape could be noted, but of which no hook was told."""
    own = (shape.event, known(shape.tool))
    found = [own] if _kind(shape) == drift.MISSED and own not in came else []
    for (event, tool, word), wanted in _AFTER:
        if own == (event, tool) and word in shape.form.split() and not came & set(wanted):
            found.append(wanted[0])
    return found
