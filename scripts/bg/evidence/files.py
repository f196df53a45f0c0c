"""Judges what is declared of files: written, changed, removed, moved, and what a line or a text in them says."""

from __future__ import annotations

import re

from bg.evidence import named, quotes
from bg.evidence.calls import WRITING, Calls, only_looks, same
from bg.evidence.declared import Item
from bg.evidence.disk import Disk
from bg.evidence.finding import SEEN, Finding
from bg.evidence.project import Found, Place

_MOVES = ("rm", "mv")
_GIT_MOVES = (("git", "rm"), ("git", "mv"))


def judge(disk: Disk, calls: Calls, item: Item) -> Finding:
    """What the disk and the calls say of a declared file."""
    found = _judged(disk, calls, item)
    if found.grade == SEEN and item.kind != "saw" and disk.launch.shared and not _accounted_for(calls, item.subject):
        return quotes.say(item, "by somebody")
    if found.reason not in ("unreadable", "not comparable") or item.kind == "saw":
        return found
    meant = [*disk.project.place(item.subject).found, *disk.project.elsewhere(item.subject)]
    return found._replace(reason=disk.refused(*meant) or found.reason)


def _accounted_for(calls: Calls, name: str) -> bool:
    """Whether a call that succeeded says itself that it wrote, printed into, removed or moved this, or a file below."""
    plain = name.replace("\\", "/").removeprefix("./").rstrip("/")
    commands = [command for call in calls.shells if not call.failed for command in call.commands]
    gone = [word for command in commands if command.program in _MOVES or command.words[:2] in _GIT_MOVES
            for word in command.words[1:]]  # fmt: skip
    made = [call.path for call in calls.calls if call.name in WRITING and not call.failed]
    touched = [*made, *gone, *(name for command in commands for name in command.into)]
    return any(same(path.rstrip("/"), plain) or f"/{plain}/" in f"/{path}" for path in touched)


def _judged(disk: Disk, calls: Calls, item: Item) -> Finding:
    name = re.sub(r"^\./", "", item.subject)
    if "*" in name or "?" in name:
        return quotes.say(item, "several files", "several")
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
    fresh = _changed(disk, exact, place.found) or _changed(disk, tuple(disk.project.elsewhere(item.subject)))
    if fresh:
        several = len(place.found) > 1 or fresh[0] not in place.found
        return _fresh(disk, calls, item, fresh, fresh[0].name if several else "")
    files = [each for each in exact if each.regular]
    return _as_it_was(disk, calls, item, files) if files else _folder(disk, item, exact)


def _changed(disk: Disk, *groups: tuple[Found, ...]) -> list[Found]:
    """The changed files of the first group that has any."""
    found = ([each for each in group if each.regular and disk.changed(each)] for group in groups)
    return next(filter(None, found), [])


def _as_it_was(disk: Disk, calls: Calls, item: Item, files: list[Found]) -> Finding:
    """Files that have not changed, or of which that is not known."""
    if len(files) == 1 and item.quote and not quotes.holds_loosely(disk.text(files[0]), item.quote):
        return quotes.say(item, "lacks the text", item.quote)
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


def _fresh(disk: Disk, calls: Calls, item: Item, fresh: list[Found], name: str) -> Finding:
    """Changed files; the first is named where it is not certain that it is the one meant."""
    if item.quote:
        return _containing(disk, item, fresh, name)
    if all(map(disk.empty, fresh)) and "empty" not in item.remark.lower():
        return quotes.say(item, "not comparable" if _is_printed(calls, fresh[0].name) else "empty", name)
    touched = any(calls.may_have_touched(each.name) for each in fresh)
    return quotes.say(item, "changed" if touched else "by another hand", name)


def _is_printed(calls: Calls, name: str) -> bool:
    """Whether a command printed into a file, which may be nothing."""
    into = (each for call in calls.shells for command in call.commands for each in command.into)
    return any(name.endswith(each.rpartition("/")[2]) for each in into)


def _containing(disk: Disk, item: Item, fresh: list[Found], name: str) -> Finding:
    """Changed files that are said to contain a text."""
    texts = [(each, disk.text(each)) for each in fresh]
    held = next((each for each, text in texts if quotes.holds(text, item.quote)), None)
    if held:
        return quotes.say(item, "contains", held.name if name else "")
    if any(text is None for _, text in texts):
        return quotes.say(item, "unreadable", name)
    loosely = any(quotes.holds_loosely(text, item.quote) for _, text in texts)
    return quotes.say(item, "not word for word", name) if loosely else quotes.say(item, "lacks the text", item.quote)


def _folder(disk: Disk, item: Item, found: tuple[Found, ...]) -> Finding:
    for each in found:
        if each.folder and any(disk.changed(file) for file in disk.project.below(each)[:500]):
            return quotes.say(item, "changed")
    return quotes.say(item, "not comparable")


def _removed(disk: Disk, item: Item, place: Place) -> Finding:
    names = disk.existed(item.subject)
    gone = _gone(disk, names, place)
    if gone == names and names:
        return quotes.say(item, "gone")
    if gone:
        within = names[0].startswith(item.subject.rstrip("/") + "/")
        return quotes.say(item, "still there") if within else quotes.say(item, "gone", gone[0])
    exact = _exact(disk, item.subject, place.found)
    if not exact:
        return quotes.say(item, "never seen" if place.certain else "not found in time")
    if len(exact) > 1 and "/" not in item.subject:
        return quotes.say(item, "several files", str(len(exact)))
    return quotes.say(item, "never seen" if _is_emptied(disk, exact[0], names) else "still there")


def _gone(disk: Disk, names: list[str], place: Place) -> list[str]:
    """Which of the files that were there at launch are there no more."""
    present = {each.name for each in place.found}
    return [name for name in names if name not in present and not (disk.project.main / name).exists()]


def _is_emptied(disk: Disk, found: Found, names: list[str]) -> bool:
    """Whether a folder has none of the files that it had."""
    return found.folder and not {each.name for each in disk.project.below(found)} & set(names)


def _moved(disk: Disk, item: Item, place: Place) -> Finding:
    old, new = item.subject, item.other
    there = _destination(disk, old, new, place)
    if there.outside:
        return quotes.say(item, "outside", new)
    if not there.found:
        return quotes.say(item, _missing(old if named.is_file(old) else new, there), new)
    names = disk.existed(old)
    stays = _left(disk, old, names, [each for each in place.found if each not in there.found])
    if not stays:
        return quotes.say(item, "moved" if names else "never seen", new)
    certain = "/" in old or len(stays) == 1
    return quotes.say(item, "still there", old) if certain else quotes.say(item, "several files", str(len(stays)))


def _left(disk: Disk, old: str, names: list[str], found: list[Found]) -> list[Found]:
    """What is still where something was moved from."""
    exact = _exact(disk, old, tuple(found))
    return [each for each in exact if each.name in names or not names]


def _destination(disk: Disk, old: str, new: str, place: Place) -> Place:
    """Where something was moved to: as it is named, beside the old one, or within a folder of that name."""
    there = disk.project.place(new)
    if not there.found and not there.outside and "/" not in new and "/" in old:
        return disk.project.place(old.rpartition("/")[0] + "/" + new)
    if not there.found or any(each.regular for each in [*there.found, *place.found]):
        return there
    within = disk.project.place(f"{new.rstrip('/')}/{old.rstrip('/').rpartition('/')[2]}")
    was_folder = any(name.startswith(old.rstrip("/") + "/") for name in disk.existed(old))
    return within if within.found or not was_folder else there
