"""Reminding: the deliveries that a session has not seen are put into words, and told to its parent once an event."""

from __future__ import annotations

from bg.host import arrivals, receipts, terminal, transcripts
from bg.ledger import cases, deliveries, inbox, notes, place, runs, tasks, windows
from bg.ledger.cases import Case
from bg.ledger.deliveries import Delivery
from bg.ledger.file import Writing
from bg.ledger.values import Decision, Due, ItemState, Opened
from bg.loop import checkpoints, groups, next_steps, noting, queued, reports, waking, weighing
from bg.loop.scene import Scene
from bg.signals import kinds
from bg.words import briefs, feedback, goals, phrases, replies, verdict
from bg.words.quoting import CONTEXT_LIMIT, fit
from bg.words.replies import Reminder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional

    Worder = Callable[[Scene, Delivery], Reminder]

MOST_REMINDERS = 24  # more than fit into one event, less than what would take long to compose
MOST_WHOLE = 3  # so many reports are said whole even if the host has just shown them
LEAST_ROOM = 400


def remind(scene: Scene, rows: Optional[list[Delivery]] = None, *, brief: bool = False) -> None:
    """Tell the parent what this session has not seen: once an event, and no more than the host keeps whole.

    `brief` is for events at which the host shows the user what the model is told: the text is then the user's line too.
    """
    rows = _sayable(scene, scene.docket.due if rows is None else rows)
    if not rows or scene.late is not None or _room(scene) < LEAST_ROOM:
        return
    above = _shown_by_host(scene, rows)
    if above:
        scene.answer.context.append(phrases.REPORTS_ABOVE)
    reminders, moot = _in_words(scene, rows, above, brief_reminder if brief else reminder)
    with scene.book.transaction() as writing:
        for row in moot:
            deliveries.settle(writing, row)
        texts = _surface(scene, writing, reminders, by_lines=brief and not above)
    scene.answer.context += texts
    _tell_the_user(scene, reminders, brief=brief)


def owe_next_step(scene: Scene, writing: Writing, label: str, *, again: bool = False) -> bool:
    """Owe the next step to the session that has this task; return whether that is a session other than this one."""
    case = cases.of(scene.book, label)
    if case is None:
        return False
    deliveries.owe_next_step(writing, label, scene.session, again=again)
    elsewhere = bool(case.task.session != scene.session)
    if elsewhere:
        place.clear_idle(scene.book.place, case.task.session)
    return elsewhere


def reminder(scene: Scene, row: Delivery) -> Reminder:
    """The text of one delivery, from the record as it is now."""
    return _WORDED.get(row.kind, _of_run)(scene, row)


def brief_reminder(scene: Scene, row: Delivery) -> Reminder:
    """The short form of `reminder`; its notice is part of the text."""
    said = reminder(scene, row)
    if row.kind in (Due.GROUP, Due.JOINT):
        return said  # no other report has the findings, the unfinished work and the agreements
    if row.kind == Due.VERIFIED:
        return said._replace(text=f"{phrases.SENDER} {said.notice}")
    case = cases.of(scene.book, row.label)
    agent = (case.task.agent if case else "") if row.kind == Due.ANSWERED else row.subject
    then = _way(scene, agent, row.label)
    if row.kind == Due.ANSWERED:
        ready = phrases.BRIEFLY_READY.format(label=row.label, then=then)
        return said._replace(text=ready) if _is_ready(scene, row.label) else said
    if case is not None and case.is_held:
        return said
    _, asks = _asked(scene, row, then, said)
    return said._replace(text="\n".join([f"{phrases.SENDER} {asks[0]}", *asks[1:], *_next(scene, case, then)]))


def _sayable(scene: Scene, rows: list[Delivery]) -> list[Delivery]:
    hand = notes.in_hand(scene.book, scene.session) if rows else []
    return [row for row in rows if _can_be_said(scene, row, hand)]


def _can_be_said(scene: Scene, row: Delivery, hand: list[str]) -> bool:
    """Whether the client's module does not have this delivery in hand, and the author of its words is known."""
    if row.kind != Due.ANSWERED:
        return True
    if row.label in hand:
        return False
    if row.answered_in == scene.session:
        return True
    from bg.loop import proof  # noqa: PLC0415 - late: it imports this module

    return proof.look(scene, row.label)


def _room(scene: Scene) -> int:
    """How many characters this event can still tell the parent."""
    return CONTEXT_LIMIT - sum(len(text) + 2 for text in scene.answer.context)


def _shown_by_host(scene: Scene, rows: list[Delivery]) -> list[int]:
    """Of many reports, those that the host's own announcement just above has whole: they are not said again."""
    told = [row for row in rows if row.kind == Due.ENDED]
    if len(told) <= MOST_WHOLE:
        return []
    event = scene.event
    if event.name == "Stop" and event.last_text and scene.late is None:
        scene.book.settle()  # as before every wait
        arrivals.is_written(event.transcript, event.last_text)
    shown = receipts.announced(event.transcript, event.prompt)
    return [row.id for row in told if row.subject in shown and _has_whole_report(scene, row, shown[row.subject])]


def _has_whole_report(scene: Scene, row: Delivery, shown: str) -> bool:
    """Whether the announcement shows the parent the report that counts, and no evidence speaks against it."""
    who = cases.agent(scene.book, row.subject)
    if verdict.mismatches(runs.evidence(scene.book, row.subject, row.run)):
        return False
    text, _ = reports.best(who.texts_of(row.run), who.token)
    return bool(text.strip()) and " ".join(text.split()) in " ".join(shown.split())


def _in_words(
    scene: Scene, rows: list[Delivery], above: list[int], usual: Worder
) -> tuple[dict[int, Reminder], list[Delivery]]:
    """The reminders, by the id of the delivery, and the deliveries that have become moot."""
    reminders: dict[int, Reminder] = {}
    moot = []
    for row in rows:
        if len(reminders) < MOST_REMINDERS:
            word = _line if row.id in above else usual
            said = scene.apart(f"delivery {row.id} of {row.label}", _to_say, scene, row, word)
            if said:
                reminders[row.id] = said[0]
            elif said is not None:  # else it has failed
                moot.append(row)
    return reminders, moot


def _to_say(scene: Scene, row: Delivery, word: Worder) -> list[Reminder]:
    """A delivery in words, none if it has become moot."""
    is_moot = _is_sent if row.kind == Due.ANSWERED else _is_answered
    return [] if is_moot(scene, row) else [word(scene, row)]


def _is_sent(scene: Scene, row: Delivery) -> bool:
    """Whether the answers that this row is about are on their way, so that nothing is left to do about them."""
    case = cases.of(scene.book, row.label)
    return case is None or not (case.has_news or next_steps.has_to_do(scene, case))


def _is_answered(scene: Scene, row: Delivery) -> bool:
    """Whether all that this signal asked for is answered, so that only the next step is left to say."""
    who, run = cases.agent(scene.book, row.subject), row.run
    one = who.request_by(run, row.mark)
    if one is not None:
        return one.state != Decision.WAITING and not noting.denied(scene.book, who.id, run, row.mark)
    marker = who.said(run, row.mark).get("signal_type")
    asked = [item for item in who.items_of(run) if kinds.kind_asking_for(inbox.kind(item)).marker == marker]
    return bool(asked) and all(item.state != ItemState.OPEN for item in asked)


def _surface(scene: Scene, writing: Writing, reminders: dict[int, Reminder], *, by_lines: bool) -> list[str]:
    """Note the reminders that are said now, as many as fit, and give their texts."""
    # Another hook may have said some of them meanwhile.
    due = [row for row in scene.docket.due if row.id in reminders]
    texts = [reminders[row.id].text for row in due]
    if by_lines:
        count = briefs.fitting(texts)
        texts = texts[:count]
    else:
        texts, count = fit(texts, _room(scene), phrases.MORE_REPORTS.format(command=scene.bgctl("status")))
    scene.surfaced = [row.id for row in due[:count]]
    event = scene.event
    words, size = [receipts.plain(text) for text in texts], transcripts.size(event.transcript)
    via = event.name, event.turn
    deliveries.surface(writing, scene.surfaced, scene.session, via, words, size, receipts.plain(event.carrier))
    for row in due[:count]:
        if row.kind == Due.ANSWERED:
            _expect_successor(scene, writing, row.label)
    return texts


def _expect_successor(scene: Scene, writing: Writing, label: str) -> None:
    """Open a window for a new agent to continue the task, if its old one cannot be woken."""
    case = cases.of(scene.book, label)
    if case is not None and case.is_ready and not waking.can_wake(scene, case.task.agent):
        windows.open_window(writing, case.task.session, Opened.RELAUNCH, case.task.text, label)


def _tell_the_user(scene: Scene, reminders: dict[int, Reminder], *, brief: bool) -> None:
    """Add a line for each reminder said, and the terminal's own notification if the user has not seen a question."""
    said = list(dict.fromkeys(reminders[one].notice for one in scene.surfaced if reminders[one].notice))
    if not brief:
        scene.answer.notice += said
    waits = any(row.shown is None for row in scene.docket.items)
    if said and waits and scene.settings.notify:
        scene.answer.sequence = scene.host.notification(said[0].split(" · ")[0])


def _line(scene: Scene, row: Delivery) -> Reminder:
    """The reminder of a report that the host has just shown: only the verdict and, if there is one, the next step."""
    said = reminder(scene, row)
    case = cases.of(scene.book, row.label)
    if case is None or case.is_held:
        return said
    then = _way(scene, row.subject, row.label)
    is_over, asks = _asked(scene, row, then, said)
    told = [said.notice] if is_over else asks
    return said._replace(text="\n".join([f"- {told[0]}", *told[1:], *_next(scene, case, then)]))


def _group(scene: Scene, row: Delivery) -> Reminder:
    tell = groups.joint if row.kind == Due.JOINT else groups.told
    return replies.Reminder(*tell(scene.book, row.subject, scene.bgctl, scene.event.transcript))


def _verified(scene: Scene, row: Delivery) -> Reminder:
    from bg.loop import verifying  # noqa: PLC0415 - late: it brings the largest part of the package

    return verifying.reminder(scene, row)


def _answered(scene: Scene, row: Delivery) -> Reminder:
    """The next step after the user's answers."""
    case = cases.case(scene.book, row.label)
    elsewhere = feedback.ANSWERED_ELSEWHERE.format(label=case.label)
    return Reminder(next_steps.next_step(scene, case), "" if row.answered_in == scene.session else elsewhere)


_WORDED: dict[str, Worder] = {
    Due.GROUP: _group,
    Due.JOINT: _group,
    Due.VERIFIED: _verified,
    Due.ANSWERED: _answered,
}


def _of_run(scene: Scene, row: Delivery) -> Reminder:
    """The reminder of a run's signal, or of its end without one."""
    case = cases.case(scene.book, row.label)
    who = cases.agent(scene.book, row.subject)
    body, told = who.said(row.run, row.mark), _told(scene, case, row)
    if body:
        told = told._replace(denied=noting.denied(scene.book, row.subject, row.run, row.mark))
        said = kinds.of(body["signal_type"]).remind(body, told)
        return said if told.denied else _with_answers(scene, case, said)
    text, _ = reports.best(who.texts_of(row.run), who.token)
    if case.is_held:
        from bg.loop import pausing  # noqa: PLC0415 - late: few runs come to a limit

        resets, line = case.limit.resets, pausing.in_short(scene)
        return replies.paused(text, case.task.note, resets, scene.book.now(), line, told)
    left, in_short = checkpoints.seen_by_parent(scene, case, row.run, spoke=bool(text.strip()))
    said = replies.unreported(text, case.task.note, told._replace(left=left))._replace(left=in_short)
    return _with_answers(scene, case, said)


def _told(scene: Scene, case: Case, row: Delivery) -> replies.Told:
    """The facts that a reminder of a run may tell besides the run's own words."""
    agent, run = row.subject, row.run
    who = cases.agent(scene.book, agent)
    told = replies.Told(
        task=case.task,
        brief=goals.of(case.task.prompt),
        items=who.items_of(run),
        resume=waking.resume_how(scene, agent, case.label),
        along=waking.along(scene, agent),
        answer_command=scene.answer_command,
        whole=scene.bgctl(f"status {case.label}"),
        evidence=runs.evidence(scene.book, agent, run),
        room=terminal.room_for_notice(scene.event),
    )
    one = who.request_by(run, row.mark)
    if one is None or one.state != Decision.WAITING:
        return told
    payload = who.said(run, row.mark).get("payload", {})
    weighed = weighing.weigh(scene, case, one, str(payload.get("context_required") or ""))
    return told._replace(qid=one.qid, weighed=tuple(weighed), full=scene.full())


def _with_answers(scene: Scene, case: Case, said: Reminder) -> Reminder:
    """Add the user's answers that had not reached the agent when it ended, and the task that waits for its work."""
    text = notice = ""
    if case.task.state in tasks.ENDED_STATES:
        left = ", ".join(item.qid for item in case.unsent)
        coming = ", ".join(queued.items_with_answers_coming(scene, case))
        if left:
            text = phrases.OVERTAKEN.format(qids=left, way=waking.resume_how(scene, case.task.agent, case.label))
            notice = phrases.OVERTAKEN_NOTICE.format(qids=left)
        if coming:
            text += phrases.WAKES_WITH_THEM.format(qids=coming)
            notice += phrases.WAKES_WITH_THEM_NOTICE.format(qids=coming)
    whole = said.text + text + next_steps.for_requester(scene, case)
    return said._replace(text=whole, notice=said.notice + notice if said.notice else "")


def _asked(scene: Scene, row: Delivery, then: str, said: Reminder) -> tuple[bool, list[str]]:
    """Whether nothing is left to do about a run's end, and the lines of its short form."""
    who = cases.agent(scene.book, row.subject)
    signal = who.said(row.run, row.mark)
    kind, payload = kinds.of(signal.get("signal_type", "")), signal.get("payload", {})
    short = briefs.Short(row.label, who.items_of(row.run), then, scene.full(), said.left, said.notice)
    return not signal or kind.is_over(payload), [kind.begin_brief(short, said.notice), *kind.brief(payload, short)]


def _next(scene: Scene, case: Optional[Case], then: str) -> list[str]:
    """Lines on the unsent answers of the user, and on the task that asked for this one."""
    if case is None:
        return []
    lines = []
    is_over = case.task.state in tasks.ENDED_STATES
    left, coming = [item.qid for item in case.unsent], queued.items_with_answers_coming(scene, case) if is_over else []
    if left and is_over:
        lines.append(phrases.BRIEFLY_OVERTAKEN.format(qids=", ".join(left), then=then))
    if coming:
        lines.append(phrases.WAKES_WITH_THEM.format(qids=", ".join(coming)).strip())
    others = next_steps.for_requester(scene, case, lambda agent, label: _way(scene, agent, label))
    return lines + ([others.strip()] if others else [])


def _is_ready(scene: Scene, label: str) -> bool:
    """Whether the answers only have to be sent; if not, the usual words are one line already."""
    case = cases.of(scene.book, label)
    return case is not None and case.task.state not in tasks.RUNNING_STATES and case.is_ready


def _way(scene: Scene, agent: str, label: str) -> str:
    return briefs.way(scene.host, agent, label, wakes=waking.keeps_memory(scene, agent))
