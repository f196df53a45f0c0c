"""Asking back: what is said and kept where the words behind /bg-answer leave open what they mean."""

from __future__ import annotations

import json

from bg.ledger import inbox, tasks
from bg.ledger import typed as typing
from bg.ledger.inbox import Question
from bg.ledger.values import Item, ItemState
from bg.loop import answer_doubts, answer_words, answering, answers
from bg.loop.answers import Part, Typed
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import feedback
from bg.words.quoting import inline

# What cannot be read at all, so that there is no reading to confirm.
_UNREADABLE = (answer_doubts.UNKNOWN, answer_doubts.COMMAND, answer_doubts.NUMBER, answer_doubts.MISSPELT)


class Outcome(Record):
    """Lines for the user, what became of the words, and whether the lines give back whole what was not recorded.

    `closes` is the label of a task that they close.
    """

    lines: list[str]
    outcome: str
    label: str = ""
    reading: str = ""
    whole: bool = False
    closes: str = ""


class Answer(Record):
    """One answer whose item is found: `skips` leaves it to the agent."""

    item: Question
    text: str
    skips: bool


def refuse(scene: Scene, problem: str, known: answers.Known, label: str = "") -> Outcome:
    """Nothing can be made of the words: the problem, and what waits."""
    listed = ["", scene.desk.inbox(scene.book, scene.project)] if known.waiting else []
    return Outcome([problem, *listed], typing.REFUSED, label)


def several(scene: Scene, known: answers.Known) -> Outcome:
    """No task is named, and several wait, or none."""
    labels = list(dict.fromkeys(item.label for item in known.waiting))
    if not labels:
        return Outcome([feedback.NOTHING_WAITS], typing.REFUSED)
    return refuse(scene, feedback.SEVERAL_WAIT.format(labels=", ".join(labels), label=labels[0]), known)


def say_which(scene: Scene, label: str, mine: list[Question], typed: Typed) -> Outcome:
    """No item is named, and several of this task wait, or none."""
    words = answering.given_back(typed.plain)
    if not mine:
        task = tasks.get(scene.book, label)
        state = task.state.replace("_", " ") if task else ""
        line = feedback.WAITS_FOR_NOTHING.format(label=label, state=state, words=words)
        return Outcome([line], typing.REFUSED, label, whole=True)
    example = " ".join(f"{item.qid}: …" for item in mine)
    line = feedback.SAY_WHICH.format(label=label, count=len(mine), example=example, words=words)
    return Outcome([line], typing.REFUSED, label, whole=True)


def ask_back(scene: Scene, typed: Typed, parts: list[Part], known: answers.Known, number: int) -> Outcome:
    """What is in doubt, how it would be taken, and the one line that confirms it."""
    named = [(feedback.DOUBTS[doubt], inline(what, 60)) for doubt, what in dict.fromkeys(typed.doubts)]
    lines = [feedback.NOT_SENT.format(why="; ".join(words.format(what=what) for words, what in named))]
    label = parts[0].label
    if all(doubt == answer_doubts.UNKNOWN for doubt, _ in typed.doubts):
        found, lost = found_in(scene, parts)
        if not found:
            return Outcome(lost, typing.REFUSED, label, whole=True)
    # Words before the first id reach the agent with the first answer.
    if typed.lead:
        parts = [parts[0]._replace(text=f"{typed.lead}\n{parts[0].text}".strip()), *parts[1:]]
    found, lost = found_in(scene, [part for part in parts if part.text])
    if lost or not found or any(doubt in _UNREADABLE for doubt, _ in typed.doubts):
        items = known.items(label) or known.waiting
        example = f"{scene.answer_command} {label} {items[0].qid}: …" if items else scene.answer_command
        return Outcome([*lines, feedback.SAY_ANEW.format(example=example)], typing.REFUSED, label)
    lines.append(feedback.UNDERSTOOD)
    lines += [f"  {each.item.label} {each.item.qid}: {inline(each.text, 300)}" for each in found]
    return Outcome([*lines, confirm_line(scene, number, feedback.IF_SO)], typing.DOUBTFUL, label, reading_of(found))


def confirm_line(scene: Scene, number: int, meaning: str) -> str:
    """What the user types where the words that were shown under this number are what was meant."""
    return feedback.CONFIRM.format(command=scene.answer_command, number=number, meaning=meaning)


def reading_of(found: list[Answer]) -> str:
    """The answers as they are kept until they are confirmed."""
    return json.dumps({"answers": [[each.item.id, each.text, each.skips] for each in found]}, ensure_ascii=False)


def found_in(scene: Scene, parts: list[Part]) -> tuple[list[Answer], list[str]]:
    """The answers whose item waits; a line for each other, with its words."""
    found, lines = [], []
    for part in parts:
        ever = inbox.ever(scene.book, part.label, part.qid)
        item = next((one for one in ever if one.state in (ItemState.OPEN, ItemState.ANSWERED)), None)
        if item is None:
            lines.append(answering.too_late(ever[0] if ever else None, part.text, part.label, part.qid))
        else:
            skips = answer_words.reserved(part.text) == answer_words.SKIP and inbox.kind(item) != Item.DELEGATION
            found.append(Answer(item, part.text, skips))
    return found, lines


def offers(item: Question, word: str) -> bool:
    """The item itself offers this command word as an answer."""
    extra = inbox.extra(item)
    return answer_words.mentions(item, word, extra=json.dumps([extra.get("options"), extra.get("default")]))
