"""Proof: nobody but the user answers, decides or launches; the author of words is looked up in the host's transcript.

When a hook gets a prompt, the transcript has no record of it yet. So the words are taken at once, and looked up before
they can do anything: before a message goes to an agent, and before a launch is adopted. Words that turn out to be
somebody else's are taken back, kept, and shown.
"""

from __future__ import annotations

import contextlib
import time

from bg import durations
from bg.host import origins, tools, transcripts, versions
from bg.ledger import (
    cases,
    delegations,
    deliveries,
    inbox,
    naming,
    notes,
    place,
    proofs,
    tasks,
    user_answers,
    windows,
)
from bg.ledger.cases import Case
from bg.ledger.file import Writing, first_of, last_of
from bg.ledger.inbox import Question
from bg.ledger.proofs import Proof
from bg.ledger.user_answers import Answer, Retracted
from bg.ledger.values import ItemState, Opened
from bg.loop import answering
from bg.loop.scene import Scene
from bg.words import feedback, phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

MOST_LOOKS = 2


class Claim:
    """Where in the transcript to look for the record of these words, and the task that they close once proven."""

    def __init__(self, place: int) -> None:
        self.place = place
        self.closes = ""


@contextlib.contextmanager
def claimed(scene: Scene, way: str, text: str) -> Iterator[tuple[Writing, Claim]]:
    """A transaction for the user's words: its answers and windows hold only while the words are not disproved."""
    event = scene.event
    path = transcript(scene, scene.session)
    claim = Claim(transcripts.size(path))
    late = scene.late if way == proofs.PROMPTED else None
    at = scene.late.at if scene.late else scene.book.now()
    with scene.book.transaction() as writing:
        before = proofs.Marks(scene.book)
        yield writing, claim
        labels = proofs.depend_on_proof(
            writing,
            before,
            session=scene.session,
            way=proofs.SPOOLED if late else proofs.CLOSES if claim.closes else way,
            text=text,
            at=at,
            transcript=path,
            place=claim.place,
            turn=event.turn,
            call=event.tool_use,
            closes=claim.closes,
            proof=proofs.CODE if scene.confirmed is not None else scene.shown_by or None,
        )
        for label in labels:
            _follow(scene, writing, cases.of(scene.book, label), claim)
        if late:
            # Nobody knows who put the words into the spool, nor when: only a record counts that is later than the
            # items they are about. Of the events that waited with them, the ledger knows only when they were taken in.
            moment = max(at - durations.EARLIER_RECORD, proofs.touched(scene.book, before, labels, late.began))
            proofs.move(writing, at, scene.session, origins.place_since(path, moment))


def _follow(scene: Scene, writing: Writing, case: Optional[Case], claim: Claim) -> None:
    """Have the session that owns the task look at the words; a confirmed `close` is carried out at once."""
    if case is None:
        return
    if case.task.session != scene.session:
        place.clear_idle(scene.book.place, case.task.session)
    if claim.closes and scene.confirmed is not None:
        _close(scene, writing, case)


def look_around(scene: Scene) -> None:
    """Judge the words said in this session, and to its tasks in other sessions, which may have ended meanwhile."""
    look(scene)
    for label in proofs.unjudged_elsewhere(scene.book, scene.session):
        look(scene, label)


def transcript(scene: Scene, session: str) -> str:
    """The path of a session's transcript; a path that an event names counts only in the host's own folder."""
    config = place.config_directory()
    noted = cases.docket(scene.book, session).transcript
    known = noted if transcripts.is_in_place(noted, session, config) else ""
    if transcripts.is_kept(known):
        return known
    named = scene.event.transcript if session == scene.session and scene.late is None else ""
    return named if transcripts.is_in_place(named, session, config) else known


def look(scene: Scene, label: str = "", session: str = "", *, wait: bool = False) -> bool:
    """Judge the words said in a session, by default this one, and to the task in any; whether all are judged now."""
    session = session or scene.session
    open_now = proofs.unjudged(scene.book, session, label)
    if not open_now:
        return True
    if wait:
        scene.book.settle()
    until = time.monotonic() + (durations.LATE_PROMPT if wait else 0.0)
    found = _origins(scene, open_now)
    while None in found.values() and time.monotonic() < until:
        time.sleep(durations.LOOK_AGAIN)
        found = _origins(scene, open_now)
    with scene.book.transaction() as writing:
        for row in open_now:
            _judge(scene, writing, row, found[row.id], waited=wait)
    return not proofs.unjudged(scene.book, session, label)


def _origins(scene: Scene, rows: list[Proof]) -> dict[int, Optional[origins.Origin]]:
    """The author of each of these, as far as the transcripts tell. A record proves only one, the newest possible."""
    found: dict[int, Optional[origins.Origin]] = {}
    used: dict[tuple[str, int], float] = {}
    for row in reversed(rows):
        origin = _origin(scene, row, used)
        found[row.id] = origin
        if origin is not None and origin.place >= 0:
            used[row.session, origin.place] = row.at
    return found


def _origin(scene: Scene, row: Proof, used: dict[tuple[str, int], float]) -> Optional[origins.Origin]:
    """The author of these words, None as long as the transcript does not tell."""

    def is_used(at: int) -> bool:
        return used.get((row.session, at), row.at) != row.at or proofs.is_used(scene.book, row, at)

    path = transcript(scene, row.session)
    if not transcripts.is_kept(path):
        # The host keeps no transcript, or has not begun it yet, as at a first prompt. The words are then judged without
        # a record only where no other process can post prompts to the session, as on an old host.
        is_own = bool(path) and row.session == scene.session and row.way != proofs.SPOOLED
        return origins.Origin(origins.UNKEPT, "") if is_own and not origins.takes_posts() else None
    if row.way == proofs.CHOSEN:
        return origins.of_dialog(path, row.place, row.call, row.text)
    return origins.of_prompt(path, row.place, row.text, row.turn, is_used)


def _judge(scene: Scene, writing: Writing, row: Proof, origin: Optional[origins.Origin], *, waited: bool) -> None:
    if origin is None:
        if waited:
            proofs.count_look(writing, row.id)
        if row.looks + waited < MOST_LOOKS and scene.book.now() - row.at < durations.PROOF_PENDS:
            return
        origin = _unrecorded(scene, row)
    if origin.kind in (origins.SDK, origins.UNKEPT) and not _speaks_for(scene, row, origin):
        origin = origins.Origin(origins.OTHER, phrases.UNATTENDED, origin.place)
    if origin.kind in (origins.OTHER, origins.UNKNOWN):
        _reject(scene, writing, row, origin)
        return
    proofs.judge(writing, row.id, _class(row, origin))
    if origin.place >= 0:
        proofs.use(writing, row, origin.place)
    case = cases.of(scene.book, row.label) if row.way == proofs.CLOSES else None
    if case is not None:
        _close(scene, writing, case)


def _reject(scene: Scene, writing: Writing, row: Proof, origin: origins.Origin) -> None:
    """Take back words that are not known to be the user's; some count after all once the user types the code."""
    can_wait = origin.kind == origins.UNKNOWN and row.way != proofs.CHOSEN
    proofs.judge(writing, row.id, proofs.KEPT if can_wait else proofs.UNPROVEN, origin.who)
    _take_back(scene, writing, row, origin.who, can_wait=can_wait)


def _close(scene: Scene, writing: Writing, case: Case) -> None:
    """Take a task and its items off every list, without deleting anything. A task that works again stays."""
    if case.task.state in tasks.RUNNING_STATES:
        notes.add_late_words(
            writing, scene.session, [feedback.CLOSE_WORKS.format(label=case.label, command=scene.answer_command)]
        )
        return
    for item in case.items:
        inbox.withdraw(writing, item)
    deliveries.settle_task(writing, case.label)
    tasks.close(writing, case.label, feedback.CLOSED_NOTE)


def _unrecorded(scene: Scene, row: Proof) -> origins.Origin:
    """The origin of words that no record shows: not known, unless they have waited in the spool."""
    if row.way == proofs.SPOOLED:
        return origins.Origin(origins.OTHER, phrases.FROM_THE_SPOOL)
    if tools.is_of_module(row.call):
        return origins.Origin(origins.UNKNOWN, phrases.NOT_OF_MODULE)
    kept = transcripts.is_kept(transcript(scene, row.session))
    return origins.Origin(origins.UNKNOWN, phrases.NO_RECORD if kept else phrases.NO_TRANSCRIPT)


def _class(row: Proof, origin: origins.Origin) -> str:
    if row.way == proofs.CHOSEN:
        return proofs.DIALOG
    by_hand = origin.kind == origins.HUMAN or (origin.kind == origins.UNKEPT and versions.attended())
    return proofs.KEYBOARD if by_hand else proofs.SDK


def _speaks_for(scene: Scene, row: Proof, origin: origins.Origin) -> bool:
    """Whether an unattended session may speak for this task: only if it was launched there while unattended.

    A session without a transcript speaks for all that was launched in it.
    """
    case = cases.of(scene.book, row.label)
    if case is None:
        return True  # the session's own new request
    task = case.task
    opened = first_of(windows.find(scene.book, label=task.grp))
    if opened is not None and opened.proof == row.id:
        return True
    launched = proofs.of_id(scene.book, opened.proof) if opened else None
    if origin.kind == origins.UNKEPT or task.session != row.session:
        return task.session == row.session
    if launched is not None:
        return launched.proof not in (proofs.KEYBOARD, proofs.CODE)
    began = opened.session if opened else task.session
    return not any(origins.is_attended(transcript(scene, session)) for session in dict.fromkeys([began, row.session]))


def _take_back(scene: Scene, writing: Writing, row: Proof, who: str, *, can_wait: bool) -> None:
    """Undo the effects of somebody else's words; the words are kept, and the user is told."""
    book = scene.book
    for answer in user_answers.find(book, proof=row.id, sent=None):
        _take_back_answer(scene, writing, answer)
    for gone in user_answers.find_retracted(book, undone_by=row.id):
        item = inbox.get(book, gone.question)
        if item is not None and item.state == ItemState.OPEN:
            _decide_again(scene, writing, item, gone)
    for window in windows.find(book, proof=row.id, closed=None):
        windows.close_window(writing, window)
    if row.way != proofs.CLOSES:
        deliveries.settle_next_step(writing, row.label)
    told = phrases.KEPT if can_wait else phrases.NOT_YOURS
    code = scene.bgctl("code")
    words = told.format(label=row.label, words=inline(row.text, 160), who=inline(who, 200), code=code)
    case = cases.of(book, row.label)
    for session in dict.fromkeys([row.session, scene.session, case.task.session if case else scene.session]):
        if cases.docket(book, session).row is not None:
            notes.add_late_words(writing, session, [words])


def _take_back_answer(scene: Scene, writing: Writing, answer: Answer) -> None:
    """Take an answer back, and put the one it had replaced in its place if that is the user's."""
    book = scene.book
    item = inbox.get(book, answer.question)
    if item is None:
        return
    answering.reopen(scene, writing, item)
    earlier = last_of(user_answers.find_retracted(book, replaced_by=answer.id))
    if user_answers.take_back(writing, answer):
        _take_back_unproven(scene, writing, item)
    elif earlier is not None and not _is_unproven(scene, earlier.proof):
        _decide_again(scene, writing, item, earlier)


def _take_back_unproven(scene: Scene, writing: Writing, item: Question) -> None:
    """Take back the answers that count again in its place, as long as they are not the user's either."""
    stands = user_answers.given(scene.book, item)
    while stands is not None and _is_unproven(scene, stands.proof):
        user_answers.take_back(writing, stands)
        stands = user_answers.given(scene.book, item)


def _is_unproven(scene: Scene, number: Optional[int]) -> bool:
    row = proofs.of_id(scene.book, number)
    return row is not None and row.proof in proofs.WITHOUT_EFFECT


def _decide_again(scene: Scene, writing: Writing, item: Question, gone: Retracted) -> None:
    """Restore the user's former decision; an approved agent can be launched with `go`."""
    user_answers.stand_again(writing, gone)
    if gone.kind in (user_answers.APPROVED, user_answers.DENIED):
        approved = gone.kind == user_answers.APPROVED
        one = first_of(delegations.find(scene.book, question=item.id))
        if one is not None and approved:
            label = windows.open_window(writing, scene.session, Opened.DELEGATION, item.text)
            delegations.approve(writing, one, gone.text, label)
        elif one is not None:
            delegations.deny(writing, one, gone.text)


def message_refused(scene: Scene, case: Case, typed: str) -> str:
    """The refusal to wake an ended agent by this call; the parent's words in another session's turn are kept apart."""
    look(scene, case.label, wait=True)
    waiting = case.agent.answers
    if any(proofs.class_of(scene.book, row.proof, row.source) == "" and row.proof for row in waiting):
        return phrases.PROOF_PENDING.format(label=case.label)
    peer = "" if tools.is_by_module(scene.event) else _peer(scene)
    if not peer:
        return ""
    with scene.book.transaction() as writing:
        proofs.note(writing, scene.session, case.label, typed, scene.event.tool_use, proofs.UNPROVEN, peer)
    who = inline(peer, 80)
    return "" if waiting else phrases.RELAY_UNPROVEN.format(label=case.label, who=who, ask=tools.ASK)


def _peer(scene: Scene) -> str:
    """The other session that has a part in this turn, empty if none has."""
    until = time.monotonic() + (durations.LATE_PROMPT if scene.late is None else 0.0)
    found = origins.peer_in_turn(scene.event.transcript, scene.event.turn)
    if found is None:
        scene.book.settle()
    while found is None and time.monotonic() < until:
        time.sleep(durations.LOOK_AGAIN)
        found = origins.peer_in_turn(scene.event.transcript, scene.event.turn)
    return found or ""


def is_kept_apart(scene: Scene) -> bool:
    """Whether the words that the parent adds to this call are not to be sent with it."""
    row = last_of(proofs.find(scene.book, call=scene.event.tool_use, way=proofs.PASSED_ON))
    return row is not None and row.proof == proofs.UNPROVEN


def pass_on(scene: Scene, writing: Writing, label: str, words: str) -> None:
    """Note the parent's own words in which it passes something on from the user."""
    proofs.note(writing, scene.session, label, words, scene.event.tool_use, proofs.RELAYED, "")


def launch_refused(scene: Scene) -> str:
    """The refusal of a launch if the words that asked for it are not the user's, or not known to be."""
    look(scene, wait=True)
    label = _asked_for(scene)
    case = cases.of(scene.book, label) if label else None
    if case is not None and case.is_held:
        return phrases.STAYS_PAUSED.format(label=label, command=scene.answer_command)
    if case is not None and case.is_resumable:
        return message_refused(scene, case, tools.launch_of(scene.event).prompt)
    found = last_of(windows.find(scene.book, session=scene.session, label=label)) if label else None
    row = proofs.of_id(scene.book, found.proof) if found else None
    if row is None:
        return ""
    refused = {"": phrases.PROOF_PENDING, proofs.UNPROVEN: phrases.LAUNCH_NOT_YOURS, proofs.KEPT: phrases.LAUNCH_KEPT}
    return refused[row.proof].format(label=label) if row.proof in refused else ""


def _asked_for(scene: Scene) -> str:
    """The label that a launch carries, else that of the window which it would fill."""
    called = tools.launch_of(scene.event)
    found = naming.LABEL.match(called.description.strip())
    if found:
        return str(found[0])
    opened = scene.docket.windows
    return opened[0].label if opened and not called.one_shot and not called.foreground else ""
