"""`/bg-answer LABEL go` in every state, and the line that the table names for it."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from bg.desk import open_items
from bg.ledger import cases, tasks
from drive import Drive, block, context
from recordings import VERSIONS

RUNNING_OR_OVER = ("launched", "working", "done")


@pytest.fixture(params=["2.1.100", VERSIONS[-1]])
def ended(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drive:
    """A session with one task whose agent has ended; 2.1.100 cannot wake it."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(request.param, tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="failed"))
    drive.announced("a1")
    drive.stop()
    return drive


def be(drive: Drive, state: str) -> None:
    book = drive.ledger()
    with contextlib.closing(book), book.transaction() as writing:
        tasks.set_state(writing, "bg-1", state)


def line(drive: Drive) -> str:
    with contextlib.closing(drive.ledger()) as book:
        task = tasks.get(book, "bg-1")
        assert task is not None
        return open_items.line_to_type(cases.case(book, task.label))


@pytest.mark.parametrize("state", tasks.CONTINUABLE_STATES)
def test_go_sets_it_going_and_the_table_says_so(ended: Drive, state: str) -> None:
    be(ended, state)
    assert line(ended) == "/bg-answer bg-1 go"
    said = ended.prompt("/bg-answer bg-1 go")
    assert "The user wants bg-1 to go on. Resume it now: " in context(said)
    assert "bg-1 goes on." in said["systemMessage"]
    if ended.version == "2.1.100":
        # The parent forgets the label: the launch of this turn continues the task all the same, and only the first.
        ended.launch("Go on.", "a2", description="continue the audit")
        assert ended.taken["description"].startswith("bg-1: ")
        ended.launch("Something of its own", "f1", description="look something up")
        assert ended.taken["description"] == "look something up"
    assert [row["label"] for row in ended.rows("SELECT label FROM tasks")] == ["bg-1"]
    assert ended.rows("SELECT text FROM errors") == []


@pytest.mark.parametrize("state", RUNNING_OR_OVER)
def test_where_nothing_is_left_to_resume_that_is_said(ended: Drive, state: str) -> None:
    be(ended, state)
    assert line(ended) == ""
    said = ended.prompt("/bg-answer bg-1 go")
    assert f"bg-1 is {state}; there is nothing to resume." in said.get("reason", "") + context(said)


def test_a_window_for_a_new_agent_closes_with_its_turn(ended: Drive) -> None:
    ended.prompt("/bg-answer bg-1 go")
    ended.stop()
    ended.launch("Something of its own", "f1", description="look something up")
    assert ended.taken["description"] == "look something up"
