"""Delegating: the user's decision on work that an agent wants to hand on, and what follows from it.

Nothing here approves: an approval is read from the user's words by `answering` and only carried out here.
"""

from __future__ import annotations

from bg.ledger import cases, delegations, reported, tasks, windows
from bg.ledger.cases import Case
from bg.ledger.delegations import Delegation
from bg.ledger.file import Ledger, Writing, first_of
from bg.ledger.inbox import Question
from bg.ledger.values import Opened, Standing, State
from bg.loop import adopting, reminding
from bg.loop.scene import Scene
from bg.signals import delegation, kinds
from bg.words import feedback, phrases
from bg.words.quoting import DECIDED, begun, shown


def is_under_way(scene: Scene, one: Delegation) -> bool:
    """Whether the agent has been launched, so that the decision can no longer be changed."""
    return delegations.standing(scene.book, one) in (*delegations.UNDER_WAY, *delegations.OVER)


def approve(scene: Scene, writing: Writing, item: Question, text: str, *, qualified: bool) -> str:
    """Open the window in which the agent is launched; a word for the user if the launch must wait."""
    one = first_of(delegations.find(scene.book, question=item.id))
    if one is None:
        return ""
    return _open_for(scene, writing, one, text, condition=text if qualified else "")


def launch_order(book: Ledger, one: Delegation, label: str) -> str:
    """The order to the parent to launch the agent."""
    if one.handed_over:
        told = phrases.LAUNCH_HANDED_OVER.format(work=delegation.to_launch(book, one))
    else:
        work = shown(delegation.work(book, one), DECIDED)
        told = phrases.LAUNCH_DELEGATED.format(name=f"{one.label} {one.qid}", work=f"> {work}")
    return adopting.window_line(label, Opened.DELEGATION) + told


def deny(scene: Scene, writing: Writing, item: Question, text: str) -> None:
    """Deny the request, in the user's words."""
    one = first_of(delegations.find(scene.book, question=item.id))
    if one is not None:
        delegations.deny(writing, one, text)


def hand_over(scene: Scene, writing: Writing, item: Question, text: str) -> str:
    """Have another agent do the work that this one could not; a word for the user if the launch must wait."""
    signal = reported.last_of_marker(scene.book, item.agent, item.run, kinds.STOP)
    delegations.note(writing, item.label, signal, item.qid, item.id, blocking=False, handed_over=True)
    one = first_of(delegations.find(scene.book, question=item.id))
    return _open_for(scene, writing, one, text) if one else ""


def launch_again(scene: Scene, writing: Writing, one: Delegation) -> str:
    """Have the parent launch, under its label, an approved agent that was never launched."""
    words = one.words or ""
    waits = _open_for(scene, writing, one, words, condition="" if one.handed_over else words)
    return waits or feedback.LAUNCHES_NOW.format(name=f"{one.label} {one.qid}", child=one.worker)


def release(writing: Writing, case: Case) -> list[str]:
    """Let the task go on without the awaited agents that are themselves waiting; return a line for each."""
    lines = []
    for awaited in case.awaited:
        one = next((each for each in case.requests if each.qid == awaited.qid), None)
        if one is not None and awaited.kind == cases.AGENT and awaited.standing == Standing.WAITING:
            delegations.release(writing, one)
            lines.append(feedback.GOES_ON_WITHOUT.format(label=case.label, whom=awaited.label))
    return lines


def make_room(scene: Scene, writing: Writing, case: Case) -> None:
    """Owe the parent the launches that waited for room, now that an agent has ended."""
    if scene.settings.max_tasks is None or scene.full():
        return
    for one in delegations.unlaunched(scene.book, case.task.project):
        asker = cases.of(scene.book, one.label)
        if asker is not None and asker.task.session == scene.session:
            reminding.owe_next_step(scene, writing, one.label)


def refused(scene: Scene, label: str) -> str:
    """The words for the parent on an approval whose launch the cap has refused: the approval still holds."""
    case = cases.of(scene.book, label)
    one = case.asked_by if case else None
    return phrases.APPROVAL_STANDS.format(name=f"{one.label} {one.qid}", label=label) if one else ""


def _open_for(scene: Scene, writing: Writing, one: Delegation, words: str, *, condition: str = "") -> str:
    """Give an approved request a label and, if there is room, a window; a word for the user if the launch must wait."""
    label = one.worker or windows.take_label(writing)
    delegations.approve(writing, one, words, label)
    one = delegations.find(writing, signal=one.signal)[0]
    work = delegation.work(writing, one)
    full = scene.full()
    if full:
        _reserve(scene, writing, label, work)
        return feedback.WHEN_THERE_IS_ROOM.format(why=full)
    windows.open_window(writing, scene.session, Opened.DELEGATION, work, label)
    scene.answer.context.append(launch_order(writing, one, label))
    if condition:
        scene.answer.context.append(phrases.CONDITION.format(words=begun(condition, DECIDED)))
    return ""


def _reserve(scene: Scene, writing: Writing, label: str, work: str) -> None:
    """Keep the label for a later launch, like that of a window in which nothing was launched."""
    if cases.of(scene.book, label) is None:
        tasks.create(writing, label, label, scene.session, scene.project, work, State.NOT_LAUNCHED)
        windows.open_window(writing, scene.session, Opened.DELEGATION, work, label)
        for window in scene.docket.windows:
            if window.label == label:
                windows.close_window(writing, window)
