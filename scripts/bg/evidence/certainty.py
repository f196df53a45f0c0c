"""How sure a claim on a file is, given the launch and the tool calls: only then may the disk refute it."""

from __future__ import annotations

import re

from bg.evidence import words
from bg.evidence.calls import WRITING, Calls
from bg.evidence.paths import Mention
from bg.evidence.project import Found
from bg.evidence.reader import Statement
from bg.evidence.stance import Stance
from bg.pattern import pattern

LONG = pattern(r"[^\W\d_]{5,}")
EDITS = {"Edit", "MultiEdit"}


class Certainty:
    """What the launch asked for and the report admits as a whole, weighed with the words of one claim."""

    def __init__(self, calls: Calls, brief: str, goal: str, report: str, *, failed: bool) -> None:
        self.calls = calls
        self.brief = brief.replace("\\", "/")
        self.gone = bool(words.REMOVED.search(report) or words.RENAMED.search(report))
        self._failed = failed
        self._reverted = bool(words.REVERTED.search(report))
        claims = words.CHANGED.search(report) or words.MADE.search(report)
        self._success = not failed and bool(claims) and not words.DENIED.search(report)
        self._reading = not goal.strip() or bool(words.READING.match(goal))
        self._asked_words = {word.lower() for word in LONG.findall(brief)}

    def asked(self, mention: Mention) -> bool:
        """Whether the launch names this path."""
        plain = re.sub(r"^\./", "", mention.path.replace("\\", "/"))
        return len(plain) > 3 and plain in self.brief

    def must_be(self, mention: Mention, stance: Stance) -> bool:
        """Whether the words leave no doubt that the file must be there."""
        if stance.kind in {"listed", "named"}:
            return not self._failed and (stance.level == 2 if stance.kind == "listed" else self.asked(mention))
        if stance.kind not in {"made", "changed", "present"} or stance.level == 2:
            return stance.kind in {"made", "changed", "present"}
        if self.asked(mention):
            return stance.kind != "present" or stance.level == 1
        if stance.level == 1:
            shared = self._asked_words & {word.lower() for word in LONG.findall(stance.clause)}
            return bool(shared) or (stance.headed and not self._reading)
        return stance.own and stance.kind != "present" and not self.calls.may_have_written()

    def must_differ(self, mention: Mention, stance: Stance, statement: Statement, files: tuple[Found, ...]) -> bool:
        """Whether the words leave no doubt that the agent changed the file."""
        edited = tuple(each.name for each in files if self.calls.wrote(each.name))
        thrown_away = bool(edited) and self.calls.undone()
        idle = not self.calls.may_have_written()
        told_by_others = self._reading and idle and stance.kind != "listed"
        if told_by_others and not words.FIRST_PERSON.search(statement.text):
            return False
        if self._reverted or statement.kind == "fence" or (self._edits_stand(edited) and not thrown_away):
            return False
        if thrown_away:
            return stance.kind in {"made", "changed", "listed", "state"}
        if stance.kind == "listed":
            return stance.level == 2 and not self._failed
        if stance.level == 2:
            return not (stance.headed and self._reading and idle)
        return (stance.level == 1 and self.asked(mention)) or (stance.own and not self._reading and idle)

    def _edits_stand(self, names: tuple[str, ...]) -> bool:
        """Whether an edit of a file succeeded: unchanged since the commit, it must have been dirty at launch."""
        calls = self.calls.calls
        return bool(names) and any(
            call.name in EDITS and not call.failed and call.path.endswith(names) for call in calls
        )

    def in_vain(self, mention: Mention, files: tuple[Found, ...]) -> bool:
        """Whether a file of the order, in a report of success, was written to without any success."""
        names = tuple(each.name for each in files)
        tried = [call for call in self.calls.calls if call.name in WRITING and call.path.endswith(names)]
        failed = bool(tried) and all(call.failed for call in tried) and not self.calls.may_have_written()
        return failed and self._success and self.asked(mention)
