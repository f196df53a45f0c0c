"""What the user and the parent are told of an agent that runs, waits, has fallen silent, is gone, or has grown too large."""

from __future__ import annotations

import json
import os
import re
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from disks import Sick
from drive import plain
from play import block, notification, questions

LIMIT = 5_242_880
SPOKEN = (("user", "Look"), ("assistant", "I have looked at everything."))
UNTOLD, OVER = "", "end_turn"
UNKNOWN: dict[str, Any] = {
    "ids alone": ["a1"],
    "ids of another name": [{"task_id": "a1", "status": "running"}],
    "numbers": [{"id": 7}],
    "one that is known and one that is not": [{"id": "b1", "status": "running"}, {"agent": "a1"}],
    "a record": {"running": ["a1"]},
    "a number": 1,
    "nothing": None,
}


def agent_file(host: Sick, agent: str) -> Path:
    return host.home / ".claude" / "projects" / "p" / host.session / "subagents" / f"agent-{agent}.jsonl"


def passes(host: Sick, seconds: float, agent: str = "a1") -> None:
    """So much time goes by in which this agent writes nothing."""
    with closing(sqlite3.connect(host.data / "ledger.db")) as book, book:
        book.execute("UPDATE runs SET began = began - ?", (seconds,))
        book.execute("UPDATE launches SET made = made - ?, bound = bound - ?", (seconds, seconds))
    path = agent_file(host, agent)
    if path.exists():
        os.utime(path, (time.time() - seconds,) * 2)


def calls_a_tool(host: Sick) -> None:
    """The last that the agent's transcript has is a call whose result is not there yet."""
    call = {"type": "tool_use", "name": "Bash", "id": "t1", "input": {"command": "make"}}
    content = [{"type": "text", "text": "I run it."}, call]
    with agent_file(host, "a1").open("a") as file:
        file.write(json.dumps({"type": "assistant", "uuid": "call", "message": {"content": content}}) + "\n")


def state(host: Sick) -> str:
    [row] = host.rows("SELECT state FROM tasks")
    return str(row["state"])


def line(host: Sick) -> str:
    """What /bg-status says of the task."""
    return plain(host.hook(host.prompt("/bg-status")).whole["reason"])


def test_active_quiet_waiting_gone(tmp_path):
    """One agent through all of it, as the table and the user's line show it."""
    host = Sick(tmp_path)
    token = host.launches("a1")["a1"]
    host.agent_says("a1", ("user", "Look"), ("assistant", "I begin."))
    host.hook(host.stop(running=("a1",)))
    assert re.match(r"Working 1 bg-1 \w+ working look$", line(host))
    assert "quiet" not in line(host)
    calls_a_tool(host)
    passes(host, 25 * 60)
    said = host.hook(host.prompt("What now?")).notice
    assert said == "bg-1 has written nothing for 25m · /bg-status bg-1"
    assert host.hook(host.prompt("And now?")).notice == ""
    assert "quiet since 25m" in line(host)
    host.hook(host.stop(running=("a1",)))
    assert state(host) == "working", "quiet is not gone"

    host.hook(host.ends("a1", block("CLARIFICATION_NEEDED", token, questions=questions("Which format?"))))
    assert "asks" in line(host) and "Q1 “Which format?”" in line(host)
    passes(host, 25 * 60)
    [task] = host.bgctl("status")
    assert (task["state"], task["quiet"]) == ("needs_answer", 0.0), "who waits for the user is not quiet"
    host.hook(host.prompt(notification("a1", "asks")))
    host.hook(host.stop(last="bg-1 Q1 is for you"))
    host.hook(host.prompt("/bg-answer bg-1 Q1: CSV"))
    sending = host.sends("s1", "a1", "Go on.")
    host.hook(host.sent(sending, host.hook(sending).whole["hookSpecificOutput"]["updatedInput"]))
    assert state(host) == "working"

    host.agent_says("a1", ("user", "CSV"), ("assistant", "Half of word-a1-x is done."))
    passes(host, 60)
    said = host.hook(host.stop(running=()))
    assert said.context.count("word-a1-x") == 1, "the host does not list it any more, and nobody has said so"
    assert state(host) == "unreported"


@pytest.mark.parametrize("shape", UNKNOWN)
def test_an_agent_on_a_list_that_cannot_be_read_is_alive(shape, tmp_path):
    """Only a list that can be read and does not name it ends an agent."""
    host = Sick(tmp_path)
    token = host.launches("a1")["a1"]
    passes(host, 600)
    host.hook({**host.stop(), "background_tasks": UNKNOWN[shape]})
    assert state(host) == "working"
    host.hook(host.reports("a1", token))
    assert host.hook(host.prompt(notification("a1", "done"))).context.count("word-a1-x") == 1


def test_an_agent_that_is_not_on_the_list_is_gone(tmp_path):
    host = Sick(tmp_path)
    host.launches("a1")
    passes(host, 600)
    host.hook({**host.stop(), "background_tasks": [{"id": "b1"}]})
    assert state(host) == "unreported"


@pytest.mark.parametrize(
    ("reason", "seconds", "ends"),
    [
        (OVER, 50, "working"),
        (OVER, 70, "unreported"),
        (UNTOLD, 70, "working"),
        (UNTOLD, 850, "working"),
        (UNTOLD, 950, "unreported"),
    ],
)
def test_a_host_without_a_list(reason, seconds, ends, tmp_path):
    """Its last words are a minute old; where nothing says that they are the last, a call may still be on its way."""
    host = Sick(tmp_path, version="2.1.100")
    host.launches("a1")
    host.agent_says("a1", *SPOKEN, reason=reason)
    passes(host, seconds)
    host.hook(host.stop())
    assert state(host) == ends


@pytest.mark.parametrize("last", ["a tool call", "its prompt", "nothing"])
def test_a_host_without_a_list_and_an_agent_without_last_words(last, tmp_path):
    """A long tool call or a slow model is no end."""
    host = Sick(tmp_path, version="2.1.100")
    host.launches("a1")
    if last != "nothing":
        host.agent_says("a1", ("user", "Look"))
    if last == "a tool call":
        calls_a_tool(host)
    passes(host, 3 * 3600)
    host.hook(host.stop())
    assert state(host) == "working"


WITHOUT = "MiB beyond which Claude Code 2.1.197 wakes it without its memory"


@pytest.mark.parametrize(
    ("size", "risk"),
    [
        (LIMIT * 4 // 5 - 1, ""),
        (LIMIT * 4 // 5, f"its transcript has 4.0 MiB, near the 5.0 {WITHOUT}"),
        (LIMIT, f"its transcript has 5.0 MiB, near the 5.0 {WITHOUT}"),
        (LIMIT + 1, f"its transcript has 5.0 MiB, more than the 5.0 {WITHOUT}"),
        (2 * LIMIT, f"its transcript has 10.0 MiB, more than the 5.0 {WITHOUT}"),
    ],
)
@pytest.mark.parametrize("version", ["2.1.197", "2.1.327"])
def test_the_parent_is_told_of_a_transcript_that_nears_the_limit(version, size, risk, tmp_path):
    """In the line that says how to resume, and in the user's table, to the byte, where the host has the limit."""
    risk = risk if version == "2.1.197" else ""
    host = Sick(tmp_path, version=version)
    token = host.launches("a1")["a1"]
    host.agent_says("a1", *SPOKEN)
    with Path(host.stop()["transcript_path"]).open("a") as file:
        file.write(json.dumps({"type": "user", "version": version}) + "\n")
    os.truncate(agent_file(host, "a1"), size)
    host.hook(host.ends("a1", block("CLARIFICATION_NEEDED", token, questions=questions("Which format?"))))
    told = host.hook(host.prompt(notification("a1", "asks"))).context
    assert ("call SendMessage" in told) == ("more than" not in risk)
    assert re.findall(r"Mind that (.*?)\.(?: |$)", told) == ([risk] if "near" in risk else [])
    found = [item["found"] for item in host.doctor() if item["subject"] == "resume"]
    assert found == ([f"bg-1: {risk}"] if risk else [])


def test_an_agent_that_the_host_lists_is_not_ended_by_an_event_without_the_list(tmp_path):
    """It waits on work of its own behind its last words; the user types meanwhile."""
    host = Sick(tmp_path, AI_AGENT="claude-code_2-1-327_agent")
    host.launches("a1")
    host.agent_says("a1", *SPOKEN)
    passes(host, 300)
    host.hook(host.stop(running=("a1",)))
    host.hook(host.prompt("What now?"))
    assert state(host) == "working"
