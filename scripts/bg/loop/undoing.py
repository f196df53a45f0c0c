"""Undoing: what the user said last to a task is taken back, as long as its agent has not been woken with it."""

from __future__ import annotations

from bg.ledger import delegations, deliveries, inbox, resumes, user_answers
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.user_answers import Answer
from bg.ledger.values import Decision, ItemState
from bg.loop import answering
from bg.loop.scene import Scene
from bg.words import feedback, phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def undo(scene: Scene, writing: Writing, case: Case) -> tuple[list[str], bool]:
    """Take the last answer back; a line for each item, and whether anything was taken back."""
    last = user_answers.last_given(scene.book, case.label)
    if not last:
        sent = any(item.state == ItemState.SENT for item in inbox.find(scene.book, label=case.label))
        words = feedback.UNDO_TOO_LATE if sent else feedback.NOTHING_TO_UNDO
        return [words.format(label=case.label)], False
    lines = [_take_back(scene, writing, row) for row in last]
    if not any(done for _, done in lines):
        return [line for line, _ in lines], False
    deliveries.settle_next_step(writing, case.label)
    names = ", ".join(line.split(":")[0] for line, done in lines if done)
    scene.answer.context.append(phrases.TAKEN_BACK.format(names=names))
    return [line for line, _ in lines], True


def _take_back(scene: Scene, writing: Writing, row: Answer) -> tuple[str, bool]:
    item = inbox.get(scene.book, row.question)
    if item is None:
        return feedback.NOTHING_TO_UNDO.format(label=row.label), False
    name = f"{item.label} {item.qid}"
    asked = answering.request(scene, item)
    refused = _refused(scene, row, asked)
    if refused:
        return refused.format(name=name, label=item.label, child=asked.worker if asked else ""), False
    answering.reopen(scene, writing, item)
    stands = user_answers.take_back(writing, row)
    words = feedback.STANDS_AGAIN.format(words=inline(stands, 120)) if stands else feedback.OPEN_AGAIN
    return feedback.UNDONE.format(name=name, words=inline(row.text, 120), then=words), True


def _refused(scene: Scene, row: Answer, asked: Optional[delegations.Delegation]) -> str:
    """Why an answer can no longer be taken back."""
    if resumes.is_on_its_way(scene.book, row.resume):
        return feedback.ON_ITS_WAY
    if asked is not None and asked.state == Decision.LAUNCHED:
        return feedback.UNDO_AFTER_LAUNCH
    return ""
