"""Arrivals: one table of the host's records that prove that something has arrived, by the host's version.

Nothing else counts as a proof: no elapsed time, no living process, no answer of a tool. Anything without a record is
owed, and says so. The host writes some records only after the hook has begun: for these there is a short wait.
"""

from __future__ import annotations

import json
import time

from bg import durations
from bg.host import agents, transcripts
from bg.host.event import identifier, text_of
from bg.host.transcripts import Final, beside, calls, last_assistant, parts, size, tail, tells, words
from bg.host.versions import OLDEST, Version, is_within
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

    from bg.host.transcripts import Call

REMINDER = "a reminder"
WORDS = "its first words, as added context or as the feedback of a Stop hook, in the session's transcript"


class Proof(Record):
    """A record that proves an arrival: kept `since` one version and before `until`; where it is, and what reads it."""

    thing: str
    since: Version
    until: Optional[Version]
    record: str
    read_by: str


PROOFS = (
    Proof(REMINDER, OLDEST, (2, 1, 97), "the prompt or call that carried it, in the session's", "receipts.Stretch"),
    Proof(REMINDER, (2, 1, 97), None, WORDS, "receipts.Stretch"),
    Proof(
        "an answer to a working agent", (2, 1, 186), None, "it, or a round behind it, in the agent's", "receipts.fate"
    ),
    Proof("a resume", OLDEST, None, "the message, in the agent's", "arrivals.heard"),
    Proof("a stop by the user", OLDEST, None, "the host's word at the end of the agent's", "transcripts.is_stopped"),
    Proof("a stop by the user", (2, 1, 197), None, "a note beside the agent's", "arrivals.is_stopped_by_user"),
    Proof("a launch", OLDEST, None, "the token, in the first prompt of the agent's", "transcripts.first_prompt"),
    Proof("a launch", (2, 1, 197), None, "its call, noted beside the agent's", "arrivals.call_of"),
    Proof("a launch that was refused", OLDEST, None, "the result of its call, in the session's", "receipts.results"),
    Proof("a command's end", (2, 1, 225), None, "the host's word of it, in the agent's", "arrivals.is_told_of"),
    Proof("a command's end", OLDEST, (2, 1, 225), "left in the queue, in the session's", "arrivals.is_left_queued"),
    Proof("a move", (2, 1, 327), None, "the last record of the session's", "arrivals.continued_in"),
)


def keeps_words(version: Optional[Version]) -> bool:
    """Whether the host writes down the words that hooks add to the conversation; False for an unknown version."""
    return any(row.record == WORDS and is_within(version, row.since, row.until) for row in PROOFS)


def heard(path: str, message: str) -> bool:
    """Whether the agent was told this."""
    return transcripts.tells(transcripts.tail(path), message)


def continued_in(path: str, place: int = 0) -> str:
    """The session that continues this one, by the end of its transcript after `place`; empty if it continues itself.

    Seen on 2.1.327 and 2.1.328: the key ← at an empty prompt and the host's own `/bg` move a session into the
    background, under a new id.
    """
    for record in reversed(transcripts.end(path, place)):
        if record.get("type") == "continued-in":
            return identifier(record.get("continuedInSessionId"))
        if record.get("type") in ("user", "assistant"):
            return ""
    return ""


def call_of(transcript: str) -> str:
    """The id of the call that launched an agent; empty if the host has not kept it."""
    return text_of(agents.kept(transcript).get("toolUseId"))


def is_stopped_by_user(transcript: str) -> bool:
    """Whether the user has stopped this agent by a key; the host then wakes it for nobody but the user."""
    return agents.kept(transcript).get("stoppedByUser") is True


def commands_of(path: str, running: list[str]) -> list[str]:
    """Those of these background commands that an agent has started: the results of its own calls name them."""
    records = transcripts.tail(path, transcripts.LOOK) if running else []
    given = [json.dumps(part) for record in records if record.get("type") == "user" for part in _results(record)]
    return [command for command in running if any(command in text for text in given)]


def is_told_of(path: str, command: str) -> bool:
    """Whether the host has told an agent that its own background command has ended, which wakes the agent."""
    sign = f"<task-id>{command}</task-id>"
    return any(
        sign in transcripts.text(record)
        for record in transcripts.tail(path, transcripts.LOOK)
        if record.get("type") == "user"
    )


def is_left_queued(path: str, command: str) -> bool:
    """Whether the host has queued in a session's transcript that a background command has ended, and told nobody.

    From 2.1.225 on the host tells the agent whose command it is a moment later; 2.1.224 and older never do.
    """
    sign = f"<task-id>{command}</task-id>"
    queue = [record for record in transcripts.tail(path, transcripts.LOOK) if record.get("type") == "queue-operation"]
    done = [record.get("operation") for record in queue if sign in str(record.get("content"))]
    return done[-1:] == ["enqueue"]


def is_written(path: str, last: str, times: int = 1) -> bool:
    """Whether an agent's last words, and so everything it did before them, are in its transcript.

    An agent that was asked once more may say the same again: then the words must be there `times` times, and the last
    time after the last thing that it was told.
    """
    return any(_ends_with(records, last.strip(), times) for records in _tails(path, durations.LATE_RECORD))


def is_told(path: str, message: str) -> bool:
    """Whether an agent's transcript shows that it was told this."""
    return any(tells(records, message) for records in _tails(path, durations.LATE_RECORD))


def called_before(path: str, call: str, *, wait: float) -> list[Call]:
    """The calls before this one in its message; also empty if the host has not written the message down."""
    found = (beside(records, call)[0] for records in _tails(path, wait) if call in calls(records))
    return next(found, [])


def settled_text(path: str, before: str = "", *, wait: float) -> Final:
    """The agent's final text; `before` is the uuid of the text that ended an earlier run, which does not count."""
    final = Final("", "", False)
    for records in _tails(path, wait):
        final = last_assistant(records)
        if final.settled and final.uuid != before:
            break
    return final if final.uuid != before or not before else Final("", "", False)


def _results(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in transcripts.parts(record) if part.get("type") == "tool_result"]


def _ends_with(records: list[dict[str, Any]], wanted: str, times: int) -> bool:
    found = told = 0
    for record in reversed(records):
        kinds = [part.get("type") for part in parts(record)]
        told += record.get("type") == "user" and "text" in kinds and "tool_result" not in kinds
        if told and not found:
            return False
        found += record.get("type") == "assistant" and wanted in words(record)
    return found >= times


def _tails(path: str, wait: float) -> Iterator[list[dict[str, Any]]]:
    """The last records of a transcript, again each time it has grown, until the time is over."""
    until = time.monotonic() + wait
    looked_at = -1
    while True:
        # Reading costs much more than asking for the size.
        looked_at, before = size(path), looked_at
        if looked_at != before:
            yield tail(path)
        if time.monotonic() >= until:
            return
        time.sleep(durations.LOOK_AGAIN)
