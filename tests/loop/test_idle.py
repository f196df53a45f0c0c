"""A session in which nothing is due starts no Python for what the user types; whatever is due wakes it."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from bg.ledger import place
from drive import Drive, block, context
from recordings import VERSIONS

ROOT = Path(__file__).resolve().parents[2]
NEWEST = VERSIONS[-1]


def is_idle(drive: Drive) -> bool:
    return Path(place.idle(place.directory(), drive.session)).exists()


@pytest.fixture
def started(tmp_path: Path):
    """Whether an event starts Python: in its place stands a trap."""
    data = tmp_path / "data"
    (data / "sessions").mkdir(parents=True)
    trap = tmp_path / "trap"
    trap.write_text("#!/bin/sh\necho started >&2\ncat >/dev/null\n")
    trap.chmod(0o755)
    (data / "python").write_text(f"{trap}\n")
    (data / "sessions" / "s1").touch()
    (data / "sessions" / "s1.idle").touch()
    os.utime(data / "sessions" / "s1", (time.time() - 9, time.time() - 9))

    def start(name: str, **event) -> bool:
        whole = {"session_id": "s1", "transcript_path": "/bg/x", "cwd": "/bg-2", "hook_event_name": name, **event}
        done = subprocess.run(
            ["sh", str(ROOT / "hooks" / "run")],
            input=json.dumps(whole, separators=(",", ":"), ensure_ascii=False),
            text=True,
            capture_output=True,
            env={"HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "BG_DATA": str(data)},
        )
        assert (0, "") == (done.returncode, done.stdout)
        return done.stderr == "started\n"

    start.data = data
    return start


@pytest.mark.parametrize("words", ["hello", "What does the parser do?\nIt is slow.", "", "see /etc and a <tag>"])
def test_what_a_user_types_starts_no_python(words, started):
    assert not started("UserPromptSubmit", prompt=words)
    assert not started("Stop", stop_hook_active=False)


@pytest.mark.parametrize(
    "words",
    [
        "/bg Look",
        "/bg:bg Look",
        "  /bg-answer bg-1 Q1: yes",
        "and bg-12?",
        "<task-notification>\n<task-id>a</task-id>",
        '<agent-message from="a">',
        "Another Claude session sent a message:\n",
        "<system-reminder>\n[SYSTEM NOTIFICATION - not typed]\n<task-notification>",
        "\u0001",
    ],
)
def test_what_may_be_ours_starts_python(words, started):
    assert started("UserPromptSubmit", prompt=words)


@pytest.mark.parametrize(
    "name", ["SessionStart", "SessionEnd", "SubagentStop", "PreToolUse", "PostToolUse", "PostToolUseFailure"]
)
def test_every_other_event_starts_python(name, started):
    assert started(name, tool_name="Agent", tool_input={"prompt": "Look"})


def test_what_waits_in_the_spool_starts_python(started):
    (started.data / "spool").mkdir()
    assert not started("UserPromptSubmit", prompt="hello")
    (started.data / "spool" / "1-1.json").write_text("{}")
    assert started("UserPromptSubmit", prompt="hello")


def test_an_older_version_of_the_plugin_wakes_the_session_by_touching_the_marker(started):
    os.utime(started.data / "sessions" / "s1", (time.time() + 9, time.time() + 9))
    assert started("UserPromptSubmit", prompt="hello")


def test_a_session_is_idle_once_all_is_received(drive):
    drive.prompt("/bg Audit")
    assert not is_idle(drive), "its window is open"
    token = drive.launch("Audit", "a1")
    drive.stop()
    assert not is_idle(drive), "its agent works"
    drive.ends("a1", block("COMPLETION_REPORT", token))
    assert not is_idle(drive), "its report is not said"
    drive.announced("a1")
    assert not is_idle(drive), "its report may not have arrived"
    drive.stop()
    assert is_idle(drive)
    drive.prompt("/bg Another")
    assert not is_idle(drive)


@pytest.mark.parametrize("marker", ["CLARIFICATION_NEEDED", "STOP_WORK"])
def test_a_session_in_which_something_is_asked_stays_awake(marker, drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block(marker, token))
    drive.announced("a1")
    for _ in range(3):
        drive.stop()
        drive.prompt("hello")
        assert not is_idle(drive)


def test_a_launch_that_was_approved_and_forgotten_keeps_the_session_awake(drive):
    """Its requester has ended without it; the parent is told again with the next prompts."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block("DELEGATE_WORK", token, blocks_current_work="true"))
    drive.announced("a1")
    drive.prompt("/bg-answer bg-1 D1: approve")
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token))
    drive.announced("a1")
    drive.stop()
    assert not is_idle(drive)
    assert "The user approved bg-1 D1. Launch this now" in context(drive.prompt("What now?"))


def test_a_hook_that_is_killed_leaves_the_session_awake(drive, monkeypatch):
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.ends("a1", "No block.")
    drive.ends("a1", "No block.")
    drive.announced("a1")
    drive.stop()
    assert is_idle(drive)
    monkeypatch.setattr("bg.loop.turns.prompt", lambda _scene: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        drive.prompt("/bg Audit")
    assert not is_idle(drive)


def test_words_that_are_not_proven_yet_keep_a_session_awake(drive):
    """Else nobody would ever say that they do not count, and what is closed would never close."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.stop()
    drive.prompt("Thanks")
    assert is_idle(drive)
    drive.writes = False
    drive.prompt("/bg-answer bg-1 close")
    drive.stop()
    assert not is_idle(drive)
    drive.advance(60)
    assert "is not known to come from you" in drive.stop()["systemMessage"]
    assert drive.rows("SELECT closed FROM tasks") == [{"closed": None}]
