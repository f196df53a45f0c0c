"""Waiting: what a task waits for, in one place for reminder, table, next step, the list of a session and the export."""

from __future__ import annotations

from bg.ledger import delegations, inbox, runs, tasks, user_answers
from bg.ledger.delegations import Delegation
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.user_answers import Answered
from bg.ledger.values import Decision, Item, Standing, State
from bg.record import Record

WELL = (State.DONE, State.PARTIAL)
ANSWER, DECISION, LAUNCH, AGENT = "answer", "decision", "launch", "agent"


class Awaited(Record):
    """One thing that a task waits for: the user's answer or decision (`qid`), or a launch or an agent (`label`)."""

    kind: str
    qid: str
    label: str
    standing: str


def awaited(book: Ledger, label: str) -> list[Awaited]:
    """What must happen before a task that has ended its run can be woken: the user's part first."""
    task = tasks.get(book, label)
    if task is None or task.state in tasks.RUNNING_STATES:
        return []
    items = [item for item in inbox.waiting(book, label=label) if inbox.kind(item) != Item.DELEGATION]
    found = [Awaited(ANSWER, item.qid, "", item.state) for item in items]
    return found + [each for one in requests(book, task) for each in _of_request(book, task, one)]


def requests(book: Ledger, task: Task) -> list[Delegation]:
    """What the last run of a task asked to hand on: on earlier requests it waits no more, it has been woken since."""
    last = runs.last_run(book, task.agent) if task.agent else None
    return delegations.last_of_run(book, last.agent, last.run) if last is not None else []


def _of_request(book: Ledger, task: Task, one: Delegation) -> list[Awaited]:
    how = delegations.standing(book, one)
    if one.released is not None or how == Standing.DENIED or how in delegations.OVER:
        return []
    if how == Standing.ASKED:
        # One that asked for something beside its own work, and ended with that, waits for the decision alone.
        waits = one.blocking or task.state == State.DELEGATING
        return [Awaited(DECISION, one.qid, "", how)] if waits else []
    if not one.blocking:
        return []
    return [Awaited(LAUNCH if how == Standing.APPROVED else AGENT, one.qid, one.worker, how)]


def broken(book: Ledger, one: Delegation) -> list[Task]:
    """Of work that is over, the tasks that did not bring what was asked."""
    found = delegations.workers(book, one) if delegations.standing(book, one) in delegations.OVER else []
    return [task for task in found if task.state not in WELL]


def forgotten(book: Ledger, task: Task) -> list[Delegation]:
    """Approved requests of a task that nothing has been launched for."""
    found = delegations.find(book, label=task.label)
    return [one for one in found if delegations.standing(book, one) == Standing.APPROVED]


def unsent(book: Ledger, task: Task) -> list[Answered]:
    """The user's words to a task that have not reached it; one that has finished is not woken for a mere decision."""
    found = user_answers.unsent(book, task.agent) if task.agent else []
    over = task.state in tasks.ENDED_STATES
    return [row for row in found if not (over and inbox.kind(row) == Item.DELEGATION)]


def has_news(book: Ledger, task: Task) -> bool:
    """There is something to tell a task: the user's words, or how the work ended that it waits for."""
    if unsent(book, task):
        return True
    if not task.agent or task.state not in tasks.PAUSED_STATES or awaited(book, task.label):
        return False
    return any(one.state != Decision.WAITING or one.released for one in requests(book, task))


def joint(book: Ledger, label: str) -> str:
    """The task that asked for others, where it and all of them have ended and it was not told; else empty."""
    asked = delegations.of_worker(book, label)
    task = tasks.get(book, asked.label if asked else label)
    if task is None or task.state not in tasks.ENDED_STATES:
        return ""
    found = [one for one in delegations.find(book, label=task.label) if one.state == Decision.LAUNCHED]
    if not all(delegations.standing(book, one) in delegations.OVER for one in found):
        return ""
    return task.label if any(one.told is None for one in found) else ""
