"""Reminding: what this session has not seen yet is worded, delivery by delivery, and said in one reminder an event."""

from __future__ import annotations

from bg import durations
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
    from typing import Optional

    from bg.ledger.cases import Case
    from bg.words.replies import Reminder

MOST_REMINDERS = 24  # more than fit into one event, less than what would take long to compose
MOST_WHOLE = 3  # so many reports are said whole even where the host has just shown them
_WHOLE, _IN_BRIEF, _IN_A_LINE = "whole", "in brief", "in a line"
LEAST_ROOM = 400


def remind(scene: Scene, rows: Optional[list[Delivery]] = None, *, brief: bool = False) -> None:
    """Say what this session has not seen: one reminder an event, at most what the host keeps whole.

    In brief where the host shows the user what the model is told; that is then the user's line as well.
    """
    rows = scene.docket.due if rows is None else rows
    hand = notes.in_hand(scene.book, scene.session)
    rows = [row for row in rows if not _is_in_hand(scene, row, hand) and _is_known_to_be_answered(scene, row)]
    used = sum(len(text) + 2 for text in scene.answer.context)
    if not rows or scene.late is not None or CONTEXT_LIMIT - used < LEAST_ROOM:
        return
    moot: list[Delivery] = []
    reminders: dict[int, Reminder] = {}
    above = _above(scene, rows)
    if above:
        scene.answer.context.append(phrases.REPORTS_ABOVE)
        used += len(phrases.REPORTS_ABOVE) + 2
    for row in rows:
        if len(reminders) < MOST_REMINDERS:
            how = _IN_A_LINE if row.id in above else _IN_BRIEF if brief else _WHOLE
            said = scene.apart(f"delivery {row.id} of {row.label}", _to_say, scene, row, how)
            if said:
                reminders[row.id] = said[0]
            elif said is not None:
                moot.append(row)
    rest = phrases.MORE_REPORTS.format(command=scene.bgctl("status"))
    with scene.book.transaction() as writing:
        for row in moot:
            deliveries.settle(writing, row)
        # Another hook may have said some of them meanwhile.
        due = [row.id for row in scene.docket.due if row.id in reminders]
        kept, count = _fitting([reminders[one].text for one in due], used, rest, brief=brief and not above)
        scene.surfaced = due[:count]
        _surface(scene, writing, kept)
        _await_relaunches(scene, writing, [row for row in rows if row.id in scene.surfaced])
        for row in [row for row in rows if row.id in scene.surfaced and row.kind == Due.ANSWERED]:
            _expect_successor(scene, writing, row.label)
    scene.answer.context += kept
    notices = [reminders[one].notice for one in scene.surfaced if reminders[one].notice]
    scene.answer.notice += [] if brief else list(dict.fromkeys(notices))
    waits = any(row.shown is None for row in scene.docket.items)
    if notices and waits and scene.settings.notify:
        scene.answer.sequence = scene.host.notification(notices[0].split(" · ")[0])


def _above(scene: Scene, rows: list[Delivery]) -> list[int]:
    """Of many reports, those that the host's own announcement holds whole just above: they are not said again."""
    told = [row for row in rows if row.kind == Due.ENDED]
    if len(told) <= MOST_WHOLE:
        return []
    event = scene.event
    if event.name == "Stop" and event.last_text and scene.late is None:
        scene.book.settle()  # as before every wait
        arrivals.is_written(event.transcript, event.last_text)
    shown = receipts.announced(event.transcript, event.prompt)
    return [row.id for row in told if row.subject in shown and _is_whole(scene, row, shown[row.subject])]


def _is_whole(scene: Scene, row: Delivery, shown: str) -> bool:
    """What the parent has read there is the report that counts, and nothing that was seen speaks against it."""
    who = cases.agent(scene.book, row.subject)
    if verdict.mismatches(runs.evidence(scene.book, row.subject, row.run)):
        return False
    text, _ = reports.best(who.texts_of(row.run), who.token)
    return bool(text.strip()) and " ".join(text.split()) in " ".join(shown.split())


def _is_in_hand(scene: Scene, row: Delivery, hand: dict[str, float]) -> bool:
    """The module in the client is just about to wake this agent; it may also have vanished."""
    return row.kind == Due.ANSWERED and scene.book.now() - hand.get(row.label, 0.0) < durations.IN_HAND


def _is_known_to_be_answered(scene: Scene, row: Delivery) -> bool:
    """What another session's words ask for waits until it is known whose words they are."""
    if row.kind != Due.ANSWERED or row.answered_in == scene.session:
        return True
    from bg.loop import proof  # noqa: PLC0415 - late: it imports this module

    return proof.look(scene, row.label)


def _expect_successor(scene: Scene, writing: Writing, label: str) -> None:
    """A launch that leaves out the label continues the task, where its agent cannot wake."""
    case = cases.of(scene.book, label)
    if case is not None and case.is_ready and not waking.wakes(scene, case.task.agent):
        windows.open_window(writing, case.task.session, Opened.RELAUNCH, case.task.text, label)


def _surface(scene: Scene, writing: Writing, texts: list[str]) -> None:
    size = transcripts.size(scene.event.transcript)
    words = [receipts.plain(text) for text in texts]
    event = scene.event
    carrier = receipts.plain(event.carrier)
    via = event.name, event.turn
    deliveries.surface(writing, scene.surfaced, scene.session, via, words, size, carrier)


def _fitting(texts: list[str], used: int, rest: str, *, brief: bool) -> tuple[list[str], int]:
    if not texts:
        return [], 0
    if not brief:
        return fit(texts, CONTEXT_LIMIT - used, rest)
    count = briefs.fitting(texts)
    return texts[:count], count


def _await_relaunches(scene: Scene, writing: Writing, rows: list[Delivery]) -> None:
    """A task whose next step is a new agent waits for its launch, whatever it is called."""
    for row in rows:
        case = cases.of(scene.book, row.label) if row.kind == Due.ANSWERED else None
        if case is not None and case.task.agent and case.is_ready and not waking.wakes(scene, case.task.agent):
            waking.open_relaunch(scene, writing, case)


def _to_say(scene: Scene, row: Delivery, how: str) -> list[Reminder]:
    """A delivery in words, none where it has become moot."""
    if _is_sent(scene, row) if row.kind == Due.ANSWERED else _is_answered(scene, row):
        return []
    return [_worded(scene, row, how)]


def _is_sent(scene: Scene, row: Delivery) -> bool:
    """The answers that this row speaks of are on their way: there is nothing left to do about them."""
    case = cases.of(scene.book, row.label)
    return case is None or not (case.has_news or next_steps.has_to_do(scene, case))


def _is_answered(scene: Scene, row: Delivery) -> bool:
    """What this signal asked for was answered before the parent was told: only the next step is left to say."""
    who, run = cases.agent(scene.book, row.subject), row.run
    one = who.request_by(run, row.mark)
    if one is not None:
        return one.state != Decision.WAITING and not noting.denied(scene.book, who.id, run, row.mark)
    marker = who.said(run, row.mark).get("signal_type")
    asked = [item for item in who.items_of(run) if kinds.asking(inbox.kind(item)).marker == marker]
    return bool(asked) and all(item.state != ItemState.OPEN for item in asked)


def owe_next_step(scene: Scene, writing: Writing, label: str, *, again: bool = False) -> bool:
    """The session that has this task is owed the next step; whether that is another one."""
    case = cases.of(scene.book, label)
    if case is None:
        return False
    deliveries.owe_next_step(writing, label, scene.session, again=again)
    elsewhere = bool(case.task.session != scene.session)
    if elsewhere:
        place.wake(scene.book.place, case.task.session)
    return elsewhere


def _worded(scene: Scene, row: Delivery, how: str) -> Reminder:
    if how == _WHOLE:
        return reminder(scene, row)
    return brief_reminder(scene, row) if how == _IN_BRIEF else brief_line(scene, row)


def reminder(scene: Scene, row: Delivery) -> Reminder:
    """The text of one delivery, from the record as it is now."""
    if row.kind in (Due.GROUP, Due.JOINT):
        return _group(scene, row)
    if row.kind == Due.VERIFIED:
        from bg.loop import verifying  # noqa: PLC0415 - late: it brings the largest part of the package

        return verifying.reminder(scene, row)
    case = cases.of(scene.book, row.label)
    assert case is not None
    if row.kind == Due.ANSWERED:
        elsewhere = feedback.ANSWERED_ELSEWHERE.format(label=case.label)
        notice = "" if row.answered_in == scene.session else elsewhere
        return replies.Reminder(next_steps.next_step(scene, case), notice)
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
    body, one = who.said(run, row.mark), who.request_by(run, row.mark)
    if one is not None and one.state == Decision.WAITING:
        weighed = weighing.weigh(scene, case, one, str(body.get("payload", {}).get("context_required") or ""))
        told = told._replace(qid=one.qid, weighed=tuple(weighed), full=scene.full())
    if body:
        told = told._replace(denied=noting.denied(scene.book, agent, run, row.mark))
        said = kinds.of(body["signal_type"]).remind(body, told)
        return said if told.denied else _with_answers(scene, case, said)
    text, _ = reports.best(who.texts_of(run), who.token)
    if case.is_held:
        from bg.loop import pausing  # noqa: PLC0415 - late: few runs come to a limit

        resets, line = case.limit.resets, pausing.in_short(scene)
        return replies.paused(text, case.task.note, resets, scene.book.now(), line, told)
    left, in_short = checkpoints.seen_by_parent(scene, case, run, spoke=bool(text.strip()))
    said = replies.unreported(text, case.task.note, told._replace(left=left))._replace(left=in_short)
    return _with_answers(scene, case, said)


def _group(scene: Scene, row: Delivery) -> Reminder:
    tell = groups.joint if row.kind == Due.JOINT else groups.told
    return replies.Reminder(*tell(scene.book, row.subject, scene.bgctl, scene.event.transcript))


def _with_answers(scene: Scene, case: Case, said: Reminder) -> Reminder:
    """The agent has ended with answers of the user on the way to it, or still on this side; then who waits for it."""
    text = notice = ""
    if case.task.state in tasks.ENDED_STATES:
        left = ", ".join(item.qid for item in case.unsent)
        coming = ", ".join(queued.coming(scene, case))
        if left:
            text = phrases.OVERTAKEN.format(qids=left, way=waking.resume_how(scene, case.task.agent, case.label))
            notice = phrases.OVERTAKEN_NOTICE.format(qids=left)
        if coming:
            text += phrases.WAKES_WITH_THEM.format(qids=coming)
            notice += phrases.WAKES_WITH_THEM_NOTICE.format(qids=coming)
    whole = said.text + text + next_steps.for_requester(scene, case)
    return said._replace(text=whole, notice=said.notice + notice if said.notice else "")


def brief_reminder(scene: Scene, row: Delivery) -> Reminder:
    """The short form of `reminding.reminder`; its notice is part of the text."""
    said = reminder(scene, row)
    if row.kind in (Due.GROUP, Due.JOINT):
        return said  # findings, what is not done and what was agreed cannot be had from any other report
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


def brief_line(scene: Scene, row: Delivery) -> Reminder:
    """The verdict on a report that the host's own announcement has just shown, and the next step where there is one."""
    said = reminder(scene, row)
    case = cases.of(scene.book, row.label)
    if case is None or case.is_held:
        return said
    then = _way(scene, row.subject, row.label)
    is_over, asks = _asked(scene, row, then, said)
    told = [said.notice] if is_over else asks
    return said._replace(text="\n".join([f"- {told[0]}", *told[1:], *_next(scene, case, then)]))


def _asked(scene: Scene, row: Delivery, then: str, said: Reminder) -> tuple[bool, list[str]]:
    """Whether nothing is left to do for a run's end, and what it says and asks for, in short."""
    who = cases.agent(scene.book, row.subject)
    signal = who.said(row.run, row.mark)
    kind, payload = kinds.of(signal.get("signal_type", "")), signal.get("payload", {})
    short = briefs.Short(row.label, who.items_of(row.run), then, scene.full(), said.left, said.notice)
    return not signal or kind.is_over(payload), [kind.begin_brief(short, said.notice), *kind.brief(payload, short)]


def _next(scene: Scene, case: Optional[Case], then: str) -> list[str]:
    """What is left to do about the user's answers, and for the task that asked for this one."""
    if case is None:
        return []
    lines = []
    is_over = case.task.state in tasks.ENDED_STATES
    left, coming = [item.qid for item in case.unsent], queued.coming(scene, case) if is_over else []
    if left and is_over:
        lines.append(phrases.BRIEFLY_OVERTAKEN.format(qids=", ".join(left), then=then))
    if coming:
        lines.append(phrases.WAKES_WITH_THEM.format(qids=", ".join(coming)).strip())
    others = next_steps.for_requester(scene, case, lambda agent, label: _way(scene, agent, label))
    return lines + ([others.strip()] if others else [])


def _is_ready(scene: Scene, label: str) -> bool:
    """The answers wait for nothing but their sending; else the usual words are one line already."""
    case = cases.of(scene.book, label)
    return case is not None and case.task.state not in tasks.RUNNING_STATES and case.is_ready


def _way(scene: Scene, agent: str, label: str) -> str:
    return briefs.way(scene.host, agent, label, wakes=waking.can_wake(scene, agent))
