"""Telling: what the user says to a task that asks for nothing reaches its agent, and so does that it is to stop."""

from __future__ import annotations

from bg.host import versions
from bg.ledger import inbox, notes, tasks, user_answers
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.values import State
from bg.loop import answering, waking
from bg.loop.going import Going
from bg.loop.scene import Scene
from bg.words import feedback, outcome, phrases

STOP = "stop"


def tell(scene: Scene, writing: Writing, case: Case, words: str, typed: int) -> Going:
    """Write the words down for the agent: they wake it, or reach it while it works, or when its run ends."""
    line = _how(scene, case)
    if not case.task.agent:
        state = outcome.in_a_word(case.task.state)
        said = feedback.NOBODY_TO_TELL.format(label=case.label, state=state, words=answering.given_back(words))
        return Going([said], goes=False)
    return Going([line, *_put(scene, writing, case, words, typed)], goes=True)


def stop(scene: Scene, writing: Writing, case: Case, typed: int) -> Going:
    """Ask a running agent for a checkpoint first where that can be; at the second time it is stopped at once."""
    if case.task.state not in tasks.RUNNING_STATES:
        said = feedback.STOPS_NOTHING.format(
            label=case.label, state=outcome.in_a_word(case.task.state), command=scene.answer_command
        )
        return Going([said], goes=False)
    if case.task.agent and scene.host.resume_way == versions.BY_MESSAGE and not _was_asked_to_stop(case):
        elsewhere = _put(scene, writing, case, STOP, typed, stops=True)
        line = feedback.STOPS_SOON.format(label=case.label, command=scene.answer_command)
        return Going([line, *elsewhere], goes=True)
    scene.answer.context.append(phrases.STOP_NOW.format(label=case.label, agent=case.task.agent or case.label))
    return Going([feedback.STOPS_NOW.format(label=case.label)], goes=True)


def _put(scene: Scene, writing: Writing, case: Case, words: str, typed: int, *, stops: bool = False) -> list[str]:
    """The words are an answer to nothing, and go the way of answers; a line where another session sends them."""
    run = case.agent.run
    item = inbox.unasked(writing, case.label, case.task.agent, run.run if run else 0, words, stops=stops)
    user_answers.answer(writing, item, words, "command", typed=typed)
    if case.task.state == State.PAUSED:
        notes.set_limit(writing, case.label, case.limit._replace(told=True, released=True))
    return answering.owe(scene, writing, case)


def _how(scene: Scene, case: Case) -> str:
    """How the words get there, in a line for the user."""
    if case.task.state in tasks.RUNNING_STATES:
        can = scene.host.resume_way == versions.BY_MESSAGE
        told = feedback.TOLD_WHILE_IT_WORKS if can else feedback.TOLD_AT_ITS_END
    else:
        wakes = bool(case.task.agent) and waking.wakes(scene, case.task.agent)
        told = feedback.GOES_ON_WITH_WORDS if wakes else feedback.GOES_ON_ANEW_WITH_WORDS
    return told.format(label=case.label)


def _was_asked_to_stop(case: Case) -> bool:
    run = case.agent.run
    return any(inbox.extra(item).get("stops") for item in case.agent.items_of(run.run if run else 0))
