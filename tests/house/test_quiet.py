"""A session without tasks of this plugin: what its hooks start there, counted, and what they say that they do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bg.ledger import place
from drive import Drive, block
from recordings import VERSIONS, everything, recorded

ROOT = Path(__file__).resolve().parents[2]
REGISTERED = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
AT_PROMPTS_AND_TOOLS = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure")
#: What hooks/run may start. Only these are on its PATH, and each leaves its name.
PROGRAMS = ("sh", "dd", "cat", "find", "mkdir", "mv", "rm", "tr", "python3")


class Counted:
    """A home in which every program that a hook starts is counted."""

    def __init__(self, root: Path) -> None:
        self.root, self.bin, self.log = root, root / "bin", root / "started"
        self.bin.mkdir()
        for name in PROGRAMS:
            real = sys.executable if name == "python3" else shutil.which(name)
            path = self.bin / name
            path.write_text(f"#!/bin/sh\necho {name} >>'{self.log}'\nexec '{real}' \"$@\"\n")
            path.chmod(0o755)
        self.data = root / "data"
        self.data.mkdir()
        (self.data / "python").write_text(f"{self.bin / 'python3'}\n")

    def hook(self, event: dict[str, Any]) -> tuple[Counter[str], str]:
        """What one event starts, and what is answered."""
        done = subprocess.run(
            ["/bin/sh", str(ROOT / "hooks" / "run")],
            input=json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode(),
            env={"HOME": str(self.root), "PATH": str(self.bin), "BG_DATA": str(self.data)},
            capture_output=True,
        )
        assert (0, b"") == (done.returncode, done.stderr)
        started = self.log.read_text().split() if self.log.exists() else []
        self.log.unlink(missing_ok=True)
        return Counter(started), done.stdout.decode()


@pytest.fixture
def counted(tmp_path: Path) -> Counted:
    return Counted(tmp_path)


def registered(event: dict[str, Any]) -> bool:
    """Whether the host would start the hook for this event."""
    entries = REGISTERED.get(event["hook_event_name"], [])
    return any("matcher" not in entry or event.get("tool_name") in entry["matcher"].split("|") for entry in entries)


def plain(version: str) -> Iterator[dict[str, Any]]:
    """Each kind of recorded event, in a project whose folder is called like this plugin."""
    seen = set()
    for _, event in everything(version):
        kind = (event["hook_event_name"], event.get("tool_name"), "agent_id" in event)
        if kind not in seen and registered(event) and event["hook_event_name"] != "SessionStart":
            seen.add(kind)
            place = {"cwd": "/home/me/bg", "transcript_path": "/home/me/bg/.claude/projects/-home-me-bg/s.jsonl"}
            yield {**event, **{key: value for key, value in place.items() if key in event}}


@pytest.mark.parametrize("version", VERSIONS)
def test_without_tasks_an_event_starts_one_reader_and_no_python(version, counted):
    kinds = [*plain(version)]
    assert set(AT_PROMPTS_AND_TOOLS) <= {event["hook_event_name"] for event in kinds}
    for event in kinds:
        assert (Counter(dd=1), "") == counted.hook(event), event
    assert [counted.data / "python"] == [*counted.data.iterdir()]


@pytest.mark.parametrize(
    "words",
    [
        "Look at /srv/bg/main.py",
        "what does https://example.org/bg do?",
        'Run "bg" again',
        "git bg-fetch",
        'Set {"agent":"bg:worker"}',
    ],
)
def test_a_prompt_that_only_mentions_the_name_starts_no_python(words, counted):
    event = {"session_id": "s1", "cwd": "/bg", "hook_event_name": "UserPromptSubmit", "prompt": words}
    assert (Counter(dd=1), "") == counted.hook(event)


@pytest.mark.parametrize(
    "event",
    [
        {"hook_event_name": "UserPromptSubmit", "prompt": "/bg-status"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "/bg:bg-status"},
        {"hook_event_name": "UserPromptSubmit", "prompt": "\n /bg-status"},
        {"hook_event_name": "PostToolUse", "tool_name": "Skill", "tool_input": {"skill": "bg:bg", "args": "Audit"}},
        {"hook_event_name": "PostToolUse", "tool_name": "Skill", "tool_input": {"skill": "bg", "args": "Audit"}},
        {"hook_event_name": "PostToolUse", "tool_name": "Skill", "tool_input": {"skill": "/bg:bg", "args": "Audit"}},
    ],
)
def test_a_command_of_the_plugin_is_answered(event, counted):
    started, said = counted.hook({"session_id": "s1", "transcript_path": "", "cwd": "/srv", **event})
    assert 1 == started["python3"]
    assert "No background tasks here" in said or "label: bg-1" in said


def test_a_session_begins_with_one_python_and_marks_nothing(counted):
    started, said = counted.hook(
        {
            "session_id": "s1",
            "transcript_path": "",
            "cwd": "/srv",
            "hook_event_name": "SessionStart",
            "source": "startup",
        }
    )
    assert (1, "") == (started["python3"], said)
    assert not (counted.data / "sessions").exists()
    assert not (counted.data / "ledger.db").exists()


def test_every_hook_says_when_it_does_anything_and_all_but_the_first_are_gated():
    """In hooks.json's description and in the README, as a reviewer looks for it."""
    said = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["description"]
    lines = [line for line in said.splitlines() if ":hooks/" in line]
    assert [*REGISTERED, "Module"] == [line.partition(":")[0] for line in lines]
    assert all(line.endswith("; network none") and "; reads " in line for line in lines)
    assert ["SessionStart", "Module"] == [line.partition(":")[0] for line in lines if " - gated by " not in line]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    privacy = readme.partition("\n## Privacy\n")[2].partition("\n## ")[0]
    assert lines == [line[2:] for line in privacy.splitlines() if line.startswith("- ")]


NETWORK = {"socket", "ssl", "http", "urllib.request", "ftplib", "smtplib", "asyncio", "socketserver", "xmlrpc"}


def test_what_users_get_imports_nothing_that_reaches_a_network():
    """Only `bgctl install-packages` does, by starting pip."""
    for path in [*(ROOT / "hooks").iterdir(), *(ROOT / "scripts" / "bg").rglob("*.py"), ROOT / "scripts" / "bgctl"]:
        text = path.read_text(encoding="utf-8")
        named = set(re.findall(r"^\s*(?:from|import) ([\w.]+)", text, re.MULTILINE))
        assert not {name for name in named if {name, name.partition(".")[0]} & NETWORK}, path
        assert path.name == "packages.py" or '"pip"' not in text, path


def test_a_whole_task_opens_no_socket_and_starts_nothing_but_git(tmp_path):
    """From the command to the checked report, with what Python itself says that it does."""
    opened: list[str] = []
    watching = True

    def audit(event: str, given: tuple[Any, ...]) -> None:
        if watching and event.startswith(("socket.", "subprocess.Popen", "os.exec", "os.posix_spawn", "os.system")):
            opened.append(f"{event} {Path(str(given[0])).name}" if "Popen" in event else event)

    sys.addaudithook(audit)
    try:
        drive = Drive(VERSIONS[-1], tmp_path)
        drive.prompt("/bg Audit")
        token = drive.launch("Audit", "a1")
        drive.ends("a1", block("COMPLETION_REPORT", token))
        drive.announced("a1")
        drive.stop()
    finally:
        watching = False
    assert set(opened) <= {"subprocess.Popen git"}, opened


def test_nothing_of_an_agent_that_is_not_ours_is_stored(drive):
    """In a session with a task of ours, another agent's launch, words and end leave nothing behind."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    call = {"description": "look", "prompt": "Look at PRIVATE-TASK", "subagent_type": "Explore"}
    payload = recorded(VERSIONS[-1], "background", "PreToolUse", "Agent")
    assert {} == drive.send(payload, tool_input=call, tool_use_id="toolu_other")
    drive.ends("b9", "Found PRIVATE-WORDS.")
    drive.ends("a1", block("COMPLETION_REPORT", token))
    drive.announced("a1")
    drive.stop()
    kept = [path.read_bytes() for path in Path(place.directory()).rglob("*") if path.is_file()]
    assert any(b"The login has no rate limit." in content for content in kept)
    assert not [content for content in kept if b"PRIVATE-" in content]
