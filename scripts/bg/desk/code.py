"""Codes that confirm kept words, for `bgctl code`: they are shown in a terminal and nowhere else.

The host writes everything that a hook shows in a session into the transcript, even a blocked prompt's reason and a
system message (2.1.197 to 2.1.328), and agents can read it there.
"""

from __future__ import annotations

import argparse
import sys

from bg import durations, machine
from bg.desk import look
from bg.host import versions
from bg.ledger import place, proofs, sessions
from bg.ledger.file import Ledger
from bg.words import feedback
from bg.words.quoting import inline
from bg.words.times import age

MOST = 9


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl code`."""
    parser.description = (
        "Codes for what was typed where no record of Claude Code shows that you typed it. Each counts once, typed in "
        "a session; a later call of this command ends them, and so do three wrong codes."
    )
    parser.epilog = "Exit status: 0, also where nothing waits; 1 no terminal of your own; 2 usage."
    parser.set_defaults(run=run)


def run(_: argparse.Namespace) -> look.Outcome:
    """The exit status, the standard output and the standard error."""
    with look.ledgers() as (books, said):
        if not (sys.stdin.isatty() and sys.stdout.isatty()) or any(_is_of_a_session(book) for book in books):
            return 1, "", feedback.CODES_NEED_A_TERMINAL + "\n"
        lines = [line for book in books for line in _lines(book)]
        looked = ", ".join([book.path for book in books] or place.directories())
    nothing = feedback.NOTHING_TO_CONFIRM_BY_CODE.format(ledgers=looked)
    shown = [feedback.CODES, *lines] if lines else [nothing]
    return int(bool(said)), "\n".join(shown) + "\n", said


def _is_of_a_session(book: Ledger) -> bool:
    """Whether a session of Claude Code has started this, by the environment or as one of the processes above."""
    above = {(each.pid, each.started) for each in machine.above()}
    return versions.started_by_a_session() or any(known in above for known in sessions.processes(book))


def _lines(book: Ledger) -> list[str]:
    with book.transaction() as writing:
        given = proofs.give(writing, proofs.kept(book, book.now() - durations.RECENT, MOST))
    lines = []
    for code, row in given:
        known = sessions.get(book, row.session)
        where = inline((known.project if known else "") or "a session", 80)
        words = feedback.CODE_FOR.format(age=age(book.now() - row.at), project=where, words=inline(row.text, 400))
        lines += ["", feedback.CODE_LINE.format(code=code), f"  {words}"]
    return lines
