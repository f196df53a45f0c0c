"""The kept reports of tests/evidence/reports, each built on disk as it was at the end of its run, with its transcript."""

from __future__ import annotations

import contextlib
import json
import lzma
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

from bg.evidence import Evidence, Launch, examine
from bg.evidence.calls import Call
from bg.protocol import signals
from drive import stamp
from world import writing

CORPUS = Path(__file__).parent / "reports" / "cases.json.xz"
AGENT = "bg-task-0c0ffe"
SETTLED = 10  # seconds by which the launch lies behind the making of its tree
GIT = ["git", "-c", "user.name=corpus", "-c", "user.email=corpus@example.org", "-c", "core.autocrlf=false", "-c",
       "init.defaultBranch=main"]  # fmt: skip


class Case(NamedTuple):
    """One report of the corpus."""

    name: str
    honest: bool
    given: dict


def cases() -> list[Case]:
    """All of them; the file is packed, as it is large and nobody edits it."""
    given = json.loads(lzma.decompress(CORPUS.read_bytes()))
    return [Case(each.pop("name"), each.pop("honest"), each) for each in given]


def check(case: Case, place: Path) -> tuple[Evidence, Launch]:
    """A case built below a home of its own, and what is seen of it."""
    with _home(str(place)):
        given, launch, transcript = build(case.given, Path(os.path.realpath(place)))
        signal = signals.read(given["report"]).deciding
        block = signal is not None and signal.marker == "COMPLETION_REPORT"
        told = given["launch"]
        brief = {"Goal": told["goal"], "Deliverables": told["deliverables"], "Done when": told["done_when"]}
        return examine(given["report"], signal.fields if block else None, launch, str(transcript), brief), launch


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
    for name, text in {**case["after"], **case.get("outside", {})}.items():
        if text is None:
            _remove(project, name)
        else:
            _write(project, name, text, at + _changed(case, name))
    transcript = home / ".claude" / "projects" / "p" / "s" / "subagents" / "agent-1.jsonl"
    transcript.parent.mkdir(parents=True)
    transcript.write_text("".join(json.dumps(line) + "\n" for line in spoken(case, at, str(cwd))), encoding="utf-8")
    return case, Launch(project, cwd, head, at), transcript


def _changed(case: dict, name: str) -> float:
    """When a file changes: within the last call that names it, else within the last command, unless others wrote it."""
    step = _step(case)
    number = writing(name, [Call(tool["name"], tool["input"]) for tool in case["tools"]])
    others = name in (case.get("by_others") or ())
    return step / 4 if others or not number else (2 * number - 0.5) * step


def _step(case: dict) -> float:
    return case["duration_s"] / (2 * len(case["tools"]) + 1)


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
    step = _step(case)

    def line(number: int, kind: str, message: dict, **more) -> dict:
        moment = at + number * step
        return {"type": kind, "isSidechain": True, "agentId": "1", "uuid": f"u{number}", "timestamp": stamp(moment), "cwd": cwd,
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
