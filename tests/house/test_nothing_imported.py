"""Nothing of a project is ever imported or started: modules of the library's names, and programs, lie in wait there."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from recordings import events

ROOT = Path(__file__).resolve().parents[2]
BGCTL = ROOT / "scripts" / "bgctl"
NAMES = (
    "types", "json", "sqlite3", "_sqlite3", "venv", "importlib", "argparse", "subprocess", "pathlib", "encodings", "site", "runpy",
    "sitecustomize", "usercustomize", "yaml", "jsonschema", "pip", "ensurepip", "bg", "packages",
)  # fmt: skip
PROGRAMS = ("python3", "python", "git", "node", "claude", "ps", "sh", "dd", "cat")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A cloned repository in which every import and every start leaves a canary."""
    folder = tmp_path / "project"
    (folder / "importlib").mkdir(parents=True)
    canaries = tmp_path / "canaries"
    canaries.mkdir()
    for name in NAMES:
        path = folder / "importlib" / "__init__.py" if name == "importlib" else folder / f"{name}.py"
        path.write_text(f"open({str(canaries / name)!r}, 'a').close()\nraise SystemExit(0)\n")
    for name in PROGRAMS:
        (folder / name).write_text(f"#!/bin/sh\n: >'{canaries / name}.program'\n")
        (folder / name).chmod(0o755)
    (folder / ".claude").mkdir()
    (folder / ".claude" / "bg.json").write_text('{"max_corrections": 2}')
    return folder


def run(project: Path, command: list[str], text: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    """A command as the host, or a user, starts it in the project."""
    home = project.parent / "home"
    return subprocess.run(
        command,
        input=text,
        text=True,
        cwd=project,
        capture_output=True,
        timeout=120,
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", **env},
    )


def woken(project: Path) -> list[str]:
    return sorted(path.name for path in (project.parent / "canaries").iterdir())


def told(project: Path, payload: dict[str, Any]) -> str:
    whole = {**payload, "session_id": "s1", "cwd": str(project), "transcript_path": str(project / "none.jsonl")}
    return json.dumps(whole, separators=(",", ":"))


@pytest.mark.parametrize("noted", [True, False], ids=["noted interpreter", "no note"])
def test_no_hook_imports_or_starts_anything_of_a_project(project: Path, noted: bool) -> None:
    data = project.parent / "home" / ".claude" / "bg"
    data.mkdir(parents=True)
    if noted:
        (data / "python").write_text(f"{sys.executable}\n")
    seen = set()
    scene = events("2.1.197", "resume")
    start = next(event for event in scene if event["hook_event_name"] == "SessionStart")
    for event in [start, {**scene[1], "hook_event_name": "UserPromptSubmit", "prompt": "/bg:bg Audit"}, *scene]:
        name = (event["hook_event_name"], event.get("tool_name", ""))
        if name in seen and event.get("prompt") != "/bg:bg Audit":
            continue
        seen.add(name)
        done = run(project, [str(ROOT / "hooks" / "run")], told(project, event))
        assert done.returncode == 0
        assert done.stderr == ""
    assert {"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStop", "Stop"} <= {
        name for name, _ in seen
    }
    until = time.monotonic() + 2
    while not woken(project) and time.monotonic() < until and not noted:
        time.sleep(0.1)  # what a hook might have left running in the background
    assert woken(project) == []


@pytest.mark.parametrize(
    "environment",
    [{}, {"PATH": ".::/usr/bin:/bin"}, {"PYTHONPATH": "."}],
    ids=["plain", "PATH names the folder", "PYTHONPATH names the folder"],
)
@pytest.mark.parametrize(
    "words", ["doctor", "status", "status --json", "export", "statusline", "shortcuts", "check -", "install-packages"]
)
def test_no_command_imports_or_starts_anything_of_a_project(
    project: Path, words: str, environment: dict[str, str]
) -> None:
    if environment.get("PYTHONPATH"):
        for name in ("sitecustomize", "usercustomize", "encodings", "site", "types"):
            (project / f"{name}.py").unlink()  # these the user's own PYTHONPATH brings into every Python, before ours
        (project / "importlib" / "__init__.py").unlink()
        (project / "importlib").rmdir()
    data = project.parent / "home" / ".claude" / "bg"
    data.mkdir(parents=True)
    (data / "python").write_text(f"{sys.executable}\n")  # which the doctor asks for the packages
    done = run(project, [sys.executable, str(BGCTL), *words.split()], **environment)
    assert done.returncode in (0, 1), done.stderr
    assert "Traceback" not in done.stderr
    assert woken(project) == []


def sources() -> list[Path]:
    return [*sorted((ROOT / "scripts" / "bg").rglob("*.py")), BGCTL, *sorted((ROOT / "hooks").glob("*.py"))]


def test_programs_are_started_in_five_places_only() -> None:
    """`machine` for everything, apart from the project; git where a check asks it; bgctl where its Python is too old.

    The pager of a user who reads a report on a terminal. And the runner: the one place where a shell gets the user's
    words, and git asked what they run on.
    """
    starting = {
        path.relative_to(ROOT).as_posix()
        for path in sources()
        if re.search(r"\b(subprocess\.\w+\(|os\.(?:system|popen|exec\w+|spawn\w+|posix_spawnp?)\()", path.read_text())
    }
    assert starting == {
        "scripts/bg/machine.py",
        "scripts/bg/evidence/baseline.py",
        "scripts/bg/evidence/runner.py",
        "scripts/bg/desk/paging.py",
        "scripts/bgctl",
    }


def test_no_python_is_started_but_isolated() -> None:
    for path in sources():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not ast.unparse(node.func).startswith("subprocess."):
                continue
            first = ast.unparse(node.args[0])
            given = {word.arg for word in node.keywords}
            users = "['/bin/sh', '-c', SHELL, 'sh', job.command]" if path.name == "runner.py" else ""
            known = first in ("command", "['sh', finder]", users) or "git" in first or "SAFE" in first
            assert known, f"{path}: {first}"
            assert path.name != "machine.py" or {"cwd", "env"} <= given
    interpreters = re.findall(
        r"^.*(?:sys\.executable|python3).*$", (ROOT / "scripts/bg/desk/packages.py").read_text(), re.MULTILINE
    )
    assert not [line for line in interpreters if "machine.ask" in line]
    python = ast.parse((ROOT / "scripts" / "bg" / "machine.py").read_text())
    for name in ("python", "become"):
        isolated = next(node for node in python.body if isinstance(node, ast.FunctionDef) and node.name == name)
        assert "[interpreter, '-I', *arguments]" in ast.unparse(isolated)
    runner = (ROOT / "scripts" / "bg" / "evidence" / "verify.py").read_text()
    assert 'isolated = [sys.executable, "-I", "-S"' in runner
    assert runner.count("sys.executable") == 1
    started = re.findall(r'"\$python" (-.*)$', (ROOT / "hooks" / "run").read_text(), re.MULTILINE)
    assert started
    assert all(flags.startswith("-I ") for flags in started)
    assert os.access(BGCTL, os.X_OK)
