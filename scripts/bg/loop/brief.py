"""In brief: a delivery where the host shows the user what the model is told, in a few lines that both may read."""

from __future__ import annotations

from bg.ledger import cases, tasks
from bg.ledger.deliveries import Delivery
from bg.ledger.values import Due
from bg.loop import next_steps, queued, reminding, waking
from bg.loop.scene import Scene
from bg.signals import kinds
from bg.words import briefs, phrases
from bg.words.reply_parts import Reminder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from bg.ledger.cases import Case


def reminder(scene: Scene, row: Delivery) -> Reminder:
    """The short form of `reminding.reminder`; its notice is part of the text."""
    said = reminding.reminder(scene, row)
    if row.kind in (Due.GROUP, Due.JOINT):
        return said  # findings, what is not done and what was agreed cannot be had from any other report
    if row.kind == Due.VERIFIED:
        return said._replace(text=f"{phrases.SENDER} {said.notice}")
    case = cases.of(scene.book, row.label)
    agent = (case.task.agent if case else "") if row.kind == Due.ANSWERED else row.subject
    then = _way(scene, agent, row.label)
    if row.kind == Due.ANSWERED:
        ready = phrases.BRIEFLY_READY.format(label=row.label, then=then)
        return said._replace(text=ready) if _is_ready(scene, row.label) else said
    if case is not None and case.is_held:
        return said
    _, asks = _asked(scene, row, then, said)
    return said._replace(text="\n".join([f"{phrases.SENDER} {asks[0]}", *asks[1:], *_next(scene, case, then)]))


def line(scene: Scene, row: Delivery) -> Reminder:
    """The verdict on a report that the host's own announcement has just shown, and the next step where there is one."""
    said = reminding.reminder(scene, row)
    case = cases.of(scene.book, row.label)
    if case is None or case.is_held:
        return said
    then = _way(scene, row.subject, row.label)
    is_over, asks = _asked(scene, row, then, said)
    told = [said.notice] if is_over else asks
    return said._replace(text="\n".join([f"- {told[0]}", *told[1:], *_next(scene, case, then)]))


def _asked(scene: Scene, row: Delivery, then: str, said: Reminder) -> tuple[bool, list[str]]:
    """Whether nothing is left to do for a run's end, and what it says and asks for, in short."""
    who = cases.agent(scene.book, row.subject)
    signal = who.said(row.run, row.mark)
    kind, payload = kinds.of(signal.get("signal_type", "")), signal.get("payload", {})
    short = briefs.Short(row.label, who.items_of(row.run), then, scene.full(), said.left, said.notice)
    return not signal or kind.is_over(payload), [kind.begin_brief(short, said.notice), *kind.brief(payload, short)]


def _next(scene: Scene, case: Optional[Case], then: str) -> list[str]:
    """What is left to do about the user's answers, and for the task that asked for this one."""
    if case is None:
        return []
    lines = []
    is_over = case.task.state in tasks.ENDED_STATES
    left, coming = [item.qid for item in case.unsent], queued.coming(scene, case) if is_over else []
    if left and is_over:
        lines.append(phrases.BRIEFLY_OVERTAKEN.format(qids=", ".join(left), then=then))
    if coming:
        lines.append(phrases.WAKES_WITH_THEM.format(qids=", ".join(coming)).strip())
    others = next_steps.for_requester(scene, case, lambda agent, label: _way(scene, agent, label))
    return lines + ([others.strip()] if others else [])


def _is_ready(scene: Scene, label: str) -> bool:
    """The answers wait for nothing but their sending; else the usual words are one line already."""
    case = cases.of(scene.book, label)
    return case is not None and case.task.state not in tasks.RUNNING_STATES and case.is_ready


def _way(scene: Scene, agent: str, label: str) -> str:
    return briefs.way(scene.host, agent, label, wakes=waking.can_wake(scene, agent))
