"""Searches all tasks and reports for words, for `bgctl find` and `/bg-status find`: the tasks, and the lines."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable, Iterator

from bg.desk import look, page
from bg.desk.page import Cell, Page
from bg.ledger import inbox, reported, search, user_answers
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.words import outcome, phrases
from bg.words.quoting import cited, inline, spoken
from bg.words.times import age

MOST, LINES = 20, 3
AROUND = 70  # characters before and after the first of the words


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl find`."""
    parser.description = "The tasks in whose report, questions, answers or name all of these words stand, newest first."
    parser.epilog = "Exit status: 0 something was found; 1 nothing was, or a ledger cannot be read; 2 usage."
    parser.add_argument("words", metavar="WORDS", nargs="+", help="in any case and order; quote what belongs together")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> look.Outcome:
    """The exit status, the standard output and the standard error."""
    sheet = page.of_stream(sys.stdout)
    sheet.height = 0  # a terminal scrolls the lines that it has no room for
    with look.ledgers() as (books, said):
        found = _found(books, given.words)
        return int(not found or bool(said)), _laid_out(found, sheet, given.words) + "\n", said


def shown(books: Iterable[Ledger], sheet: Page, words: list[str]) -> str:
    """The tasks found, for people; on a page with a height, as many as have room."""
    return _laid_out(_found(books, words), sheet, words)


def _found(books: Iterable[Ledger], words: list[str]) -> list[tuple[Ledger, Task]]:
    return [(book, task) for book in books for task in search.found(book, words)]


def _laid_out(found: list[tuple[Ledger, Task]], sheet: Page, words: list[str]) -> str:
    wanted = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    lines: list[str] = []
    shown = left = 0
    for book, task in found:
        made = [_head(book, sheet, task), *_where(book, sheet, task, wanted)] if shown < MOST and not left else []
        if made and (not shown or not sheet.height or len(lines) + len(made) < sheet.height):
            lines += made
            shown += 1
        else:
            left += 1
    if not lines:
        lines = sheet.wrapped(phrases.FOUND_NOWHERE.format(words=", ".join(cited(word, 60) for word in words)))
    return "\n".join(lines + (sheet.wrapped(phrases.FOUND_MORE.format(count=left), "quiet") if left else []))


def _head(book: Ledger, sheet: Page, task: Task) -> str:
    since = age(book.now() - (task.since or book.now()))
    stands = Cell(f"  {outcome.in_a_word(task.state)}", outcome.style_of(task.state))
    name = Cell(f"  {inline(task.description or task.text or '', 200)}")
    return sheet.line(Cell(task.label, "heading"), stands, Cell(f" {since}", "quiet"), name)


def _where(book: Ledger, sheet: Page, task: Task, wanted: re.Pattern[str]) -> Iterator[str]:
    """The lines with the most of the searched words, in the order of the texts."""
    found: dict[str, tuple[int, str]] = {}
    for source, text in _texts(book, task):
        for line in text.splitlines():
            hits = {hit.casefold() for hit in wanted.findall(line)}
            if hits:
                found.setdefault(line, (len(hits), source))
    best = set(sorted(found, key=lambda line: -found[line][0])[:LINES])
    for line, (_, source) in found.items():
        if line in best:
            yield from sheet.hung(source, "quiet", _around(line, wanted), "", indent=2)


def _texts(book: Ledger, task: Task) -> Iterator[tuple[str, str]]:
    """Each text of a task after the name of its kind, the newest report first."""
    for report in reversed(reported.reports_of_task(book, task.label)):
        yield "report", reported.whole(book, report)
    for item in inbox.find(book, label=task.label):
        yield item.qid, f"{item.text}\n{item.context}"
        for answer in user_answers.find(book, question=item.id):
            yield f"{item.qid} answered", answer.text


def _around(line: str, wanted: re.Pattern[str]) -> str:
    """The part of a long line around the first of the words."""
    words = inline(spoken(line), 100_000)
    hit = wanted.search(words)
    if hit is None or len(words) <= 2 * AROUND:
        return cited(words, 2 * AROUND)
    begin, end = max(hit.start() - AROUND, 0), hit.end() + AROUND
    return cited(f"{'…' * (begin > 0)}{words[begin:end]}{'…' * (end < len(words))}", 3 * AROUND)
