"""What `bgctl truth` counts: the tasks, the runs and the questions of a ledger, however many are read at once."""

from __future__ import annotations

import pytest
from bg.ledger import figures
from drive import Drive, block
from recordings import NEWEST

LATER = 4_000_000_000.0


@pytest.fixture
def book(tmp_path):
    """One task that asks two questions, of which the user has answered the first, and one that has reported."""
    drive = Drive(NEWEST, tmp_path)
    for agent in ("a1", "a2"):
        drive.prompt("/bg Audit")
        marker = "CLARIFICATION_NEEDED" if agent == "a1" else "COMPLETION_REPORT"
        drive.ends(agent, block(marker, drive.launch("Audit", agent)))
    drive.prompt("/bg-answer bg-1 Q1: Both")
    found = drive.ledger()
    yield found
    found.close()


def test_the_tasks_since_a_moment_are_counted_by_their_state(book):
    assert figures.states(book, 0) == {"needs_answer": 1, "partial": 1}
    assert figures.states(book, LATER) == {}
    assert figures.first(book, 0) == min(row["created"] for row in book.all("SELECT created FROM tasks"))
    assert figures.first(book, LATER) is None


@pytest.mark.parametrize("at_once", [1, figures.AT_ONCE])
def test_every_run_and_every_question_is_read(book, at_once, monkeypatch):
    monkeypatch.setattr(figures, "AT_ONCE", at_once)
    runs = list(figures.ended(book, 0))
    assert [("CLARIFICATION_NEEDED", 0), ("COMPLETION_REPORT", 0)] == [(run.marker, run.corrections) for run in runs]
    assert all('"payload"' in run.body and run.kind for run in runs)
    asked = list(figures.asked(book, 0))
    assert [True, False] == [item.answered is not None for item in asked]
    assert all(item.answered >= item.asked for item in asked[:1])
    assert [] == [*figures.ended(book, LATER), *figures.asked(book, LATER)]
