"""Judges what is declared of a line, or of words in a file: they stand there now, did at launch, or in a result."""

from __future__ import annotations

import re

from bg.evidence import layouts, remarks
from bg.evidence.calls import Calls
from bg.evidence.disk import Disk, count
from bg.evidence.finding import SEEN, Finding
from bg.evidence.form import Item
from bg.evidence.project import Found, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NEAR = 5


def judge(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    """What the file, now or at launch, and the calls say of a line or of words in it."""
    found = _judged(disk, calls, item, place, exact)
    refused = disk.refused(*exact) or disk.refused_earlier(*disk.existed(item.subject)[:5])
    if not refused or found.grade == SEEN:
        return found
    return say(item, "in a result" if item.quote and _in_results(calls, item.quote, item.subject) else refused)


def _judged(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    if place.outside:
        return say(item, "in a result" if item.quote and _in_results(calls, item.quote) else "outside")
    now = [text for each in exact if each.regular for text in [disk.text(each)] if text is not None]
    before = [text for name in disk.existed(item.subject)[:5] for text in [disk.earlier(name)] if text is not None]
    if item.quote and now and before and remarks.RESTORED.search(item.remark):
        held = any(_places(text, item.quote) for text in now)  # it speaks of what is there now
        return say(item, "quoted") if held else say(item, "other words", item.quote)
    texts = now + before
    if not texts:
        return _unread(calls, item, place)
    if not item.quote:
        if any(item.first >= 1 and item.last <= count(text) + 1 for text in texts):
            return say(item, "has the line")
        longest = max(map(count, texts))
        return say(item, "no such line", str(longest))
    still = any(_places(text, item.quote) for text in now)
    settled = not calls.wrote_near(item.subject) and all(disk.changed(each) is False for each in exact)
    return _quoted(calls, item, texts, still=still or not now, settled=settled)


def _unread(calls: Calls, item: Item, place: Place) -> Finding:
    """A place in something that is no text now, nor was one at launch."""
    if place.found:
        return say(item, "unreadable")
    if calls.said(item.subject) or (item.quote and _in_results(calls, item.quote)):
        return say(item, "in a result")
    if not place.certain:
        return say(item, "not found in time")
    return say(item, "not found" if calls.known and not calls.hidden else "calls unknown")


def _quoted(calls: Calls, item: Item, texts: list[str], *, still: bool, settled: bool) -> Finding:
    """A quote, in the file now, at launch, or in what a tool returned meanwhile."""
    places = [place for text in texts for place in _places(text, item.quote)]
    above = _height(item.quote)
    if any(not item.first or item.first - above <= place <= item.last for place in places):
        return say(item, "quoted" if still else "stood there")
    if item.first and all(item.first > count(text) + 1 for text in texts) and not _in_results(calls, item.subject):
        return say(item, "no such line", str(max(map(count, texts))))
    if places and _numbered(calls, item):
        return say(item, "in a result")
    if places:
        nearest = min(places, key=lambda place: abs(place - item.first))
        far = settled and calls.known and not calls.hidden and abs(nearest - item.first) > NEAR
        return say(item, "other line" if far else "line elsewhere", str(nearest))
    if _in_results(calls, item.quote, item.subject):
        return say(item, "in a result")
    if any(holds(text.lower(), item.quote.lower()) for text in texts):
        return say(item, "other case")
    if _in_results(calls, item.quote):
        return say(item, "quoted elsewhere")
    if not calls.known:
        return say(item, "calls unknown")
    return say(item, "other words", item.quote)


def _height(quote: str) -> int:
    """How many lines before the quoted one a quote may begin."""
    return quote.count("\n") + quote.count("\\n") + layouts.elides(quote) * NEAR


def _numbered(calls: Calls, item: Item) -> bool:
    """Whether a result shows the quote with the declared number beside it: the file had it there meanwhile."""
    marks = re.compile(rf"(?m)^(?:\S*:)?\s*(?:{item.first}|{item.last})[→\t:|-](.*)$")
    plain = layouts.plain(item.quote)[:60].rstrip(",")
    return any(plain and plain in layouts.plain(line) for call in calls.calls for line in marks.findall(call.result))


def _follow(plain: str, pieces: list[str]) -> int:
    """Where the first of some pieces stands that follow each other in a text, -1 where they do not."""
    begin = at = plain.find(pieces[0])
    for piece in pieces:
        at = plain.find(piece, at)
        if at < 0:
            return -1
        at += len(piece)
    return begin


def holds(text: Optional[str], quote: str) -> Optional[bool]:
    """Whether a text holds a quote; None where there is no text to look at."""
    if text is None:
        return None
    for loose in (False, True):
        readings = layouts.readings(quote, loose=loose)
        plain = "".join(layouts.lines(text, loose=loose))
        if not readings or any(_follow(plain, pieces) >= 0 for pieces in readings):
            return True
    return False


def _places(text: str, quote: str) -> list[int]:
    """The lines on which a quote begins."""
    return _places_in(layouts.lines(text), layouts.readings(quote)) or _places_in(
        layouts.lines(text, loose=True), layouts.readings(quote, loose=True)
    )


def _places_in(lines: list[str], readings: list[list[str]]) -> list[int]:
    ends, length = [], 0
    for line in lines:
        length += len(line)
        ends.append(length)
    plain = "".join(lines)
    found: list[int] = []
    for pieces in readings:
        at = plain.find(pieces[0])
        while at >= 0 and len(found) < 50:
            if _follow(plain[at:], pieces) == 0:
                found.append(next(number for number, end in enumerate(ends, 1) if end > at))
            at = plain.find(pieces[0], at + 1)
    return found


def _in_results(calls: Calls, quote: str, name: str = "") -> bool:
    """Whether a result, or what was written, holds a quote; with a name only of calls that speak of that file."""
    last = name.rstrip("/").rpartition("/")[2]
    for call in calls.calls:
        if (call.failed and not call.command) or (last and last not in f"{call.given} {call.result}"):
            continue
        result = re.sub(r"(?m)^\s*\d+[→\t:|-]", "", call.result)
        if holds(result, quote):
            return True
        given = [call.given.get(key) for key in ("old_string", "new_string", "content")]
        if any(isinstance(each, str) and holds(each, quote) for each in given):
            return True
    return False


def say(item: Item, reason: str, detail: str = "") -> Finding:
    """A finding on what an item names, with its line where it has one."""
    subject = item.subject + (f":{item.first}" if item.first else "")
    return Finding(item.line, item.kind, subject, reason, detail)
