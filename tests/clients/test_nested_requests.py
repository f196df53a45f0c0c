"""Requests off the plain path, on real clients: one within another, two of one run, children that are stopped or lost."""

from __future__ import annotations

import subprocess
import threading
from typing import Any

import pytest
from bg.protocol import signals
from directed import until
from generations import NEWEST
from loop import ROOT, launch, reacting, rows, token, wake
from loop import block as ending
from loop import report as ended_with
from requested import BLOCKING, WORK, asks, done, heard, leads, settle, states, told, waited_for
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, parent, text
from rig.session import Headless, arguments
from test_loop import later
from test_sessions import kill

WAITED = r"{} has waited for this"


def requests_of(*works: str) -> Any:
    """One run that ends with a request for each of these works, all of which it waits for."""
    example = signals.schema("DELEGATE_WORK")["examples"][0]

    def step(request: Request) -> Reply:
        each = [{**example, "independence": BLOCKING, "new_task_description": work} for work in works]
        blocks = [signals.render("DELEGATE_WORK", {**fields, "agent_id": token(request)}) for fields in each]
        return ended_with(request, "\n\n".join(["Two things are missing.", *blocks]))

    return later(step, 0.2)


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_request_within_a_request_and_two_of_one_run(host: str) -> None:
    """The child asks for a child, each hears of its own; then D1 is approved and D2 denied, and one message says so."""
    script = Script(
        (
            "outer",
            asked("OUTER-TASK"),
            [asks("MIDDLE work: profile the parser of the importer"), done("Outer went on.")],
        ),
        (
            "middle",
            asked("MIDDLE-TASK"),
            [asks("INNER work: measure the parser of the importer"), done("Profiled it.")],
        ),
        ("inner", asked("INNER-TASK"), [done("Measured: 41 ms.")]),
        (
            "double",
            asked("DOUBLE-TASK"),
            [requests_of("Write the fixtures for the exporter", "Translate every manual page"), done("Went on.")],
        ),
        ("fixtures", asked("FIXTURES-TASK"), [done("Twelve fixtures.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("OUTER-TASK")),
                (r"label: bg-2 for the delegated task", launch("MIDDLE-TASK")),
                (r"label: bg-3 for the delegated task", launch("INNER-TASK")),
                (WAITED.format("bg-2"), wake),
                (WAITED.format("bg-1"), wake),
                (r"label: bg-4 for this task", launch("DOUBLE-TASK")),
                (r"label: bg-5 for the delegated task", launch("FIXTURES-TASK")),
                (WAITED.format("bg-4"), wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Speed up the importer", "bg-1", "blocked")
        leads(run, home, host, "/bg-answer bg-1 D1: approve", "bg-2", "blocked")
        assert len(model.by("outer")) == 1, "a child that asks ends nothing"
        run.send("/bg-answer bg-2 D1: approve")
        all_done = {f"bg-{number}": "done" for number in (1, 2, 3)}
        settle(run, home, host, "all three are done", lambda: states(home) == all_done)
        leads(run, home, host, "/bg:bg Test the exporter", "bg-4", "blocked")
        leads(run, home, host, "/bg-answer bg-4 D1: approve, with dates  D2: no, they stay as they are", "bg-4", "done")
        run.finish()

        everything = "\n".join(request.all_text() for request in model.by("parent"))
        assert "Depth: bg-2 was itself asked for by bg-1; this would be the agent of depth 2." in everything
        middle, outer, double = (told(model, name) for name in ("middle", "outer", "double"))
        assert "## DELEGATED WORK ENDED (D1)" in middle
        assert "> Measured: 41 ms." in middle
        assert "bg-2: success" in outer
        assert "> Profiled it." in outer
        assert "Measured: 41 ms." not in outer
        assert model.by("middle")[1].time < model.by("outer")[1].time
        assert "Another agent, bg-2 (" in model.by("inner")[0].first_user_text()

        assert set(states(home)) == {f"bg-{number}" for number in range(1, 6)}
        assert "## DELEGATION APPROVED\n\nNew agent launched: bg-5" in double
        assert "The user's words: approve, with dates" in double
        assert "## DELEGATION DENIED\n\nReason (the user's words): no, they stay as they are" in double
        assert "## DELEGATED WORK ENDED (D1)" in double
        assert "> Twelve fixtures." in double
        assert "(D2)" not in double
        assert "approve, with dates" in model.by("fixtures")[0].first_user_text()
        assert [(row["qid"], row["state"], row["worker"]) for row in _requests(home, "bg-4")] == [
            ("D1", "launched", "bg-5"),
            ("D2", "denied", ""),
        ]
        assert "asked for by: bg-2 D1" in _status(home, "bg-3")
        assert "D1 ended: bg-3 done" in _status(home, "bg-2")
        assert rows(home, "SELECT text FROM errors") == []


def _status(home: Home, label: str) -> str:
    command = [str(ROOT / "scripts" / "bgctl"), "status", label]
    return subprocess.run(command, cwd=home.project, env=home.env(), capture_output=True, text=True, check=True).stdout


def _requests(home: Home, label: str) -> list[dict[str, Any]]:
    return rows(home, "SELECT qid, state, worker, told FROM delegations WHERE label = ? ORDER BY id", label)


@pytest.mark.versions("2.1.197", NEWEST)
def test_a_child_that_is_stopped(host: str) -> None:
    """The one that waits hears that it was stopped and what it had said, once the user lets it go on."""
    never = threading.Event()
    script = waited_for(text("Half of the profile is done.") + WORK, text("Never said.").after(never))
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        leads(run, home, host, "/bg:bg Speed up the importer", "bg-1", "blocked")
        run.send("/bg-answer bg-1 D1: approve")
        model.wait_for(lambda request: request.actor == "child" and len(request.messages) > 1)
        leads(run, home, host, "HALT it", "bg-2", "stopped")
        broke = "bg-1 has waited for this agent, which did not bring what was asked. Let the user choose"
        model.wait_for(lambda request: request.actor == "parent" and broke in request.all_text())
        assert len(model.by("waits")) == 1, "nobody has chosen yet"
        leads(run, home, host, "/bg-answer bg-1 go", "bg-1", "done")
        never.set()
        run.finish()
        message = told(model, "waits")
        assert "## DELEGATED WORK ENDED (D1)" in message
        assert "bg-2: was stopped\n" in message, "by Claude, as it was told"
        assert "Your choices: do the missing part yourself" in message
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_child_that_dies_with_its_session(host: str) -> None:
    """The client is killed under it: in the next one it is lost, and the one that waits goes on and hears that."""
    never = threading.Event()
    script = waited_for(text("Half of the profile is done.") + WORK, text("Never said.").after(never))
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT])) as run:
            leads(run, home, host, "/bg:bg Speed up the importer", "bg-1", "blocked")
            run.send("/bg-answer bg-1 D1: approve")
            model.wait_for(lambda request: request.actor == "child" and len(request.messages) > 1)
            until(lambda: bool(rows(home, "SELECT 1 FROM launches WHERE label = 'bg-2' AND agent <> ''")), "bound")
            before = run.session_id
            kill(run)
        never.set()
        with Headless(home, host, arguments([ROOT], resume=before)) as run:
            run.send("Where were we?")
            asked_now = model.wait_for(lambda r: r.actor == "parent" and "Where were we?" in r.last_user_text())
            assert states(home) == {"bg-1": "blocked", "bg-2": "interrupted"}
            assert "- bg-1 (“audit the auth code”): blocked, has waited for bg-2 (interrupted)" in asked_now.all_text()
            leads(run, home, host, "/bg-answer bg-1 go", "bg-1", "done")
            run.finish()
        message = told(model, "waits")
        assert "## DELEGATED WORK ENDED (D1)" in message
        assert "bg-2: is lost: its session ended under it" in message
        assert "Your choices: do the missing part yourself" in message
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_request_for_which_there_is_no_room(host: str) -> None:
    """Nothing is offered while the cap is reached; what is approved then waits, and is launched when there is room."""
    go, capped = threading.Event(), threading.Event()
    optional = ending("DELEGATE_WORK", independence="optional", new_task_description="Draw the diagrams")
    script = Script(
        ("busy", asked("BUSY-TASK"), [lambda request: done("Was busy.")(request).after(go)]),
        ("wants", asked("WANTS-TASK"), [lambda request: optional(request).after(capped), done("Went on.")]),
        ("draws", asked("DRAWS-TASK"), [done("Drew them.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("BUSY-TASK")),
                (r"label: bg-2 for this task", launch("WANTS-TASK")),
                (r"label: bg-3 for the delegated task", launch("DRAWS-TASK")),
                (r"bg-2 (?:is|are) recorded.{0,40}Resume it now", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.turn("/bg:bg Be busy")
        run.turn("/bg:bg Describe it")
        (home.path / ".claude").mkdir(exist_ok=True)
        (home.path / ".claude" / "bg.json").write_text('{"max_tasks": 1}')
        capped.set()
        settle(run, home, host, "bg-2 asks", lambda: heard(home, "bg-2", "delegating"))
        full = "It cannot be put to the user now: bg-1 work already, and bg.json allows 1 at once"
        asks_now = model.wait_for(lambda request: request.actor == "parent" and full in request.all_text())
        assert "D1: approve" not in asks_now.all_text()
        run.send("/bg-answer bg-2 D1: approve")
        settle(run, home, host, "it waits", lambda: bool(_requests(home, "bg-2")[0]["worker"]))
        assert "bg-3" not in states(home) or states(home)["bg-3"] == "not_launched"
        assert not model.by("draws")
        go.set()
        settle(run, home, host, "bg-3 has ended", lambda: states(home).get("bg-3") == "done")
        settle(run, home, host, "all have ended", lambda: set(states(home).values()) == {"done"})
        run.finish()
        assert "## DELEGATION APPROVED" in told(model, "wants")
        assert rows(home, "SELECT text FROM errors") == []
