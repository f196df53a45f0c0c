"""Parts of the table: which tasks each shows, and how many there are of each state beside them.

What lives is read whole; of what has ended only the newest, the rest is counted.
"""

from __future__ import annotations

from collections import Counter

from bg.ledger import ended, inbox, tasks, user_answers
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import State
from bg.record import Record

NEEDS, WORKS, ENDED = "Needs you", "Working", "Ended"
# How many rows of a part are shown. What needs the user is cut last.
MOST = {NEEDS: 12, WORKS: 8, ENDED: 6}


class Part(Record):
    """The tasks that are shown, the newest first, and the states of all that belong to the part."""

    tasks: list[Task]
    states: Counter[str]


def chosen(book: Ledger, project: str, now: float, *, everything: bool) -> dict[str, Part]:
    """Each part of the table of a project, or of all projects."""
    asking = {item.label for item in inbox.waiting(book, project=project)}
    found: dict[str, list[Task]] = {NEEDS: [], WORKS: [], ENDED: []}
    for task in _every(book, project) if everything else _living(book, project, asking):
        found[section_of(book, task, asking)].append(task)
    states = {name: Counter(task.state for task in each) for name, each in found.items()}
    if not everything:
        shown = Counter(task.state for task in [*found[NEEDS], *found[WORKS]] if task.ended is not None)
        states[ENDED] = Counter(ended.counted(book, project)) - shown
        # As many more as may stand in another part.
        newest = ended.newest(book, project, now - tasks.RECENT, MOST[ENDED] + len(asking))
        found[ENDED] = [task for task in newest if section_of(book, task, asking) == ENDED]
        states[ENDED] |= Counter(task.state for task in found[ENDED])  # also what a damaged ledger calls it
    for name, each in found.items():
        each.sort(key=lambda task: (task.ended or task.since or 0, task.number), reverse=True)
        if not everything:
            found[name] = [task for task in each if _is_recent(task, now)][: MOST[name]]
    return {name: Part(each, states[name]) for name, each in found.items()}


def _every(book: Ledger, project: str) -> list[Task]:
    return tasks.of_project(book, project) if project else tasks.every(book)


def _living(book: Ledger, project: str, asking: set[str]) -> list[Task]:
    """What has not ended, and what has and is waited for nevertheless."""
    found = {task.label: task for task in tasks.open_in(book, project)}
    others = filter(None, (tasks.get(book, label) for label in asking - found.keys()))
    return [*found.values(), *others]


def _is_recent(task: Task, now: float) -> bool:
    return task.closed is None and (task.ended is None or now - task.ended < tasks.RECENT)


def section_of(book: Ledger, task: Task, asking: set[str]) -> str:
    """Which part of the table a task stands in; `asking` are the labels that something waits for."""
    if task.state == State.DISPUTED:
        return ENDED
    if task.label in asking or (task.ended is None and task.state not in tasks.RUNNING_STATES):
        return NEEDS
    if task.ended is None:
        ready = task.agent and task.state != State.WORKING and user_answers.unsent(book, task.agent)
        return NEEDS if ready else WORKS
    return ENDED
