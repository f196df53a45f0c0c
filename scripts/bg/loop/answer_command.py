"""The command /bg-answer: lists, answers, unblocks, approves, denies, takes back and goes on; in doubt it asks back.

What the user typed is written down before anything is made of it. A prompt that records something goes on to the model;
a list, help and what is asked back cost no request.
"""

from __future__ import annotations

import json

from bg.ledger import cases, inbox, proofs, tasks, user_answers
from bg.ledger import typed as typing
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.tasks import Task
from bg.ledger.values import Item
from bg.loop import (
    answer_doubts,
    answer_ids,
    answer_words,
    answering,
    answers,
    asking_back,
    commands,
    going,
    next_steps,
    proof,
    undoing,
)
from bg.loop.answers import Part, Typed
from bg.loop.asking_back import Answer, Outcome
from bg.loop.scene import Scene
from bg.words import feedback, phrases
from bg.words.quoting import inline, neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def answer_command(scene: Scene, arguments: str) -> None:
    """UserPromptSubmit of `/bg-answer`."""
    if answer_ids.is_blank(arguments):
        commands.say(scene, scene.desk.inbox(scene.book, scene.project))
        return
    waiting = inbox.waiting(scene.book, project=scene.project)
    only = _only_label(scene, waiting)

    def was_asked(label: str, qid: str) -> bool:
        name = label or only
        return bool(inbox.ever(scene.book, name, qid)) if name else any(qid == item.qid.upper() for item in waiting)

    known = answers.Known(waiting, was_asked, lambda label: tasks.get(scene.book, label) is not None)
    typed = answers.read(arguments, known)
    if typed.word in (answer_words.HELP, answer_words.DOCTOR) and not typed.doubts:
        doctor = typed.word == answer_words.DOCTOR
        commands.say(scene, scene.desk.doctor(scene.host) if doctor else feedback.ANSWER_HELP)
        return
    with proof.claimed(scene, proofs.PROMPTED, scene.event.prompt) as (writing, claim):
        number = typing.keep(writing, scene.session, "command", typed.label, arguments)
        confirmed = answer_words.confirmed(arguments)
        if confirmed:
            came = _confirm(scene, writing, confirmed, number)
        else:
            came = _carry_out(scene, writing, typed, known, number)
        claim.closes = came.closes
        typing.conclude(writing, number, came.outcome, came.label, came.reading)
    if came.outcome != typing.TAKEN:
        if came.outcome != typing.COMMAND and not came.whole:
            came.lines.append(feedback.YOU_TYPED.format(words=neutral(arguments.strip())))
        commands.say(scene, "\n".join(came.lines))
        return
    scene.answer.notice += came.lines


def _carry_out(scene: Scene, writing: Writing, typed: Typed, known: answers.Known, number: int) -> Outcome:
    """What the words ask for."""
    if typed.label and tasks.get(scene.book, typed.label) is None:
        return asking_back.refuse(scene, feedback.NO_SUCH_TASK.format(label=typed.label), known)
    if any(doubt == answer_doubts.MISSPELT for doubt, _ in typed.doubts):
        return asking_back.refuse(scene, feedback.NO_SUCH_TASK.format(label=inline(typed.doubts[0][1], 40)), known)
    if typed.word == answer_words.UNDO:
        return _undo(scene, writing, typed.label)
    label = typed.label or _only_label(scene, known.waiting, go=typed.word == answer_words.GO)
    if typed.word == answer_words.CLOSE and not typed.label:
        return Outcome([feedback.CLOSE_WHICH.format(command=scene.answer_command)], typing.COMMAND)
    if typed.word in (answer_words.GO, answer_words.SKIP, answer_words.CLOSE):
        return _word(scene, writing, typed, label, known, number)
    if typed.label and not typed.parts and not typed.plain:
        return Outcome([_shown(scene, typed)], typing.COMMAND, typed.label)
    return _answer(scene, writing, typed, label, known, number)


def _only_label(scene: Scene, waiting: list[Question], *, go: bool = False) -> str:
    """The task that is meant where none is named: the only one that waits, or whose answers have not been sent."""
    labels = list(dict.fromkeys(item.label for item in waiting))
    if not labels:
        unsent = user_answers.labels_unsent(scene.book, scene.session)
        labels = unsent or (tasks.some_in_session(scene.book, scene.session, tasks.CONTINUABLE_STATES, 2) if go else [])
    return labels[0] if len(labels) == 1 else ""


def _word(scene: Scene, writing: Writing, typed: Typed, label: str, known: answers.Known, number: int) -> Outcome:
    """`go` or `skip`, unless what waits offers that very word as an answer."""
    task = tasks.get(scene.book, label) if label else None
    if task is None:
        return asking_back.several(scene, known)
    mine = [item for item in known.items(label) if inbox.kind(item) != Item.DELEGATION]
    offered = [item for item in mine if asking_back.offers(item, typed.word)]
    command = scene.answer_command
    if offered:
        name, words = f"{label} {offered[0].qid}", typed.word
        line = feedback.WORD_IS_AN_ANSWER.format(name=name, word=words, command=command)
        reading = json.dumps({"word": typed.word, "label": label})
        confirm = asking_back.confirm_line(scene, number, feedback.AS_COMMAND[words])
        return Outcome([line, confirm], typing.DOUBTFUL, label, reading)
    if typed.word == answer_words.GO:
        return _go(scene, writing, task, number)
    if typed.word == answer_words.CLOSE:
        return _close(scene, task)
    if len(mine) != 1:
        qids = " ".join(f"{item.qid}: skip" for item in mine)
        if not mine:
            return asking_back.refuse(scene, feedback.NOTHING_TO_SKIP.format(label=label), known, label)
        reading = asking_back.reading_of([Answer(item, answer_words.SKIP, skips=True) for item in mine])
        line = feedback.SKIP_WHICH.format(label=label, count=len(mine), typed=f"{command} {label} {qids}")
        confirm = asking_back.confirm_line(scene, number, feedback.ALL_OF_THEM)
        return Outcome([line, confirm], typing.DOUBTFUL, label, reading)
    return _record(scene, writing, [Answer(mine[0], answer_words.SKIP, skips=True)], number, [])


def _go(scene: Scene, writing: Writing, task: Task, number: int) -> Outcome:
    came = going.go(scene, writing, cases.case(scene.book, task.label), number)
    return Outcome(came.lines, typing.TAKEN if came.goes else typing.COMMAND, task.label)


def _close(scene: Scene, task: Task) -> Outcome:
    """It closes as soon as the host's record shows who has said so; a blocked prompt would leave none."""
    if task.state in tasks.RUNNING_STATES:
        return Outcome([feedback.CLOSE_WORKS.format(label=task.label)], typing.COMMAND, task.label)
    if scene.late is not None:
        return Outcome([feedback.CLOSE_AGAIN.format(label=task.label)], typing.REFUSED, task.label)
    scene.answer.context.append(phrases.CLOSED.format(label=task.label))
    line = feedback.CLOSED.format(label=task.label, command=scene.answer_command)
    return Outcome([line], typing.TAKEN, task.label, closes=task.label)


def _undo(scene: Scene, writing: Writing, label: str) -> Outcome:
    if not label:
        label = user_answers.last_given_in(scene.book, scene.project)
        if not label:
            return Outcome([feedback.NOTHING_TO_UNDO_AT_ALL], typing.COMMAND)
    task = tasks.get(scene.book, label)
    if task is None:
        return Outcome([feedback.NO_SUCH_TASK.format(label=label)], typing.COMMAND)
    lines, done = undoing.undo(scene, writing, cases.case(scene.book, label))
    return Outcome(lines, typing.TAKEN if done else typing.COMMAND, label)


def _answer(scene: Scene, writing: Writing, typed: Typed, label: str, known: answers.Known, number: int) -> Outcome:
    """Every answer finds its item, or nothing is recorded of what is in doubt."""
    parts = typed.parts
    if not parts:
        mine = known.items(label) if label else []
        if not label:
            return asking_back.several(scene, known)
        if len(mine) != 1:
            return asking_back.say_which(scene, label, mine, typed)
        parts = [Part(label, mine[0].qid, typed.plain)]
    parts = [part if part.label else part._replace(label=label) for part in parts]
    if any(not part.label for part in parts):
        return asking_back.several(scene, known)
    if typed.doubts:
        return asking_back.ask_back(scene, typed, parts, known, number)
    found, lines = asking_back.found_in(scene, parts)
    offered = [each for each in found if each.skips and asking_back.offers(each.item, answer_words.SKIP)]
    if offered:
        name = f"{offered[0].item.label} {offered[0].item.qid}"
        line = feedback.WORD_IS_AN_ANSWER.format(name=name, word=answer_words.SKIP, command=scene.answer_command)
        reading = asking_back.reading_of([each._replace(skips=False) if each in offered else each for each in found])
        confirm = asking_back.confirm_line(scene, number, feedback.AS_ANSWER)
        return Outcome([line, confirm], typing.DOUBTFUL, name, reading)
    return _record(scene, writing, found, number, lines, label)


def _record(
    scene: Scene, writing: Writing, found: list[Answer], number: int, lines: list[str], label: str = ""
) -> Outcome:
    """Write the answers down, and say what follows for each task."""
    recorded: list[str] = []
    for each in found:
        said = answering.Said(each.text, "command", number, each.skips)
        taken = answering.take(scene, writing, each.item, said)
        lines.append(taken.line)
        recorded += [each.item.label] if taken.recorded else []
    if not recorded:
        return Outcome(lines, typing.REFUSED, label, whole=True)
    for one in dict.fromkeys(recorded):
        lines += _go_on(scene, writing, one)
    return Outcome(lines, typing.TAKEN, " ".join(dict.fromkeys(recorded)))


def _go_on(scene: Scene, writing: Writing, label: str) -> list[str]:
    """What follows from a task's answers; lines for the user."""
    case = cases.case(scene.book, label)
    left = [item.qid for item in case.items if inbox.kind(item) != Item.DELEGATION]
    if cases.find(scene.book, label) is None:
        return []
    if not left:
        return answering.owe(scene, writing, case)
    scene.answer.context.append(next_steps.next_step(scene, case))
    return [feedback.STILL_OPEN.format(qids=", ".join(left), label=label)]


def _confirm(scene: Scene, writing: Writing, confirmed: int, number: int) -> Outcome:
    """The reading that was shown under this number is what the user means."""
    shown_back = typing.doubtful(scene.book, confirmed, scene.session)
    if shown_back is None:
        return Outcome([feedback.NOTHING_TO_CONFIRM.format(number=confirmed)], typing.COMMAND)
    reading = json.loads(shown_back.reading)
    typing.conclude(writing, confirmed, typing.TAKEN, reading=shown_back.reading)
    if "word" in reading:
        task = tasks.get(scene.book, reading["label"])
        if task is not None and reading["word"] == answer_words.GO:
            return _go(scene, writing, task, number)
        if task is not None and reading["word"] == answer_words.CLOSE:
            return _close(scene, task)
        mine = inbox.waiting(scene.book, label=reading["label"])
        asked = [item for item in mine if inbox.kind(item) != Item.DELEGATION]
        skipped = [Answer(item, answer_words.SKIP, skips=True) for item in asked]
        return _record(scene, writing, skipped, number, [], shown_back.label)
    found: list[Answer] = []
    for identifier, text, skips in reading["answers"]:
        item: Optional[Question] = inbox.get(scene.book, identifier)
        found += [Answer(item, text, skips)] if item is not None else []
    return _record(scene, writing, found, number, [], shown_back.label)


def _shown(scene: Scene, typed: Typed) -> str:
    """One task: what it waits for, what was answered, and what can be typed."""
    case = cases.find(scene.book, typed.label)
    told = scene.desk.answers(case, scene.answer_command) if case is not None else ""
    if not any(doubt == answer_doubts.NUMBER for doubt, _ in typed.doubts):
        return told
    return f"{told}\n{feedback.NUMBER_IS_A_LABEL.format(label=typed.label)}"
