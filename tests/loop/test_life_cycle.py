"""What has ended folds away, what the user closes is shown no longer, what is forgotten is exported before it goes."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import pytest
from bg.desk import forget, look
from bg.ledger import deliveries, inbox, launches, runs, tasks, windows
from bg.ledger.place import config_directory, directory
from bg.ledger.values import Due
from drive import Drive, block, context
from recordings import recorded

DAY = 24 * 3600


def begins(drive: Drive, source: str = "compact") -> str:
    return context(drive.send(recorded(drive.version, "sessions", "SessionStart"), source=source))


def asking(drive: Drive, agent: str = "a1") -> str:
    drive.prompt("/bg Audit the code")
    token = drive.launch("Audit it", agent)
    drive.stop()
    drive.ends(agent, block("CLARIFICATION_NEEDED", token))
    drive.announced(agent)
    drive.stop(stop_hook_active=True)
    return str(token)


def interrupted(drive: Drive, count: int, ago: float) -> None:
    """Tasks whose session ended under them so long ago."""
    book = drive.ledger()
    with book.transaction() as writing:
        for number in range(count):
            label = windows.take_label(writing)
            tasks.create(writing, label, label, drive.session, str(drive.folder), "Old work", "launched")
            token = launches.note(writing, f"toolu_old{number}", label, "", "", str(drive.folder), "")
            runs.bind(writing, token, f"old{number}")
            runs.end_run(writing, f"old{number}", 1)
            tasks.set_state(writing, label, "interrupted")
        writing.write("UPDATE tasks SET ended = ? WHERE state = 'interrupted'", time.time() - ago)
    book.close()


@pytest.mark.parametrize("ago", [60.0, 3 * DAY])
def test_what_is_gone_is_never_in_the_way_of_what_lives(drive, ago):
    """Fourteen interrupted tasks, one that works, one that asks: the list begins with the living."""
    drive.prompt("/bg-status")
    interrupted(drive, 14, ago)
    asking(drive)
    drive.prompt("/bg Count the lines")
    drive.launch("Count", "a2")
    drive.stop(stop_hook_active=True)
    lines = begins(drive).split("\n")
    assert lines[1].startswith("- bg-16 (")
    assert ": working" in lines[1]
    assert lines[2].startswith("- bg-15 (")
    assert lines[3].startswith("- bg-15 Q1 waits for the user")
    assert len(lines) <= 15
    assert any("more:" in line for line in lines)
    assert sum("interrupted" in line for line in lines) == (0 if ago > DAY else len(lines) - 7)


def test_what_is_closed_is_shown_no_longer_and_can_be_reopened(drive):
    asking(drive)
    said = drive.prompt("/bg-answer bg-1 close")
    assert "bg-1 is closed" in said["systemMessage"]
    assert "There is nothing to do for it" in context(said)
    drive.stop()
    assert "bg-1" not in begins(drive)
    assert "Nothing waits" in drive.prompt("/bg-answer")["reason"]
    assert "Should the export" not in drive.prompt("/bg-status")["reason"]
    assert "bg-1" in drive.prompt("/bg-status bg-1")["reason"]
    assert "bg-1" in context(drive.prompt("/bg-answer bg-1 go"))
    drive.send(
        {**recorded(drive.version, "resume", "PreToolUse", "SendMessage"), "tool_input": {"to": "a1", "message": "Go"}}
    )
    [row] = drive.rows("SELECT state FROM tasks")
    assert row["state"] == "stopped"
    drive.launch("Go on", "a2", "bg-1: go on")
    assert drive.rows("SELECT state, closed FROM tasks") == [{"state": "working", "closed": None}]


def test_what_works_is_not_closed(drive):
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    assert "works" in drive.prompt("/bg-answer bg-1 close")["reason"]
    assert "Say which" in drive.prompt("/bg-answer close")["reason"]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]


def test_what_works_again_before_it_could_be_closed_is_named(drive):
    """Its agent may go on before the host has written down who said so."""
    finished(drive)
    drive.writes = False
    drive.prompt("/bg-answer bg-1 close")
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE tasks SET state = 'working'")
    book.close()
    drive.write_down()
    assert "bg-1 works: /bg-answer bg-1 stop first, then close it" in drive.stop(stop_hook_active=True)["systemMessage"]
    assert drive.rows("SELECT closed FROM tasks") == [{"closed": None}]


def finished(drive: Drive, agent: str = "a1") -> None:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", agent)
    drive.stop()
    drive.ends(agent, block("COMPLETION_REPORT", token, status="success"))
    drive.announced(agent)
    drive.stop()


def left(drive: Drive, label: str) -> list[str]:
    """The tables in which something of a task is left."""
    book = drive.ledger()
    names = [row["name"] for row in book.all("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found = [
        name for name in names if label in " ".join(str(tuple(row)) for row in book.all(f'SELECT * FROM "{name}"'))
    ]
    book.close()
    return found


def test_forgetting_exports_first_and_leaves_nothing(drive):
    finished(drive)
    asking(drive, "a2")
    given = argparse.Namespace(labels=["bg-1", "bg-2", "bg-9"], ended_before=None, erase=False)
    code, out, said = forget.run(given)
    assert code == 1
    assert out.startswith("bg-1 is forgotten")
    assert said == "bgctl: bg-2 has not ended; close it first: /bg-answer bg-2 close\nbgctl: there is no task bg-9\n"
    archive = Path(directory()) / "archive.jsonl"
    assert archive.stat().st_mode & 0o777 == 0o600
    lines = [json.loads(line) for line in archive.read_text().splitlines()]
    assert lines[-1]["label"] == "bg-1"
    assert "rate limit" in lines[-1]["reports"][0]["text"]
    assert left(drive, "bg-1-") == []
    assert drive.rows("SELECT label FROM tasks") == [{"label": "bg-2"}]
    drive.prompt("/bg More")
    assert drive.launch("More", "a3").startswith("bg-3-")


@pytest.mark.parametrize("days", [None, 30])
def test_retention_is_off_unless_it_is_set_and_leaves_what_nobody_has_heard(drive, days, monkeypatch):
    config = Path(config_directory())
    config.mkdir(parents=True, exist_ok=True)
    if days:
        (config / "bg.json").write_text(json.dumps({"keep_days": days}))
    for agent in ("a1", "a2"):
        finished(drive, agent)
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE tasks SET ended = ? WHERE label = 'bg-1'", time.time() - 40 * DAY)
        writing.write("UPDATE tasks SET ended = ? WHERE label = 'bg-2'", time.time() - 40 * DAY)
        deliveries.make(writing, "bg-2", Due.ENDED, deliveries.Key.of_end("a2", 9))
        writing.write(
            "UPDATE deliveries SET surfaced = 1, event = 'Stop', pid = 1 WHERE label = 'bg-2' AND seen IS NULL"
        )
    book.close()
    begins(drive, "resume")
    kept = [row["label"] for row in drive.rows("SELECT label FROM tasks ORDER BY label")]
    assert kept == (["bg-2"] if days else ["bg-1", "bg-2"])
    assert (Path(directory()) / "archive.jsonl").exists() == bool(days)
    assert inbox.waiting(drive.ledger()) == []


def test_an_export_comes_a_line_at_a_time_and_is_the_same_as_before(drive):
    for agent in ("a1", "a2", "a3"):
        finished(drive, agent)
    code, lines, said = look.run_export(argparse.Namespace(task=""))
    assert (code, said) == (0, "")
    assert not isinstance(lines, (str, list))
    labels = [json.loads(line).get("label") for line in lines]
    assert [label for label in labels if label] == ["bg-1", "bg-2", "bg-3"]


def test_an_export_has_what_was_typed_and_what_was_taken_back(tmp_path):
    drive = Drive("2.1.327", tmp_path)
    drive.prompt("/bg Audit")
    drive.ends("a1", block("CLARIFICATION_NEEDED", drive.launch("Audit", "a1")))
    for words in ("bg-1 Q1: CSV", "bg-1 Q1: no, XLSX"):
        drive.prompt(f"/bg-answer {words}")
    [task] = [
        json.loads(line)
        for line in "".join(look.run_export(argparse.Namespace(task=""))[1]).splitlines()
        if '"reports"' in line
    ]
    assert [("command", "bg-1 Q1: CSV", "taken"), ("command", "bg-1 Q1: no, XLSX", "taken")] == [
        (row["via"], row["text"], row["outcome"]) for row in task["typed"]
    ]
    first, second = (row["id"] for row in task["typed"])
    asked = task["questions"][0]
    assert [("no, XLSX", second)] == [(row["text"], row["typed"]) for row in asked["answers"]]
    assert [("CSV", first)] == [(row["text"], row["typed"]) for row in asked["retracted"]]
