"""Findings: the records of the launch that a check starts from, of one judged fact, and of all that it found.

A reason is a name out of closed lists, and each reason has one grade; the sentences are in `bg.words.reasons`.
"""

from __future__ import annotations

from pathlib import Path

from bg import foreign
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    T = TypeVar("T")

SEEN, MISMATCH, SAID = "seen", "does not match", "only said"
GRADES = (SEEN, MISMATCH, SAID)
REASONS = {
    **dict.fromkeys(
        (
            "changed", "contains", "gone", "moved", "passed", "exit 0", "by its summary", "failed as said", "was run",
            "committed", "pushed", "opened", "there", "has the line", "quoted", "in a result", "fits", "stood there",
        ),
        SEEN,
    ),
    **dict.fromkeys(
        (
            "not found", "unchanged", "empty", "lacks the text", "still there", "not run", "failed",
            "other count", "stale", "unread", "passed instead", "no such commit", "no commit", "no push",
            "push failed", "other branch", "not opened", "opening failed", "other number", "no such line",
            "other words", "does not fit", "other line",
            "masked", "asked and absent", "named and absent",
        ),
        MISMATCH,
    ),
    **dict.fromkeys(
        (
            "prose", "open", "outside", "several files", "equal after an edit", "not found in time", "not comparable",
            "never seen", "calls unknown", "end unseen", "a look", "perhaps within", "perhaps another", "elsewhere",
            "in several folders", "perhaps stale", "edited after", "nothing was run", "count unseen", "older commit",
            "loose commit", "no repository", "unreadable", "result unseen", "line elsewhere", "not checked",
            "not asked", "by another hand", "an answer",
            "passed earlier", "not word for word", "denied", "settings unclear", "not its own", "by somebody",
            "no hook ran", "at another place",
        ),
        SAID,
    ),
}  # fmt: skip
NOTES = ("no tool used", "write failed", "does not parse", "tests removed", "skips added")
SHORT = 160


class Launch(Record):
    """The facts that the launch fixed: the project, the agent's own directory, the commit and the time.

    `shared` means that another known agent works, or has worked, in the same directory; `config` is the host's
    configuration directory.
    """

    root: Path
    cwd: Path
    head: str
    at: float
    shared: bool = False
    config: str = ""


class Finding(Record):
    """One declared fact and the reason for its grade, by the host's own evidence; `detail` completes the reason."""

    line: str
    kind: str
    subject: str
    reason: str
    detail: str = ""

    @property
    def grade(self) -> str:
        """The grade of the reason."""
        return REASONS[self.reason]

    def to_json(self) -> dict[str, str]:
        """The finding as the ledger stores it."""
        return {
            "line": short(self.line, 400), "kind": self.kind, "subject": short(self.subject), "grade": self.grade,
            "reason": self.reason, "detail": short(self.detail, 300),
        }  # fmt: skip


class Evidence:
    """All that a check found: findings on declared and asked-for facts, notes, the host's own facts, and limits."""

    def __init__(self) -> None:
        self.declared = False
        self.findings: list[Finding] = []
        self.asked: list[Finding] = []
        self.notes: list[tuple[str, str]] = []
        self.facts: dict[str, Any] = {}
        self.limits: list[str] = []

    @property
    def mismatches(self) -> list[Finding]:
        """The declared facts that do not match the evidence."""
        return [found for found in self.findings if found.grade == MISMATCH]

    def limit(self, name: str, detail: str = "") -> None:
        """Note that something was not looked at."""
        said = f"{name}: {detail}" if detail else name
        if said not in self.limits:
            self.limits.append(said)

    def first(self, found: list[T], most: int, name: str) -> list[T]:
        """The first `most` things to look at; if there are more, add a limit of this name."""
        if len(found) > most:
            self.limit(name, str(most))
        return found[:most]

    def note(self, reason: str, subject: str) -> None:
        """Note a fact that a reader should know, by a reason out of `NOTES`."""
        if (reason, subject) not in self.notes:
            self.notes.append((reason, subject))

    def to_json(self) -> dict[str, Any]:
        """Everything, for the ledger."""
        return {
            "declared": self.declared,
            "findings": [found.to_json() for found in self.findings],
            "asked": [{**each.to_json(), "grade": SEEN if each.grade == SEEN else "not seen"} for each in self.asked],
            "notes": [{"reason": reason, "subject": short(subject)} for reason, subject in self.notes],
            "facts": self.facts,
            "limits": self.limits,
        }


def short(text: str, most: int = SHORT) -> str:
    """A text on one line, cut if it is long."""
    text = foreign.encodable(text[: 4 * most])
    text = " ".join("".join(each if each.isprintable() else " " for each in text).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
