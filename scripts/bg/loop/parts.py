"""Partial work: the parent launches agents for what a stopped one could not do, where the user handed nothing over."""

from __future__ import annotations

import re

from bg.host import tools
from bg.ledger import delegations, inbox, reported, windows
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.values import Item, Opened, State
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.signals import kinds

# A launch that is called so does a part of some work, not the whole.
_PART = pattern(r"\b(?:batch|part|chunk|slice|shard)\b|\b\d+\s*(?:of|/|-)\s*\d+\b", re.IGNORECASE)


def take(scene: Scene, case: Case) -> bool:
    """An agent for a part of what a stopped one could not do, not for the whole: it gets a label of its own.

    It is linked to the one that stopped, which hears how it ended; what the user decides about that stays open.
    """
    if case.task.state != State.BLOCKED:
        return False
    handed = [one for one in case.requests if one.handed_over and one.worker]
    if not handed and not _PART.search(tools.launch_of(scene.event).description):
        return False
    with scene.book.transaction() as writing:
        if not handed:
            _link(scene, writing, case)
        elif not windows.is_open(scene.book, scene.session, handed[-1].worker):
            windows.open_window(writing, scene.session, Opened.PART, case.task.text, handed[-1].worker)
    return True


def _link(scene: Scene, writing: Writing, case: Case) -> None:
    """A window whose launches work for the stopped task, by the item that it stopped for."""
    label = windows.open_window(writing, scene.session, Opened.PART, case.task.text)
    for item in case.items:
        if inbox.kind(item) == Item.BLOCKER and item.agent == case.task.agent:
            signal = reported.last_of_marker(scene.book, item.agent, item.run, kinds.STOP)
            delegations.note(writing, case.label, signal, item.qid, item.id, blocking=False, handed_over=True)
            delegations.await_launch(writing, signal, label)
