"""Endings: a subagent stops or hands back; its text is kept, judged, and asked for once more where that helps."""

from __future__ import annotations

import time

from bg.host import agents, arriving, tools, transcripts
from bg.host.transcripts import Final
from bg.ledger import children, digests, launches, reported, runs
from bg.ledger.tasks import Task
from bg.loop import binding, judging, nesting, reports, resuming
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def stopped(scene: Scene) -> None:
    """SubagentStop: keep the text, then judge it; ask once more where that helps."""
    event = scene.event
    task = _own_task(scene)
    if task is None:
        binding.note_stranger(scene, event.agent, event.last_text or "")
        _note_child_ended(scene)
        return
    resuming.prove_by_run(scene, event.agent, _path(scene, event.agent))
    hands_back = scene.host.hands_back(event.mode, event.agent_type)
    if hands_back and event.last_text is None:
        return  # handed back: what stands in the transcript are words on the way, not the report
    final = _final(scene)
    text = final.text if event.last_text is None else event.last_text
    _end_the_former(scene, task, event.name, text)
    _note_place(scene)
    run = reports.keep(scene.book, task.label, event.agent, event.name, text, uuid=final.uuid)
    if run is None or hands_back:
        return
    # Up to 2.1.38 a run whose connection was lost ends like any other. The correction has it try once more.
    unanswered = event.last_text is None and event.repeated_stop and not final.settled
    cut = final.cut or (transcripts.NO_ANSWER if unanswered else "")
    if cut:
        judging.conclude(scene, task, event.agent, cut)
        return
    scene.answer.block = judging.judge(scene, task, run)


def _note_child_ended(scene: Scene) -> None:
    if children.of_agent(scene.book, scene.event.agent):
        nesting.ended(scene, scene.event.agent)


def _own_task(scene: Scene) -> Optional[Task]:
    """The task of the agent that ends; one that ends at once does so before the host has told us anything of it."""
    agent, path = scene.event.agent, scene.event.agent_transcript
    scene.book.settle()  # as before every wait
    until = time.monotonic() + (arriving.WAIT if scene.late is None else 0.0)
    while True:
        expected = launches.unbound(scene.book, scene.session)
        found = binding.own_task(scene, agent, path)
        if found or not expected or transcripts.first_prompt(_path(scene, agent)) or time.monotonic() >= until:
            return found
        time.sleep(arriving.STEP)


def _path(scene: Scene, agent: str) -> str:
    return scene.event.agent_transcript or agents.of_agent(scene.event.transcript, agent)


def _final(scene: Scene) -> Final:
    """The end of the transcript: the text where the payload lacks it, and whether the run was cut."""
    path = _path(scene, scene.event.agent)
    last = runs.last_run(scene.book, scene.event.agent)
    previous = runs.last_record(scene.book, scene.event.agent)
    if scene.event.last_text is not None:
        # The file lags behind the payload on these hosts: what it says of another text does not hold.
        found = transcripts.final(path)
        if found.text != scene.event.last_text:
            return Final(scene.event.last_text, "", True)
        return found if found.uuid != previous else found._replace(uuid="")  # the same words, said before
    if last and last.ended:
        return transcripts.final(path)
    scene.book.settle()
    return arriving.settled_text(path, previous, arriving.WAIT if scene.late is None else 0.0)


def _end_the_former(scene: Scene, task: Task, source: str, text: str) -> None:
    """The hook of an earlier end was killed before it judged, and a resume was missed: what ends now is another run."""
    run = runs.last_run(scene.book, task.agent)
    if run is None or run.ended is not None or scene.event.repeated_stop:
        return
    kept = [row.digest for row in reported.reports(scene.book, run.agent, run.run) if row.source == source]
    # A refused handback is followed by another one in the same run, with nothing in the event that says so.
    if kept and text and digests.digest(text) != kept[-1] and (source == "SubagentStop" or run.asked is None):
        judging.conclude(scene, task, run.agent)


def _note_place(scene: Scene) -> None:
    agent = scene.event.agent
    cwd = transcripts.field(_path(scene, agent), "cwd")
    if cwd:
        with scene.book.transaction() as writing:
            launches.set_folder(writing, agent, cwd)


def handed_back(scene: Scene) -> None:
    """PreToolUse(SubagentHandback): the report on its way; a refusal here is the only correction that helps."""
    event = scene.event
    text = tools.handed_back(event)
    if text is None:
        return
    task = binding.own_task(scene, event.agent)
    if task is None:
        binding.note_stranger(scene, event.agent, text)
        return
    _end_the_former(scene, task, event.tool, text)
    _note_place(scene)
    run = reports.keep(scene.book, task.label, event.agent, event.tool, text)
    if run is None:
        return
    scene.answer.deny = judging.judge(scene, task, run)
