"""Closed tasks: `/bg-answer LABEL close` takes a task off every list, with what it asks; nothing of it is deleted."""

from __future__ import annotations

from bg.ledger import deliveries, inbox, notes, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.loop.scene import Scene
from bg.words import feedback


def close(scene: Scene, writing: Writing, case: Case) -> None:
    """What waits of it waits no longer, unless it works again, which the user is told."""
    if case.task.state in tasks.RUNNING_STATES:
        notes.add_late_words(writing, scene.session, [feedback.CLOSE_WORKS.format(label=case.label)])
        return
    for item in case.items:
        inbox.withdraw(writing, item)
    deliveries.settle_task(writing, case.label)
    tasks.close(writing, case.label, feedback.CLOSED_NOTE)
