"""What the host sees by itself, whatever a report says: the files that the run changed and others, runs, commits."""

from __future__ import annotations

import itertools
import os

from bg.evidence import asked, endings, programs
from bg.evidence.calls import Calls
from bg.evidence.disk import SLACK, Disk
from bg.evidence.finding import Evidence, short
from bg.evidence.ran import Judge, Run
from bg.evidence.whose import FRESH, OWN, Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

SHOWN = 40
RUNS = 12
COMMITS = 10
GONE = -1.0


def gather(disk: Disk, calls: Calls, judge: Judge, whose: Whose, evidence: Evidence) -> dict[str, Any]:
    """Everything that can be seen without the report, bounded."""
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
    """When a file last changed."""
    try:
        about = os.lstat(disk.project.main / name)
    except OSError:
        return GONE
    return max(about.st_mtime, about.st_ctime)


def _changed(disk: Disk, names: Iterable[str]) -> list[str]:
    found = [each for name in names for each in [disk.project.at(name)] if each is not None and each.regular]
    return sorted({each.name for each in found if disk.changed(each)})


def _runs(judge: Judge) -> list[dict[str, Any]]:
    """The runs of tests, checks and builds, the last of each command in each folder, with how it ended."""
    found: dict[tuple[str, ...], Run] = {}
    for run in judge.runs():
        words = run.command.words
        if programs.is_proof(words) and not programs.only_asks(words):
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
    """The test runs that a line should speak of: a failure that still stands, and the widest pass that holds."""
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
