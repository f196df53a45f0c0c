"""Answering: the user's words to one item are recorded, decide a delegation, or are given back to the user."""

from __future__ import annotations

import re

from bg.host import tools
from bg.ledger import delegations, inbox, user_answers, windows
from bg.ledger.cases import Case
from bg.ledger.file import Writing, first_of
from bg.ledger.inbox import Question
from bg.ledger.values import Decision, Item, ItemState
from bg.loop import decisions, delegating, inheriting, reminding
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import feedback, phrases, recoveries
from bg.words.quoting import inline, neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


class Said(Record):
    """The user's words to one item: their source, their number, and whether they leave the item to the agent."""

    text: str
    source: str
    typed: int
    skips: bool = False


class Taken(Record):
    """The result of the user's words, in a line for the user, and whether they are recorded.

    `then` tells the parent what to do about words that are not recorded; empty if nothing.
    """

    line: str
    recorded: bool
    then: str = ""


def take(scene: Scene, writing: Writing, item: Question, said: Said) -> Taken:
    """Record one answer; if it is not recorded, the line gives the words back whole."""
    name, text = f"{item.label} {item.qid}", said.text
    if item.state not in (ItemState.OPEN, ItemState.ANSWERED):
        return Taken(too_late(item, text), recorded=False)
    if not was_meant(scene, item):
        question, words = inline(item.text, 80), given_back(text)
        why = feedback.ASKED_LATER
        return Taken(feedback.TOO_LATE.format(name=name, question=question, why=why, words=words), recorded=False)
    if inbox.kind(item) == Item.DELEGATION:
        return _take_decision(scene, writing, item, said)
    if inbox.kind(item) == Item.BLOCKER:
        return _take_resolution(scene, writing, item, said)
    how = _how(item, said)
    replaced = user_answers.answer(writing, item, text, said.source, how, said.typed)
    leaves = {user_answers.SKIP: feedback.LEFT_TO_THE_AGENT, user_answers.CONFIRMED: feedback.AS_ASSUMED}
    words = leaves.get(how) or inline(text, 120)
    return Taken(f"{name} answered: {words}" + (f" ({replaced})" if replaced else ""), recorded=True)


def was_meant(scene: Scene, item: Question) -> bool:
    """Whether the item was there when the user typed the words that a code has now confirmed."""
    return scene.confirmed is None or item.id in scene.confirmed


def request(scene: Scene, item: Question) -> Optional[delegations.Delegation]:
    """The request that the user is asked about by this item."""
    return first_of(delegations.find(scene.book, question=item.id))


def given_back(text: str) -> str:
    """Words that were not recorded, whole, so that the user can copy them."""
    return neutral(text.strip())


def never_asked(case: Case, qid: str, text: str) -> str:
    """Why an answer is not recorded: nothing has ever waited for it."""
    waits = ", ".join(item.qid for item in case.items)
    others = feedback.ONLY_OPEN.format(qids=waits) if waits else ""
    return feedback.NO_OPEN.format(label=case.label, qid=qid, others=others, words=given_back(text))


def too_late(item: Question, text: str) -> str:
    """Why an answer is not recorded: nothing waits for it any more."""
    name = f"{item.label} {item.qid}"
    why = feedback.WHY_TOO_LATE[item.state]
    return feedback.TOO_LATE.format(name=name, question=inline(item.text, 80), why=why, words=given_back(text))


def close_window(writing: Writing, asked: Optional[delegations.Delegation]) -> None:
    """Close the window of an approval that is withdrawn."""
    if asked is not None and asked.state == Decision.APPROVED:
        windows.close_windows_of(writing, asked.worker)


def reopen(scene: Scene, writing: Writing, item: Question) -> None:
    """Take the decision on an item back: a request waits again, and a blocker's work is not handed over."""
    asked = request(scene, item)
    if asked is None:
        return
    close_window(writing, asked)
    if inbox.kind(item) == Item.DELEGATION:
        delegations.reopen(writing, asked)
    else:
        delegations.deny(writing, asked, "")


def owe(scene: Scene, writing: Writing, case: Case) -> list[str]:
    """Owe the parent the next step; a line for the user if it is another session's parent."""
    inheriting.claim(scene, writing, case)
    if not reminding.owe_next_step(scene, writing, case.label):
        return []
    scene.answer.context.append(phrases.ANSWER_RECORDED_ELSEWHERE.format(label=case.label))
    return [feedback.SENT_ELSEWHERE.format(label=case.label)]


def _take_decision(scene: Scene, writing: Writing, item: Question, said: Said) -> Taken:
    name, text = f"{item.label} {item.qid}", said.text
    # To a request that asks for one of two things, yes and no may mean either.
    is_clear = not decisions.is_either(item.text) or decisions.names_it(text)
    decision = decisions.read(text) if is_clear else None
    asked = request(scene, item)
    if decision is None:
        return Taken(_asked_back(scene, item, text), recorded=False)
    if asked is not None and delegating.is_under_way(scene, asked):
        words = given_back(text)
        return Taken(feedback.LAUNCHED_ALREADY.format(name=name, child=asked.worker, words=words), recorded=False)
    if scene.late is not None and decision.verdict == decisions.YES:
        # Its agent is launched in the turn in which it is approved, and that turn is over.
        return Taken(feedback.APPROVE_AGAIN.format(name=name, words=given_back(text)), recorded=False)
    how = user_answers.APPROVED if decision.verdict == decisions.YES else user_answers.DENIED
    replaced = user_answers.answer(writing, item, text, said.source, how, said.typed)
    waits = _decide(scene, writing, item, text, decision)
    words = f": {inline(text, 120)}" if decision.qualified else ""
    beside = "; ".join(filter(None, (replaced, waits)))
    return Taken(f"{name}: {how}{words}" + (f" ({beside})" if beside else ""), recorded=True)


def _asked_back(scene: Scene, item: Question, text: str) -> str:
    """The question back to words that are neither yes nor no, with the line to type instead."""
    name, typed = f"{item.label} {item.qid}", f"{scene.answer_command} {item.label} {item.qid}"
    earlier = user_answers.given(scene.book, item)
    so = feedback.STANDS.format(words=inline(earlier.text, 120)) if earlier else feedback.UNDECIDED
    return feedback.NEITHER_YES_NOR_NO.format(name=name, so=so, typed=typed, words=given_back(text))


def _decide(scene: Scene, writing: Writing, item: Question, text: str, decision: decisions.Decision) -> str:
    """Open the launch window for an approval, close it for a denial; a word for the user if the launch must wait."""
    close_window(writing, request(scene, item))
    if decision.verdict == decisions.YES:
        return delegating.approve(scene, writing, item, text, qualified=decision.qualified)
    delegating.deny(scene, writing, item, text)
    return ""


def _take_resolution(scene: Scene, writing: Writing, item: Question, said: Said) -> Taken:
    """Record the user's way out of a blocker: one of the recoveries by its name, or words of the user's own."""
    name, (how, beyond) = f"{item.label} {item.qid}", recoveries.read(said.text)
    if how == recoveries.REDUCE and not beyond:
        return _to_what(scene, item)
    asked = request(scene, item)
    if asked is not None and delegating.is_under_way(scene, asked):
        words = given_back(said.text)
        return Taken(feedback.LAUNCHED_ALREADY.format(name=name, child=asked.worker, words=words), recorded=False)
    if asked is not None:  # it was to be handed over, and nothing has been launched yet
        close_window(writing, asked)
        delegations.deny(writing, asked, said.text)
    replaced = user_answers.answer(writing, item, said.text, said.source, how or user_answers.ANSWER, said.typed)
    waits = delegating.hand_over(scene, writing, item, said.text) if how == recoveries.HAND_OVER else ""
    follows = recoveries.line(recoveries.plan(how, said.text, inbox.extra(item))) if how else ""
    beside = "; ".join(filter(None, (follows, replaced, waits)))
    return Taken(f"{name} answered: {inline(said.text, 120)}" + (f" ({beside})" if beside else ""), recorded=True)


def _to_what(scene: Scene, item: Question) -> Taken:
    """Ask the user what to leave out, before anything is sent."""
    name, listed = f"{item.label} {item.qid}", recoveries.entries(inbox.extra(item).get("blocked_work"))
    then = phrases.REDUCE_TO_WHAT.format(
        name=name, ask=tools.ASK, listed=recoveries.listing(listed) or phrases.NOT_KNOWN
    )
    typed = f"{scene.answer_command} {name} {recoveries.to_type(recoveries.REDUCE)}"
    return Taken(feedback.REDUCE_TO_WHAT.format(name=name, typed=typed), recorded=False, then=then)


def _how(item: Question, said: Said) -> str:
    """The kind of answer: it confirms an assumption only by the same words, or by leaving it to the agent."""
    assumed = inbox.assumed(item)
    if assumed and (said.skips or _plain(said.text) == _plain(assumed)):
        return user_answers.CONFIRMED
    return user_answers.SKIP if said.skips else user_answers.ANSWER


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
