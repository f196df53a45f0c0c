"""A folder that was renamed between two sessions, on the real clients: the tasks are there, and the answer arrives."""

from __future__ import annotations

import pytest
from directed import until
from generations import NEWEST
from loop import ROOT, block, reminders, rows
from rig.home import Home
from rig.model import Model
from rig.session import Headless, arguments
from sessions import ANSWERS, anew, cast, left_asking
from test_loop import ended, later


@pytest.mark.versions("2.1.7", "2.1.100", NEWEST)
def test_a_renamed_project_keeps_its_tasks_and_the_answer_reaches_a_new_agent(host: str) -> None:
    """A new session in the renamed folder is told what waits; a new agent goes on with the answers."""
    script = cast(later(block("CLARIFICATION_NEEDED"), 0.3), rules=(("user's answers for bg-1 are recorded", anew),))
    with Model(script) as model, Home(model.url) as home:
        (home.project / ".git").mkdir()
        (home.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
        (home.project / ".git" / "description").write_text("Unnamed repository\n")
        left_asking(model, home, host)
        renamed = home.project.rename(home.root / "renamed")
        home.trust(renamed)
        with Headless(home, host, arguments([ROOT]), cwd=renamed) as run:
            run.send("Where were we?")
            told = model.wait_for(
                lambda request: request.actor == "parent" and "Where were we?" in request.last_user_text()
            )
            assert "bg-1 Q1 waits for the user" in told.all_text()
            until(lambda: bool(run.results), "the turn ends")
            run.send(ANSWERS)
            heir = model.wait_for(lambda request: request.actor == "heir")
            assert "A1: Both" in heir.first_user_text()
            ended(home, 2)
            run.finish()
        assert [row["project"] for row in rows(home, "SELECT project FROM tasks")] == [str(renamed)]
        assert not reminders(heir)
        assert rows(home, "SELECT * FROM errors") == []
