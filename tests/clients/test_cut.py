"""An agent cut off (stopped, turn limit, output limit, API error): a sensible state, told once, nothing asked."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from directed import brought, delivered, directed, spawn, turn
from generations import SHADOWED
from loop import ROOT, rows
from requested import WORK, halt
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, failure, parent, text
from rig.session import Headless, arguments
from test_adoption import heard_once
from test_loop import UNWOKEN

SHORT = "---\nname: short\ndescription: Works two turns at most\nmaxTurns: 2\n---\nYou look at things.\n"
#: What each end is called in the ledger; a turn limit, which not every host tells, is an end without a signal.
STATES = {"OURS-ERROR": "failed", "OURS-OUTPUT": "failed", "OURS-TURNS": "unreported", "OURS-STOPPED": "stopped"}
SAYS_TURN_LIMIT = SHADOWED
NO_TURN_LIMIT = ("2.1.7", "2.1.38")  # these ignore maxTurns
NO_TASK_STOP = ("2.1.7", "2.1.38")  # 2.1.7 cannot stop an agent; 2.1.38 tells nobody


def stop_when_loaded(request: Request) -> Reply:
    return halt(request) if request.tool_results()[-1].tool == "ToolSearch" else text("Stopped.")


def test_a_cut_agent_is_told_once_and_asked_nothing(host: str) -> None:
    never = threading.Event()
    begun = threading.Event()

    def stopped(_: Request) -> Reply:
        begun.set()
        return text("I begin to be stopped.") + WORK

    plans: dict[str, list[Any]] = {
        "ERROR": [spawn("OURS-ERROR look")],
        "OUTPUT": [spawn("OURS-OUTPUT look")],
    }
    if host not in NO_TURN_LIMIT:
        plans["TURNS"] = [spawn("OURS-TURNS look", kind="short")]
    if host not in NO_TASK_STOP:
        plans["STOPPED"] = [spawn("OURS-STOPPED look")]
    script = Script(
        (
            "error",
            asked("OURS-ERROR"),
            [text("I begin to err.") + WORK, *[failure(400, message="scripted failure")] * 40],
        ),
        ("output", asked("OURS-OUTPUT"), [text(f"Part {number} of a long rep").cut() for number in range(20)]),
        ("turns", asked("OURS-TURNS"), [*[text(f"Step {number}.") + WORK for number in range(8)], text("The end.")]),
        ("stopped", asked("OURS-STOPPED"), [stopped, *[text("Never said.").after(never)] * 9]),
        ("parent", parent, directed({**plans, "HALT": [halt, stop_when_loaded]})),
    )
    with Model(script) as model, Home(model.url) as home:
        folder = home.project / ".claude" / "agents"
        folder.mkdir(parents=True)
        (folder / "short.md").write_text(SHORT)
        with Headless(home, host, arguments([ROOT])) as run:
            for number, key in enumerate(plans, 1):
                turn(run, model, f"/bg:bg {key} the work", key)
                if key == "STOPPED":
                    assert begun.wait(PATIENCE)
                    model.wait_for(lambda request: request.actor == "stopped" and len(request.messages) > 1)
                    run.send("HALT it")
                # Where the host told no hook in the turn, the next prompt brings it.
                brought(run, partial(_has_ended, home, number), lambda: rows(home, "SELECT * FROM runs"), waits=6)
            delivered(run, home, wakes=host not in UNWOKEN)
            never.set()
            run.finish()
        heard_once(model, home)
        judge(model, home, host, set(plans))


def _has_ended(home: Home, count: int) -> bool:
    return len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == count


def judge(model: Model, home: Home, host: str, kinds: set[str]) -> None:
    found = {row["prompt"].split()[0]: row for row in rows(home, "SELECT * FROM tasks")}
    wanted = {name: state for name, state in STATES.items() if name[len("OURS-") :] in kinds}
    assert {name: row["state"] for name, row in found.items()} == wanted
    assert {row["corrections"] for row in rows(home, "SELECT corrections FROM runs")} == {0}
    for actor in ("error", "output", "turns", "stopped"):
        for request in model.by(actor):
            assert "Write the whole report again" not in request.all_text(), actor
    assert not any(request.surplus for request in model.requests if request.actor != "parent")
    last = [request for request in model.requests if request.actor == "parent"][-1].all_text()
    assert "scripted failure" in last
    if host in SAYS_TURN_LIMIT:
        assert "2-turn limit" in last, "by the host; in mid-turn no hook of 2.1.258 learns of it"
    assert rows(home, "SELECT 1 FROM signals") == []
    assert rows(home, "SELECT * FROM errors") == []
