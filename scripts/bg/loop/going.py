"""Going on: `/bg-answer LABEL go` wakes or relaunches a task in whatever state it is, with the answers given so far."""

from __future__ import annotations

from bg.ledger import inbox, notes, tasks, user_answers, windows
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.values import Item, Opened, State
from bg.loop import adopting, answering, delegating, inheriting, waking
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import feedback, phrases
from bg.words.quoting import quote


class Going(Record):
    """The result of `go`, in lines for the user, and whether the parent has something to do now."""

    lines: list[str]
    goes: bool


def go(scene: Scene, writing: Writing, case: Case, typed: int) -> Going:
    """Leave the open questions to the agent, and say how the task goes on."""
    if not inheriting.claim(scene, writing, case) and not case.items:
        return Going([feedback.GO_ELSEWHERE.format(label=case.label)], goes=False)
    if case.task.state == State.PAUSED:
        notes.set_limit(writing, case.label, case.limit._replace(told=True, released=True))
    launched = [delegating.launch_again(scene, writing, one) for one in case.forgotten]
    if launched:
        return Going(launched, goes=True)
    later = _leave_to_the_agent(scene, writing, case, typed)
    if later:
        return Going([feedback.GO_AGAIN.format(label=case.label, qids=", ".join(later))], goes=False)
    return _go_on(scene, writing, case)


def _leave_to_the_agent(scene: Scene, writing: Writing, case: Case, typed: int) -> list[str]:
    """Leave its questions to the agent; if some were asked after `go` was typed, leave none and return their ids."""
    questions = [item for item in case.items if inbox.kind(item) != Item.DELEGATION]
    later = [item.qid for item in questions if not answering.was_meant(scene, item)]
    if not later:
        for item in questions:
            user_answers.answer(writing, item, user_answers.SKIP, "go", user_answers.SKIP, typed)
    return later


def _go_on(scene: Scene, writing: Writing, case: Case) -> Going:
    """Have the agent woken, with the news for it if there is any; unless another agent or a decision comes first."""
    released = delegating.release(writing, case)
    left = [each for each in case.awaited if each.label]
    if left:
        return Going([feedback.CHILD_FIRST.format(label=case.label, child=each.label) for each in left], goes=False)
    decisions = [item for item in case.items if inbox.kind(item) == Item.DELEGATION]
    if decisions and not case.is_ready:
        return _decide_first(scene, decisions)
    if not case.has_news:
        return _resume(scene, writing, case)
    elsewhere = answering.owe(scene, writing, case)
    lines = released or [feedback.GOES_ON_WITH_WHAT_THERE_IS.format(label=case.label)]
    return Going([*lines, *elsewhere], goes=True)


def _decide_first(scene: Scene, items: list[Question]) -> Going:
    names = [f"{item.label} {item.qid}" for item in items]
    lines = [feedback.DECIDE_FIRST.format(name=name, typed=f"{scene.answer_command} {name}") for name in names]
    return Going(lines, goes=False)


def _resume(scene: Scene, writing: Writing, case: Case) -> Going:
    label = case.label
    if case.task.state == State.NOT_LAUNCHED:
        windows.open_window(writing, scene.session, Opened.COMMAND, case.task.text, label)
        words = phrases.LAUNCH_NOW.format(work=quote(case.task.text, 2500))
        scene.answer.context.append(adopting.window_line(label) + words)
        return Going([feedback.LAUNCHED_AGAIN.format(label=label)], goes=True)
    if case.task.state not in tasks.CONTINUABLE_STATES or not case.task.agent:
        state = case.task.state.replace("_", " ")
        return Going([feedback.NOTHING_TO_RESUME.format(label=label, state=state)], goes=False)
    way = waking.resume_how(scene, case.task.agent, label)
    if not waking.can_wake(scene, case.task.agent):
        waking.open_relaunch(scene, writing, case)
    scene.answer.context.append(phrases.GO_NOW.format(label=label, way=way))
    return Going([feedback.GOES_ON.format(label=label)], goes=True)
