"""The statusline segment: the host's JSON in, `bg: 2 working · 1 asks` out, nothing where nothing goes on.

The host runs this often, so it reads the ledgers with the standard library alone and writes nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
from typing import Any

from bg import durations, foreign, settings
from bg.desk import page
from bg.desk.page import Page
from bg.ledger import ended, inbox, place, tasks
from bg.ledger.file import Ledger, Unavailable
from bg.words import glance

Outcome = tuple[int, str, str]
MOST = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl statusline` takes: the host's JSON on standard input."""
    parser.description = "A segment for Claude Code's statusline: reads its JSON from standard input."
    parser.epilog = "Exit status: 0 whatever it reads."
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    given = "" if sys.stdin.isatty() else sys.stdin.read()
    said = segment(_project(given), page.of_statusline(of_host=bool(given.strip())))
    return 0, f"{said}\n" if said else "", ""


def _project(text: str) -> str:
    """The project's folder in the host's JSON, empty where it tells none."""
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
    """What goes on in a project, or everywhere where its settings say so, in a few words."""
    scope = settings.load(project).statusline
    if scope == "off":
        return ""
    only = project if scope == "project" else ""
    working = asking = broken = 0
    for folder in place.existing():
        with contextlib.suppress(Unavailable, OSError), contextlib.closing(Ledger(folder, create=False)) as book:
            working += sum(row.state in tasks.RUNNING_STATES for row in tasks.open_in(book, only))
            asking += len({item.label for item in inbox.waiting(book, project=only)})
            broken += ended.interrupted(book, only, book.now() - durations.RECENT, MOST)
    said = " · ".join(sheet.paint(words, style) for words, style in glance.counted(working, asking, broken))
    return f"bg: {said}" if said else ""
