"""Judges declared facts about files: written, changed, removed, moved, and a line or a text in them."""

from __future__ import annotations

import bisect
import itertools
import re

from bg.evidence import named
from bg.evidence.calls import Call, Calls, only_looks, same
from bg.evidence.declared import Item
from bg.evidence.disk import Disk, count
from bg.evidence.finding import SEEN, Finding
from bg.evidence.project import Found, Place
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

NEAR = 5
LEAST, SPAN = 8, 400  # characters: the fewest in all pieces of a quote together, and the span in which these follow
_ELISION = pattern(r"\s*(?:…|\.{3,}|\[…\]|\[\.{3}\])\s*")


def judge(disk: Disk, calls: Calls, item: Item) -> Finding:
    """The finding on a declared file, by the disk and the calls."""
    found = _judged(disk, calls, item)
    if found.grade == SEEN and item.kind != "saw" and disk.launch.shared and not _accounted_for(calls, item.subject):
        return _say(item, "by somebody")
    if found.reason not in ("unreadable", "not comparable") or item.kind == "saw":
        return found
    meant = [*disk.project.place(item.subject).found, *disk.project.elsewhere(item.subject)]
    return found._replace(reason=disk.refused(*meant) or found.reason)


def _accounted_for(calls: Calls, name: str) -> bool:
    """Whether a successful call names this, or a file below it, as written, printed into, removed or moved."""
    plain = _plain(name)
    return any(same(path.rstrip("/"), plain) or f"/{plain}/" in f"/{path}" for path in calls.touched())


def _judged(disk: Disk, calls: Calls, item: Item) -> Finding:
    name = re.sub(r"^\./", "", item.subject)
    if "*" in name or "?" in name:
        return _say(item, "several files", "several")
    place = disk.project.place(name)
    if item.kind == "saw":
        return _judge_quote(disk, calls, item, place, _exact(disk, item.subject, place.found))
    if place.outside:
        return _say(item, "outside")
    if item.kind == "removed":
        return _removed(disk, item, place)
    if item.kind == "moved":
        return _moved(disk, item, place)
    return _written(disk, calls, item, place)


def _exact(disk: Disk, name: str, found: tuple[Found, ...]) -> tuple[Found, ...]:
    """The files at exactly this name, from the agent's folder or the project's; else all that were found."""
    plain = _plain(name)
    for spelled in [plain, *(f"{base}/{plain}" for base in disk.project.bases)]:
        direct = [each for each in found if str(each.path) == spelled]
        if direct:
            return tuple(direct)
    return found


def _plain(name: str) -> str:
    """A name as paths are compared: with forward slashes, and without a leading `./` or a trailing slash."""
    return name.replace("\\", "/").removeprefix("./").rstrip("/")


def _written(disk: Disk, calls: Calls, item: Item, place: Place) -> Finding:
    if not place.found:
        return _say(item, _missing(item.subject, place))
    exact = _exact(disk, item.subject, place.found)
    fresh = _changed(disk, exact, place.found) or _changed(disk, tuple(disk.project.elsewhere(item.subject)))
    if fresh:
        several = len(place.found) > 1 or fresh[0] not in place.found
        return _of_changed(disk, calls, item, fresh, fresh[0].name if several else "")
    files = [each for each in exact if each.regular]
    return _as_it_was(disk, calls, item, files) if files else _folder(disk, item, exact)


def _changed(disk: Disk, *groups: tuple[Found, ...]) -> list[Found]:
    """The changed files of the first group that has any."""
    found = ([each for each in group if each.regular and disk.changed(each)] for group in groups)
    return next(filter(None, found), [])


def _as_it_was(disk: Disk, calls: Calls, item: Item, files: list[Found]) -> Finding:
    """The finding on files that have not changed, or may not have."""
    if len(files) == 1 and item.quote and not _holds_loosely(disk.text(files[0]), item.quote):
        return _say(item, "lacks the text", item.quote)
    if any(disk.changed(each) is None for each in files):
        return _say(item, "not comparable")
    if not calls.known or any(_edited(calls, each) for each in files):
        return _say(item, "equal after an edit")
    if len(files) > 1:
        return _say(item, "several files", str(len(files)))
    return _say(item, "unchanged")


def _missing(name: str, place: Place) -> str:
    """Why a file is not seen; a name that may not be a file's does not count against the report."""
    if not place.certain:
        return "not found in time"
    return "not found" if named.is_file(name) else "never seen"


def _edited(calls: Calls, found: Found) -> bool:
    """Whether an edit of the file succeeded: a file equal to the commit may have been changed and changed back."""
    lines = [call.command for call in calls.shells if not call.failed and not only_looks(call)]
    return calls.wrote(found.name) or any(found.name in line for line in lines)


def _of_changed(disk: Disk, calls: Calls, item: Item, fresh: list[Found], name: str) -> Finding:
    """The finding on changed files; `name` is that of the first, if the report may mean another."""
    if item.quote:
        return _containing(disk, item, fresh, name)
    if all(map(disk.empty, fresh)) and "empty" not in item.remark.lower():
        return _say(item, "not comparable" if _is_printed(calls, fresh[0].name) else "empty", name)
    touched = any(calls.may_have_touched(each.name) for each in fresh)
    return _say(item, "changed" if touched else "by another hand", name)


def _is_printed(calls: Calls, name: str) -> bool:
    """Whether a command's output went into the file; that output may have been empty."""
    into = (each for call in calls.shells for command in call.commands for each in command.into)
    return any(name.endswith(each.rpartition("/")[2]) for each in into)


def _containing(disk: Disk, item: Item, fresh: list[Found], name: str) -> Finding:
    """The finding on changed files that are declared to contain a text."""
    texts = [(each, disk.text(each)) for each in fresh]
    held = next((each for each, text in texts if _holds(text, item.quote)), None)
    if held:
        return _say(item, "contains", held.name if name else "")
    if any(text is None for _, text in texts):
        return _say(item, "unreadable", name)
    loosely = any(_holds_loosely(text, item.quote) for _, text in texts)
    return _say(item, "not word for word", name) if loosely else _say(item, "lacks the text", item.quote)


def _folder(disk: Disk, item: Item, found: tuple[Found, ...]) -> Finding:
    for each in found:
        if each.folder and any(disk.changed(file) for file in disk.project.below(each)[:500]):
            return _say(item, "changed")
    return _say(item, "not comparable")


def _removed(disk: Disk, item: Item, place: Place) -> Finding:
    names = disk.existed(item.subject)
    gone = _gone(disk, names, place)
    if gone == names and names:
        return _say(item, "gone")
    if gone:
        within = names[0].startswith(item.subject.rstrip("/") + "/")
        return _say(item, "still there") if within else _say(item, "gone", gone[0])
    exact = _exact(disk, item.subject, place.found)
    if not exact:
        return _say(item, "never seen" if place.certain else "not found in time")
    if len(exact) > 1 and "/" not in item.subject:
        return _say(item, "several files", str(len(exact)))
    return _say(item, "never seen" if _is_emptied(disk, exact[0], names) else "still there")


def _gone(disk: Disk, names: list[str], place: Place) -> list[str]:
    """Those of the files at launch that are there no more."""
    present = {each.name for each in place.found}
    return [name for name in names if name not in present and not (disk.project.main / name).exists()]


def _is_emptied(disk: Disk, found: Found, names: list[str]) -> bool:
    """Whether a folder has none of the files that it had at launch."""
    return found.folder and not {each.name for each in disk.project.below(found)} & set(names)


def _moved(disk: Disk, item: Item, place: Place) -> Finding:
    old, new = item.subject, item.other
    there = _destination(disk, old, new, place)
    if there.outside:
        return _say(item, "outside", new)
    if not there.found:
        return _say(item, _missing(old if named.is_file(old) else new, there), new)
    names = disk.existed(old)
    stays = _left(disk, old, names, [each for each in place.found if each not in there.found])
    if not stays:
        return _say(item, "moved" if names else "never seen", new)
    certain = "/" in old or len(stays) == 1
    return _say(item, "still there", old) if certain else _say(item, "several files", str(len(stays)))


def _left(disk: Disk, old: str, names: list[str], found: list[Found]) -> list[Found]:
    """The files that are still at the old place of something moved."""
    exact = _exact(disk, old, tuple(found))
    return [each for each in exact if each.name in names or not names]


def _destination(disk: Disk, old: str, new: str, place: Place) -> Place:
    """The new place of something moved: as it is named, beside the old one, or within a folder of that name."""
    there = disk.project.place(new)
    if not there.found and not there.outside and "/" not in new and "/" in old:
        return disk.project.place(old.rpartition("/")[0] + "/" + new)
    if not there.found or any(each.regular for each in [*there.found, *place.found]):
        return there
    within = disk.project.place(f"{new.rstrip('/')}/{old.rstrip('/').rpartition('/')[2]}")
    was_folder = any(name.startswith(old.rstrip("/") + "/") for name in disk.existed(old))
    return within if within.found or not was_folder else there


# A line of a file, or words in it


def _judge_quote(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    """The finding on a line of a file, or on words in it, by the file now or at launch, and by the calls."""
    found = _in_its_texts(disk, calls, item, place, exact)
    refused = disk.refused(*exact) or disk.refused_earlier(*disk.existed(item.subject)[:5])
    if not refused or found.grade == SEEN:
        return found
    return _say(item, "in a result" if item.quote and _shown(calls, item) else refused)


def _in_its_texts(disk: Disk, calls: Calls, item: Item, place: Place, exact: tuple[Found, ...]) -> Finding:
    """The finding on a line or on words, by the texts of a file now and at launch; without texts, by the calls."""
    if place.outside:
        return _say(item, "in a result" if item.quote and _shown(calls, item) else "outside")
    now = list(filter(None, (disk.text(each) for each in exact if each.regular)))
    texts = now + list(filter(None, map(disk.earlier, disk.existed(item.subject)[:5])))
    if not texts:
        return _in_no_text(calls, item, place)
    if item.quote:
        return _words(disk, calls, item, exact, (now, texts))
    long = max(map(count, texts))
    there = 1 <= item.first <= item.last <= long + 1
    return _say(item, "has the line") if there else _say(item, "no such line", str(long))


def _words(
    disk: Disk, calls: Calls, item: Item, exact: tuple[Found, ...], texts: tuple[list[str], list[str]]
) -> Finding:  # fmt: skip
    """The finding on words in a file; `texts` are those that it has now, and those now and at launch together."""
    now, every = texts
    found = _quoted(item, every)
    if found.grade == SEEN:
        still = not now or any(_lines(text, item.quote) for text in now)
        return found if still else _say(item, "stood there")
    if _shown(calls, item, at_line=found.reason != "other words"):
        return _say(item, "in a result")
    if found.reason == "other line" and not _is_settled(disk, calls, item, exact, int(found.detail)):
        return _say(item, "line elsewhere", found.detail)
    return found if calls.known or found.reason != "other words" else _say(item, "calls unknown")


def _is_settled(disk: Disk, calls: Calls, item: Item, exact: tuple[Found, ...], line: int) -> bool:
    """Whether no line of the file has moved during the run, and the named line is far from the quoted one."""
    last = item.subject.rpartition("/")[2]
    touched = any(last in call.command for call in calls.shells) or calls.wrote(last)
    return calls.complete and not touched and abs(line - item.first) > NEAR and disk.any_changed(exact) is False


def _in_no_text(calls: Calls, item: Item, place: Place) -> Finding:
    """The finding on a place in something that is not a text now, nor was one at launch."""
    if place.found:
        return _say(item, "unreadable")
    if _shown(calls, item) if item.quote else any(_of_file(call, item.subject) for call in calls.calls):
        return _say(item, "in a result")
    if not place.certain:
        return _say(item, "not found in time")
    return _say(item, "not found" if calls.complete else "calls unknown")


def _quoted(item: Item, texts: list[str]) -> Finding:
    """The finding on a quote, by the texts that a file has had."""
    places = [place for text in texts for place in _lines(text, item.quote)]
    first = item.first - item.quote.count("\n") - (NEAR if _ELISION.search(item.quote) else 0)
    if any(not item.first or first <= place <= item.last for place in places):
        return _say(item, "quoted")
    long = max(map(count, texts))
    if item.first > long + 1:
        return _say(item, "no such line", str(long))
    if places:
        return _say(item, "other line", str(min(places, key=lambda place: abs(place - item.first))))
    loosely = any(_holds_loosely(text, item.quote) for text in texts)
    return _say(item, "not word for word") if loosely else _say(item, "other words", item.quote)


def _shown(calls: Calls, item: Item, *, at_line: bool = False) -> bool:
    """Whether a call that is about the file showed the quote; with `at_line`, on the lines that the item names."""
    for call in calls.calls:
        shown = _of_file(call, item.subject) if call.answered else []
        if at_line:
            if any(_lines(text, item.quote) for number, text in shown if item.first <= number <= item.last):
                return True
        elif _lines("\n".join(text for _, text in shown), item.quote) or _lines(_given(call, item.subject), item.quote):
            return True
    return False


def _given(call: Call, name: str) -> str:
    """The text that a call wrote into this file or replaced there; empty for another file or a failed call."""
    given = [call.given.get(key) for key in ("old_string", "new_string", "content")]
    own = same(call.path, name) and not call.failed
    return "\n".join(each for each in given if isinstance(each, str)) if own else ""


def _of_file(call: Call, name: str) -> list[tuple[int, str]]:
    """The lines of a file that a result shows, with their numbers, or 0 if it gives none."""
    line = rf"(?:^|.*/){re.escape(name.removeprefix('./'))}[:-]"
    whole = rf"(?:{line})?(?:\s*(\d+)[→\t:-])?(.*)"
    shape = re.compile(whole if _names(call, name) else rf"{line}(?:(\d+)[:-])?(.*)")
    found = filter(None, map(shape.match, call.result.split("\n")))
    return [(int(match[1] or 0), match[2]) for match in found]


def _names(call: Call, name: str) -> bool:
    """Whether a call is about a file as a whole: the call's own path, or a word of its command line, is that file."""
    words = (word for each in call.commands for word in each.words[1:])
    return same(call.path, name) or any(same(word.partition(":")[2] or word, name) for word in words)


def _holds(text: Optional[str], quote: str) -> Optional[bool]:
    """Whether a text holds a quote word for word; None without a text."""
    return None if text is None else bool(_lines(text, quote))


def _holds_loosely(text: Optional[str], quote: str) -> bool:
    """Whether a text has the letters and digits of a quote: then the quote may mean it, and is not doubted."""
    pieces = [piece for piece in (re.sub(r"[\W_]+", "", each).casefold() for each in _ELISION.split(quote)) if piece]
    plain = re.sub(r"[\W_]+", "", text or "").casefold()
    return text is None or all(piece in plain for piece in pieces)


def _lines(text: str, quote: str) -> list[int]:
    """The numbers of the lines on which a quote begins, word for word apart from white space and elisions."""
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


def _pieces(quote: str) -> list[str]:
    """The parts of a quote between its elisions; the whole quote if the parts are too short."""
    pieces = [piece for piece in map(_spaced, _ELISION.split(quote)) if piece]
    short = len(pieces) > 1 and (sum(map(len, pieces)) < LEAST or min(map(len, pieces)) < 3)
    return [_spaced(quote)] if short else pieces


def _spaced(text: str) -> str:
    return " ".join(text.split())


def _follow(whole: str, at: int, pieces: list[str]) -> bool:
    """Whether the pieces follow each other from a place on, within the span."""
    until = at + SPAN + len(pieces[0]) if pieces else 0
    for piece in pieces:
        at = whole.find(piece, at, until + len(piece))
        if at < 0:
            return False
        at += len(piece)
    return True


def _say(item: Item, reason: str, detail: str = "") -> Finding:
    """A finding on an item's subject, with the line number if the item gives one."""
    subject = item.subject + (f":{item.first}" if item.first else "")
    return Finding(item.line, item.kind, subject, reason, detail)
