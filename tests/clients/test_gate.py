"""The gate on real clients: a refuted claim is corrected, or let go with what is refuted beside the original."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from loop import ROOT, block, launch, news, one, prose, reacting, reminders, rows
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent
from rig.session import TOOLS, Headless, arguments, auto_mode
from test_loop import TASK, ended, later

FALSE = {"status": "success", "deliverables": "- FIXES.md (four fixes)", "summary": "Wrote FIXES.md with four fixes."}


def write(home: Home) -> Any:
    """The agent writes the file after all."""
    path = Path(home.project) / "FIXES.md"
    return lambda _: call("Write", file_path=str(path), content="# Fixes\n\nFour of them.\n")


def run_it(home: Home, model: Model, host: str, mode: str) -> Request:
    options = arguments([ROOT], f"{TOOLS} Write Read Edit") + (auto_mode() if mode == "handback" else [])
    with Headless(home, host, options) as run:
        run.send("/bg:bg Audit the authentication code")
        ended(home, 1, 40)
        told = model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, "bg-1 (")), 20)
        run.finish()
    assert rows(home, "SELECT * FROM errors") == []
    return told


@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327")
@pytest.mark.parametrize("mode", ["text", "handback"])
def test_a_false_report_is_corrected_after_the_gates_points(host: str, mode: str) -> None:
    """The agent hears which claim does not hold, does what is missing, and its second report is verified."""
    if mode == "handback" and host != "2.1.327":
        pytest.skip("only 2.1.327 has SubagentHandback")
    steps: list[Any] = [later(block("COMPLETION_REPORT", **FALSE), 0.3)]
    with Home() as home:
        steps += [write(home), block("COMPLETION_REPORT", **FALSE)]
        script = Script(
            ("agent", asked("AUDIT-TASK"), steps), ("parent", parent, reacting((r"not from the user\] label", launch(TASK))))
        )
        with Model(script) as model:
            home.base_url = model.url
            told = run_it(home, model, host, mode)
        agent = [request for request in model.requests if request.actor == "agent"]
        assert "FIXES.md does not exist" in news(agent[1])
        assert "reports success" in told.all_text()
        assert "Checked on this machine: " in told.all_text()
        assert "refuted" not in told.all_text().split("Checked on this machine: ")[1].split("\n")[0]
        assert one(home, "SELECT state FROM tasks") == {"state": "done"}
        assert one(home, "SELECT corrections FROM runs") == {"corrections": 1}


@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327")
@pytest.mark.parametrize("mode", ["text", "handback"])
def test_an_agent_that_never_corrects_itself_is_let_go_and_its_original_arrives(host: str, mode: str) -> None:
    """Degenerating answers do not replace the report; what is refuted stands beside it."""
    if mode == "handback" and host != "2.1.327":
        pytest.skip("only 2.1.327 has SubagentHandback")

    def original(request: Request) -> Reply:
        return block("COMPLETION_REPORT", **FALSE, recommendations="Rotate the keys each month.")(request)

    script = Script(
        (
            "agent",
            asked("AUDIT-TASK"),
            [later(original, 0.3), prose("Done."), prose("As stated above."), prose("Yes.")],
        ),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home:
        told = run_it(home, model, host, mode)
        agent = [request for request in model.requests if request.actor == "agent"]
        assert len(agent) <= 4
        text = told.all_text()
        assert "Rotate the keys each month." in text
        assert "refuted: " in text
        assert "FIXES.md does not exist" in text
        assert one(home, "SELECT corrections FROM runs") in ({"corrections": 1}, {"corrections": 2})
