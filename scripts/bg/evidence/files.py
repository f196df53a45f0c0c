"""Judges what a report says of files: made, changed, removed, renamed, counted, or pointed at with a line."""

from __future__ import annotations

import os
import re
import stat
import tempfile
from pathlib import Path
from typing import Optional

from bg.evidence import words
from bg.evidence.calls import WRITING, Calls
from bg.evidence.disk import Disk, count
from bg.evidence.finding import Finding, short
from bg.evidence.paths import Mention, globbed, lines_of, spread
from bg.evidence.project import Found
from bg.evidence.reader import Statement
from bg.evidence.stance import Stance

KINDS = {
    "made": "deliverable",
    "listed": "deliverable",
    "present": "deliverable",
    "named": "deliverable",
    "removed": "deliverable",
    "changed": "wrote",
    "state": "wrote",
    "kept": "work",
}


class Files:
    """The judge of one report's files."""

    def __init__(self, disk: Disk, calls: Calls, brief: str, goal: str, report: str, *, failed: bool) -> None:
        self._disk = disk
        self._calls = calls
        self._brief = brief
        self._reverted = bool(words.REVERTED.search(report))
        self._gone = bool(words.REMOVED.search(report) or words.RENAMED.search(report))
        self._failed = failed
        self._success = (
            not failed
            and bool(words.CHANGED.search(report) or words.MADE.search(report))
            and not words.DENIED.search(report)
        )
        self._reading = not goal.strip() or bool(words.READING.match(goal))
        self._asked_words = {word.lower() for word in re.findall(r"[^\W\d_]{5,}", brief)}

    def judge(self, mention: Mention, stance: Stance, statement: Statement, words_said: str) -> list[Finding]:
        """The findings on one mention; none where it claims nothing that can be looked at."""
        self._claim, self._said = short(words_said), statement
        self._subject = lines_of(mention.path, mention.first, mention.last)
        if globbed(mention.path):
            return self._several(mention, stance)
        place = self._disk.project.place(mention.path)
        if place.outside:
            return self._outside(mention, stance)
        if not place.found:
            return self._missing(mention, stance, certain=place.certain)
        return self._there(mention, stance, place.found)

    def _say(self, kind: str, grade: str, reason: str, subject: str = "") -> list[Finding]:
        return [Finding(self._claim, kind, subject or self._subject, grade, reason)]

    def _must_be(self, mention: Mention, stance: Stance) -> bool:
        """Whether the words leave no doubt that the file must be there."""
        if stance.kind == "listed":
            return stance.level == 2 and not self._failed
        if stance.kind == "named":
            return self._asked(mention) and not self._failed
        if stance.kind not in {"made", "changed", "present"} or stance.level == 2:
            return stance.kind in {"made", "changed", "present"}
        if self._asked(mention):
            return stance.kind != "present" or stance.level == 1
        if stance.level == 1:
            return bool(self._asked_words & {word.lower() for word in re.findall(r"[^\W\d_]{5,}", stance.clause)}) or (
                stance.headed and not self._reading
            )
        return stance.own and stance.kind != "present" and not self._calls.may_have_written()

    def _must_differ(self, mention: Mention, stance: Stance, files: tuple[Found, ...]) -> bool:
        """Whether the words leave no doubt that the agent changed the file."""
        edited = [each.name for each in files if self._calls.wrote(each.name)]
        thrown_away = bool(edited) and self._calls.undone()
        edits = {"Edit", "MultiEdit"}
        stands = (
            any(
                call.name in edits and not call.failed and call.path.endswith(tuple(edited))
                for call in self._calls.calls
            )
            if edited
            else False
        )
        if (
            self._reading
            and not self._calls.may_have_written()
            and stance.kind != "listed"
            and not words.FIRST_PERSON.search(self._said.text)
        ):
            return False
        if self._reverted or self._said.kind == "fence" or (stands and not thrown_away):
            return False
        if thrown_away:
            return stance.kind in {"made", "changed", "listed", "state"}
        if stance.kind == "listed":
            return stance.level == 2 and not self._failed
        if stance.level == 2:
            return not stance.headed or not self._reading or self._calls.may_have_written()
        if stance.level == 1 and self._asked(mention):
            return True
        return stance.own and not self._reading and not self._calls.may_have_written()

    def _in_vain(self, mention: Mention, files: tuple[Found, ...]) -> bool:
        """Whether a file of the order, in a report of success, was written to without any success."""
        tried = [
            call
            for call in self._calls.calls
            if call.name in WRITING and any(call.path.endswith(each.name) for each in files)
        ]
        return (
            bool(tried)
            and all(call.failed for call in tried)
            and self._asked(mention)
            and self._success
            and not self._calls.may_have_written()
        )

    def _asked(self, mention: Mention) -> bool:
        """Whether the launch names this path."""
        plain = re.sub(r"^\./", "", mention.path.replace("\\", "/"))
        return len(plain) > 3 and plain in self._brief.replace("\\", "/")

    def _outside(self, mention: Mention, stance: Stance) -> list[Finding]:
        path = Path(os.path.expanduser(mention.path))  # noqa: PTH111  as the report spells it
        if mention.path in self._brief or str(path) in self._brief:
            return self._asked_for(path)
        scratch = path.parent == Path(tempfile.gettempdir()) and self._said.field != "deliverables"
        if (
            stance.level == 2
            and stance.kind in {"made", "changed", "listed"}
            and self._said.kind != "fence"
            and not scratch
        ):
            return self._say(
                "deliverable", "refuted", f"{self._subject} lies outside the project, and nobody asked for it there."
            )
        return self._say("reference", "claimed", f"{self._subject} lies outside the project and was not looked at.")

    def _asked_for(self, path: Path) -> list[Finding]:
        try:
            about = path.lstat()
        except (OSError, ValueError):
            return self._say(
                "deliverable",
                "claimed",
                f"{self._subject} is outside the project, where it was asked for; nothing was seen there.",
            )
        if not stat.S_ISREG(about.st_mode) or not about.st_size:
            return self._say(
                "deliverable",
                "claimed",
                f"{self._subject} is outside the project, where it was asked for; it was not read.",
            )
        if about.st_mtime < self._disk.launch.at - 5:
            return self._say("deliverable", "claimed", f"{self._subject} was there before the launch.")
        return self._say(
            "deliverable", "verified", f"{self._subject} is where it was asked for, new since the launch and not empty."
        )

    def _missing(self, mention: Mention, stance: Stance, *, certain: bool) -> list[Finding]:
        before = self._disk.existed(mention.path)
        strong = self._must_be(mention, stance)
        if stance.kind == "removed" and stance.level == 2:
            grade, why = (
                ("verified", "was there at launch and is gone")
                if before
                else ("claimed", "is not there; whether it ever was cannot be told")
            )
            return self._say("deliverable", grade, f"{mention.path} {why}.")
        if before and not (strong and not self._gone):
            return self._line_at_launch(mention, before[0]) if mention.first else []
        if not certain:
            return (
                self._say("reference", "claimed", f"{mention.path} was not found, but not every folder was looked at.")
                if strong
                else []
            )
        if strong and self._said.kind != "fence":
            kind = "wrote" if stance.kind == "changed" else "deliverable"
            return self._say(kind, "refuted", f"{mention.path} does not exist in the project.")
        if mention.first and stance.kind not in {"plan", "kept", "denied"} and self._said.kind != "fence":
            named = mention.marked or "/" in mention.path
            if (
                named
                and not self._calls.said(mention.path)
                and not words.FORMERLY.search(stance.clause)
                and not words.ATTRIBUTED.search(self._said.text)
            ):
                return self._say("reference", "refuted", f"{mention.path} does not exist in the project.")
            return self._say("reference", "claimed", f"{mention.path} is not in the project.")
        if stance.kind in {"made", "changed", "removed"}:
            return self._say(
                KINDS[stance.kind],
                "claimed",
                f"{mention.path} does not exist, but the words do not say clearly that it must.",
            )
        return []

    def _line_at_launch(self, mention: Mention, name: str) -> list[Finding]:
        text = self._disk.earlier(name)
        if text is not None and mention.last <= count(text) + 1:
            return self._say("reference", "verified", f"{name} had this line at launch; the file is gone now.")
        return self._say("reference", "claimed", f"{name} is gone since the launch.")

    def _there(self, mention: Mention, stance: Stance, found: tuple[Found, ...]) -> list[Finding]:
        files = tuple(each for each in found if each.regular)
        if not files:
            folders = [each for each in found if each.folder]
            return (
                self._folder(mention, stance, folders[0])
                if folders
                else self._say("reference", "claimed", f"{mention.path} is not a regular file and was not opened.")
            )
        lines = self._lines(mention, files, hedged=stance.kind in {"plan", "kept"}) if mention.first else []
        if self._said.kind == "fence" and lines:
            return lines
        if stance.kind in {"plan", "denied"}:
            return lines or self._in_passing(files)
        if stance.kind == "removed" and stance.level == 2:
            return self._still_there(mention, files)
        changed = self._disk.any_changed(files)
        fresh = tuple(each for each in files if self._disk.changed(each)) if changed else ()
        kind = KINDS.get(stance.kind, "reference")
        if stance.kind == "kept":
            grade, why = (
                ("verified", "is as it was at launch")
                if changed is False
                else ("claimed", "cannot be compared with the launch")
            )
            return lines or self._say(kind, grade if changed is not True else "claimed", f"{mention.path} {why}.")
        if fresh:
            return lines + self._fresh(mention, stance, fresh, kind)
        if changed is False and stance.kind in {"made", "changed", "listed"}:
            return lines + self._unchanged(mention, stance, files, kind)
        if changed is False and stance.kind == "state" and self._must_differ(mention, stance, files):
            return lines + self._unchanged(mention, stance, files, kind)
        if changed is None and stance.kind in {"made", "changed", "listed"}:
            grade = "attested" if any(self._calls.wrote(each.name) for each in files) else "claimed"
            return lines + self._say(
                kind, grade, f"{mention.path} is there; whether it changed since the launch cannot be seen on disk."
            )
        if changed is False and self._in_vain(mention, files):
            return self._say(
                "wrote",
                "refuted",
                f"{files[0].name} is as it was at launch, and each attempt to write it failed.",
                mention.path,
            )
        return lines or self._say("reference", "verified", f"{files[0].name} is there.")

    def _in_passing(self, files: tuple[Found, ...]) -> list[Finding]:
        """A file that a hedged clause names: worth a word only where it is plainly the agent's."""
        fresh = [
            each
            for each in files
            if self._disk.changed(each) and not self._disk.empty(each) and not self._disk.fault(each)
        ]
        return (
            self._say("reference", "verified", f"{fresh[0].name} is new or changed since the launch and not empty.")
            if fresh
            else []
        )

    def _fresh(self, mention: Mention, stance: Stance, files: tuple[Found, ...], kind: str) -> list[Finding]:
        """Files that are new or different: they should hold something, parse, and be the agent's work."""
        said = f"{stance.clause} {self._said.text}"
        if all(self._disk.empty(each) for each in files):
            grade = (
                "claimed"
                if words.EMPTY_SAID.search(said) or (stance.kind == "neutral" and stance.clause == "")
                else "refuted"
            )
            return self._say(kind, grade, f"{files[0].name} is empty.", mention.path)
        for each in files:
            wrong = self._disk.fault(each)
            if wrong and not words.BROKEN_SAID.search(said):
                return self._say(
                    "deliverable" if kind == "reference" else kind,
                    "refuted",
                    f"{each.name} does not parse: {wrong}.",
                    mention.path,
                )
        mine = stance.kind in {"made", "changed"} and stance.level == 2
        if mine and not any(self._calls.may_have_touched(each.name) for each in files):
            return self._say(
                kind,
                "refuted",
                f"{files[0].name} changed since the launch, but no call of the agent touched it.",
                mention.path,
            )
        return self._say(
            kind, "verified", f"{files[0].name} is new or changed since the launch and not empty.", mention.path
        )

    def _unchanged(self, mention: Mention, stance: Stance, files: tuple[Found, ...], kind: str) -> list[Finding]:
        if self._must_differ(mention, stance, files):
            return self._say(kind, "refuted", f"{files[0].name} is as it was at launch.", mention.path)
        return self._say(
            kind,
            "claimed",
            f"{files[0].name} is there, as it was at launch; whether a change of it is claimed is not clear.",
            mention.path,
        )

    def _still_there(self, mention: Mention, files: tuple[Found, ...]) -> list[Finding]:
        names = {each.name for each in files}
        gone = [
            name
            for name in self._disk.existed(mention.path)
            if name not in names and not (self._disk.project.main / name).exists()
        ]
        if gone:
            return self._say("deliverable", "verified", f"{gone[0]} was there at launch and is gone.")
        if self._disk.any_changed(files) is False:
            return self._say("deliverable", "refuted", f"{files[0].name} is still there, as it was at launch.")
        return self._say("deliverable", "claimed", f"{files[0].name} is there, but not as it was at launch.")

    def _folder(self, mention: Mention, stance: Stance, folder: Found) -> list[Finding]:
        fresh = [each for each in self._disk.project.below(folder) if self._disk.changed(each)]
        if fresh:
            return self._say(
                KINDS.get(stance.kind, "reference"),
                "verified",
                f"{folder.name}/ is there, with {len(fresh)} new or changed files.",
            )
        if stance.kind in {"plan", "denied", "kept", "removed"}:
            return []
        if stance.kind in {"made", "listed"} and self._must_be(mention, stance):
            return self._say(
                "deliverable", "claimed", f"{folder.name}/ is there, but no file in it is new since the launch."
            )
        return self._say("reference", "verified", f"{folder.name}/ is there.")

    def _several(self, mention: Mention, stance: Stance) -> list[Finding]:
        """A glob or a list in braces."""
        if stance.kind in {"plan", "denied"}:
            return []
        if "{" in mention.path:
            named = [each for path in spread(mention.path) for each in self._disk.project.place(path).found]
            short_of = len(named) < len(spread(mention.path))
        else:
            named, short_of = self._disk.project.matching(mention.path), False
        kind = KINDS.get(stance.kind, "reference")
        strong = self._must_be(mention, stance)
        if (not named or short_of) and not self._disk.existed(mention.path):
            if strong and self._disk.project.complete and self._said.kind != "fence":
                return self._say(
                    kind, "refuted", f"{'Not every file' if named else 'No file'} of {mention.path} exists."
                )
            return self._say(kind, "claimed", f"{mention.path} matches nothing here.") if strong else []
        changed = self._disk.any_changed(tuple(named))
        grade = "verified" if changed or stance.kind in {"neutral", "present", "named", "state"} else "claimed"
        return self._say(kind, grade, f"{len(named)} files match {mention.path}.")

    def _lines(self, mention: Mention, files: tuple[Found, ...], *, hedged: bool) -> list[Finding]:
        """Whether the line is there, now or at launch."""
        longest: Optional[int] = 0
        for each in files:
            text = self._disk.text(each)
            if text is None:
                longest = None
                continue
            if mention.first >= 1 and mention.last <= count(text) + 1:
                return self._say("reference", "verified", f"{each.name} has this line.")
            longest = max(longest, count(text)) if longest is not None else None
        if longest is None:
            return self._say("reference", "claimed", f"{files[0].name} could not be read as text.")
        for each in files:
            before = self._disk.earlier(each.name) if self._disk.changed(each) else None
            if before is not None and mention.last <= count(before) + 1:
                return self._say("reference", "claimed", f"{each.name} had this line at launch and has it no more.")
        if hedged or words.ATTRIBUTED.search(self._said.text) or not re.search(r"\w", mention.path):
            return []
        return self._say(
            "reference", "refuted", f"{files[0].name} has no line {mention.last}: it ends at line {longest}."
        )
