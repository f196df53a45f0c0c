"""Evidence for what a report claims, from the disk and the agent's own tool calls; nothing of a report is ever run.

In reading order: `finding` (the records); `reader` and `report` (statements); `pathlike` and `paths` (mentions);
`words`, `beside` and `stance` (what is said of them); `project`, `baseline`, `formats` and `disk` (what is there);
`certainty` and the judges `files`, `lines`, `outside`, `changes`, `quotes`; `programs`, `shell`, `calls` and `outcomes`
(what was done) and their judges `suites`, `spoken` and `commands`; `schemas` and its process `fitting`; `statements`
(the rest). It imports `bg.host`, the ground (`bg.foreign`, `bg.machine`) and nothing else of bg.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Optional

from bg.evidence import calls as tool_calls
from bg.evidence import commands, quotes, schemas, statements, suites, words
from bg.evidence import report as reports
from bg.evidence.certainty import Certainty
from bg.evidence.changes import counts, renames
from bg.evidence.clock import Clock
from bg.evidence.disk import Disk
from bg.evidence.files import Files
from bg.evidence.finding import Evidence, Finding, Launch, short
from bg.evidence.paths import mentions
from bg.evidence.reader import Statement
from bg.evidence.stance import masked, stance

__all__ = ["Evidence", "Finding", "Launch", "examine"]

SECONDS = 1.2  # what is begun is ended: about a second and a half in all
PATHS = 300
FINDINGS = 400
NO_BRIEF: Mapping[str, str] = {}


def examine(
    report: str,
    fields: Optional[Mapping[str, Any]],
    launch: Launch,
    transcript: str,
    seconds: Optional[float] = None,
    text_of_brief: Mapping[str, str] = NO_BRIEF,
) -> Evidence:
    """The evidence for and against a report; never raises.

    It takes about a second and a half at most, five seconds more where a schema is named.
    `fields` are those of a COMPLETION_REPORT, None for prose; `transcript` is the path of the agent's own transcript,
    without which nothing that depends on tool calls is refuted; `seconds` is how long the run took.
    """
    clock = Clock(SECONDS)
    evidence = Evidence()
    try:
        _Examination(report, fields, launch, transcript, seconds, text_of_brief, clock, evidence).go()
    except Exception as error:  # noqa: BLE001  what could be done is worth more than a traceback
        evidence.limits = (
            *evidence.limits,
            f"The check ended early ({type(error).__name__}: {short(str(error), 80)}).",
        )
    evidence.seconds = clock.taken
    return evidence


class _Examination:
    """One check from its beginning to its end; findings are kept as they come."""

    def __init__(
        self, report: str, fields: Optional[Mapping[str, Any]], launch: Launch, transcript: str,
        seconds: Optional[float], brief: Mapping[str, str], clock: Clock, evidence: Evidence,
    ) -> None:  # fmt: skip
        self.report, self.fields, self.launch, self.transcript = report, fields, launch, transcript
        self.seconds, self.brief, self.clock, self.evidence = seconds, brief, clock, evidence
        self.findings: list[Finding] = []
        self.paths: set[str] = set()
        self.judged: dict[int, list[Finding]] = {}

    def go(self) -> None:
        brief = {str(name): str(text)[:4000] for name, text in self.brief.items()}
        said = reports.statements(self.report, self.fields)
        calls = tool_calls.read(self.transcript, self.clock)
        disk = Disk(self.launch, self.clock)
        status = str((self.fields or {}).get("status", "")).strip().lower()
        failed = status == "failed"
        whole = "\n".join(statement.text for statement in said)
        goal = next((text for name, text in brief.items() if name.lower() == "goal"), "")
        certainty = Certainty(calls, "\n".join(brief.values()), goal, whole, failed=failed)
        self.files = Files(disk, certainty)
        self.all_made = bool(words.ALL_MADE.search(whole))
        if len(self.report) > reports.MOST:
            self._limit(f"Only the first {reports.MOST} characters of the report were read.")
        if not calls.known:
            self._limit("The agent's tool calls could not be read whole: nothing that depends on them is refuted.")
        pairs = schemas.gather(disk, brief, said)
        self._keep(-1, statements.idle(calls, said, disk, brief, self.seconds))
        for number, statement in enumerate(said):
            if self.clock.spent or len(self.findings) >= FINDINGS:
                self._limit("The time or the number of findings was used up; the rest was not looked at.")
                break
            try:
                self._keep(number, suites.judge(calls, statement, whole))
                self._keep(number, commands.judge(calls, statement, whole))
                self._look(number, statement, disk, calls)
            except Exception as error:  # noqa: BLE001  one statement must not hide the others
                self._limit(f"A statement could not be checked ({type(error).__name__}: {short(str(error), 80)}).")
        self._keep(-1, schemas.judge(pairs, success=status in {"", "success"}))
        self._keep(-1, statements.measures(brief, said, self.judged))
        self._keep(-1, statements.rest(said, self.judged, self.findings))

    def _look(self, number: int, statement: Statement, disk: Disk, calls: tool_calls.Calls) -> None:
        """What a statement says of files."""
        found = mentions(schemas.without(statement.text))
        if not found and statement.kind != "fence":
            if words.RENAMED.search(statement.text):
                self._keep(number, renames(disk, statement, statement.text, found)[0])
            return
        text = masked(statement.text, found)
        self._keep(number, quotes.judge(disk, calls, statement, found))
        renamed, old = renames(disk, statement, text, found)
        counted, settled = counts(disk, statement, text, found)
        self._keep(number, [*renamed, *counted])
        for place, mention in enumerate(found):
            if place in old | settled or self.clock.spent:
                continue
            if statement.kind == "tree" and statement.head[0] and not disk.project.place(mention.path).found:
                mention = mention._replace(path=statement.head[0])  # noqa: PLW2901  the drawing's root is the project
            self.paths.add(mention.path)
            if len(self.paths) > PATHS:
                self._limit(f"Only the first {PATHS} paths were looked at.")
                break
            around = _around(statement.text, mention.start, mention.end)
            view = stance(statement, text, place, all_made=self.all_made)
            self._keep(number, self.files.judge(mention, view, statement, around))

    def _keep(self, number: int, found: list[Finding]) -> None:
        known = {(each.kind, each.subject, each.grade) for each in self.findings if each.subject != "run"}
        for each in found:
            self.judged.setdefault(number, []).append(each)
            if each.kind in {"work", "metric", "tests", "quote"} or (each.kind, each.subject, each.grade) not in known:
                self.findings.append(each)
        self.evidence.findings = tuple(self.findings[:FINDINGS])

    def _limit(self, sentence: str) -> None:
        if sentence not in self.evidence.limits:
            self.evidence.limits = (*self.evidence.limits, sentence)


def _around(text: str, start: int, end: int) -> str:
    """The words of a sentence beside a mention."""
    before = re.split(r"(?<=[.!?;])\s", text[max(0, start - 80) : start])[-1]
    return before + text[start:end] + re.split(r"(?<=[.!?;])\s", text[end : end + 80])[0]
