"""Dialog calls: the user is asked in the agents' own words, and what the user says is recorded."""

from __future__ import annotations

from bg.host import dialogs, drift, tools, transcripts
from bg.ledger import cases, digests, inbox, notes, proofs, tasks, typed
from bg.ledger.file import Writing
from bg.ledger.inbox import Question
from bg.ledger.values import Due, Item, ItemState
from bg.loop import answering, answers, hearing, proof, putting, reminding, sighting
from bg.loop.scene import Scene
from bg.words import feedback, phrases
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
    found = putting.rewrite(asked, items, lambda label: _name(scene, label), by_module=tools.by_module(event))
    rewritten, shown = found or (None, [])
    given = dialogs.own_answers(event) if shown else ""
    mark = scene.book.chance(8).hex() if given else ""
    with scene.book.transaction() as writing:
        # A dialog that the user closes has been seen: its questions wait in the table and do not come up again.
        inbox.mark_shown(writing, [item.id for item in shown])
        place = transcripts.size(proof.transcript(scene, scene.session))
        notes.set_dialog(writing, event.tool_use, _put(asked, rewritten or [], shown), place, mark)
        for label in dict.fromkeys(item.label for item in shown if given):
            origin, way = phrases.ANSWERED_ITSELF, proofs.CHOSEN
            proofs.note(writing, scene.session, label, given, event.tool_use, proofs.UNPROVEN, origin, way)
    if rewritten is not None:
        scene.answer.updated_input = dialogs.questions_with(event, rewritten)
    if given and scene.answer.updated_input is not None:
        scene.answer.updated_input = dialogs.without_answers(scene.answer.updated_input, mark)
        # Else a hook that allows every tool would make the host go on as if the user had been asked (2.1.328).
        scene.answer.ask = True


def _name(scene: Scene, label: str) -> str:
    case = cases.of(scene.book, label)
    return case.task.description or case.task.text if case else ""


def _put(asked: list[dict[str, Any]], rewritten: list[dict[str, Any]], items: list[Question]) -> dict[int, str]:
    """Which item each question stands for, with the words that it had: a host may show these instead."""
    pairs = [(dialogs.wording(one), dialogs.wording(other)) for one, other in zip(asked, rewritten)]
    return {
        item.id: digests.digest(before)
        for item in items
        for before, after in pairs
        if putting.prefixed(after) == (item.label, item.qid.upper())
    }


def after_question(scene: Scene) -> None:
    """PostToolUse(AskUserQuestion): the user's answers, each to its own question, all of them or none."""
    if scene.event.in_subagent:
        return
    scene.see()
    by_module = tools.by_module(scene.event)
    read = putting.meant if by_module else str
    given = {question: read(text) for question, text in dialogs.answers_of(scene.event).items()}
    given = {question: text for question, text in given.items() if text.strip()}
    options = {dialogs.wording(each): dialogs.options_of(each) for each in dialogs.questions_of(scene.event)}
    with proof.claimed(scene, proofs.CHOSEN, "\n".join(given.values())) as (writing, claim):
        told: list[str] = []
        answered: list[str] = []
        put = notes.take_dialog(writing, scene.event.tool_use)
        claim.place = put.place if put else claim.place
        if put and put.shown:
            scene.form.append(drift.OURS)
            words = [dialogs.wording(each) for each in dialogs.questions_of(scene.event)]
            taken_over = any(putting.prefixed(each) for each in words)
            sighting.answered(scene, "PreToolUse", scene.event.tool, drift.INPUT, taken=taken_over)
        if put and put.mark and given and not dialogs.shows_mark(scene.event, put.mark):
            told.append(phrases.DIALOG_ANSWERED_ITSELF.format(ask=tools.ASK))
            given = {}
        for question, item in _asked_by(scene, list(given), put.shown if put else None):
            taken = _take(scene, writing, item, given[question], options.get(question, []))
            if taken.recorded:
                answered.append(item.label)
            else:
                told.append(taken.then or inline(taken.line, 400))
            if not taken.recorded or inbox.kind(item) == Item.DELEGATION:
                scene.answer.notice.append(taken.line)
        for label in dict.fromkeys(answered):
            case = cases.of(scene.book, label)
            elsewhere = answering.owe(scene, writing, case) if case else []
            scene.answer.notice += elsewhere
            told += elsewhere
    if by_module:
        _leave_to_module(scene)
        return
    if told:
        scene.answer.context.append(f"{phrases.SENDER} " + "\n".join(told))
    hearing.everybody(scene)
    along = _sent_along(scene)
    reminding.remind(scene, [row for row in scene.docket.due if row.kind != Due.ANSWERED or row.label not in along])


def _leave_to_module(scene: Scene) -> None:
    """The module that has put the question shows what came of it, and wakes the agent: the parent hears nothing."""
    with scene.book.transaction() as writing:
        if scene.answer.notice:
            notes.add_late_words(writing, scene.session, scene.answer.notice)
    scene.answer.notice, scene.answer.context = [], []


def _sent_along(scene: Scene) -> list[str]:
    """The tasks whose agents the same message wakes, behind the dialog: nothing is left to say about their answers."""
    _, later = transcripts.beside(transcripts.tail(scene.event.transcript), scene.event.tool_use)
    found = [tasks.addressed(scene.book, scene.session, to) for to in tools.addressees(later)]
    labels = [task.label for task in found if task is not None]
    return [label for label in labels if cases.case(scene.book, label).is_ready]


def _take(scene: Scene, writing: Writing, item: Question, text: str, options: list[str]) -> answering.Taken:
    """One answer, written down before anything is made of it."""
    number = typed.keep(writing, scene.session, "dialog", item.label, text)
    said, why = _own_words(item, text, options)
    if why:
        name, command = f"{item.label} {item.qid}", scene.answer_command
        words = answering.given_back(text)
        reason = str(feedback.WHY_NOT_SENT[why]).format(words=words)
        line = feedback.DIALOG_NOT_SENT.format(name=name, why=reason, command=command, words=words)
        return answering.Taken(line, recorded=False)
    is_skip = said not in options and answers.reserved(said) == answers.SKIP
    skips = is_skip and inbox.kind(item) != Item.DELEGATION
    taken = answering.take(scene, writing, item, answering.Said(said, "dialog", number, skips))
    typed.conclude(writing, number, typed.TAKEN if taken.recorded else typed.REFUSED)
    return taken


def _counts(item: Question, options: list[str]) -> bool:
    """A number is what the question asks for, and no option is one."""
    has_numbers = any(sign.isdecimal() for option in options for sign in option)
    return answers.asks_for_a_number(item.text) and not has_numbers


def _own_words(item: Question, text: str, options: list[str]) -> tuple[str, str]:
    """What the user means by words typed into a dialog, or why that is in doubt; an option is an answer as it is."""
    chosen, _, noted = text.partition("\n")
    if inbox.kind(item) == Item.DELEGATION and chosen in options:
        if chosen not in (feedback.APPROVE[0], feedback.DENY[0]):
            return text, "options"
        # What is noted beside a choice is its condition, or takes it back.
        return f"{chosen}: {noted}" if noted else chosen, ""
    if text in options or not options:
        return text, ""
    read = answers.read(text, answers.Known([item], lambda _, qid: qid == item.qid.upper(), lambda _: False))
    if read.parts and (len(read.parts) > 1 or read.doubts or read.lead):
        return text, "ids"
    if any(doubt == answers.UNKNOWN for doubt, _ in read.doubts):
        return text, "ids"
    if inbox.kind(item) == Item.DELEGATION:  # it is asked back unless it says yes or no
        return (read.parts[0].text if read.parts else text), ""
    if text.strip().isdecimal() and int(text) <= len(options) and not _counts(item, options):
        return text, "number"
    if answers.is_question(text):
        return text, "question"
    word = answers.reserved(text)
    if word and word != answers.SKIP:
        return text, "command"
    return (read.parts[0].text if read.parts else text), ""


def _asked_by(scene: Scene, shown: list[str], meant: Optional[dict[int, str]]) -> list[tuple[str, Question]]:
    """The items that a dialog's questions stood for, told by their words: an id alone may mean another one by now."""
    pairs: list[tuple[str, Question]] = []
    left = _unnamed(scene, shown, meant)
    for question in shown:
        named = putting.prefixed(question)
        known = inbox.ever(scene.book, *named) if named else left
        # Where no hook could put the agent's words into the dialog, the parent's words must do.
        item = next((one for one in known if named and putting.is_put(question, one, _name(scene, one.label))), None)
        standing = [one for one in known if one.state in (ItemState.OPEN, ItemState.ANSWERED)]
        item = item or putting.match(question, standing)
        item = item or (known[0] if named and known else None)
        if item is not None and not _was_put(question, item, _name(scene, item.label), meant):
            _not_taken(scene, item)
        elif item is not None:
            pairs.append((question, item))
            left = [one for one in left if one.id != item.id]
    return pairs


def _was_put(question: str, item: Question, name: str, meant: Optional[dict[int, str]]) -> bool:
    """The very call has shown the user that item: another plugin may show questions that begin like ours."""
    return (
        meant is not None
        and item.id in meant
        and (putting.is_put(question, item, name) or digests.digest(question) == meant[item.id])
    )


def _not_taken(scene: Scene, item: Question) -> None:
    scene.answer.context.append(phrases.DIALOG_NOT_OURS.format(name=f"{item.label} {item.qid}", ask=tools.ASK))


def _unnamed(scene: Scene, shown: list[str], meant: Optional[dict[int, str]]) -> list[Question]:
    """What a dialog without our words may stand for: a host that shows the parent's words instead."""
    if not meant or any(putting.prefixed(question) for question in shown):
        return []
    items = inbox.waiting(scene.book, project=scene.project)
    return [item for item in items if item.id in meant]
