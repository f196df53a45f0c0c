"""What a reply to a report is made of: the reminder, the facts it needs, and the agent's words under their headings."""

from __future__ import annotations

from bg.ledger import inbox
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.record import Record
from bg.words import phrases
from bg.words.quoting import Said, as_text, cited, inline, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Reminder(Record):
    """The text for the parent model and the line for the user."""

    text: str
    notice: str
    left: str = ""  # what a run that was cut has left, in one line


class Told(Record):
    """What a reminder needs to know besides the signal."""

    task: Task
    brief: dict[str, str]
    items: list[Question]
    resume: str
    answer_command: str
    whole: str
    evidence: dict[str, Any]
    room: int = 0  # columns for the user's line, 0 for as many as it needs
    qid: str = ""
    weighed: tuple[str, ...] = ()
    full: str = ""
    left: str = ""
    along: str = ""  # how the agent is woken by the message that also asks the user
    denied: bool = False  # the user's settings have decided the request that it is


class Payload:
    """What a signal says: each field comes out as somebody's words only."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __getitem__(self, key: str) -> Said:
        """The words of a field, empty ones where it is missing."""
        return Said(self._given.get(key))


def sections(pairs: list[tuple[str, str]]) -> str:
    """Headings with what stands under them; an empty one is left out."""
    return "\n".join(
        f"{heading}:\n{text}" if "\n" in text or text.startswith(">") else f"{heading}: {text}"
        for heading, text in pairs
        if text.strip()
    )


def quoted(payload: Payload, key: str, most: int = 700) -> str:
    """A field, quoted."""
    return payload[key].quote(most)


def task_name(told: Told) -> str:
    """The task as the parent has called it."""
    return cited(told.task.description or "", 80)


def marks(signal: dict[str, Any]) -> list[tuple[str, str]]:
    """What is wrong with the block itself, as a section."""
    problems = [cited(str(item["text"])) for item in signal.get("problems", [])]
    more = [f"and {len(problems) - 4} more"] if len(problems) > 4 else []
    return [("Wrong with the block", "; ".join([*problems[:4], *more]))] if problems else []


def question_lines(item: Question) -> str:
    """One question as the parent shall put it."""
    lines = [f"> {item.label} {item.qid}: {inline(item.text, 600)}"]
    if item.context:
        lines.append(quote(f"why it matters: {item.context}", 400))
    extra = inbox.extra(item)
    for key in ("irreversible", "options", "default", "priority"):
        if extra.get(key):
            lines.append(quote(f"{key}: {as_text(extra[key])}", 300))
    if inbox.assumed(item):
        lines.append(quote(f"it goes on under: {inbox.assumed(item)}", 400))
    lines += [phrases.ASKS_LEAVE] if inbox.asks_leave(item) else []
    return "\n".join(lines)
