"""What the parent hears of a run that ended without a signal: one reminder and one calm line for the user."""

from __future__ import annotations

from bg.host.event import STOPPED_BY_USER
from bg.ledger import tasks
from bg.ledger.values import State
from bg.words import outcome, phrases, verdict
from bg.words.quoting import inline, quote
from bg.words.reply_parts import Reminder, Told, task_name
from bg.words.texts import fill


def unreported(text: str, why: str, told: Told) -> Reminder:
    """Prose is a first-class outcome: what it says, and that it kept no protocol."""
    label = told.task.label
    reason = f" ({inline(why, 60)})" if why else ""
    by_user = why == STOPPED_BY_USER
    then = phrases.TO_GO_ON_WITH_IT.format(way=told.resume)
    go = f"{told.answer_command} {label} go" if why else ""
    if by_user:
        then = phrases.IF_THE_USER_ASKS.format(way=told.resume)
    if not text.strip():
        return Reminder(
            fill(
                "nothing",
                label=label,
                description=task_name(told),
                why=reason,
                body=told.left,
                then=then,
            ),
            _line(text, told, go),
        )
    checked = "" if told.left else verdict.lists(told.evidence, prose=True)
    said = quote(text, 1200 if told.left else 2200)
    body = "\n".join(part for part in (checked, said) if part)
    if "[cut here" in said:
        body += f"\nThe whole text: {told.whole}"
    body += f"\n\n{told.left}" if told.left else ""
    slots = {"label": label, "description": task_name(told), "why": reason, "body": body}
    return Reminder(
        fill("cut", then=then, **slots) if told.left or by_user else fill("prose", resume=told.resume, **slots),
        _line(text, told, go),
    )


def _line(text: str, told: Told, go: str) -> str:
    """The user's line: how it ended, why, and what to type."""
    is_over = told.task.state in tasks.ENDED_STATES
    said = outcome.without_report(told.task, text, "" if is_over else State.UNREPORTED)
    known = [] if told.left else verdict.beside({**told.evidence, "declared": None})
    return said._replace(beside=(*known, *filter(None, [go]))).line(told.room)
