"""Written down: a page as a file, whole or not at all, readable by its owner only; a task's report as Markdown."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bg.desk import report
from bg.desk.report import Line, Report
from bg.ledger import cases, place
from bg.ledger.file import Ledger
from bg.masking import masked
from bg.words import outcome
from bg.words.quoting import neutral

# Somebody's words may use emphasis, but no other markup: no element, no image, no link under another name.
_MARKUP = {"<": "&lt;", "![": "!&#91;", "](": "]&#40;", "]:": "]&#58;"}


def save(book: Ledger, label: str) -> Path:
    """Write the report of a task as a file beside the ledger; the answer is its path."""
    path = Path(book.place) / place.REPORTS / f"{label}.md"
    place.make_private(str(path.parent))
    save_page(path, masked(markdown(report.of(cases.case(book, label)))))
    return path


def markdown(found: Report) -> str:
    """The report as a file that a person reads, in an editor or rendered."""
    when = time.strftime("%Y-%m-%d %H:%M", time.localtime(found.asof))
    stands = f"{outcome.in_a_word(found.state)} for {found.age}"
    lines = [f"# {found.label}", "", f"{stands}, as of {when}", "", *_quoted(found.task), ""]
    for each in found.sections:
        lines += [f"## {each.name}", "", *(line for one in each.lines for line in _as_markdown(one)), ""]
    return "\n".join(lines)


def _as_markdown(line: Line) -> Iterator[str]:
    words = _plain(line.words)
    if line.quoted:
        yield f"{'  ' * line.level}> {words}".rstrip()
    else:
        head = f"**{_plain(line.head)}** " if line.head else ""
        yield f"{'  ' * line.level}- {head}{words}"


def _quoted(text: str) -> list[str]:
    return [f"> {_plain(line)}".rstrip() for line in neutral(text).splitlines()]


def _plain(text: str) -> str:
    for sign, other in _MARKUP.items():
        text = text.replace(sign, other)
    return text


def save_page(path: Path, text: str) -> None:
    """Write the file; an earlier one stays until all of the new one is written."""
    number, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
