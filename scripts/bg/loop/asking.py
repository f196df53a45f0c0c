"""Dialog calls: the user is asked in the agents' own words, and the answers are recorded."""

from __future__ import annotations

import re

from bg.host import dialogs, drift, tools, transcripts
from bg.host.event import Event
from bg.ledger import cases, digests, inbox, notes, proofs, tasks, typed
from bg.ledger.deliveries import Delivery
from bg.ledger.file import Writing, first_of
from bg.ledger.inbox import Question
from bg.ledger.naming import label_of
from bg.ledger.values import Due, Item, ItemState
from bg.loop import answering, answers, hearing, proof, reminding, sighting
from bg.loop.scene import Scene
from bg.pattern import pattern
from bg.words import feedback, phrases, recoveries
from bg.words.quoting import DECIDED, as_text, inline, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

_LIKE = 0.55
MOST_OPTIONS = 4  # a dialog takes no more
AGENTS_OPTIONS = 2  # of the agent's own, to leave room for the named ways; the question lists all of them
LONGEST_OPTION = 200  # characters
COMPARED = 2000  # characters: the time to compare grows with their square
_BY_NAME, _LESS, _OWN = "by name", "less", "own"
_PREFIX = pattern(
    r"\s*\W{0,3}(bg[-_ ]?\d{1,6})\s*(?:\(.{0,120}?\))?[\s.,:]+([QBD]\d{1,3})\b\W{0,3}", re.IGNORECASE | re.DOTALL
)


def before_question(scene: Scene) -> None:
    """PreToolUse(AskUserQuestion): put waiting questions in the agents' own words, which also ties answers to them."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    items = inbox.waiting(scene.book, project=scene.project)
    asked = dialogs.questions_of(event)
    rewritten, put_now = in_agents_words(
        asked, items, lambda label: name_of(scene, label), by_module=tools.is_by_module(event)
    )
    given = dialogs.own_answers(event) if put_now else ""
    mark = scene.book.chance(8).hex() if given else ""
    with scene.book.transaction() as writing:
        # A dialog that the user closes has been seen: its questions wait in the table and do not come up again.
        inbox.mark_shown(writing, [item.id for item in put_now])
        place = transcripts.size(proof.transcript(scene, scene.session))
        notes.set_dialog(writing, event.tool_use, _words_of(put_now, asked, rewritten), place, mark)
        for label in dict.fromkeys(item.label for item in put_now if given):
            origin, way = phrases.ANSWERED_ITSELF, proofs.CHOSEN
            proofs.note(writing, scene.session, label, given, event.tool_use, proofs.UNPROVEN, origin, way)
    if put_now:
        changed = dialogs.questions_with(event, rewritten)
        scene.answer.updated_input = dialogs.without_answers(changed, mark) if given else changed
        # Else a hook that allows every tool would make the host go on as if the user had been asked (2.1.328).
        scene.answer.ask = bool(given)


def after_question(scene: Scene) -> None:
    """PostToolUse(AskUserQuestion): record the user's answers, each to its own question, all of them or none."""
    event = scene.event
    if event.in_subagent:
        return
    scene.see()
    given = _given(event)
    with proof.claimed(scene, proofs.CHOSEN, "\n".join(given.values())) as (writing, claim):
        shown = notes.take_dialog(writing, event.tool_use)
        if shown is not None:
            claim.place = shown.place
            _note_form(scene, shown)
        if shown and shown.mark and given and not dialogs.shows_mark(event, shown.mark):
            told = [phrases.DIALOG_ANSWERED_ITSELF.format(ask=tools.ASK)]
        else:
            told = _take_all(scene, writing, given, shown)
    if tools.is_by_module(event):
        _leave_to_module(scene)
        return
    if told:
        scene.answer.context.append(f"{phrases.SENDER} " + "\n".join(told))
    hearing.everybody(scene)
    reminding.remind(scene, _left_to_say(scene))


def _given(event: Event) -> dict[str, str]:
    """The user's answers by the dialog's questions, without those that say nothing yet."""
    chosen = dialogs.answers_of(event)
    if tools.is_by_module(event):
        chosen = {question: meant(text) for question, text in chosen.items()}
    return {question: text for question, text in chosen.items() if text.strip()}


def _leave_to_module(scene: Scene) -> None:
    """Keep the lines for the module, which shows them and wakes the agent itself: the parent hears nothing."""
    if scene.answer.notice:
        with scene.book.transaction() as writing:
            notes.add_late_words(writing, scene.session, scene.answer.notice)
    scene.answer.notice, scene.answer.context = [], []


def in_agents_words(
    questions: list[dict[str, Any]], items: list[Question], task_of: Callable[[str], str], *, by_module: bool = False
) -> tuple[list[dict[str, Any]], list[Question]]:
    """The dialog's questions, ours in the agents' own words, and the items that these put to the user.

    The module's own dialog has these words already; its options are given their descriptions.
    """
    left = list(items)
    result = []
    for question in questions:
        item = match(dialogs.wording(question), left)
        if item is None:
            result.append(question)
            continue
        left.remove(item)
        words, header = dialog_text(item, task_of(item.label)), f"{item.label} {item.qid}"
        if by_module:
            result.append(dialogs.with_options(dialogs.reworded(question, words, header), offered(item)))
        else:
            result.append(_decidable(dialogs.reworded(question, words + _view(question, item), header), item))
    return result, [item for item in items if item not in left]


def match(question: str, items: list[Question]) -> Optional[Question]:
    """The waiting item that a dialog's question puts to the user, None if the question is about another matter."""
    named = prefixed(question)
    if named:
        return first_of([item for item in items if (item.label, item.qid.upper()) == named])
    words = _plain(question)
    scored = sorted(((_likeness(words, _plain(item.text)), item) for item in items), key=lambda pair: -pair[0])
    if not scored or scored[0][0] < _LIKE:
        return None
    likely = [item for score, item in scored if score > scored[0][0] - 0.1]
    # If several agents ask the same thing, the first is taken: they follow one by one, each with its label.
    return likely[0] if len({_plain(item.text) for item in likely}) == 1 else None


def prefixed(question: str) -> Optional[tuple[str, str]]:
    """The label and id that a dialog's question begins with."""
    found = _PREFIX.match(question)
    return (label_of(found[1].replace(" ", "")), found[2].upper()) if found else None


def dialog_text(item: Question, task: str) -> str:
    """An item as a dialog shows it: whose it is, what is asked, and why it matters."""
    lines = feedback.IN_DIALOGS[inbox.kind(item)].splitlines()
    extra = inbox.extra(item)
    known = {
        "label": item.label,
        "task": inline(task, 60),
        "qid": item.qid,
        "text": shown(item.text, DECIDED),
        "context": inline(item.context, 400),
        "priority": inline(item.priority, 40),
        "time": inline(str(extra.get("estimated_duration") or ""), 60),
        "waits": feedback.WAITS_FOR_IT.get(str(extra.get("independence") or ""), ""),
        "default": inline(str(extra.get("default") or ""), 120),
        "assumed": inline(inbox.assumed(item), 200),
        "ways": inline("\n".join(as_text(extra[key]) for key in ("error_recovery", "ways") if extra.get(key)), 500),
    }
    filled = [(line, line.format(**known)) for line in lines]
    # A line whose fact the agent has not given is left out.
    return "\n".join(words for line, words in filled if words != line.format(**dict.fromkeys(known, "")))


def is_put(question: str, item: Question, task: str) -> bool:
    """Whether the dialog's question begins with this item in its own words."""
    return " ".join(question.split()).startswith(" ".join(dialog_text(item, task).split()))


def name_of(scene: Scene, label: str) -> str:
    """The name of a task in the dialogs that put its items."""
    case = cases.of(scene.book, label)
    return case.task.description or case.task.text if case else ""


def _words_of(items: list[Question], asked: list[dict[str, Any]], rewritten: list[dict[str, Any]]) -> dict[int, str]:
    """A digest of the words that each item's question had before ours, by the item's id: a host may show those."""
    pairs = [(dialogs.wording(one), dialogs.wording(other)) for one, other in zip(asked, rewritten)]
    return {
        item.id: digests.digest(before)
        for item in items
        for before, after in pairs
        if prefixed(after) == (item.label, item.qid.upper())
    }


def _note_form(scene: Scene, put: notes.Dialog) -> None:
    """Note the form of this event, and whether the host has shown the words that the hook before it had given."""
    if put.shown:
        scene.form.append(drift.OURS)
        is_taken = any(prefixed(dialogs.wording(each)) for each in dialogs.questions_of(scene.event))
        sighting.note_use_of_answer(scene, "PreToolUse", scene.event.tool, drift.INPUT, taken=is_taken)


def _take_all(scene: Scene, writing: Writing, given: dict[str, str], put: Optional[notes.Dialog]) -> list[str]:
    """Take each answer and owe the tasks' next steps; words for the parent on the answers that do not count."""
    options = {dialogs.wording(each): dialogs.options_of(each) for each in dialogs.questions_of(scene.event)}
    told: list[str] = []
    answered: list[str] = []
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
    return told


def _asked_by(scene: Scene, shown: list[str], meant: Optional[dict[int, str]]) -> list[tuple[str, Question]]:
    """A dialog's questions that put an item, each with it, as its words show: an id alone may mean another by now."""
    pairs: list[tuple[str, Question]] = []
    left = _unnamed(scene, shown, meant)
    for question in shown:
        item = _meant_by(scene, question, left)
        if item is None:
            continue
        if _was_put(question, item, name_of(scene, item.label), meant):
            pairs.append((question, item))
            left = [one for one in left if one.id != item.id]
        else:
            name = f"{item.label} {item.qid}"
            scene.answer.context.append(phrases.DIALOG_NOT_OURS.format(name=name, ask=tools.ASK))
    return pairs


def _unnamed(scene: Scene, shown: list[str], meant: Optional[dict[int, str]]) -> list[Question]:
    """The items that a dialog without our words may show: some hosts show the parent's words instead."""
    if not meant or any(prefixed(question) for question in shown):
        return []
    items = inbox.waiting(scene.book, project=scene.project)
    return [item for item in items if item.id in meant]


def _meant_by(scene: Scene, question: str, left: list[Question]) -> Optional[Question]:
    """The item that a dialog's question names, by its words if they are ours; else the most similar one left."""
    named = prefixed(question)
    if not named:
        return match(question, left)
    known = inbox.ever(scene.book, *named)
    standing = [one for one in known if one.state in (ItemState.OPEN, ItemState.ANSWERED)]
    ours = [one for one in known if is_put(question, one, name_of(scene, one.label))]
    # If no hook could put the agent's words into the dialog, the parent's words must do.
    return first_of(ours) or match(question, standing) or first_of(known)


def _was_put(question: str, item: Question, name: str, meant: Optional[dict[int, str]]) -> bool:
    """Whether this very call has shown the item to the user: another plugin's questions may begin like ours."""
    return (
        meant is not None
        and item.id in meant
        and (is_put(question, item, name) or digests.digest(question) == meant[item.id])
    )


def _take(scene: Scene, writing: Writing, item: Question, text: str, options: list[str]) -> answering.Taken:
    """Take one answer, which is written down before anything is made of it."""
    number = typed.keep(writing, scene.session, "dialog", item.label, text)
    said, why = _own_words(item, text, options)
    if why:
        name, command = f"{item.label} {item.qid}", scene.answer_command
        words = answering.given_back(text)
        reason = str(feedback.WHY_NOT_SENT[why]).format(words=words)
        line = feedback.DIALOG_NOT_SENT.format(name=name, why=reason, command=command, words=words)
        return answering.Taken(line, recorded=False)
    is_skip = said not in options and answers.command_word(said) == answers.SKIP
    skips = is_skip and inbox.kind(item) != Item.DELEGATION
    taken = answering.take(scene, writing, item, answering.Said(said, "dialog", number, skips))
    typed.conclude(writing, number, typed.TAKEN if taken.recorded else typed.REFUSED)
    return taken


def _own_words(item: Question, text: str, options: list[str]) -> tuple[str, str]:
    """The user's answer in words typed into a dialog, and the reason to doubt it, if any; an option counts as is."""
    is_request = inbox.kind(item) == Item.DELEGATION
    chosen, _, noted = text.partition("\n")
    if is_request and chosen in options:
        if chosen not in (feedback.APPROVE[0], feedback.DENY[0]):
            return text, "options"
        # A note that the user adds to a choice sets a condition for it, or takes it back.
        return f"{chosen}: {noted}" if noted else chosen, ""
    if text in options or not options:
        return text, ""
    read = answers.read(text, answers.Known([item], lambda _, qid: qid == item.qid.upper(), lambda _: False))
    if _names_more(read):
        return text, "ids"
    # A request is asked back later, unless the words say yes or no.
    why = "" if is_request else _doubt(item, text, options)
    return (read.parts[0].text if read.parts and not why else text), why


def _names_more(read: answers.Typed) -> bool:
    """Whether the words seem to name another item as well."""
    return bool(read.parts and (read.parts[1:] or read.doubts or read.lead)) or any(
        doubt == answers.UNKNOWN for doubt, _ in read.doubts
    )


def _doubt(item: Question, text: str, options: list[str]) -> str:
    """The reason to doubt that words other than the options are meant as an answer; empty if there is none."""
    if text.strip().isdecimal() and int(text) <= len(options) and not _wants_a_number(item, options):
        return "number"
    if answers.is_question(text):
        return "question"
    return "command" if answers.command_word(text) not in ("", answers.SKIP) else ""


def _wants_a_number(item: Question, options: list[str]) -> bool:
    """Whether the question asks for a number, and no option has one."""
    has_numbers = any(sign.isdecimal() for option in options for sign in option)
    return answers.asks_for_a_number(item.text) and not has_numbers


def _left_to_say(scene: Scene) -> list[Delivery]:
    """The due deliveries, without the answers to agents that the same message wakes after the dialog."""
    _, later = transcripts.beside(transcripts.tail(scene.event.transcript), scene.event.tool_use)
    found = [tasks.addressed(scene.book, scene.session, to) for to in tools.addressees(later)]
    along = [task.label for task in found if task is not None and cases.case(scene.book, task.label).is_ready]
    return [row for row in scene.docket.due if row.kind != Due.ANSWERED or row.label not in along]


def offered(item: Question) -> list[tuple[str, str]]:
    """The options of the module's own dialog, each with its description; the host takes two to four."""
    if inbox.kind(item) == Item.BLOCKER:
        listed = [(each["label"], each["description"]) for each in _with_recoveries({}, item)["options"]]
        # Work that is handed over is launched in the turn of the user's words; the module's dialog is in no turn.
        ways = [each for each in listed if recoveries.read(each[0])[0] != recoveries.HAND_OVER]
        return ways if len(ways) > 1 else _TO_TYPE
    entries = recoveries.entries(inbox.extra(item).get("options"))
    words = list(dict.fromkeys(" ".join(each.split()) for each in entries))
    fits = 1 < len(words) <= MOST_OPTIONS and all(len(each) <= LONGEST_OPTION for each in words)
    return [(each, "") for each in words] if fits else _TO_TYPE


_TO_TYPE = [feedback.I_TYPE, feedback.LEAVE_IT]


def meant(chosen: str) -> str:
    """The answer that a choice in the module's own dialog stands for; empty if it is none yet."""
    return {feedback.I_TYPE[0]: "", feedback.LEAVE_IT[0]: answers.SKIP}.get(chosen, chosen)


def _view(question: dict[str, Any], item: Question) -> str:
    """The parent's own view of a blocker or a request: its words beyond the item's; empty for a question."""
    words = " ".join(dialogs.wording(question).split())
    found = _PREFIX.match(words)
    words = words[found.end() :] if found else words
    words = words.replace(" ".join(item.text.split()), "").strip().lstrip(".:-–— ")
    if inbox.kind(item) == Item.QUESTION or len(words) < 3:
        return ""
    return "\n" + feedback.PARENTS_VIEW.format(words=inline(words, 700))


def _decidable(question: dict[str, Any], item: Question) -> dict[str, Any]:
    """The question with our yes and no for a request, and with the named ways to go on for a blocker."""
    if inbox.kind(item) == Item.DELEGATION:
        return dialogs.with_options(question, [feedback.APPROVE, feedback.DENY])
    return _with_recoveries(question, item) if inbox.kind(item) == Item.BLOCKER else question


def _with_recoveries(question: dict[str, Any], item: Question) -> dict[str, Any]:
    """Offer the parts to leave out, if the parent asks for that, then the agent's, the named, and the parent's ways."""
    extra = inbox.extra(item)
    given = [(option, _sort(option)) for option in dialogs.options_of(question) if option.strip()]
    less = [(option, feedback.LESS) for option, sort in given if sort == _LESS]
    agents = [(option, feedback.AGENTS_OPTION) for option in recoveries.entries(extra.get("ways"))[:AGENTS_OPTIONS]]
    named = recoveries.options(extra)
    if less:
        named = [each for each in named if each[0].lower() != recoveries.REDUCE]
    parents = [(option, feedback.PARENTS_OPTION) for option, sort in given if sort == _OWN]
    return dialogs.with_options(question, [*less, *agents, *named, *parents][:MOST_OPTIONS])


def _sort(option: str) -> str:
    """The sort of an option of the parent's: a recovery's bare name (offered anyway), less work, or own words."""
    name, beyond = recoveries.read(option)
    if name and not beyond:
        return _BY_NAME
    return _LESS if name == recoveries.REDUCE else _OWN


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text[:COMPARED].lower()))


def _likeness(one: str, other: str) -> float:
    if not one or not other:
        return 0.0
    short, long = sorted((one, other), key=len)
    if len(short) > 12 and short in long:
        return 1.0
    # Late: nearly no prompt is an answer.
    import difflib  # noqa: PLC0415

    return difflib.SequenceMatcher(None, one, other).ratio()
