"""Judges what is declared of files: written, changed, removed, moved, and what a line or a text in them says."""

from __future__ import annotations

import fnmatch
import re

from bg.evidence import named, quotes
from bg.evidence.calls import Calls, only_looks
from bg.evidence.declared import Item
from bg.evidence.disk import Disk
from bg.evidence.finding import Finding
from bg.evidence.project import Found, Place


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
    if len(files) == 1 and item.quote and not quotes.holds_loosely(disk.text(files[0]), item.quote):
        return quotes.say(item, "lacks the text", item.quote)
    return _as_it_was(disk, calls, item, files)


def _as_it_was(disk: Disk, calls: Calls, item: Item, files: list[Found]) -> Finding:
    """Files that have not changed, or of which that is not known."""
    if any(disk.changed(each) is None for each in files):
        return quotes.say(item, "not comparable")
    if not calls.known or any(_edited(calls, each) for each in files):
        return quotes.say(item, "equal after an edit")
    if len(files) > 1:
        return quotes.say(item, "several files", str(len(files)))
    return quotes.say(item, "unchanged")


def _missing(name: str, place: Place) -> str:
    """Why a file is not seen: a name that may be no file's is held against nobody."""
    if not place.certain:
        return "not found in time"
    return "not found" if named.is_file(name) else "never seen"


def _edited(calls: Calls, found: Found) -> bool:
    """Whether an edit of the file succeeded: equal to the commit, it may have been changed back."""
    lines = [call.command for call in calls.shells if not call.failed and not only_looks(call)]
    return calls.wrote(found.name) or any(found.name in line for line in lines)


def _fresh(disk: Disk, calls: Calls, item: Item, fresh: list[Found], *, several: bool) -> Finding:
    name = fresh[0].name if several else ""
    if item.quote:
        return _containing(disk, item, fresh, several=several)
    if all(disk.empty(each) for each in fresh) and "empty" not in item.remark.lower():
        into = [each for call in calls.shells for command in call.commands for each in command.into]
        printed = any(fresh[0].name.endswith(each.rpartition("/")[2]) for each in into)
        return quotes.say(item, "not comparable" if printed else "empty", name)
    if not any(calls.may_have_touched(each.name) for each in fresh):
        return quotes.say(item, "by another hand", name)
    return quotes.say(item, "changed", name)


def _containing(disk: Disk, item: Item, fresh: list[Found], *, several: bool) -> Finding:
    """Changed files that are said to contain a text."""
    name = fresh[0].name if several else ""
    texts = [(each, disk.text(each)) for each in fresh]
    held = next((each for each, text in texts if quotes.holds(text, item.quote)), None)
    if held:
        return quotes.say(item, "contains", held.name if several else "")
    if any(text is None for _, text in texts):
        return quotes.say(item, "unreadable", name)
    if any(quotes.holds_loosely(text, item.quote) for _, text in texts):
        return quotes.say(item, "not word for word", name)
    return quotes.say(item, "lacks the text", item.quote)


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
    if gone and (len(gone) == len(names) or not all(name.startswith(folder) for name in names)):
        return quotes.say(item, "gone", "" if len(gone) == len(names) else gone[0])
    if gone:
        return quotes.say(item, "still there")
    exact = _exact(disk, item.subject, place.found)
    if not exact:
        return quotes.say(item, "never seen" if place.certain else "not found in time")
    if len(exact) > 1 and "/" not in item.subject:
        return quotes.say(item, "several files", str(len(exact)))
    emptied = exact[0].folder and not any(each.name in set(names) for each in disk.project.below(exact[0]))
    return quotes.say(item, "never seen" if emptied else "still there")


def _moved(disk: Disk, item: Item, place: Place) -> Finding:
    old, new = item.subject, item.other
    there = _destination(disk, old, new, place)
    if there.outside:
        return quotes.say(item, "outside", new)
    if not there.found:
        plain = named.is_file(old) or named.is_file(new) or "/" in new
        return quotes.say(item, "not found" if plain and there.certain else _missing(new, there), new)
    names = disk.existed(old)
    stays = [each for each in _exact(disk, old, place.found) if each.name in names or not names]
    stays = [each for each in stays if all(each.path != other.path for other in there.found)]
    if not stays:
        return quotes.say(item, "moved" if names else "never seen", new)
    certain = "/" in old or len(stays) == 1
    return quotes.say(item, "still there", old) if certain else quotes.say(item, "several files", str(len(stays)))


def _destination(disk: Disk, old: str, new: str, place: Place) -> Place:
    """Where something was moved to: as it is named, beside the old one, or within a folder of that name."""
    there = disk.project.place(new)
    if not there.found and not there.outside and "/" not in new and "/" in old:
        return disk.project.place(old.rpartition("/")[0] + "/" + new)
    folders = any(each.folder for each in there.found)
    if not folders or any(each.regular for each in [*there.found, *place.found]):
        return there
    within = disk.project.place(f"{new.rstrip('/')}/{old.rstrip('/').rpartition('/')[2]}")
    was_folder = any(name.startswith(old.rstrip("/") + "/") for name in disk.existed(old))
    return within if within.found or not was_folder else there
