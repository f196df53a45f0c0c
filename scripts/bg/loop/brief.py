"""In brief: a delivery where the host shows the user what the model is told, in a few lines that both may read."""

from __future__ import annotations

from bg.ledger import inbox, reported, tasks, waiting
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
    if row.kind in (Due.GROUP, Due.JOINT, Due.VERIFIED):
        return said._replace(text=f"{phrases.SENDER} {said.notice}")
    task = tasks.get(scene.book, row.label)
    agent = (task.agent if task else "") if row.kind == Due.ANSWERED else row.subject
    then = _way(scene, agent, row.label)
    if row.kind == Due.ANSWERED:
        ready = phrases.BRIEFLY_READY.format(label=row.label, then=then)
        return said._replace(text=ready) if _is_ready(scene, row.label) else said
    run, mark = row.run, row.mark
    signal = reported.signal_body(scene.book, agent, run, mark)
    items = inbox.find(scene.book, agent=agent, run=run)
    short = briefs.Short(row.label, items, then, scene.full(), said.left)
    kind = kinds.of(signal.get("signal_type", ""))
    lines = [f"{phrases.SENDER} {said.notice}", *kind.brief(signal.get("payload", {}), short)]
    left = [item.qid for item in waiting.unsent(scene.book, task)] if task else []
    if left and task and task.state in tasks.ENDED_STATES:
        lines.append(phrases.BRIEFLY_OVERTAKEN.format(qids=", ".join(left), then=then))
    coming = queued.coming(scene, task) if task and task.state in tasks.ENDED_STATES else []
    if coming:
        lines.append(phrases.WAKES_WITH_THEM.format(qids=", ".join(coming)).strip())
    others = next_steps.for_requester(scene, task, lambda agent, label: _way(scene, agent, label)) if task else ""
    lines += [others.strip()] if others else []
    return said._replace(text="\n".join(lines))


def _is_ready(scene: Scene, label: str) -> bool:
    """The answers wait for nothing but their sending; else the usual words are one line already."""
    task = tasks.get(scene.book, label)
    return task is not None and task.state not in tasks.RUNNING_STATES and waking.is_ready(scene, task)


def _way(scene: Scene, agent: str, label: str) -> str:
    return briefs.way(scene.host, agent, label, wakes=waking.can_wake(scene, agent))
