"""Closings: runs that no hook of their own has ended: the host announced or polled their end, or never said a word."""

from __future__ import annotations

import time

from bg.host import agents, tools, transcripts
from bg.host.event import Notification, live_agents, notifications
from bg.host.transcripts import Final
from bg.ledger import launches, resumes, runs, tasks
from bg.ledger.tasks import Task
from bg.loop import inheriting, judging, reports, resuming
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

GRACE = 5.0
SILENCE = 60.0


def polled(scene: Scene) -> None:
    """PostToolUse(TaskOutput): old hosts hand the text, or the raw transcript, to the parent here."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    agent, status, output = tools.polled_output(event)
    task = scene.own_task(agent)
    if task is not None and status == "completed":
        _close(scene, task, agent, transcripts.raw_output(output), "", event.tool)
    scene.remind()


def announced(scene: Scene) -> None:
    """UserPromptSubmit with the host's notification: what no other event told is taken from here."""
    _take(scene, notifications(scene.event.prompt))


def _take(scene: Scene, announcements: list[Notification]) -> None:
    for found in announcements:
        task = scene.own_task(found.agent)
        if task is None or found.parked or _is_of_a_former_run(scene, found):
            continue
        _close(scene, task, found.agent, found.text, found.cut, "notification")


def _is_of_a_former_run(scene: Scene, found: Notification) -> bool:
    """The parent had the report from a hook and has woken the agent before this came: it names the earlier call."""
    book = scene.book
    now = runs.last_run(book, found.agent)
    if now is None or now.ended is not None:
        return False
    called = resumes.called(book, found.tool_use)
    woken = resumes.last_woken(book, found.agent, now.began)
    if called is not None and woken is not None:
        return called < woken
    # Old hosts name no call, and of a run that nobody asked for none is known.
    return runs.was_reported(book, found.agent, found.result, now.run)


def _close(scene: Scene, task: Task, agent: str, text: str, cut: str, source: str) -> None:
    """End a run that no SubagentStop has ended, with the best text there is."""
    resuming.prove_by_run(scene, agent, agents.of_agent(scene.event.transcript, agent))
    run = runs.last_run(scene.book, agent)
    if run is None or run.ended is not None:
        return
    if not runs.reports(scene.book, agent, run.run):
        own = transcripts.last_assistant(transcripts.tail(agents.of_agent(scene.event.transcript, agent)))
        fresh = own.text if _is_of_this_run(scene, agent, run.run, own) else ""
        reports.keep(scene.book, task.label, agent, source, fresh or text)
    judging.conclude(scene, task, agent, cut)


def _is_of_this_run(scene: Scene, agent: str, run: int, final: Final) -> bool:
    """These words were not an earlier run's: not its record, and not its text, where no record could be noted."""
    is_known = runs.is_last_record(scene.book, agent, final.uuid or "none", run)
    return not (is_known or runs.was_reported(scene.book, agent, final.text, run))


def catch_up(scene: Scene) -> None:
    """What no event brought: launches nobody bound, judged too late, agents gone without a word."""
    book = scene.book
    for launch in launches.unbound(book, scene.session):
        for path in agents.agents_of(scene.event.transcript):
            if launch.token in transcripts.first_prompt(path)[:20000]:
                with book.transaction():
                    runs.bind(book, launch.token, agents.agent_in(path))
    _take(scene, _unheard(scene))
    unfinished = tasks.unfinished(book, scene.session)
    live = live_agents(scene.event) if unfinished else None
    # A second process on this session lists its own agents, not those of the first.
    if live is not None and inheriting.is_shared(scene):
        live = None
    for task in unfinished:
        with scene.apart(f"catching up with {task.label}"):
            _catch_up_with(scene, task, live)


def _catch_up_with(scene: Scene, task: Task, live: Optional[set[str]]) -> None:
    agent = task.agent
    if live is None and not scene.host.lists_agents and _has_fallen_silent(scene, agent):
        _close(scene, task, agent, "", "", "transcript")
        return
    _scan(scene, task, agent)
    if _left_unjudged(scene, agent):
        judging.conclude(scene, task, agent)
    elif live is not None and agent not in live and not _just_begun(scene, agent):
        _close(scene, task, agent, "", "", "transcript")


def _unheard(scene: Scene) -> list[Notification]:
    """Notifications that came in mid-turn, where 2.1.197 and 2.1.258 fire no event: they stand in the transcript."""
    running = [task.agent for task in tasks.in_session(scene.book, scene.session, tasks.RUNNING_STATES)]
    # A fast agent ends before PostToolUse of its launch: the run counts from the call, not from its binding.
    called = {agent: resumes.last_called(scene.book, agent) for agent in filter(None, running)}
    queued = transcripts.queued(transcripts.tail(scene.event.transcript)) if called else []
    return [
        found for at, words in queued for found in notifications(words) if at > (called.get(found.agent) or at)
    ]


def _left_unjudged(scene: Scene, agent: str) -> bool:
    """A hook was killed between keeping this run's text and judging it, so no correction was asked either."""
    run = runs.last_run(scene.book, agent)
    if run is None or run.ended is not None or run.asked is not None:
        return False
    if scene.host.hands_back(scene.event.mode):
        return False
    texts = runs.reports(scene.book, agent, run.run)
    return bool(texts) and time.time() - texts[-1].at > GRACE


def _just_begun(scene: Scene, agent: str) -> bool:
    """A run whose resume this very turn has asked for may not be on the host's list yet."""
    began = runs.began(scene.book, agent)
    return began is not None and time.time() - began < GRACE


def _scan(scene: Scene, task: Task, agent: str) -> None:
    """A block that a running agent wrote between two tool calls, on hosts where it cannot send a message."""
    book = scene.book
    path = agents.of_agent(scene.event.transcript, agent)
    offset = runs.scanned(book, agent)
    if transcripts.size(path) <= offset:
        return
    records, end = transcripts.since(path, offset)
    token = launches.token_of(book, agent)
    run = runs.last_run(book, agent)
    if run is None:
        return
    spoken = [transcripts.text(record) for record in records if record.get("type") == "assistant"]
    with book.transaction():
        for text in spoken:
            for signal in reports.read(text, token).own:
                if not signal.terminal:
                    reports.note(book, task.label, agent, run.run, signal)
        runs.set_scanned(book, agent, end)


def _has_fallen_silent(scene: Scene, agent: str) -> bool:
    """On hosts that do not list what runs: its last words are long said, or a correction was never answered."""
    path = agents.of_agent(scene.event.transcript, agent)
    run = runs.last_run(scene.book, agent)
    if run is None or run.ended is not None:
        return False
    if time.time() - max(transcripts.last_sign(path), run.asked or 0.0, run.began) < SILENCE:
        return False
    final = transcripts.last_assistant(transcripts.tail(path))
    fresh = final.settled and _is_of_this_run(scene, agent, run.run, final)
    return fresh or bool(runs.reports(scene.book, agent, run.run))
