"""Endings: a subagent's run ends, hands back, is polled, or is announced as ended by the host."""

from __future__ import annotations

import time
from typing import Optional

from bg import host, reports, tasks, transcripts
from bg.on import judging, resuming
from bg.scene import Scene
from bg.tasks import Row
from bg.transcripts import Final

CUTS = {"killed": "killed", "failed": "failed", "stopped": "killed"}
PARKED = "waiting on its own background work"
TURN_LIMIT = "turn limit"
API_ERROR = "API Error:"
GRACE = 5.0
SILENCE = 60.0
UNSENT = "ended without delivering a report through SubagentHandback"


def stopped(scene: Scene) -> None:
    """SubagentStop: keep the text, then judge it; ask once more where that helps."""
    event = scene.event
    task = _own_task(scene)
    if task is None:
        scene.note_stranger(event.agent, event.last_text or "")
        return
    resuming.prove_by_run(scene, event.agent, _path(scene, event.agent))
    final = _final(scene)
    text = final.text if event.last_text is None else event.last_text
    _end_the_former(scene, task, event.name, text)
    run = reports.keep(scene.book, task["label"], event.agent, event.name, text, uuid=final.uuid)
    if run is None:
        return
    _note_place(scene, run)
    if host.hands_back(scene.version, event.mode, event.agent_type):
        return
    if final.cut:
        judging.conclude(scene, task, event.agent, final.cut)
        return
    scene.answer.block = judging.judge(scene, task, run)


def _own_task(scene: Scene) -> Optional[Row]:
    """The task of the agent that ends; one that ends at once does so before the host has told us anything of it."""
    agent, path = scene.event.agent, scene.event.agent_transcript
    until = time.monotonic() + (GRACE if scene.late is None else 0.0)
    while True:
        expected = tasks.unbound(scene.book, scene.session)
        found = scene.own_task(agent, path)
        if found or not expected or transcripts.first_prompt(_path(scene, agent)) or time.monotonic() >= until:
            return found
        time.sleep(transcripts.STEP)


def _path(scene: Scene, agent: str) -> str:
    return scene.event.agent_transcript or transcripts.of_agent(scene.event.transcript, agent)


def _final(scene: Scene) -> Final:
    """The end of the transcript: the text where the payload lacks it, and whether the run was cut."""
    path = _path(scene, scene.event.agent)
    last = tasks.last_run(scene.book, scene.event.agent)
    if scene.event.last_text is not None:
        # The file lags behind the payload on these hosts: what it says of another text does not hold.
        found = transcripts.last_assistant(transcripts.tail(path))
        return found if found.text == scene.event.last_text else Final(scene.event.last_text, "", True)
    if last and last["ended"]:
        return transcripts.last_assistant(transcripts.tail(path))
    previous = scene.book.value(
        "SELECT last_uuid FROM runs WHERE agent = ? AND last_uuid <> '' ORDER BY run DESC LIMIT 1", scene.event.agent
    )
    return transcripts.settled_text(path, previous or "", transcripts.WAIT if scene.late is None else 0.0)


def _end_the_former(scene: Scene, task: Row, source: str, text: str) -> None:
    """The hook of an earlier end was killed before it judged, and a resume was missed: what ends now is another run."""
    run = tasks.last_run(scene.book, task["agent"])
    if run is None or run["ended"] is not None or scene.event.repeated_stop:
        return
    kept = [row["text"] for row in tasks.reports(scene.book, run["agent"], run["run"]) if row["source"] == source]
    # A refused handback is followed by another one in the same run, with nothing in the event that says so.
    if kept and text not in ("", kept[-1]) and (source == "SubagentStop" or run["asked"] is None):
        judging.conclude(scene, task, run["agent"])


def _note_place(scene: Scene, run: Row) -> None:
    cwd = transcripts.field(_path(scene, run["agent"]), "cwd")
    if cwd:
        with scene.book.transaction():
            scene.book.write("UPDATE launches SET cwd = ? WHERE agent = ?", cwd, run["agent"])


def handed_back(scene: Scene) -> None:
    """PreToolUse(SubagentHandback): the report on its way; a refusal here is the only correction that helps."""
    event = scene.event
    text = event.tool_input.get("message")
    if not isinstance(text, str):
        return
    task = scene.own_task(event.agent)
    if task is None:
        scene.note_stranger(event.agent, text)
        return
    _end_the_former(scene, task, event.tool, text)
    run = reports.keep(scene.book, task["label"], event.agent, event.tool, text)
    if run is None:
        return
    scene.answer.deny = judging.judge(scene, task, run)


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
    now = tasks.last_run(book, found.agent)
    if now is None or now["ended"] is not None:
        return False
    called = book.value(
        "SELECT made FROM launches WHERE tool_use = ? UNION ALL SELECT at FROM resumes WHERE tool_use = ?",
        found.tool_use,
        found.tool_use,
    )
    if called is not None:
        run = book.value("SELECT min(run) FROM runs WHERE agent = ? AND began >= ?", found.agent, called)
        return run is not None and run < now["run"]
    # Old hosts name no call.
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
    resuming.prove_by_run(scene, agent, _path(scene, agent))
    run = tasks.last_run(scene.book, agent)
    if run is None or run["ended"] is not None:
        return
    if not tasks.reports(scene.book, agent, run["run"]):
        own = transcripts.last_assistant(transcripts.tail(transcripts.of_agent(scene.event.transcript, agent)))
        fresh = own.text if own.uuid != _uuid_before(scene, agent, run["run"]) else ""
        reports.keep(scene.book, task["label"], agent, source, fresh or text)
    judging.conclude(scene, task, agent, cut)


def _uuid_before(scene: Scene, agent: str, run: int) -> str:
    found = scene.book.value("SELECT last_uuid FROM runs WHERE agent = ? AND run = ?", agent, run - 1)
    return str(found or "")


def catch_up(scene: Scene) -> None:
    """What no event brought: launches nobody bound, judged too late, agents gone without a word."""
    book = scene.book
    for launch in tasks.unbound(book, scene.session):
        for path in transcripts.agents_of(scene.event.transcript):
            if launch["token"] in transcripts.first_prompt(path)[:20000]:
                with book.transaction():
                    tasks.bind(book, launch["token"], transcripts.agent_in(path))
    _take(scene, _unheard(scene))
    live = host.live_agents(scene.event)
    for task in tasks.unfinished(book, scene.session):
        agent = task["agent"]
        if live is None and not host.lists_agents(scene.version) and _has_fallen_silent(scene, agent):
            _close(scene, task, agent, "", "", "transcript")
            continue
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
    run = tasks.last_run(scene.book, agent)
    if run is None or run["ended"] is not None or run["asked"] is not None:
        return False
    if host.hands_back(scene.version, scene.event.mode):
        return False
    texts = tasks.reports(scene.book, agent, run["run"])
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
    run = tasks.last_run(book, agent)
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
    run = tasks.last_run(scene.book, agent)
    if run is None or run["ended"] is not None:
        return False
    if time.time() - max(transcripts.last_sign(path), run["asked"] or 0.0, run["began"]) < SILENCE:
        return False
    final = transcripts.last_assistant(transcripts.tail(path))
    fresh = final.settled and final.uuid != _uuid_before(scene, agent, run["run"])
    return fresh or bool(tasks.reports(scene.book, agent, run["run"]))
