"""The statusline segment: the host's JSON in, `bg: 2 working · bg-3 asks: “CSV or XLSX?”` out, nothing without tasks.

The host runs this often, so it reads the ledgers with the standard library alone and writes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import starmap
from typing import Any

from bg import durations, foreign, settings
from bg.desk import page, status
from bg.desk.page import Page
from bg.host import agents
from bg.ledger import cases, inbox, place, tasks
from bg.ledger.file import Ledger, Unavailable
from bg.ledger.tasks import Task
from bg.record import Record
from bg.signals import kinds
from bg.words import outcome
from bg.words.times import age

Outcome = tuple[int, str, str]
MOST = 100
ROOM = 72  # columns for one task


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl statusline`: none, as it reads the host's JSON from standard input."""
    parser.description = "A segment for Claude Code's statusline: reads its JSON from standard input."
    parser.epilog = "Exit status: 0 whatever it reads."
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    given = "" if sys.stdin.isatty() else sys.stdin.read()
    said = segment(_project(given), page.of_statusline(of_host=bool(given.strip())))
    return 0, f"{said}\n" if said else "", ""


def _project(text: str) -> str:
    """The project's folder in the host's JSON; empty if it tells none."""
    try:
        data: Any = foreign.loads(text)
    except ValueError:
        return ""
    data = data if isinstance(data, dict) else {}
    where = data.get("workspace")
    where = where if isinstance(where, dict) else {}
    found = where.get("project_dir") or where.get("current_dir") or data.get("cwd")
    return found if isinstance(found, str) and "\0" not in found else ""


def segment(project: str, sheet: Page) -> str:
    """The tasks of a project in a few words, or those of all projects if its settings say so."""
    scope = settings.load(project).statusline
    if scope == "off":
        return ""
    total: Counter[str] = Counter()
    lines: dict[str, str] = {}
    for share in _shares(project if scope == "project" else ""):
        total.update(share.counts)
        lines |= share.lines
    parts = outcome.counted(total["works"], total["needs"], total["bad"])
    said = [(lines.get(style, words) if total[style] == 1 else words, style) for words, style in parts]
    return f"bg: {' · '.join(starmap(sheet.paint, said))}" if said else ""


class Share(Record):
    """The share of one ledger, by style (works, needs, bad): the number of tasks, and the line of an only task."""

    counts: dict[str, int]
    lines: dict[str, str]


def _shares(project: str) -> Iterator[Share]:
    """One share from each ledger that can be read, for a project or for all."""
    for folder in place.existing():
        with contextlib.suppress(Unavailable, OSError), contextlib.closing(Ledger(folder, create=False)) as book:
            yield _share(book, project)


def _share(book: Ledger, project: str) -> Share:
    running = [row for row in tasks.open_in(book, project) if row.state in tasks.RUNNING_STATES]
    items = inbox.waiting(book, project=project)
    leave = {row.label: asked for row in running if (asked := status.leave(cases.case(book, row.label)))}
    works = [row for row in running if row.label not in leave]
    asking = {item.label for item in items} | leave.keys()
    broken = tasks.interrupted_in(book, project, book.now() - durations.RECENT, MOST)
    lines = {"works": _works(book, works[0])} if len(works) == 1 else {}
    if len(asking) == 1:
        [needs] = [kinds.waiting(items)] if items else leave.values()
        lines["needs"] = needs.line(ROOM)
    return Share({"works": len(works), "needs": len(asking), "bad": broken}, lines)


def _works(book: Ledger, task: Task) -> str:
    """The line on the only task that works."""
    case = cases.case(book, task.label)
    path = agents.of_agent(case.docket.transcript, task.agent)
    stands = f"{outcome.in_a_word(task.state)} {age(book.now() - task.since)}"
    return outcome.Outcome(task.label, stands, "works", beside=tuple(status.live(case, path))).line(ROOM)
