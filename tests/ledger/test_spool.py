"""What waits in the spool: taken in before the event that follows, within bounds, from nobody else's folder."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from bg import durations
from bg.ledger import place, spool
from bg.ledger.place import directory
from drive import Drive, block, context
from recordings import VERSIONS, recorded

NEWEST = VERSIONS[-1]


def keeps(drive: Drive, name: str, **changes) -> None:
    """An event of this session that came while the ledger could not be used."""
    event = recorded(NEWEST, "background", name)
    own = {"session_id": drive.session, "transcript_path": str(drive.transcript), "cwd": str(drive.folder)}
    assert spool.keep(directory(), json.dumps({**event, **own, **changes}), time.time())


def test_where_too_much_waits_the_event_waits_behind_it(drive, monkeypatch):
    """A hook has twenty seconds; what it was called for may not be lost to what came before."""
    drive.prompt("/bg Audit")
    tokens = {agent: drive.launch("Audit", agent) for agent in ("a1", "a2", "a3")}
    words = {agent: block("COMPLETION_REPORT", token, status="success") for agent, token in tokens.items()}
    for agent in ("a1", "a2"):
        keeps(drive, "SubagentStop", agent_id=agent, last_assistant_message=words[agent])
    monkeypatch.setattr(durations, "SPOOL", -1.0)
    assert drive.ends("a3", words["a3"]) == {}
    assert len(spool.waiting(directory(), time.time())) == 3
    assert drive.launch("One more", "a4"), "a launch does not wait: it would have no identity"
    monkeypatch.setattr(durations, "SPOOL", 60.0)
    drive.stop()
    assert spool.waiting(directory(), time.time()) == []
    assert {row["agent"] for row in drive.rows("SELECT agent FROM reports")} == {"a1", "a2", "a3"}


def test_an_approval_that_waited_is_asked_for_again(drive):
    """Its agent would be launched in the turn in which it was typed, and that turn is over."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block("DELEGATE_WORK", token, independence="blocks_current_work"))
    drive.stop()
    keeps(drive, "UserPromptSubmit", prompt="/bg-answer bg-1 D1: approve")
    assert "approve it again" in str(drive.prompt("hello"))
    assert drive.rows("SELECT state FROM questions") == [{"state": "open"}]
    assert "[from the bg plugin, not from the user] label: bg-2" in context(drive.prompt("/bg-answer bg-1 D1: approve"))


def test_a_close_that_waited_is_asked_for_again(drive):
    """Words from the spool take no task off the lists, so nobody is told that they have."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.stop()
    keeps(drive, "UserPromptSubmit", prompt="/bg-answer bg-1 close")
    said = str(drive.prompt("hello"))
    assert "bg-1 was not closed" in said
    assert "Close it again" in said
    assert "bg-1 is closed" not in said
    assert drive.rows("SELECT closed FROM tasks") == [{"closed": None}]
    drive.prompt("/bg-answer bg-1 close")
    drive.stop()
    assert drive.rows("SELECT closed IS NULL AS open FROM tasks") == [{"open": 0}]


def test_what_waited_says_no_more_than_notices_allow(drive):
    """The outcome of a command is always told, a mere notice only where the user wants notices."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.stop()
    Path(place.config_directory()).mkdir(exist_ok=True)
    (Path(place.config_directory()) / "bg.json").write_text('{"notices": false}')
    keeps(drive, "UserPromptSubmit", prompt="/bg-answer bg-1 Q1: one")
    assert "Q1 answered: one" in str(drive.prompt("hello").get("systemMessage"))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a folder another user's")
def test_a_folder_that_another_user_made_first_is_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    (tmp_path / "data").write_text("no directory can be made here")
    folder = str(tmp_path / "data")
    planted = Path(place.fallback_spools(folder)[0])
    planted.mkdir()
    (planted / "1-1.json").write_text("{}")
    (planted / "errors.log").symlink_to(tmp_path / "mine")
    (planted / "told-s1").touch()
    os.chown(planted, 65534, -1)
    assert spool.waiting(folder, time.time()) == []
    assert str(planted / "errors.log") not in spool.log_files(folder)
    spool.log(folder, "Stop", "a trace", time.time())
    assert not (tmp_path / "mine").exists()
    assert spool.first_in(folder, "s1")
    assert spool.keep(folder, "{}", time.time())
    kept = spool.waiting(folder, time.time())
    assert [planted] != [Path(path).parent for path in kept]
    for path in kept:
        Path(path).unlink()
