"""Judges references with a line: the line is there now, was there at launch, or never."""

from __future__ import annotations

from typing import Callable, Optional

from bg.evidence import words
from bg.evidence.disk import Disk, count
from bg.evidence.finding import Finding
from bg.evidence.paths import Mention
from bg.evidence.project import Found
from bg.evidence.reader import Statement

Say = Callable[[str, str, str], list[Finding]]


def at_launch(disk: Disk, mention: Mention, name: str, say: Say) -> list[Finding]:
    """A line of a file that is gone since the launch."""
    text = disk.earlier(name)
    if text is not None and mention.last <= count(text) + 1:
        return say("reference", "verified", f"{name} had this line at launch; the file is gone now.")
    return say("reference", "claimed", f"{name} is gone since the launch.")


def now(
    disk: Disk, mention: Mention, files: tuple[Found, ...], statement: Statement, say: Say, *, hedged: bool
) -> list[Finding]:
    """A line of a file that is there; any of the files that a short path means will do."""
    longest: Optional[int] = 0
    for each in files:
        text = disk.text(each)
        if text is None:
            longest = None
            continue
        if mention.first >= 1 and mention.last <= count(text) + 1:
            return say("reference", "verified", f"{each.name} has this line.")
        longest = max(longest, count(text)) if longest is not None else None
    if longest is None:
        return say("reference", "claimed", f"{files[0].name} could not be read as text.")
    for each in files:
        before = disk.earlier(each.name) if disk.changed(each) else None
        if before is not None and mention.last <= count(before) + 1:
            return say("reference", "claimed", f"{each.name} had this line at launch and has it no more.")
    if hedged or words.ATTRIBUTED.search(statement.text):
        return []
    return say("reference", "refuted", f"{files[0].name} has no line {mention.last}: it ends at line {longest}.")
