"""The command /bg-answer: lists, answers, unblocks, approves, denies, takes back and goes on; in doubt it asks back.

What the user typed is written down before anything is made of it. A prompt that records something goes on to the model;
a list, help and what is asked back cost no request.
"""

from __future__ import annotations

import json

from bg.ledger import inbox, proofs, tasks
from bg.ledger import typed as typing
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.loop import answering, answers, commands, going, next_steps, proof, shutting, undoing
from bg.loop.answers import Part, Typed
from bg.loop.scene import Scene
from bg.record import Record
from bg.words import phrases
from bg.words.quoting import inline, neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# What cannot be read at all, so that there is no reading to confirm.
_UNREADABLE = (answers.UNKNOWN, answers.COMMAND, answers.NUMBER, answers.MISSPELT)


class _Outcome(Record):
    """Lines for the user, what became of the words, and whether the lines give back whole what was not recorded."""

    lines: list[str]
    outcome: str
    label: str = ""
    reading: str = ""
    whole: bool = False


class _Answer(Record):
    """One answer whose item is found: `skips` leaves it to the agent."""

    item: Question
    text: str
    skips: bool


def answer_command(scene: Scene, arguments: str) -> None:
    """UserPromptSubmit of `/bg-answer`."""
    if answers.is_blank(arguments):
        commands.say(scene, commands.waiting_list(scene))
        return
    waiting = inbox.waiting(scene.book, project=scene.project)
    only = _only_label(scene, waiting)

    def was_asked(label: str, qid: str) -> bool:
        name = label or only
        return bool(inbox.ever(scene.book, name, qid)) if name else any(qid == item.qid.upper() for item in waiting)

    known = answers.Known(waiting, was_asked, lambda label: tasks.get(scene.book, label) is not None)
    typed = answers.read(arguments, known)
    if typed.word in (answers.HELP, answers.DOCTOR) and not typed.doubts:
        doctor = typed.word == answers.DOCTOR
        commands.say(scene, commands.doctor_told(scene) if doctor else phrases.ANSWER_HELP)
        return
    with proof.claimed(scene, proofs.PROMPTED, scene.event.prompt):
        number = typing.keep(scene.book, scene.session, "command", typed.label, arguments)
        confirmed = answers.confirmed(arguments)
        came = _confirm(scene, confirmed, number) if confirmed else _carry_out(scene, typed, known, number)
        typing.conclude(scene.book, number, came.outcome, came.label, came.reading)
    if came.outcome != typing.TAKEN:
        if came.outcome != typing.COMMAND and not came.whole:
            came.lines.append(phrases.YOU_TYPED.format(words=neutral(arguments.strip())))
        commands.say(scene, "\n".join(came.lines))
        return
    scene.answer.notice += came.lines


def _carry_out(scene: Scene, typed: Typed, known: answers.Known, number: int) -> _Outcome:
    """Inside a transaction: what the words ask for."""
    if typed.label and tasks.get(scene.book, typed.label) is None:
        return _refuse(scene, phrases.NO_SUCH_TASK.format(label=typed.label), known)
    if any(doubt == answers.MISSPELT for doubt, _ in typed.doubts):
        return _refuse(scene, phrases.NO_SUCH_TASK.format(label=inline(typed.doubts[0][1], 40)), known)
    if typed.word == answers.UNDO:
        return _undo(scene, typed.label)
    label = typed.label or _only_label(scene, known.waiting, go=typed.word == answers.GO)
    if typed.word == answers.CLOSE and not typed.label:
        return _Outcome([phrases.CLOSE_WHICH.format(command=scene.answer_command)], typing.COMMAND)
    if typed.word in (answers.GO, answers.SKIP, answers.CLOSE):
        return _word(scene, typed, label, known, number)
    if typed.label and not typed.parts and not typed.plain:
        return _Outcome([_shown(scene, typed)], typing.COMMAND, typed.label)
    return _answer(scene, typed, label, known, number)


def _refuse(scene: Scene, problem: str, known: answers.Known, label: str = "") -> _Outcome:
    listed = ["", commands.waiting_list(scene)] if known.waiting else []
    return _Outcome([problem, *listed], typing.REFUSED, label)


def _only_label(scene: Scene, waiting: list[Question], *, go: bool = False) -> str:
    """The task that is meant where none is named: the only one that waits, or whose answers have not been sent."""
    labels = list(dict.fromkeys(item.label for item in waiting))
    if not labels:
        ended = tasks.in_session(scene.book, scene.session, tasks.CONTINUABLE_STATES)
        unsent = [task.label for task in ended if task.agent and inbox.unsent(scene.book, task.agent)]
        labels = unsent or [task.label for task in ended if go]
    return labels[0] if len(labels) == 1 else ""


def _several(scene: Scene, known: answers.Known) -> _Outcome:
    labels = list(dict.fromkeys(item.label for item in known.waiting))
    if not labels:
        return _Outcome([phrases.NOTHING_WAITS], typing.REFUSED)
    return _refuse(scene, phrases.SEVERAL_WAIT.format(labels=", ".join(labels), label=labels[0]), known)


def _word(scene: Scene, typed: Typed, label: str, known: answers.Known, number: int) -> _Outcome:
    """`go` or `skip`, unless what waits offers that very word as an answer."""
    task = tasks.get(scene.book, label) if label else None
    if task is None:
        return _several(scene, known)
    mine = [item for item in known.items(label) if inbox.kind(item) != inbox.DELEGATION]
    offered = [item for item in mine if _offers(item, typed.word)]
    command = scene.answer_command
    if offered:
        name, words = f"{label} {offered[0].qid}", typed.word
        line = phrases.WORD_IS_AN_ANSWER.format(name=name, word=words, command=command)
        reading = json.dumps({"word": typed.word, "label": label})
        confirm = _confirm_line(scene, number, phrases.AS_COMMAND[words])
        return _Outcome([line, confirm], typing.DOUBTFUL, label, reading)
    if typed.word == answers.GO:
        return _go(scene, task, number)
    if typed.word == answers.CLOSE:
        return _close(scene, task)
    if len(mine) != 1:
        qids = " ".join(f"{item.qid}: skip" for item in mine)
        if not mine:
            return _refuse(scene, phrases.NOTHING_TO_SKIP.format(label=label), known, label)
        reading = _reading([_Answer(item, answers.SKIP, skips=True) for item in mine])
        line = phrases.SKIP_WHICH.format(label=label, count=len(mine), typed=f"{command} {label} {qids}")
        return _Outcome([line, _confirm_line(scene, number, phrases.ALL_OF_THEM)], typing.DOUBTFUL, label, reading)
    return _record(scene, [_Answer(mine[0], answers.SKIP, skips=True)], number, [])


def _offers(item: Question, word: str) -> bool:
    extra = inbox.extra(item)
    return answers.mentions(item, word, extra=json.dumps([extra.get("options"), extra.get("default")]))


def _go(scene: Scene, task: Task, number: int) -> _Outcome:
    came = going.go(scene, task, number)
    return _Outcome(came.lines, typing.TAKEN if came.goes else typing.COMMAND, task.label)


def _close(scene: Scene, task: Task) -> _Outcome:
    return _Outcome([shutting.close(scene, task)], typing.COMMAND, task.label)


def _undo(scene: Scene, label: str) -> _Outcome:
    if not label:
        here = tasks.of_project(scene.book, scene.project)
        given = [(rows[-1].id, task.label) for task in here if (rows := inbox.last_given(scene.book, task.label))]
        if not given:
            return _Outcome([phrases.NOTHING_TO_UNDO_AT_ALL], typing.COMMAND)
        label = max(given)[1]
    task = tasks.get(scene.book, label)
    if task is None:
        return _Outcome([phrases.NO_SUCH_TASK.format(label=label)], typing.COMMAND)
    lines, done = undoing.undo(scene, task)
    return _Outcome(lines, typing.TAKEN if done else typing.COMMAND, label)


def _answer(scene: Scene, typed: Typed, label: str, known: answers.Known, number: int) -> _Outcome:
    """Every answer finds its item, or nothing is recorded of what is in doubt."""
    parts = typed.parts
    if not parts:
        mine = known.items(label) if label else []
        if not label:
            return _several(scene, known)
        if len(mine) != 1:
            return _say_which(scene, label, mine, typed)
        parts = [Part(label, mine[0].qid, typed.plain)]
    parts = [part if part.label else part._replace(label=label) for part in parts]
    if any(not part.label for part in parts):
        return _several(scene, known)
    if typed.doubts:
        return _ask_back(scene, typed, parts, known, number)
    found, lines = _found(scene, parts)
    offered = [each for each in found if each.skips and _offers(each.item, answers.SKIP)]
    if offered:
        name = f"{offered[0].item.label} {offered[0].item.qid}"
        line = phrases.WORD_IS_AN_ANSWER.format(name=name, word=answers.SKIP, command=scene.answer_command)
        reading = _reading([each._replace(skips=False) if each in offered else each for each in found])
        return _Outcome([line, _confirm_line(scene, number, phrases.AS_ANSWER)], typing.DOUBTFUL, name, reading)
    return _record(scene, found, number, lines, label)


def _found(scene: Scene, parts: list[Part]) -> tuple[list[_Answer], list[str]]:
    """The answers whose item waits; a line for each other, with its words."""
    found, lines = [], []
    for part in parts:
        ever = inbox.ever(scene.book, part.label, part.qid)
        item = next((one for one in ever if one.state in ("open", "answered")), None)
        if item is None:
            lines.append(answering.too_late(ever[0] if ever else None, part.text, part.label, part.qid))
        else:
            skips = answers.reserved(part.text) == answers.SKIP and inbox.kind(item) != inbox.DELEGATION
            found.append(_Answer(item, part.text, skips))
    return found, lines


def _record(scene: Scene, found: list[_Answer], number: int, lines: list[str], label: str = "") -> _Outcome:
    """Inside a transaction: write the answers down, and say what follows for each task."""
    recorded: list[str] = []
    for each in found:
        said = answering.Said(each.text, "command", number, each.skips)
        taken = answering.take(scene, each.item, said)
        lines.append(taken.line)
        recorded += [each.item.label] if taken.recorded else []
    if not recorded:
        return _Outcome(lines, typing.REFUSED, label, whole=True)
    for one in dict.fromkeys(recorded):
        lines += _go_on(scene, one)
    return _Outcome(lines, typing.TAKEN, " ".join(dict.fromkeys(recorded)))


def _go_on(scene: Scene, label: str) -> list[str]:
    """What follows from a task's answers; lines for the user."""
    task = tasks.get(scene.book, label)
    left = [item.qid for item in inbox.waiting(scene.book, label=label) if inbox.kind(item) != inbox.DELEGATION]
    if task is None:
        return []
    if not left:
        return answering.owe(scene, task)
    scene.answer.context.append(next_steps.next_step(scene, task))
    return [phrases.STILL_OPEN.format(qids=", ".join(left), label=label)]


def _say_which(scene: Scene, label: str, mine: list[Question], typed: Typed) -> _Outcome:
    words = answering.given_back(typed.plain)
    if not mine:
        task = tasks.get(scene.book, label)
        state = task.state.replace("_", " ") if task else ""
        line = phrases.WAITS_FOR_NOTHING.format(label=label, state=state, words=words)
        return _Outcome([line], typing.REFUSED, label, whole=True)
    example = " ".join(f"{item.qid}: …" for item in mine)
    line = phrases.SAY_WHICH.format(label=label, count=len(mine), example=example, words=words)
    return _Outcome([line], typing.REFUSED, label, whole=True)


def _ask_back(scene: Scene, typed: Typed, parts: list[Part], known: answers.Known, number: int) -> _Outcome:
    """What is in doubt, how it would be taken, and the one line that confirms it."""
    named = [(phrases.DOUBTS[doubt], inline(what, 60)) for doubt, what in dict.fromkeys(typed.doubts)]
    lines = [phrases.NOT_SENT.format(why="; ".join(words.format(what=what) for words, what in named))]
    label = parts[0].label
    if all(doubt == answers.UNKNOWN for doubt, _ in typed.doubts):
        found, lost = _found(scene, parts)
        if not found:
            return _Outcome(lost, typing.REFUSED, label, whole=True)
    # Words before the first id reach the agent with the first answer.
    if typed.lead:
        parts = [parts[0]._replace(text=f"{typed.lead}\n{parts[0].text}".strip()), *parts[1:]]
    found, lost = _found(scene, [part for part in parts if part.text])
    if lost or not found or any(doubt in _UNREADABLE for doubt, _ in typed.doubts):
        items = known.items(label) or known.waiting
        example = f"{scene.answer_command} {label} {items[0].qid}: …" if items else scene.answer_command
        return _Outcome([*lines, phrases.SAY_ANEW.format(example=example)], typing.REFUSED, label)
    lines.append(phrases.UNDERSTOOD)
    lines += [f"  {each.item.label} {each.item.qid}: {inline(each.text, 300)}" for each in found]
    return _Outcome([*lines, _confirm_line(scene, number, phrases.IF_SO)], typing.DOUBTFUL, label, _reading(found))


def _confirm_line(scene: Scene, number: int, meaning: str) -> str:
    return phrases.CONFIRM.format(command=scene.answer_command, number=number, meaning=meaning)


def _reading(found: list[_Answer]) -> str:
    return json.dumps({"answers": [[each.item.id, each.text, each.skips] for each in found]}, ensure_ascii=False)


def _confirm(scene: Scene, confirmed: int, number: int) -> _Outcome:
    """The reading that was shown under this number is what the user means."""
    shown_back = typing.doubtful(scene.book, confirmed, scene.session)
    if shown_back is None:
        return _Outcome([phrases.NOTHING_TO_CONFIRM.format(number=confirmed)], typing.COMMAND)
    reading = json.loads(shown_back.reading)
    typing.conclude(scene.book, confirmed, typing.TAKEN, reading=shown_back.reading)
    if "word" in reading:
        task = tasks.get(scene.book, reading["label"])
        if task is not None and reading["word"] == answers.GO:
            return _go(scene, task, number)
        if task is not None and reading["word"] == answers.CLOSE:
            return _close(scene, task)
        mine = inbox.waiting(scene.book, label=reading["label"])
        asked = [item for item in mine if inbox.kind(item) != inbox.DELEGATION]
        return _record(scene, [_Answer(item, answers.SKIP, skips=True) for item in asked], number, [], shown_back.label)
    found: list[_Answer] = []
    for identifier, text, skips in reading["answers"]:
        item: Optional[Question] = inbox.of_id(scene.book, identifier)
        found += [_Answer(item, text, skips)] if item is not None else []
    return _record(scene, found, number, [], shown_back.label)


def _shown(scene: Scene, typed: Typed) -> str:
    """One task: what it waits for, what was answered, and what can be typed."""
    task = tasks.get(scene.book, typed.label)
    told = commands.task_told(scene, task) if task is not None else ""
    if not any(doubt == answers.NUMBER for doubt, _ in typed.doubts):
        return told
    return f"{told}\n{phrases.NUMBER_IS_A_LABEL.format(label=typed.label)}"
