"""Judges what is declared of files: written, changed, removed, moved, and what a line or a text in them says."""

from __future__ import annotations

import fnmatch
import re

from bg.evidence import shell
from bg.evidence.calls import Calls
from bg.evidence.disk import Disk, count
from bg.evidence.finding import Finding
from bg.evidence.form import Item
from bg.evidence.project import Found, Place
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NEAR = 5
EDITS = {"Edit", "MultiEdit"}
_SIGNS = str.maketrans("“”„«»‘’‚–—\u00a0", '"""""\'\'\'-- ')
_ELISION = pattern(r"\s*(?:\[\s*)?(?:\.{3,}|…)(?:\s*\])?\s*")
_REMARK = pattern(r"\s*(?://|#|--|/\*|<!--|;;)\s.*$")


def judge(disk: Disk, calls: Calls, item: Item) -> Finding:
    """What the disk and the calls say of a declared file."""
    name = re.sub(r"^\./", "", item.subject)
    if "*" in name or "?" in name:
        return _several(disk, item)
    place = disk.project.place(name)
    if item.kind == "saw":
        return _saw(disk, calls, item, place)
    if place.outside:
        return _say(item, "outside")
    if item.kind == "removed":
        return _removed(disk, item, place)
    if item.kind == "moved":
        return _moved(disk, item, place)
    return _written(disk, calls, item, place)


def _say(item: Item, reason: str, detail: str = "") -> Finding:
    subject = item.subject + (f":{item.first}" if item.first else "")
    return Finding(item.line, item.kind, subject, reason, detail)


def _exact(disk: Disk, name: str, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """Those that a name means as it is spelled from the agent's folder or the project's; else all."""
    plain = name.replace("\\", "/").removeprefix("./").rstrip("/")
    for spelled in [plain, *(f"{base}/{plain}" for base in disk.project.bases)]:
        direct = [each for each in found if str(each.path) == spelled]
        if direct:
            return tuple(direct)
    return found


def _written(disk: Disk, calls: Calls, item: Item, place: Place) -> Finding:
    if not place.found:
        return _say(item, "not found" if place.certain else "not found in time")
    exact = _exact(disk, item.subject, place.found)
    for group in (exact, place.found):
        fresh = [each for each in group if each.regular and disk.changed(each)]
        if fresh:
            return _fresh(disk, calls, item, fresh, several=len(place.found) > 1)
    files = [each for each in exact if each.regular]
    if not files:
        return _folder(disk, item, exact)
    if item.quote and any(_holds(disk.text(each), item.quote) is False for each in files) and len(files) == 1:
        return _say(item, "lacks the text", item.quote)
    if any(disk.changed(each) is None for each in files):
        return _say(item, "not comparable")
    if any(_edited(calls, each) for each in files):
        return _say(item, "equal after an edit")
    if len(place.found) > 1 and exact == place.found:
        return _say(item, "several files", str(len(place.found)))
    return _say(item, "unchanged")


def _edited(calls: Calls, found: Found) -> bool:
    """Whether an edit of the file succeeded: equal to the commit, it may have been changed back."""
    if not calls.known or calls.wrote(found.name):
        return True
    lines = [call.command for call in calls.shells if not call.failed]
    return any(found.name in line and not shell.only_reads(line) for line in lines)


def _fresh(disk: Disk, calls: Calls, item: Item, fresh: list[Found], *, several: bool) -> Finding:
    named = fresh[0].name if several else ""
    if item.quote:
        texts = [(each, _holds(disk.text(each), item.quote)) for each in fresh]
        held = next((each for each, holds in texts if holds), None)
        if held:
            return _say(item, "contains", held.name if several else "")
        if any(holds is None for _, holds in texts):
            return _say(item, "unreadable", named)
        return _say(item, "lacks the text", item.quote)
    if all(disk.empty(each) for each in fresh):
        return _say(item, "empty", named)
    if not any(calls.may_have_touched(each.name) for each in fresh):
        return _say(item, "by another hand", named)
    return _say(item, "changed", named)


def _folder(disk: Disk, item: Item, found: tuple[Found, ...]) -> Finding:
    for each in found:
        if each.folder and any(disk.changed(file) for file in disk.project.below(each)[:500]):
            return _say(item, "changed")
    return _say(item, "not comparable")


def _several(disk: Disk, item: Item) -> Finding:
    """A glob: any file that it names."""
    files = disk.project.matching(item.subject)
    if item.kind == "removed":
        gone = [name for name in disk.baseline().files if _matches(name, item.subject)]
        return _say(item, "gone" if gone and not files else "not comparable")
    if any(disk.changed(each) for each in files):
        return _say(item, "changed")
    if not files and disk.project.complete:
        return _say(item, "not found")
    return _say(item, "not comparable")


def _matches(name: str, glob: str) -> bool:
    return fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name, f"*/{glob}")


def _removed(disk: Disk, item: Item, place: Place) -> Finding:
    names = disk.existed(item.subject)
    present = {each.name for each in place.found}
    gone = [name for name in names if name not in present and not (disk.project.main / name).exists()]
    if gone and len(gone) == len(names):
        return _say(item, "gone")
    exact = _exact(disk, item.subject, place.found)
    if not exact:
        return _say(item, "gone" if gone else "never seen" if place.certain else "not found in time")
    if gone:
        return _say(item, "gone", gone[0])
    if len(exact) > 1 and "/" not in item.subject:
        return _say(item, "several files", str(len(exact)))
    if exact[0].folder and not exact[0].regular:
        below = [each for each in disk.project.below(exact[0]) if each.name in set(names)]
        return _say(item, "still there" if below else "never seen")
    return _say(item, "still there")


def _moved(disk: Disk, item: Item, place: Place) -> Finding:
    old, new = item.subject, item.other
    there = disk.project.place(new)
    if there.outside:
        return _say(item, "outside", new)
    if not there.found and "/" not in new and "/" in old:
        there = disk.project.place(old.rpartition("/")[0] + "/" + new)
    folders = [each for each in there.found if each.folder]
    if folders and not any(each.regular for each in [*there.found, *place.found]):
        within = disk.project.place(f"{new.rstrip('/')}/{old.rstrip('/').rpartition('/')[2]}")
        was_folder = any(name.startswith(old.rstrip("/") + "/") for name in disk.existed(old))
        there = within if within.found or not was_folder else there
    if not there.found:
        return _say(item, "not found" if there.certain else "not found in time", new)
    names = disk.existed(old)
    stays = [each for each in _exact(disk, old, place.found) if each.name in names or not names]
    stays = [each for each in stays if all(each.path != other.path for other in there.found)]
    if stays and ("/" in old or len(stays) == 1):
        return _say(item, "still there", old)
    if stays:
        return _say(item, "several files", str(len(stays)))
    return _say(item, "moved" if names else "never seen", new)


def _saw(disk: Disk, calls: Calls, item: Item, place: Place) -> Finding:
    if place.outside:
        return _say(item, "in a result" if item.quote and _in_results(calls, item.quote) else "outside")
    exact = _exact(disk, item.subject, place.found)
    texts = [text for each in exact if each.regular for text in [disk.text(each)] if text is not None]
    texts += [text for name in disk.existed(item.subject)[:5] for text in [disk.earlier(name)] if text is not None]
    if not texts:
        return _unread(calls, item, place)
    if not item.quote:
        if any(item.first >= 1 and item.last <= count(text) + 1 for text in texts):
            return _say(item, "has the line")
        longest = max(map(count, texts))
        return _say(item, "no such line", str(longest))
    return _quoted(calls, item, texts)


def _unread(calls: Calls, item: Item, place: Place) -> Finding:
    """A place in something that is no text now, nor was one at launch."""
    if place.found:
        return _say(item, "unreadable")
    if calls.said(item.subject) or (item.quote and _in_results(calls, item.quote)):
        return _say(item, "in a result")
    if not place.certain:
        return _say(item, "not found in time")
    return _say(item, "not found" if calls.known and not calls.hidden else "calls unknown")


def _quoted(calls: Calls, item: Item, texts: list[str]) -> Finding:
    """A quote, in the file now, at launch, or in what a tool returned meanwhile."""
    places = [place for text in texts for place in _places(text, item.quote)]
    if any(not item.first or -NEAR <= place - item.first <= item.last - item.first + NEAR for place in places):
        return _say(item, "quoted")
    if places:
        return _say(item, "line elsewhere", str(min(places, key=lambda place: abs(place - item.first))))
    if _in_results(calls, item.quote):
        return _say(item, "in a result")
    if not calls.known:
        return _say(item, "calls unknown")
    if item.first and all(item.first > count(text) + 1 for text in texts):
        return _say(item, "no such line", str(max(map(count, texts))))
    return _say(item, "other words", item.quote)


def _plain(text: str) -> str:
    """A text whose white space and signs of quotation do not matter."""
    return re.sub(r"\s+", "", text.translate(_SIGNS).replace("`", "")).lower()


def _pieces(quote: str) -> list[str]:
    return [piece for piece in map(_plain, _ELISION.split(quote)) if piece]


def _variants(quote: str) -> list[list[str]]:
    """A quote as it stands, and without a comment that was added to it."""
    found = [_pieces(quote)]
    bare = _REMARK.sub("", quote)
    if len(bare.strip()) >= 4 and bare != quote:
        found.append(_pieces(bare))
    if "\\n" in quote:
        found.append(_pieces(quote.replace("\\n", "\n")))
    return [each for each in found if each]


def _follow(plain: str, pieces: list[str]) -> int:
    """Where the first of some pieces stands that follow each other in a text, -1 where they do not."""
    begin = at = plain.find(pieces[0])
    for piece in pieces:
        at = plain.find(piece, at)
        if at < 0:
            return -1
        at += len(piece)
    return begin


def _holds(text: Optional[str], quote: str) -> Optional[bool]:
    """Whether a text holds a quote; None where there is no text to look at."""
    if text is None:
        return None
    plain = _plain(text)
    return any(_follow(plain, pieces) >= 0 for pieces in _variants(quote)) or not _variants(quote)


def _places(text: str, quote: str) -> list[int]:
    """The lines on which a quote begins."""
    lines = [_plain(line) for line in text.splitlines()]
    ends, length = [], 0
    for line in lines:
        length += len(line)
        ends.append(length)
    plain = "".join(lines)
    found: list[int] = []
    for pieces in _variants(quote):
        at = plain.find(pieces[0])
        while at >= 0 and len(found) < 50:
            if _follow(plain[at:], pieces) == 0:
                found.append(next(number for number, end in enumerate(ends, 1) if end > at))
            at = plain.find(pieces[0], at + 1)
    return found


def _in_results(calls: Calls, quote: str) -> bool:
    for call in calls.calls:
        if call.failed and not call.command:
            continue
        result = re.sub(r"(?m)^\s*\d+[→\t:|-]", "", call.result)
        if _holds(result, quote):
            return True
        given = [call.given.get(key) for key in ("old_string", "new_string", "content")]
        if any(isinstance(each, str) and _holds(each, quote) for each in given):
            return True
    return False
