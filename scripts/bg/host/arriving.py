"""Arriving: a short wait for what the host writes into a transcript only after the hook has begun."""

from __future__ import annotations

import time

from bg import durations
from bg.host.transcripts import Final, beside, calls, last_assistant, parts, size, tail, tells, words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from bg.host.transcripts import Call


def _tails(path: str, wait: float) -> Iterator[list[dict[str, Any]]]:
    """The last records of a transcript, anew each time it has grown, until the time is over."""
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


def is_written(path: str, last: str, times: int = 1) -> bool:
    """Whether an agent's last words, and so all it did before them, stand in its transcript.

    One that was asked once more may say the same again: then they stand there as often as it has said them, and behind
    what it was told last.
    """
    return any(_ends_with(records, last.strip(), times) for records in _tails(path, durations.LATE_RECORD))


def _ends_with(records: list[dict[str, Any]], wanted: str, times: int) -> bool:
    found = told = 0
    for record in reversed(records):
        kinds = [part.get("type") for part in parts(record)]
        told += record.get("type") == "user" and "text" in kinds and "tool_result" not in kinds
        if told and not found:
            return False
        found += record.get("type") == "assistant" and wanted in words(record)
    return found >= times


def is_told(path: str, message: str) -> bool:
    """Whether an agent's transcript shows that it was told this."""
    return any(tells(records, message) for records in _tails(path, durations.LATE_RECORD))


def called_before(path: str, call: str, *, wait: float) -> list[Call]:
    """The calls before this one in its message; empty as well where the host has not written the message down."""
    found = (beside(records, call)[0] for records in _tails(path, wait) if call in calls(records))
    return next(found, [])


def settled_text(path: str, before: str = "", *, wait: float) -> Final:
    """The agent's final text; `before` is the uuid of the text that an earlier run ended with: it is not this run's."""
    final = Final("", "", False)
    for records in _tails(path, wait):
        final = last_assistant(records)
        if final.settled and final.uuid != before:
            break
    return final if final.uuid != before or not before else Final("", "", False)
