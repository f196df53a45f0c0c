"""Esc while hooks are at work, on the real clients: nothing has failed, and the next launch is taken."""

from __future__ import annotations

import fcntl
import sqlite3
import threading
from pathlib import Path

import pytest
from directed import until
from generations import NEWEST
from loop import ROOT, block, launch, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, parent
from rig.session import TOOLS
from rig.terminal import Interactive
from test_loop import ended


def at_work(folder: Path) -> list[Path]:
    """The files of the hooks that have begun something and not come to its end."""
    return [path for path in folder.glob("*.now") if path.read_text().count("\n") > 2]


def is_held(path: Path) -> bool:
    """Its hook lives."""
    with path.open() as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
    return False


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_one_escape_among_parallel_launches_refuses_none_that_follows(host: str) -> None:
    """The hooks of both calls wait for the ledger, which somebody holds, when the user presses Esc."""
    go = threading.Event()

    def both(request: Request) -> Reply:
        return (launch("AUDIT-TASK one")(request) + launch("AUDIT-TASK two")(request)).after(go)

    script = Script(
        ("agent", asked("AUDIT-TASK"), [block("COMPLETION_REPORT")]),
        (
            "parent",
            parent,
            reacting((r"label: bg-1 for this task", both), (r"label: bg-2 for this task", launch("AUDIT-TASK three"))),
        ),
    )
    options = ["--permission-mode", "default", "--allowedTools", TOOLS]
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options) as term:
        term.say("/bg:bg Audit the code")
        until(lambda: any("label: bg-1 for" in each.all_text() for each in model.by("parent")), "the parent was told")
        [path] = home.path.rglob("ledger.db")
        attempts = path.parent / "attempts"
        held = sqlite3.connect(path, isolation_level=None)
        held.execute("BEGIN IMMEDIATE")
        go.set()
        until(lambda: len(at_work(attempts)) == 2, "both hooks are at work")
        term.keys("Escape")
        until(lambda: not any(map(is_held, at_work(attempts))), "the host has ended them")
        # Before anything else looks at them, as the module in the client does at a turn's end.
        assert len(at_work(attempts)) >= 2, "they have come to no end"
        held.close()
        term.settle()
        term.keys("C-u")
        term.say("/bg:bg Audit the code anew")
        ended(home, 1)
        assert rows(home, "SELECT label FROM tasks WHERE state <> 'not_launched'") == [{"label": "bg-2"}]
        assert rows(home, "SELECT * FROM errors") == []
