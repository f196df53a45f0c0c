"""What the launch asked for, and what prose says that was not seen: criteria and notes, no reason to doubt a report."""

from __future__ import annotations

import re

from bg.evidence import named, purposes, runs
from bg.evidence.calls import WRITING, Calls
from bg.evidence.disk import Disk, count
from bg.evidence.finding import Evidence, Finding, short
from bg.evidence.form import Item
from bg.evidence.whose import OTHERS, OWN, Whose
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 20
READ = ("deliverables", "done when")
PASSED = pattern(
    r"(?<![\w.])[1-9]\d*\s+(?:tests?\s+)?(?:passed|passing|pass)(?!\w)|\btests?\s+(?:all\s+)?(?:pass(?:ed|es)?|"
    r"are green)(?!\w)|"
    r"(?<!\d)(\d{1,5})/\1 (?:tests?|pass)",
    re.IGNORECASE,
)
NOT_PASSED = pattern(
    r"(?<!\w)(?:not|no|n't|never|should|would|could|will|if|once|until|fail\w*|without|unable)(?!\w)", re.IGNORECASE
)


def judge(disk: Disk, calls: Calls, brief: Mapping[str, str], evidence: Evidence) -> None:
    """The launch's files and commands, each seen or not."""
    lines = {name.lower(): text for name, text in brief.items()}
    whose = Whose(disk, calls)
    for name in evidence.first(named.paths(lines.get("deliverables", "")), MOST, "asked"):
        _file(disk, whose, name, evidence, wanted=True)
    criteria = lines.get("done when", "")
    ran = evidence.first(named.commands(criteria), MOST, "asked")
    for command in ran:
        evidence.asked.append(runs.judge(calls, Item(command, "ran", command, passed=True)))
    for name in evidence.first(named.paths(criteria), MOST, "asked"):
        if not any(name in command for command in ran) and not any(name == each.subject for each in evidence.asked):
            _file(disk, whose, name, evidence, wanted=False)


def _file(disk: Disk, whose: Whose, name: str, evidence: Evidence, *, wanted: bool) -> None:
    place = disk.project.place(name)
    if place.outside:
        return
    if not place.found:
        if disk.existed(name):
            evidence.asked.append(Finding(name, "asked", name, "gone"))
        elif place.certain:
            evidence.asked.append(Finding(name, "asked", name, "not found"))
            evidence.note("asked and not there", name)
        return
    files = tuple(each for each in place.found if each.regular)
    by = {whose.of_path(each.path) for each in files if disk.changed(each)}
    if OWN in by or not wanted:
        evidence.asked.append(Finding(name, "asked", name, "changed" if OWN in by else "there"))
    elif by:
        evidence.asked.append(Finding(name, "asked", name, "by another hand" if OTHERS in by else "by somebody"))
    elif disk.any_changed(files) is False:
        evidence.asked.append(Finding(name, "asked", name, "unchanged"))


def notes(disk: Disk, calls: Calls, report: str, deliverables: str, evidence: Evidence, *, success: bool) -> None:
    """What a report says in prose and the host did not see."""
    if calls.idle and success and report.strip():
        evidence.note("no tool used", "")
    for name in evidence.first(named.paths(deliverables), MOST, "delivered") if success else []:
        place = disk.project.place(name)
        before = disk.existed(name)
        if not place.found and place.certain and not place.outside and not before and not calls.said(name):
            evidence.note("named and not there", name)
    for path, line in list(named.places(report))[: 2 * MOST]:
        _place(disk, calls, path, line, evidence)
    _untested(calls, report, evidence)
    _in_vain(calls, report, evidence)


def _place(disk: Disk, calls: Calls, path: str, line: int, evidence: Evidence) -> None:
    place = disk.project.place(path)
    if place.outside or not place.certain or calls.said(path):
        return
    texts = [disk.text(each) for each in place.found if each.regular]
    texts += [disk.earlier(name) for name in disk.existed(path)[:5]]
    if None not in texts and all(line > count(text or "") + 1 for text in texts):
        evidence.note("no such place", f"{path}:{line}")


def _untested(calls: Calls, report: str, evidence: Evidence) -> None:
    """Tests that are said to pass, in a run that called nothing that could have run them."""
    if not calls.known or calls.hidden:
        return
    if any(purposes.is_test(part) or purposes.hides(part) for call in calls.shells for part in call.parts):
        return
    for sentence in re.split(r"(?<=[.!?])\s|\n", report[:20_000]):
        if PASSED.search(sentence) and not NOT_PASSED.search(re.sub(r"\b(?:0|no) fail\w*", "", sentence)):
            evidence.note("no tests seen", short(sentence, 100))
            return


def _in_vain(calls: Calls, report: str, evidence: Evidence) -> None:
    """A named file whose last writing failed."""
    last: dict[str, bool] = {}
    for call in calls.calls:
        if call.name in WRITING and call.answered and call.path:
            last[call.path] = call.failed
    for path, failed in last.items():
        name = path.rsplit("/", 1)[-1]
        if failed and name in report and not any(name in call.command for call in calls.shells):
            evidence.note("write failed", name)
