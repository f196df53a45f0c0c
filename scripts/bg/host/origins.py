"""Origins: who has said something, as the host's transcript tells it.

A prompt that a hook is shown looks the same whoever wrote it: since 2.1.224 every process that an agent starts can post
one. The host's own record of it tells them apart: `origin` is `human` for a keyboard and `peer` for what was posted,
and absent where a program drives the host, and up to 2.1.197.
"""

from __future__ import annotations

import contextlib
import os
import re

from bg import foreign
from bg.host.event import typed_command
from bg.host.transcripts import parts, size, text
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

HUMAN, SDK, OTHER = "human", "sdk", "other"
MOST = 8 * 1024 * 1024  # a turn's own records stand near its beginning, before what it read
SOCKET = "CLAUDE_CODE_MESSAGING_SOCKET"
_COMMAND = pattern(r"<command-name>\s*(\S+?)\s*</command-name>(?:.*?<command-args>(.*?)</command-args>)?", re.DOTALL)
_SPACE = pattern(r"[\s\x00-\x1f\x7f]+")


class Origin(Record):
    """Who said it: `human`, `sdk` (a program; on old hosts also a person), or another, and who that was."""

    kind: str
    who: str


def takes_posts() -> bool:
    """Processes that the agents of this session start can write to it."""
    return bool(os.environ.get(SOCKET))


def of_prompt(path: str, place: int, prompt: str, turn: str) -> Optional[Origin]:
    """Who has said this, by the records behind this place; None while there is none.

    The prompt's id alone proves nothing: what is posted in mid-turn carries that of the running turn. Where records
    disagree, what is not the user's decides.
    """
    found: Optional[Origin] = None
    wanted = _forms(prompt)
    for record in _behind(path, place):
        words = _said(record, turn)
        if words is None or not (_forms(words) & wanted or (_peer(record) and _quotes(words, wanted))):
            continue
        origin = _origin(record)
        if origin.kind == OTHER:
            return origin
        found = found or origin
    return found


def of_dialog(path: str, place: int, call: str, answers: str) -> Optional[Origin]:
    """Whether the host's record of a dialog's call has these answers; None while there is no such record."""
    for record in _behind(path, place):
        for part in parts(record):
            if part.get("type") == "tool_result" and part.get("tool_use_id") == call:
                # The result as the model is told it, and as the host keeps it.
                heard = _squeezed("\n".join(_texts([part.get("content"), record.get("toolUseResult")])))
                same = not part.get("is_error") and all(_squeezed(line) in heard for line in answers.splitlines())
                return Origin(HUMAN, "") if same else Origin(OTHER, "the dialog was answered otherwise")
    return None


def peer_in_turn(path: str, turn: str) -> str:
    """Which other session or process has begun this turn or joined it; empty where none has."""
    if not turn:
        return ""  # up to 2.1.100, which know no other sessions
    begun, joined = False, ""
    for record in _behind(path, max(0, size(path) - MOST)):
        if record.get("type") == "user" and record.get("promptId"):
            if record["promptId"] == turn and not begun:
                begun, joined = True, ""
            elif record["promptId"] != turn:
                begun, joined = False, ""
        found = _peer(record)
        if found:
            joined = found
    return joined if begun else ""


def _behind(path: str, place: int) -> list[dict[str, Any]]:
    """The records behind a place that somebody's words may stand in."""
    length = size(path)
    try:
        data = foreign.read(path, MOST, place if place <= length else 0)
    except (OSError, ValueError):
        return []
    found = []
    for line in data.split(b"\n"):
        if b'"user"' in line or b"queued_command" in line:
            with contextlib.suppress(ValueError):
                record = foreign.loads(line)
                found += [record] if isinstance(record, dict) else []
    return found


def _said(record: dict[str, Any], turn: str) -> Optional[str]:
    """What somebody has said by this record; None where it is none, or belongs to another prompt."""
    if record.get("isSidechain"):
        return None
    queued = record.get("attachment")
    if isinstance(queued, dict):
        prompt = queued.get("prompt") if queued.get("type") == "queued_command" else None
        return text({"message": {"content": prompt}}) if prompt else None
    if record.get("type") != "user" or any(part.get("type") == "tool_result" for part in parts(record)):
        return None
    known = record.get("promptId")
    if turn and known and known != turn:
        return None
    # Else it is the host's own: a command's text, a hook's words.
    return text(record) if not record.get("isMeta") or _peer(record) else None


def _source(record: dict[str, Any]) -> dict[str, Any]:
    attachment = record.get("attachment")
    origin = (attachment if isinstance(attachment, dict) else record).get("origin")
    return origin if isinstance(origin, dict) else {}


def _origin(record: dict[str, Any]) -> Origin:
    source = _source(record)
    kind = source.get("kind")
    if kind == HUMAN:
        return Origin(HUMAN, "")
    if source:
        return Origin(OTHER, _peer(record) or f"the host ({kind})")
    prompted = record.get("promptSource")
    if prompted == "system":
        return Origin(OTHER, "the host")
    return Origin(HUMAN if prompted == "typed" else SDK, "")


def _peer(record: dict[str, Any]) -> str:
    """The other session or process, in words; an agent of this session that reports or sends a message is none."""
    source = _source(record)
    if source.get("kind") != "peer" or source.get("senderTaskId") is not None:
        return ""
    name = source.get("name") or source.get("from")
    who = f"“{str(name)[:60]}”" if name and name != "unknown" else "a process"
    number = source.get("verifiedPeerPid")
    return f"{who}, number {number}" if number else who


def _forms(words: str) -> set[str]:
    """What a text says whatever the host made of its spaces, its entities and of its command."""
    command = _COMMAND.search(words) if words.lstrip().startswith("<command-") else None
    if command:
        words = f"{'' if command[1].startswith('/') else '/'}{command[1]} {command[2] or ''}"
    name, arguments = typed_command(words)
    if name:
        words = f"/{name} {arguments}"
    return {_squeezed(words), _squeezed(_plain(words))} - {""}


def _squeezed(words: str) -> str:
    return str(_SPACE.sub("", words))


def _plain(words: str) -> str:
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        words = words.replace(entity, letter)
    return words


def _quotes(words: str, wanted: set[str]) -> bool:
    """The host puts what another session has written between sentences of its own."""
    whole = _squeezed(words)
    return any(each in whole for each in wanted)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return [found for each in inner for found in _texts(each)]


def is_kept(path: str) -> bool:
    """The host keeps this transcript."""
    return bool(path) and foreign.about(path) is not None
