"""Waking: how an agent that has ended goes on in this session, by a message or as a new agent that follows it."""

from __future__ import annotations

from bg.host import agents, arrivals, transcripts, versions
from bg.ledger import windows
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.values import Opened
from bg.loop.scene import Scene
from bg.words import ways


def resume_how(scene: Scene, agent: str, label: str) -> str:
    """How the parent wakes this agent here, with a warning if that may fail."""
    if not keeps_memory(scene, agent):
        return ways.launch_anew(label)
    risk = versions.near_limit(agents.of_agent(scene.event.transcript, agent), lambda: scene.host)
    return ways.resume_how(scene.host, agent, label) + (f" Mind that {risk}." if risk else "")


def how_to_message(scene: Scene, agent: str) -> str:
    """How the parent sends a running agent something, in a sentence."""
    return ways.how_to_message(scene.host, agent)


def along(scene: Scene, agent: str) -> str:
    """How the parent wakes this agent by the message that also asks the user; empty if the host cannot do that."""
    by_message = scene.host.resume_way == versions.BY_MESSAGE and keeps_memory(scene, agent)
    return ways.along(scene.host, agent) if by_message else ""


def can_wake(scene: Scene, agent: str) -> bool:
    """Whether an ended agent can be woken here; if not, a new agent goes on."""
    return scene.host.resume_way != versions.NO_WAY and keeps_memory(scene, agent)


def keeps_memory(scene: Scene, agent: str) -> bool:
    """Whether an ended agent would wake in this session with its task and its memory; looked up once an event."""
    if agent not in scene.wakes:
        scene.wakes[agent] = _can_wake(scene, agent)
    return scene.wakes[agent]


def stays_stopped(scene: Scene, agent: str) -> bool:
    """Whether the user has stopped the agent by key: then the host refuses to wake it."""
    return arrivals.is_stopped_by_user(agents.of_agent(scene.event.transcript, agent))


def open_relaunch(scene: Scene, writing: Writing, case: Case) -> None:
    """Open a window: the next agent that is launched in this turn continues the task, whatever it is called."""
    windows.open_window(writing, scene.session, Opened.RELAUNCH, case.task.text, case.label)


def _can_wake(scene: Scene, agent: str) -> bool:
    if not agents.wakes_whole(scene.event.transcript, agent) or stays_stopped(scene, agent):
        return False
    path = agents.of_agent(scene.event.transcript, agent)
    if scene.host.forgets_long and transcripts.size(path) > versions.RESUME_LIMIT:
        return False
    # Seen on 2.1.7: once the connection was lost in the middle of a reply, a woken agent had nothing from before that.
    return not (scene.host.resume_way == versions.BY_LAUNCH and transcripts.is_torn(path))
