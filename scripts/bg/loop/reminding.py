"""Reminding: what this session has not seen yet is worded, delivery by delivery, and said in one reminder an event."""

from __future__ import annotations

from bg.host import receipts, transcripts
from bg.ledger import delegations, deliveries, inbox, launches, place, reported, runs, tasks, waiting, windows
from bg.ledger.deliveries import Delivery
from bg.ledger.file import Writing
from bg.ledger.rows import first_of
from bg.ledger.tasks import Task
from bg.ledger.values import Decision, Due, ItemState, Opened
from bg.loop import adopting, checkpoints, groups, next_steps, noting, queued, reports, waking, weighing
from bg.loop.scene import Scene
from bg.signals import kinds
from bg.words import briefs, feedback, phrases, replies, reply_parts
from bg.words.quoting import CONTEXT_LIMIT, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from bg.words.reply_parts import Reminder

MOST_REMINDERS = 12  # more than fit into one event, less than what would take long to compose
LEAST_ROOM = 400


def remind(scene: Scene, rows: Optional[list[Delivery]] = None, *, brief: bool = False) -> None:
    """Say what this session has not seen: one reminder an event, at most what the host keeps whole.

    In brief where the host shows the user what the model is told; that is then the user's line as well.
    """
    rows = deliveries.due(scene.book, scene.session) if rows is None else rows
    rows = [row for row in rows if _is_known_to_be_answered(scene, row)]
    used = sum(len(text) + 2 for text in scene.answer.context)
    if not rows or scene.late is not None or CONTEXT_LIMIT - used < LEAST_ROOM:
        return
    moot: list[Delivery] = []
    reminders: dict[int, Reminder] = {}
    for row in rows:
        if len(reminders) < MOST_REMINDERS:
            said = scene.apart(f"delivery {row.id} of {row.label}", _to_say, scene, row, brief)
            if said:
                reminders[row.id] = said[0]
            elif said is not None:
                moot.append(row)
    rest = phrases.MORE_REPORTS.format(command=scene.bgctl("status"))
    with scene.book.transaction() as writing:
        for row in moot:
            deliveries.settle(writing, row)
        # Another hook may have said some of them meanwhile.
        due = [row.id for row in deliveries.due(scene.book, scene.session) if row.id in reminders]
        kept, count = _fitting([reminders[one].text for one in due], used, rest, brief=brief)
        scene.surfaced = due[:count]
        _surface(scene, writing, kept)
        _await_relaunches(scene, writing, [row for row in rows if row.id in scene.surfaced])
        for row in [row for row in rows if row.id in scene.surfaced and row.kind == Due.ANSWERED]:
            _expect_successor(scene, writing, row.label)
    scene.answer.context += kept
    notices = [reminders[one].notice for one in scene.surfaced if reminders[one].notice]
    scene.answer.notice += [] if brief else notices
    waits = any(row.shown is None for row in inbox.waiting(scene.book, session=scene.session))
    if notices and waits and scene.settings.notify:
        scene.answer.sequence = scene.host.notification(notices[0].split(" · ")[0])


def _is_known_to_be_answered(scene: Scene, row: Delivery) -> bool:
    """What another session's words ask for waits until it is known whose words they are."""
    if row.kind != Due.ANSWERED or row.answered_in == scene.session:
        return True
    from bg.loop import proof  # noqa: PLC0415 - late: it imports this module

    return proof.look(scene, row.label)


def _expect_successor(scene: Scene, writing: Writing, label: str) -> None:
    """A launch that leaves out the label continues the task, where its agent cannot wake."""
    task = tasks.get(scene.book, label)
    if task is not None and waking.is_ready(scene, task) and not waking.wakes(scene, task.agent):
        windows.open_window(writing, task.session, Opened.RELAUNCH, task.text, label)


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
        task = tasks.get(scene.book, row.label) if row.kind == Due.ANSWERED else None
        if task is not None and task.agent and waking.is_ready(scene, task) and not waking.wakes(scene, task.agent):
            waking.open_relaunch(scene, writing, task)


def _to_say(scene: Scene, row: Delivery, brief: bool) -> list[Reminder]:  # noqa: FBT001 - handed on by place
    """A delivery in words, none where it has become moot."""
    if _is_sent(scene, row) if row.kind == Due.ANSWERED else _is_answered(scene, row):
        return []
    return [_worded(scene, row, brief=brief)]


def _is_sent(scene: Scene, row: Delivery) -> bool:
    """The answers that this row speaks of are on their way: there is nothing left to do about them."""
    task = tasks.get(scene.book, row.label)
    return task is None or not (waiting.has_news(scene.book, task) or next_steps.has_to_do(scene, task))


def _is_answered(scene: Scene, row: Delivery) -> bool:
    """What this signal asked for was answered before the parent was told: only the next step is left to say."""
    agent, run = row.subject, row.run
    signal = reported.signal_id(scene.book, agent, run, row.mark)
    one = first_of(delegations.find(scene.book, signal=signal)) if signal else None
    if one is not None:
        return one.state != Decision.WAITING and not noting.denied(scene.book, agent, run, row.mark)
    marker = reported.signal_body(scene.book, agent, run, row.mark).get("signal_type")
    asked = [
        item for item in inbox.find(scene.book, agent=agent, run=run) if kinds.asking(inbox.kind(item)).marker == marker
    ]
    return bool(asked) and all(item.state != ItemState.OPEN for item in asked)


def owe_next_step(scene: Scene, writing: Writing, label: str, *, again: bool = False) -> bool:
    """The session that has this task is owed the next step; whether that is another one."""
    task = tasks.get(scene.book, label)
    if task is None:
        return False
    deliveries.owe_next_step(writing, label, scene.session, again=again)
    elsewhere = bool(task.session != scene.session)
    if elsewhere:
        place.wake(scene.book.place, task.session)
    return elsewhere


def _worded(scene: Scene, row: Delivery, *, brief: bool) -> Reminder:
    if not brief:
        return reminder(scene, row)
    from bg.loop import brief as briefly  # noqa: PLC0415 - late: it imports this module

    return briefly.reminder(scene, row)


def reminder(scene: Scene, row: Delivery) -> Reminder:
    """The text of one delivery, from the record as it is now."""
    if row.kind in (Due.GROUP, Due.JOINT):
        return _group(scene, row)
    if row.kind == Due.VERIFIED:
        from bg.loop import verifying  # noqa: PLC0415 - late: it brings the largest part of the package

        return verifying.reminder(scene, row)
    task = tasks.get(scene.book, row.label)
    assert task is not None
    if row.kind == Due.ANSWERED:
        elsewhere = feedback.ANSWERED_ELSEWHERE.format(label=task.label)
        notice = "" if row.answered_in == scene.session else elsewhere
        return reply_parts.Reminder(next_steps.next_step(scene, task), notice)
    agent, run = row.subject, row.run
    told = reply_parts.Told(
        task=task,
        brief=adopting.brief(task.prompt),
        items=inbox.find(scene.book, agent=agent, run=run),
        resume=waking.resume_how(scene, agent, task.label),
        answer_command=scene.answer_command,
        whole=scene.bgctl(f"status {task.label}"),
        evidence=runs.evidence(scene.book, agent, run),
        asked=runs.corrections(scene.book, agent, run),
    )
    body = reported.signal_body(scene.book, agent, run, row.mark)
    one = first_of(delegations.find(scene.book, signal=reported.signal_id(scene.book, agent, run, row.mark)))
    if one is not None and one.state == Decision.WAITING:
        weighed = weighing.weigh(scene, task, one, str(body.get("payload", {}).get("context_required") or ""))
        told = told._replace(qid=one.qid, weighed=tuple(weighed), full=scene.full())
    if body:
        told = told._replace(denied=noting.denied(scene.book, agent, run, row.mark))
        said = kinds.of(body["signal_type"]).remind(body, told)
        return said if told.denied else _with_answers(scene, task, said)
    token = launches.token_of(scene.book, agent)
    text, _ = reports.best(reported.reports(scene.book, agent, run), token)
    left, in_short = checkpoints.seen_by_parent(scene, task, run, spoke=bool(text.strip()))
    said = replies.unreported(text, task.note, told._replace(left=left))._replace(left=in_short)
    return _with_answers(scene, task, said)


def _group(scene: Scene, row: Delivery) -> Reminder:
    tell = groups.joint if row.kind == Due.JOINT else groups.told
    return reply_parts.Reminder(*tell(scene.book, row.subject, scene.bgctl, scene.event.transcript))


def _with_answers(scene: Scene, task: Task, said: Reminder) -> Reminder:
    """The agent has ended with answers of the user on the way to it, or still on this side; then who waits for it."""
    text = notice = ""
    if task.state in tasks.ENDED_STATES:
        left = ", ".join(item.qid for item in waiting.unsent(scene.book, task))
        coming = ", ".join(queued.coming(scene, task))
        if left:
            text = phrases.OVERTAKEN.format(qids=left, way=waking.resume_how(scene, task.agent, task.label))
            notice = phrases.OVERTAKEN_NOTICE.format(qids=left)
        if coming:
            text += phrases.WAKES_WITH_THEM.format(qids=coming)
            notice += phrases.WAKES_WITH_THEM_NOTICE.format(qids=coming)
    whole = said.text + text + next_steps.for_requester(scene, task)
    return said._replace(text=whole, notice=said.notice + notice if said.notice else "")
