"""Parts of the table: which tasks each shows, and how many there are of each state beside them.

What lives is read whole; of what has ended only the newest, the rest is counted.
"""

from __future__ import annotations

from collections import Counter

from bg import durations
from bg.ledger import cases, ended, inbox, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.values import State
from bg.record import Record

NEEDS, WORKS, ENDED = "Needs you", "Working", "Ended"
# How many rows of a part are shown. What needs the user is cut last.
MOST = {NEEDS: 12, WORKS: 8, ENDED: 6}


class Part(Record):
    """The tasks that are shown, the newest first, and the states of all that belong to the part."""

    cases: list[Case]
    states: Counter[str]


def chosen(book: Ledger, project: str, now: float, *, everything: bool) -> dict[str, Part]:
    """Each part of the table of a project, or of all projects."""
    asking = {item.label for item in inbox.waiting(book, project=project)}
    found: dict[str, list[Case]] = {NEEDS: [], WORKS: [], ENDED: []}
    for case in _every(book, project) if everything else _living(book, project, asking):
        found[section_of(case, asking)].append(case)
    states = {name: Counter(case.task.state for case in each) for name, each in found.items()}
    if not everything:
        shown = Counter(case.task.state for case in [*found[NEEDS], *found[WORKS]] if case.task.ended is not None)
        states[ENDED] = Counter(ended.counted(book, project)) - shown
        # As many more as may stand in another part.
        since, most = now - durations.RECENT, MOST[ENDED] + len(asking)
        newest = cases.known(book, lambda: ended.newest(book, project, since, most))
        found[ENDED] = [case for case in newest if section_of(case, asking) == ENDED]
        states[ENDED] |= Counter(case.task.state for case in found[ENDED])  # also what a damaged ledger calls it
    for name, each in found.items():
        each.sort(key=lambda case: (case.task.ended or case.task.since or 0, case.task.number), reverse=True)
        if not everything:
            found[name] = [case for case in each if _is_recent(case, now)][: MOST[name]]
    return {name: Part(each, states[name]) for name, each in found.items()}


def _every(book: Ledger, project: str) -> list[Case]:
    return cases.known(book, lambda: tasks.of_project(book, project) if project else tasks.every(book))


def _living(book: Ledger, project: str, asking: set[str]) -> list[Case]:
    """What has not ended, and what has and is waited for nevertheless."""
    found = {case.label: case for case in cases.known(book, lambda: tasks.open_in(book, project))}
    others = filter(None, (cases.of(book, label) for label in asking - found.keys()))
    return [*found.values(), *others]


def _is_recent(case: Case, now: float) -> bool:
    task = case.task
    return task.closed is None and (task.ended is None or now - task.ended < durations.RECENT)


def section_of(case: Case, asking: set[str]) -> str:
    """Which part of the table a task stands in; `asking` are the labels that something waits for."""
    task = case.task
    if task.state == State.DISPUTED:
        return ENDED
    if task.label in asking or (task.ended is None and task.state not in tasks.RUNNING_STATES):
        return NEEDS
    if task.ended is None:
        ready = task.state != State.WORKING and case.agent.answers
        return NEEDS if ready else WORKS
    return ENDED
