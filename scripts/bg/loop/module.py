"""The module in the client: its lines and questions, and the user's choices there.

The module hands the user's actions over, and does what it is told here: show a line, put a question, wake an agent.
Only its hash chain (`bg.ledger.chains`) proves that the words are the user's.
"""

from __future__ import annotations

from bg import machine, settings
from bg.host import dialogs, tools, versions
from bg.host.event import Event, mapping, text_of
from bg.ledger import cases, chains, inbox, notes, proofs, sessions, tasks, user_answers
from bg.ledger.cases import Case
from bg.ledger.inbox import Question
from bg.ledger.values import Due, Item
from bg.loop import asking, waking
from bg.loop.scene import Scene
from bg.words import feedback, outcome, phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional

    Given = dict[str, Any]

SHORT = 160  # characters of a question, of which the client shows what fits


def begin(event: Event) -> Given:
    """Keep the module's commitment when the client loads it; the reply says whether the module is to show anything.

    This needs no ledger, and makes none.
    """
    client = machine.host()
    if not versions.attended() or not settings.load(event.cwd).mod or client is None:
        return {}
    counts = machine.shares_terminal(client) and chains.begin(client, mapping(event.raw).get("commitment"))
    return {"on": True} if counts else {}


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
    question, name = asking.put(item, asking.name_of(scene, item.label)), f"{item.label} {item.qid}"
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
        return {"fill": f"{scene.answer_command} {item.label} {item.qid}: "}
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
    return waking.wakes(scene, case.task.agent)


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
    return {"counts": " · ".join(words for words, _ in reversed(parts)), "words": " · ".join(said), "key": key}


def _stuck(scene: Scene) -> list[str]:
    """The tasks whose answers only Claude can pass on, and that the module is not just about to wake."""
    hand = notes.in_hand(scene.book, scene.session)
    owed = dict.fromkeys(row.label for row in scene.docket.unsaid if row.kind == Due.ANSWERED)
    return [label for label in owed if label not in hand and _has_to_be_asked(scene, label)]
