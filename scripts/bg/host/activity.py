"""Activity of an agent: what it does now, as far as the end of its transcript shows it."""

from __future__ import annotations

import os

from bg.host import transcripts
from bg.host.event import mapping
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_SHELLS = ("Bash", "PowerShell", "Shell")
_COUNTED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")


class Activity(Record):
    """The call that has not come back, empty without one; how many calls were made, and how full the context is.

    `whole` says that the transcript was read from its beginning, so that there were no calls before these.
    """

    tool: str
    about: str
    since: float
    calls: int
    whole: bool
    tokens: int


def seen(path: str) -> Optional[Activity]:
    """What the last records of an agent's transcript show, None where they show nothing of its work."""
    calls: set[str] = set()
    under_way: dict[str, tuple[str, str, float]] = {}
    tokens = 0
    for record in transcripts.tail(path):
        if record.get("type") == "assistant":
            for identifier, name, given in transcripts.called(record):
                calls.add(identifier)
                under_way[identifier] = name, _about(given), transcripts.moment(record)
            tokens = _tokens(record) or tokens
        elif record.get("type") == "user":
            under_way = _left(record, under_way)
    if not calls and not tokens:
        return None
    tool, about, since = next(reversed(under_way.values()), ("", "", 0.0))
    return Activity(tool, about, since, len(calls), transcripts.size(path) <= transcripts.TAIL, tokens)


def is_command(tool: str) -> bool:
    """The tool runs a command line, which says enough without the tool's name."""
    return tool in _SHELLS


def _left(record: dict[str, Any], under_way: dict[str, Any]) -> dict[str, Any]:
    """The calls without a result; whatever else the agent is told ends what was under way."""
    parts = transcripts.parts(record)
    if any(part.get("type") != "tool_result" for part in parts):
        return {}
    done = {part.get("tool_use_id") for part in parts}
    return {identifier: call for identifier, call in under_way.items() if identifier not in done}


def _about(given: dict[str, Any]) -> str:
    """What a call is about: its command line, else the name of its file, else its first words."""
    words = [value for value in given.values() if isinstance(value, str)]
    command, place = given.get("command"), given.get("file_path")
    if isinstance(command, str):
        return command
    return os.path.basename(place) if isinstance(place, str) else next(iter(words), "")


def _tokens(record: dict[str, Any]) -> int:
    """How much of its context the model has said to have used."""
    usage = mapping(mapping(record.get("message")).get("usage"))
    return sum(value for value in map(usage.get, _COUNTED) if isinstance(value, int) and not isinstance(value, bool))
