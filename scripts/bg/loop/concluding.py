"""Concluding: a run ends, its best text decides the state of its task, and the parent is owed a reminder."""

from __future__ import annotations

from bg.host.event import API_ERROR, OVERLOADED, STOPPED_BY_USER, USAGE_LIMIT
from bg.host.transcripts import NO_ANSWER
from bg.ledger import deliveries, inbox, notes, runs, tasks, verifications
from bg.ledger.cases import Agent, Case
from bg.ledger.deliveries import Key
from bg.ledger.file import Writing
from bg.ledger.values import Due, Item, State
from bg.loop import hearing, noting, reports
from bg.loop.hearing import Heard
from bg.protocol import signals
from bg.record import Record
from bg.signals import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

CUT_STATES = {
    STOPPED_BY_USER: State.STOPPED,
    "killed": State.STOPPED,
    "failed": State.FAILED,
    API_ERROR: State.FAILED,
    USAGE_LIMIT: State.PAUSED,
    OVERLOADED: State.PAUSED,
    NO_ANSWER: State.FAILED,
    "output limit": State.FAILED,
}


_NOTHING = kinds.Found()  # of a run that has left no report to check


class _End(Record):
    """The end of a run: its cut, the ending signals after which it went on (`left`), and the requests in its texts."""

    case: Case
    agent: Agent
    run: int
    cut: str
    left: list[signals.Signal]
    requests: list[signals.Signal]


def conclude(
    case: Case,
    agent: Agent,
    *,
    cut: str = "",
    resets: int = 0,
    found: kinds.Found = _NOTHING,
    heard: Optional[Heard] = None,
) -> None:
    """End the open run: record what was heard, let the best text decide, and owe the parent a reminder.

    `resets` is the time at which the limit that cut the run ends, if the host knows it.
    """
    with case.book.transaction() as writing:
        if heard is not None:
            hearing.take(writing, case, agent, heard)
        if CUT_STATES.get(cut) == State.PAUSED:
            notes.set_limit(writing, case.label, notes.Limit(resets))
        _conclude(writing, case, agent, cut, found, heard.left if heard else [])
        account(writing, case)


def account(book: Writing, case: Case) -> None:
    """Owe the parent one account of several tasks, if the one that has ended was the last of them."""
    joint = case.joint
    group = tasks.ended_group(book, case.task)
    if joint is not None:
        deliveries.make(book, joint.label, Due.JOINT, Key.of_joint(joint.label, len(joint.asked)))
    elif group:
        deliveries.make(book, case.label, Due.GROUP, Key.of_group(group, tasks.not_done(book, group)))


def _conclude(
    book: Writing, case: Case, agent: Agent, cut: str, found: kinds.Found, left: list[signals.Signal]
) -> None:
    run = agent.run
    if run is None or run.ended is not None:
        return
    runs.end_run(book, agent.id, run.run, cut)
    notes.forget_progress(book, case.label)
    texts = agent.texts_of(run.run)
    _, reading = reports.best(texts, agent.token)
    end = _End(case, agent, run.run, cut, left, reports.requests(texts, agent.token))
    if reading.deciding is not None and reading.deciding.readable:
        _by_signal(book, end, reading.deciding, reading.own, found)
    else:
        _without_signal(book, end)


def _by_signal(book: Writing, end: _End, signal: signals.Signal, own: list[signals.Signal], found: kinds.Found) -> None:
    """Let the signal that a run ends with decide the state of its task."""
    case, label, agent = end.case, end.case.label, end.agent.id
    kind = kinds.of(signal.marker)
    over = kind.is_over(signal.fields)
    # Once the agent's work is over, nothing is left to wait for.
    asked = _on_the_way(end) if over else [*_beside(end, signal, own), *_unsettled(end.left, signal.marker)]
    _note_asked(book, end, asked)
    _withdraw_earlier(book, label, agent, end.run + over)
    news = noting.note(book, case, agent, end.run, signal, ends=True)
    tasks.set_state(book, label, kind.state(signal, own, found))
    if over and not end.cut:
        verifications.owe(book, label, agent, end.run)
    if not news:  # the run had asked for this before, and waits for the answer to that
        deliveries.owe_next_step(book, label, case.task.session)


def _on_the_way(end: _End) -> list[signals.Signal]:
    """The signals in a run's texts that ask for something and do not end it."""
    return [found for found in end.requests if not found.terminal]


def _beside(end: _End, signal: signals.Signal, own: list[signals.Signal]) -> list[signals.Signal]:
    """The signals of a run that ask for something, besides the one that ends it."""
    return [found for found in [*end.requests, *filter(_waits, own)] if found is not signal]


def _waits(found: signals.Signal) -> bool:
    """Whether an agent ends its run with this signal to wait for an answer; requests are collected elsewhere."""
    ends = found.readable and found.terminal and found.marker != kinds.REQUEST
    return ends and not kinds.of(found.marker).is_over(found.fields)


def _unsettled(left: list[signals.Signal], ends_with: str) -> list[signals.Signal]:
    """Of the ending signals after which a run worked on, those that still ask for something."""
    order = list(signals.schemas())
    return [
        held
        for marker in sorted({found.marker for found in left}, key=order.index)
        for held in kinds.of(marker).still_asked([found for found in left if found.marker == marker], ends_with)
    ]


def _note_asked(book: Writing, end: _End, found: list[signals.Signal]) -> None:
    for signal in found:
        noting.note(book, end.case, end.agent.id, end.run, signal)


def _withdraw_earlier(book: Writing, label: str, agent: str, run: int) -> None:
    """Withdraw the earlier items of the task, except requests, and questions answered by an assumption."""
    for item in inbox.open_before(book, label, agent, run):
        if inbox.kind(item) != Item.DELEGATION and not inbox.assumed(item):
            inbox.withdraw(book, item)


def _without_signal(book: Writing, end: _End) -> None:
    """Leave the task of a run without a readable signal unreported, or in the state that belongs to the run's cut."""
    label, agent, cut = end.case.label, end.agent.id, end.cut
    open_ones = [] if CUT_STATES.get(cut) == State.STOPPED else _unsettled(end.left, "")
    _note_asked(book, end, [*_on_the_way(end), *open_ones])
    _withdraw_earlier(book, label, agent, end.run)
    tasks.set_state(book, label, CUT_STATES.get(cut, State.UNREPORTED), cut)
    deliveries.make(book, label, Due.ENDED, Key.of_end(agent, end.run))
    if not cut:
        verifications.owe(book, label, agent, end.run)
