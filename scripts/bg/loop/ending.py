"""Endings: a subagent stops or hands back; its text is kept, judged, and asked for once more if that helps."""

from __future__ import annotations

import time

from bg import durations
from bg.host import agents, arrivals, drift, tools, transcripts
from bg.host.event import Event
from bg.host.transcripts import Final
from bg.ledger import cases, children, digests, launches, runs
from bg.ledger.cases import Agent, Case
from bg.loop import binding, judging, nesting, parking, reports, resuming
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def stopped(scene: Scene) -> None:
    """SubagentStop: keep the text, then judge it; ask once more if that helps."""
    event = scene.event
    case = _own_task(scene)
    if case is None:
        binding.note_stranger(scene, event.agent, event.last_text or "")
        _note_child_ended(scene)
        return
    scene.form.append(drift.OURS)
    resuming.prove_by_run(scene, event.agent, _path(scene, event.agent))
    hands_back = scene.host.hands_back(event.mode, event.agent_type)
    if hands_back and event.last_text is None:
        return  # handed back: the transcript's last words are not the report
    final = _final(scene)
    text = final.text if event.last_text is None else event.last_text
    agent = cases.agent(scene.book, event.agent)
    if _is_over(scene, agent):
        reports.keep_aside(case, agent, text)
        return
    if parking.parks(scene, case, _path(scene, event.agent), text):
        return
    _end_the_former(scene, case, event.name, text)
    _note_place(scene)
    run = reports.keep(case, agent, event.name, text, uuid=final.uuid)
    if run is None or hands_back:
        return
    cut = _cut(event, final)
    if cut:
        judging.conclude(scene, case, agent, cut, final.resets)
        return
    scene.answer.block = judging.judge(scene, case, agent)


def handed_back(scene: Scene) -> None:
    """PreToolUse(SubagentHandback): keep and judge the report; to have it corrected, the call must be refused here."""
    event = scene.event
    text = tools.handed_back(event)
    if text is None:
        return
    case = binding.bound_task(scene, event.agent)
    if case is None:
        binding.note_stranger(scene, event.agent, text)
        return
    agent = cases.agent(scene.book, event.agent)
    if _is_over(scene, agent):
        reports.keep_aside(case, agent, text)
        return
    _end_the_former(scene, case, event.tool, text)
    _note_place(scene)
    run = reports.keep(case, agent, event.tool, text)
    if run is None:
        return
    scene.answer.deny = judging.judge(scene, case, agent)


def _own_task(scene: Scene) -> Optional[Case]:
    """The task of the agent that ends; if it ends at once, wait for the event that tells whose it is."""
    agent, path = scene.event.agent, scene.event.agent_transcript
    scene.book.settle()  # as before every wait
    until = time.monotonic() + (durations.LATE_TEXT if scene.late is None else 0.0)
    while True:
        expected = scene.docket.unbound
        found = binding.bound_task(scene, agent, path)
        if found or not expected or transcripts.first_prompt(_path(scene, agent)) or time.monotonic() >= until:
            return found
        time.sleep(durations.LOOK_AGAIN)


def _path(scene: Scene, agent: str) -> str:
    return scene.event.agent_transcript or agents.of_agent(scene.event.transcript, agent)


def _note_child_ended(scene: Scene) -> None:
    if children.of_agent(scene.book, scene.event.agent):
        nesting.ended(scene, scene.event.agent)


def _final(scene: Scene) -> Final:
    """The end of the transcript: the text, if the payload lacks it, and whether the run was cut."""
    path = _path(scene, scene.event.agent)
    last = cases.agent(scene.book, scene.event.agent).run
    previous = runs.last_record(scene.book, scene.event.agent)
    if scene.event.last_text is not None:
        # On these hosts the file lags behind the payload: if the file ends with another text, its end does not count.
        found = transcripts.final(path)
        if found.text != scene.event.last_text:
            return Final(scene.event.last_text, "", True)
        return found if found.uuid != previous else found._replace(uuid="")  # the same words, said before
    if last and last.ended:
        return transcripts.final(path)
    scene.book.settle()
    return arrivals.settled_text(path, previous, wait=durations.LATE_TEXT if scene.late is None else 0.0)


def _is_over(scene: Scene, agent: Agent) -> bool:
    """Whether the agent has handed back and not started since; from 2.1.271 to 2.1.284 it says one more thing then.

    If the hook at its start was killed, the prompt behind the hand-back shows that the agent was woken.
    """
    handed = reports.handed_back(agent)
    path = _path(scene, agent.id)
    return bool(handed) and not transcripts.is_prompted_behind(path, tools.HANDBACK.names, handed.strip())


def _end_the_former(scene: Scene, case: Case, source: str, text: str) -> None:
    """Conclude the former run if it is still open: the hook at its end was killed, and the resume was missed."""
    run = case.agent.run
    if run is None or run.ended is not None or scene.event.repeated_stop:
        return
    kept = [row.digest for row in case.agent.texts if row.source == source]
    # A refused hand-back is followed by another one in the same run, and no field of the event says so.
    if kept and text and digests.digest(text) != kept[-1] and (source == "SubagentStop" or run.asked is None):
        judging.conclude(scene, case, case.agent)


def _note_place(scene: Scene) -> None:
    agent = scene.event.agent
    cwd = transcripts.field(_path(scene, agent), "cwd")
    if cwd:
        with scene.book.transaction() as writing:
            launches.set_folder(writing, agent, cwd)


def _cut(event: Event, final: Final) -> str:
    """The cause that cut the run, empty if nothing did.

    Up to 2.1.38 a run whose connection was lost ends like any other; the correction makes its agent try once more.
    """
    unanswered = event.last_text is None and event.repeated_stop and not final.settled
    return final.cut or (transcripts.NO_ANSWER if unanswered else "")
