"""Paging: `bgctl report`, one task in the user's pager, as Markdown, or as its agent wrote it."""

from __future__ import annotations

import argparse
import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import sys
from typing import Optional

from bg.desk import detail, look, page, report, written
from bg.ledger import cases, naming, tasks
from bg.masking import masked
from bg.words.quoting import spelled


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl report`."""
    parser.description = "Everything about one task, in a pager where this is a terminal."
    parser.epilog = "Exit status: 0; 1 a ledger that cannot be read, or no such task; 2 usage."
    parser.add_argument("label", metavar="LABEL", help="the task")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--raw", action="store_true", help="the agent's last text as it came, with its blocks")
    how.add_argument("--markdown", action="store_true", help="as Markdown, for a file of your own")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> look.Outcome:
    """The exit status, the standard output and the standard error."""
    label = naming.label_of(given.label)
    sheet = page.of_stream(sys.stdout)
    sheet.height = 0
    with look.ledgers() as (books, said):
        found = [book for book in books if tasks.get(book, label)]
        if not found:
            return 1, "", f"{said}bgctl: there is no task {label or given.label}\n"
        if given.markdown:
            return (
                int(bool(said)),
                "\n".join(written.markdown(report.of(cases.case(book, label))) for book in found),
                said,
            )
        show = detail.raw if given.raw else detail.detail
        text = "\n".join(show(book, sheet, label) + "\n" for book in found)
    paged = page.is_terminal(sys.stdout) and _paged(text)
    return int(bool(said)), "" if paged else text, said


def _paged(text: str) -> bool:
    """Show a text in the user's pager; whether that worked."""
    command = _pager()
    if not command:
        return False
    env = {"LESS": "FRX", **os.environ}
    printed = spelled(masked(text)).encode("utf-8", "backslashreplace")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the pager has its own use for it
    with contextlib.suppress(OSError):
        return subprocess.run(command, input=printed, env=env, check=False).returncode == 0
    return False


def _pager() -> Optional[list[str]]:
    """The command of the pager that the user has named, else of `less`; None if it is not there."""
    try:
        named = shlex.split(os.environ.get("PAGER", "less"))
    except ValueError:
        return None
    return named if named and shutil.which(named[0]) else None
