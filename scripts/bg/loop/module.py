"""The module in the client: its line, questions and pane, and what the user chooses and types there.

The module hands the user's actions over, and does what it is told here: show a line, put a question, wake an agent.
Only its hash chain (`bg.ledger.chains`) proves that the words are the user's.
"""

from __future__ import annotations

from bg import machine, settings
from bg.host import dialogs, tools, versions
from bg.host.event import Event, mapping, text_of
from bg.ledger import cases, chains, inbox, naming, notes, proofs, sessions, tasks, user_answers
from bg.ledger.cases import Case
from bg.ledger.inbox import Question
from bg.ledger.values import Due, Item
from bg.loop import asking, commands, waking
from bg.loop.scene import Scene
from bg.masking import masked
from bg.words import feedback, outcome, phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    Given = dict[str, Any]

SHORT = 160  # characters of a question or of what came of an answer, of which the client shows what fits
COMMAND = "reply"
STATUS = "bg-status"
COLUMNS, MOST_COLUMNS = 66, 200  # of the pane, until the client has told how wide it is


def begin(event: Event) -> Given:
    """Keep the module's commitment when the client loads it; the reply says whether the module is to show anything.

    This needs no ledger, and makes none.
    """
    client = machine.host()
    if not versions.attended() or not settings.load(event.cwd).mod or client is None:
        return {}
    counts = machine.shares_terminal(client) and chains.begin(client, mapping(event.raw).get("commitment"))
    command = {"name": COMMAND, "description": feedback.REPLY_DESCRIBED, "argumentHint": feedback.REPLY_HINT}
    return {"on": True, "command": command} if counts else {}


def step(scene: Scene) -> None:
    """Answer the module after an action of the user there, or after a change of what it may have to show."""
    scene.is_counted = True
    given = mapping(scene.event.raw)
    scene.event = scene.event._replace(transcript=scene.docket.transcript)
    done = _DONE.get(text_of(given.get("did")))
    if not scene.settings.mod:
        scene.answer.reply = {"band": None}
    elif done is not None:
        reply = done(scene, given)
        scene.answer.reply = {**reply, "band": _band(scene)}
        if "columns" in given:
            scene.answer.reply["pane"] = _pane(scene, given["columns"])
    scene.answer.notice, scene.answer.context, scene.answer.block = [], [], ""


def _look(_: Scene, __: Given) -> Given:
    return {}


def _next(scene: Scene, given: Given) -> Given:
    """Put the first question that the user has not seen since the key was pressed; those answered by typing come last.

    An approval goes through the prompt: its agent is launched in the turn that it begins.
    """
    seen = given.get("seen")
    left = [item for item in _waiting(scene) if not isinstance(seen, list) or item.id not in seen]
    left.sort(key=lambda item: inbox.kind(item) == Item.DELEGATION)
    if not left:
        return {}
    item = left[0]
    question, name = asking.dialog_text(item, asking.name_of(scene, item.label)), f"{item.label} {item.qid}"
    if inbox.kind(item) == Item.DELEGATION:
        typed = f"{scene.answer_command} {name}: "
        return {"log": question, "toast": feedback.DECIDE_BY_TYPING.format(name=name), "fill": typed}
    labels = [label for label, _ in asking.offered(item)]
    return {"ask": {"id": item.id, "question": question, "header": name[: dialogs.HEADER], "options": labels}}


def _chose(scene: Scene, given: Given) -> Given:
    """Take the answer to a dialog of the module's: hooks have written the words down, the chain proves their author."""
    item = inbox.get(scene.book, given.get("item") if isinstance(given.get("item"), int) else 0)
    words = text_of(given.get("words"))
    if item is None:
        return _next(scene, given)
    if words == feedback.I_TYPE[0]:
        command = f"/{COMMAND}" if given.get("offered") else scene.answer_command
        return {"fill": f"{command} {item.label} {item.qid}: "}
    with scene.book.transaction() as writing:
        if _proves(scene, writing, given):
            for row in _said_of(scene, item, asking.meant(words)):
                proofs.judge(writing, row.id, proofs.DIALOG)
    told = _told(scene)
    mine = user_answers.given(scene.book, inbox.get(scene.book, item.id) or item)
    shown = feedback.ANSWERED_THERE.format(name=f"{item.label} {item.qid}", words=inline(mine.text, 80)) if mine else ""
    said = {"log": told} if told else {"toast": shown} if shown else {}
    return {**_next(scene, given), **said, **_go_on(scene, given)}


def _said_of(scene: Scene, item: Question, words: str) -> list[proofs.Proof]:
    """The unjudged words of the user that a dialog of the module's has recorded for this item alone."""
    return [
        row
        for row in proofs.unjudged(scene.book, scene.session)
        if (row.way, row.session, row.text) == (proofs.CHOSEN, scene.session, words)
        and tools.is_of_module(row.call)
        and [each.question for each in user_answers.find(scene.book, proof=row.id)] == [item.id]
    ]


def _typed(scene: Scene, given: Given) -> Given:
    """A command of the plugin's that the user has typed; without "text" its own hook is left to carry it out."""
    from bg.loop import answer_command, answers  # noqa: PLC0415 - late: most looks are no typed words

    words, is_own = text_of(given.get("words")), given.get("command") == COMMAND
    if given.get("command") == STATUS:
        commands.status_command(scene, words)
        return _shown(scene)
    if is_own and answers.is_blank(words):
        return {"text": ""}
    aim = answer_command.aim(scene, words)
    if aim == answer_command.SHOWS:
        answer_command.answer_command(scene, words)
        return _shown(scene)
    if aim != answer_command.ANSWERS or not _is_typed(scene, words, given):
        said = feedback.NEEDS_A_PROMPT
        return {**_at_once(said, given), "fill": f"{scene.answer_command} {words}"} if is_own else {}
    scene.event = scene.event._replace(prompt=f"/bg-answer {words}", tool_use="", turn="")
    answer_command.answer_command(scene, words)
    said = masked(_told(scene) or scene.answer.block or "\n".join(scene.answer.notice))
    return {**_at_once(said, given), **_go_on(scene, given)}


def _at_once(said: str, given: Given) -> Given:
    """A command's text; in the middle of a turn the client shows it only at the turn's end."""
    return {"text": said, **({"toast": inline(said, SHORT)} if given.get("busy") else {})}


def _shown(scene: Scene) -> Given:
    """What is for the user alone."""
    return {"text": masked(scene.answer.block), "only": True}


def _is_typed(scene: Scene, words: str, given: Given) -> bool:
    """Whether the chain proves that the user has typed this; else it has no effect, and is kept to be shown."""
    scene.enter()  # a session without a task of its own may answer for another
    with scene.book.transaction() as writing:
        if _proves(scene, writing, given):
            scene.shown_by = proofs.CLIENT
        else:
            label = naming.label_of(words.split(maxsplit=1)[0])
            proofs.note(writing, scene.session, label, words, "", proofs.UNPROVEN, phrases.NOT_TYPED_THERE)
    return bool(scene.shown_by)


def _refused(scene: Scene, given: Given) -> Given:
    """Ask Claude, as without the module, to wake an agent that the client does not wake from here."""
    label = text_of(given.get("label"))
    left = [each for each in notes.in_hand(scene.book, scene.session) if each != label]
    with scene.book.transaction() as writing:
        notes.set_in_hand(writing, scene.session, left)
    case = cases.of(scene.book, label)
    if case is None:
        return {}
    return {"toast": feedback.NOT_WOKEN_HERE.format(label=label), **_to_parent([label], given)}


_DONE: dict[str, Callable[[Scene, Given], Given]] = {
    "look": _look,
    "key": _next,
    "chose": _chose,
    "typed": _typed,
    "table": _look,
    "refused": _refused,
}


def _proves(scene: Scene, writing: Any, given: Given) -> bool:
    """Whether the words come from the module of the very client that has this session, and were typed there."""
    client, known = machine.host(), scene.docket.row
    if client is None or known is None or (known.pid, known.pid_started) != (client.pid, client.started):
        return False
    others = {each for each in sessions.processes(scene.book) if each != (client.pid, client.started)}
    if not machine.shares_terminal(client) or any((one.pid, one.started) in others for one in machine.above()):
        return False
    return chains.proves(writing, client, given.get("proof"))


def _told(scene: Scene) -> str:
    """The lines on words that were not taken, or are not proven; said once."""
    words = notes.late_words(scene.book, scene.session)
    if words:
        with scene.book.transaction() as writing:
            notes.forget_late_words(writing, scene.session)
    return words


def _go_on(scene: Scene, given: Given) -> Given:
    """The module's next step after the answers: wake the agents that are ready, and ask Claude for the rest."""
    ready = _ready(scene)
    labels = [case.label for case in ready]
    with scene.book.transaction() as writing:
        notes.set_in_hand(writing, scene.session, labels)
    wake = [{"agent": case.task.agent, "label": case.label, "text": phrases.ANSWERS_ARE_HERE} for case in ready]
    mine = _stuck(scene)
    return {**({"wake": wake} if wake else {}), **(_to_parent(mine, given) if mine else {})}


def _has_to_be_asked(scene: Scene, label: str) -> bool:
    from bg.loop import next_steps  # noqa: PLC0415 - late: few answers need more than an agent that is woken

    case = cases.of(scene.book, label)
    return case is not None and bool(case.is_ready or next_steps.has_to_do(scene, case))


def _to_parent(labels: list[str], given: Given) -> Given:
    """The words that the module sends to Claude; none in the middle of a turn, where the next hook tells it."""
    if given.get("busy"):
        return {}
    return {"say": phrases.MODULE_ASKS.format(labels=", ".join(labels))}


def _ready(scene: Scene) -> list[Case]:
    """The tasks of this session whose agents can be given the user's words now, by a message."""
    if scene.host.resume_way != versions.BY_MESSAGE:
        return []
    states = (*tasks.RUNNING_STATES, *tasks.CONTINUABLE_STATES, *tasks.ENDED_STATES)
    found = [case for case in scene.docket.cases_in(tuple(dict.fromkeys(states))) if case.task.agent]
    return [case for case in found if _can_have(scene, case)]


def _can_have(scene: Scene, case: Case) -> bool:
    if not case.is_ready or case.is_held or any(_is_unjudged(scene, row.proof) for row in case.agent.answers):
        return False
    if case.task.state in tasks.RUNNING_STATES:
        return bool(case.unsent)
    return waking.can_wake(scene, case.task.agent)


def _is_unjudged(scene: Scene, number: Optional[int]) -> bool:
    row = proofs.of_id(scene.book, number)
    return row is not None and not row.proof


def _waiting(scene: Scene) -> list[Question]:
    """The items that wait for the user in this project."""
    return [item for item in inbox.waiting(scene.book, project=scene.project) if inbox.kind(item) != Item.UNASKED]


def _band(scene: Scene) -> Optional[Given]:
    """One line above the prompt while something needs the user."""
    items, stuck = _waiting(scene), _stuck(scene)
    said, key = [], ""
    if items:
        said, key = [feedback.BAND.format(label=items[0].label, text=inline(items[0].text, SHORT))], feedback.BAND_KEY
    if stuck:
        said.append(feedback.BAND_STUCK.format(labels=", ".join(stuck)))
    if not said:
        return None
    parts = outcome.counted(len(scene.docket.running), len({item.label for item in items}), 0)
    counts = " · ".join(words for words, _ in reversed(parts))
    return {"counts": counts, "words": " · ".join(said), "key": key, "table": feedback.BAND_TABLE}


def _pane(scene: Scene, columns: Any) -> Given:
    """The table of tasks, as wide as the pane is, with a line to type an answer in."""
    wide = columns if type(columns) is int and columns > 0 else COLUMNS
    table = scene.desk.table(
        scene.book, scene.project, everything=False, launch=scene.launch_command, columns=min(wide, MOST_COLUMNS)
    )
    first = next(iter(_waiting(scene)), None)
    hint = f"{first.label} {first.qid}: …" if first else feedback.REPLY_HINT
    return {"label": feedback.PANE_LABEL, "hint": hint, "lines": masked(table).splitlines()}


def _stuck(scene: Scene) -> list[str]:
    """The tasks whose answers only Claude can pass on, and that the module is not just about to wake."""
    hand = notes.in_hand(scene.book, scene.session)
    owed = dict.fromkeys(row.label for row in scene.docket.unsaid if row.kind == Due.ANSWERED)
    return [label for label in owed if label not in hand and _has_to_be_asked(scene, label)]
