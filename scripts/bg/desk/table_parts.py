"""Parts of the table: which tasks each shows, and how many there are of each state beside them.

What lives, and what has lately ended so that the user has to see to it, is read whole; of what else has ended only the
newest, the rest is counted.
"""

from __future__ import annotations

from collections import Counter

from bg import durations
from bg.desk import status
from bg.ledger import cases, ended, inbox, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.values import State
from bg.record import Record

NEEDS, WORKS, ENDED = "Needs you", "Working", "Ended"
# How many rows of a part are shown where the page has no height.
MOST = {NEEDS: 60, WORKS: 20, ENDED: 12}
# What has ended so is the user's to see to, for a day or until it is closed.
BROKEN = (State.DISPUTED, State.FAILED, State.INTERRUPTED)
MOST_BROKEN = 1000


class Part(Record):
    """The tasks that are shown, in their order, and the states of all that belong to the part."""

    cases: list[Case]
    states: Counter[str]


def chosen(book: Ledger, project: str, now: float, *, everything: bool) -> dict[str, Part]:
    """Each part of the table of a project, or of all projects."""
    waiting = list(dict.fromkeys(item.label for item in inbox.waiting(book, project=project)))
    asking, since = set(waiting), now - durations.RECENT
    found: dict[str, list[Case]] = {NEEDS: [], WORKS: [], ENDED: []}
    for case in _every(book, project) if everything else _living(book, project, asking, since):
        found[section_of(case, asking, since)].append(case)
    states = {name: Counter(case.task.state for case in each) for name, each in found.items()}
    if not everything:
        shown = Counter(case.task.state for case in [*found[NEEDS], *found[WORKS]] if case.task.ended is not None)
        states[ENDED] = Counter(ended.counted(book, project)) - shown
        # As many more as may be in another part.
        most = MOST[ENDED] + len(found[NEEDS])
        newest = cases.known(book, lambda: ended.newest(book, project, since, most))
        found[ENDED] = [case for case in newest if section_of(case, asking, since) == ENDED]
        states[ENDED] |= Counter(case.task.state for case in found[ENDED])  # also what a damaged ledger calls it
    order = {label: place for place, label in enumerate(waiting)}
    for name, each in found.items():
        each.sort(key=age_of)
        each.sort(key=lambda case: order.get(case.label, len(order) + (case.task.ended is not None)))
        if not everything:
            found[name] = each[: MOST[name]]
    return {name: Part(each, states[name]) for name, each in found.items()}


def age_of(case: Case) -> tuple[float, int]:
    """The newest first."""
    return -(case.task.ended or case.task.since or 0), -case.task.number


def _every(book: Ledger, project: str) -> list[Case]:
    return cases.known(book, lambda: tasks.of_project(book, project) if project else tasks.every(book))


def _living(book: Ledger, project: str, asking: set[str], since: float) -> list[Case]:
    """What has not ended, and what has and is waited for nevertheless, or is the user's to see to."""
    living = cases.known(book, lambda: tasks.open_in(book, project))
    broken = cases.known(book, lambda: ended.newest(book, project, since, MOST_BROKEN, BROKEN))
    found = {case.label: case for case in [*living, *broken]}
    others = filter(None, (cases.of(book, label) for label in asking - found.keys()))
    return [*found.values(), *others]


def section_of(case: Case, asking: set[str], since: float) -> str:
    """Which part of the table a task belongs to; `asking` are the labels that something waits for."""
    task = case.task
    if task.closed is not None:
        return ENDED
    if task.ended is not None:
        is_broken = task.state in BROKEN and task.ended > since
        return NEEDS if is_broken or task.label in asking else ENDED
    if task.label in asking or task.state not in tasks.RUNNING_STATES or status.leave(case):
        return NEEDS
    ready = task.state != State.WORKING and case.agent.answers
    return NEEDS if ready else WORKS
