"""Sighting: counting the shape of each event for its version of the host, and the signs that others never came."""

from __future__ import annotations

import contextlib

from bg.host import agents, arrivals, deviations, drift, tools, transcripts, versions
from bg.host.drift import Shape
from bg.host.event import Event
from bg.ledger import launches, naming, place, resumes, sightings, tasks, windows
from bg.ledger.file import Ledger

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable

    from bg.ledger.cases import Case
    from bg.loop.scene import Scene

LEAST = 8  # characters of a message: a shorter one may be in any text


def unread(text: str, clock: Callable[[], float]) -> None:
    """Count an event that could not be read, if it may have been meant for us."""
    found = deviations.unread(text)
    if found is None or not found[0].lacks:
        return
    folder = place.directory()
    if not place.existing() and not deviations.names_command(text):
        return
    with contextlib.closing(Ledger(folder, clock=clock)) as book, book.transaction() as writing:
        sightings.note(writing, versions.running(found[1]), *found[0])


def unhandled(event: Event, clock: Callable[[], float]) -> None:
    """Count an event or a tool call that has no step here, if it is about an agent of ours."""
    if not place.existing() or tools.known(event.tool):
        return
    with contextlib.closing(Ledger(place.directory(), create=False, clock=clock)) as book:
        if _concerns(book, event):
            with book.transaction() as writing:
                shape = drift.shape_of(event, drift.UNKNOWN)
                sightings.note(writing, versions.running(event.transcript), *shape)


def look_for_calls(scene: Scene) -> None:
    """Look for launches and messages that the host has carried out without asking our hooks."""
    unfilled = [each.label for each in scene.docket.windows if not windows.has_agent(scene.book, each)]
    ready = [case for case in scene.docket.cases_in(tasks.WAITING_STATES) if case.unsent]
    calls = deviations.calls(scene.event.transcript) if unfilled or ready else []
    launched = _launched(scene, calls, unfilled)
    for call in calls:
        if call not in launched:
            for case in ready:
                _look_for_message(scene, case, call)
        elif not launches.find(scene.book, tool_use=call.id):
            _note_call_without_hook(scene, call, tools.LAUNCH)


def look_at_prompt(scene: Scene) -> None:
    """Note a prompt of unknown form that names an agent of ours as only the host does."""
    prompt = scene.event.prompt
    if deviations.is_unknown_form(prompt) and any(_is_ours(scene.book, each) for each in deviations.elements(prompt)):
        scene.noticed.append(Shape("UserPromptSubmit", "", drift.UNKNOWN, "<task-notification>"))


def look_for_stop(scene: Scene) -> None:
    """Note a turn that has ended, as the host's record says, without a Stop event."""
    opened = [each.opened for each in scene.docket.windows]
    if opened and transcripts.has_ended_turn(scene.event.transcript, min(opened)):
        scene.noticed.append(Shape("Stop", "", drift.MISSED))


def missed(scene: Scene, event: str, tool: str = "") -> None:
    """Note an event that must have come, and for which no hook of ours was called."""
    scene.noticed.append(Shape(event, tool, drift.MISSED))


def note_use_of_answer(scene: Scene, event: str, tool: str, what: str, *, taken: bool) -> None:
    """Note whether the host has used a part of a hook's answer, as its record shows."""
    scene.noticed.append(Shape(event, tool, drift.ANSWERED, "" if taken else what))


def _concerns(book: Ledger, event: Event) -> bool:
    if not event.tool:
        return _is_ours(book, event.agent)
    launches_one = deviations.is_like_launch(event) and bool(windows.open_windows(book, event.session))
    return launches_one or _names_ours(book, deviations.said_by(event))


def _is_ours(book: Ledger, agent: str) -> bool:
    return bool(agent and launches.find(book, agent=agent))


def _names_ours(book: Ledger, texts: list[str]) -> bool:
    """Whether a call says something and names a task of ours, as a launch does, or an agent, as a message does."""
    named = any(windows.is_known(book, label) for label in _labels(texts)) or any(
        _is_ours(book, text) for text in texts
    )
    return named and len(texts) > 1


def _labels(texts: list[str]) -> list[str]:
    """The labels that these texts begin with."""
    return [found[0] for found in map(naming.LABEL.match, map(str.strip, texts)) if found]


def _launched(scene: Scene, calls: list[deviations.Call], labels: list[str]) -> list[deviations.Call]:
    """The calls that have started an agent under one of these labels."""
    if not labels:
        return []
    started = {arrivals.call_of(each) for each in agents.agents_of(scene.event.transcript)}
    return [call for call in calls if call.id in started and not set(labels).isdisjoint(_labels(call.texts))]


def _look_for_message(scene: Scene, case: Case, call: deviations.Call) -> None:
    """Note a call that no hook of ours has seen if the agent has heard what it said."""
    if case.task.agent not in call.texts or resumes.find(scene.book, tool_use=call.id):
        return
    said = [text for text in call.texts if text != case.task.agent and len(text) >= LEAST]
    heard = agents.of_agent(scene.event.transcript, case.task.agent)
    if any(arrivals.heard(heard, text) for text in said):
        _note_call_without_hook(scene, call, tools.MESSAGE)


def _note_call_without_hook(scene: Scene, call: deviations.Call, like: tools.Tool) -> None:
    kind = drift.MISSED if tools.known(call.tool) is like else drift.UNKNOWN
    scene.noticed.append(Shape("PreToolUse", call.tool, kind))
