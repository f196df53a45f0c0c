"""Actions: what the user can type next about a task in each of its states."""

from __future__ import annotations

from bg.ledger import inbox, tasks
from bg.ledger.cases import Case
from bg.ledger.values import State
from bg.signals import kinds


def next_action(case: Case, command: str = "/bg-answer") -> str:
    """The line to type next, empty where nothing is left to do or the agent works."""
    typed, waiting = f"{command} {case.label}", case.items
    if waiting:
        first = waiting[0]
        answer = kinds.asking(inbox.kind(first)).to_type
        of_several = f"{first.qid}: " if len(waiting) > 1 and "{qid}" not in answer else ""
        return f"{typed} {of_several}{answer.format(qid=first.qid)}"
    return f"{typed} go" if can_go(case) else ""


def can_go(case: Case) -> bool:
    """`go` sets this task going: there is an agent to wake, or one to launch."""
    task = case.task
    if task.state == State.NOT_LAUNCHED or case.forgotten or case.agent.answers:
        return True
    return bool(task.agent) and task.state in tasks.CONTINUABLE_STATES
