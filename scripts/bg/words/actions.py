"""Next actions: what the user can type about a task in each of its states."""

from __future__ import annotations

from bg.ledger import delegations, inbox, tasks, user_answers
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

_ANSWERS = {inbox.QUESTION: "{qid}: <answer>", inbox.BLOCKER: "<what to do>", inbox.DELEGATION: "{qid}: approve"}


def next_action(book: Ledger, task: Task, command: str = "/bg-answer") -> str:
    """The line to type next, empty where nothing is left to do or the agent works."""
    typed = f"{command} {task.label}"
    waiting = inbox.waiting(book, label=task.label)
    if waiting:
        first = waiting[0]
        is_alone = len(waiting) == 1 or inbox.kind(first) != inbox.BLOCKER
        return f"{typed} {'' if is_alone else f'{first.qid}: '}{_ANSWERS[inbox.kind(first)].format(qid=first.qid)}"
    return f"{typed} go" if can_go(book, task) else ""


def can_go(book: Ledger, task: Task) -> bool:
    """`go` sets this task going: there is an agent to wake, or one to launch."""
    if task.state == "not_launched" or unlaunched(book, task.label):
        return True
    if task.agent and user_answers.unsent(book, task.agent):
        return True
    return bool(task.agent) and task.state in tasks.CONTINUABLE_STATES


def unlaunched(book: Ledger, label: str) -> list[delegations.Delegation]:
    """What the user has approved, and nobody works on."""
    asked = delegations.find(book, label=label)
    return [one for one in asked if delegations.standing(book, one) == delegations.APPROVED]
