"""The ledger is deleted or emptied while agents of a real client work: their question and their report still arrive."""

from __future__ import annotations

import threading

import pytest
from directed import delivered, until
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, has_ledger, launch, one, reacting, reminders, rows, token, wake
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent
from rig.session import Headless, arguments, auto_mode
from test_loop import TASK, reminded


def lose(home: Home, way: str) -> None:
    """As a person, or a program that tidies up, does it."""
    [path] = [*home.path.glob(".claude/plugins/data/bg-*/ledger.db"), *home.path.glob(".claude/bg/ledger.db")]
    logs = [path.with_name(f"{path.name}{end}") for end in ("-wal", "-shm")]
    if way == "emptied":
        path.write_bytes(b"")
        return
    for each in (path, *logs):
        each.unlink(missing_ok=True)


@pytest.mark.parametrize("mode", ["text", "handback"])
@pytest.mark.parametrize("way", ["deleted", "emptied"])
@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_an_agent_is_heard_whose_ledger_is_gone(host: str, way: str, mode: str) -> None:
    """It asks after that, its answer reaches it, and its report is told; each once."""
    if mode == "handback" and host not in HAND_BACK:
        pytest.skip("this client has no SubagentHandback")
    go = threading.Event()
    steps = [lambda request: block("CLARIFICATION_NEEDED")(request).after(go), block("COMPLETION_REPORT")]
    script = Script(
        ("agent", asked("AUDIT-TASK"), steps),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home:
        options = arguments([ROOT]) + (auto_mode() if mode == "handback" else [])
        with Headless(home, host, options) as run:
            run.send("/bg:bg Audit the authentication code")
            until(lambda: bool(model.by("agent")), "the agent works")
            run.await_turn()
            before = one(home, "SELECT token FROM launches")
            lose(home, way)
            go.set()
            until(lambda: has_ledger(home) and bool(rows(home, "SELECT 1 FROM questions")), "its question is known")
            asks = reminded(run, model, home, "needs answers", 1, host)
            run.send("/bg-answer Q1: Both of them. Q2: no")
            reminded(run, model, home, "reports partial success", 2, host)
            delivered(run, home, wakes=True)
            run.finish()
        last = model.by("parent")[-1]
        assert "knows these tasks again: bg-1." in last.all_text()
        assert len(reminders(last, "needs answers before it can go on")) == 1
        assert len(reminders(last, "reports partial success")) == 1
        assert "bg-1 Q1: Should the export be CSV, XLSX, or both?" in asks.all_text()
        assert before == one(home, "SELECT token FROM launches")
        assert token(model.by("agent")[0]) == token(model.by("agent")[1])
        assert one(home, "SELECT label, state FROM tasks") == {"label": "bg-1", "state": "partial"}
        assert rows(home, "SELECT * FROM errors") == []
