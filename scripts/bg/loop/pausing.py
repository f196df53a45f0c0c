"""Pausing: a task that a usage limit or an overloaded API has cut waits for the user's word before it goes on."""

from __future__ import annotations

from bg.host import agents, transcripts
from bg.ledger import cases, notes, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.values import State
from bg.loop import going, inheriting, waking
from bg.loop.going import Going
from bg.loop.scene import Scene
from bg.words import briefs, feedback, phrases, replies


def held(scene: Scene) -> list[Case]:
    """The tasks of the session that are paused, and about which the user has said nothing."""
    return [case for case in scene.docket.cases_in((State.PAUSED,)) if case.is_held]


def in_short(scene: Scene) -> str:
    """One line on these tasks, with the command to type; empty if there are none."""
    return replies.held(held(scene), scene.book.now(), scene.answer_command)


def mention(scene: Scene, *, is_command: bool) -> None:
    """Tell the user once, with the first prompt after a limit has ended, that its tasks can go on.

    If the settings say so, they go on at once, unless the prompt is a command of ours, which may end without a request.
    """
    if scene.late is not None or scene.answer.block:
        return
    over = [case for case in held(scene) if _is_just_over(scene, case)]
    if not over or (is_command and scene.settings.resume_after_limit):
        return
    with scene.book.transaction() as writing:
        for case in over:
            notes.set_limit(writing, case.label, case.limit._replace(told=True))
        if scene.settings.resume_after_limit:
            _go(scene, writing, over)
            line = phrases.GOES_ON_BY_SETTING.format(names=", ".join(case.label for case in over))
        else:
            line = in_short(scene)
    scene.answer.notice.append(line)


def go_all(scene: Scene, writing: Writing, typed: int) -> Going:
    """`/bg-answer all go`: every task of the project that is paused goes on."""
    paused = cases.known(scene.book, lambda: tasks.in_state(scene.book, scene.project, State.PAUSED))
    if not paused:
        return Going([feedback.NOTHING_IS_PAUSED], goes=False)
    if len(paused) == 1:
        return going.go(scene, writing, paused[0], typed)
    mine = [case for case in paused if inheriting.claim(scene, writing, case)]
    _go(scene, writing, mine)
    lines = [feedback.GO_ELSEWHERE.format(label=case.label) for case in paused if case not in mine]
    names = ", ".join(case.label for case in mine)
    return Going(([feedback.ALL_GO_ON.format(names=names)] if mine else []) + lines, goes=bool(mine))


def _is_just_over(scene: Scene, case: Case) -> bool:
    """Whether the task's limit has ended, and the user has not been told that."""
    return not case.limit.told and 0 < _resets(scene, case) <= scene.book.now()


def _resets(scene: Scene, case: Case) -> int:
    """The time at which the task's limit ends; the host may write it down only after it has announced the run's end."""
    limit = case.limit
    if limit.resets:
        return limit.resets
    found = transcripts.final(agents.of_agent(scene.event.transcript, case.task.agent))
    if found.resets:
        with scene.book.transaction() as writing:
            notes.set_limit(writing, case.label, limit._replace(resets=found.resets))
    return found.resets


def _go(scene: Scene, writing: Writing, found: list[Case]) -> None:
    """Have the parent wake the agents of these tasks, each from its own transcript."""
    lines = []
    for case in found:
        notes.set_limit(writing, case.label, case.limit._replace(told=True, released=True))
        wakes = waking.can_wake(scene, case.task.agent)
        if not wakes:
            waking.open_relaunch(scene, writing, case)
        lines.append(f"- {case.label}: {briefs.way(scene.host, case.task.agent, case.label, wakes=wakes)}")
    if lines:
        scene.answer.context.append("\n".join([phrases.ALL_GO_NOW, *lines]))
