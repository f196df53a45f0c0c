"""Plays the cases of tests/evidence/reports on disk, has each report examined, and compares the findings with the labels."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import posixpath
import re
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from bg.evidence import Evidence, Finding, Launch, examine
from bg.protocol import signals

CORPUS = Path(__file__).parent / "reports"
SIDES = ("false", "honest")
AGENT = "bg-task-0c0ffe"
RUNS = {"ran", "ran-in-chain", "failed-as-said", "never-run", "failed-last"}
SETTLED = 10  # seconds by which the launch lies behind the making of its tree
GIT = [
    "git",
    "-c",
    "user.name=corpus",
    "-c",
    "user.email=corpus@example.org",
    "-c",
    "core.autocrlf=false",
    "-c",
    "init.defaultBranch=main",
]


class Labelled(NamedTuple):
    """One case of the corpus."""

    name: str
    side: str
    case: dict


@dataclass
class Measured:
    """One case with its evidence and what became of each label."""

    name: str
    honest: bool
    held_out: bool
    evidence: Evidence
    outcomes: list[tuple[dict, str]] = field(default_factory=list)
    alarms: list[Finding] = field(default_factory=list)
    unlisted: list[Finding] = field(default_factory=list)


def held_out(name: str) -> bool:
    """A third of the cases, by a hash of the name, was not looked at while the checker was first written.

    The first look at them gave 20 of 33 false claims refuted and 2 of 32 honest reports refuted (commit 9329920); what
    that showed was then mended, so that since then their figures say no more than those of the others.
    """
    return hashlib.sha256(name.encode()).digest()[0] % 3 == 0


def corpus() -> list[Labelled]:
    return [
        Labelled(case.pop("name"), side, case)
        for side in SIDES
        for case in json.loads((CORPUS / f"{side}.json").read_text(encoding="utf-8"))
    ]


def measure(labelled: Labelled) -> Measured:
    """A case built below a home of its own, examined and compared."""
    name, side, case = labelled
    with tempfile.TemporaryDirectory(prefix="bg-corpus-") as home, _home(home):
        case, launch, transcript = build(case, Path(os.path.realpath(home)))
        signal = signals.read(case["report"]).deciding
        block = signal is not None and signal.marker == "COMPLETION_REPORT"
        brief = {
            "Goal": case["launch"]["goal"],
            "Deliverables": case["launch"]["deliverables"],
            "Done when": case["launch"]["done_when"],
        }
        evidence = examine(
            case["report"], signal.fields if block else None, launch, str(transcript), case["duration_s"], brief
        )
    found = Measured(name, side == "honest", held_out(name), evidence)
    compare(found, case, str(launch.root))
    return found


@contextlib.contextmanager
def _home(home: str):
    before = os.environ.get("HOME", "")
    os.environ["HOME"] = os.path.realpath(home)
    try:
        yield
    finally:
        os.environ["HOME"] = before


def build(case: dict, home: Path) -> tuple[dict, Launch, Path]:
    """The project as it was at the end of the run, with times and a commit that tell launch and run apart."""
    project, outside = home / "code" / "project", home / "elsewhere"
    project.mkdir(parents=True)
    outside.mkdir()
    filled = json.dumps(case)
    for slot, value in (
        ("project", str(project)),
        ("outside", str(outside)),
        ("tilde", "~/code/project"),
        ("agent_id", AGENT),
    ):
        filled = filled.replace("{" + slot + "}", value)
    case = json.loads(filled)
    at = time.time() + SETTLED
    for name, text in case["before"].items():
        _write(project, name, text, at - case["launch"]["head_age"])
    head = _commit(project, at - case["launch"]["head_age"]) if case["git"] else ""
    cwd = project / case.get("cwd", ".")
    if case.get("worktree"):
        _git(project, "worktree", "add", "-q", "--detach", str(cwd), "HEAD")
        for name in case["before"]:
            os.utime(cwd / name, (at, at))
    cwd.mkdir(parents=True, exist_ok=True)
    for number, (name, text) in enumerate({**case["after"], **case.get("outside", {})}.items(), 1):
        if text is None:
            _remove(project, name)
        else:
            _write(project, name, text, at + number)
    transcript = home / ".claude" / "projects" / "p" / "s" / "subagents" / "agent-1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(json.dumps(line) + "\n" for line in spoken(case, at, str(cwd))), encoding="utf-8")
    return case, Launch(project, cwd, head, at), transcript


def _write(project: Path, name: str, text: str, when: float) -> None:
    path = Path(os.path.normpath(project / name))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8"))
    os.utime(path, (when, when))


def _remove(project: Path, name: str) -> None:
    path = project / name
    path.unlink()
    for parent in path.parents:
        if parent == project or any(parent.iterdir()):
            break
        parent.rmdir()


def _git(project: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        [*GIT, "-C", str(project), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def _commit(project: Path, when: float) -> str:
    _git(project, "init", "-q")
    _git(project, "add", "-A", "-f")
    _git(project, "commit", "-q", "--allow-empty", "-m", "before the launch", "--date", f"@{int(when)} +0000")
    return _git(project, "rev-parse", "HEAD")


def spoken(case: dict, at: float, cwd: str):
    """The agent's transcript as the host writes it: one line a message, a result behind each call."""
    step = case["duration_s"] / (2 * len(case["tools"]) + 1)

    def line(number: int, kind: str, message: dict, **more) -> dict:
        stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at + number * step)) + ".000Z"
        return {"type": kind, "isSidechain": True, "agentId": "1", "uuid": f"u{number}", "timestamp": stamp, "cwd": cwd,
                "sessionId": "s", "version": "2.1.197", "message": message, **more}  # fmt: skip

    launch = case["launch"]
    prompt = f"Goal: {launch['goal']}\nDeliverables: {launch['deliverables']}\nDone when: {launch['done_when']}"
    yield line(0, "user", {"role": "user", "content": prompt})
    for number, tool in enumerate(case["tools"], 1):
        use = {"type": "tool_use", "id": f"toolu_{number:02}", "name": tool["name"], "input": tool["input"]}
        yield line(2 * number - 1, "assistant", {"role": "assistant", "content": [use], "stop_reason": "tool_use"})
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": tool["result"]}
        if tool["is_error"]:
            result["is_error"] = True
        more = {"stdout": tool["stdout"], "stderr": "", "interrupted": False} if "stdout" in tool else tool["result"]
        yield line(2 * number, "user", {"role": "user", "content": [result]}, toolUseResult=more)
    text = {"type": "text", "text": case["report"]}
    yield line(
        2 * len(case["tools"]) + 1, "assistant", {"role": "assistant", "content": [text], "stop_reason": "end_turn"}
    )


def compare(found: Measured, case: dict, project: str) -> None:
    """Each label with the gravest finding on the same thing, and the refutations that hit no false claim."""
    report = _tight(case["report"])
    hit: set[int] = set()
    for claim in case["claims"]:
        same = [one for one in found.evidence.findings if _same(one, claim, report, project)]
        grades = {one.grade for one in same}
        outcome = next((grade for grade in ("refuted", "verified", "attested", "claimed") if grade in grades), "unseen")
        found.outcomes.append((claim, outcome))
        if claim["grade"] == "refuted":
            hit |= {id(one) for one in same if one.grade == "refuted"}
    for one in found.evidence.refuted:
        if id(one) in hit:
            continue
        true = any(claim["grade"] != "refuted" and _same(one, claim, report, project) for claim in case["claims"])
        (found.alarms if found.honest or true else found.unlisted).append(one)


def _same(one: Finding, claim: dict, report: str, project: str) -> bool:
    kind, subject = claim["kind"], claim["subject"]
    if not claim["decidable"]:
        if kind == "reference":
            return _plain(one.subject, project) == _plain(subject, project)
        return one.kind == kind and _overlap(one, claim, report)
    if claim["state"] in RUNS:
        return one.kind in {"tests", "command", "metric"} and _overlap(one, claim, report)
    if claim["state"] == "idle":
        return one.kind == "work" and one.subject == "run" and _overlap(one, claim, report)
    if claim["state"] in {"renamed", "not-renamed"}:
        return " -> " in one.subject and _overlap(one, claim, report)
    if one.kind in {"tests", "command", "metric"} or (one.kind == "work" and one.subject == "run"):
        return False
    if kind == "quote":
        return one.kind == "quote" and _paths_match(one.subject, subject, project) and _overlap(one, claim, report)
    if kind == "reference" and claim["state"] == "quote":
        return one.kind in {"quote", "reference"} and _paths_match(one.subject, subject, project)
    if one.kind == "quote":
        return False
    return _paths_match(one.subject, subject, project) or _paths_match(one.subject, claim.get("at", subject), project)


def _tight(text: str) -> str:
    return re.sub(r"\s+", "", text)


def _overlap(one: Finding, claim: dict, report: str) -> bool:
    """Whether a finding's words and a claim's stand at the same place of the report."""
    words = _tight(one.claim.rstrip("…"))
    label = _tight(claim["claim"])
    if not words:
        return False
    if words not in report:
        return (
            one.subject in claim["claim"]
            or claim["subject"] in one.subject
            or one.claim.split(",")[0] in claim["claim"]
        )
    starts = [match.start() for match in re.finditer(re.escape(words), report)]
    places = [match.start() for match in re.finditer(re.escape(label), report)]
    return any(start < place + len(label) and place < start + len(words) for start in starts for place in places)


def _plain(subject: str, project: str) -> str:
    plain = subject.replace("\\", "/").replace("~/code/project", project)
    plain = plain.replace(project + "/", "")
    lines = re.search(r":\d+(-\d+)?$", plain)
    path = plain[: lines.start()] if lines else plain
    return posixpath.normpath(path) + (lines[0] if lines else "")


def _paths_match(one: str, other: str, project: str) -> bool:
    first, second = _plain(one, project), _plain(other, project)
    return first == second or first.endswith("/" + second) or second.endswith("/" + first)
