"""Judges quotes: a line, or words in a file, that are there now, were at launch, or were shown by a call."""

from __future__ import annotations

import bisect
import itertools
import re

from bg.evidence.calls import Call, Calls, same
from bg.evidence.declared import Item
from bg.evidence.disk import Disk, count
from bg.evidence.finding import SEEN, Finding
from bg.evidence.project import Found, Place
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NEAR = 5
LEAST, SPAN = 8, 400  # characters that the pieces of a quote have, and within which they follow each other
_ELISION = pattern(r"\s*(?:…|\.{3,}|\[…\]|\[\.{3}\])\s*")


def judge(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    """What the file, now or at launch, and the calls say of a line or of words in it."""
    found = _judged(disk, calls, item, place, exact)
    refused = disk.refused(*exact) or disk.refused_earlier(*disk.existed(item.subject)[:5])
    if not refused or found.grade == SEEN:
        return found
    return say(item, "in a result" if item.quote and _shown(calls, item) else refused)


def _judged(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    if place.outside:
        return say(item, "in a result" if item.quote and _shown(calls, item) else "outside")
    now = list(filter(None, (disk.text(each) for each in exact if each.regular)))
    texts = now + list(filter(None, map(disk.earlier, disk.existed(item.subject)[:5])))
    if not texts:
        return _unread(calls, item, place)
    if item.quote:
        return _words(disk, calls, item, exact, (now, texts))
    long = max(map(count, texts))
    there = 1 <= item.first <= item.last <= long + 1
    return say(item, "has the line") if there else say(item, "no such line", str(long))


def _words(
    disk: Disk, calls: Calls, item: Item, exact: tuple[Found, ...], texts: tuple[list[str], list[str]]
) -> Finding:  # fmt: skip
    """Words in a file that has these texts now, and these now and at launch."""
    now, every = texts
    found = _quoted(item, every)
    if found.grade == SEEN:
        still = not now or any(_lines(text, item.quote) for text in now)
        return found if still else say(item, "stood there")
    if _shown(calls, item, at_line=found.reason != "other words"):
        return say(item, "in a result")
    if found.reason == "other line" and not _is_settled(disk, calls, item, exact, int(found.detail)):
        return say(item, "line elsewhere", found.detail)
    return found if calls.known or found.reason != "other words" else say(item, "calls unknown")


def _is_settled(disk: Disk, calls: Calls, item: Item, exact: tuple[Found, ...], line: int) -> bool:
    """Whether the lines of a file are where they were all the time, and the named one is far from the quoted."""
    last = item.subject.rpartition("/")[2]
    touched = any(last in call.command for call in calls.shells) or calls.wrote(last)
    return calls.complete and not touched and abs(line - item.first) > NEAR and disk.any_changed(exact) is False


def _unread(calls: Calls, item: Item, place: Place) -> Finding:
    """A place in something that is no text now, nor was one at launch."""
    if place.found:
        return say(item, "unreadable")
    if _shown(calls, item) if item.quote else any(_of_file(call, item.subject) for call in calls.calls):
        return say(item, "in a result")
    if not place.certain:
        return say(item, "not found in time")
    return say(item, "not found" if calls.complete else "calls unknown")


def _quoted(item: Item, texts: list[str]) -> Finding:
    """A quote in the texts that a file has had."""
    places = [place for text in texts for place in _lines(text, item.quote)]
    first = item.first - item.quote.count("\n") - (NEAR if _ELISION.search(item.quote) else 0)
    if any(not item.first or first <= place <= item.last for place in places):
        return say(item, "quoted")
    long = max(map(count, texts))
    if item.first > long + 1:
        return say(item, "no such line", str(long))
    if places:
        return say(item, "other line", str(min(places, key=lambda place: abs(place - item.first))))
    loosely = any(holds_loosely(text, item.quote) for text in texts)
    return say(item, "not word for word") if loosely else say(item, "other words", item.quote)


def _shown(calls: Calls, item: Item, *, at_line: bool = False) -> bool:
    """Whether a call that is about the file showed the quote; `at_line`: with the named line's number beside it."""
    for call in calls.calls:
        shown = _of_file(call, item.subject) if call.answered else []
        if at_line:
            if any(_lines(text, item.quote) for number, text in shown if item.first <= number <= item.last):
                return True
        elif _lines("\n".join(text for _, text in shown), item.quote) or _lines(_given(call, item.subject), item.quote):
            return True
    return False


def _given(call: Call, name: str) -> str:
    """What a call put into a file, or found there to replace."""
    given = [call.given.get(key) for key in ("old_string", "new_string", "content")]
    own = same(call.path, name) and not call.failed
    return "\n".join(each for each in given if isinstance(each, str)) if own else ""


def _of_file(call: Call, name: str) -> list[tuple[int, str]]:
    """The lines that a result shows of a file, with their numbers where it has them."""
    line = rf"(?:^|.*/){re.escape(name.removeprefix('./'))}[:-]"
    whole = rf"(?:{line})?(?:\s*(\d+)[→\t:-])?(.*)"
    shape = re.compile(whole if _names(call, name) else rf"{line}(?:(\d+)[:-])?(.*)")
    found = filter(None, map(shape.match, call.result.split("\n")))
    return [(int(match[1] or 0), match[2]) for match in found]


def _names(call: Call, name: str) -> bool:
    """Whether a call is about a file as a whole: it reads it, or a word of its line is its path."""
    words = (word for each in call.commands for word in each.words[1:])
    return same(call.path, name) or any(same(word.partition(":")[2] or word, name) for word in words)


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _pieces(quote: str) -> list[str]:
    """The parts of a quote between what it leaves out; one that leaves too little is taken as it is."""
    pieces = [piece for piece in map(_spaced, _ELISION.split(quote)) if piece]
    short = len(pieces) > 1 and (sum(map(len, pieces)) < LEAST or min(map(len, pieces)) < 3)
    return [_spaced(quote)] if short else pieces


def _lines(text: str, quote: str) -> list[int]:
    """The lines of a text on which a quote begins, word for word but for white space and what it leaves out."""
    pieces = _pieces(quote)
    lines = [_spaced(line) for line in text.split("\n")]
    ends = list(itertools.accumulate(len(line) + 1 if line else 0 for line in lines))
    whole = " ".join(filter(None, lines))
    found: list[int] = []
    at = whole.find(pieces[0]) if pieces else -1
    while at >= 0 and len(found) < 50:
        if _follow(whole, at, pieces):
            found.append(bisect.bisect_right(ends, at) + 1)
        at = whole.find(pieces[0], at + 1)
    return found


def _follow(whole: str, at: int, pieces: list[str]) -> bool:
    """Whether pieces follow each other from a place on."""
    until = at + SPAN + len(pieces[0]) if pieces else 0
    for piece in pieces:
        at = whole.find(piece, at, until + len(piece))
        if at < 0:
            return False
        at += len(piece)
    return True


def holds(text: Optional[str], quote: str) -> Optional[bool]:
    """Whether a text holds a quote word for word; None where there is no text to look at."""
    return None if text is None else bool(_lines(text, quote))


def holds_loosely(text: Optional[str], quote: str) -> bool:
    """Whether a text has the letters and digits of a quote: then it may be meant, and is not doubted."""
    pieces = [piece for piece in (re.sub(r"[\W_]+", "", each).casefold() for each in _ELISION.split(quote)) if piece]
    plain = re.sub(r"[\W_]+", "", text or "").casefold()
    return text is None or all(piece in plain for piece in pieces)


def say(item: Item, reason: str, detail: str = "") -> Finding:
    """A finding on what an item names, with its line where it has one."""
    subject = item.subject + (f":{item.first}" if item.first else "")
    return Finding(item.line, item.kind, subject, reason, detail)
