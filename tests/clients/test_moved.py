"""A session that the user parks with ← on the real clients: its tasks go along, and nothing differs for the user."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from directed import brought, until
from generations import NEWEST
from loop import ROOT, block, launch, news, one, reacting, reminders, rows, wake
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, parent
from rig.session import TOOLS, auto_mode
from rig.terminal import Interactive
from sessions import anew, settled

MODES = {"text": ["--permission-mode", "default", "--allowedTools", TOOLS], "auto": auto_mode()}


def held(marker: str, go: threading.Event, **fields: Any) -> Any:
    """An agent that works until then; the host starts it anew where it moves the session, from its own transcript."""

    def step(request: Request) -> Reply:
        if "A1:" in request.all_text():
            return block("COMPLETION_REPORT")(request)
        return block(marker, **fields)(request).after(go)

    return step


def told(model: Model, about: str, label: str) -> Request:
    """The parent is told this of that task."""
    return model.wait_for(
        lambda request: request.actor == "parent" and any(f"{label} (" in line for line in reminders(request, about))
    )


def owners(home: Home) -> list[tuple[str, str]]:
    return [(row["session"], row["state"]) for row in rows(home, "SELECT session, state FROM tasks ORDER BY number")]


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("mode", MODES)
def test_a_parked_session_takes_everything_along(host: str, mode: str) -> None:
    """A question is open; one agent runs that asks afterwards, one that reports; then the user comes back, twice."""
    ask, end, now = threading.Event(), threading.Event(), threading.Event()
    now.set()
    script = Script(
        ("heir", asked("## CONTINUATION"), [block("COMPLETION_REPORT")] * 3),
        ("first", asked("FIRST-TASK"), [held("CLARIFICATION_NEEDED", now)] * 3),
        ("second", asked("SECOND-TASK"), [held("CLARIFICATION_NEEDED", ask)] * 9),
        (
            "third",
            asked("THIRD-TASK"),
            [held("COMPLETION_REPORT", end, status="success", deliverables="missing.txt")] * 9,
        ),
        (
            "parent",
            parent,
            reacting(
                ("user] label: bg-1", launch("FIRST-TASK: read it.", "first")),
                ("user] label: bg-2", launch("SECOND-TASK: read it.", "second")),
                ("user] label: bg-3", launch("THIRD-TASK: read it.", "third")),
                ("bg-1 Q1: Both", anew),
                ("bg-2 Q1: Both", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], MODES[mode]) as term:
        term.say("/bg:bg Do the first")
        term.wait_for(r"bg-1 asks: “Should the export")
        term.settle()
        for label, words in (("bg-2", "second"), ("bg-3", "third")):
            term.say(f"/bg:bg Do the {words}")
            term.wait_for(rf"\({label}: ")
            term.settle()
        until(lambda: bool(model.by("second")) and bool(model.by("third")), "both work")
        [before] = {session for session, _ in owners(home)}
        term.keys("Left")
        term.wait_for("moved to the background")
        until(lambda: before not in dict(owners(home)), lambda: owners(home))
        [after] = {session for session, _ in owners(home)}
        assert [state for _, state in owners(home)] == ["needs_answer", "working", "working"]
        until(lambda: len(model.by("second")) == len(model.by("third")) == 2, "both go on")
        ask.set()
        told(model, "needs answers", "bg-2")
        term.keys("Enter")
        term.wait_for(r"bg-2 asks: “Should the export")
        term.settle()
        term.say("/bg:bg-answer bg-1 Q1: Both  Q2: no")
        told(model, "reports partial success", "bg-1")
        assert "A1: Both" in model.by("heir")[0].all_text()
        term.settle()
        term.say("/bg:bg-answer bg-2 Q1: Both  Q2: no")
        told(model, "reports partial success", "bg-2")
        assert "A1: Both" in news(model.by("second")[-1])
        term.settle()
        term.keys("Left")
        term.wait_for("New sessions:")
        end.set()
        report = told(model, "reports success", "bg-3")
        assert "it is named as delivered, and there is no such file" in news(report)
        term.keys("Enter")
        term.wait_for("bg-3 disputed")
        brought(term, lambda: settled(home), lambda: rows(home, "SELECT * FROM deliveries"))
        assert {session for session, _ in owners(home)} == {after}
        assert [len(reminders(model.by("parent")[-1], f"{label} (")) for label in ("bg-2", "bg-3")] == [2, 1]
        assert one(home, "SELECT count(*) AS n FROM tasks") == {"n": 3}
        assert "interrupted" not in str(owners(home))
        assert rows(home, "SELECT * FROM errors") == []
