"""Binding: which task an agent belongs to, by its launch or by the token in its first prompt."""

from __future__ import annotations

from bg.host import agents, arrivals, transcripts
from bg.ledger import cases, launches, naming, notes, runs
from bg.ledger.cases import Case
from bg.ledger.file import first_of
from bg.ledger.launches import Launch
from bg.ledger.values import State
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def bound_task(scene: Scene, agent: str, transcript: str = "") -> Optional[Case]:
    """The task of an agent, bound by the token in its first prompt if no launch event has told it."""
    found = cases.agent(scene.book, agent).case
    if found or not agent:
        return found
    path = transcript or agents.of_agent(scene.event.transcript, agent)
    tokens = naming.TOKEN.findall(transcripts.first_prompt(path)[:20000])
    book = scene.book
    launched = launches.find(book, token=tokens[0]) if tokens else launches.find(book, tool_use=arrivals.call_of(path))
    known = first_of(launched)
    # The hook after the launch runs beside this one, and may have bound the agent just now.
    if known is None or known.agent not in ("", agent) or not _came_from(scene, known, path):
        return None
    with scene.book.transaction() as writing:
        runs.bind(writing, known.token, agent)
        launches.set_identity(writing, known.token, launches.PROMPT if tokens else launches.LOST)
    return cases.agent(scene.book, agent).case


def by_prompt(scene: Scene) -> None:
    """Bind agents to unbound launches by the token that each agent's first prompt carries."""
    for launch in scene.docket.unbound:
        for path in agents.agents_of(scene.event.transcript):
            tokens = naming.TOKEN.findall(transcripts.first_prompt(path)[:20000])
            arrived = tokens[:1] == [launch.token] and _came_from(scene, launch, path)
            # Another plugin's hook may have removed the token from the prompt.
            if arrived or (not tokens and arrivals.call_of(path) == launch.tool_use):
                with scene.book.transaction() as writing:
                    runs.bind(writing, launch.token, agents.agent_in(path))
                    launches.set_identity(writing, launch.token, launches.PROMPT if arrived else launches.LOST)


def note_stranger(scene: Scene, agent: str, text: str) -> None:
    """Note a report with a token of ours from an agent that is not ours; its text is not kept."""
    for token in naming.TOKEN.findall(text)[:5]:
        known = first_of(launches.find(scene.book, token=token))
        if known and known.agent not in ("", agent):
            with scene.book.transaction() as writing:
                notes.note_stranger(writing, agent, known.label)
            return


def _came_from(scene: Scene, launch: Launch, transcript: str) -> bool:
    """Whether the launch started the agent with this transcript, whose prompt may be a copy of another agent's.

    If the host does not record the launching call, only a launch that has not failed can have started it.
    """
    call = arrivals.call_of(transcript)
    if call or not launch.tool_use or launch.tool_use == launch.token:
        return call in ("", launch.tool_use)
    case = cases.of(scene.book, launch.label)
    waits = case is not None and case.task.state != State.NOT_LAUNCHED and case.task.session == scene.session
    return waits and launch.failed is None
