"""A page: how wide it is, which characters and colours it takes, and lines fitted to it.

Everything that people read is laid out here: the table, one task, the open items, the doctor, bgctl, the statusline
and the demo. A hook that prints none of them does not load this module.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

from bg.host import terminal, versions
from bg.ledger import place
from bg.pattern import pattern
from bg.record import Record
from bg.words.cells import fit, head, pad, width_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, TextIO

__all__ = ["STYLES", "Cell", "Page", "fit", "pad", "page_width", "width_of"]

NARROWEST, WIDEST = 30, 240

# One colour has one meaning everywhere. Grey and not faint, as faint is hard to read in the host's warning colour.
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
# The same within Claude Code, which shows text without a colour of its own in the colour of its warnings. So every
# style has a colour here, chosen for the theme. The last set can be read on a dark and on a light background.
_NAMES = ("", "heading", "needs", "works", "good", "bad", "quiet", "type")
_DARK = ("38;5;252", "1;38;5;255", "38;5;222", "38;5;110", "38;5;114", "38;5;210", "38;5;245", "1;38;5;117")
_LIGHT = ("38;5;236", "1;38;5;232", "38;5;130", "38;5;25", "38;5;28", "38;5;124", "38;5;242", "1;38;5;25")
_EITHER = ("38;5;244", "1;38;5;244", "38;5;136", "38;5;31", "38;5;64", "38;5;160", "38;5;244", "1;38;5;31")
_THEMES = {
    "dark": _DARK,
    "dark-daltonized": _DARK,
    "dark-ansi": ("37", "1;37", "33", "36", "32", "31", "90", "1;36"),
    "light": _LIGHT,
    "light-daltonized": _LIGHT,
    "light-ansi": ("30", "1;30", "33", "34", "32", "31", "90", "1;34"),
}
_COLOUR = pattern("\x1b\\[[0-9;]*m")
_ASCII = str.maketrans("…·→“”‘’–—‹✓", "~->\"\"''--<+")


class Cell(Record):
    """A piece of a line with its style; the text holds no control characters."""

    text: str
    style: str = ""


class Page:
    """The page of one reader: lines as wide as the page, with colour if the reader sees it.

    `height` is the number of lines that the reader sees at once, 0 if that does not matter.
    """

    def __init__(
        self,
        width: int = terminal.USUAL,
        height: int = 0,
        *,
        colour: bool = False,
        ascii_only: bool = False,
        styles: Optional[dict[str, str]] = None,
    ) -> None:
        self.width = max(NARROWEST, min(width, WIDEST))
        self.height = height
        self.colour = colour
        self.ascii_only = ascii_only
        self.styles = styles or STYLES

    def paint(self, text: str, style: str) -> str:
        """The text in the colour of a style, with the colour reset after it."""
        code = self.styles[style] if self.colour and text.strip() else ""
        return f"\x1b[{code}m{text}\x1b[0m" if code else text

    def line(self, *cells: Cell, indent: int = 0) -> str:
        """One line of the cells, cut at the page's end."""
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

    def hung(self, head: str, style: str, text: str, words: str, *, indent: int = 0) -> list[str]:
        """A head in a style of its own and the text after it, whose further lines are indented below its first."""
        inset = indent + width_of(head) + 2
        first, *rest = self.wrapped(text, words, indent=inset)
        return [f"{' ' * indent}{self.paint(self.plain(head), style)}  {first[inset:]}", *rest]

    def framed(self, text: str, style: str = "", *, indent: int = 0) -> list[str]:
        """Somebody's words with the mark of a quotation before each line."""
        inner = Page(self.width - indent - 2, ascii_only=self.ascii_only)
        return [f"{' ' * indent}{self.paint(f'> {line}'.rstrip(), style)}" for line in inner.wrapped(text)]

    def plain(self, text: str) -> str:
        """The text in characters that the reader's terminal has."""
        return text.translate(_ASCII).encode("ascii", "replace").decode() if self.ascii_only else text


def page_width(line: str) -> int:
    """The number of columns that a line takes, in which its colours do not count."""
    return width_of(_COLOUR.sub("", line))


def of_hook() -> Page:
    """The page on which Claude Code shows the output of a hook."""
    colour = versions.attended() and _wants_colour()
    styles = dict(zip(_NAMES, _THEMES.get(terminal.theme(place.config_directory()), _EITHER))) if colour else None
    return Page(*terminal.size_for_hook(), colour=colour, styles=styles)


def of_stream(stream: TextIO) -> Page:
    """The page of a program's own output: a terminal, or else a pipe or file, which gets no colour."""
    if not is_terminal(stream):
        return Page(terminal.asked_for("COLUMNS") or terminal.USUAL)
    name = (getattr(stream, "encoding", "") or "").lower().replace("-", "").replace("_", "")
    columns, rows = terminal.size(stream)
    ascii_only = name not in ("utf8", "utf8sig", "cp65001")
    # Two rows are left free: for the line of the command above the page, and for the prompt below it.
    return Page(columns or terminal.USUAL, max(rows - 2, 0), colour=_wants_colour(), ascii_only=ascii_only)


def of_statusline(*, of_host: bool) -> Page:
    """The line below Claude Code's prompt, which takes colours though it is a pipe; another program gets none."""
    return Page(WIDEST, colour=of_host and _wants_colour())


def is_terminal(stream: TextIO) -> bool:
    """Whether a person reads this stream, and not a program."""
    with contextlib.suppress(ValueError, AttributeError):
        return stream.isatty()
    return False


def _wants_colour() -> bool:
    return not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


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
            begin = head(rest, space - width_of(piece)) or rest[0]
            yield piece + begin
            rest, piece, space = rest[len(begin) :], lead, room
        piece += rest
    yield piece if piece.strip() else ""
