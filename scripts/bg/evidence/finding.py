"""The records of a check: where it starts from, one judged claim, and all of them together."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from bg.record import Record

GRADES = ("verified", "attested", "claimed", "refuted")
KINDS = ("deliverable", "wrote", "reference", "quote", "tests", "command", "metric", "work")
SHORT = 160


class Launch(NamedTuple):
    """What the launch fixed: the project, the agent's own directory, the commit and the time."""

    root: Path
    cwd: Path
    head: str
    at: float


class Finding(Record):
    """One claim of a report and what the host's own evidence says of it."""

    claim: str
    kind: str
    subject: str
    grade: str
    reason: str

    def to_json(self) -> dict[str, str]:
        """The finding as it stands in the ledger."""
        return {
            "claim": self.claim, "kind": self.kind, "subject": self.subject,
            "grade": self.grade, "reason": self.reason,
        }  # fmt: skip


class Evidence:
    """The findings on one report; `limits` says what was not looked at, and why."""

    def __init__(
        self, findings: tuple[Finding, ...] = (), limits: tuple[str, ...] = (), seconds: float = 0.0
    ) -> None:
        self.findings = findings
        self.limits = limits
        self.seconds = seconds

    def counts(self) -> dict[str, int]:
        """How many findings have each grade."""
        return {grade: sum(found.grade == grade for found in self.findings) for grade in GRADES}

    @property
    def refuted(self) -> tuple[Finding, ...]:
        """The claims that the evidence speaks against."""
        return tuple(found for found in self.findings if found.grade == "refuted")

    def line(self) -> str:
        """The count of each grade that occurs, in one line."""
        said = [f"{count} {grade}" for grade, count in self.counts().items() if count]
        return ", ".join(said) or "nothing to check"

    def to_json(self) -> dict[str, Any]:
        """Everything, for the ledger."""
        return {
            "line": self.line(),
            "counts": self.counts(),
            "findings": [found.to_json() for found in self.findings],
            "limits": list(self.limits),
        }


def short(text: str, most: int = SHORT) -> str:
    """A claim's words on one line, cut where they are long."""
    text = " ".join("".join(each if each.isprintable() else " " for each in text[: 4 * most]).split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
