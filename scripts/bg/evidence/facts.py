"""What the host sees by itself, whatever a report says: the files that the run changed and others, runs, commits."""

from __future__ import annotations

import os

from bg.evidence import asked, endings, kinds
from bg.evidence.calls import Calls
from bg.evidence.disk import SLACK, Disk
from bg.evidence.finding import Evidence, short
from bg.evidence.ran import Judge, Run
from bg.evidence.whose import OWN, Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHOWN = 40
RUNS = 12
COMMITS = 10


def gather(disk: Disk, calls: Calls, judge: Judge, whose: Whose, evidence: Evidence) -> dict[str, Any]:
    """Everything that can be seen without the report, bounded."""
    changed, removed, whole = _files(disk)
    if not whole:
        evidence.limit("files")
    whose.take(changed, whole=whole)
    found = _runs(judge)
    made = disk.baseline().made() or []
    meanwhile = sorted(name for name in (*changed, *removed) if whose.of(name) != OWN)
    others = set(meanwhile)
    changed, removed = ([name for name in names if name not in others] for names in (changed, removed))
    lists = {"changed": changed, "removed": removed, "meanwhile": meanwhile}
    left = {name: len(names) - SHOWN for name, names in lists.items()}
    left.update(runs=len(found) - RUNS, commits=len(made) - COMMITS)
    return {
        **{name: names[:SHOWN] for name, names in lists.items() if names or name != "meanwhile"},
        "changed_count": len(changed) if whole else None,
        **({"by": whose.rest} if meanwhile else {}),
        "runs": found[-RUNS:],
        "tested": _tested(found),
        "untested": calls.complete and not asked.may_test(calls),
        "commits": [{"hash": name[:10], "subject": short(subject, 80)} for name, subject in made[:COMMITS]],
        "calls_known": calls.known,
        "idle": calls.idle,
        **({"left": left} if max(left.values()) > 0 else {}),
    }


def _files(disk: Disk) -> tuple[list[str], list[str], bool]:
    """The names of new and changed files, of removed ones, and whether all were looked at."""
    base = disk.baseline()
    if not base.known:
        names = [name for names in disk.project.names().values() for name in names] if disk.launch.at > 0 else []
        return _changed(disk, names), [], disk.project.complete and disk.launch.at > 0
    present = base.present()
    new = [name for name in present or [] if name not in base.files]
    removed, newer = [], []
    for name in base.files:
        try:
            about = os.lstat(disk.project.main / name)
        except OSError:
            removed.append(name)
            continue
        if max(about.st_mtime, about.st_ctime) >= disk.launch.at - SLACK:
            newer.append(name)
    return _changed(disk, [*new, *newer]), sorted(removed), present is not None


def _changed(disk: Disk, names: list[str]) -> list[str]:
    found = [each for name in names for each in [disk.project.at(name)] if each is not None and each.regular]
    return sorted({each.name for each in found if disk.changed(each)})


def _runs(judge: Judge) -> list[dict[str, Any]]:
    """The runs of tests, checks and builds, the last of each command in each folder, with how it ended."""
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for run in judge.runs():
        words = run.command.words
        if kinds.is_proof(words) and not kinds.only_asks(words):
            key = (*kinds.plain(words), run.folder)
            found.pop(key, None)
            found[key] = _run(judge, run)
    return list(found.values())


def _run(judge: Judge, run: Run) -> dict[str, Any]:
    end = judge.ending(run)
    since, edited = judge.since(run) if end.how == endings.PASSED and run.own else ("", "")
    return {
        "command": short(" ".join(run.command.words), 80),
        "in": "" if run.folder == "." else run.folder,
        "kind": "tests" if kinds.looks_like_a_test(run.command.words) else "check",
        "end": end.how,
        "count": 0 if end.empty else max(end.passes, default=0),
        "empty": end.empty,
        "since": since,
        "edited": edited,
    }


def _tested(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The test runs that a line should speak of: a failure that still stands, and the widest pass that holds."""
    tests = [run for run in found if run["kind"] == "tests"]
    known = [run for run in tests if run["end"] in (endings.PASSED, endings.FAILED)] or tests[-1:]
    failed = [
        at for at, run in enumerate(known) if run["end"] == endings.FAILED and not _overtaken(run, known[at + 1 :])
    ]
    fresh = [run for run in known if run["since"] == "fresh" and not run["in"]]
    widest = min(fresh, key=lambda run: len(run["command"].split())) if fresh else known[-1] if known else None
    shown = [known[failed[-1]]] if failed else []
    return shown + ([widest] if widest and widest not in shown else [])


def _overtaken(run: dict[str, Any], later: list[dict[str, Any]]) -> bool:
    """Whether the same command, or one with fewer words, has passed later."""
    words = run["command"].split()
    passes = [each["command"].split() for each in later if each["end"] == endings.PASSED and each["in"] == run["in"]]
    return any(words[: len(each)] == each for each in passes)
