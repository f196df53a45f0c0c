"""Launching: the parent calls Agent or Task for a new task or to continue one, or runs our command through Skill."""

from __future__ import annotations

import contextlib
import re
import time

from bg import durations, repository
from bg.host import agents, arrivals, drift, receipts, tools, transcripts
from bg.host.event import Event
from bg.ledger import cases, delegations, inbox, launches, naming, projects, reported, resumes, runs, tasks, windows
from bg.ledger.cases import Case
from bg.ledger.file import Ledger, Writing, first_of
from bg.ledger.launches import Launch
from bg.ledger.values import Item, Opened, State
from bg.loop import (
    adopting,
    checkpoints,
    delegating,
    hearing,
    inheriting,
    judging,
    named_check,
    nesting,
    proof,
    reminding,
    reports,
    resuming,
    sighting,
    waking,
)
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.signals import kinds, resume
from bg.words import phrases, ways
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# A launch whose description matches does only a part of some work.
_PART = pattern(r"\b(?:batch|part|chunk|slice|shard)\b|\b\d+\s*(?:of|/|-)\s*\d+\b", re.IGNORECASE)


class _FullError(Exception):
    """Raised to roll an adoption back: as many agents work as the user allows."""


def before(scene: Scene) -> None:
    """PreToolUse(Agent|Task): give a launch of ours its identity and its label, and have it run in the background."""
    event = scene.event
    if event.in_subagent:
        nesting.before(scene)
        return
    if tools.launch_of(event).resume:
        resuming.before_task(scene)
        return
    scene.see()
    free_refused(scene)
    scene.answer.deny = proof.launch_refused(scene)
    if scene.answer.deny:
        return
    _await_successor(scene)
    head = repository.head(event.cwd) if scene.late is None else ""  # late, the agent may have committed already
    launched = [*_earlier(scene), event]
    with contextlib.suppress(_FullError), scene.book.transaction() as writing:
        adopted = _adopt(scene, writing, launched, head)
        if adopted is None:
            scene.answer.deny = _lost(scene)
            return
        scene.answer.deny = adopting.full(scene.book, scene.project, scene.settings.max_tasks, adopted.label)
        if scene.answer.deny:
            scene.answer.deny += delegating.refused(scene, adopted.label)
            raise _FullError
        _follow(scene, writing, adopted)
    if adopted is not None and not scene.answer.deny:
        scene.answer.updated_input = adopted.given


def after(scene: Scene) -> None:
    """PostToolUse(Agent|Task): bind the host's agent, tell the user, take a foreground run's text."""
    event = scene.event
    if event.in_subagent:
        nesting.after(scene)
        return
    scene.see()
    if tools.launch_of(event).resume:
        resuming.after_task(scene)
        return
    hearing.everybody(scene)  # before the new agent is bound, which has said nothing yet
    case = _bound(scene)
    if case is None:
        reminding.remind(scene)
        return
    agent = tools.started_agent(event)
    text = tools.foreground_text(event)
    continues = tools.can_continue(event)
    if continues is not None:
        scene.learn_way(continues=continues)
    if text is None:
        _tell_the_user(scene, case)
    named_check.announce(scene, case.task)
    if text is not None and reports.keep(case, cases.agent(scene.book, agent), "foreground", text):
        judging.conclude(scene, case, cases.agent(scene.book, agent))
    reminding.remind(scene)


def failed(scene: Scene) -> None:
    """PostToolUseFailure(Agent|Task): free the label for another try in the same window."""
    if scene.event.in_subagent:
        nesting.failed(scene)
        return
    with scene.book.transaction() as writing:
        label = launches.fail(writing, scene.event.tool_use, scene.event.error)
        if label:
            tasks.set_state(writing, label, State.NOT_LAUNCHED, inline(scene.event.error, 200))
    resuming.unproven(scene)


def free_refused(scene: Scene) -> None:
    """Free the labels of refused launches: no event tells of a refusal, only the transcript does."""
    launched = [launch for launch in scene.docket.unbound if launch.tool_use != scene.event.tool_use]
    if not launched:
        return
    for call, why in _results(scene, launched).items():
        if not why:
            continue
        with scene.book.transaction() as writing:
            label = launches.fail(writing, call, why)
            if label:
                tasks.set_state(writing, label, State.NOT_LAUNCHED, inline(why, 200))


def skill(scene: Scene) -> None:
    """PostToolUse(Skill): Claude has run one of our commands by itself."""
    command, arguments = tools.invoked_command(scene.event)
    if not command or scene.event.in_subagent:
        return
    scene.enter()
    if command == "bg":
        with scene.book.transaction() as writing:
            label = windows.open_window(writing, scene.session, Opened.SKILL, arguments)
        scene.answer.context.append(adopting.window_line(label))
    elif command == "bg-answer":
        scene.answer.context.append(phrases.ONLY_THE_USER_ANSWERS.format(ask=tools.ASK, how=ways.passed_on(scene.host)))
    hearing.everybody(scene)
    reminding.remind(scene)


def _await_successor(scene: Scene) -> None:
    """Open the window for a launch whose description begins with the label of a task that can be continued."""
    case = _continued(scene.book, scene.event)
    if case is None:
        return
    # A label from another project may be a coincidence, unless this session has the task: the user named it here.
    if case.task.session != scene.session and projects.root_of(scene.project) != (case.task.root or case.task.project):
        return
    if _is_for_a_part(scene, case):
        return
    with scene.book.transaction() as writing:
        if inheriting.claim(scene, writing, case):
            projects.set_project(writing, case.label, scene.project)
            waking.open_relaunch(scene, writing, case)


def _continued(book: Ledger, event: Event) -> Optional[Case]:
    """The task that a launch may continue: its label begins the launch's description, and its agent has ended."""
    found = naming.LABEL.match(tools.launch_of(event).description.strip())
    case = cases.of(book, found[0]) if found else None
    is_over = case is not None and case.task.state in tasks.CONTINUABLE_STATES and case.task.agent
    return case if is_over else None


def _is_for_a_part(scene: Scene, case: Case) -> bool:
    """Whether a launch is for a part of a stopped task's work only; then open a window with a label of its own for it.

    The new task is linked to the stopped one, which is told its end; the blocker stays open for the user to decide.
    """
    if case.task.state != State.BLOCKED:
        return False
    handed = [one for one in case.requests if one.handed_over and one.worker]
    if not handed and not _PART.search(tools.launch_of(scene.event).description):
        return False
    with scene.book.transaction() as writing:
        if not handed:
            _link(scene, writing, case)
        elif not windows.is_open(scene.book, scene.session, handed[-1].worker):
            windows.open_window(writing, scene.session, Opened.PART, case.task.text, handed[-1].worker)
    return True


def _link(scene: Scene, writing: Writing, case: Case) -> None:
    """Open a window whose launches work for the stopped task, and link them by the item that it stopped for."""
    label = windows.open_window(writing, scene.session, Opened.PART, case.task.text)
    for item in case.items:
        if inbox.kind(item) == Item.BLOCKER and item.agent == case.task.agent:
            signal = reported.last_of_marker(scene.book, item.agent, item.run, kinds.STOP)
            delegations.note(writing, case.label, signal, item.qid, item.id, blocking=False, handed_over=True)
            delegations.await_launch(writing, signal, label)


def _earlier(scene: Scene) -> list[Event]:
    """The earlier launches of the same message that their own hooks, running at the same time, have not adopted yet."""
    event = scene.event
    if not adopting.is_ours(scene.book, event):
        return []
    wait = durations.LATE_CALL if scene.late is None else 0.0
    called = arrivals.called_before(event.transcript, event.tool_use, wait=wait)
    launched = [tools.launch_as(event, call) for call in called]
    new = [each for each in launched if each and not launches.find(scene.book, tool_use=each.tool_use)]
    return [each for each in new if not _continued(scene.book, each)]


def _adopt(scene: Scene, writing: Writing, launched: list[Event], head: str) -> Optional[adopting.Adoption]:
    """Adopt each launch in turn; the result for the last."""
    return [adopting.adopt(writing, each, scene.project, scene.host, head) for each in launched][-1]


def _lost(scene: Scene) -> str:
    """The refusal of a launch whose label only a lost ledger knew; empty for any other launch."""
    label = adopting.lost_label(scene.book, scene.event)
    return adopting.unidentified(phrases.LEDGER_LOST.format(label=label), phrases.TYPE_AGAIN) if label else ""


def _follow(scene: Scene, writing: Writing, adopted: adopting.Adoption) -> None:
    """Tie a launch to the task that it continues, the request that it is for, and the check that the user named."""
    again = cases.of(scene.book, adopted.label) if adopted.again else None
    if again is not None:
        _hand_over(scene, writing, again, adopted)
    _note_child(scene, writing, adopted.label)
    named_check.note(scene, writing, adopted.label)
    if scene.late is not None:
        launches.set_made(writing, scene.event.tool_use, scene.late.at)


def _hand_over(scene: Scene, writing: Writing, case: Case, adopted: adopting.Adoption) -> None:
    """Give the new agent the old one's task, state, questions and answers."""
    typed = "" if proof.is_kept_apart(scene) else tools.launch_of(scene.event).prompt
    path = agents.of_agent(scene.event.transcript, case.task.agent)
    message = resume.relaunch(case, adopted.token, typed, path, checkpoints.left_by(scene, case))
    resuming.write_down(scene, writing, case, message, typed)
    adopted.give(message.text)


def _note_child(scene: Scene, writing: Writing, label: str) -> None:
    """Note a launch in an approved delegation's window as the launch of that delegation's agent."""
    case = cases.of(scene.book, label)
    delegations.note_launch(writing, case.task.grp if case else label, label)


def _bound(scene: Scene) -> Optional[Case]:
    """Bind the agent that this call started to its task; the task, None if the call is not one of ours."""
    agent = tools.started_agent(scene.event)
    launched = first_of(launches.find(scene.book, tool_use=scene.event.tool_use))
    token = launched.token if launched else ""
    if not token:
        found = naming.TOKEN.findall(tools.launch_of(scene.event).prompt[:20000])
        known = first_of(launches.find(scene.book, token=found[0])) if found else None
        # No hook noted this call: its token is copied from another launch, unless that one was noted without a call id.
        token = known.token if known and not known.agent and known.tool_use == known.token else ""
    if not token:
        return None
    with scene.book.transaction() as writing:
        runs.bind(writing, token, agent)
        arrived = token in tools.launch_of(scene.event).prompt
        scene.form.append(drift.OURS)
        if launched is not None:
            sighting.note_use_of_answer(scene, "PreToolUse", scene.event.tool, drift.INPUT, taken=arrived)
        launches.set_identity(writing, token, launches.PROMPT if arrived else launches.LOST)
        if resumes.find(scene.book, tool_use=scene.event.tool_use):
            resuming.prove(scene, writing, scene.event.tool_use, agent)
    return cases.agent(scene.book, agent).case


def _tell_the_user(scene: Scene, case: Case) -> None:
    """Tell the user of a launch in one line, unless the host's own line says the same."""
    words = phrases.CONTINUES if len(launches.of_task(scene.book, case.label)) > 1 else phrases.STARTED
    limits = ways.limits(scene.host)
    if words != phrases.STARTED or limits or not _shows_label(scene, case.label):
        described = inline(case.task.description, 80) + limits
        scene.answer.notice.append(words.format(label=case.label, description=described))


def _shows_label(scene: Scene, label: str) -> bool:
    """Whether the host's own line has the label: it shows the description that the model gave the launch."""
    shown = naming.LABEL.search(tools.described(transcripts.given(scene.event.transcript, scene.event.tool_use)))
    return shown is not None and shown[0] == label


def _results(scene: Scene, launched: list[Launch]) -> dict[str, str]:
    """Why each of these calls was refused, by its id, empty if it was not; waits until the owed results are written."""
    path, calls = scene.event.transcript, [launch.tool_use for launch in launched]
    found = receipts.results(path, calls)
    owed = set(_owed_results(scene, launched)) if scene.late is None else set()
    if not found.keys() >= owed:
        scene.book.settle()
        until = time.monotonic() + durations.LATE_REFUSAL
        while not found.keys() >= owed and time.monotonic() < until:
            time.sleep(durations.LOOK_AGAIN)
            found = receipts.results(path, calls)
    return found


def _owed_results(scene: Scene, launched: list[Launch]) -> list[str]:
    """The calls that have been answered by now, even if the host has not written the results down yet."""
    event = scene.event
    if event.name == "Stop":  # the turn is over, and with it every call of the windows that it opened
        opened = [window.id for window in windows.open_windows(scene.book, scene.session)]
        return [launch.tool_use for launch in launched if launch.window in opened]
    if not tools.is_launch(event):
        return []
    # The calls of earlier messages have been answered; those of this call's own message perhaps not yet.
    message = receipts.messages(event.transcript)
    answered = [launch.tool_use for launch in launched if message.get(launch.tool_use)]
    return [call for call in answered if message[call] != message.get(event.tool_use)]
