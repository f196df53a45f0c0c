"""Who lives where a process number says nothing: another machine, another container, another start; and who is silent."""

from __future__ import annotations

import json
import os

import pytest
from bg import durations, machine
from drive import Drive
from recordings import VERSIONS, recorded

HERE = "desk pid:[4026531836] 1111"


@pytest.fixture
def drive(tmp_path, monkeypatch):
    """A session on this machine, with an agent that works."""
    monkeypatch.setattr(machine, "here", lambda: HERE)
    own = machine.Process(os.getpid(), machine._look(os.getpid())[2])
    monkeypatch.setattr(machine, "host", lambda: own)
    found = Drive(VERSIONS[-1], tmp_path)
    found.prompt("/bg Audit")
    found.launch("Audit", "a1")
    found.stop()
    return found


def another(drive: Drive, monkeypatch, where: str, pid: int) -> str:
    """A session begins there, by a process of that number; the state of the task afterwards."""
    monkeypatch.setattr(machine, "here", lambda: where)
    monkeypatch.setattr(machine, "host", lambda: machine.Process(pid, "7"))
    drive.session, drive.transcript = "another", drive.transcript.with_name("another.jsonl")
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="startup")
    return drive.rows("SELECT state FROM tasks")[0]["state"]


@pytest.mark.parametrize("where", ["laptop pid:[4026531836] 2222", "desk pid:[4026532999] 1111"])
@pytest.mark.parametrize("pid", [os.getpid(), 999_999], ids=["a living one", "none"])
def test_a_neighbours_agents_live_while_their_session_gives_a_sign(drive, monkeypatch, where, pid):
    """Whatever its process number is here: the very same one, or none that lives."""
    monkeypatch.setattr(machine, "alive", lambda _: pytest.fail("the number was asked for"))
    assert another(drive, monkeypatch, where, pid) == "working"
    monkeypatch.setattr(durations, "NEIGHBOUR", -1.0)
    drive.session = "a third"
    assert another(drive, monkeypatch, where, pid) == "interrupted"


def test_a_neighbour_in_a_long_call_is_not_silent(drive, monkeypatch):
    path = drive.transcript_of("a1", "I build it.")
    call = {"type": "assistant", "message": {"content": [{"type": "tool_use", "id": "t", "name": "Bash", "input": {}}]}}
    with path.open("a") as file:
        file.write(json.dumps(call) + "\n")
    monkeypatch.setattr(durations, "NEIGHBOUR", -1.0)
    assert another(drive, monkeypatch, "laptop pid:[4026531836] 2222", 5) == "working"


def test_what_ran_before_the_machine_was_started_anew_is_gone(drive, monkeypatch):
    """Though a process has its number again."""
    assert another(drive, monkeypatch, "desk pid:[4026531836] 3333", os.getpid()) == "interrupted"


def test_a_ledger_that_knows_no_machine_asks_the_process(drive, monkeypatch):
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE sessions SET machine = NULL")
    book.close()
    assert another(drive, monkeypatch, "laptop pid:[4026531836] 2222", 5) == "working"


@pytest.mark.parametrize(
    ("reason", "minutes", "state"),
    [("end_turn", 2, "unreported"), (None, 2, "working"), (None, 20, "unreported"), ("tool_use", 20, "working")],
)
@pytest.mark.parametrize("version", ["2.1.7", "2.1.100"])
def test_an_agent_that_streams_a_call_is_not_called_ended(tmp_path, version, reason, minutes, state):
    """Old hosts list nobody; the text before a call is written while the call is still on its way."""
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    path = drive.transcript_of("a1", "I will write the file.")
    record = json.loads(path.read_text())
    record["message"]["stop_reason"] = reason
    path.write_text(json.dumps(record) + "\n")
    drive.advance(60 * minutes)
    drive.prompt("What now?")
    assert drive.rows("SELECT state FROM tasks") == [{"state": state}]
    assert durations.SILENCE < durations.LONG_SILENCE
