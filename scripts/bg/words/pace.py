"""Pace: how far an agent says it is, whether it works for longer than was expected, and how long it has been silent."""

from __future__ import annotations

import re

from bg import durations, settings
from bg.host import transcripts
from bg.ledger import reported, runs, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.pattern import pattern
from bg.record import Record
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

_PROGRESS = pattern(r"(?:[*_]{1,2})?Progress:?(?:[*_]{1,2})?:?\s{0,4}(\d{1,3})\s?%[\s.,:;–—-]{0,6}(.*)", re.IGNORECASE)
_EXPECTED = pattern(r"^[ \t*-]{0,8}Expected(?: duration)?\**:\**[ \t]*(\S.*)$", re.IGNORECASE | re.MULTILINE)
_LENGTH = pattern(
    r"(?:\d+(?:\.\d+)?\s?(?:-|–|to)\s?)?(\d+(?:\.\d+)?)\s?(s|sec|m|min|h|hr|d|second|minute|hour|day)s?\b",
    re.IGNORECASE,
)
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}
_FENCE = ("```", "~~~")
LONGEST = 200


class Progress(Record):
    """The share of its work that an agent says is done, and its sentence on that."""

    percent: int
    words: str


def said(text: str) -> Optional[Progress]:
    """The progress in the last line that states one, as in `Progress: 40% three of seven files are read`."""
    found, is_fenced = None, False
    for line in text.splitlines() if "rogress" in text else ():
        is_fenced ^= line.lstrip().startswith(_FENCE)
        told = None if is_fenced else _PROGRESS.match(line)
        if told and int(told[1]) <= 100:
            found = Progress(int(told[1]), told[2].strip()[:LONGEST])
    return found


def seconds(text: str) -> float:
    """The seconds of a duration in words, or of the end of a range; 0 if the text names none."""
    return sum(float(number) * _SECONDS[unit[0].lower()] for number, unit in _LENGTH.findall(text))


def expected(case: Case) -> float:
    """The seconds that the task should take, by a line of its launch or the asking agent's estimate; 0 if neither."""
    task, one = case.task, case.asked_by
    line = _EXPECTED.search(task.prompt or "") or _EXPECTED.search(task.text or "")
    if line:
        return seconds(line[1])
    asked = reported.signal_of(case.book, one.signal).get("payload", {}) if one is not None else {}
    return seconds(str(asked.get("estimated_duration") or ""))


def beyond(case: Case) -> float:
    """The seconds that a running agent has worked, if they are more than was expected; else 0."""
    if case.task.state not in tasks.RUNNING_STATES or not case.task.agent:
        return 0.0
    least = expected(case)
    worked = runs.worked(case.book, case.task.agent) if least else 0.0
    return worked if worked > least else 0.0


def so_far(progress: Optional[tuple[int, str]]) -> str:
    """The progress that an agent stated, on one line; empty if it stated none."""
    if progress is None:
        return ""
    percent, words = progress
    return f"{percent}% done, it says: {inline(words, 120)}" if words else f"{percent}% done, it says"


def silent_seconds(book: Ledger, task: Task, transcript: str) -> float:
    """The seconds since the last record in a running agent's transcript; 0 up to the setting `quiet_minutes`."""
    last = transcripts.last_sign(transcript)
    silent = book.now() - last if last and task.state in tasks.RUNNING_STATES else 0.0
    return silent if silent > settings.load(task.project or "").quiet_minutes * durations.MINUTE else 0.0
