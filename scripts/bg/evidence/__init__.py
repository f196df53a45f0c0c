"""What a report declares, judged against the disk and the agent's own tool calls; nothing of a report is ever run.

In reading order: `finding` (the records, and every reason with its grade); `lines`, `pieces`, `called` and `declared`
(what is declared); `project`, `baseline`, `access` (what may be opened) and `disk` (what is there); `programs`,
`shell`, `calls` and `endings` (what was done, and how it ended); `whose` (who changed a file, and when); the judges
`files`, `quotes`, `ran`, `commits` and `schemas` with its process `fitting`; `named` and `asked` (what was promised),
and `facts` (what the host sees by itself). `verify` and its process `runner` are the check that a user names.
"""

from __future__ import annotations

from collections.abc import Mapping

from bg.evidence import asked, commits, declared, facts, files, named, schemas
from bg.evidence import calls as tool_calls
from bg.evidence.called import Called
from bg.evidence.declared import Item
from bg.evidence.disk import Disk
from bg.evidence.finding import MISMATCH, SAID, SEEN, Evidence, Finding, Launch, short
from bg.evidence.ran import Judge
from bg.evidence.whose import Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, Callable, Optional

__all__ = ["MISMATCH", "MISSING", "SAID", "SEEN", "Evidence", "Finding", "Launch", "Look", "examine"]

NO_BRIEF: Mapping[str, str] = {}
FIELD = "evidence"
PARSED = 50
MISSING = ("not found", "no such line")
ASKED = 4000  # characters of a line of the launch


def examine(
    report: str,
    fields: Optional[Mapping[str, Any]],
    launch: Launch,
    transcript: str,
    brief: Mapping[str, str] = NO_BRIEF,
) -> Evidence:
    """What is seen, and what not, of a report; never raises, and its work is bounded by counts, not by time.

    `fields` are those of a COMPLETION_REPORT, None for prose; `transcript` is the path of the agent's own transcript,
    without which nothing that depends on tool calls is found not to match.
    """
    evidence = Evidence()
    try:
        _Examination(report, fields, launch, transcript, brief, evidence).run()
    except Exception as error:  # noqa: BLE001  what could be done is worth more than a traceback
        evidence.limit("ended early", f"{type(error).__name__}: {short(str(error), 80)}")
    return evidence


class Look:
    """What an agent may open, and whether a place that it names is there, asked of the disk and of its transcript."""

    def __init__(self, launch: Launch, transcript: str) -> None:
        self._calls = tool_calls.read(transcript)
        self._disk = Disk(launch, self._calls)

    def closed(self, path: Path) -> str:
        """Why a file may not be opened for the agent; empty where it may."""
        return self._disk.project.refusal(path)

    def at(self, file: str, line: int) -> str:
        """The reason that a finding on this place has; `MISSING` are those of a place that is known not to be there."""
        place = Item(f"{file}:{line}", "saw", file, first=line, last=line)
        return files.judge(self._disk, self._calls, place).reason


class _Examination:
    """One report with all that it is held against."""

    def __init__(
        self, report: str, fields: Optional[Mapping[str, Any]], launch: Launch, transcript: str,
        brief: Mapping[str, str], evidence: Evidence,
    ) -> None:  # fmt: skip
        given = dict(fields or {})
        self.report, self.evidence = report, evidence
        self.status = str(given.get("status", "")).strip().lower()
        self.deliverables = str(given.get("deliverables") or "")
        self.brief = {str(name): str(text)[:ASKED] for name, text in brief.items()}
        self.calls = tool_calls.read(transcript)
        called = Called(call.command for call in self.calls.shells)
        self.items, more = declared.read(str(given.get(FIELD) or ""), called)
        self.disk = Disk(launch, self.calls)
        self.whose = Whose(self.disk, self.calls)
        self.judge = Judge(self.disk.project, self.calls, self.whose)
        evidence.declared = any(item.kind not in ("said", "open") for item in self.items)
        long = any(len(str(text)) > ASKED and str(name).lower() in asked.READ for name, text in brief.items())
        for name, detail, holds in (
            ("words", str(ASKED), long), ("lines", str(declared.MOST), more), ("calls", "", not self.calls.known)
        ):  # fmt: skip
            if holds:
                evidence.limit(name, detail)

    def run(self) -> None:
        """Every step, each by itself: one that fails must not hide the others."""
        steps: list[Callable[[], object]] = [
            self._facts,
            lambda: asked.judge(self.disk, self.judge, self.whose, self.brief, self.evidence),
            lambda: schemas.judge(self.disk, self.brief, self.evidence),
            *(self._step(item) for item in self.items),
            self._promises,
            self._parse,
        ]
        for step in steps:
            try:
                step()
            except Exception as error:  # noqa: BLE001  one fact must not hide the others
                self.evidence.limit("not checked", f"{type(error).__name__}: {short(str(error), 80)}")
        for name, why in self.disk.project.unread.items():
            self.evidence.limit(why, short(name))

    def _facts(self) -> None:
        self.evidence.facts.update(facts.gather(self.disk, self.calls, self.judge, self.whose, self.evidence))

    def _step(self, item: Item) -> Callable[[], object]:
        return lambda: self.evidence.findings.append(self._judged(item))

    def _judged(self, item: Item) -> Finding:
        if item.kind in ("said", "open"):
            reason = "prose" if item.kind == "said" else "open"
            return Finding(item.line, item.kind, item.subject or short(item.line), reason)
        if item.kind == "ran":
            return self.judge.judge(item)
        if item.kind == "fits":
            return schemas.declared(item, self.evidence)
        if item.kind in ("commit", "pushed", "pr"):
            return commits.judge(self.disk.baseline(), self.calls, item)
        return files.judge(self.disk, self.calls, item)

    def _promises(self) -> None:
        for document, schema in schemas.pairs_in(self.deliverables):
            found = schemas.declared(Item(f"{document} (schema: {schema})", "fits", document, schema), self.evidence)
            self.evidence.findings += [found] if found.reason != "not asked" else []
        success = self.status == "success"
        asked.notes(self.disk, self.calls, self.report, self.evidence, success=success or not self.status)
        if success:
            asked.at_another_place(self.disk, self.report, self.items, self.evidence)
            asked.absent(self.disk, self.report, self.deliverables, self.items, self.evidence)

    def _parse(self) -> None:
        """Files that the launch asked for and that are not what their name says."""
        wanted = named.paths(self.brief.get("Deliverables", ""))
        for name in self.evidence.first(wanted, PARSED, "files to parse"):
            for each in self.disk.project.place(name).found:
                fault = schemas.fault(self.disk, each) if each.regular and self.disk.changed(each) else ""
                if fault:
                    self.evidence.note("does not parse", f"{each.name}: {fault}")
