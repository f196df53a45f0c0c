"""Inheritance: the tasks that a new session takes over, and the few lines that it is told about them."""

from __future__ import annotations

from bg import durations, machine
from bg.host import agents, receipts, tools, transcripts, versions
from bg.ledger import cases, delegations, launches, projects, reported, runs, sessions, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.values import State
from bg.loop import concluding, hearing, judging, moving, reports, waking
from bg.loop.scene import Scene
from bg.signals import delegation
from bg.words import outcome, phrases, replies
from bg.words.quoting import cited, inline
from bg.words.times import age, clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MOST_LINES = 15
_WAITS_FOR_THE_USER = (State.NEEDS_ANSWER, State.BLOCKED, State.PAUSED)


def concerns(scene: Scene) -> bool:
    """Whether this session has something of ours."""
    return tasks.is_any_in(scene.book, scene.session) or scene.docket.row is not None


def take_over(scene: Scene) -> None:
    """Take over the tasks of sessions that are gone, and end the runs of the agents that went with them."""
    here = machine.host()
    for owner, labels in projects.left(scene.book, scene.project, scene.book.now() - durations.RECENT).items():
        process = _process(scene, moving.heir(scene.book, owner))
        same_process = process is not None and process == here
        if owner == scene.session:
            if is_lent(scene):
                continue
        elif not same_process and _is_alive(scene, owner, process):
            continue
        running = cases.docket(scene.book, owner).running
        if owner != scene.session:
            with scene.book.transaction() as writing:
                tasks.hand_over(writing, labels, scene.session)
        if not same_process and scene.event.source != "compact":
            for case in running:
                scene.apart(f"the interruption of {case.label}", _interrupt, scene, case)


def is_lent(scene: Scene) -> bool:
    """Whether this session is a fork under its original's id, which a living process has: seen up to 2.1.197."""
    return scene.event.source == "resume" and is_shared(scene)


def is_shared(scene: Scene) -> bool:
    """Whether another, living process is known to have this session."""
    process = _process(scene, scene.session)
    if process is None or scene.late is not None or process == machine.host() or _has_moved(scene):
        return False
    return _is_alive(scene, scene.session, process)


def lives(scene: Scene) -> bool:
    """Whether the process that is known to have this session still runs."""
    process = _process(scene, scene.session)
    return process is not None and machine.alive(process)


def claim(scene: Scene, writing: Writing, case: Case) -> bool:
    """Make a task this session's own, unless the session that it belongs to still lives."""
    owner = case.task.session
    if owner == scene.session:
        return True
    owner = moving.heir(scene.book, owner)
    process = _process(scene, owner)
    # Any session's hook takes in what waited in the spool, so the process of that hook says nothing about the owner.
    same_process = scene.late is None and process is not None and process == machine.host()
    if owner != scene.session and not same_process and _is_alive(scene, owner, process):
        return False
    tasks.hand_over_one(writing, case.label, scene.session)
    return True


def flight_list(scene: Scene, most: int = MOST_LINES) -> list[str]:
    """A few lines: the tasks in flight, the items that wait, and the tasks that must not be launched again."""
    items, undelivered = scene.docket.items, scene.docket.due
    broken, folded = _interrupted(scene)
    # Tasks at work come first, then those that ask; tasks that ended with their session never crowd out either.
    rows = [*scene.docket.cases_in(tasks.OPEN_STATES), *broken]
    if not (rows or items or undelivered):
        return []
    lines = [phrases.IN_FLIGHT]
    for states in (tasks.RUNNING_STATES, _WAITS_FOR_THE_USER):
        lines += [_line(scene, case) for case in rows[:most] if case.task.state in states]
    lines += _waiting_lines(scene, items[:most])
    if undelivered:
        lines.append(phrases.REPORTS_NOT_YET_SAID.format(count=len(undelivered)))
    lines += [_line(scene, case) for case in broken[:most]]
    tail = _how_to_go_on(scene, rows)
    count = len(lines) + max(0, len(rows) - most) + max(0, len(items) - most) + folded
    if folded or count + len(tail) > most:
        lines = lines[: most - 1 - len(tail)]
        lines.append(phrases.AND_MORE.format(count=count - len(lines), command=scene.bgctl("status --all")))
    return lines + tail


def elsewhere(scene: Scene) -> list[str]:
    """The lines for a fork on the launches that it remembers: their tasks go on in the other session."""
    lent = is_lent(scene)
    if scene.event.source != "fork" and not lent and not _has_moved(scene):
        return []
    lines = [
        f"- {task.label} ({cited(task.description or '', 60)}): {task.state.replace('_', ' ')}"
        for task in tasks.open_in(scene.book, scene.project)
        if lent or task.session != scene.session
    ]
    if not lines:
        return []
    return [phrases.IN_FLIGHT_ELSEWHERE, *lines[: MOST_LINES // 2]]


def summary_line(scene: Scene) -> str:
    """One calm line for the user."""
    rows = scene.docket.running
    working = sum(case.task.state in tasks.RUNNING_STATES for case in rows)
    asking = len({item.label for item in scene.docket.items})
    broken = len(_interrupted(scene)[0])
    held = [case for case in scene.docket.cases_in((State.PAUSED,)) if case.is_held]
    paused = replies.held(held, scene.book.now(), scene.answer_command)
    short = outcome.at_a_glance(working, asking, broken) or ("" if paused else "nothing in flight")
    return f"bg: {' · '.join(filter(None, [short, paused]))} · /bg-status"


def _process(scene: Scene, session: str) -> Optional[machine.Process]:
    """The process of a session, None if it is unknown, or its number means nothing on this machine."""
    row = cases.docket(scene.book, session).row
    known = row is not None and row.pid and not machine.is_of_another(row.machine)
    return machine.Process(row.pid, row.pid_started or "") if row and row.pid and known else None


def _is_alive(scene: Scene, session: str, process: Optional[machine.Process]) -> bool:
    """Whether a session lives; unknown counts as alive, so that a task that really runs is never called dead."""
    moved = moving.heir(scene.book, session)
    if moved != session:
        return cases.docket(scene.book, moved).row is None or _is_alive(scene, moved, process)
    row = cases.docket(scene.book, session).row
    if row is None or row.ended is not None or machine.has_restarted(row.machine):
        return False
    if machine.is_of_another(row.machine):
        return _gives_a_sign(scene, row)
    return machine.alive(process)


def _gives_a_sign(scene: Scene, row: sessions.Session) -> bool:
    """Whether a session on another machine or in another container has written something recently."""
    working = cases.docket(scene.book, row.id).running
    paths = [row.transcript or "", *(agents.of_agent(row.transcript or "", case.task.agent) for case in working)]
    if any(transcripts.has_open_call(path) for path in paths):
        return scene.book.now() - max(row.last_seen, *map(transcripts.last_sign, paths)) < durations.LONG_CALL
    return scene.book.now() - max(row.last_seen, *map(transcripts.last_sign, paths)) < durations.NEIGHBOUR


def _interrupt(scene: Scene, case: Case) -> None:
    """End the run of an agent whose session is gone; a report that it left in the ledger or on disk still counts."""
    agent = case.task.agent
    run = case.agent.run
    if run is not None and run.ended is None:
        _keep_last_words(scene, case)
        if case.agent.texts:
            judging.conclude(scene, case, case.agent)
            return
        scene.apart(f"catching up with {case.label}", hearing.hear, scene, case)
    refused = "" if agent else _refused(scene, case)
    with scene.book.transaction() as writing:
        if refused:
            tasks.set_state(writing, case.label, State.NOT_LAUNCHED, inline(refused, 200))
            return
        if run is not None:
            runs.end_run(writing, agent, run.run, "its session ended")
        tasks.set_state(writing, case.label, State.INTERRUPTED, "its session ended")
        concluding.account(writing, case)


def _keep_last_words(scene: Scene, case: Case) -> None:
    """Keep the report of an agent whose session died before the hook that would have kept it."""
    agent = case.task.agent
    final = transcripts.final(agents.of_agent(scene.event.transcript, agent))
    if reported.is_reported(scene.book, agent, final.text) or not final.settled:
        return
    if reports.read(final.text, case.agent.token).deciding is not None:
        reports.keep(case, case.agent, "transcript", final.text)


def _refused(scene: Scene, case: Case) -> str:
    """Why the user, or a rule, has refused the task's launch: a refusal that ends the turn brings no event."""
    calls = [launch.tool_use for launch in launches.of_task(scene.book, case.label)]
    return next(filter(None, receipts.results(case.docket.transcript, calls).values()), "")


def _has_moved(scene: Scene) -> bool:
    """Whether another session continues this one, so that this one's process no longer speaks for it."""
    return moving.heir(scene.book, scene.session) != scene.session


def _interrupted(scene: Scene) -> tuple[list[Case], int]:
    """The tasks that ended with a session a short time ago, the newest first, and how many did so before."""
    since = scene.book.now() - durations.RECENT
    return (
        cases.interrupted(scene.docket, since, MOST_LINES),
        tasks.count_interrupted(scene.book, scene.session, since),
    )


def _line(scene: Scene, case: Case) -> str:
    words = case.task.description or case.task.text
    told = scene.apart(f"the line of {case.label}", lambda: (cited(words, 60), _advice(scene, case)))
    name, advice = told or ("", "")
    return f"- {case.label} ({name}): {case.task.state.replace('_', ' ')}{advice}"


def _advice(scene: Scene, case: Case) -> str:
    if case.task.state in tasks.RUNNING_STATES:
        return phrases.TOLD_WHEN_IT_ENDS
    if case.is_held:
        return _paused(scene, case)
    left = [each for each in case.awaited if each.label]
    if left:
        return f", waits for {delegation.awaits(left)}"
    known = case.is_resumable and agents.of_agent(scene.event.transcript, case.task.agent)
    if not known or not waking.keeps_memory(scene, case.task.agent):
        return _came_of(scene, case)
    send = f'{tools.MESSAGE.called(scene.host.version)} with to: "{case.task.agent}"'
    resume = f'{tools.resuming(scene.host.version)} with resume: "{case.task.agent}"'
    ways = {versions.BY_MESSAGE: send, versions.BY_LAUNCH: resume, versions.UNKNOWN: f"{send}, or {resume}"}
    way = ways.get(scene.host.resume_way)
    return _came_of(scene, case) + (phrases.TO_GO_ON.format(way=way) if way else "")


def _paused(scene: Scene, case: Case) -> str:
    until, now = case.limit.resets, scene.book.now()
    words = phrases.PAUSED_UNTIL if until > now else phrases.PAUSED_FOR_NOW
    return words.format(time=clock(until, now), label=case.label, command=scene.answer_command)


def _came_of(scene: Scene, case: Case) -> str:
    """The ends of the agents that a task has waited for, and was not told of."""
    if case.task.state in tasks.ENDED_STATES:
        return ""
    over = [one for one in delegations.ended_and_untold(scene.book, case.label) if one.blocking]
    found = [each for one in over for each in delegations.workers(scene.book, one)]
    ends = [f"{each.label} ({each.state.replace('_', ' ')})" for each in found]
    return phrases.WAITED_FOR.format(whom=", ".join(ends)) if ends else ""


def _waiting_lines(scene: Scene, items: list[Question]) -> list[str]:
    lines = [scene.apart(f"the line of {item.label} {item.qid}", _waiting_line, scene, item) for item in items]
    return [line for line in lines if line]


def _waiting_line(scene: Scene, item: Question) -> str:
    name, since = f"{item.label} {item.qid}", age(scene.book.now() - item.asked)
    return phrases.WAITS_FOR_USER.format(name=name, age=since, text=cited(item.text, 120))


def _how_to_go_on(scene: Scene, rows: list[Case]) -> list[str]:
    """A line on how ended tasks go on, if there are any."""
    if not any(case.is_resumable for case in rows):
        return []
    by_message = scene.host.resume_way in (versions.BY_MESSAGE, versions.UNKNOWN)
    message = tools.MESSAGE.called(scene.host.version)
    return [phrases.GO_ON.format(load=phrases.LOAD.format(message=message, search=tools.SEARCH) if by_message else "")]
