"""The host's transcripts: JSON lines read from the end or the beginning, never whole when large.

A line that is no JSON object is skipped.
"""

from __future__ import annotations

import json
import os
import time

from bg import foreign
from bg.host.event import error_cut, mapping, text_of
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    Call = tuple[str, str, dict[str, Any]]

TAIL = 512 * 1024
HEAD = 1024 * 1024
LINES = 64 * 1024
LONGEST_RECORD = 8 * 1024 * 1024
LOOK, LONGEST_LOOK = 4 * 1024 * 1024, 64 * 1024 * 1024
NO_ANSWER = "no answer from the model"
STOPPED = "[Request interrupted by user"
NO_OUTPUT = "(Bash completed with no output)"  # from 2.1.197 on; older hosts write nothing
STOPPED_IN_A_CALL = f"{STOPPED} for tool use]"
TOOLS = ("Edit", "MultiEdit", "NotebookEdit", "Write")
PATHS = ("file_path", "notebook_path")


class Final(Record):
    """The last thing an agent wrote, and whether the host had finished writing it down."""

    text: str
    uuid: str
    settled: bool
    cut: str = ""
    reason: str = ""  # why the model stopped, if the host has written that down
    resets: int = 0  # the second in which the limit ends that has cut it, if the host says so


class Line(Record):
    """A record of the model's own words or calls, and where in the file its line begins and ends."""

    begin: int
    end: int
    record: dict[str, Any]


def is_in_place(path: str, session: str, config: str) -> bool:
    """Whether the path is where the host keeps this session's transcript: in the folder of a project."""
    folder = os.path.dirname(os.path.dirname(os.path.realpath(path)))
    return os.path.basename(path) == f"{session}.jsonl" and folder == os.path.realpath(os.path.join(config, "projects"))


def is_kept(path: str) -> bool:
    """Whether the host keeps this transcript."""
    return bool(path) and foreign.stat_of(path) is not None


def size(path: str) -> int:
    """The transcript's size in bytes; 0 if there is none."""
    found = foreign.stat_of(path) if path else None
    return found.st_size if found else 0


def end(path: str, place: int) -> list[dict[str, Any]]:
    """The very last records of a transcript, after a place in it."""
    return list(_records(_read(path, max(place, size(path) - LINES), LINES)))


def tail(path: str, most: int = TAIL) -> list[dict[str, Any]]:
    """The last records of a transcript."""
    return list(_records(_read(path, max(0, size(path) - most), most)))


def ends_at(path: str, offset: int) -> bool:
    """Whether a line ends at this offset; if not, another file has replaced the one that was read up to there."""
    return offset == 0 or _read(path, offset - 1, 1) == b"\n"


def said_since(path: str, offset: int, most: int = LOOK) -> tuple[list[Line], int]:
    """The model's words and calls after `offset`, in whole lines, and where the last line that was read ends.

    At most `most` bytes are read, unless a single line is longer.
    """
    found: list[Line] = []
    place = at = begin = offset
    rest = b""
    while at < offset + (most if place > offset else LONGEST_LOOK):
        data = _read(path, at, TAIL)
        at += len(data)
        whole = data.rfind(b"\n") + 1
        if whole:
            found += _said(rest + data[:whole], begin)
            rest, begin = data[whole:], at - len(data) + whole
            place = begin
        elif len(rest) < LONGEST_RECORD:
            rest += data
        else:
            rest, begin = b"", at
        if len(data) < TAIL:
            break
    return found, place


def parts(record: dict[str, Any]) -> list[dict[str, Any]]:
    """The content parts of a record's message."""
    message = record.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return [part for part in content if isinstance(part, dict)] if isinstance(content, list) else []


def text(record: dict[str, Any]) -> str:
    """The text parts of a record, joined; half of a surrogate pair becomes a question mark."""
    found = [part.get("text") for part in parts(record) if part.get("type") == "text"]
    return "\n".join(part for part in found if isinstance(part, str)).encode("utf-8", "replace").decode("utf-8")


def words(record: dict[str, Any]) -> list[str]:
    """The words of a record: its text, and the messages in its calls."""
    given = [part.get("input") for part in parts(record) if part.get("type") == "tool_use"]
    handed = [str(each.get("message", "")).strip() for each in given if isinstance(each, dict)]
    return [each for each in (text(record).strip(), *handed) if each]


def calls(records: list[dict[str, Any]]) -> dict[str, int]:
    """The place of each call among these records."""
    return {
        str(part.get("id")): place
        for place, record in enumerate(records)
        if record.get("type") == "assistant"
        for part in parts(record)
        if part.get("type") == "tool_use"
    }


def called(record: dict[str, Any]) -> list[Call]:
    """The calls in a record of the model: the id of each, the tool, and its input."""
    uses = [part for part in parts(record) if part.get("type") == "tool_use"]
    return [(text_of(use.get("id")), text_of(use.get("name")), mapping(use.get("input"))) for use in uses]


def given(path: str, call: str) -> dict[str, Any]:
    """The input that the model gave a recent call, before any hook changed it; empty if it is not written down."""
    made = (each for record in reversed(tail(path)) for each in called(record))
    return next((given for identifier, _, given in made if identifier == call), {})


def beside(records: list[dict[str, Any]], call: str) -> tuple[list[Call], list[Call]]:
    """The calls before and after this one in its message; the host carries them out in order."""
    spoken = [record for record in records if record.get("type") == "assistant"]
    message = next((_message_id(record) for record in spoken if call in calls([record])), "")
    made = [each for record in spoken if message and _message_id(record) == message for each in called(record)]
    at = next((place for place, each in enumerate(made) if each[0] == call), len(made))
    return made[:at], made[at + 1 :]


def printed(result: str) -> str:
    """The output of a command, without the host's remark on one that printed nothing."""
    return "" if result.strip() == NO_OUTPUT else result


def moment(record: dict[str, Any]) -> float:
    """When the host wrote a record, in seconds; 0 if it does not say."""
    # Late: few events need a time.
    from datetime import datetime  # noqa: PLC0415

    try:
        return datetime.fromisoformat(str(record.get("timestamp")).replace("Z", "+00:00")).timestamp()
    except ValueError:
        return 0.0


def queued(records: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """The prompts that the host put into a running turn, each with its place among these records."""
    found = []
    for place, record in enumerate(records):
        attachment = record.get("attachment")
        if not isinstance(attachment, dict) or attachment.get("type") != "queued_command":
            continue
        words = attachment.get("prompt")
        if isinstance(words, str):
            found.append((place, words))
    return found


def waiting(path: str) -> list[str]:
    """The prompts in the host's queue for the next turns, as it has written them down; the first in is the first out.

    Seen from 2.1.7 to 2.1.328, in a terminal: each becomes a prompt as soon as the present turn has ended.
    """
    found: list[str] = []
    for record in tail(path):
        done = record.get("operation") if record.get("type") == "queue-operation" else None
        if done == "enqueue":
            content = record.get("content")
            found.append(content if isinstance(content, str) else "")
        elif done is not None:
            found = [] if done == "popAll" else found[1:]
    return found


def last_assistant(records: list[dict[str, Any]]) -> Final:
    """The last assistant text; unsettled while a tool result or a prompt follows it."""
    behind = False
    for record in reversed(records):
        kind = record.get("type")
        if kind == "user":
            behind = True
        if kind != "assistant":
            continue
        spoken = text(record)
        calls = any(part.get("type") == "tool_use" for part in parts(record))
        if spoken.strip():
            reason = text_of(mapping(record.get("message")).get("stop_reason"))
            cut = "output limit" if reason == "max_tokens" else ""
            if record.get("isApiErrorMessage"):
                cut = error_cut(record.get("error"), record.get("apiErrorStatus"), spoken)
            return Final(spoken, text_of(record.get("uuid")), not behind and not calls, cut, reason, _resets(record))
        behind = behind or calls
    return Final("", "", False)


def final(path: str) -> Final:
    """The last assistant text of a transcript."""
    return last_assistant(tail(path))


def has_open_call(path: str, besides: tuple[str, ...] = ()) -> bool:
    """Whether a transcript ends with a call without a result; calls of the tools in `besides` do not count."""
    for record in reversed(tail(path)):
        if record.get("type") in ("user", "assistant"):
            return any(part.get("type") == "tool_use" and part.get("name") not in besides for part in parts(record))
    return False


def is_stopped(path: str, words: str = STOPPED) -> bool:
    """Whether the host has ended a run: the last record has its words for that, maybe as the result of a cut call."""
    for record in reversed(tail(path)):
        if record.get("type") in ("user", "assistant"):
            return record.get("type") == "user" and text(record).startswith(words)
    return False


def is_interrupted(path: str, since: float) -> bool:
    """Whether the user ended the turn that was running then: the host's note of that comes before any other prompt.

    If Esc ends the hooks of a call, every version writes that down (2.1.7, 2.1.197, 2.1.328).
    """
    moment = f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(since))}.{int(since % 1 * 1000):03d}Z"
    for record in tail(path, LOOK):
        if record.get("type") != "user" or record.get("isMeta") or str(record.get("timestamp") or "") < moment:
            continue
        if any(part.get("type") != "tool_result" for part in parts(record)):
            return text(record).startswith(STOPPED)
    return False


def is_torn(path: str) -> bool:
    """Whether a record is missing in the chain that ends with the last one, so that a host loses all before the gap."""
    records = tail(path)
    following = {record.get("uuid"): record.get("parentUuid") for record in records if record.get("uuid")}
    at = next((record.get("uuid") for record in reversed(records) if record.get("uuid")), None)
    while at in following:
        at = following.pop(at)
    return size(path) <= TAIL and at is not None


def has_ended_turn(path: str, since: float) -> bool:
    """Whether a turn of the session has ended by itself since then."""
    for record in reversed(tail(path)):
        message = record.get("message")
        if record.get("type") == "assistant" and isinstance(message, dict) and moment(record) > since:
            return message.get("stop_reason") == "end_turn"
    return False


def tells(records: list[dict[str, Any]], message: str) -> bool:
    """Whether one of these records tells the agent this."""
    plain = " ".join(message.split())
    return any(record.get("type") == "user" and plain in " ".join(text(record).split()) for record in records)


def is_prompted_behind(path: str, tool: tuple[str, ...], message: str) -> bool:
    """Whether the agent was prompted after its call of one of these tools with this message."""
    prompted = False
    for record in reversed(tail(path)):
        for part in parts(record):
            if part.get("name") in tool and message in words({"message": {"content": [part]}}):
                return prompted
            prompted = prompted or (record.get("type") == "user" and part.get("type") != "tool_result")
    return size(path) > TAIL  # then the call is so far back that much was written after it


def first_prompt(path: str) -> str:
    """The first user record of a transcript: an agent's prompt."""
    for record in _records(_read(path, 0, HEAD)):
        if record.get("type") == "user":
            return text(record)
    return ""


def field(path: str, name: str) -> str:
    """The last value of a field that every line has, such as `version` or `cwd`."""
    for most in (LINES, TAIL):
        for record in reversed(tail(path, most)):
            value = record.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def raw_output(output: str) -> str:
    """The final text in the result of a TaskOutput call, for which old hosts give the raw transcript."""
    lines = output.lstrip()
    if not lines.startswith("{"):
        return output
    records = list(_records(output.encode()))
    if not any(record.get("type") in ("assistant", "user") for record in records):
        return output
    return last_assistant(records).text


def digest(path: str, most: int = 3000) -> str:
    """A digest of a transcript's end for an agent that continues the work: the words said and the tools called."""
    lines: list[str] = []
    room = most
    for record in reversed(tail(path)):
        if record.get("type") != "assistant":
            continue
        for part in reversed(parts(record)):
            line = _digest_line(part)
            room -= len(line) + 1
            if room < 0:
                return "\n".join(reversed(lines))
            if line:
                lines.append(line)
    return "\n".join(reversed(lines))


def last_sign(path: str) -> float:
    """When the transcript last grew, links followed; 0 if there is none."""
    try:
        return os.stat(path).st_mtime if path else 0.0
    except OSError:
        return 0.0


def since(path: str, begun: float) -> Iterator[str]:
    """The files named in writing calls after this moment, as far as the transcript's end shows them."""
    for record in tail(path):
        if record.get("type") == "assistant" and moment(record) > begun:
            for part in parts(record):
                if part.get("type") == "tool_use" and part.get("name") in TOOLS:
                    given = mapping(part.get("input"))
                    named = next(filter(None, (text_of(given.get(key)) for key in PATHS)), "")
                    yield os.path.join(text_of(record.get("cwd")), named or ".")


def _records(data: bytes) -> Iterator[dict[str, Any]]:
    for line in data.split(b"\n"):
        if line.strip():
            try:
                record = foreign.loads(line)
            except ValueError:
                continue
            if isinstance(record, dict):
                yield record


def _read(path: str, offset: int, most: int) -> bytes:
    try:
        return foreign.read(path, most, offset) if path else b""
    except (OSError, ValueError):
        return b""


def _said(data: bytes, offset: int) -> Iterator[Line]:
    """The records of the model; the rest, which is mostly results of tools, is not decoded."""
    hit = data.find(b'"assistant"')
    while hit >= 0:
        begin, end = data.rfind(b"\n", 0, hit) + 1, data.index(b"\n", hit) + 1
        for record in _records(data[begin:end]):
            if record.get("type") == "assistant":
                yield Line(offset + begin, offset + end, record)
        hit = data.find(b'"assistant"', end)


def _message_id(record: dict[str, Any]) -> str:
    return text_of(mapping(record.get("message")).get("id"))


def _resets(record: dict[str, Any]) -> int:
    """When the limit ends that a record names; 0 if it does not say. 2.1.258 and newer note it."""
    found = mapping(record.get("quotaLimits")).get("resetsAt")
    return found if type(found) is int and found > 0 else 0


def _digest_line(part: dict[str, Any]) -> str:
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return " ".join(part["text"].split())[:600]
    if part.get("type") == "tool_use":
        return f"[{part.get('name')}] {json.dumps(part.get('input'), ensure_ascii=False)[:200]}"
    return ""
