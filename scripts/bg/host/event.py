"""Events: the host's input to a hook, read once; the host's own messages and our commands, which come as prompts.

Unknown keys are ignored, and a malformed value counts as absent.
"""

from __future__ import annotations

import re

from bg import foreign
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

PATH_LIMIT = 4096
#: The name of events from our own module in the client, which have the shape of the host's.
MODULE = "Mod"
#: The host does not wake an agent that its user has stopped; one that was stopped otherwise can be woken.
STOPPED_BY_USER = "stopped by the user"
#: A run that one of these errors has ended can continue where it was, once the API accepts requests again.
USAGE_LIMIT, OVERLOADED = "usage limit", "overloaded API"
API_ERROR = "API error"
_CUTS = {"killed": "killed", "failed": "failed", "stopped": "killed"}
#: `Notification.cut` of a run that an error of the API has ended; empty on 2.1.197 and older, which call it completed.
BY_ERROR = ("", "failed", USAGE_LIMIT, OVERLOADED)
_PARKED = "waiting on its own background work"
_TURN_LIMIT = "turn limit"
_BY_USER = ("by user", "by the user")
_API_ERROR = "API Error:"
#: Needed for 2.1.197, which notes no status for the third refusal in a row; 2.1.258 and newer do.
_OVERLOADED_AGAIN = "API Error: Repeated 529 Overloaded errors"
_UNSENT = "ended without delivering a report through SubagentHandback"

#: 2.1.258 and newer write this after the words of the error that has ended a run.
_ERROR_TYPE = pattern(r"\(error type ([a-z_]+)(?:, HTTP (\d{3}))?[,)]")
_ID = pattern(r"[A-Za-z0-9_-]{1,128}\Z")
_NOTIFICATION = pattern(r"\s*(?:<system-reminder>\s*(?:\[SYSTEM NOTIFICATION[^\n]*\n)?\s*)?<task-notification>")
#: From 2.1.100 on, one sentence announces that the user has stopped an agent, or all of them at once.
_STOPPED = pattern(
    r'\s*(?:Background agent ".*" was|[0-9]+ background agents were) stopped by the user(?:\.|: ".*"\.)\s*\Z', re.DOTALL
)
_AGENT_MESSAGE = pattern(r'\s*(?:Another Claude session sent a message:\s*)?<agent-message from="([^"]*)"')


# Plain tuples and classes, as a dataclass would cost every hook a tenth of its time.


class Event(Record):
    """One hook call, with the fields that this plugin reads; `turn` is the host's id of the prompt, since 2.1.196."""

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
    turn: str = ""
    reason: str = ""
    raw: Optional[dict[str, Any]] = None  # the whole event, for readers of its keys

    @property
    def is_cleared(self) -> bool:
        """Whether the session ends by /clear, so that its process continues with another session."""
        return self.reason == "clear"

    @property
    def in_subagent(self) -> bool:
        """Whether the call comes from a subagent, so that its output cannot reach the parent."""
        return bool(self.agent)

    @property
    def carrier(self) -> str:
        """The text by which the transcript shows the prompt or call of this event, which carries a hook's words."""
        command, arguments = typed_command(self.prompt)
        return self.tool_use or arguments or (f"/{command}" if command else self.prompt)


class Notification(Record):
    """The host's word that an agent's run has ended."""

    agent: str
    status: str
    summary: str
    result: str
    tool_use: str
    outermost: bool = True

    @property
    def _words(self) -> str:
        """The host's own words in the summary, after the description, which is not the host's."""
        return self.summary.rpartition('"')[2]

    @property
    def parked(self) -> bool:
        """Whether the agent has not ended, but waits for something that it started itself."""
        return _PARKED in self._words

    @property
    def text(self) -> str:
        """The agent's last words, and the error that ended its run; empty if the host says that no report came."""
        said = "" if _UNSENT in self.result else self.result
        error = "".join(self._words.partition(_API_ERROR)[1:]) if self.status == "failed" else ""
        return said if error in said else "\n\n".join(filter(None, [said, error]))

    @property
    def cut(self) -> str:
        """What cut the run short; empty if the agent ended it."""
        named = _ERROR_TYPE.search(self._words) if self.status == "failed" else None
        by_error = error_cut(named[1], int(named[2] or 0)) if named else API_ERROR
        if by_error != API_ERROR:
            return by_error
        found = _CUTS.get(self.status, _TURN_LIMIT if _TURN_LIMIT in self._words else "")
        if found == "killed" and any(words in self._words for words in _BY_USER):
            return STOPPED_BY_USER
        return found or ("failed" if self.text.startswith(_API_ERROR) else "")


def error_cut(kind: Any, status: Any, words: str = "") -> str:
    """The kind of cut that an error of the API means for a run, by the host's name and status of the error.

    `words` is the host's text, for the one error to which 2.1.197 gives neither a name nor a status.
    """
    if kind == "rate_limit":
        return USAGE_LIMIT
    return OVERLOADED if status == 529 or words.startswith(_OVERLOADED_AGAIN) else API_ERROR


def names_error(text: str) -> bool:
    """Whether the text holds the host's words for an error, in place of the agent's last words or after them."""
    return _API_ERROR in text


def text_of(value: Any) -> str:
    """The value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def texts_in(value: Any) -> list[str]:
    """Every text within a value, however deep."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [found for each in inner for found in texts_in(each)]


def identifier(value: Any) -> str:
    """The value if it has the shape of the host's ids, else empty: ids become parts of file names and patterns."""
    return value if isinstance(value, str) and _ID.match(value) else ""


def mapping(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def read(text: str) -> Optional[Event]:
    """The event in a hook's input; None if it is none."""
    try:
        raw = foreign.loads(text)
    except ValueError:
        return None
    if not isinstance(raw, dict) or not text_of(raw.get("hook_event_name")):
        return None
    # The session and the agent must be readable, or the event would count as another session's, or as the parent's.
    if not identifier(raw.get("session_id")) or (raw.get("agent_id") and not identifier(raw["agent_id"])):
        return None
    tasks = raw.get("background_tasks")
    last = raw.get("last_assistant_message")
    return Event(
        name=raw["hook_event_name"],
        session=text_of(raw.get("session_id")),
        cwd=_path(raw.get("cwd")),
        transcript=_path(raw.get("transcript_path")),
        mode=text_of(raw.get("permission_mode")),
        agent=identifier(raw.get("agent_id")),
        agent_type=text_of(raw.get("agent_type")),
        tool=text_of(raw.get("tool_name")),
        tool_use=text_of(raw.get("tool_use_id")),
        prompt=text_of(raw.get("prompt")),
        source=text_of(raw.get("source")),
        last_text=last if isinstance(last, str) else None,
        agent_transcript=_path(raw.get("agent_transcript_path")),
        repeated_stop=raw.get("stop_hook_active") is True,
        tool_input=mapping(raw.get("tool_input")),
        tool_response=raw.get("tool_response"),
        background=_background(tasks),
        error=text_of(raw.get("error")),
        turn=text_of(raw.get("prompt_id")),
        reason=text_of(raw.get("reason")),
        raw=raw,
    )


def is_machine_prompt(prompt: str) -> bool:
    """Whether the prompt is the host's own message about an agent, and not typed by the user."""
    return bool(_NOTIFICATION.match(prompt) or _AGENT_MESSAGE.match(prompt) or says_stopped(prompt))


def says_stopped(prompt: str) -> bool:
    """Whether the host says that the user has stopped agents by a key; it names only their descriptions."""
    return bool(_STOPPED.match(prompt))


def notifications(prompt: str) -> list[Notification]:
    """The notifications in a prompt of the host's; several may arrive together.

    Up to 2.1.38 results are not escaped: any notification after the first may be a part of a result.
    """
    if not _NOTIFICATION.match(prompt):
        return []
    found: list[Notification] = []
    for part in re.split(r"(?=^[ \t]*<task-notification>)", prompt, flags=re.MULTILINE):
        agent = identifier(_element(part.split("<result>", 1)[0], "task-id").strip())
        if agent:
            head = part.split("<result>", 1)[0]
            found.append(
                Notification(
                    agent=agent,
                    status=_element(head, "status").strip(),
                    summary=_plain(_element(head, "summary")).strip(),
                    result=_plain(_element(part, "result", last=True)),
                    tool_use=_element(head, "tool-use-id").strip(),
                    outermost=not found,
                )
            )
    return found


def typed_command(prompt: str) -> tuple[str, str]:
    """Our command that the user typed, and its arguments; both empty if it is none of ours."""
    found = re.match(r"/(?:bg:)?(bg|bg-status|bg-answer)(?:\s+(.*))?\Z", prompt.strip(), re.DOTALL)
    return (found[1], (found[2] or "").strip()) if found else ("", "")


def joined_answer(prompt: str) -> str:
    """The `/bg-answer` in the last of several messages that the host has joined into one prompt; empty if it is none.

    2.1.186 joins messages that are sent to a session without a terminal during a turn, and runs the command. Only the
    host's record tells whether it was a message of its own, or a line of somebody's text.
    """
    words = prompt[max(prompt.rfind("\n/bg-answer"), prompt.rfind("\n/bg:bg-answer"), 0) :]
    return words.strip() if typed_command(words)[0] == "bg-answer" else ""


def live_commands(event: Event) -> Optional[list[str]]:
    """The ids of everything in the background that is no agent; None if the host does not list it."""
    if event.background is None:
        return None
    return [item["id"] for item in event.background if item.get("type") != "subagent" and identifier(item["id"])]


def live_ids(event: Event) -> Optional[set[str]]:
    """The ids of everything that still runs in the background, agents among it; None if the host does not list it."""
    if event.background is None:
        return None
    return {text_of(item.get("id")) for item in event.background}


def _path(value: Any) -> str:
    """The value if it can be a path, else empty: one with a NUL, or beyond any limit, would raise an odd error."""
    return value if isinstance(value, str) and "\0" not in value and len(value) <= PATH_LIMIT else ""


def _background(tasks: Any) -> Optional[list[dict[str, Any]]]:
    """The host's list of everything that runs; None if its shape is unknown, so that no agent is taken for ended."""
    if not isinstance(tasks, list):
        return None
    known = all(isinstance(item, dict) and item.get("id") and isinstance(item["id"], str) for item in tasks)
    return tasks if known else None


def _element(text: str, name: str, *, last: bool = False) -> str:
    start = text.find(f"<{name}>")
    end = text.rfind(f"</{name}>") if last else text.find(f"</{name}>")
    return text[start + len(name) + 2 : end] if 0 <= start < end else ""


def _plain(text: str) -> str:
    if "&" not in text:
        return text
    # Late: its table of entities costs more time than most events.
    import html  # noqa: PLC0415

    return html.unescape(text)
