"""The command /bg-answer: lists, answers, unblocks, approves, denies, takes back and goes on; in doubt it asks back.

The typed words are written down before anything is made of them. A prompt that records something goes on to the model;
a list, help and a question back cost no request. The words of an unknown author are carried out once their code is
typed.
"""

from __future__ import annotations

import json
import re

from bg.host import versions
from bg.host.event import typed_command
from bg.ledger import cases, delegations, deliveries, inbox, notes, proofs, resumes, tasks, user_answers
from bg.ledger import typed as typing
from bg.ledger.cases import Case
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.values import Decision, Item, ItemState, State
from bg.loop import answering, answers, commands, going, next_steps, pausing, proof, waking
from bg.loop.answers import Known, Part, Typed
from bg.loop.going import Going
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.record import Record
from bg.words import feedback, outcome, phrases
from bg.words.quoting import inline, neutral

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

    from bg.ledger.proofs import Proof

_CONFIRM = pattern(r"\s*confirm\s+#?(\d{1,9})\s*", re.IGNORECASE)
_WHICH = {answers.CLOSE: feedback.CLOSE_WHICH, answers.STOP: feedback.STOP_WHICH}  # words that need a label
STOP = "stop"
SHOWS, ANSWERS, ACTS = "shows", "answers", "acts"  # the aims of typed words
_CODE = pattern(r"[Cc]ode\s+([A-Za-z2-7]{5}-[A-Za-z2-7]{5})\Z")
_NEARLY = pattern(r"[Cc]ode\W+((?:\w\W*){8,12})\Z")


class Outcome(Record):
    """Lines for the user, the fate of the words, and whether the lines give unrecorded words back whole.

    `closes` is the label of the task that the words close.
    """

    lines: list[str]
    outcome: str
    label: str = ""
    reading: str = ""
    whole: bool = False
    closes: str = ""


class Answer(Record):
    """One answer whose item is found; `skips` leaves the item to the agent."""

    item: Question
    text: str
    skips: bool


def answer_command(scene: Scene, arguments: str) -> None:
    """UserPromptSubmit of `/bg-answer`."""
    if answers.is_blank(arguments):
        commands.say(scene, scene.desk.inbox(scene.book, scene.project))
        return
    known = _known(scene)
    typed = answers.read(arguments, known)
    if answers.is_for_all(arguments) and (not known.waiting or tasks.in_state(scene.book, scene.project, State.PAUSED)):
        typed = Typed("", answers.ALL_GO, [], "", "", [])
    if _asks_to_see(typed):
        _show(scene, typed)
        return
    with proof.claimed(scene, proofs.PROMPTED, scene.event.prompt) as (writing, claim):
        number = typing.keep(writing, scene.session, "command", typed.label, arguments)
        confirms = _CONFIRM.fullmatch(answers.folded(arguments))
        came = (
            _confirm(scene, writing, int(confirms[1]), number)
            if confirms
            else _carry_out(scene, writing, typed, known, number)
        )
        claim.closes = came.closes
        typing.conclude(writing, number, came.outcome, came.label, came.reading)
    if came.outcome == typing.TAKEN:
        scene.answer.notice += came.lines
        return
    if came.outcome != typing.COMMAND and not came.whole:
        came.lines.append(feedback.YOU_TYPED.format(words=neutral(arguments.strip())))
    commands.say(scene, "\n".join(came.lines))


def aim(scene: Scene, arguments: str) -> str:
    """The aim of the words: to see something, to answer or tell an agent something, or what Claude has to act on."""
    if answers.is_blank(arguments):
        return SHOWS
    known = _known(scene)
    typed = answers.read(arguments, known)
    if _asks_to_see(typed):
        return SHOWS
    if typed.word or answers.is_for_all(arguments) or code_in(scene, arguments):
        return ACTS
    if _CONFIRM.fullmatch(answers.folded(arguments)) or _concern_a_request(scene, typed, known):
        return ACTS
    return ANSWERS


def _concern_a_request(scene: Scene, typed: Typed, known: Known) -> bool:
    """Whether a task that the words are for waits for a decision on a request."""
    meant = {typed.label or _only_label(scene, known.waiting), *(part.label for part in typed.parts)}
    return any(item.label in meant and inbox.kind(item) == Item.DELEGATION for item in known.waiting)


def _asks_to_see(typed: Typed) -> bool:
    return typed.word in (answers.HELP, answers.STATUS, answers.DOCTOR) and not typed.doubts


def code_in(scene: Scene, arguments: str) -> str:
    """The code that the arguments consist of, else empty; a mistyped one counts while a code can be typed."""
    words = arguments.strip()
    found = _CODE.match(words) or (_NEARLY.match(words) if notes.codes(scene.book) else None)
    return found[1] if found else ""


def confirmed(scene: Scene, typed: str) -> Optional[tuple[str, str]]:
    """The command whose words this code confirms, to be carried out now, with its arguments."""
    # Anybody who can read files may have read a code that waited in the spool, and the turn to launch in is over.
    with scene.book.transaction() as writing:
        row: Optional[Proof] = proofs.take(writing, typed) if scene.late is None else None
        if row is not None:
            scene.confirmed = user_answers.items_of(writing, proofs.confirm(writing, row))
    if row is None:
        commands.say(scene, feedback.NO_SUCH_CODE.format(code=scene.bgctl("code")))
        return None
    command, arguments = typed_command(row.text)
    if command == "bg":
        words = "\n".join(f"> {line}" for line in neutral(arguments).splitlines())
        scene.answer.context.append(phrases.CONFIRMED_LAUNCH.format(command=scene.launch_command, words=words))
    return command, arguments


def _known(scene: Scene) -> Known:
    """The items and labels that the typed words are read against."""
    waiting = inbox.waiting(scene.book, project=scene.project)
    only = _only_label(scene, waiting)

    def was_asked(label: str, qid: str) -> bool:
        name = label or only
        if not name:
            return any(qid == item.qid.upper() for item in waiting)
        return bool(cases.case(scene.book, name).ever_asked(qid.upper()))

    return Known(waiting, was_asked, lambda label: cases.of(scene.book, label) is not None)


def _only_label(scene: Scene, waiting: list[Question], *, go: bool = False) -> str:
    """The task that is meant if none is named: the only one that waits, or whose answers have not been sent."""
    labels = list(dict.fromkeys(item.label for item in waiting))
    if not labels:
        unsent = user_answers.labels_unsent(scene.book, scene.session)
        labels = unsent or (tasks.some_in_session(scene.book, scene.session, tasks.CONTINUABLE_STATES, 2) if go else [])
    return labels[0] if len(labels) == 1 else ""


def _show(scene: Scene, typed: Typed) -> None:
    """Show the view that a word asks for."""
    if typed.word == answers.STATUS:
        commands.status_command(scene, typed.label)
    else:
        commands.say(scene, scene.desk.doctor(scene.host) if typed.word == answers.DOCTOR else feedback.ANSWER_HELP)


def _confirm(scene: Scene, writing: Writing, confirmed: int, number: int) -> Outcome:
    """Carry out the reading that was shown under this number."""
    shown_back = typing.doubtful(scene.book, confirmed, scene.session)
    if shown_back is None:
        return Outcome([feedback.NOTHING_TO_CONFIRM.format(number=confirmed)], typing.COMMAND)
    reading = json.loads(shown_back.reading)
    typing.conclude(writing, confirmed, typing.TAKEN, reading=shown_back.reading)
    case = cases.of(scene.book, shown_back.label)
    if "word" in reading and case is not None:
        return _carry_out_word(scene, writing, case, reading["word"], number)
    kept = [(inbox.get(scene.book, identifier), text, skips) for identifier, text, skips in reading.get("answers", [])]
    found = [Answer(item, text, skips) for item, text, skips in kept if item is not None]
    return _record(scene, writing, found, number, [], shown_back.label)


def _carry_out_word(scene: Scene, writing: Writing, case: Case, word: str, number: int) -> Outcome:
    if word == answers.CLOSE:
        return _close(scene, case)
    if word in (answers.GO, answers.STOP):
        came = (going.go if word == answers.GO else _stop)(scene, writing, case, number)
        return Outcome(came.lines, typing.TAKEN if came.goes else typing.COMMAND, case.label)
    mine = _skippable(case)
    if len(mine) == 1:
        return _record(scene, writing, [Answer(mine[0], word, skips=True)], number, [])
    line = " ".join([scene.answer_command, case.label, *(f"{item.qid}: {word}" for item in mine)])
    line = feedback.SKIP_WHICH.format(label=case.label, count=len(mine), typed=line)
    return _refuse(scene, line if mine else feedback.NOTHING_TO_SKIP.format(label=case.label), case.label)


def _close(scene: Scene, case: Case) -> Outcome:
    """Have the task closed once the host's record shows who typed this; a blocked prompt would leave no record."""
    if case.task.state in tasks.RUNNING_STATES:
        line = feedback.CLOSE_WORKS.format(label=case.label, command=scene.answer_command)
        return Outcome([line], typing.COMMAND, case.label)
    if scene.late is not None:
        return Outcome([feedback.CLOSE_AGAIN.format(label=case.label)], typing.REFUSED, case.label)
    scene.answer.context.append(phrases.CLOSED.format(label=case.label))
    line = feedback.CLOSED.format(label=case.label, command=scene.answer_command)
    return Outcome([line], typing.TAKEN, case.label, closes=case.label)


def _stop(scene: Scene, writing: Writing, case: Case, typed: int) -> Going:
    """Ask a running agent for a checkpoint first, if it can be reached; the second time, have it stopped at once."""
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


def _was_asked_to_stop(case: Case) -> bool:
    run = case.agent.run
    return any(inbox.extra(item).get("stops") for item in case.agent.items_of(run.run if run else 0))


def _put(scene: Scene, writing: Writing, case: Case, words: str, typed: int, *, stops: bool = False) -> list[str]:
    """Record words that answer no question; a line for the user if another session sends them."""
    run = case.agent.run
    item = inbox.unasked(writing, case.label, case.task.agent, run.run if run else 0, words, stops=stops)
    user_answers.answer(writing, item, words, "command", typed=typed)
    if case.task.state == State.PAUSED:
        notes.set_limit(writing, case.label, case.limit._replace(told=True, released=True))
    return answering.owe(scene, writing, case)


def _skippable(case: Case) -> list[Question]:
    """The items that wait for the user, without requests."""
    return [item for item in case.items if inbox.kind(item) != Item.DELEGATION]


def _record(
    scene: Scene, writing: Writing, found: list[Answer], number: int, lines: list[str], label: str = ""
) -> Outcome:
    """Write the answers down, and tell the next step of each task."""
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
    """Owe or tell the parent the next step after a task's answers; lines for the user."""
    case = cases.of(scene.book, label)
    if case is None:
        return []
    left = [item.qid for item in _skippable(case)]
    if not left:
        return answering.owe(scene, writing, case)
    scene.answer.context.append(next_steps.next_step(scene, case))
    return [feedback.STILL_OPEN.format(qids=", ".join(left), label=label)]


def _refuse(scene: Scene, problem: str, label: str = "") -> Outcome:
    """Tell the user the problem with the words, and the items that wait."""
    return Outcome([problem, "", scene.desk.inbox(scene.book, scene.project)], typing.REFUSED, label)


def _carry_out(scene: Scene, writing: Writing, typed: Typed, known: Known, number: int) -> Outcome:
    """Carry out the typed words."""
    if typed.label and not known.is_task(typed.label):
        return _refuse(scene, feedback.NO_SUCH_TASK.format(label=typed.label))
    if typed.word:
        return _word(scene, writing, typed, known.waiting, number)
    if typed.label and not (typed.parts or typed.plain):
        case = cases.of(scene.book, typed.label)
        told = [scene.desk.answers(case, scene.answer_command)] if case else []
        return Outcome(told, typing.COMMAND, typed.label)
    return _answer(scene, writing, typed, known, number)


def _word(scene: Scene, writing: Writing, typed: Typed, waiting: list[Question], number: int) -> Outcome:
    """Carry out a command word, unless a waiting item offers that very word as an answer."""
    word = typed.word
    if word == answers.ALL_GO:
        came = pausing.go_all(scene, writing, number)
        return Outcome(came.lines, typing.TAKEN if came.goes else typing.COMMAND)
    if word == answers.UNDO:
        return _undo(scene, writing, typed.label)
    if word in _WHICH and not typed.label:
        return Outcome([_WHICH[word].format(command=scene.answer_command)], typing.COMMAND)
    case = cases.of(scene.book, typed.label or _only_label(scene, waiting, go=word == answers.GO))
    if case is None:
        return _say_which_task(scene, waiting)
    offered = next((item for item in _skippable(case) if _offers(item, word)), None)
    if offered is None:
        return _carry_out_word(scene, writing, case, word, number)
    name, meaning = f"{case.label} {offered.qid}", feedback.AS_COMMAND[word]
    line = feedback.WORD_IS_AN_ANSWER.format(name=name, word=word, command=scene.answer_command)
    return _doubtful(scene, [line], case.label, {"word": word}, number, meaning)


def _undo(scene: Scene, writing: Writing, label: str) -> Outcome:
    if not label:
        label = user_answers.last_given_in(scene.book, scene.project)
        if not label:
            return Outcome([feedback.NOTHING_TO_UNDO_AT_ALL], typing.COMMAND)
    case = cases.of(scene.book, label)
    if case is None:
        return Outcome([feedback.NO_SUCH_TASK.format(label=label)], typing.COMMAND)
    lines, done = _take_last_back(scene, writing, case)
    return Outcome(lines, typing.TAKEN if done else typing.COMMAND, label)


def _take_last_back(scene: Scene, writing: Writing, case: Case) -> tuple[list[str], bool]:
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


def _take_back(scene: Scene, writing: Writing, row: user_answers.Answer) -> tuple[str, bool]:
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


def _refused(scene: Scene, row: user_answers.Answer, asked: Optional[delegations.Delegation]) -> str:
    """The reason why an answer can no longer be taken back; empty if it can."""
    if resumes.is_on_its_way(scene.book, row.resume):
        return feedback.ON_ITS_WAY
    if asked is not None and asked.state == Decision.LAUNCHED:
        return feedback.UNDO_AFTER_LAUNCH
    return ""


def _say_which_task(scene: Scene, waiting: list[Question]) -> Outcome:
    """Say that a task must be named, because several wait, or that none waits."""
    labels = list(dict.fromkeys(item.label for item in waiting))
    if not labels:
        return Outcome([feedback.NOTHING_WAITS], typing.REFUSED)
    return _refuse(scene, feedback.SEVERAL_WAIT.format(labels=", ".join(labels), label=labels[0]))


def _offers(item: Question, word: str) -> bool:
    """Whether the item itself offers this command word as an answer."""
    extra = inbox.extra(item)
    offered = f"{item.text}\n{json.dumps([extra.get('options'), extra.get('default')])}"
    return bool(re.search(rf"\b{word}\b", offered, re.IGNORECASE))


def _doubtful(
    scene: Scene, lines: list[str], label: str, reading: dict[str, Any], number: int, meaning: str
) -> Outcome:
    """Keep this reading of the words under a number; the user confirms the reading by typing the number."""
    confirm = feedback.CONFIRM.format(command=scene.answer_command, number=number, meaning=meaning)
    return Outcome([*lines, confirm], typing.DOUBTFUL, label, json.dumps(reading, ensure_ascii=False))


def _answer(scene: Scene, writing: Writing, typed: Typed, known: Known, number: int) -> Outcome:
    """Record every answer with its item; nothing at all if a part of the words is in doubt."""
    label = typed.label or _only_label(scene, known.waiting)
    told = cases.of(scene.book, label) if _is_unasked(typed, known) else None
    if told is not None:
        came = _tell(scene, writing, told, typed.plain, number)
        return Outcome(came.lines, typing.TAKEN if came.goes else typing.REFUSED, label, whole=True)
    parts = [part._replace(label=part.label or label) for part in typed.parts or [Part("", "", typed.plain)]]
    unclear = _unclear(scene, parts, known, typed.plain)
    if unclear is not None:
        return unclear
    parts = [_with_id(part, known) for part in parts]
    if typed.doubts:
        return _ask_back(scene, typed, parts, known, number)
    found, lines = _found(scene, parts)
    return _record(scene, writing, found, number, lines, label)


def _is_unasked(typed: Typed, known: Known) -> bool:
    """Whether the words are for a task that asks for nothing; they may still ask or postpone something themselves."""
    asks = {answers.QUESTION, answers.POSTPONES}
    return bool(typed.label and typed.plain and not known.items(typed.label)) and all(
        why in asks for why, _ in typed.doubts
    )


def _tell(scene: Scene, writing: Writing, case: Case, words: str, typed: int) -> Going:
    """Write the words down for the agent: they wake it, or reach it while it works, or when its run ends."""
    if not case.task.agent:
        state = outcome.in_a_word(case.task.state)
        said = feedback.NOBODY_TO_TELL.format(label=case.label, state=state, words=answering.given_back(words))
        return Going([said], goes=False)
    line = _how(scene, case)
    return Going([line, *_put(scene, writing, case, words, typed)], goes=True)


def _how(scene: Scene, case: Case) -> str:
    """How the user's words reach the agent, in a line for the user."""
    if case.task.state in tasks.RUNNING_STATES:
        can = scene.host.resume_way == versions.BY_MESSAGE
        told = feedback.TOLD_WHILE_IT_WORKS if can else feedback.TOLD_AT_ITS_END
    else:
        wakes = waking.can_wake(scene, case.task.agent)
        told = feedback.GOES_ON_WITH_WORDS if wakes else feedback.GOES_ON_ANEW_WITH_WORDS
    return told.format(label=case.label)


def _unclear(scene: Scene, parts: list[Part], known: Known, plain: str) -> Optional[Outcome]:
    """The question back if a part does not tell which task, or which of its items, it is for; None if all do."""
    for part in parts:
        mine = known.items(part.label)
        if not part.label:
            return _say_which_task(scene, known.waiting)
        if not part.qid and len(mine) != 1:
            return _say_which_item(scene, part.label, mine, plain)
    return None


def _say_which_item(scene: Scene, label: str, mine: list[Question], plain: str) -> Outcome:
    """Say that an item must be named, because several of this task wait, or that none waits."""
    words = answering.given_back(plain)
    case = cases.of(scene.book, label)
    if mine or case is None:
        example = " ".join(f"{item.qid}: …" for item in mine)
        line = feedback.SAY_WHICH.format(label=label, count=len(mine), example=example, words=words)
    else:
        line = feedback.WAITS_FOR_NOTHING.format(label=label, state=case.task.state.replace("_", " "), words=words)
    return Outcome([line], typing.REFUSED, label, whole=bool(plain))


def _with_id(part: Part, known: Known) -> Part:
    """Words without an id are for the only item of their task."""
    return part if part.qid else part._replace(qid=known.items(part.label)[0].qid)


def _ask_back(scene: Scene, typed: Typed, parts: list[Part], known: Known, number: int) -> Outcome:
    """Tell the user the doubts, the reading of the words, and the line that confirms this reading."""
    label = parts[0].label
    # Words before the first id reach the agent with the first answer.
    parts[0] = parts[0]._replace(text=f"{typed.lead}\n{parts[0].text}".strip())
    found, lost = _found(scene, [part for part in parts if part.text])
    doubts = [str(feedback.DOUBTS[why]).format(what=inline(what, 60)) for why, what in dict.fromkeys(typed.doubts)]
    lines = [feedback.NOT_SENT.format(why="; ".join(doubts))]
    if lost or not found:
        ids = [f"{item.qid}: …" for item in known.items(label)]
        again = [feedback.SAY_ANEW.format(example=" ".join([scene.answer_command, label, *ids]))] if ids else []
        return Outcome([*(lost or lines), *again], typing.REFUSED, label, whole=not found)
    lines.append(feedback.UNDERSTOOD)
    lines += [f"  {each.item.label} {each.item.qid}: {inline(each.text, 300)}" for each in found]
    reading = {"answers": [[each.item.id, each.text, each.skips] for each in found]}
    return _doubtful(scene, lines, label, reading, number, feedback.IF_SO)


def _found(scene: Scene, parts: list[Part]) -> tuple[list[Answer], list[str]]:
    """The answers to items that wait, and for every other answer a line that gives its words back."""
    found, lines = [], []
    for part in parts:
        ever = cases.case(scene.book, part.label).ever_asked(part.qid.upper())
        item = next((one for one in ever if one.state in (ItemState.OPEN, ItemState.ANSWERED)), None)
        if item is None:
            case = cases.case(scene.book, part.label)
            lines.append(
                answering.too_late(ever[0], part.text) if ever else answering.never_asked(case, part.qid, part.text)
            )
        else:
            is_word = answers.command_word(part.text) == answers.SKIP and inbox.kind(item) != Item.DELEGATION
            skips = is_word and not _offers(item, answers.SKIP)
            found.append(Answer(item, part.text, skips))
    return found, lines
