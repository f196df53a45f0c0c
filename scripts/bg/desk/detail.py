"""Everything about one task, laid out on a page.

A page with a height shows the most important lines: the others are counted, and are in the report's file.
"""

from __future__ import annotations

from bg.desk import report
from bg.desk.page import Cell, Page
from bg.desk.report import Line, Report
from bg.ledger import cases
from bg.ledger.file import Ledger
from bg.words import outcome, phrases
from bg.words.quoting import inline, spoken

# The sections in the order in which a page that is too small shortens them, and how many of their lines stay.
_FOLDS = (
    (report.HISTORY, 3),
    (report.OWN_WORDS, 0),
    (report.QUESTIONS, 0),
    (report.HISTORY, 0),
    (report.COMMANDS, 1),
    (report.FILES, 1),
    (report.FOUND, 4),
    (report.SAYS, 4),
    (report.COMMANDS, 0),
    (report.FILES, 0),
    (report.FOUND, 0),
    (report.SAYS, 0),
)


def detail(book: Ledger, page: Page, label: str, command: str = "/bg-answer") -> str:
    """Everything about one task, in sections."""
    case = cases.of(book, label)
    return "\n".join(_laid_out(report.of(case, command), page)) if case else f"There is no task {label}."


def raw(book: Ledger, page: Page, label: str) -> str:
    """The last text of a task's agent as it came, with its blocks."""
    text = report.raw(book, label)
    return "\n".join(page.wrapped(text)) if text else phrases.NO_REPORT.format(label=label)


def _laid_out(found: Report, page: Page) -> list[str]:
    head = [
        page.line(
            Cell(found.label, "heading"),
            Cell(f"  {outcome.in_a_word(found.state)}", outcome.style_of(found.state)),
            Cell(f" for {found.age}", "quiet"),
        ),
        *page.wrapped(inline(spoken(found.task), 2000)),
    ]
    parts = {each.name: _written(page, each.lines) for each in found.sections}
    history = [one for each in found.sections if each.name == report.HISTORY for one in each.lines]
    days = _written(page, [one for one in history if not one.head])
    left = _fold(parts, page.height - len(head), set(days)) if page.height else 0
    for name, lines in parts.items():
        head += ["", *page.wrapped(name, "heading"), *lines] if lines else []
    more = phrases.MORE_LINES.format(count=left, label=found.label)
    return head + (["", *page.wrapped(more, "quiet")] if left else [])


def _written(page: Page, lines: list[Line]) -> list[str]:
    return [written for line in lines for written in _on_page(page, line)]


def _on_page(page: Page, line: Line) -> list[str]:
    indent = 2 + 2 * line.level
    if line.head:
        return page.hung(line.head, "quiet", line.words, line.style, indent=indent)
    if line.quoted:
        return page.framed(line.words, line.style, indent=indent)
    return page.wrapped(line.words, line.style, indent=indent + 2, first=indent)


def _fold(parts: dict[str, list[str]], room: int, days: set[str]) -> int:
    """Cut the least needed lines, in the history the oldest, until the rest has room, and count the lines cut.

    The rest of the history still begins with the line of its day.
    """
    left = 0
    for name, least in _FOLDS if _height(parts) > room else ():
        cut = min(_height(parts) + 2 - room, len(parts.get(name, ())) - least)
        if cut > 0:
            gone, kept = parts[name][:cut], parts[name][cut:]
            day = [line for line in gone if line in days][-1:]
            if day and len(kept) > 1 and kept[0] not in days:
                kept = [*day, *kept[1:]]
            parts[name] = kept if name == report.HISTORY else parts[name][:-cut]
            left += cut
    return left


def _height(parts: dict[str, list[str]]) -> int:
    return sum(len(lines) + 2 for lines in parts.values() if lines)
