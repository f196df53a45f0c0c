"""Closings: runs that no hook of their own has ended: the host announced or polled their end, or never said a word."""

from __future__ import annotations

import time

from bg.host import event as host
from bg.host import transcripts, versions
from bg.host.transcripts import Final
from bg.ledger import runs, tasks
from bg.ledger.tasks import Row
from bg.loop import judging, reports, resuming
from bg.loop import sessions as session
from bg.loop.scene import Scene

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

CUTS = {"killed": "killed", "failed": "failed", "stopped": "killed"}
PARKED = "waiting on its own background work"
TURN_LIMIT = "turn limit"
API_ERROR = "API Error:"
GRACE = 5.0
SILENCE = 60.0
UNSENT = "ended without delivering a report through SubagentHandback"


def polled(scene: Scene) -> None:
    """PostToolUse(TaskOutput): old hosts hand the text, or the raw transcript, to the parent here."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    agent, status, output = host.polled_output(event)
    task = scene.own_task(agent)
    if task is not None and status == "completed":
        _close(scene, task, agent, transcripts.raw_output(output), "", event.tool)
    scene.remind()


def announced(scene: Scene) -> None:
    """UserPromptSubmit with the host's notification: what no other event told is taken from here."""
    _take(scene, host.notifications(scene.event.prompt))


def _take(scene: Scene, notifications: list[host.Notification]) -> None:
    for found in notifications:
        task = scene.own_task(found.agent)
        if task is None or PARKED in found.summary or _is_of_a_former_run(scene, found):
            continue
        cut = CUTS.get(found.status, TURN_LIMIT if TURN_LIMIT in found.summary else "")
        text = "" if UNSENT in found.result else found.result
        if text.startswith(API_ERROR):
            cut = cut or "failed"
        _close(scene, task, found.agent, text, cut, "notification")


def _is_of_a_former_run(scene: Scene, found: host.Notification) -> bool:
    """The parent had the report from a hook and has woken the agent before this came: it names the earlier call."""
    book = scene.book
    now = runs.last_run(book, found.agent)
    if now is None or now["ended"] is not None:
        return False
    called = book.value(
        "SELECT made FROM launches WHERE tool_use = ? UNION ALL SELECT at FROM resumes WHERE tool_use = ?",
        found.tool_use,
        found.tool_use,
    )
    woken = book.value(
        "SELECT max(at) FROM resumes WHERE agent = ? AND proven IS NOT NULL AND at <= ?", found.agent, now["began"]
    )
    if called is not None and woken is not None:
        return bool(called < woken)
    # Old hosts name no call, and of a run that nobody asked for none is known.
    return bool(
        book.value(
            "SELECT 1 FROM reports WHERE agent = ? AND run < ? AND digest = ?",
            found.agent,
            now["run"],
            tasks.digest(found.result),
        )
    )


def _close(scene: Scene, task: Row, agent: str, text: str, cut: str, source: str) -> None:
    """End a run that no SubagentStop has ended, with the best text there is."""
    resuming.prove_by_run(scene, agent, transcripts.of_agent(scene.event.transcript, agent))
    run = runs.last_run(scene.book, agent)
    if run is None or run["ended"] is not None:
        return
    if not runs.reports(scene.book, agent, run["run"]):
        own = transcripts.last_assistant(transcripts.tail(transcripts.of_agent(scene.event.transcript, agent)))
        fresh = own.text if _is_of_this_run(scene, agent, run["run"], own) else ""
        reports.keep(scene.book, task["label"], agent, source, fresh or text)
    judging.conclude(scene, task, agent, cut)


def _is_of_this_run(scene: Scene, agent: str, run: int, final: Final) -> bool:
    """These words were not an earlier run's: not its record, and not its text, where no record could be noted."""
    return not scene.book.value(
        "SELECT 1 FROM runs WHERE agent = ? AND run < ? AND last_uuid = ?"
        " UNION ALL SELECT 1 FROM reports WHERE agent = ? AND run < ? AND digest = ?",
        agent,
        run,
        final.uuid or "none",
        agent,
        run,
        tasks.digest(final.text),
    )


def catch_up(scene: Scene) -> None:
    """What no event brought: launches nobody bound, judged too late, agents gone without a word."""
    book = scene.book
    for launch in tasks.unbound(book, scene.session):
        for path in transcripts.agents_of(scene.event.transcript):
            if launch["token"] in transcripts.first_prompt(path)[:20000]:
                with book.transaction():
                    runs.bind(book, launch["token"], transcripts.agent_in(path))
    _take(scene, _unheard(scene))
    unfinished = tasks.unfinished(book, scene.session)
    live = host.live_agents(scene.event) if unfinished else None
    # A second process on this session lists its own agents, not those of the first.
    if live is not None and session.is_shared(scene):
        live = None
    for task in unfinished:
        with scene.apart(f"catching up with {task['label']}"):
            _catch_up_with(scene, task, live)


def _catch_up_with(scene: Scene, task: Row, live: Optional[set[str]]) -> None:
    agent = task["agent"]
    if live is None and not versions.lists_agents(scene.version) and _has_fallen_silent(scene, agent):
        _close(scene, task, agent, "", "", "transcript")
        return
    _scan(scene, task, agent)
    if _left_unjudged(scene, agent):
        judging.conclude(scene, task, agent)
    elif live is not None and agent not in live and not _just_begun(scene, agent):
        _close(scene, task, agent, "", "", "transcript")


def _unheard(scene: Scene) -> list[host.Notification]:
    """Notifications that came in mid-turn, where 2.1.197 and 2.1.258 fire no event: they stand in the transcript."""
    running = [task["agent"] for task in tasks.in_session(scene.book, scene.session, tasks.RUNNING_STATES)]
    # A fast agent ends before PostToolUse of its launch: the run counts from the call, not from its binding.
    called = {
        agent: scene.book.value(
            "SELECT max(at) FROM (SELECT made AS at FROM launches WHERE agent = ?"
            " UNION ALL SELECT at FROM resumes WHERE agent = ? AND proven IS NOT NULL)",
            agent,
            agent,
        )
        for agent in filter(None, running)
    }
    queued = transcripts.queued(transcripts.tail(scene.event.transcript)) if called else []
    return [
        found for at, words in queued for found in host.notifications(words) if at > (called.get(found.agent) or at)
    ]


def _left_unjudged(scene: Scene, agent: str) -> bool:
    """A hook was killed between keeping this run's text and judging it, so no correction was asked either."""
    run = runs.last_run(scene.book, agent)
    if run is None or run["ended"] is not None or run["asked"] is not None:
        return False
    if versions.hands_back(scene.version, scene.event.mode):
        return False
    texts = runs.reports(scene.book, agent, run["run"])
    return bool(texts) and time.time() - texts[-1]["at"] > GRACE


def _just_begun(scene: Scene, agent: str) -> bool:
    """A run whose resume this very turn has asked for may not be on the host's list yet."""
    began = scene.book.value("SELECT began FROM runs WHERE agent = ? AND ended IS NULL", agent)
    return began is not None and time.time() - began < GRACE


def _scan(scene: Scene, task: Row, agent: str) -> None:
    """A block that a running agent wrote between two tool calls, on hosts where it cannot send a message."""
    book = scene.book
    path = transcripts.of_agent(scene.event.transcript, agent)
    offset = book.value("SELECT offset FROM scans WHERE agent = ?", agent) or 0
    if transcripts.size(path) <= offset:
        return
    records, end = transcripts.since(path, offset)
    token = tasks.token_of(book, agent)
    run = runs.last_run(book, agent)
    if run is None:
        return
    spoken = [transcripts.text(record) for record in records if record.get("type") == "assistant"]
    with book.transaction():
        for text in spoken:
            for signal in reports.read(text, token).own:
                if not signal.terminal:
                    reports.note(book, task["label"], agent, run["run"], signal)
        book.write("INSERT OR REPLACE INTO scans VALUES (?, ?)", agent, end)


def _has_fallen_silent(scene: Scene, agent: str) -> bool:
    """On hosts that do not list what runs: its last words are long said, or a correction was never answered."""
    path = transcripts.of_agent(scene.event.transcript, agent)
    run = runs.last_run(scene.book, agent)
    if run is None or run["ended"] is not None:
        return False
    if time.time() - max(transcripts.last_sign(path), run["asked"] or 0.0, run["began"]) < SILENCE:
        return False
    final = transcripts.last_assistant(transcripts.tail(path))
    fresh = final.settled and _is_of_this_run(scene, agent, run["run"], final)
    return fresh or bool(runs.reports(scene.book, agent, run["run"]))
