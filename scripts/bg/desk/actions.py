"""Actions: what the user can type next about a task in each of its states."""

from __future__ import annotations

from bg.ledger import delegations, inbox, tasks, user_answers
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import Standing, State
from bg.signals import kinds


def next_action(book: Ledger, task: Task, command: str = "/bg-answer") -> str:
    """The line to type next, empty where nothing is left to do or the agent works."""
    typed = f"{command} {task.label}"
    waiting = inbox.waiting(book, label=task.label)
    if waiting:
        first = waiting[0]
        answer = kinds.asking(inbox.kind(first)).to_type
        of_several = f"{first.qid}: " if len(waiting) > 1 and "{qid}" not in answer else ""
        return f"{typed} {of_several}{answer.format(qid=first.qid)}"
    return f"{typed} go" if can_go(book, task) else ""


def can_go(book: Ledger, task: Task) -> bool:
    """`go` sets this task going: there is an agent to wake, or one to launch."""
    if task.state == State.NOT_LAUNCHED or unlaunched(book, task.label):
        return True
    if task.agent and user_answers.unsent(book, task.agent):
        return True
    return bool(task.agent) and task.state in tasks.CONTINUABLE_STATES


def unlaunched(book: Ledger, label: str) -> list[delegations.Delegation]:
    """What the user has approved, and nobody works on."""
    asked = delegations.find(book, label=label)
    return [one for one in asked if delegations.standing(book, one) == Standing.APPROVED]
