"""Beginnings: an agent starts, and is told its identity if another plugin's hook has taken that out of its prompt."""

from __future__ import annotations

import time

from bg import durations
from bg.host import activity
from bg.ledger import cases, digests, launches, notes, runs, tasks
from bg.ledger.file import first_of
from bg.ledger.launches import Launch
from bg.ledger.values import State
from bg.loop import adopting, reports
from bg.loop.scene import Scene
from bg.words import texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def started(scene: Scene) -> None:
    """SubagentStart: give an agent of ours its identity if its prompt has lost it."""
    _go_on(scene)
    launch = _launch(scene)
    if launch is None or launch.identity != launches.LOST:
        return
    case = cases.of(scene.book, launch.label)
    identity = adopting.identity(
        launch.token,
        scene.event.transcript,
        scene.host,
        label=launch.label,
        description=case.task.description if case else "",
        handback=False,  # this event does not tell the mode; the text says what to do if the tool is there
    )
    contract = texts.fill("contract", agent_id=launch.token)
    scene.answer.context.append(texts.fill("late_identity", identity=identity, contract=contract))
    with scene.book.transaction() as writing:
        launches.set_identity(writing, launch.token, launches.GIVEN)


def asked_leave(scene: Scene) -> None:
    """PermissionRequest: note the call for which the host may ask its user's permission; the table shows it."""
    agent = scene.event.agent
    if agent and cases.agent(scene.book, agent).case is None:
        return  # nothing is kept of agents that are not ours
    call = digests.digest(activity.named(scene.event).words)
    with scene.book.transaction() as writing:
        notes.note_asked_leave(writing, scene.session, agent, call)


def _go_on(scene: Scene) -> None:
    """Resume the run of a parked agent that starts again, or begin the next run of an agent that has handed back."""
    who = cases.agent(scene.book, scene.event.agent)
    if who.case is None or who.run is None:
        return
    if who.run.waits_for:
        with scene.book.transaction() as writing:
            runs.park(writing, who.id, who.run.run, [])
            tasks.set_state(writing, who.case.label, State.WORKING)
    elif reports.handed_back(who):
        with scene.book.transaction() as writing:
            runs.running(writing, who.id, who.case.label)


def _launch(scene: Scene) -> Optional[Launch]:
    """The launch of ours that started this agent; wait for it while the hook after the launch may still bind it."""
    until = time.monotonic() + (durations.HOOK_BESIDE if scene.late is None else 0.0)
    while True:
        found = first_of(launches.find(scene.book, agent=scene.event.agent))
        if found or not scene.docket.unbound or time.monotonic() >= until:
            return found
        time.sleep(durations.LOOK_AGAIN)
