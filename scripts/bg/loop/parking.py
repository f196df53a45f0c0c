"""Parking: an agent ends its turn while a background command of its own runs; it works on, and has nothing to report.

The host wakes the agent when the command ends. Up to 2.1.224 it does not: the parent is asked to wake it.
"""

from __future__ import annotations

from bg.host import agents, arrivals
from bg.host.event import live_commands, live_ids
from bg.ledger import runs, tasks
from bg.ledger.cases import Agent, Case
from bg.ledger.values import State
from bg.loop import reports
from bg.loop.scene import Scene
from bg.words import phrases


def parks(scene: Scene, case: Case, path: str, text: str) -> bool:
    """Park the run if its text has no signal and a command of its agent still runs; whether it is parked."""
    agent = case.agent
    reading = reports.read(text, agent.token)
    is_signed = reading.deciding is not None or reading.strange is not None
    running = [] if is_signed else _commands_of(scene, path, text)
    if running or _waits_for(agent):
        with scene.book.transaction() as writing:
            run = runs.running(writing, agent.id, case.label)
            runs.park(writing, agent.id, run.run, running)
            tasks.set_state(writing, case.label, State.WORKING, phrases.PARKED if running else "")
    return bool(running)


def is_parked(scene: Scene, agent: Agent) -> bool:
    """Whether the agent waits for a command of its own, and the host has not woken it yet."""
    path = agents.of_agent(scene.event.transcript, agent.id) if _waits_for(agent) else ""
    return bool(path) and not any(arrivals.is_told_of(path, command) for command in _waits_for(agent))


def must_be_woken(scene: Scene, case: Case) -> bool:
    """Whether the commands of a parked agent have ended, and this host does not wake it for them."""
    if scene.host.wakes_parked or not is_parked(scene, case.agent):
        return False
    listed, live = live_commands(scene.event), live_ids(scene.event)
    path, waits = scene.event.transcript, _waits_for(case.agent)
    if listed is not None and live is not None and (case.agent.id in live or set(waits) & set(listed)):
        return False
    return all(arrivals.is_left_queued(path, command) for command in waits)


def _commands_of(scene: Scene, path: str, text: str) -> list[str]:
    """The running commands that are the agent's; 2.1.327 may write the records that show it too late for this hook."""
    live = live_commands(scene.event) or []
    found = arrivals.commands_of(path, live)
    if live and not found and scene.late is None:
        scene.book.settle()
        arrivals.is_written(path, text)
        found = arrivals.commands_of(path, live)
    return found


def _waits_for(agent: Agent) -> list[str]:
    return agent.run.waits_for if agent.run else []
