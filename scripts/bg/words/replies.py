"""Replies to the end of a run: one reminder for the parent, one calm line for the user, and their common parts."""

from __future__ import annotations

from bg.host.event import OVERLOADED, STOPPED_BY_USER
from bg.ledger import inbox, tasks
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.ledger.values import State
from bg.record import Record
from bg.words import outcome, phrases, verdict
from bg.words.quoting import Said, as_text, cited, inline, quote
from bg.words.texts import fill
from bg.words.times import clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bg.ledger.cases import Case


class Reminder(Record):
    """The text for the parent model and the line for the user."""

    text: str
    notice: str
    left: str = ""  # the remains of a run that was cut, in one line


class Told(Record):
    """The facts that a reminder needs besides the signal."""

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
    along: str = ""  # how to wake the agent in the same message that asks the user
    denied: bool = False  # the user's settings deny the delegation that the signal asks for


class Payload:
    """The payload of a signal: each field comes out as somebody's words only."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._given = given

    def __getitem__(self, key: str) -> Said:
        """The words of a field, empty if it is missing."""
        return Said(self._given.get(key))


def held(paused: list[Case], now: float, command: str) -> str:
    """The user's line on tasks that a limit has paused: until when, and how to continue them; empty without tasks."""
    if not paused:
        return ""
    one = paused[0].label if len(paused) == 1 else ""
    typed, whom = f"{command} {one or 'all'} go", one or phrases.SO_MANY_AGENTS.format(count=len(paused))
    ends = [case.limit.resets for case in paused]
    words = phrases.HELD[bool(one)] if not all(ends) else phrases.HELD_UNTIL[bool(one)]
    if all(0 < end <= now for end in ends):
        words = phrases.CAN_GO_ON
    return " · ".join([words.format(whom=whom, time=clock(max(ends), now)), typed])


def paused(text: str, why: str, resets: int, now: float, line: str, told: Told) -> Reminder:
    """The reminder of a run that a limit ended: `text` are the host's words on the limit, `line` is the user's line."""
    reason = phrases.API_IS_OVERLOADED if why == OVERLOADED else phrases.LIMIT_IS_USED_UP
    until = (
        phrases.UNTIL.format(time=clock(resets, now)) if resets else phrases.HOST_SAYS.format(words=cited(text, 150))
    )
    label = told.task.label
    command = f"{told.answer_command} {label} go"
    said = fill("limit", label=label, description=task_name(told), why=reason, until=until, command=command)
    return Reminder(said, line)


def unreported(text: str, why: str, told: Told) -> Reminder:
    """The reminder of a run without a report: the agent's last text, if any, and what is left of a run that was cut."""
    label = told.task.label
    by_user = why == STOPPED_BY_USER
    line = _line(text, told, f"{told.answer_command} {label} go" if why else "")
    then = phrases.TO_GO_ON_WITH_IT.format(way=told.resume)
    if by_user:
        then = phrases.IF_THE_USER_ASKS.format(way=told.resume)
    reason = f" ({inline(why, 60)})" if why else ""
    slots = {"label": label, "description": task_name(told), "why": reason}
    if not text.strip():
        return Reminder(fill("nothing", body=told.left, then=then, **slots), line)
    if told.left or by_user:
        return Reminder(fill("cut", body=_prose(text, told), then=then, **slots), line)
    return Reminder(fill("prose", body=_prose(text, told), resume=told.resume, **slots), line)


def _prose(text: str, told: Told) -> str:
    """The check's findings (unless the run was cut), the agent's last text, and the remains of a cut run."""
    checked = "" if told.left else verdict.lists(told.evidence, prose=True)
    said = quote(text, 1200 if told.left else 2200)
    whole = f"The whole text: {told.whole}" if "[cut here" in said else ""
    left = f"\n{told.left}" if told.left else ""
    return "\n".join(filter(None, [checked, said, whole, left]))


def _line(text: str, told: Told, go: str) -> str:
    """The user's line: how the run ended, why, and the command to type."""
    is_over = told.task.state in tasks.ENDED_STATES
    said = outcome.without_report(told.task, text, "" if is_over else State.UNREPORTED)
    known = [] if told.left else verdict.beside({**told.evidence, "declared": None})
    return said._replace(beside=(*known, *filter(None, [go]))).line(told.room)


def sections(pairs: list[tuple[str, str]]) -> str:
    """Headings with their texts; one with an empty text is left out."""
    return "\n".join(
        f"{heading}:\n{text}" if "\n" in text or text.startswith(">") else f"{heading}: {text}"
        for heading, text in pairs
        if text.strip()
    )


def quoted(payload: Payload, key: str, most: int = 700) -> str:
    """A field of the payload as framed lines; empty if it says nothing."""
    return payload[key].quote(most)


def task_name(told: Told) -> str:
    """The parent's description of the task, in quotation marks."""
    return cited(told.task.description or "", 80)


def marks(signal: dict[str, Any]) -> list[tuple[str, str]]:
    """The problems of the block itself, as a section."""
    problems = [cited(str(item["text"])) for item in signal.get("problems", [])]
    more = [f"and {len(problems) - 4} more"] if len(problems) > 4 else []
    return [("Wrong with the block", "; ".join([*problems[:4], *more]))] if problems else []


def question_lines(item: Question) -> str:
    """One question in the form in which the parent gets it."""
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
