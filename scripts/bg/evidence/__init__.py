"""The facts that a report declares, judged by the disk and the agent's own tool calls; nothing of it is ever run.

In reading order: `finding` (the records, and every reason with its grade); `pieces` and `declared` (the declared
facts); `project`, `baseline`, `access` (which files may be opened) and `disk` (the state of files); `programs`,
`shell`, `calls` and `endings` (the agent's actions, and their ends); `whose` (who changed a file, and when); the
judges `files`, `ran`, `commits` and `schemas` with its process `fitting`; `named` and `asked` (the promises). This
module itself gathers the facts that the host sees without a report. `checkpoint` is the state of an agent that was cut
off. `verify` and its process `runner` are the check that a user names.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping

from bg.evidence import asked, commits, declared, endings, files, named, programs, schemas
from bg.evidence import calls as tool_calls
from bg.evidence.calls import Calls
from bg.evidence.declared import Called, Item
from bg.evidence.disk import SLACK, Disk
from bg.evidence.finding import MISMATCH, SAID, SEEN, Evidence, Finding, Launch, short
from bg.evidence.ran import Judge, Run
from bg.evidence.whose import FRESH, OWN, Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any, Callable, Optional

__all__ = ["MISMATCH", "MISSING", "SAID", "SEEN", "Evidence", "Finding", "Launch", "Look", "examine"]

NO_BRIEF: Mapping[str, str] = {}
FIELD = "evidence"
PARSED = 50
MISSING = ("not found", "no such line")
ASKED = 4000  # characters of a line of the launch
SHOWN = 40
RUNS = 12
COMMITS = 10
GONE = -1.0


def examine(
    report: str,
    fields: Optional[Mapping[str, Any]],
    launch: Launch,
    transcript: str,
    brief: Mapping[str, str] = NO_BRIEF,
) -> Evidence:
    """Compare a report with the disk and the transcript; never raises, and its work is bounded by counts, not by time.

    `fields` are those of a COMPLETION_REPORT, None for prose; `transcript` is the path of the agent's own transcript:
    without it, no fact that depends on tool calls is found not to match.
    """
    evidence = Evidence()
    try:
        _Examination(report, fields, launch, transcript, brief, evidence).run()
    except Exception as error:  # noqa: BLE001  the findings so far are worth more than a traceback
        evidence.limit("ended early", f"{type(error).__name__}: {short(str(error), 80)}")
    return evidence


class Look:
    """Which files an agent may open, and whether a place that it names is there, by the disk and its transcript."""

    def __init__(self, launch: Launch, transcript: str) -> None:
        self._calls = tool_calls.read(transcript)
        self._disk = Disk(launch, self._calls)

    def closed(self, path: Path) -> str:
        """Why a file may not be opened for the agent; empty if it may."""
        return self._disk.project.refusal(path)

    def at(self, file: str, line: int) -> str:
        """The reason for a finding on this place; one of `MISSING` means that the place is certainly not there."""
        place = Item(f"{file}:{line}", "saw", file, first=line, last=line)
        return files.judge(self._disk, self._calls, place).reason


class _Examination:
    """One report with everything that it is compared with."""

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
        """Take every step by itself, as one that fails must not hide the others."""
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
        self.evidence.facts.update(gather(self.disk, self.calls, self.judge, self.whose, self.evidence))

    def _step(self, item: Item) -> Callable[[], object]:
        return lambda: self.evidence.findings.append(self._judged(item))

    def _judged(self, item: Item) -> Finding:
        if item.kind in ("said", "open"):
            reason = "prose" if item.kind == "said" else "open"
            return Finding(item.line, item.kind, item.subject or short(item.line), reason)
        if item.kind == "ran":
            return self.judge.judge(item)
        if item.kind == "fits":
            return schemas.judge_declared(item, self.evidence)
        if item.kind in ("commit", "pushed", "pr"):
            return commits.judge(self.disk.baseline(), self.calls, item)
        return files.judge(self.disk, self.calls, item)

    def _promises(self) -> None:
        for document, schema in schemas.pairs_in(self.deliverables):
            found = schemas.judge_declared(
                Item(f"{document} (schema: {schema})", "fits", document, schema), self.evidence
            )
            self.evidence.findings += [found] if found.reason != "not asked" else []
        success = self.status == "success"
        asked.notes(self.disk, self.calls, self.report, self.evidence, success=success or not self.status)
        if success:
            asked.at_another_place(self.disk, self.report, self.items, self.evidence)
            asked.absent(self.disk, self.report, self.deliverables, self.items, self.evidence)

    def _parse(self) -> None:
        """Note the changed files that the launch asked for and that do not parse as their names demand."""
        wanted = named.paths(self.brief.get("Deliverables", ""))
        for name in self.evidence.first(wanted, PARSED, "files to parse"):
            for each in self.disk.project.place(name).found:
                fault = schemas.fault(self.disk, each) if each.regular and self.disk.changed(each) else ""
                if fault:
                    self.evidence.note("does not parse", f"{each.name}: {fault}")


def gather(disk: Disk, calls: Calls, judge: Judge, whose: Whose, evidence: Evidence) -> dict[str, Any]:
    """The facts that can be seen without the report, bounded."""
    changed, removed, whole = _files(disk)
    if not whole:
        evidence.limit("files")
    whose.take(changed, whole=whole)
    others = {name for name in (*changed, *removed) if whose.of(name) != OWN}
    own = sorted({*changed} - others)
    lists = {"changed": own, "removed": sorted({*removed} - others), "meanwhile": sorted(others)}
    runs, made = _runs(judge), disk.baseline().made() or []
    left = {name: len(names) - SHOWN for name, names in lists.items()}
    left.update(runs=len(runs) - RUNS, commits=len(made) - COMMITS)
    return {
        **{name: names[:SHOWN] for name, names in lists.items()},
        "changed_count": len(own) if whole else None,
        "by": whose.rest if others else "",
        "runs": runs[-RUNS:],
        "tested": _tested(runs),
        "untested": calls.complete and not asked.may_test(calls),
        "commits": [_commit(*each) for each in made[:COMMITS]],
        "calls_known": calls.known,
        "idle": calls.idle,
        "left": left,
    }


def _commit(name: str, subject: str) -> dict[str, str]:
    return {"hash": name[:10], "subject": short(subject, 80)}


def _files(disk: Disk) -> tuple[list[str], list[str], bool]:
    """The names of new and changed files, of removed ones, and whether all were looked at."""
    base = disk.baseline()
    if not base.known:
        every = itertools.chain.from_iterable(disk.project.names().values()) if disk.launch.at > 0 else ()
        return _changed(disk, every), [], disk.project.complete and disk.launch.at > 0
    present = base.present()
    times = {name: _touched(disk, name) for name in base.files}
    since = disk.launch.at - SLACK
    names = {*(present or ()), *base.files} - {name for name, moment in times.items() if moment < since}
    return _changed(disk, names), sorted(name for name, moment in times.items() if moment == GONE), present is not None


def _touched(disk: Disk, name: str) -> float:
    """The moment of a file's last change; `GONE` if it is not there."""
    try:
        about = os.lstat(disk.project.main / name)
    except OSError:
        return GONE
    return max(about.st_mtime, about.st_ctime)


def _changed(disk: Disk, names: Iterable[str]) -> list[str]:
    found = [each for name in names for each in [disk.project.at(name)] if each is not None and each.regular]
    return sorted({each.name for each in found if disk.changed(each)})


def _runs(judge: Judge) -> list[dict[str, Any]]:
    """The runs of tests, checks and builds (the last of each command in each folder), with their ends."""
    found: dict[tuple[str, ...], Run] = {}
    for run in judge.runs():
        words = run.command.words
        if programs.is_proof(words) and not programs.only_lists(words):
            key = (*programs.plain(words), run.folder)
            found.pop(key, None)
            found[key] = run
    return [_run(judge, run) for run in found.values()]


def _run(judge: Judge, run: Run) -> dict[str, Any]:
    end = judge.ending(run)
    since, edited = judge.since(run) if end.how == endings.PASSED and run.own else ("", "")
    return {
        "command": short(" ".join(run.command.words), 80),
        "in": "" if run.folder == "." else run.folder,
        "kind": "tests" if programs.looks_like_a_test(run.command.words) else "check",
        "end": end.how,
        "count": 0 if end.empty else max(end.passes, default=0),
        "empty": end.empty,
        "summary": end.by_summary,
        "since": since,
        "edited": edited,
    }


def _tested(runs: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The test runs worth naming: the last failure that no later pass overtook, and the widest pass that holds."""
    tests = [run for run in runs if run["kind"] == "tests"]
    known = list(filter(_is_seen, tests)) or tests[-1:]
    failed = [run for at, run in enumerate(known) if run["end"] == endings.FAILED and not _overtaken(run, known[at:])]
    fresh = sorted(filter(_holds, known), key=_length)
    chosen = {run["command"] + run["in"]: run for run in [*failed[-1:], *(fresh or known[-1:])[:1]]}
    return list(chosen.values())


def _is_seen(run: dict[str, Any]) -> bool:
    return run["end"] in (endings.PASSED, endings.FAILED)


def _holds(run: dict[str, Any]) -> bool:
    return run["since"] == FRESH and not run["in"]


def _length(run: dict[str, Any]) -> int:
    return len(run["command"].split())


def _overtaken(run: dict[str, Any], later: list[dict[str, Any]]) -> bool:
    """Whether the same command, or one with fewer words, has passed later."""
    words = run["command"].split()
    passes = [each["command"].split() for each in later if each["end"] == endings.PASSED and each["in"] == run["in"]]
    return any(words[: len(each)] == each for each in passes)
