"""How the demo looks: who speaks at the left, what is said beside it, in any width and without a terminal."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from typing import TextIO

from bg.desk.page import STYLES
from bg.host.terminal import MARGIN as HOST_MARGIN
from bg.words.cells import fit
from bg.words.quoting import visible

MARGIN = 14
LEAST_ROWS = 14  # questions have room in it, and why they are asked does not
SEEN = ("You", "you see", "Claude")  # who is heard where not all is shown
COLOURS = {"You": "1", "Claude": "36", "agent": "35", "hook": "33", "you": "32"}
COLOURS.update({name: STYLES[name] for name in ("good", "bad", "quiet")})


class View:
    """Prints a conversation; colours only on a terminal that wants them."""

    def __init__(self, out: TextIO = sys.stdout, *, full: bool = False) -> None:
        self.out = out
        self.full = full
        self.width = max(60, min(shutil.get_terminal_size((80, 24)).columns, 110))
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb" or not out.isatty()
        self._colours = {} if plain else COLOURS

    @property
    def terminal(self) -> dict[str, str]:
        """The terminal that hooks are told of, so that what they lay out fits beside the speaker, and on a page."""
        size = {"COLUMNS": str(self.width - MARGIN + HOST_MARGIN)}
        return size if self.full else {**size, "LINES": str(LEAST_ROWS)}

    def say(self, speaker: str, words: str, quoted: str = "", short: str = "") -> None:
        """One turn: the speaker, the words, and below them what is quoted.

        Unless all is shown, only what a user would see or say, in a line each but for what the plugin shows; of the
        rest `short`, if anything.
        """
        if not self.full and (speaker not in SEEN or words.startswith("calls ")):
            if short:
                self._turn(speaker, [fit(short, self.width - MARGIN)])
            return
        lines = self._wrapped(words)
        if not self.full and speaker in ("You", "Claude"):
            lines = [fit(" ".join(words.split()), self.width - MARGIN)]
        self._turn(speaker, lines)
        if self.full:
            self.quote(quoted)

    def _turn(self, speaker: str, lines: list[str]) -> None:
        inset = "  " if speaker.partition(" ")[0] in ("hook", "you") else ""
        head = f"{inset}{speaker}".ljust(MARGIN)
        self._line(f"{self._paint(speaker, head)}{lines[0]}".rstrip())
        for line in lines[1:]:
            self._line(" " * MARGIN + line)

    def quote(self, text: str) -> None:
        """Lines of a longer text, marked as such."""
        for line in visible(text).strip("\n").split("\n") if text else []:
            for piece in self._wrapped(line, 2):
                self._line(f"{' ' * MARGIN}| {piece}".rstrip())

    def plain(self, words: str, inset: int = 0, mark: tuple[str, str] = ("", "")) -> None:
        """A line of the demo's own, from the left edge; where it goes on, it is inset. The mark gets its colour."""
        for number, line in enumerate(textwrap.wrap(words, self.width, subsequent_indent=" " * inset)):
            self._line(line if number else line.replace(mark[0], self._paint(mark[1], mark[0]), 1))

    def gap(self) -> None:
        """An empty line."""
        self._line("")

    def _wrapped(self, words: str, less: int = 0) -> list[str]:
        room = self.width - MARGIN - less
        found: list[str] = []
        for line in visible(words).split("\n"):
            found += textwrap.wrap(
                line, room, replace_whitespace=False, drop_whitespace=True, subsequent_indent="  "
            ) or [""]
        return found

    def _paint(self, speaker: str, head: str) -> str:
        code = self._colours.get(speaker.partition(" ")[0])
        return f"\033[{code}m{head}\033[0m" if code else head

    def _line(self, line: str) -> None:
        self.out.write(line + "\n")
        self.out.flush()
