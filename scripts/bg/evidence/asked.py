"""Promises of the launch or the report, seen or absent; and tests that were weakened."""

from __future__ import annotations

from bg.evidence import named, programs
from bg.evidence.calls import WRITING, Calls
from bg.evidence.declared import Item
from bg.evidence.disk import Disk
from bg.evidence.finding import Evidence, Finding
from bg.evidence.ran import Judge
from bg.evidence.schemas import without_schemas
from bg.evidence.whose import OTHERS, OWN, UNKNOWN, Whose
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 20
READ = ("deliverables", "done when")
TEST_FILE = pattern(
    r"(?:^|/)(?:tests?|specs?|__tests__)/.*\.\w+$|(?:^|/)test_[^/]*$|[._-](?:test|spec|tests)\.[^/]*$|_test\.\w+$|Tests?\.\w+$"
)
SKIP = pattern(
    r"\b(?:it|test|describe|context)\.(?:skip|todo)\b|\bx(?:it|describe|test)\(|@pytest\.mark\.(?:skip|xfail)|@unittest\.skip|"
    r"\bpytest\.skip\(|\bt\.Skip(?:f|Now)?\(|#\[ignore|@Ignore\b|@Disabled\b|\bmarkTestSkipped\("
)


_BY = {OTHERS: "by another hand", UNKNOWN: "by somebody"}


def judge(disk: Disk, judge: Judge, whose: Whose, brief: Mapping[str, str], evidence: Evidence) -> None:
    """Judge the files and commands that the launch asks for."""
    lines = {name.lower(): text for name, text in brief.items()}
    for name in evidence.first(named.paths(without_schemas(lines.get("deliverables", ""))), MOST, "asked"):
        _file(disk, whose, name, evidence, wanted=True)
    criteria = lines.get("done when", "")
    ran = evidence.first(named.commands(criteria), MOST, "asked")
    evidence.asked += [judge.judge(Item(command, "ran", command, passed=True)) for command in ran]
    known = {each.subject for each in evidence.asked}
    for name in evidence.first(named.paths(criteria), MOST, "asked"):
        if name not in known and not any(name in command for command in ran):
            _file(disk, whose, name, evidence, wanted=False)


def _file(disk: Disk, whose: Whose, name: str, evidence: Evidence, *, wanted: bool) -> None:
    reason = _standing(disk, whose, name, wanted=wanted)
    if reason:
        evidence.asked.append(Finding(name, "asked", name, reason))


def _standing(disk: Disk, whose: Whose, name: str, *, wanted: bool) -> str:
    """The reason for the finding on an asked-for file; empty if it needs none."""
    place = disk.project.place(name)
    if place.found and not place.outside:
        files = tuple(each for each in place.found if each.regular)
        by = {whose.of_path(each.path) for each in filter(disk.changed, files)}
        unchanged = "unchanged" if disk.any_changed(files) is False else ""
        return "changed" if OWN in by else _BY.get(max(by, default=""), unchanged) if wanted else "there"
    return _missing(disk, name) if place.certain and not place.outside else ""


def _missing(disk: Disk, name: str) -> str:
    return "gone" if disk.existed(name) else "not found"


def absent(disk: Disk, report: str, deliverables: str, items: list[Item], evidence: Evidence) -> None:
    """Add a finding on each file that a success promised and that is not there: asked for, or named as delivered."""
    asked = [each.subject for each in evidence.asked if (each.kind, each.reason) == ("asked", "not found")]
    named_so = evidence.first(named.paths(without_schemas(deliverables)), MOST, "delivered")
    told = _told(items)
    for name in filter(lambda name: _is_absent(disk, name), dict.fromkeys([*asked, *named_so])):
        if _file_name(name) not in told and not _is_elsewhere(disk, name, report):
            reason = "asked and absent" if name in asked else "named and absent"
            evidence.findings.append(Finding(name, "promised", name, reason))


def at_another_place(disk: Disk, report: str, items: list[Item], evidence: Evidence) -> None:
    """Change the finding on a missing file if the report names another place for it and does not call it open."""
    left = "\n".join(item.line for item in items if item.kind == "open")
    for index, found in enumerate(evidence.asked):
        missing = (found.kind, found.reason) == ("asked", "not found") and _file_name(found.subject) not in left
        if missing and _is_elsewhere(disk, found.subject, report):
            evidence.asked[index] = found._replace(reason="at another place")


def _told(items: list[Item]) -> str:
    """The declared lines on files, which are judged by themselves, and on work that is left open."""
    return "\n".join(item.line for item in items if item.kind in ("wrote", "changed", "moved", "open"))


def _is_absent(disk: Disk, name: str) -> bool:
    """Whether it is certain that a file is not there, and was not at launch."""
    place = disk.project.place(name)
    missing = place.certain and not place.found and not place.outside and named.is_file(name)
    return missing and not disk.existed(name) and not disk.project.has_ending(_file_name(name))


def _is_elsewhere(disk: Disk, name: str, report: str) -> bool:
    """Whether a line of the report that names the file also names another that is there, or outside the project."""
    for line in report.split("\n"):
        others = [each for each in named.paths(line) if each != name]
        places = [disk.project.place(each) for each in others] if _file_name(name) in line else []
        if any(place.found or place.outside for place in places):
            return True
    return False


def _file_name(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def notes(disk: Disk, calls: Calls, report: str, evidence: Evidence, *, success: bool) -> None:
    """Note facts that a reader should know, though they may not be faults."""
    if calls.idle and success and report.strip():
        evidence.note("no tool used", "")
    for name in _in_vain(calls):
        if name in report:
            evidence.note("write failed", name)
    _weakened(disk, evidence)


def _in_vain(calls: Calls) -> list[str]:
    """Files whose last write failed, and that no command names."""
    last = {_file_name(call.path): call.failed for call in calls.calls if call.name in WRITING and call.answered}
    lines = "\n".join(call.command for call in calls.shells)
    return [name for name, failed in last.items() if failed and name not in lines]


def _weakened(disk: Disk, evidence: Evidence) -> None:
    """Note weakened tests, as git alone shows them: test files that the run removed, and skips that it added."""
    for name in evidence.facts.get("removed", []):
        if TEST_FILE.search(name):
            evidence.note("tests removed", name)
    for name in evidence.facts.get("changed", []):
        found = disk.project.at(name) if TEST_FILE.search(name) else None
        before = disk.earlier(name) if found else None
        now = disk.text(found) if found and before is not None else None
        more = len(SKIP.findall(now or "")) - len(SKIP.findall(before or ""))
        if more > 0:
            evidence.note("skips added", f"{name} (+{more})")


def may_test(calls: Calls) -> bool:
    """Whether some call may have run tests."""
    commands = [each for call in calls.shells for each in call.commands]
    return any(programs.looks_like_a_test(each.words) or programs.may_start(each.words, "") for each in commands)
