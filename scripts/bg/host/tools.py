"""Tools: the host's tools by their names in each version, and the fields of them that are read and written.

A renamed tool gets one more name in its record; hooks.json, the routes and the texts take the names from here.
"""

from __future__ import annotations

from bg import foreign
from bg.host import transcripts
from bg.host.event import Event, identifier, mapping, text_of, typed_command
from bg.host.versions import OLDEST, Version
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from bg.host.transcripts import Call

ONE_SHOT_TYPES = ("Explore", "Plan")
DEFAULT_TYPE = "general-purpose"
MAIN = "main"


class Tool:
    """One tool: its names, the newest first, and its fields, each with the first version that is known to have it."""

    def __init__(
        self,
        *names: tuple[str, Version],
        takes: Optional[dict[str, Version]] = None,
        gives: Optional[dict[str, Version]] = None,
    ) -> None:
        self.names = tuple(name for name, _ in names)
        self.since = dict(names)
        self.takes = takes or {}
        self.gives = gives or {}

    def called(self, version: Optional[Version]) -> str:
        """The name on this version; the newest name if the version is unknown."""
        return next((name for name in self.names if version is None or self.since[name] <= version), self.names[-1])

    def __str__(self) -> str:
        """All names, for a text that hosts of every version get."""
        return " or ".join(self.names)


# 2.1.63 renamed Task. 2.1.77 removed `resume`. `name` is the agent's name among other agents; no recording has it.
LAUNCH = Tool(
    ("Agent", (2, 1, 63)),
    ("Task", OLDEST),
    takes={
        "description": OLDEST,
        "prompt": OLDEST,
        "subagent_type": OLDEST,
        "run_in_background": OLDEST,
        "resume": OLDEST,
        "name": OLDEST,
    },
    gives={
        "status": OLDEST,
        "agentId": OLDEST,
        "content": OLDEST,
        "handbackReport": (2, 1, 271),
        "canContinueAgent": (2, 1, 300),
    },
)
# 2.1.77 offers it with the agent teams only; `content` is a copy of the message, which the host derives.
MESSAGE = Tool(
    ("SendMessage", (2, 1, 77)),
    takes={
        "to": (2, 1, 77),
        "message": (2, 1, 77),
        "content": (2, 1, 197),
        "type": (2, 1, 197),
        "recipient": (2, 1, 197),
        "recipient_kind": (2, 1, 271),
    },
    gives={"success": (2, 1, 77), "resumedAgentId": (2, 1, 77), "revivedAgentId": (2, 1, 271)},
)
HANDBACK = Tool(("SubagentHandback", (2, 1, 271)), takes={"message": (2, 1, 271)})
ASK = Tool(
    ("AskUserQuestion", OLDEST),
    takes={"questions": OLDEST},
    gives={"answers": OLDEST, "annotations": (2, 1, 100)},  # in 2.1.327 the annotations hold the user's notes
)
# Gone in 2.1.277.
OUTPUT = Tool(("TaskOutput", OLDEST), takes={"task_id": OLDEST}, gives={"task": OLDEST})
SKILL = Tool(("Skill", OLDEST), takes={"skill": OLDEST, "command": OLDEST, "args": OLDEST})
# Loads a tool that the host does not list at once.
SEARCH = Tool(("ToolSearch", (2, 1, 197)))

TOOLS = (LAUNCH, MESSAGE, HANDBACK, ASK, OUTPUT, SKILL, SEARCH)
_BY_NAME = {name: tool for tool in TOOLS for name in tool.names}
OF_MODULE = "toolu_plugin_"  # 2.1.287 to 2.1.328
_DERIVED = ("type", "recipient", "recipient_kind", "content")


def is_by_module(event: Event) -> bool:
    """Whether a module of the client (ours, or another plugin's) makes this call, and not the model."""
    return is_of_module(event.tool_use)


def is_of_module(call: str) -> bool:
    """Whether the id is of a call that a module has made."""
    return call.startswith(OF_MODULE)


def addressees(called: list[Call]) -> list[str]:
    """The agents or names to which these calls send messages."""
    return [text_of(given.get("to")) for _, name, given in called if name in MESSAGE.names]


def asks(called: list[Call]) -> bool:
    """Whether one of these calls asks the user."""
    return any(name in ASK.names for _, name, _ in called)


class Launch(Record):
    """A call that launches an agent, or wakes the one that `resume` names."""

    description: str
    prompt: str
    kind: str
    name: str
    resume: str
    foreground: bool

    @property
    def one_shot(self) -> bool:
        """Whether the agent is of a type that answers once and cannot be woken."""
        return self.kind in ONE_SHOT_TYPES


class Message(Record):
    """A message to an agent, or of an agent to its parent."""

    to: str
    text: str
    copy: str

    @property
    def to_parent(self) -> bool:
        """Whether the message goes from an agent to the session that launched it."""
        return self.to == MAIN


def resuming(version: Optional[Version]) -> str:
    """The name of the tool with the parameter `resume`: one name up to 2.1.62, another one up to 2.1.76."""
    return LAUNCH.called(version) if version else str(LAUNCH)


def known(name: str) -> Optional[Tool]:
    """The tool of this name; None if this plugin does not use it."""
    return _BY_NAME.get(name)


def is_call(event: Event, tool: Tool) -> bool:
    """Whether the event is a call of this tool that is about to be made."""
    return event.name == "PreToolUse" and known(event.tool) is tool


def is_launch(event: Event) -> bool:
    """Whether the parent is about to launch a new agent."""
    return is_call(event, LAUNCH) and not event.in_subagent and not event.tool_input.get("resume")


class Called(Record):
    """A launch in a session's transcript, as the model made the call, before any hook changed it."""

    id: str
    place: int
    at: float
    launch: Launch


def launches_in(transcript: str) -> list[Called]:
    """Every call in a session's transcript that launches a new agent, in order."""
    said, _ = transcripts.said_since(transcript, 0, transcripts.LONGEST_LOOK)
    found = []
    for line in said:
        for call, name, given in transcripts.called(line.record):
            launch = _launch(given)
            if known(name) is LAUNCH and not launch.resume:
                found.append(Called(call, line.begin, transcripts.moment(line.record), launch))
    return found


def launch_as(event: Event, call: Call) -> Optional[Event]:
    """The event for another call of the same message; None if that call launches no new agent."""
    made, name, given = call
    other = event._replace(tool_use=made, tool=name, tool_input=given)
    return other if is_launch(other) else None


def launch_of(event: Event) -> Launch:
    """The fields of a call that launches or wakes an agent."""
    return _launch(event.tool_input)


def described(given: dict[str, Any]) -> str:
    """The description of the task in a launch's input."""
    return str(given.get("description") or "")


def launch_with(event: Event, description: str) -> dict[str, Any]:
    """The launch's input with another description, in the background, with an agent type that can be woken."""
    given = {**event.tool_input, "description": description, "run_in_background": True}
    if launch_of(event).one_shot:
        given["subagent_type"] = DEFAULT_TYPE
    return given


def set_prompt(given: dict[str, Any], prompt: str) -> None:
    """Write the prompt into a launch's input."""
    given["prompt"] = prompt


def resuming_input(event: Event, agent: str, description: str, prompt: str) -> dict[str, Any]:
    """The launch's input changed to wake this agent with this prompt and description, in the background."""
    changed = {"resume": agent, "description": description, "prompt": prompt, "run_in_background": True}
    return {**event.tool_input, **changed}


def message_of(event: Event) -> Message:
    """The message of a call, and its addressee."""
    given = event.tool_input
    text, copy = str(given.get("message") or ""), str(given.get("content") or "")
    return Message(str(given.get("to") or ""), text, copy)


def message_input(event: Event, agent: str, text: Optional[str]) -> dict[str, Any]:
    """The message's input, addressed to this agent, with `text` if given, and without fields that the host derives."""
    given = {key: value for key, value in event.tool_input.items() if key not in _DERIVED}
    given["to"] = agent
    if text is not None:
        given["message"] = text
    return given


def sent_texts(event: Event) -> list[str]:
    """Every text with which a call has woken an agent, by a message or by a launch."""
    given = event.tool_input
    return [given[key] for key in ("message", "content", "prompt") if isinstance(given.get(key), str)]


def handed_back(event: Event) -> Optional[str]:
    """The report that an agent hands back; None if the call has none."""
    text = event.tool_input.get("message")
    return text if isinstance(text, str) else None


def invoked_command(event: Event) -> tuple[str, str]:
    """Our command that Claude runs by itself, and its arguments; both empty if it is none of ours."""
    name = text_of(event.tool_input.get("skill") or event.tool_input.get("command")).lstrip("/")
    arguments = text_of(event.tool_input.get("args"))
    return typed_command(f"/{name} {arguments}".strip()) if name else ("", "")


def started_agent(event: Event) -> str:
    """The id of the agent that a launch or a resume has started."""
    return identifier(mapping(event.tool_response).get("agentId"))


def can_continue(event: Event) -> Optional[bool]:
    """Whether the session has a tool to continue the agent that a launch has started; None if the result does not say.

    Seen on 2.1.300, 2.1.316 and 2.1.328, which say no if the tool for messages is not allowed.
    """
    said = mapping(event.tool_response).get("canContinueAgent")
    return said if isinstance(said, bool) else None


def resumed_agent(event: Event) -> str:
    """The id of the agent that a message has woken; empty if it has woken none."""
    response = _response_record(event.tool_response)
    if response.get("success") is False:
        return ""
    return identifier(response.get("resumedAgentId") or response.get("revivedAgentId"))


def delivered_message(event: Event) -> bool:
    """Whether the host accepted the message; it may not have had to wake the agent."""
    return _response_record(event.tool_response).get("success") is True


def foreground_text(event: Event) -> Optional[str]:
    """The final text of an agent that ran in the foreground; None if it went to the background."""
    response = mapping(event.tool_response)
    if response.get("status") != "completed":
        return None
    handed = mapping(response.get("handbackReport")).get("text")
    if isinstance(handed, str):
        return handed
    parts = response.get("content")
    if not isinstance(parts, list):
        return None
    return "\n".join(text_of(part.get("text")) for part in parts if isinstance(part, dict))


def polled_output(event: Event) -> tuple[str, str, str]:
    """The result of a look at an agent's output: the agent's id, its status, and the output in the host's form."""
    task = mapping(mapping(event.tool_response).get("task"))
    agent = identifier(task.get("task_id")) or identifier(event.tool_input.get("task_id"))
    return agent, text_of(task.get("status")), text_of(task.get("result")) or text_of(task.get("output"))


def _launch(given: dict[str, Any]) -> Launch:
    return Launch(
        description=described(given),
        prompt=str(given.get("prompt") or ""),
        kind=str(given.get("subagent_type") or ""),
        name=str(given.get("name") or ""),
        resume=str(given.get("resume") or ""),
        foreground=given.get("run_in_background") is False,
    )


def _response_record(value: Any) -> dict[str, Any]:
    """A tool's response as a record; some hosts give it as JSON text or as text parts."""
    if isinstance(value, list):
        value = "".join(text_of(mapping(part).get("text")) for part in value)
    if isinstance(value, str):
        try:
            value = foreign.loads(value)
        except ValueError:
            return {}
    return mapping(value)
