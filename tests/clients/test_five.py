"""Five real clients at once on one ledger, in one project and in five: each hears of its own agents, once."""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import Any

import pytest
from generations import NEWEST
from loop import ROOT, block, launch, reacting, reminders, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent
from rig.session import Headless, arguments
from test_loop import later

COUNT = 5


def cast() -> Script:
    agents = [
        (f"agent-{number}", asked(f"PART-{number}:"), [later(block("COMPLETION_REPORT"), 1.0)])
        for number in range(COUNT)
    ]
    parents: list[Any] = [
        (
            f"parent-{number}",
            lambda request, words=f"FOR-{number}": parent(request) and words in request.all_text(),
            reacting((rf"FOR-{number}", launch(f"PART-{number}: look around"))),
        )
        for number in range(COUNT)
    ]
    return Script(*agents, *parents)


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("projects", [1, COUNT])
def test_five_sessions_at_once(host: str, projects: int) -> None:
    with Model(cast()) as model, Home(model.url) as home, contextlib.ExitStack() as stack:
        folders = [home.project, *(home.root / f"project-{number}" for number in range(1, projects))]
        for folder in folders[1:]:
            folder.mkdir()
            home.trust(folder)
        runs = [
            stack.enter_context(Headless(home, host, arguments([ROOT]), cwd=folders[number % projects]))
            for number in range(COUNT)
        ]
        for number, run in enumerate(runs):
            run.send(f"/bg:bg Look around FOR-{number}")
        for number in range(COUNT):
            model.wait_for(
                lambda request, actor=f"parent-{number}": request.actor == actor and bool(reminders(request, "reports"))
            )
        for run in runs:
            run.finish()
        for number in range(COUNT):
            assert len(reminders(model.by(f"parent-{number}")[-1], "reports")) == 1
        known = rows(home, "SELECT label, state, session, project FROM tasks ORDER BY number")
        assert [row["label"] for row in known] == [f"bg-{number}" for number in range(1, COUNT + 1)]
        assert {row["state"] for row in known} == {"partial"}
        assert len({row["session"] for row in known}) == COUNT
        assert sorted(Counter(row["project"] for row in known).values()) == [COUNT // projects] * projects
        assert rows(home, "SELECT * FROM errors") == []
