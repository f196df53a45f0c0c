"""Agents that end while the parent runs a tool, beside a plugin whose prompt hook is slow: each report is told once."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from directed import both, delivered, directed, said, spawn, until
from loop import ROOT, block, rows
from peers import peer
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent
from rig.session import Headless, arguments
from test_loop import ended

NAMES = ("OURS-A", "OURS-B", "OURS-C")
ACCOUNT = "tasks launched together have all ended"
SLOW = "if machine:\n    time.sleep({seconds})\n"


@pytest.mark.parametrize("seconds", [2, 5])
@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327")
def test_each_report_of_a_queue_is_told_once(host: str, seconds: int, tmp_path: Path) -> None:
    """2.1.327 asks hooks about one notification after the other, and writes all of them down after the last."""
    other = peer(tmp_path, "slow", {"UserPromptSubmit": SLOW.format(seconds=seconds)})
    go = threading.Event()
    waiting = call("Bash", command="while [ ! -e done ]; do sleep 0.1; done", description="wait", timeout=120000)
    plan = [both(*[spawn(f"{name}: look.") for name in NAMES]), waiting]
    script = Script(
        *[(name, asked(f"{name}:"), [lambda request: block("COMPLETION_REPORT")(request).after(go)]) for name in NAMES],
        ("parent", parent, directed({"LAUNCH": plan})),
    )
    with Model(script) as model, Home(model.url) as home:
        options = arguments([ROOT, other], tools="Agent Task SendMessage ToolSearch Bash")
        with Headless(home, host, options) as run:
            run.send("/bg:bg LAUNCH all three")
            until(lambda: all(model.by(name) for name in NAMES), "the agents work")
            model.wait_said("parent", 2)
            go.set()
            ended(home, len(NAMES))
            (home.project / "done").touch()
            model.wait_for(lambda request: request.actor == "parent" and said(request, "END-LAUNCH"))
            run.await_turn()
            delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        told = model.by("parent")[-1].all_text()
        labels = [row["label"] for row in rows(home, "SELECT label FROM tasks ORDER BY label")]
        assert [1, 1, 1] == [told.count(f"{label} (“do it”) reports partial success") for label in labels], told
        assert told.count(ACCOUNT) == 1
        assert rows(home, "SELECT * FROM errors") == []
