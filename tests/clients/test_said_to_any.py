"""On real clients: what the user says unasked reaches the agent of a task that works, is parked, or has lost its session.

Tasks that have ended are in `test_next_action.py`.
"""

from __future__ import annotations

import pytest
from directed import delivered, until
from generations import NEWEST
from loop import ROOT, block, has_ledger, launch, reacting, rows, wake
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent, text
from rig.session import TOOLS, Headless, arguments
from rig.terminal import Interactive
from test_interactive import options
from test_loop import TASK, ended, later
from test_next_action import KILLED, Parent, ends, key, killed_at_work, typed
from test_parked import BUILD, PARKED

WORDS = "you never ran pytest: run it"
SUCCESS = block("COMPLETION_REPORT", status="success")
WAITS = call("Bash", command="while [ ! -e go ]; do sleep 0.1; done; echo built", description="Build")
FOLLOWS = [
    (r"not from the user\] label", launch(TASK)),
    (r"not from the user\][^\n]*(?:Pass it on now|Resume it now)|If they still matter, resume it", wake),
]


def hears(request: Request) -> bool:
    return request.actor == "agent" and f"> {WORDS}" in request.all_text()


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_words_reach_an_agent_that_works(host: str) -> None:
    """By a message where the client can, else when its run has ended."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [WAITS, *[later(SUCCESS, 0.5)] * 4]), ("parent", parent, reacting(*FOLLOWS))
    )
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT], tools=f"{TOOLS} Bash")) as run:
            run.send("/bg:bg Audit the authentication code")
            model.wait_for(lambda request: request.actor == "agent")
            run.send(f"/bg-answer bg-1 {WORDS}")
            until(lambda: bool(rows(home, "SELECT 1 FROM answers")), "the words are written down")
            if host != "2.1.7":
                until(lambda: bool(rows(home, "SELECT 1 FROM resumes")), "they are sent")
            (home.project / "go").touch()
            ended(home, 1)
            delivered(run, home, wakes=True)
            if host == "2.1.7":
                run.turn("And now?")
            model.wait_for(hears)
            until(lambda: bool(rows(home, "SELECT 1 FROM tasks WHERE state = 'done'")), "it is done")
            if host != "2.1.197":  # which keeps no record of a message that it delivers within a run
                until(lambda: rows(home, "SELECT 1 FROM answers WHERE sent IS NULL") == [], "they have arrived")
            run.finish()
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.197", NEWEST)
def test_words_reach_an_agent_that_is_parked(host: str) -> None:
    """It has ended its turn while its own command runs; 2.1.7 has no such state."""
    steps = [BUILD, text("The build runs; I wait for it."), *[later(SUCCESS, 0.5)] * 4]
    script = Script(("agent", asked("AUDIT-TASK"), steps), ("parent", parent, reacting(*FOLLOWS)))
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT], tools=f"{TOOLS} Bash")) as run:
            run.send("/bg:bg Audit the authentication code")
            until(lambda: has_ledger(home) and bool(rows(home, PARKED)), "the agent is parked")
            run.send(f"/bg-answer bg-1 {WORDS}")
            model.wait_for(hears)
            (home.project / "go").touch()
            until(lambda: bool(rows(home, "SELECT 1 FROM tasks WHERE state = 'done'")), "it is done")
            run.finish()
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_words_reach_a_task_whose_session_was_killed(host: str) -> None:
    slow = [later(SUCCESS, 600.0), *[later(SUCCESS, 0.5)] * 3]
    script = Script(
        ("agent", asked(key("interrupted")), slow),
        ("parent", parent, [Parent("interrupted", forgets_the_label=True)] * 60),
    )
    with Model(script) as model, Home(model.url) as home:
        killed_at_work(home, host)
        with Interactive(home, host, [ROOT], options(host)) as term:
            typed(term, "hello")
            ends(term, home, "bg-1", *KILLED)
            typed(term, f"/bg-answer bg-1 {WORDS}")
            model.wait_for(hears, PATIENCE)
            ends(term, home, "bg-1", "done")
