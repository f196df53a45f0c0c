"""Two sessions on one ledger: whose project, whose process and whose list of agents an event speaks of."""

from __future__ import annotations

import json
import subprocess
import time

from bg import durations
from bg.ledger import spool
from bg.ledger.place import directory
from drive import Drive, block, context
from recordings import VERSIONS, recorded
from rig import conversation

NEWEST = VERSIONS[-1]


def session(tmp_path, name: str) -> Drive:
    folder = tmp_path / name
    folder.mkdir()
    drive = Drive(NEWEST, folder)
    drive.session = f"session-{name}"
    drive.transcript = drive.transcript.rename(drive.transcript.with_name(f"{drive.session}.jsonl"))
    return drive


def blocked(drive: Drive) -> None:
    drive.prompt("/bg Audit")
    drive.ends("a1", block("STOP_WORK", drive.launch("Audit", "a1")))
    drive.stop()


def keeps(drive: Drive, words: str) -> None:
    """Typed while the ledger could not be used; the host has written it down."""
    with drive.transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(conversation.prompt(NEWEST, words, attended=True)) + "\n")
    event = recorded(NEWEST, "background", "UserPromptSubmit")
    changes = {"session_id": drive.session, "transcript_path": str(drive.transcript), "cwd": str(drive.folder)}
    assert spool.keep(directory(), json.dumps({**event, **changes, "prompt": words}), time.time())


def test_an_answer_that_waited_counts_for_the_project_it_was_typed_in(tmp_path, monkeypatch):
    there, here = session(tmp_path, "there"), session(tmp_path, "here")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(there.folder))
    blocked(there)
    keeps(here, "/bg-answer yes, delete it")
    there.prompt("The next hook is one of the other project.")
    assert there.rows("SELECT 1 FROM answers") == []
    assert there.rows("SELECT project FROM sessions WHERE id = ?", here.session) == [{"project": str(here.folder)}]
    assert "Nothing waits for an answer" in str(here.prompt("And here?"))


def test_an_answer_that_waited_leaves_the_task_to_the_session_that_has_it(tmp_path, monkeypatch, processes):
    monkeypatch.setenv("BG_HOST_PID", processes())
    owner = session(tmp_path, "owner")
    blocked(owner)
    other = session(tmp_path, "other")
    other.folder = owner.folder
    keeps(other, "/bg-answer bg-1 yes")
    assert "Resume it now" in context(owner.prompt("The next hook is one of the owner's."))
    assert owner.rows("SELECT session FROM tasks") == [{"session": owner.session}]
    assert owner.rows("SELECT text FROM answers") == [{"text": "yes"}]


def test_a_second_process_on_a_session_ends_nothing_of_the_first(tmp_path, monkeypatch, processes):
    monkeypatch.setattr(durations, "GRACE", 0.0)
    first = processes()
    monkeypatch.setenv("BG_HOST_PID", first)
    drive = session(tmp_path, "both")
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.transcript_of("a1", "I look at it.")
    monkeypatch.setenv("BG_HOST_PID", processes())
    time.sleep(0.01)
    drive.send(recorded(NEWEST, "background", "Stop"), background_tasks=[])
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]
    monkeypatch.setenv("BG_HOST_PID", first)
    drive.send(recorded(NEWEST, "background", "Stop"), background_tasks=[])
    assert drive.rows("SELECT state FROM tasks") == [{"state": "unreported"}]


def test_a_label_of_another_project_in_a_description_takes_nothing_over(tmp_path, monkeypatch, processes):
    there = session(tmp_path, "there")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(there.folder))
    gone = subprocess.Popen(["sleep", "60"])
    monkeypatch.setenv("BG_HOST_PID", str(gone.pid))
    blocked(there)
    gone.kill()
    gone.wait()
    here = session(tmp_path, "here")
    monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(here.folder))
    monkeypatch.setenv("BG_HOST_PID", processes())
    here.prompt("/bg-status")
    assert here.launch("Plain work", "b1", description="bg-1: something") is None
    assert here.rows("SELECT session FROM tasks") == [{"session": there.session}]
