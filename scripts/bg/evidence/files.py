"""Judges what a report says of files: made, changed, removed, renamed, counted, or pointed at with a line."""

from __future__ import annotations

from bg.evidence import lines, outside, words
from bg.evidence.certainty import Certainty
from bg.evidence.disk import Disk
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

    def __init__(self, disk: Disk, certainty: Certainty) -> None:
        self._disk = disk
        self._sure = certainty
        self._calls = certainty.calls

    def judge(self, mention: Mention, stance: Stance, statement: Statement, words_said: str) -> list[Finding]:
        """The findings on one mention; none where it claims nothing that can be looked at."""
        self._claim, self._said = short(words_said), statement
        self._subject = lines_of(mention.path, mention.first, mention.last)
        if globbed(mention.path):
            return self._several(mention, stance)
        place = self._disk.project.place(mention.path)
        if place.outside:
            return self._say(*outside.judged(mention.path, self._sure.brief, self._disk.launch.at, stance, statement))
        if not place.found:
            return self._missing(mention, stance, certain=place.certain)
        return self._there(mention, stance, place.found)

    def _say(self, kind: str, grade: str, reason: str, subject: str = "") -> list[Finding]:
        return [Finding(self._claim, kind, subject or self._subject, grade, reason)]

    def _missing(self, mention: Mention, stance: Stance, *, certain: bool) -> list[Finding]:
        before = self._disk.existed(mention.path)
        strong = self._sure.must_be(mention, stance)
        if stance.kind == "removed" and stance.level == 2:
            grade, why = (
                ("verified", "was there at launch and is gone")
                if before
                else ("claimed", "is not there; whether it ever was cannot be told")
            )
            return self._say("deliverable", grade, f"{mention.path} {why}.")
        if before and not (strong and not self._sure.gone):
            return lines.at_launch(self._disk, mention, before[0], self._say) if mention.first else []
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

    def _there(self, mention: Mention, stance: Stance, found: tuple[Found, ...]) -> list[Finding]:
        files = tuple(each for each in found if each.regular)
        if not files:
            folders = [each for each in found if each.folder]
            return (
                self._folder(mention, stance, folders[0])
                if folders
                else self._say("reference", "claimed", f"{mention.path} is not a regular file and was not opened.")
            )
        hedged = stance.kind in {"plan", "kept"}
        found_lines = (
            lines.now(self._disk, mention, files, self._said, self._say, hedged=hedged) if mention.first else []
        )
        if self._said.kind == "fence" and found_lines:
            return found_lines
        if stance.kind in {"plan", "denied"}:
            return found_lines or self._in_passing(files)
        if stance.kind == "removed" and stance.level == 2:
            return self._still_there(mention, files)
        state = self._kept(mention, files) if stance.kind == "kept" else self._state(mention, stance, files)
        return found_lines + [each for each in state if not found_lines or each.kind not in {"reference", "work"}]

    def _kept(self, mention: Mention, files: tuple[Found, ...]) -> list[Finding]:
        """A file that is said to be as it was."""
        if self._disk.any_changed(files) is False:
            return self._say("work", "verified", f"{mention.path} is as it was at launch.")
        return self._say("work", "claimed", f"{mention.path} cannot be compared with the launch, or has changed.")

    def _state(self, mention: Mention, stance: Stance, files: tuple[Found, ...]) -> list[Finding]:
        """A file that is there, against what is said of it."""
        changed = self._disk.any_changed(files)
        fresh = tuple(each for each in files if self._disk.changed(each)) if changed else ()
        kind = KINDS.get(stance.kind, "reference")
        if fresh:
            return self._fresh(mention, stance, fresh, kind)
        if changed is False and stance.kind in {"made", "changed", "listed"}:
            return self._unchanged(mention, stance, files, kind)
        if changed is False and stance.kind == "state" and self._sure.must_differ(mention, stance, self._said, files):
            return self._unchanged(mention, stance, files, kind)
        if changed is None and stance.kind in {"made", "changed", "listed"}:
            grade = "attested" if any(self._calls.wrote(each.name) for each in files) else "claimed"
            return self._say(
                kind, grade, f"{mention.path} is there; whether it changed since the launch cannot be seen on disk."
            )
        if changed is False and self._sure.in_vain(mention, files):
            return self._say(
                "wrote",
                "refuted",
                f"{files[0].name} is as it was at launch, and each attempt to write it failed.",
                mention.path,
            )
        return self._say("reference", "verified", f"{files[0].name} is there.")

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
        if self._sure.must_differ(mention, stance, self._said, files):
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
        if stance.kind in {"made", "listed"} and self._sure.must_be(mention, stance):
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
        strong = self._sure.must_be(mention, stance)
        if (not named or short_of) and not self._disk.existed(mention.path):
            if strong and self._disk.project.complete and self._said.kind != "fence":
                return self._say(
                    kind, "refuted", f"{'Not every file' if named else 'No file'} of {mention.path} exists."
                )
            return self._say(kind, "claimed", f"{mention.path} matches nothing here.") if strong else []
        changed = self._disk.any_changed(tuple(named))
        grade = "verified" if changed or stance.kind in {"neutral", "present", "named", "state"} else "claimed"
        return self._say(kind, grade, f"{len(named)} files match {mention.path}.")
