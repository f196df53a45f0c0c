"""A page: how wide it is, which characters and colours it takes, and lines fitted to it.

Everything that people read is laid out here: the table, one task, what waits, the doctor, bgctl, the statusline and
the demo. A hook that prints none of them does not load this module.
"""

from __future__ import annotations

import contextlib
import os
import unicodedata
from collections.abc import Iterator

from bg.host import versions
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, TextIO

USUAL, NARROWEST, WIDEST = 80, 30, 240
# Claude Code sets what a hook shows two columns in, and wraps it ten columns before the terminal's edge.
HOST_MARGIN = 10

# One colour, one meaning, wherever it stands. Grey and not faint, as faint on the host's warning colour reads badly.
STYLES = {
    "": "",
    "heading": "1",
    "needs": "33",
    "works": "36",
    "good": "32",
    "bad": "31",
    "quiet": "38;5;244",
    "type": "1;36",
}
_ASCII = str.maketrans("…·→“”‘’–—‹", "~->\"\"''--<")


class Cell(Record):
    """A piece of a line with its style; the text holds no control characters."""

    text: str
    style: str = ""


class Page:
    """What is written for one reader: lines as wide as the page, with colour where it is shown."""

    def __init__(self, width: int = USUAL, *, colour: bool = False, ascii_only: bool = False) -> None:
        self.width = max(NARROWEST, min(width, WIDEST))
        self.colour = colour
        self.ascii_only = ascii_only

    def paint(self, text: str, style: str) -> str:
        """The text in its colour, and behind it as before."""
        code = STYLES[style] if self.colour and text.strip() else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def line(self, *cells: Cell, indent: int = 0) -> str:
        """One line of the cells, cut where the page ends."""
        room = self.width - indent
        parts = []
        for cell in cells:
            text = self.plain(fit(cell.text, room))
            room -= width_of(text)
            parts.append(self.paint(text, cell.style))
            if room <= 0:
                break
        return (" " * indent + "".join(parts)).rstrip()

    def wrapped(self, text: str, style: str = "", *, indent: int = 0, first: Optional[int] = None) -> list[str]:
        """The text in as many lines as it needs; its own line ends stay. `first` is the indent of the first line."""
        lines: list[str] = []
        for row in self.plain(text).split("\n"):
            start = indent if lines or first is None else first
            for piece in _pieces(row, max(self.width - indent, 12), max(self.width - start, 12)):
                lines.append((" " * start + self.paint(piece, style)).rstrip())
                start = indent
        return lines

    def plain(self, text: str) -> str:
        """The text in characters that the reader's terminal has."""
        return text.translate(_ASCII).encode("ascii", "replace").decode() if self.ascii_only else text


def of_hook() -> Page:
    """The page on which Claude Code shows what a hook prints."""
    return Page(_terminal() - HOST_MARGIN, colour=versions.attended() and _wants_colour())


def of_stream(stream: TextIO) -> Page:
    """The page of a program's own output: a terminal, or a pipe or file, which gets neither colour nor a guess."""
    if not is_terminal(stream):
        return Page(_asked_for() or USUAL)
    name = (getattr(stream, "encoding", "") or "").lower().replace("-", "").replace("_", "")
    return Page(_terminal(stream), colour=_wants_colour(), ascii_only=name not in ("utf8", "utf8sig", "cp65001"))


def of_statusline(*, of_host: bool) -> Page:
    """The line below Claude Code's prompt, which takes colours though it is a pipe; another program gets none."""
    return Page(WIDEST, colour=of_host and _wants_colour())


def is_terminal(stream: TextIO) -> bool:
    """Whether a person reads there, and not a program."""
    with contextlib.suppress(ValueError, AttributeError):
        return stream.isatty()
    return False


def _wants_colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _asked_for() -> int:
    """What COLUMNS says: the host sets it for hooks from 2.1.197 on, a person to have a pipe as wide as they like."""
    words = os.environ.get("COLUMNS", "")
    return int(words) if words.isdigit() and 0 < int(words) < 10000 else 0


def _terminal(stream: Optional[TextIO] = None) -> int:
    return _asked_for() or _measured(stream) or USUAL


def _measured(stream: Optional[TextIO]) -> int:
    """How wide the terminal is: that of the stream, else that of this process, where it has one."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(stream.fileno()).columns
    with contextlib.suppress(OSError):
        number = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.get_terminal_size(number).columns
        finally:
            os.close(number)
    return 0


def _width_of_one(character: str) -> int:
    if character < "\u0300":
        return 1
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """How many columns of a terminal the text takes: wide characters take two, combining ones none."""
    return len(text) if text.isascii() else sum(map(_width_of_one, text))


def fit(text: str, most: int) -> str:
    """The text in at most so many columns; one that is cut ends with a mark."""
    if width_of(text) <= most:
        return text
    kept, room = [], most - 1
    for character in text:
        room -= _width_of_one(character)
        if room < 0:
            break
        kept.append(character)
    return "".join(kept).rstrip() + ("…" if most > 0 else "")


def pad(text: str, columns: int) -> str:
    """The text, cut or filled up to exactly so many columns."""
    text = fit(text, columns)
    return text + " " * (columns - width_of(text))


def _pieces(row: str, room: int, first: int) -> Iterator[str]:
    """A line broken at its spaces."""
    lead = row[: len(row) - len(row.lstrip(" "))][: room // 2]
    piece, space = lead, first
    for word in row.split():
        joined = f"{piece} {word}" if piece.strip() else f"{piece}{word}"
        if width_of(joined) <= space:
            piece = joined
            continue
        if piece.strip():
            yield piece
            piece, space = lead, room
        # A path or a command stays whole, to be copied; a terminal breaks it by itself. Wide scripts have no spaces.
        rest = word
        while not word.isascii() and width_of(piece) + width_of(rest) > space:
            head = _head(rest, space - width_of(piece))
            yield piece + head
            rest, piece, space = rest[len(head) :], lead, room
        piece += rest
    yield piece if piece.strip() else ""


def _head(text: str, room: int) -> str:
    """As much of a text as stands in so many columns, at least one character."""
    for count, character in enumerate(text):
        room -= _width_of_one(character)
        if room < 0:
            return text[: max(count, 1)]
    return text
