"""Board: one page for a browser, by `bgctl board`: the table of every project, each task with all that is known.

The page is one file without scripts that loads nothing; it is as old as the time that stands on it.
"""

from __future__ import annotations

import argparse
import html
import string
import time
import webbrowser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Optional

from bg import foreign
from bg.desk import detail, look, saving, table
from bg.desk.page import Page
from bg.desk.table_parts import WORKS
from bg.ledger import inbox, place, projects
from bg.ledger.file import Ledger
from bg.ledger.values import State
from bg.masking import masked
from bg.words import glance, outcome
from bg.words.quoting import neutral, whole

Outcome = tuple[int, str, str]
TEMPLATE = Path(__file__).with_name(place.BOARD)
WIDTH = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl board` takes."""
    parser.description = "Writes one page with the tasks of every project, and says where it is."
    parser.epilog = "Exit status: 0; 1 the page cannot be written, or a ledger not be read; 2 usage."
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--output", metavar="FILE", default="", help="where to write it; - prints it")
    parser.add_argument("--all", action="store_true", help="also what ended more than a day ago")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    with look.ledgers() as (books, said):
        text = board(books, time.time(), everything=given.all)
    if given.output == "-":
        return int(bool(said)), text, said
    target = Path(given.output).absolute() if given.output else Path(place.directory()).absolute() / place.BOARD
    try:
        if not given.output:
            place.make_private(str(target.parent))
        saving.save(target, text)
    except OSError as error:
        return 1, "", f"{said}bgctl: the page cannot be written to {target}: {error.strerror or error}\n"
    if given.open and not webbrowser.open(target.as_uri()):
        said += "bgctl: no browser could be started\n"
    return int(bool(said)), f"{target.as_uri()}\n", said


def save(book: Ledger) -> str:
    """Write the page of one ledger beside it; its address."""
    target = Path(book.place).absolute() / place.BOARD
    saving.save(target, board([book], book.now()))
    return target.as_uri()


def board(books: Iterable[Ledger], now: float, *, everything: bool = False) -> str:
    """The page as a whole."""
    counts = {"working": 0, "asking": 0, "broken": 0}
    parts = [line for book in books for line in _projects(book, counts, everything=everything)]
    title = glance.at_a_glance(**counts) or "nothing goes on"
    when = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now))
    head = [
        f"<h1>bg: {_safe(title)}</h1>",
        f'<p class="quiet">As of {when}. <code>bgctl board</code> writes it anew.</p>',
    ]
    template = string.Template(foreign.whole(TEMPLATE, 65536).decode("utf-8"))
    body = "\n".join([*head, *(parts or ["<p>No background tasks yet.</p>"])])
    return template.substitute(title=f"bg: {_safe(title)}", body=masked(body))


def _projects(book: Ledger, counts: dict[str, int], *, everything: bool) -> Iterator[str]:
    for project in sorted(projects.every(book), key=lambda each: not inbox.waiting(book, project=each)):
        found = table.sections(book, project, everything=everything)
        yield f"<h2>{_safe(project) or 'Without a project'}</h2>"
        for section in found:
            yield f'<h3>{section.name} <span class="quiet">{section.number}</span></h3>'
            for row in section.rows:
                yield from _task(book, row)
            if section.left:
                yield f'<p class="quiet">and {_safe(table.counted(section.left))}: <code>bgctl board --all</code></p>'
        counts["working"] += sum(section.number for section in found if section.name == WORKS)
        counts["asking"] += len({item.label for item in inbox.waiting(book, project=project)})
        counts["broken"] += sum(row.state == State.INTERRUPTED for section in found for row in section.rows)


def _task(book: Ledger, row: table.Row) -> Iterator[str]:
    """What stands in the table, and behind it everything about the task."""
    yield "<details>"
    yield (
        f'<summary><b>{row.label}</b><i class="{row.outcome.style}">{outcome.in_a_word(row.state)}</i>'
        f'<i class="quiet">{row.age}</i>{_safe(row.task)}'
    )
    yield from _lines(row)
    yield "</summary>"
    whole = detail.detail(book, Page(WIDTH), row.label)
    yield f"<pre>{_safe(whole)}</pre>"
    yield "</details>"


def _lines(row: table.Row) -> Iterator[str]:
    """What waits, each item whole, else what is known in short; and what to type."""
    for item in row.items:
        yield f'<span class="needs">{_safe(f"{item.qid} {whole(item.text)}")}</span>'
    if not row.items:
        yield f'<span class="{row.outcome.style}">{_safe(row.outcome.line(named=False))}</span>'
    if row.then:
        yield f"<span>→ <code>{_safe(row.then)}</code></span>"


def _safe(text: Optional[str]) -> str:
    """Somebody's words as text of a page: nothing in them is markup, hidden, or turned round."""
    return html.escape(neutral(text or ""))
