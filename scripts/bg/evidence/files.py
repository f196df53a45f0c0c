"""Judges what is declared of files: written, changed, removed, moved, and what a line or a text in them says."""

from __future__ import annotations

import fnmatch
import re

from bg.evidence import named, purposes, quotes, remarks
from bg.evidence.calls import WRITING, Calls
from bg.evidence.calls import same as calls_same
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding, short
from bg.evidence.form import Item
from bg.evidence.project import Found, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

EDITS = {"Edit", "MultiEdit"}


def judge(disk: Disk, calls: Calls, item: Item) -> Finding:
    """What the disk and the calls say of a declared file."""
    found = _judged(disk, calls, item)
    if found.reason not in ("unreadable", "not comparable") or item.kind == "saw":
        return found
    meant = [*disk.project.place(item.subject).found, *disk.project.elsewhere(item.subject)]
    return found._replace(reason=disk.refused(*meant) or found.reason)


def _judged(disk: Disk, calls: Calls, item: Item) -> Finding:
    name = re.sub(r"^\./", "", item.subject)
    if "*" in name or "?" in name:
        return _several(disk, item)
    place = disk.project.place(name)
    if item.kind == "saw":
        return quotes.judge(disk, calls, item, place, _exact(disk, item.subject, place.found))
    if place.outside:
        return quotes.say(item, "outside")
    if item.kind == "removed":
        return _removed(disk, item, place)
    if item.kind == "moved":
        return _moved(disk, item, place)
    return _written(disk, calls, item, place)


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
        return quotes.say(item, _missing(item.subject, place))
    exact = _exact(disk, item.subject, place.found)
    for group in (exact, place.found, tuple(disk.project.elsewhere(item.subject))):
        fresh = [each for each in group if each.regular and disk.changed(each)]
        if fresh:
            return _fresh(disk, calls, item, fresh, several=len(place.found) > 1 or fresh[0] not in place.found)
    files = [each for each in exact if each.regular]
    if not files:
        return _folder(disk, item, exact)
    if item.quote and any(quotes.holds(disk.text(each), item.quote) is False for each in files) and len(files) == 1:
        return quotes.say(item, "lacks the text", item.quote)
    if any(disk.changed(each) is None for each in files):
        return quotes.say(item, "not comparable")
    if any(_edited(calls, each) for each in files):
        undone = _undone(calls, item, files[0]) if len(files) == 1 else ""
        if undone:
            return quotes.say(item, "taken back", undone)
        vain = len(files) == 1 and calls.known and not calls.hidden and _in_vain(disk, calls, files[0])
        return quotes.say(item, "unchanged" if vain else "equal after an edit")
    if len(place.found) > 1 and exact == place.found:
        return quotes.say(item, "several files", str(len(place.found)))
    return quotes.say(item, "unchanged")


def _missing(name: str, place: Place) -> str:
    """Why a file is not seen: a name that may be no file's is held against nobody."""
    if not place.certain:
        return "not found in time"
    return "not found" if named.is_file(name) else "never seen"


def _edited(calls: Calls, found: Found) -> bool:
    """Whether an edit of the file succeeded: equal to the commit, it may have been changed back."""
    if not calls.known or calls.wrote(found.name):
        return True
    lines = [call.command for call in calls.shells if not call.failed]
    return any(found.name in line and not purposes.only_reads(line) for line in lines)


def _undone(calls: Calls, item: Item, found: Found) -> str:
    """The call of git that took the last edit of a file back, unless the line says so itself."""
    if remarks.TAKEN_BACK.search(item.remark) or not calls.known:
        return ""
    undone = ""
    edited = False
    for call in calls.calls:
        if call.failed or not call.answered:
            continue
        if call.name in EDITS and calls_same(call.path, found.name):
            edited, undone = True, ""
        elif found.name.rpartition("/")[2] in call.command and not purposes.only_reads(call.command):
            takes = [part for part in call.parts if part.program == "git" and part.verb in ("checkout", "restore")]
            undone = short(call.command, 60) if takes and edited and len(call.parts) - len(takes) <= 1 else ""
            edited = edited and bool(undone)
        elif any(part.program == "git" for part in call.parts) and not purposes.only_reads(call.command):
            edited = False  # a stash or a reset: what became of it is not followed
    return undone


def _in_vain(disk: Disk, calls: Calls, found: Found) -> bool:
    """Whether each call that wrote a file left it as it was read whole before: then nothing has changed."""
    text, read = disk.text(found), False
    for call in calls.calls:
        if call.failed or not call.answered:
            continue
        if call.name == "Read" and calls_same(call.path, found.name) and not {"offset", "limit"} & set(call.given):
            read = read or _same_text(re.sub(r"(?m)^\s*\d+[→\t]", "", call.result), text)
        elif call.name in EDITS or (call.name in WRITING and calls_same(call.path, found.name)):
            if calls_same(call.path, found.name) and not (read and _same_text(call.given.get("content"), text)):
                return False
        elif found.name.rpartition("/")[2] in call.command and not purposes.only_reads(call.command) and not read:
            return False
    return read


def _same_text(one: object, other: Optional[str]) -> bool:
    return isinstance(one, str) and other is not None and one.rstrip("\n") == other.rstrip("\n")


def _fresh(disk: Disk, calls: Calls, item: Item, fresh: list[Found], *, several: bool) -> Finding:
    named = fresh[0].name if several else ""
    if item.quote:
        texts = [(each, quotes.holds(disk.text(each), item.quote)) for each in fresh]
        held = next((each for each, holds in texts if holds), None)
        if held:
            return quotes.say(item, "contains", held.name if several else "")
        if any(holds is None for _, holds in texts):
            return quotes.say(item, "unreadable", named)
        if any(quotes.holds((disk.text(each) or "").lower(), item.quote.lower()) for each in fresh):
            return quotes.say(item, "other case", named)
        return quotes.say(item, "lacks the text", item.quote)
    if all(disk.empty(each) for each in fresh) and not remarks.EMPTY.search(item.remark):
        last = fresh[0].name.rpartition("/")[2]
        printed = any(last in name for call in calls.shells for name in purposes.written(call.command))
        return quotes.say(item, "not comparable" if printed else "empty", named)
    if not any(calls.may_have_touched(each.name) for each in fresh):
        return quotes.say(item, "by another hand", named)
    return quotes.say(item, "changed", named)


def _folder(disk: Disk, item: Item, found: tuple[Found, ...]) -> Finding:
    for each in found:
        if each.folder and any(disk.changed(file) for file in disk.project.below(each)[:500]):
            return quotes.say(item, "changed")
    return quotes.say(item, "not comparable")


def _several(disk: Disk, item: Item) -> Finding:
    """A glob: any file that it names."""
    files = disk.project.matching(item.subject)
    if item.kind == "removed":
        gone = [name for name in disk.baseline().files if _matches(name, item.subject)]
        return quotes.say(item, "gone" if gone and not files else "not comparable")
    if any(disk.changed(each) for each in files):
        return quotes.say(item, "changed")
    if not files and disk.project.complete:
        return quotes.say(item, "not found")
    return quotes.say(item, "not comparable")


def _matches(name: str, glob: str) -> bool:
    return fnmatch.fnmatchcase(name, glob) or fnmatch.fnmatchcase(name, f"*/{glob}")


def _removed(disk: Disk, item: Item, place: Place) -> Finding:
    names = disk.existed(item.subject)
    present = {each.name for each in place.found}
    gone = [name for name in names if name not in present and not (disk.project.main / name).exists()]
    folder = item.subject.rstrip("/") + "/"
    if gone and len(gone) < len(names) and all(name.startswith(folder) for name in names):
        return quotes.say(item, "still there")
    if gone and len(gone) == len(names):
        return quotes.say(item, "gone")
    exact = _exact(disk, item.subject, place.found)
    if not exact:
        return quotes.say(item, "gone" if gone else "never seen" if place.certain else "not found in time")
    if gone:
        return quotes.say(item, "gone", gone[0])
    if len(exact) > 1 and "/" not in item.subject:
        return quotes.say(item, "several files", str(len(exact)))
    if exact[0].folder and not exact[0].regular:
        below = [each for each in disk.project.below(exact[0]) if each.name in set(names)]
        return quotes.say(item, "still there" if below else "never seen")
    return quotes.say(item, "still there")


def _moved(disk: Disk, item: Item, place: Place) -> Finding:
    old, new = item.subject, item.other
    there = disk.project.place(new)
    if there.outside:
        return quotes.say(item, "outside", new)
    if not there.found and "/" not in new and "/" in old:
        there = disk.project.place(old.rpartition("/")[0] + "/" + new)
    folders = [each for each in there.found if each.folder]
    if folders and not any(each.regular for each in [*there.found, *place.found]):
        within = disk.project.place(f"{new.rstrip('/')}/{old.rstrip('/').rpartition('/')[2]}")
        was_folder = any(name.startswith(old.rstrip("/") + "/") for name in disk.existed(old))
        there = within if within.found or not was_folder else there
    if not there.found:
        plain = named.is_file(old) or named.is_file(new) or "/" in new
        return quotes.say(item, _missing(new, there) if not plain or not there.certain else "not found", new)
    names = disk.existed(old)
    stays = [each for each in _exact(disk, old, place.found) if each.name in names or not names]
    stays = [each for each in stays if all(each.path != other.path for other in there.found)]
    if stays and ("/" in old or len(stays) == 1):
        return quotes.say(item, "still there", old)
    if stays:
        return quotes.say(item, "several files", str(len(stays)))
    return quotes.say(item, "moved" if names else "never seen", new)
