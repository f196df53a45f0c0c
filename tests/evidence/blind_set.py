"""The reports that were written blind, each built on disk as its run left it, and what a check sees of its list."""

from __future__ import annotations

import json
import lzma
import os
import subprocess
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from bg.evidence import MISMATCH, SEEN, Evidence, Finding, Launch, examine
from bg.evidence.calls import Call
from bg.evidence.declared import read as lines_of
from bg.protocol import signals
from bg.words import goals
from drive import stamp
from world import writing

FOLDER = Path(__file__).parent / "blind"
TOKEN = "bg-7-abcdefghij"  # noqa: S105
GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main",
       "-c", "core.autocrlf=false", "-c", "core.quotepath=false"]  # fmt: skip


class Checked(NamedTuple):
    """A case with what was seen of it."""

    name: str
    honest: bool
    false: list[str]  # the false lines that stand in the list
    elsewhere: list[str]  # the false lines that stand in prose only
    listed: bool
    evidence: Evidence

    @property
    def doubted(self) -> list[Finding]:
        """What was found not to match."""
        return self.evidence.mismatches

    def grade(self, line: str) -> str:
        """The worst grade of what stands in a line."""
        grades = {found.grade for found in self.evidence.findings if _tight(found.line) == _tight(line)}
        return MISMATCH if MISMATCH in grades else SEEN if SEEN in grades else "only said"


def cases(packed: Path) -> list[dict]:
    """The cases of a packed file."""
    return list(json.loads(lzma.decompress(packed.read_bytes())))


def half(name: str) -> list[dict]:
    """The cases of a kept set: `developed`, `held-out`."""
    return cases(FOLDER / f"{name}.json.xz")


def check(case: dict) -> Checked:
    """A case built on disk, and what is seen of its report."""
    with tempfile.TemporaryDirectory(prefix="bg-blind-") as place:
        return _check(case, Path(os.path.realpath(place)))


def _check(case: dict, place: Path) -> Checked:
    root = place / "project"
    root.mkdir()
    at = time.time() - 60
    for name, text in case["before"].items():
        _write(root / name, text, at - 3600)
    _git(root, "init", "-q")
    _git(root, "add", "-A", "-f")
    _git(root, "commit", "-q", "--allow-empty", "-m", "before the launch")
    head = _git(root, "rev-parse", "HEAD")
    for name, text in case["after"].items():
        if case["before"].get(name) != text:
            _write(root / name, text, _changed_at(name, case["calls"], at))
    for name in set(case["before"]) - set(case["after"]):
        (root / name).unlink(missing_ok=True)
        _clear(root, (root / name).parent)
    hashes = []
    for number, words in enumerate(case.get("commits") or []):
        if number == 0:
            _git(root, "add", "-A", "-f")
        _git(root, "commit", "-q", "--allow-empty", "-m", words)
        hashes.append(_git(root, "rev-parse", "HEAD"))
    slots = {"@ROOT@": str(root), "@TOKEN@": TOKEN, **{f"@HASH{n}@": name[:7] for n, name in enumerate(hashes, 1)}}
    report = _filled(case["report"], slots)
    calls = json.loads(_filled(json.dumps(case["calls"], ensure_ascii=False), slots))
    transcript = place / "agent-1.jsonl"
    transcript.write_text(
        "".join(json.dumps(line) + "\n" for line in _spoken(case["task"], calls, at)), encoding="utf-8"
    )
    signal = signals.read(report).deciding
    fields = signal.fields if signal and signal.marker == "COMPLETION_REPORT" else None
    evidence = examine(report, fields, Launch(root, root, head, at), str(transcript), goals.of(case["task"]))
    listed = {_tight(item.line) for item in lines_of(str((fields or {}).get("evidence") or ""))[0]}
    false = [_filled(each["line"], slots) for each in case["false"]]
    declared = [line for line in false if _tight(line) in listed]
    return Checked(
        case["name"], case["honest"], declared, [line for line in false if line not in declared], bool(listed), evidence
    )


def _tight(line: str) -> str:
    return "".join(sign for sign in line if not sign.isspace()).lstrip("-*•+")


def _filled(text: str, slots: dict[str, str]) -> str:
    for slot, value in slots.items():
        text = text.replace(slot, value)
    return text


def _write(path: Path, text: str, when: float) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    os.utime(path, (when, when))


def _changed_at(name: str, calls: list[dict], at: float) -> float:
    """Within the last call that names a file, else within the last command."""
    number = writing(name, [Call(call["tool"], call["input"]) for call in calls])
    return at + 2 * max(0, number - 1) + 0.5


def _clear(root: Path, folder: Path) -> None:
    while folder not in (root, root.parent) and folder.is_dir() and not any(folder.iterdir()):
        folder.rmdir()
        folder = folder.parent


def _git(root: Path, *arguments: str) -> str:
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        [*GIT, "-C", str(root), *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout.strip()


def _spoken(task: str, calls: list[dict], at: float) -> list[dict]:
    """The transcript as the host writes it: a call, then its result."""
    lines: list[dict] = [{"type": "user", "message": {"role": "user", "content": task}}]
    for number, call in enumerate(calls):
        use = {"type": "tool_use", "id": f"t{number}", "name": call["tool"], "input": call["input"]}
        result = call.get("result") or ""
        answer = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "content": result,
            "is_error": bool(call.get("error")),
        }
        begun, ended = stamp(at + 2 * number), stamp(at + 2 * number + 1)
        lines.append({"type": "assistant", "timestamp": begun, "message": {"role": "assistant", "content": [use]}})
        lines.append({"type": "user", "timestamp": ended, "message": {"role": "user", "content": [answer]}})
    return lines
