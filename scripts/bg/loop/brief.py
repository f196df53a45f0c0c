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
    run, mark = row.run, row.mark
    who = cases.agent(scene.book, agent)
    signal, items = who.said(run, mark), who.items_of(run)
    short = briefs.Short(row.label, items, then, scene.full(), said.left)
    kind = kinds.of(signal.get("signal_type", ""))
    begin = kind.begin_brief(short, said.notice)
    lines = [f"{phrases.SENDER} {begin}", *kind.brief(signal.get("payload", {}), short)]
    left = [item.qid for item in case.unsent] if case else []
    if left and case and case.task.state in tasks.ENDED_STATES:
        lines.append(phrases.BRIEFLY_OVERTAKEN.format(qids=", ".join(left), then=then))
    coming = queued.coming(scene, case) if case and case.task.state in tasks.ENDED_STATES else []
    if coming:
        lines.append(phrases.WAKES_WITH_THEM.format(qids=", ".join(coming)).strip())
    others = next_steps.for_requester(scene, case, lambda agent, label: _way(scene, agent, label)) if case else ""
    lines += [others.strip()] if others else []
    return said._replace(text="\n".join(lines))


def _is_ready(scene: Scene, label: str) -> bool:
    """The answers wait for nothing but their sending; else the usual words are one line already."""
    case = cases.of(scene.book, label)
    return case is not None and case.task.state not in tasks.RUNNING_STATES and case.is_ready


def _way(scene: Scene, agent: str, label: str) -> str:
    return briefs.way(scene.host, agent, label, wakes=waking.can_wake(scene, agent))
