"""Board: one page for a browser, with the tasks of all projects that need the user, then each project's other tasks.

The page is one file that loads nothing, and shows the state at the time printed on it. Its only script is the
filter's, which the page allows by its digest; the words of others are text.
"""

from __future__ import annotations

import argparse
import base64
import hashlib
import html
import itertools
import re
import string
import time
import webbrowser
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Optional

from bg import durations, foreign
from bg.desk import look, report, status, table, written
from bg.desk.report import Line, Section
from bg.desk.table import ENDED, NEEDS, WORKS
from bg.ledger import cases, inbox, place, projects, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.masking import masked
from bg.words import phrases
from bg.words.quoting import inline, neutral, whole
from bg.words.times import age

Outcome = tuple[int, str, str]
TEMPLATE = Path(__file__).with_name(place.BOARD)
_COUNTED = {NEEDS: "{count} for you", WORKS: "{count} working", ENDED: "{count} ended"}
_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class Card(NamedTuple):
    """A task on the page: the part and the project that it belongs to, and its markup."""

    part: str
    project: str
    text: str


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl board`."""
    parser.description = "Writes one page with the tasks of every project, and says where it is."
    parser.epilog = "Exit status: 0; 1 the page cannot be written, or a ledger not be read; 2 usage."
    parser.add_argument("--open", action="store_true", help="open the page in your browser")
    parser.add_argument("--output", metavar="FILE", default="", help="where to write it; - prints it")
    parser.add_argument("--all", action="store_true", help="also what ended more than a day ago")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    with look.ledgers() as (books, said):
        text = board(books, time.time(), everything=given.all)
    if given.output == "-":
        return int(bool(said)), text, said
    target = Path(given.output).absolute() if given.output else Path(place.directory()).absolute() / place.BOARD
    try:
        if not given.output:
            place.make_private(str(target.parent))
        written.save_page(target, text)
    except OSError as error:
        return 1, "", f"{said}bgctl: the page cannot be written to {target}: {error.strerror or error}\n"
    if given.open and not webbrowser.open(target.as_uri()):
        said += "bgctl: no browser could be started\n"
    return int(bool(said)), f"{target.as_uri()}\n", said


def save(book: Ledger) -> str:
    """Write the page of one ledger beside the ledger; the answer is the page's address."""
    target = Path(book.place).absolute() / place.BOARD
    written.save_page(target, board([book], book.now()))
    return target.as_uri()


def board(books: Iterable[Ledger], now: float, *, everything: bool = False) -> str:
    """The page as a whole."""
    cards, left = [], 0
    for book in books:
        cards += _cards(book, everything=everything)
        left += 0 if everything else tasks.count(book)
    count = Counter(card.part for card in cards)
    title = " · ".join(_COUNTED[part].format(count=count[part]) for part in _COUNTED if count[part])
    template = foreign.whole(TEMPLATE, 65536).decode("utf-8")
    found = _SCRIPT.search(template)
    digest = base64.b64encode(hashlib.sha256(found[1].encode()).digest()).decode() if found else ""
    return string.Template(template).substitute(
        title=f"bg: {_safe(title or phrases.NOTHING_GOES_ON)}",
        script=f"'sha256-{digest}'",
        when=time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(now)),
        body=masked("\n".join(_body(cards)) or "<p>No background tasks yet.</p>"),
        left=f"{left - len(cards)} ended earlier: <code>bgctl board --all</code>" if left > len(cards) else "",
    )


def _body(cards: list[Card]) -> Iterator[str]:
    """The tasks of all projects that need the user, then the others of each project."""
    yield from _part(NEEDS, 2, [card for card in cards if card.part == NEEDS])
    others: dict[str, list[Card]] = {}
    for card in cards:
        others.setdefault(card.project, []).append(card)
    for project, own in others.items():
        if any(card.part != NEEDS for card in own):
            yield f'<div class="part"><h2 title="{_safe(project)}">{_safe(_name(project))}</h2>'
            for part in (WORKS, ENDED):
                yield from _part(part, 3, [card for card in own if card.part == part])
            yield "</div>"


def _part(name: str, level: int, cards: list[Card]) -> Iterator[str]:
    if cards:
        yield f'<div class="part"><h{level}>{name} <span class="quiet">{len(cards)}</span></h{level}>'
        yield from (card.text for card in cards)
        yield "</div>"


def _cards(book: Ledger, *, everything: bool) -> list[Card]:
    """The tasks that wait for the user in their order, then the others, the newest first."""
    waiting = list(dict.fromkeys(item.label for item in inbox.waiting(book)))
    asking, since = set(waiting), book.now() - durations.RECENT
    known = {case.label: case for case in cases.known(book, lambda: status.chosen(book, everything=everything))}
    first = [case for case in (known.get(label) or cases.of(book, label) for label in waiting) if case]
    others = sorted((case for case in known.values() if case.label not in asking), key=table.age_of)
    return [_card(case, table.section_of(case, asking, since)) for case in itertools.chain(first, others)]


def _card(case: Case, part: str) -> Card:
    """A card with the items that a task waits for, or its outcome; opened, it shows everything about the task."""
    task, entry, project = case.task, status.record(case), case.task.project or ""
    since = age(case.book.now() - (task.since or case.book.now()))
    lines = [
        '<details class="card">',
        (
            f'<summary><b>{task.label}</b><i class="{entry.outcome.style}">{_safe(entry.outcome.stands)}</i>'
            f"<em>{_safe(inline(task.description or task.text or '', 400))}</em>"
            f'<i class="quiet">{_safe(_name(project))} · {since}</i>'
        ),
        *_says(case, entry),
        "</summary>",
        *(line for section in report.of(case, entry=entry).sections for line in _section(section)),
        "</details>",
    ]
    return Card(part, project, "\n".join(lines))


def _says(case: Case, entry: status.Status) -> Iterator[str]:
    """The waiting items in full, or else the outcome; and the command to type."""
    for item in case.items:
        yield f'<span class="needs">{_safe(f"{item.qid} {whole(item.text)}")}</span>'
    said = "" if case.items else entry.outcome.words()
    beside = " · ".join(filter(None, [said, *entry.outcome.beside]))
    if beside:
        yield f'<span class="{entry.outcome.style}">{_safe(beside)}</span>'
    typed = table.what_to_type(case, entry)
    if typed:
        yield f"<span>→ <code>{_safe(typed)}</code></span>"


def _section(section: Section) -> Iterator[str]:
    yield f"<h4>{_safe(section.name)}</h4>"
    for quoted, lines in itertools.groupby(section.lines, key=lambda line: line.quoted):
        if quoted:
            said = "\n".join(line.words for line in lines)
            yield f"<blockquote>{_safe(said)}</blockquote>"
        else:
            yield from map(_line, lines)


def _line(line: Line) -> str:
    head = f"<b>{_safe(line.head)}</b> " if line.head else ""
    inset = " in" * bool(line.level)
    return f'<p class="{line.style}{inset}">{head}{_safe(line.words)}</p>'


def _name(project: str) -> str:
    return projects.name_of(project) or "without a project"


def _safe(text: Optional[str]) -> str:
    """Somebody's words as text of a page: nothing in them is markup, hidden, or reversed."""
    return html.escape(neutral(text or ""))
