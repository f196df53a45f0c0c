"""What the host sees by itself, whatever a report says: the files that the run changed and others, runs, commits."""

from __future__ import annotations

import os

from bg.evidence import matching, outcomes, purposes, shell, staleness
from bg.evidence.calls import Calls
from bg.evidence.clock import Clock
from bg.evidence.disk import SLACK, Disk
from bg.evidence.finding import Evidence, short
from bg.evidence.project import Found
from bg.evidence.whose import OWN, Whose

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

SHOWN = 40
RUNS = 12
COMMITS = 10


def gather(disk: Disk, calls: Calls, clock: Clock, evidence: Evidence) -> dict[str, Any]:
    """Everything that can be seen without the report, bounded."""
    changed, removed, whole = _files(disk, clock)
    if not whole:
        evidence.limit("files")
    found, again = _runs(calls)
    made = disk.baseline().made() or []
    whose = Whose(disk, calls)
    meanwhile = sorted(name for name in (*changed, *removed) if whose.of(name) != OWN)
    changed, removed = ([name for name in names if whose.of(name) == OWN] for names in (changed, removed))
    left = {"changed": len(changed) - SHOWN, "removed": len(removed) - SHOWN, "meanwhile": len(meanwhile) - SHOWN}
    left.update(runs=len(found) - RUNS, commits=len(made) - COMMITS)
    return {
        "changed": changed[:SHOWN],
        "changed_count": len(changed) if whole else None,
        "removed": removed[:SHOWN],
        **({"meanwhile": meanwhile[:SHOWN], "by": whose.rest} if meanwhile else {}),
        "runs": found[-RUNS:],
        "tests": _tests(calls, found, again=again),
        "commits": [{"hash": name[:10], "subject": short(subject, 80)} for name, subject in made[:COMMITS]],
        "calls_known": calls.known,
        "idle": calls.idle,
        **({"left": left} if max(left.values()) > 0 else {}),
    }


def _files(disk: Disk, clock: Clock) -> tuple[list[str], list[str], bool]:
    """The names of new and changed files, of removed ones, and whether all were looked at."""
    base = disk.baseline()
    if not base.known:
        names = [name for names in disk.project.names().values() for name in names] if disk.launch.at > 0 else []
        changed = sorted(each.name for each in _fresh(disk, names) if each.regular and disk.changed(each))
        return changed, [], disk.project.complete and disk.launch.at > 0
    present = base.present()
    new = [name for name in present or [] if name not in base.files]
    removed, older = [], []
    whole = present is not None
    for number, name in enumerate(base.files):
        if number % 500 == 0 and clock.spent:
            whole = False
            break
        try:
            about = os.lstat(disk.project.main / name)
        except OSError:
            removed.append(name)
            continue
        if max(about.st_mtime, about.st_ctime) >= disk.launch.at - SLACK:
            older.append(name)
    changed = [each.name for each in _fresh(disk, [*new, *older]) if each.regular and disk.changed(each)]
    return sorted(set(changed)), sorted(removed), whole and not clock.spent


def _fresh(disk: Disk, names: list[str]) -> list[Found]:
    found = [disk.project.at(name) for name in names]
    return [each for each in found if each is not None]


def _runs(calls: Calls) -> tuple[list[dict[str, str]], bool]:
    """The runs of tests and checks, the last of each command, with how it ended; whether the last may be repeated."""
    found: dict[str, dict[str, str]] = {}
    again = False
    for call in calls.shells:
        steps = shell.steps(call.command)
        for at, step in enumerate(steps):
            for part in step.parts:
                if not (purposes.is_test(part) or purposes.is_check(part)) or matching.only_shows(part):
                    continue
                end = outcomes.ending(calls, call, steps, at, test=purposes.is_test(part))
                run = matching.Run(call, steps, at, matching.SAME)
                edited, sure = staleness.edited_after(calls, run, part)
                again = staleness.perhaps_repeated(calls, run) if purposes.is_test(part) else again
                line = short(" ".join((part.program, *part.words)), 80)
                how = "nothing was run" if end.summary.empty and purposes.is_test(part) else end.how
                found.pop(line, None)
                found[line] = {
                    "command": line, "kind": "tests" if purposes.is_test(part) else "check", "end": how,
                    "edited": edited if sure else "", "perhaps": edited,
                }  # fmt: skip
                break
    return list(found.values()), again


def _tests(calls: Calls, found: list[dict[str, str]], *, again: bool) -> str:
    """In a word, how the last test run stands; empty where the calls are not known."""
    tests = [each for each in found if each["kind"] == "tests"]
    if not tests:
        hiding = any(purposes.hides(part) for call in calls.shells for part in call.parts)
        return "" if not calls.known or calls.hidden or hiding else "none"
    last = tests[-1]
    if last["end"] == outcomes.PASSED:
        return "stale" if last["edited"] else "passed" if not last["perhaps"] else "passed, perhaps stale"
    return "" if again else last["end"]
