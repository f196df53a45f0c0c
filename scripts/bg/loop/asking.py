"""Dialogs: the user is asked in the agents' own words, and what the user says is recorded."""

from __future__ import annotations

from bg.host import dialogs, tools
from bg.ledger import inbox, notes, tasks
from bg.ledger.inbox import Question
from bg.loop import answering, answers
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def before_question(scene: Scene) -> None:
    """PreToolUse(AskUserQuestion): waiting questions get the agents' own words, which ties the answers to them."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    items = inbox.waiting(scene.book, project=scene.project)
    asked = dialogs.questions_of(event)
    rewritten = answers.rewrite(asked, items)
    shown = [
        item.id
        for item in items
        if any(dialogs.wording(question).startswith(answers.prefix(item)) for question in rewritten or [])
    ]
    with scene.book.transaction():
        inbox.mark_shown(scene.book, shown)
        notes.set_dialog(scene.book, event.tool_use, _put(asked, rewritten or [], items))
    if rewritten is not None:
        scene.answer.updated_input = dialogs.questions_with(event, rewritten)


def _put(
    asked: list[dict[str, Any]], rewritten: list[dict[str, Any]], items: list[Question]
) -> dict[int, str]:
    """Which item each question stands for, with the words that it had: a host may show these instead."""
    pairs = [(dialogs.wording(one), dialogs.wording(other)) for one, other in zip(asked, rewritten)]
    return {
        item.id: tasks.digest(before)
        for item in items
        for before, after in pairs
        if after.startswith(answers.prefix(item))
    }


def after_question(scene: Scene) -> None:
    """PostToolUse(AskUserQuestion): the user's answers, each to its own question, all of them or none."""
    if scene.event.in_subagent:
        return
    scene.see()
    given = {question: text for question, text in dialogs.answers_of(scene.event).items() if text.strip()}
    with scene.book.transaction():
        told: list[str] = []
        answered: list[str] = []
        for question, item in _asked_by(scene, list(given)):
            taken = answering.take(scene, item, given[question], "dialog")
            if taken.recorded:
                answered.append(item.label)
            else:
                told.append(inline(taken.line, 400))
            if not taken.recorded or inbox.kind(item) == inbox.DELEGATION:
                scene.answer.notice.append(taken.line)
        for label in dict.fromkeys(answered):
            task = tasks.get(scene.book, label)
            elsewhere = answering.owe(scene, task) if task else []
            scene.answer.notice += elsewhere
            told += elsewhere
    if told:
        scene.answer.context.append(f"{phrases.SENDER} " + "\n".join(told))
    scene.remind()


def _asked_by(scene: Scene, shown: list[str]) -> list[tuple[str, Question]]:
    """The items that a dialog's questions stood for, told by their words: an id alone may mean another one by now."""
    pairs: list[tuple[str, Question]] = []
    meant = notes.take_dialog(scene.book, scene.event.tool_use)
    left = _unnamed(scene, shown, meant)
    for question in shown:
        named = answers.prefixed(question)
        known = inbox.ever(scene.book, *named) if named else left
        # Where no hook could put the agent's words into the dialog, the parent's words must do.
        item = next((one for one in known if named and answers.is_put(question, one)), None)
        item = item or answers.match(question, [one for one in known if one.state in ("open", "answered")])
        item = item or (known[0] if named and known else None)
        if item is not None and not _was_put(question, item, meant):
            _not_taken(scene, item)
        elif item is not None:
            pairs.append((question, item))
            left = [one for one in left if one.id != item.id]
    return pairs


def _was_put(question: str, item: Question, meant: Optional[dict[int, str]]) -> bool:
    """The very call has shown the user that item: another plugin may show questions that begin like ours."""
    return meant is not None and item.id in meant and (
        answers.is_put(question, item) or tasks.digest(question) == meant[item.id]
    )


def _not_taken(scene: Scene, item: Question) -> None:
    scene.answer.context.append(phrases.DIALOG_NOT_OURS.format(name=f"{item.label} {item.qid}", ask=tools.ASK))


def _unnamed(scene: Scene, shown: list[str], meant: Optional[dict[int, str]]) -> list[Question]:
    """What a dialog without our words may stand for: a host that shows the parent's words instead."""
    if not meant or any(answers.prefixed(question) for question in shown):
        return []
    items = inbox.waiting(scene.book, project=scene.project)
    return [item for item in items if item.id in meant]
