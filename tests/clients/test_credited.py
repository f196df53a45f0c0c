"""On real clients: agents that write beside each other are each credited with their own files only."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import pytest
from directed import both, spawn, until
from generations import NEWEST
from loop import ROOT, block, has_ledger, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent
from rig.session import TOOLS, Headless, arguments

COUNT = 8


def agent(home: Home, number: int, written: threading.Event) -> list[Any]:
    """It writes one file by the tool and one by a command, and claims those of its neighbour too, insisting."""

    def path(name: str) -> str:
        return str(Path(home.project) / name)

    def writes(_: Request) -> Reply:
        return call("Write", file_path=path(f"told-{number}.md"), content=f"{number}\n")

    def prints(_: Request) -> Reply:
        return call("Bash", command=f"sleep 0.5; echo {number} > printed-{number}.md", description="Print")

    beside = (number + 1) % COUNT
    claims = [f"- wrote {kind}-{each}.md" for each in (number, beside) for kind in ("told", "printed")]
    says = block("COMPLETION_REPORT", status="success", evidence="\n".join(claims))
    return [writes, prints, lambda request: says(request).after(written), *[says] * 3]


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_agents_that_write_at_once_are_credited_with_their_own_files(host: str) -> None:
    written = threading.Event()
    script = Script(("parent", parent, []))
    with Model(script) as model, Home(model.url) as home:
        launches = both(*[spawn(f"PART-{number}-TASK", f"{{label}}: part {number}") for number in range(COUNT)])
        model.script = Script(
            *((f"part-{each}", asked(f"PART-{each}-TASK"), agent(home, each, written)) for each in range(COUNT)),
            ("parent", parent, reacting((r"not from the user\] label", launches))),
        )
        with Headless(home, host, arguments([ROOT], tools=f"{TOOLS} Bash Write")) as run:
            run.send("/bg:bg Write the parts")
            names = [f"{kind}-{number}.md" for number in range(COUNT) for kind in ("told", "printed")]
            until(lambda: all((home.project / name).exists() for name in names), "all is written")
            written.set()
            until(lambda: has_ledger(home) and len(ended(home)) == COUNT, "all have ended")
            run.finish()
        for row in ended(home):
            number = int(row["description"].rpartition(" ")[2])
            evidence = json.loads(row["evidence"])
            seen = {each["subject"] for each in evidence["findings"] if each["grade"] == "seen"}
            assert seen == {f"told-{number}.md", f"printed-{number}.md"}, (number, evidence["findings"])
            assert {*evidence["facts"]["changed"]} <= seen, evidence["facts"]
        assert rows(home, "SELECT text FROM errors") == []


def ended(home: Home) -> list[Any]:
    return rows(
        home,
        "SELECT t.description, r.evidence FROM runs r JOIN tasks t ON t.label = r.label WHERE t.ended IS NOT NULL"
        " AND r.evidence IS NOT NULL",
    )
