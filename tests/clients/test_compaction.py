"""Compaction on the real clients: what runs, waits or has ended before it is neither lost nor begun again."""

from __future__ import annotations

import threading

import pytest
from directed import delivered, until
from generations import NEWEST
from loop import ROOT, block, launch, one, reacting, reminders, rows, token, wake
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent
from rig.session import Headless, arguments
from sessions import told_list
from test_loop import TASK, later, reminded


def compact(run: Headless) -> None:
    run.send("/compact")
    run.wait_for(lambda event: event.get("subtype") == "compact_boundary")


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_an_agent_in_flight_outlives_a_compaction(host: str) -> None:
    """The parent is told that it works, and hears its report once."""
    go = threading.Event()
    script = Script(
        ("agent", asked("AUDIT-TASK"), [lambda request: block("COMPLETION_REPORT")(request).after(go)]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("/bg:bg Audit the authentication code")
        until(lambda: bool(model.by("agent")) and bool(run.results), lambda: run.events)
        compact(run)
        run.send("How is it going?")
        assert told_list(model, "How is it going?") == [
            "- bg-1 (“audit the auth code”): working, you are told when it ends"
        ]
        go.set()
        told = reminded(run, model, home, "reports partial success", 1, host)
        run.send("Thanks.")
        model.wait_for(lambda request: request.actor == "parent" and "Thanks." in request.last_user_text())
        delivered(run, home, wakes=True)
        run.finish()
        assert "compact" not in told.last_user_text()
        last = [request for request in model.requests if request.actor == "parent"][-1]
        assert len(reminders(last, "reports partial success")) == 1
        assert len(rows(home, "SELECT agent FROM launches")) == 1
        assert len(model.by("agent")) == 1
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert rows(home, "SELECT 1 FROM deliveries WHERE seen IS NULL") == []
        assert rows(home, "SELECT * FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_waiting_question_outlives_a_compaction(host: str) -> None:
    """The parent is told what waits; the answer reaches the agent that asked."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("/bg:bg Audit the authentication code")
        reminded(run, model, home, "needs answers", 1, host)
        run.await_turn()
        delivered(run, home, wakes=False)
        compact(run)
        run.send("Where were we?")
        lines = told_list(model, "Where were we?")
        agent = one(home, "SELECT agent FROM tasks")
        assert agent
        assert lines[0].startswith("- bg-1 (“audit the auth code”): needs answer; to go on: ")
        assert f'"{agent["agent"]}"' in lines[0]
        assert lines[-1].startswith("To go on with one when the user wants it")
        assert [line.split(": ", 1)[1] for line in lines[1:-1]] == [
            "“Should the export be CSV, XLSX, or both?”",
            "“Should archived invoices be included?”",
        ]
        run.send("/bg-answer Q1: Both  Q2: no")
        reminded(run, model, home, "reports partial success", 2, host)
        run.finish()
        first, resumed = model.by("agent")
        assert token(first) == token(resumed)
        assert "A1: Both" in resumed.all_text()
        assert "A2: no" in resumed.all_text()
        assert len(rows(home, "SELECT agent FROM launches")) == 1
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
        assert rows(home, "SELECT * FROM errors") == []
