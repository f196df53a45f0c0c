"""The whole loop on each real client: asked, answered, resumed, reported; the ledger tells the story."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path
from typing import Any, Callable

import pytest
from directed import delivered
from generations import HAND_BACK
from loop import (
    CLOSING,
    ROOT,
    block,
    has_ledger,
    launch,
    news,
    one,
    prose,
    reacting,
    reminders,
    rows,
    token,
    wake,
)
from rig import clients
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, parent, text
from rig.session import Headless, arguments, auto_mode

pytestmark = pytest.mark.loop

TASK = "AUDIT-TASK: read the auth code.\nGoal: find holes\nDeliverables: a list of the holes\nDone when: all files are read"
UNWOKEN = ("2.1.7", "2.1.38")  # headless, these do not wake the parent when an agent ends
CANNOT_RESUME = "2.1.100"
TEXT = ["--permission-mode", "default"]  # named, as some versions begin in auto mode by themselves
SOON = 6.0


def later(step: Any, seconds: float = 1.0) -> Callable[[Request], Any]:
    """The agent works for a moment, so that the parent's turn is over."""
    return lambda request: (step(request) if callable(step) else step).later(seconds)


def ended(home: Home, count: int) -> None:
    """Wait until the ledger has this many ended runs."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if has_ledger(home) and len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) >= count:
            return
        time.sleep(0.1)
    raise AssertionError(f"{count} ended runs were waited for: {rows(home, 'SELECT * FROM runs')}")


def reminded(run: Headless, model: Model, home: Home, about: str, runs: int, host: str) -> Request:
    """The first request in which the parent was told this."""
    ended(home, runs)
    if host in UNWOKEN or (host not in clients.VERSIONS and not _is_woken(model, about)):
        run.send("Anything new?")
    return model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, about)))


def _is_woken(model: Model, about: str) -> bool:
    """Whether a version that is not in the table wakes its parent is seen."""
    try:
        model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, about)), SOON)
    except TimeoutError:
        return False
    return True


def _can_wake(host: str, requests: list[Request]) -> bool:
    """An ended agent can be woken: known of the versions in the table, seen in the parent's tools of any other."""
    if host in clients.VERSIONS:
        return host != CANNOT_RESUME
    mine = [request for request in requests if request.actor == "parent"]
    offered = any(
        {"SendMessage"} & set(request.tools()) or "tool_reference" in str(request.messages) for request in mine
    )
    return offered or any("resume" in str(request.tool("Task").get("input_schema")) for request in mine)


@pytest.mark.drawn
def test_the_loop(host: str, tell: Callable[[str], None]) -> None:
    """A clarification reaches the parent once, its answers the same agent, the completion the parent once."""
    play(host, TEXT, tell)


@pytest.mark.versions(*HAND_BACK)
def test_the_loop_by_handback(host: str, tell: Callable[[str], None]) -> None:
    """In auto mode, where the reports go through a tool of their own."""
    if host not in HAND_BACK:
        pytest.skip("this client has no SubagentHandback")
    requests = play(host, auto_mode(), tell)
    assert any("SubagentHandback" in request.tools() for request in requests if request.actor == "agent")


def play(host: str, mode: list[str], tell: Callable[[str], None]) -> list[Request]:
    script = Script(
        CLOSING,
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT]) + mode) as run:
            run.send("/bg:bg Audit the authentication code")
            asks = reminded(run, model, home, "needs answers", 1, host)
            run.send('/bg-answer Q1: Both of them.  Q2: “3.0”, no "beta" & <no> $HOME `x`')
            tells = reminded(run, model, home, "reports partial success", 2, host)
            delivered(run, home, wakes=True)
            run.finish()
        requests = model.requests
        first = next(request for request in requests if request.actor == "agent")
        resumed = [request for request in requests if request.actor == "agent"][1]

        assert "You are bg-1-" in first.first_user_text()
        assert first.first_user_text().rstrip().endswith("all files are read") or TASK in first.first_user_text()
        question = "bg-1 Q1: Should the export be CSV, XLSX, or both?"
        assert question in asks.all_text()
        assert "/bg-answer" not in asks.all_text().split(question)[0][-200:]

        wakes = _can_wake(host, requests)
        message = news(resumed) if wakes else resumed.first_user_text()
        for line in (
            "## CLARIFICATION RESPONSE",
            "Q1: Should the export be CSV, XLSX, or both?\nA1: Both of them.",
            'Q2: Should archived invoices be included?\nA2: “3.0”, no "beta" & <no> $HOME `x`',
            "## STATE RESTORATION",
            "## RESUME INSTRUCTIONS",
            "Here is what I know.",
        ):
            assert line in message, (line, message[-3000:])
        agents = {row["agent"] for row in rows(home, "SELECT agent FROM launches")}
        if wakes:
            assert len(agents) == 1
            assert token(first) == token(resumed)
        else:
            assert len(agents) == 2
            assert "## CONTINUATION" in message
            assert TASK in message

        last = [request for request in requests if request.actor == "parent"][-1]
        assert len(reminders(last, "needs answers before it can go on")) == 1
        assert len(reminders(last, "reports partial success")) == 1
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
        assert [row["marker"] for row in rows(home, "SELECT marker FROM signals ORDER BY id")] == [
            "CLARIFICATION_NEEDED",
            "COMPLETION_REPORT",
        ]
        assert rows(home, "SELECT * FROM errors") == []
        assert rows(home, "SELECT 1 FROM deliveries WHERE seen IS NULL") == []
        proven = one(home, "SELECT kind, typed, proven FROM resumes")
        assert proven
        assert proven["proven"]
        assert proven["kind"] == "CLARIFICATION_RESPONSE"
        assert proven["typed"] == "Here is what I know."
        _tell_delay(home, asks, tells, tell)
        return requests


def test_a_lost_execute_bit_does_not_matter(host: str, tmp_path: Path) -> None:
    """As an archive, or a copy by way of another system, leaves the plugin."""
    plugin = tmp_path / "a copy"
    for name in (".claude-plugin", "commands", "hooks", "scripts"):
        shutil.copytree(ROOT / name, plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
    (plugin / "hooks" / "run").chmod(0o644)
    script = Script(
        ("agent", asked("AUDIT-TASK"), [text("Noted.")] * 3),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([plugin])) as run:
        run.send("/bg:bg Audit the authentication code")
        model.wait_said("agent", 1)
        run.finish()
        assert token(model.by("agent")[0])


def _tell_delay(home: Home, asks: Request, tells: Request, tell: Callable[[str], None]) -> None:
    ends = [row["ended"] for row in rows(home, "SELECT ended FROM runs ORDER BY ended")]
    first, second = asks.time - ends[0], tells.time - ends[1]
    tell(f"from a run's end to the reminder {first:.2f} s, {second:.2f} s")


def test_a_report_in_prose_is_corrected_once_and_then_delivered_whole(host: str) -> None:
    """An agent that keeps no protocol is asked once; its original, which says more, reaches the parent."""
    original = "In my view the login needs a rate limit, and tokens should expire after a day. " * 6
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(prose(original)), prose("As stated above."), prose("See above.")]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("/bg:bg Audit the authentication code")
        told = reminded(run, model, home, "ended without a readable signal block", 1, host)
        time.sleep(0.5)
        run.finish()
        agent = [request for request in model.requests if request.actor == "agent"]
        assert len(agent) == 2
        assert "has no signal block that can be read" in news(agent[1])
        assert "the login needs a rate limit" in told.all_text()
        assert one(home, "SELECT state FROM tasks") == {"state": "unreported"}
        assert one(home, "SELECT corrections FROM runs") == {"corrections": 1}
        assert len(rows(home, "SELECT 1 FROM reports")) == 2
        assert rows(home, "SELECT * FROM errors") == []


def test_a_foreign_agent_is_left_alone(host: str) -> None:
    """An agent launched without /bg gets no identity, and its end makes no reminder."""
    script = Script(
        ("agent", asked("OTHER-TASK"), [later(text("Found: [COMPLETION_REPORT] in README."))]),
        ("parent", parent, reacting(("Look around", launch("OTHER-TASK: look around")))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT])) as run:
        run.send("Look around")
        model.wait_said("agent", 1)
        time.sleep(2.5)
        run.finish()
        for request in model.requests:
            assert "bg plugin" not in request.all_text()
            assert not re.search(r"You are bg-\d", request.all_text())
        assert not has_ledger(home)
