"""Closings: the ends of runs without a SubagentStop: the host announced the end, the parent polled it, or neither."""

from __future__ import annotations

from bg import durations
from bg.host import agents, arrivals, tools, transcripts
from bg.host.event import (
    BY_ERROR,
    STOPPED_BY_USER,
    Notification,
    names_error,
    notifications,
    says_stopped,
)
from bg.host.transcripts import Final
from bg.ledger import cases, reported, resumes, runs, tasks
from bg.ledger.cases import Agent, Case
from bg.ledger.runs import Run
from bg.ledger.values import State
from bg.loop import (
    binding,
    concluding,
    hearing,
    judging,
    parking,
    reminding,
    reports,
    resuming,
    sighting,
    waking,
)
from bg.loop.scene import Scene
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def polled(scene: Scene) -> None:
    """PostToolUse(TaskOutput): old hosts hand the text, or the raw transcript, to the parent here."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    agent, status, output = tools.polled_output(event)
    case = binding.bound_task(scene, agent)
    if case is not None and status == "completed":
        close(scene, case, agent, transcripts.raw_output(output), "", event.tool)
    hearing.everybody(scene)
    reminding.remind(scene)


def announced(scene: Scene) -> None:
    """UserPromptSubmit with the host's notification: take the ends in it that no other event told."""
    take(scene, notifications(scene.event.prompt))
    if says_stopped(scene.event.prompt):
        # The prompt names only descriptions, which anybody may type: the host's record of each agent decides.
        for case in scene.docket.unfinished:
            path = agents.of_agent(scene.event.transcript, case.task.agent)
            if waking.stays_stopped(scene, case.task.agent) or transcripts.is_stopped(path):
                close(scene, case, case.task.agent, "", STOPPED_BY_USER, "notification")
    hearing.everybody(scene)


def cut_by_user(scene: Scene, case: Case) -> str:
    """The cut of a run that the host merely shows as over: the user's stop, else empty."""
    return STOPPED_BY_USER if waking.stays_stopped(scene, case.task.agent) else ""


def take(scene: Scene, announcements: list[Notification]) -> None:
    """End the runs whose end the host has announced."""
    for found in announcements:
        case = binding.bound_task(scene, found.agent)
        if case is None or found.parked:
            continue
        if not found.cut and parking.is_parked(scene, case.agent):
            scene.answer.context.append(phrases.HAS_NOT_ENDED.format(label=case.label))
            continue
        # This comes first: if the agent goes on already, the run that the notification may be about has ended.
        resuming.prove_by_run(scene, found.agent, agents.of_agent(scene.event.transcript, found.agent))
        if _is_of_a_former_run(scene, found):
            continue
        _await_record(scene, case.agent, found)
        if not _is_borne_out(scene, found):
            continue
        run = cases.agent(scene.book, found.agent).run
        if run is not None and run.ended is None and not found.cut:
            sighting.missed(scene, "SubagentStop")
        close(scene, case, found.agent, found.text, found.cut, "notification")


def close(scene: Scene, case: Case, agent: str, text: str, cut: str, source: str) -> None:
    """End a run that no SubagentStop has ended, with the best text there is."""
    resuming.prove_by_run(scene, agent, agents.of_agent(scene.event.transcript, agent))
    who = cases.agent(scene.book, agent)
    run = who.run
    if run is None:
        return
    if run.ended is not None:
        if _ends_unseen_run(scene, agent, text):
            reports.keep(case, who, source, text)
            judging.conclude(scene, case, who, cut)
        else:
            _learn_the_cut(case, who, run, cut)
        return
    own = _own_end(scene, run)
    if not who.texts:
        reports.keep(case, who, source, _best(own, text))
    elif own is not None and _is_unkept(scene, who, run, own):
        reports.keep(case, who, source, own.text)
    if own is not None and own.cut and cut in BY_ERROR:
        judging.conclude(scene, case, who, own.cut, own.resets)
    else:
        judging.conclude(scene, case, who, cut)


def is_of_this_run(scene: Scene, run: Run, final: Final) -> bool:
    """Whether these words are this run's: not an earlier run's last record nor, if that is unknown, its text."""
    former = runs.run_before(scene.book, run)
    if former is None:
        return True
    # A run that was corrected may have said its last words twice.
    is_known = bool(former.last_uuid and final.uuid and not former.corrections)
    if runs.is_last_record(scene.book, run.agent, final.uuid or "none", run.run):
        return False
    return is_known or not reported.was_reported(scene.book, run.agent, final.text, run.run)


def _is_of_a_former_run(scene: Scene, found: Notification) -> bool:
    """Whether a notification is about an earlier run: a hook has brought its report, and the agent was woken since."""
    book = scene.book
    now = cases.agent(scene.book, found.agent).run
    if now is None or now.ended is not None:
        return False
    called = resumes.called(book, found.tool_use)
    woken = resumes.last_woken(book, found.agent, now.began)
    if called is not None and woken is not None:
        return called < woken
    # Old hosts name no call, and a run that nobody asked for has no known call.
    return reported.was_reported(book, found.agent, found.result, now.run)


def _await_record(scene: Scene, agent: Agent, found: Notification) -> None:
    """Wait for the record of a run's end: an end by an error is announced before it is written."""
    path = agents.of_agent(scene.event.transcript, agent.id)
    if scene.late is None and not agent.texts and found.cut in BY_ERROR and transcripts.size(path):
        scene.book.settle()  # as before every wait
        arrivals.settled_text(path, runs.last_record(scene.book, agent.id), wait=durations.LATE_TEXT)


def _is_borne_out(scene: Scene, found: Notification) -> bool:
    """Whether the agent's own transcript, if there is one, has ended too.

    A person may paste a notification, and up to 2.1.38 an agent's report may hold one of another agent.
    """
    path = agents.of_agent(scene.event.transcript, found.agent)
    if found.outermost and (found.cut or not transcripts.size(path)):
        return True
    final = transcripts.final(path)
    if final.settled or final.cut:
        return True
    # At a turn limit, which older hosts do not name, the last record is the result of a call.
    is_last = bool(found.text.strip()) and found.text.strip() == final.text.strip()
    return found.outermost and is_last and not transcripts.has_open_call(path)


def _ends_unseen_run(scene: Scene, agent: str, text: str) -> bool:
    """Whether this text ends a run of which nothing is kept, because all of its hooks were killed."""
    if not text.strip() or reported.is_reported(scene.book, agent, text):
        return False
    own = transcripts.final(agents.of_agent(scene.event.transcript, agent))
    return own.settled and own.text.strip() == text.strip()


def _learn_the_cut(case: Case, agent: Agent, run: Run, cut: str) -> None:
    """Note the cut of a run that was taken to have ended without a word."""
    if not cut or run.cut or case.task.state != State.UNREPORTED or agent.texts:
        return
    with case.book.transaction() as writing:
        runs.end_run(writing, run.agent, run.run, cut)
        tasks.set_state(writing, case.label, concluding.CUT_STATES.get(cut, State.UNREPORTED), cut)


def _own_end(scene: Scene, run: Run) -> Optional[Final]:
    """The end of the agent's transcript, None if it is not this run's."""
    own = transcripts.final(agents.of_agent(scene.event.transcript, run.agent))
    return own if is_of_this_run(scene, run, own) else None


def _best(own: Optional[Final], announced: str) -> str:
    """A run's own last words, else those of the announcement."""
    # An error is announced before it is in the transcript, which then still ends with a call.
    if own is None or (names_error(announced) and not own.settled):
        return announced
    return own.text or announced


def _is_unkept(scene: Scene, agent: Agent, run: Run, final: Final) -> bool:
    """Whether the run ended with a signal that is not kept, because the hook that was to keep it was killed."""
    return (
        final.settled
        and not reported.is_reported(scene.book, agent.id, final.text, run.run)
        and bool(reports.read(final.text, agent.token).own)
    )
