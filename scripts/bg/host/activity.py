"""Activity of an agent: what it does now, as far as the end of its transcript and the host's session file show."""

from __future__ import annotations

import os

from bg import foreign
from bg.host import transcripts
from bg.host.event import Event, mapping
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_SHELLS = ("Bash", "PowerShell", "Shell")
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


LARGEST = 64 * 1024
#: How 2.1.197 and newer note that a session's terminal is asking whether a call may be made.
_ASKS = ("waiting", "permission prompt")


class Call(Record):
    """A call without a result yet, and its subject."""

    tool: str
    about: str
    since: float

    @property
    def words(self) -> str:
        """The tool and the subject, which tell it from most other calls."""
        return f"{self.tool} {self.about}"


class Activity(Record):
    """The calls without a result, the oldest first; how many calls were made, and how many tokens the context holds.

    `whole` says that the transcript was read from its beginning, so that `calls` counts all of them.
    """

    under_way: list[Call]
    calls: int
    whole: bool
    tokens: int


def seen(path: str) -> Optional[Activity]:
    """The activity that the last records of an agent's transcript show; None if they show no work."""
    calls: set[str] = set()
    under_way: dict[str, Call] = {}
    tokens = 0
    for record in transcripts.tail(path):
        if record.get("type") == "assistant":
            for identifier, name, given in transcripts.called(record):
                calls.add(identifier)
                under_way[identifier] = Call(name, _about(given), transcripts.moment(record))
            tokens = _tokens(record) or tokens
        elif record.get("type") == "user":
            under_way = _left(record, under_way)
    if not calls and not tokens:
        return None
    return Activity(list(under_way.values()), len(calls), transcripts.size(path) <= transcripts.TAIL, tokens)


def is_command(tool: str) -> bool:
    """Whether the tool runs a command line, which says enough without the tool's name."""
    return tool in _SHELLS


def named(event: Event) -> Call:
    """The call that an event is about."""
    return Call(event.tool, _about(event.tool_input), 0.0)


def asks_leave(transcript: str, process: int) -> bool:
    """Whether, by the host's session file, the session's terminal is now asking its user if a call may be made."""
    own = os.path.splitext(os.path.basename(transcript))[0]
    config = os.path.dirname(os.path.dirname(os.path.dirname(transcript)))
    try:
        found = mapping(foreign.loads(foreign.whole(os.path.join(config, "sessions", f"{process}.json"), LARGEST)))
    except (OSError, ValueError):
        return False
    return found.get("sessionId") == own and (found.get("status"), found.get("waitingFor")) == _ASKS


def _about(given: dict[str, Any]) -> str:
    """The subject of a call: its command line, else the name of its file, else its first text."""
    words = [value for value in given.values() if isinstance(value, str)]
    command, place = given.get("command"), given.get("file_path")
    if isinstance(command, str):
        return command
    return os.path.basename(place) if isinstance(place, str) else next(iter(words), "")


def _tokens(record: dict[str, Any]) -> int:
    """The tokens of context that the model reports as used."""
    usage = mapping(mapping(record.get("message")).get("usage"))
    return sum(value for value in map(usage.get, _COUNTED) if isinstance(value, int) and not isinstance(value, bool))


def _left(record: dict[str, Any], under_way: dict[str, Any]) -> dict[str, Any]:
    """The calls still without a result after this user record; one that holds more than results ends all calls."""
    parts = transcripts.parts(record)
    if any(part.get("type") != "tool_result" for part in parts):
        return {}
    done = {part.get("tool_use_id") for part in parts}
    return {identifier: call for identifier, call in under_way.items() if identifier not in done}
