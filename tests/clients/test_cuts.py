"""Cuts on real clients: killed or stopped in a call, a turn limit, a lost connection; what is left is told, and taken up."""

from __future__ import annotations

import os
import signal
import time
from typing import Any

import pytest
from directed import until
from generations import NEWEST
from loop import ROOT, launch, news, reacting, rows, wake
from requested import done, halt, halting, leads, settle, states
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, failure, parent, text
from rig.session import Headless, arguments
from sessions import anew as follow
from test_sessions import kill

TOOLS = "Agent Task SendMessage ToolSearch TaskStop Bash Write"
OPEN = "printf 2 > count.txt; sleep 120; printf 3 > never.txt"
GO = (r"wants bg-1 to go on. Resume it now", wake)
LEFT = ("part.txt", "count.txt")


def work(home: Home) -> list[Any]:
    """Two calls, the second of which is cut; then it goes on."""
    return [
        text("First the part.") + call("Write", file_path=str(home.project / "part.txt"), content="one"),
        text("Next: count.") + call("Bash", command=OPEN, description="Count"),
        done("Finished."),
    ]


def in_the_call(home: Home) -> None:
    until((home.project / "count.txt").exists, "the second call has begun")
    time.sleep(0.3)


def left_and_step(words: str, *, stopped: bool = False) -> None:
    """The continuation names each file, the call that was cut, and takes that for the open step."""
    assert "Your last run was cut (" in words
    files = words.partition("Files changed since the launch")[2].partition("Last call:")[0]
    assert all(f"> {name}" in files for name in LEFT), files
    assert "never.txt" not in files
    last, _, step = words.partition("Last call:")[2].partition("Open step:")
    assert "printf 2 > count.txt" in last
    came = "it was stopped before it came back" if stopped else "no result of it was seen"
    assert f"({came})" in last
    assert ("nobody has refused it" in step) == stopped
    assert "printf 2 > count.txt" in step
    assert "Go on with the open step" in words


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_client_that_is_killed_in_the_middle_of_a_call(host: str) -> None:
    """The next session says what was interrupted; `go` wakes the same agent with what it left."""
    with Model(Script()) as model, Home(model.url) as home:
        model.script = Script(
            ("agent", asked("COUNT-TASK"), work(home)),
            ("parent", parent, reacting((r"label: bg-1 for this task", launch("COUNT-TASK")), GO)),
        )
        with Headless(home, host, arguments([ROOT], tools=TOOLS)) as run:
            run.send("/bg:bg Count them")
            in_the_call(home)
            until(lambda: bool(rows(home, "SELECT 1 FROM launches WHERE agent <> ''")), "it is bound")
            before = run.session_id
            kill(run)
        with Headless(home, host, arguments([ROOT], tools=TOOLS, resume=before)) as run:
            run.send("Where were we?")
            settle(run, home, host, "it is interrupted", lambda: states(home) == {"bg-1": "interrupted"})
            run.send("/bg-answer bg-1 go")
            settle(run, home, host, "it goes on", lambda: states(home) == {"bg-1": "done"})
            run.finish()
        left_and_step(news(model.by("agent")[-1]))
        assert len(rows(home, "SELECT 1 FROM launches")) == 1
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.197", NEWEST)
def test_an_agent_that_is_stopped_in_the_middle_of_a_call(host: str) -> None:
    """Its parent hears what it left; `go` wakes it with that. (2.1.7 offers no way to stop an agent.)"""
    with Model(Script()) as model, Home(model.url) as home:
        rules = ((r"label: bg-1 for this task", launch("COUNT-TASK")), (r"HALT it", halt), GO)
        model.script = Script(
            ("agent", asked("COUNT-TASK"), work(home)),
            ("parent", parent, [halting(step) for step in reacting(*rules)]),
        )
        with Headless(home, host, arguments([ROOT], tools=TOOLS)) as run:
            run.send("/bg:bg Count them")
            in_the_call(home)
            leads(run, home, host, "HALT it", "bg-1", "stopped")
            left = "What it left, from its transcript and the disk"
            words = model.wait_for(lambda r: r.actor == "parent" and left in r.all_text()).all_text()
            account = words.rpartition(left)[2]
            assert "was cut off before it could report (killed)" in words
            assert all(f"> {name}" in account for name in LEFT)
            assert "printf 2 > count.txt" in account.partition("Open step:")[2]
            run.send("/bg-answer bg-1 go")
            settle(run, home, host, "it goes on", lambda: states(home) == {"bg-1": "done"})
            run.finish()
        left_and_step(news(model.by("agent")[-1]), stopped=True)
        assert rows(home, "SELECT text FROM errors") == []


LOST = {
    "in the midst of a reply": text("The report has these parts: " + "one, " * 200).dropped(),
    "refused until the client gives up": failure(500, "api_error", "Internal server error"),
}


@pytest.mark.parametrize("how", LOST)
@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_connection_that_is_lost(host: str, how: str) -> None:
    """It is no report in prose: the task has failed, the parent and the user hear why and what is left, `go` goes on."""
    with Model(Script()) as model, Home(model.url) as home:

        def rest(request: Request) -> Reply:
            return done("Finished.")(request) if "## STATE RESTORATION" in news(request) else LOST[how]

        steps = [
            text("First the part.") + call("Write", file_path=str(home.project / "part.txt"), content="one"),
            text("Next: count.") + call("Bash", command="printf 2 > count.txt", description="Count"),
            *[rest] * 40,
        ]
        heir = ("heir", asked("## CONTINUATION"), [done("Finished.")])
        by_new_agent = (r"wants bg-1 to go on. Resume it now: launch a new agent", follow)
        rules = ((r"label: bg-1 for this task", launch("COUNT-TASK")), by_new_agent, GO)
        model.script = Script(heir, ("agent", asked("COUNT-TASK"), steps), ("parent", parent, reacting(*rules)))
        env = {"CLAUDE_CODE_MAX_RETRIES": "2"}
        with Headless(home, host, arguments([ROOT], tools=TOOLS), env=env) as run:
            leads(run, home, host, "/bg:bg Count them", "bg-1", "failed")
            told = model.wait_for(lambda r: r.actor == "parent" and "was cut off before" in r.all_text()).all_text()
            run.send("/bg-answer bg-1 go")
            settle(run, home, host, "it goes on", lambda: states(home) == {"bg-1": "done"})
            run.finish()
        anew = (host, how) == ("2.1.7", "in the midst of a reply")  # it would wake without what came before
        reason = told.rpartition("was cut off before it could report (")[2]
        assert reason.startswith(
            ("failed). What it wrote", "API error). What it wrote", "no answer from the model). What")
        )
        assert reason.startswith("no answer") or "> API Error: " in reason
        assert all(f"> {name}" in reason.partition("What it left")[2] for name in LEFT)
        assert ("To go on with it: launch a new agent" if anew else "To go on with it: call ") in reason
        assert len(model.by("heir")) == anew
        gone_on = [each.all_text() for each in model.by("heir")] or [news(each) for each in model.by("agent")]
        words = next(each for each in gone_on if "## STATE RESTORATION" in each)
        assert all(f"> {name}" in words for name in LEFT)
        assert "COUNT-TASK" in words if anew else len(rows(home, "SELECT 1 FROM launches")) == 1
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.258", NEWEST)
def test_an_agent_that_has_come_to_its_turn_limit(host: str) -> None:
    """It has used up its turns: the continuation says so, what it left, and what it was about to do."""
    with Model(Script()) as model, Home(model.url) as home:
        steps = [
            text("First the part.") + call("Write", file_path=str(home.project / "part.txt"), content="one"),
            text("Next: count the parts.") + call("Bash", command="printf 2 > count.txt", description="Count"),
            done("Finished."),
        ]
        rules = ((r"label: bg-1 for this task", launch("COUNT-TASK", subagent_type="short")), GO)
        model.script = Script(("agent", asked("COUNT-TASK"), steps), ("parent", parent, reacting(*rules)))
        folder = home.project / ".claude" / "agents"
        folder.mkdir(parents=True)
        (folder / "short.md").write_text("---\nname: short\ndescription: Two turns\nmaxTurns: 2\n---\nYou count.\n")
        with Headless(home, host, arguments([ROOT], tools=TOOLS)) as run:
            leads(run, home, host, "/bg:bg Count them", "bg-1", "unreported")
            run.send("/bg-answer bg-1 go")
            settle(run, home, host, "it goes on", lambda: states(home) == {"bg-1": "done"})
            run.finish()
        words = news(model.by("agent")[-1])
        assert "Your last run was cut (" in words
        assert all(f"> {name}" in words for name in LEFT)
        assert "printf 2 > count.txt" in words.partition("Last call:")[2]
        assert "Next: count the parts." in words.partition("Open step:")[2]
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_machine_that_sleeps_in_the_middle_of_a_call(host: str) -> None:
    """The client stands still for a while and goes on: its agent is not called dead, and reports as usual."""
    with Model(Script()) as model, Home(model.url) as home:
        short = call("Bash", command="printf 2 > count.txt; sleep 1", description="Count")
        model.script = Script(
            ("agent", asked("COUNT-TASK"), [text("Count.") + short, done("Finished.")]),
            ("parent", parent, reacting((r"label: bg-1 for this task", launch("COUNT-TASK")))),
        )
        with Headless(home, host, arguments([ROOT], tools=TOOLS)) as run:
            run.send("/bg:bg Count them")
            in_the_call(home)
            os.killpg(run.process.pid, signal.SIGSTOP)
            time.sleep(4)
            os.killpg(run.process.pid, signal.SIGCONT)
            leads(run, home, host, "Where were we?", "bg-1", "done")
            run.finish()
        assert len(model.by("agent")) == 2
        assert len(rows(home, "SELECT 1 FROM launches")) == 1
        assert rows(home, "SELECT text FROM errors") == []
