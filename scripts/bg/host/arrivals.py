"""Arrivals: which record of the host proves that something has arrived, in one table, by the host's generation.

No elapsed time, living process or answer of a tool proves anything. What has no record is owed, and says so.
"""

from __future__ import annotations

import json

from bg.host import agents, transcripts
from bg.host.event import identifier, text_of
from bg.host.versions import OLDEST, Version
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


class Proof(Record):
    """Since which version, up to which one (not among them), a record is kept; in whose transcript; what reads it."""

    thing: str
    since: Version
    until: Optional[Version]
    record: str
    read_by: str


REMINDER = "a reminder"
WORDS = "its first words, as added context or as the feedback of a Stop hook, in the session's transcript"
PROOFS = (
    Proof(REMINDER, OLDEST, (2, 1, 97), "the prompt or call that carried it, in the session's", "receipts.Stretch"),
    Proof(REMINDER, (2, 1, 97), None, WORDS, "receipts.Stretch"),
    Proof(
        "an answer to a working agent", (2, 1, 186), None, "it, or a round behind it, in the agent's", "messages.fate"
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
    """The host writes down what hooks add to the conversation; of an unknown version that is not known."""
    return version is not None and any(
        row.record == WORDS and row.since <= version and (row.until is None or version < row.until) for row in PROOFS
    )


def heard(path: str, message: str) -> bool:
    """The agent was told this."""
    return transcripts.tells(transcripts.tail(path), message)


def continued_in(path: str, place: int = 0) -> str:
    """The session that goes on with this one, as its transcript ends behind a place; empty where it goes on itself.

    Seen on 2.1.327 and 2.1.328: ← at an empty prompt and the host's own `/bg` move a session into the background, under
    a new id.
    """
    for record in reversed(transcripts.end(path, place)):
        if record.get("type") == "continued-in":
            return identifier(record.get("continuedInSessionId"))
        if record.get("type") in ("user", "assistant"):
            return ""
    return ""


def call_of(transcript: str) -> str:
    """The call that launched an agent; empty where the host has not kept it."""
    return text_of(agents.kept(transcript).get("toolUseId"))


def is_stopped_by_user(transcript: str) -> bool:
    """The user has stopped this agent by key; the host wakes it for nobody but the user."""
    return agents.kept(transcript).get("stoppedByUser") is True


def commands_of(path: str, running: list[str]) -> list[str]:
    """Which of these background commands an agent has started: the results of its own calls name them."""
    records = transcripts.tail(path, transcripts.LOOK) if running else []
    given = [json.dumps(part) for record in records if record.get("type") == "user" for part in _results(record)]
    return [command for command in running if any(command in text for text in given)]


def _results(record: dict[str, Any]) -> list[dict[str, Any]]:
    return [part for part in transcripts.parts(record) if part.get("type") == "tool_result"]


def is_told_of(path: str, command: str) -> bool:
    """The host has told an agent that a background command of its own has ended, and with that woken it."""
    sign = f"<task-id>{command}</task-id>"
    return any(
        sign in transcripts.text(record)
        for record in transcripts.tail(path, transcripts.LOOK)
        if record.get("type") == "user"
    )


def is_left_queued(path: str, command: str) -> bool:
    """The host has queued in a session's transcript that a background command has ended, and has told nobody.

    From 2.1.225 on it hands that to the agent whose command it is, a moment later; 2.1.224 and older never do.
    """
    sign = f"<task-id>{command}</task-id>"
    queue = [record for record in transcripts.tail(path, transcripts.LOOK) if record.get("type") == "queue-operation"]
    done = [record.get("operation") for record in queue if sign in str(record.get("content"))]
    return done[-1:] == ["enqueue"]
