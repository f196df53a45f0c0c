"""Whatever fails in a hook: a launch of ours gets its identity or is refused with a reason; no other one is touched."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any, Callable, Optional

import pytest
from answers import check_answer
from bg.ledger import spool
from drive import recorded

ROOT = Path(__file__).resolve().parents[2]
NEWEST = "2.1.327"


class Hooks:
    """One session whose events go through `hooks/run`, with a ledger and an interpreter that a test may break."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.data = root / "data"
        self.data.mkdir()
        (self.data / "python").write_text(f"{sys.executable}\n")
        self.env = {
            "HOME": str(root),
            "PATH": "/usr/bin:/bin",
            "BG_DATA": str(self.data),
            "TMPDIR": str(root),
            "BG_HOST_PID": str(os.getpid()),
        }

    def send(self, name: str, tool: str = "", **changes: Any) -> dict[str, Any]:
        payload = {
            **recorded(NEWEST, "background", name, tool),
            "session_id": "s1",
            "transcript_path": str(self.root / ".claude" / "projects" / "p" / "s1.jsonl"),
            "cwd": str(self.root),
            **changes,
        }
        done = subprocess.run(
            ["sh", str(ROOT / "hooks" / "run")],
            input=json.dumps(payload, separators=(",", ":")),
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        return check_answer(name, done.stdout) or {}

    def launch(self, description: str, **given: Any) -> dict[str, Any]:
        whole = {"description": description, "prompt": "Look.", "subagent_type": "general-purpose", **given}
        said = self.send("PreToolUse", "Agent", tool_use_id="toolu_1", tool_input=whole)
        return dict(said.get("hookSpecificOutput", {}))

    def sql(self, text: str) -> None:
        with closing(sqlite3.connect(self.data / "ledger.db")) as book:
            book.executescript(text)

    @property
    def kept(self) -> list[str]:
        return [
            json.loads(Path(path).read_text())["hook_event_name"] for path in spool.waiting(str(self.data), time.time())
        ]


@pytest.fixture
def hooks(tmp_path: Path) -> Hooks:
    made = Hooks(tmp_path)
    assert "bg-1" in str(made.send("UserPromptSubmit", prompt="/bg Audit"))
    return made


def refused(said: dict[str, Any], why: str) -> None:
    assert said.get("permissionDecision") == "deny", said
    assert why in said["permissionDecisionReason"]
    assert "Nothing was launched." in said["permissionDecisionReason"]


def fails_in_the_middle(hooks: Hooks) -> None:
    """A statement of the handler is refused, as by anything that nobody has thought of."""
    hooks.sql("CREATE TRIGGER t BEFORE INSERT ON launches BEGIN SELECT RAISE(ABORT, 'no such luck'); END")


def newer_schema(hooks: Hooks) -> None:
    hooks.sql("PRAGMA user_version=9")


def no_folder_for_it(hooks: Hooks) -> None:
    """Where the ledger stood is a link that leads to nowhere now."""
    (hooks.data / "ledger.db").rename(hooks.root / "elsewhere")
    (hooks.data / "ledger.db").symlink_to(hooks.root / "gone" / "ledger.db")


def damaged(hooks: Hooks) -> None:
    with (hooks.data / "ledger.db").open("r+b") as file:
        file.write(os.urandom(200))


def no_interpreter_to_speak_of(hooks: Hooks) -> None:
    """Python is killed before anything of ours has run; that it starts at all is seen when it is asked."""
    broken = hooks.root / "broken"
    broken.write_text('#!/bin/sh\ncase "$*" in *version_info*) exit 0 ;; esac\ncat >/dev/null\nexit 137\n')
    broken.chmod(0o755)
    (hooks.data / "python").write_text(f"{broken}\n")


FAILURES: dict[str, tuple[Callable[[Hooks], None], str]] = {
    "the handler": (fails_in_the_middle, "the hook failed with IntegrityError: no such luck"),
    "the schema": (newer_schema, "was written by a newer version of the bg plugin"),
    "the folder": (no_folder_for_it, "unable to open database file"),
    "the file": (damaged, "the ledger that knew bg-1 was damaged and is kept aside"),
    "the interpreter": (no_interpreter_to_speak_of, "the plugin's hook failed"),
}


@pytest.mark.parametrize(("breaks", "why"), FAILURES.values(), ids=FAILURES.keys())
def test_a_launch_of_ours_is_refused(breaks, why, hooks):
    """Its reason names what failed, and nothing of it waits to be taken for a launch later."""
    breaks(hooks)
    refused(hooks.launch("bg-1: audit"), why)
    assert "PreToolUse" not in hooks.kept


@pytest.mark.parametrize("breaks", [pair[0] for pair in FAILURES.values()], ids=FAILURES.keys())
def test_another_launch_is_let_go(breaks, hooks):
    """Nothing in it is ours: no label, another type, in the foreground."""
    breaks(hooks)
    assert hooks.launch("look around", subagent_type="Explore", run_in_background=False) == {}


@pytest.mark.parametrize("breaks", [newer_schema, no_interpreter_to_speak_of, fails_in_the_middle])
def test_our_type_shows_it_too(breaks, hooks):
    breaks(hooks)
    refused(hooks.launch("audit", subagent_type="bg:worker"), "")


def test_an_open_window_shows_it_too(hooks):
    """The ledger can be read, so it tells what the description does not."""
    fails_in_the_middle(hooks)
    refused(hooks.launch("audit"), "no such luck")


def test_a_busy_ledger(hooks):
    """Another hook writes for longer than this one waits; the next try has the label and the identity."""
    with closing(sqlite3.connect(hooks.data / "ledger.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        refused(hooks.launch("audit"), "database is locked")
        other.execute("ROLLBACK")
    assert hooks.launch("audit")["updatedInput"]["description"] == "bg-1: audit"


def test_a_subagents_own_launch_is_its_own_affair(hooks):
    newer_schema(hooks)
    given = {"description": "bg-1: audit", "prompt": "Look."}
    assert hooks.send("PreToolUse", "Agent", agent_id="a1", tool_use_id="toolu_1", tool_input=given) == {}


def test_what_waits_and_cannot_be_read_costs_no_launch(hooks, monkeypatch):
    """The spool holds a folder by the name of an event."""
    (hooks.data / "spool").mkdir()
    (hooks.data / "spool" / "1-1.json").mkdir()
    assert hooks.launch("bg-1: audit")["updatedInput"]["run_in_background"] is True


def test_the_trace_of_a_refusal_is_shown(hooks):
    fails_in_the_middle(hooks)
    hooks.launch("bg-1: audit")
    shown: Optional[str] = str(hooks.send("UserPromptSubmit", prompt="/bg-status"))
    assert shown
    assert "no such luck" in shown
