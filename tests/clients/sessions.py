"""What the tests of sessions share: a cast, a session, the list that a new session is told, an end in good order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from directed import delivered, until
from loop import ROOT, block, launch, reacting, reminders, rows, spawn_tool
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import Headless, arguments
from test_loop import TASK, later, reminded

PROMPT = "/bg:bg Audit the authentication code"
ANSWERS = "/bg-answer Q1: Both  Q2: no"
HEAD = "Background tasks of this project; do not launch any of them again:"
MOST_LINES = 15


def anew(request: Request) -> Reply:
    """The parent launches a new agent for the label that it was told to go on with."""
    label = re.findall(r"(?:begins `|\n- )(bg-\d+)(?::`| \()", request.all_text())[-1]
    return call(
        spawn_tool(request),
        description=f"{label}: go on",
        prompt="Go on.",
        subagent_type="general-purpose",
        run_in_background=True,
    )


def cast(*steps: Any, rules: tuple[tuple[str, Any], ...] = (), others: Sequence[tuple[str, Any]] = ()) -> Script:
    """An agent with these steps, a second one that finishes what it is given, a parent that follows what it is told."""
    return Script(
        ("heir", asked("## CONTINUATION"), [later(block("COMPLETION_REPORT"), 0.3)] * 3),
        ("agent", asked("AUDIT-TASK"), list(steps)),
        *[(name, knows, [text("Noted.")] * 20) for name, knows in others],
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), *rules)),
    )


def session(home: Home, host: str, *options: str, resume: str = "") -> Headless:
    return Headless(home, host, [*arguments([ROOT], resume=resume), *options])


def settled(home: Home) -> bool:
    return not rows(home, "SELECT 1 FROM deliveries WHERE seen IS NULL")


def close_up(run: Headless, model: Model, home: Home, states: list[str]) -> Request:
    """Everything is told, seen, and in these states; the parent's last request."""
    until(lambda: bool(rows(home, "SELECT 1 FROM deliveries WHERE said IS NOT NULL")), "something is said")
    run.await_turn()
    delivered(run, home, wakes=False)
    run.finish()
    assert [row["state"] for row in rows(home, "SELECT state FROM tasks ORDER BY number")] == states
    assert rows(home, "SELECT * FROM errors") == []
    return model.by("parent")[-1]


def left_asking(model: Model, home: Home, host: str) -> str:
    """A session whose agent has asked, and which was told; it has ended in good order. Its id."""
    with session(home, host) as run:
        run.send(PROMPT)
        reminded(run, model, home, "needs answers", 1, host)
        run.await_turn()
        delivered(run, home, wakes=False)
        before = run.session_id
        run.finish()
    return before


def flight_list(request: Request) -> list[str]:
    """What the last SessionStart has told this parent, line by line."""
    told = request.all_text().rpartition(HEAD)[2]
    return [line for line in re.split(r"\n\n|\n</system-reminder>", told)[0].splitlines() if line]


def told_list(model: Model, words: str) -> list[str]:
    """The list that stands in the parent's answer to these words."""
    request = model.wait_for(lambda request: request.actor == "parent" and words in request.last_user_text())
    assert request.all_text().count(HEAD) == 1
    lines = flight_list(request)
    assert 0 < len(lines) < MOST_LINES
    return lines


def taken_up(run: Headless, model: Model, home: Home, host: str) -> str:
    """A new process is told what waits, and the user answers. The first line of what was told."""
    run.send("Where were we?")
    lines = told_list(model, "Where were we?")
    assert lines[0].startswith("- bg-1 (“audit the auth code”): needs answer")
    assert [line[:10] for line in lines[1:3]] == ["- bg-1 Q1 ", "- bg-1 Q2 "]
    answered(run, model, home, host)
    return lines[0]


def answered(run: Headless, model: Model, home: Home, host: str) -> None:
    """The user answers; the report is told once, and both answers were sent."""
    run.send(ANSWERS)
    reminded(run, model, home, "reports partial success", 2, host)
    last = close_up(run, model, home, ["partial"])
    assert len(reminders(last, "reports partial success")) == 1
    assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
