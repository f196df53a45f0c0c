"""Going on: `/bg-answer LABEL go` wakes or relaunches a task in whatever state it is, with what there is."""

from __future__ import annotations

from bg.ledger import inbox, tasks, user_answers, waiting, windows
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.ledger.values import Item, Opened, State
from bg.loop import adopting, answering, delegating, inheriting, waking
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import feedback, phrases
from bg.words.quoting import quote


class Going(Record):
    """What `go` did, in lines for the user, and whether this session's parent has something to do."""

    lines: list[str]
    goes: bool


def go(scene: Scene, writing: Writing, task: Task, typed: int) -> Going:
    """Answer what waits with leave to go on, and say how the task goes on."""
    if not inheriting.claim(scene, writing, task) and not inbox.waiting(scene.book, label=task.label):
        return Going([feedback.GO_ELSEWHERE.format(label=task.label)], goes=False)
    launched = [delegating.launch_again(scene, writing, one) for one in waiting.forgotten(scene.book, task)]
    if launched:
        return Going(launched, goes=True)
    open_items = inbox.waiting(scene.book, label=task.label)
    skipped = [item for item in open_items if inbox.kind(item) != Item.DELEGATION]
    later = [item.qid for item in skipped if not answering.was_meant(scene, item)]
    if later:
        return Going([feedback.GO_AGAIN.format(label=task.label, qids=", ".join(later))], goes=False)
    for item in skipped:
        user_answers.answer(writing, item, user_answers.SKIP, "go", user_answers.SKIP, typed)
    released = delegating.release(scene, writing, task)
    left = [each for each in waiting.awaited(scene.book, task.label) if each.label]
    if left:
        return Going([feedback.CHILD_FIRST.format(label=task.label, child=each.label) for each in left], goes=False)
    if task.agent and waiting.has_news(scene.book, task):
        elsewhere = answering.owe(scene, writing, task)
        lines = released or [feedback.GOES_ON_WITH_WHAT_THERE_IS.format(label=task.label)]
        return Going([*lines, *elsewhere], goes=True)
    decisions = [item for item in open_items if inbox.kind(item) == Item.DELEGATION]
    if decisions:
        return Going([_decide_first(scene, item) for item in decisions], goes=False)
    return _resume(scene, writing, task)


def _decide_first(scene: Scene, item: Question) -> str:
    typed = f"{scene.answer_command} {item.label} {item.qid}"
    return feedback.DECIDE_FIRST.format(name=f"{item.label} {item.qid}", typed=typed)


def _resume(scene: Scene, writing: Writing, task: Task) -> Going:
    label = task.label
    if task.state == State.NOT_LAUNCHED:
        windows.open_window(writing, scene.session, Opened.COMMAND, task.text, label)
        words = phrases.LAUNCH_NOW.format(work=quote(task.text, 2500))
        scene.answer.context.append(adopting.window_line(label) + words)
        return Going([feedback.LAUNCHED_AGAIN.format(label=label)], goes=True)
    if task.state not in tasks.CONTINUABLE_STATES or not task.agent:
        state = task.state.replace("_", " ")
        return Going([feedback.NOTHING_TO_RESUME.format(label=label, state=state)], goes=False)
    way = waking.resume_how(scene, task.agent, label)
    if not waking.wakes(scene, task.agent):
        waking.open_relaunch(scene, writing, task)
    scene.answer.context.append(phrases.GO_NOW.format(label=label, way=way))
    return Going([feedback.GOES_ON.format(label=label)], goes=True)
