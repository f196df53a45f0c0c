"""Concluding: a run ends, its best text decides what becomes of its task, and the parent is owed a reminder."""

from __future__ import annotations

from bg.host.event import STOPPED_BY_USER
from bg.host.transcripts import NO_ANSWER
from bg.ledger import delegations, deliveries, inbox, reported, runs, tasks, verifications, waiting
from bg.ledger.deliveries import Key
from bg.ledger.file import Ledger, Writing
from bg.ledger.values import Due, Item, State
from bg.loop import hearing, noting, reports
from bg.loop.hearing import Heard
from bg.protocol import signals
from bg.signals import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

CUT_STATES = {
    STOPPED_BY_USER: State.STOPPED,
    "killed": State.STOPPED,
    "failed": State.FAILED,
    "API error": State.FAILED,
    NO_ANSWER: State.FAILED,
    "output limit": State.FAILED,
}


def conclude(
    book: Ledger,
    label: str,
    agent: str,
    token: str,
    *,
    cut: str = "",
    disputed: bool = False,
    heard: Optional[Heard] = None,
) -> None:
    """End the run that goes on: its best text decides, what was heard of it counts, the parent is owed a reminder."""
    with book.transaction() as writing:
        if heard is not None:
            hearing.take(writing, label, agent, heard)
        _conclude(writing, label, agent, token, cut, disputed=disputed, left=heard.left if heard else [])
        account(writing, label)


def account(book: Writing, label: str) -> None:
    """A task has ended; where that was the last of several, the parent is owed one account."""
    joint = waiting.joint(book, label)
    group = tasks.group_over(book, label)
    if joint:
        deliveries.make(book, joint, Due.JOINT, Key.of_joint(joint, len(delegations.find(book, label=joint))))
    elif group:
        deliveries.make(book, label, Due.GROUP, Key.of_group(group, tasks.not_done(book, group)))


def _conclude(
    book: Writing, label: str, agent: str, token: str, cut: str, *, disputed: bool, left: list[signals.Signal]
) -> None:
    run = runs.last_run(book, agent)
    if run is None or run.ended is not None:
        return
    runs.end_run(book, agent, run.run, cut)
    texts = reported.reports(book, agent, run.run)
    _, reading = reports.best(texts, token)
    signal = reading.deciding
    if signal is None or not signal.readable:
        beside = [found for found in reports.requests(texts, token) if not found.terminal]
        open_ones = [] if CUT_STATES.get(cut) == State.STOPPED else _unsettled(left, "")
        _note_asked(book, label, agent, run.run, [*beside, *open_ones])
        _withdraw(book, label, agent, run.run)
        tasks.set_state(book, label, CUT_STATES.get(cut, State.UNREPORTED), cut)
        deliveries.make(book, label, Due.ENDED, Key.of_end(agent, run.run))
        if not cut:
            verifications.owe(book, label, agent, run.run)
        return
    kind = kinds.of(signal.marker)
    over = kind.is_over(signal.fields)
    beside = _beside(signal, reading, reports.requests(texts, token), over=over)
    _note_asked(book, label, agent, run.run, beside if over else [*beside, *_unsettled(left, signal.marker)])
    _withdraw(book, label, agent, run.run + over)
    news = noting.note(book, label, agent, run.run, signal, ends=True)
    tasks.set_state(book, label, kind.state(signal, reading.own, disputed=disputed))
    if over and not cut:
        verifications.owe(book, label, agent, run.run)
    if not news:  # it had asked for this before: what came of that is what it waits for
        deliveries.owe_next_step(book, label, _session(book, label))


def _beside(
    signal: signals.Signal, reading: reports.Reading, requests: list[signals.Signal], *, over: bool
) -> list[signals.Signal]:
    """What a run asks besides the signal that ends it; where its work is over, nothing is left to wait for."""
    if over:
        return [found for found in requests if not found.terminal]
    others = [found for found in reading.own if found.readable and found.marker != kinds.REQUEST]
    asked = [found for found in others if not kinds.of(found.marker).is_over(found.fields)]
    return [found for found in [*requests, *asked] if found is not signal]


def _unsettled(left: list[signals.Signal], ends_with: str) -> list[signals.Signal]:
    """What a run has asked on its way and gone on behind, as far as it holds."""
    order = list(signals.schemas())
    return [
        held
        for marker in sorted({found.marker for found in left}, key=order.index)
        for held in kinds.of(marker).still_asked([found for found in left if found.marker == marker], ends_with)
    ]


def _note_asked(book: Writing, label: str, agent: str, run: int, found: list[signals.Signal]) -> None:
    for signal in found:
        noting.note(book, label, agent, run, signal)


def _session(book: Ledger, label: str) -> str:
    task = tasks.get(book, label)
    return task.session if task else ""


def _withdraw(book: Writing, label: str, agent: str, run: int) -> None:
    """A run's end takes back what the task asked before; a delegation stays, it can still be approved."""
    for item in inbox.open_before(book, label, agent, run):
        if inbox.kind(item) != Item.DELEGATION:
            inbox.withdraw(book, item)
