"""Groups of tasks: when the last has ended, one account of their states, then of their results."""

from __future__ import annotations

import contextlib

from bg.ledger import cases, delegations, reported, runs, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import State
from bg.loop import delivered
from bg.record import Record
from bg.results import account, intake, merge
from bg.results.records import Source
from bg.signals import kinds
from bg.words import phrases, verdict
from bg.words.quoting import inline, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable


# Characters of each agent's summary in the account, and of all of them: with these, it has room for a dozen ends.
LEAST_SAID, MOST_SAID, SAID_IN_ALL = 60, 200, 1200


class Together(Record):
    """The parent's account of a finished group, and the user's line."""

    text: str
    notice: str


def told(book: Ledger, group: str, bgctl: Callable[[str], str], transcript: str) -> Together:
    """The account of tasks that were launched together and have ended; `transcript` is their session's."""
    rows = tasks.members(book, group)
    return Together(
        fill("group", count=str(len(rows)), tasks=_states(rows), body=_body(book, rows, bgctl, transcript, [])),
        phrases.GROUP_ENDED.format(count=len(rows), states=_states(rows)),
    )


def joint(book: Ledger, label: str, bgctl: Callable[[str], str], transcript: str) -> Together:
    """The account of a task and the agents that it asked for, all of which have ended."""
    asker = cases.of(book, label)
    asked = asker.asked if asker else []
    rows = [asker.task] if asker else []
    rows += [row for one in asked for row in delegations.workers(book, one)]
    said = [reported.signal_of(book, one.signal).get("payload", {}).get("coordination") for one in asked]
    agreed = [phrases.AGREED.format(words=quote(str(words), 400)) for words in said if words]
    body = _body(book, rows, bgctl, transcript, agreed)
    others = ", ".join(row.label for row in rows[1:])
    return Together(
        fill("joint", label=label, others=others, tasks=_states(rows), body=body),
        phrases.JOINT_ENDED.format(label=label, others=others, states=_states(rows)),
    )


def _states(rows: list[Task]) -> str:
    return ", ".join(f"{row.label} {row.state.replace('_', ' ')}" for row in rows)


def _body(book: Ledger, rows: list[Task], bgctl: Callable[[str], str], transcript: str, agreed: list[str]) -> str:
    """The unfinished tasks come first; then each task's line, the agreements, and the account of the result files."""
    open_work = [row for row in rows if row.state != State.DONE]
    lines = [_unfinished(open_work)] if open_work else []
    most = max(LEAST_SAID, min(MOST_SAID, SAID_IN_ALL // max(1, len(rows))))
    lines += [line for row in rows for line in _lines(book, row, most)]
    lines += agreed
    given, unread = [], []
    for row in rows:
        read, problems = delivered.of_task(book, row, transcript)
        given += [(row.label, name, data) for name, data in read]
        unread += problems
    return "\n".join([*lines, _account_of_results(given, bgctl, status=not open_work), *unread])


def _account_of_results(given: list[tuple[str, str, bytes]], bgctl: Callable[[str], str], *, status: bool) -> str:
    """The merged account of the result files, each of which is given with its task and its name."""
    taken = intake.take([Source(f"{label} {name}".strip(), data) for label, name, data in given], only_results=True)
    if not (taken.results or taken.reports):
        return phrases.NO_RESULTS
    how = bgctl(" ".join(["merge", *(name for _, name, _ in given if name)]))
    return quote(account.brief(merge.merge(taken), how=how, status=status), 2000)


def _unfinished(rows: list[Task]) -> str:
    listed = ", ".join(f"{row.label} {row.state.replace('_', ' ')}" for row in rows)
    return phrases.NOT_COMPLETE.format(tasks=listed)


def _said(book: Ledger, row: Task) -> str:
    signal = reported.last_signal(book, row.agent) if row.agent else {}
    if signal.get("signal_type") == kinds.REPORT:
        return str(signal["payload"].get("summary") or "")
    kept = reported.reports_of_task(book, row.label)
    return kept[-1].text if kept else ""


def _lines(book: Ledger, row: Task, most: int) -> list[str]:
    words, evidence = "", {}
    with contextlib.suppress(ValueError):  # one damaged record does not cost the others their account
        words = _said(book, row)
        evidence = runs.evidence(book, row.agent)
    named = f"> {row.label} ({inline(row.description or row.text, 60)}): {row.state.replace('_', ' ')}"
    lines = [f"{named}: {inline(words, most)}" if words else named]
    return lines + [phrases.BY_CONTRACT.format(label=row.label, lacks=each) for each in verdict.by_contract(evidence)]
