"""Answering: what the user said to one item is recorded, decides a delegation, or is given back to the user."""

from __future__ import annotations

from bg.ledger import delegations, inbox, launches
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.loop import adopting, decisions, inheriting
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import phrases
from bg.words.quoting import DECIDED, inline, neutral, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Taken(Record):
    """What came of the user's words, in a line for the user, and whether they are recorded."""

    line: str
    recorded: bool


def take(scene: Scene, item: Question, text: str, source: str) -> Taken:
    """Inside a transaction: write one answer down; what is not written down is in the line, whole."""
    name = f"{item.label} {item.qid}"
    if item.state not in ("open", "answered"):
        return Taken(too_late(item, text), recorded=False)
    decision = None
    if inbox.kind(item) == inbox.DELEGATION:
        decision = decisions.read(text)
        if decision is None:
            return Taken(_asked_back(scene, item, text), recorded=False)
        if scene.late is not None and decision.verdict == decisions.YES:
            # Its agent is launched in the turn in which it is approved, and that turn is over.
            return Taken(phrases.APPROVE_AGAIN.format(name=name, words=given_back(text)), recorded=False)
    decided = "" if decision is None else inbox.APPROVED if decision.verdict == decisions.YES else inbox.DENIED
    replaced = inbox.answer(scene.book, item, text, source, decided)
    if decision is not None:
        _decide(scene, item, text, decision)
    said = decided or "answered"
    return Taken(f"{name} {said}: {inline(text, 120)}" + (f" ({replaced})" if replaced else ""), recorded=True)


def _asked_back(scene: Scene, item: Question, text: str) -> str:
    """What to type instead of words that are neither yes nor no."""
    name, typed = f"{item.label} {item.qid}", f"{scene.answer_command} {item.label} {item.qid}"
    earlier = inbox.given(scene.book, item)
    so = phrases.STANDS.format(words=inline(earlier.text, 120)) if earlier else phrases.UNDECIDED
    return phrases.NEITHER_YES_NOR_NO.format(name=name, so=so, typed=typed, words=given_back(text))


def given_back(text: str) -> str:
    """Words that were not recorded, whole, so that the user can copy them."""
    return neutral(text.strip())


def too_late(item: Optional[Question], text: str, label: str = "", qid: str = "") -> str:
    """Why an answer is not recorded: nothing waits for it any more, or never did."""
    if item is None:
        return phrases.NO_OPEN.format(label=label, qid=qid, words=given_back(text))
    name = f"{item.label} {item.qid}"
    why = phrases.WHY_TOO_LATE[item.state]
    return phrases.TOO_LATE.format(name=name, question=inline(item.text, 80), why=why, words=given_back(text))


def _decide(scene: Scene, item: Question, text: str, decision: decisions.Decision) -> None:
    """An approval opens the window in which its agent is launched."""
    label = ""
    if decision.verdict == decisions.YES:
        label = launches.open_window(scene.book, scene.session, "delegation", item.text)
        scene.answer.context.append(
            adopting.window_line(label, "delegation")
            + phrases.LAUNCH_DELEGATED.format(name=f"{item.label} {item.qid}", work=f"> {shown(item.text, DECIDED)}")
        )
        if decision.qualified:
            scene.answer.context.append(phrases.CONDITION.format(words=neutral(text)[:1500]))
    number = int(item.qid[1:]) - 1 if item.qid[1:].isdigit() else 0
    delegations.decide(scene.book, item.agent, item.run, number, text, label)


def owe(scene: Scene, task: Task) -> list[str]:
    """Inside a transaction: the parent is owed the next step; a line for the user where that is another session's."""
    inheriting.claim(scene, task)
    if not scene.owe_next_step(task.label):
        return []
    return [phrases.SENT_ELSEWHERE.format(label=task.label)]
