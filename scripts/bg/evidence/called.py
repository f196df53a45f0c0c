"""Named commands: what a line says of a command that the agent really called, which equal words make certain."""

from __future__ import annotations

import re

from bg.evidence import lines, pieces, programs, shell
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Optional

MOST, LONG, SLICED = 400, 400, 8
# Where a command without ticks may end: at a sign, or at a word that says where it was run.
_CUT = pattern(
    r"\s*(?:->|→|=>|⇒|➜|⟶|--+>)|\s[–—-]\s|[:：](?=\s|$)|：|\s\(|[,;]\s|(?P<word>\s(?=(?:at|in|on|from)\s))|$"
)
# What may stand before a command in ticks that was run: a word for running, or a label.
_RUN_WITH = pattern(
    r"(?:(?<!\w)(?:"
    + lines.WORDS["ran"]
    + r"|running|started|with|via|by|through|using|mit|avec|con|per)\s+|[:：]\s*)$",
    re.IGNORECASE,
)
_DENIED = pattern(
    r"(?<!\w)(?:not|never|without|cannot|no|before|would|could|should|will|until|nicht|ohne|kein\w*|pas|sans|sin|nunca)"
    r"(?!\w)|n['’]t(?!\w)|[不没未无無]|ない",
    re.IGNORECASE,
)


class Named(Record):
    """A command that a line names, what the line says behind it, and whether the words around it are certain."""

    command: str
    after: str
    certain: bool


class Called:
    """The command lines that were called, each with the parts that somebody may name."""

    def __init__(self, command_lines: Iterable[str] = ()) -> None:
        self._known: set[tuple[programs.Words, ...]] = set()
        for line in list(command_lines)[:MOST]:
            words = _split(line)
            most = len(words) if len(words) <= SLICED else 1
            self._known.add(words)
            self._known |= {words[at : at + size] for size in range(1, most + 1) for at in range(len(words))}

    def holds(self, text: str) -> bool:
        """Whether this is a command that was called, by its words."""
        return bool(self._known) and bool(text.strip()) and _split(text) in self._known

    def named(self, body: str, *, ran: bool) -> list[Named]:
        """The commands that a line names; `ran` where its first word says that they were run."""
        label = None if ran else lines.LABEL.match(body)
        rests = [body, body[label.end() :]] if label else [body]
        found = next(filter(None, (self._first(rest, ran=ran) for rest in rests)), None)
        return [found] if found else self._within(body)

    def _first(self, rest: str, *, ran: bool) -> Optional[Named]:
        """The command that a rest begins with."""
        ticked = pieces.TICKED.match(rest)
        if ticked is None:
            return self._bare(rest, ran=ran)
        known = self.holds(ticked["text"])
        return Named(ticked["text"].strip(), rest[ticked.end() :], certain=True) if known else None

    def _bare(self, rest: str, *, ran: bool) -> Optional[Named]:
        """The longest beginning of a rest that is a command without ticks."""
        cuts = [cut for cut in _CUT.finditer(rest[:LONG]) if "`" not in rest[: cut.start()]]
        for cut in reversed(cuts):
            text = rest[: cut.start()].strip()
            if (ran or " " in text or pieces.is_certain(text)) and self.holds(text):
                return Named(text, rest[cut.start() :], certain=ran or bool(cut[0].strip()) or cut.end() == len(rest))
        return None

    def _within(self, body: str) -> list[Named]:
        """The commands in ticks within a sentence that says that they were run."""
        ticked = [found for found in pieces.TICKED.finditer(body) if self.holds(found["text"])]
        before = body[: ticked[0].start()] if ticked else ""
        if not _RUN_WITH.search(before) or _DENIED.search(before):
            return []
        ends = [*(found.start() for found in ticked[1:]), len(body)]
        return [Named(each["text"].strip(), body[each.end() : end], certain=False) for each, end in zip(ticked, ends)]


def _split(line: str) -> tuple[programs.Words, ...]:
    return tuple(programs.plain(each.words) for each in shell.commands(line))
