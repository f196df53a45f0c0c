"""Sessions on the real clients: resumed, killed, cleared, forked, two at once; each task ends with its report, told once."""

from __future__ import annotations

import os
import signal
import threading

import pytest
from directed import until
from generations import NEWEST
from loop import block, news, one, reminders, rows, token, wake
from rig.home import Home
from rig.model import Model
from rig.script import text
from rig.session import Headless
from sessions import PROMPT, anew, cast, close_up, left_asking, session, settled, taken_up, told_list
from test_loop import CANNOT_RESUME, ended, later, reminded

OLD_AND_NEW = ("2.1.7", "2.1.38", "2.1.197", NEWEST)


def kill(run: Headless) -> None:
    """The client's own process dies at once; nothing is said to any hook."""
    os.kill(run.process.pid, signal.SIGKILL)
    run.process.wait(10)


@pytest.mark.versions(*OLD_AND_NEW)
def test_a_question_outlives_its_session(host: str) -> None:
    """Resumed in a new process: what waits is said, the answer wakes the agent that asked, its report is told once."""
    script = cast(
        later(block("CLARIFICATION_NEEDED"), 0.3),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", wake),),
    )
    with Model(script) as model, Home(model.url) as home:
        before = left_asking(model, home, host)
        with session(home, host, resume=before) as run:
            line = taken_up(run, model, home, host)
            assert line.startswith("- bg-1 (“audit the auth code”): needs answer; to go on: ")
        first, resumed = model.by("agent")
        assert token(first) == token(resumed)
        assert "A1: Both" in news(resumed)
        assert "A2: no" in news(resumed)
        assert len(rows(home, "SELECT 1 FROM launches")) == 1


@pytest.mark.versions("2.1.7", "2.1.38", CANNOT_RESUME, "2.1.197", NEWEST)
def test_an_agent_whose_session_was_killed_goes_on_in_the_next(host: str) -> None:
    """The task is interrupted, the session is told how it goes on, and doing so ends in a report."""
    never = threading.Event()
    script = cast(
        lambda request: block("COMPLETION_REPORT")(request).after(never),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Go on with it", anew if host == CANNOT_RESUME else wake),),
    )
    with Model(script) as model, Home(model.url) as home:
        with session(home, host) as run:
            run.send(PROMPT)
            model.wait_for(lambda request: request.actor == "agent")
            until(lambda: bool(rows(home, "SELECT 1 FROM launches WHERE agent <> ''")), "it is bound")
            # Killed before that, nobody could wake it.
            until(lambda: any(path.name.startswith("agent-") for path in home.transcripts()), "it is written down")
            before = run.session_id
            kill(run)
        never.set()
        with session(home, host, resume=before) as run:
            run.send("Where were we?")
            line, _, way = told_list(model, "Where were we?")[0].partition("; to go on: ")
            assert line == "- bg-1 (“audit the auth code”): interrupted"
            assert bool(way) == (host != CANNOT_RESUME)
            assert one(home, "SELECT state FROM tasks") == {"state": "interrupted"}
            run.send("Go on with it")
            reminded(run, model, home, "reports partial success", 2, host)
            last = close_up(run, model, home, ["partial"])
        worked = [request.actor for request in model.requests if request.actor in ("agent", "heir")]
        assert worked == (["agent", "heir"] if host == CANNOT_RESUME else ["agent", "agent"])
        assert len(reminders(last, "bg-1 (")) == 1
        assert {row["label"] for row in rows(home, "SELECT label FROM launches")} == {"bg-1"}


@pytest.mark.versions(*OLD_AND_NEW)
def test_what_the_killed_session_never_said_is_said_once_in_the_next(host: str) -> None:
    """The report is durable, and the client dies before its parent, which is busy, has heard it."""
    go, never = threading.Event(), threading.Event()
    script = cast(
        lambda request: block("COMPLETION_REPORT")(request).after(go),
        rules=(("Think hard", text("Hm.").after(never)),),
    )
    with Model(script) as model, Home(model.url) as home:
        with session(home, host) as run:
            run.send(PROMPT)
            until(lambda: bool(run.results) and bool(model.by("agent")), lambda: run.events)
            run.send("Think hard")
            model.wait_for(lambda request: request.actor == "parent" and "Think hard" in request.last_user_text())
            go.set()
            ended(home, 1)
            before = run.session_id
            kill(run)
        assert not any(reminders(request) for request in model.requests)
        assert not settled(home)
        with session(home, host, resume=before) as run:
            run.send("Where were we?")
            told = model.wait_for(
                lambda request: request.actor == "parent" and "Where were we?" in request.last_user_text()
            )
            last = close_up(run, model, home, ["partial"])
        assert len(reminders(told, "bg-1 (")) == 1
        assert len(reminders(last, "bg-1 (")) == 1
