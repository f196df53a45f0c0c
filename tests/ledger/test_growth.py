"""A long history costs a session nothing: at 10,000 tasks each event takes the steps in SQLite that it takes at 10."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from bg.desk import statusline
from bg.desk.page import Page
from bg.ledger import sqlite3
from bg.ledger.cases import Held
from bg.ledger.place import directory
from drive import Drive, block
from recordings import VERSIONS, recorded
from rig import history

NEWEST = VERSIONS[-1]
FEW, MANY, MOST_GROWTH = 10, 10_000, 1.3
#: What is bounded, and not yet reached at ten: three more tasks of the last day that a session takes over, or names.
SLACK = 1500
#: Counting goes by an index alone: the table counts all that has ended, the list of a session what was interrupted in
#: it, a tenth. For 10,000 tasks that is a millisecond, of seven.
COUNTED = 15
COUNTS = {"the table": 1.0, "a session begins": 0.1, "a session begins again": 0.1, "a compaction": 0.1, "a fork": 0.1}


class Counted:
    """A session on a ledger, with what each thing that it does takes there."""

    def __init__(self, folder: Path, count: int, monkeypatch: pytest.MonkeyPatch, *, own: bool) -> None:
        folder.mkdir(parents=True)
        monkeypatch.setenv("BG_DATA", str(folder / "data"))
        self.drive = Drive(NEWEST, folder)
        self.steps = 0
        self.found: dict[str, int] = {}
        _past(self.drive)
        history.lengthen(Path(directory()) / "ledger.db", count, folder, time.time())
        self._begin()
        connect = sqlite3.connect
        if own:
            with closing(connect(Path(directory()) / "ledger.db")) as book, book:
                book.execute("UPDATE tasks SET session = ?", (self.drive.session,))

        monkeypatch.setattr(Held, "once", Held.once.__wrapped__)  # what compares asks the ledger too

        def counting(*given: Any, **named: Any) -> sqlite3.Connection:
            connection = connect(*given, **named)
            connection.set_progress_handler(self._step, 1)
            return connection

        monkeypatch.setattr(sqlite3, "connect", counting)

    def _begin(self) -> None:
        """Another session, which takes over from those that are gone."""
        spoken = self.drive.transcript.read_text()
        self.drive.session = "taking-over"
        self.drive.transcript = self.drive.transcript.with_name("taking-over.jsonl")
        self.drive.transcript.write_text(spoken)

    def _step(self) -> int:
        self.steps += 1
        return 0

    def count(self, what: str, done: Any) -> Any:
        self.steps = 0
        result = done()
        self.found[what] = self.steps
        return result


def _message(drive: Drive, agent: str) -> None:
    sent = {"tool_name": "SendMessage", "tool_use_id": f"toolu_{agent}"}
    before = {**sent, "hook_event_name": "PreToolUse", "tool_input": {"to": agent, "message": "Go on."}}
    given = drive.send(before)["hookSpecificOutput"]["updatedInput"]
    after = {**sent, "hook_event_name": "PostToolUse", "tool_input": given}
    drive.send(after, tool_response={"success": True, "resumedAgentId": agent})


def _past(drive: Drive) -> None:
    """The task that the history is made of: it asked, was answered, and reported."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.prompt("/bg-answer bg-1 Q1: one Q2: two")
    _message(drive, "a1")
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.prompt("What now?")
    drive.stop()
    drive.send(recorded(NEWEST, "sessions", "SessionEnd"))


def _play(stage: Counted) -> None:
    """Everything that a session does."""
    drive, count = stage.drive, stage.count
    begin = recorded(NEWEST, "sessions", "SessionStart")
    count("a session begins", lambda: drive.send(begin, source="startup"))
    count("a command", lambda: drive.prompt("/bg Audit"))
    token = count("a launch", lambda: drive.launch("Audit", "b1"))
    count("a turn's end", drive.stop)
    count("a prompt", lambda: drive.prompt("What does the parser do?"))
    count("a run's end with a question", lambda: drive.ends("b1", block("CLARIFICATION_NEEDED", token)))
    count("a notification", lambda: drive.announced("b1"))
    count("a turn's end with a question", drive.stop)
    count("the table", lambda: drive.prompt("/bg-status"))
    count("what waits", lambda: drive.prompt("/bg-answer"))
    count("a compaction", lambda: drive.send(begin, source="compact"))
    label = drive.rows("SELECT label FROM tasks WHERE agent = 'b1'")[0]["label"]
    count("an answer", lambda: drive.prompt(f"/bg-answer {label} Q1: one"))
    count("taking back", lambda: drive.prompt("/bg-answer undo"))
    count("both answers", lambda: drive.prompt(f"/bg-answer {label} Q1: one Q2: two"))
    count("a resume", lambda: _message(drive, "b1"))
    count("a run's end", lambda: drive.ends("b1", block("COMPLETION_REPORT", token, status="success")))
    count("its notification", lambda: drive.announced("b1"))
    count("a request", lambda: _request(drive))
    count("go", lambda: drive.prompt("/bg-answer go"))
    count("the statusline", lambda: statusline.segment(str(drive.folder), Page(80)))
    count("a session's end", lambda: drive.send(recorded(NEWEST, "sessions", "SessionEnd")))
    count("a session begins again", lambda: drive.send(begin, source="resume"))
    count("a fork", lambda: drive.send(begin, source="fork"))


def _request(drive: Drive) -> None:
    drive.prompt("/bg Count")
    token = drive.launch("Count", "b2")
    drive.stop()
    drive.ends("b2", block("DELEGATE_WORK", token))
    drive.announced("b2")


@pytest.mark.parametrize("own", [False, True], ids=["of sessions that are gone", "of this session"])
def test_everything_that_a_session_does_costs_the_same_on_a_long_history(own, tmp_path, monkeypatch):
    figures = {}
    for count in (FEW, MANY):
        with monkeypatch.context() as patched:
            stage = Counted(tmp_path / str(count), count, patched, own=own)
            _play(stage)
            figures[count] = stage.found
    few, many = figures[FEW], figures[MANY]
    most = {what: few[what] * MOST_GROWTH + SLACK + COUNTS.get(what, 0) * COUNTED * MANY for what in few}
    assert {what: (few[what], many[what]) for what in few if many[what] > most[what]} == {}
    assert min(few.values()) > 1000
