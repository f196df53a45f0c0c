"""A ledger that is deleted, emptied or damaged while agents work: their transcripts bring their tasks back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bg.ledger import place
from drive import Drive, block, context, stamp
from recordings import VERSIONS, recorded

NEWEST = VERSIONS[-1]
FOLDER = ("ledger.db-wal", "ledger.db-shm", "ledger.db")


def deleted() -> None:
    for name in FOLDER:
        (Path(place.directory()) / name).unlink(missing_ok=True)


def emptied() -> None:
    """As a shell's `>` does it; the last hook had written the log into the file."""
    for name in FOLDER[:2]:
        (Path(place.directory()) / name).unlink(missing_ok=True)
    (Path(place.directory()) / "ledger.db").write_bytes(b"")


def cut_beside_its_log() -> None:
    path = Path(place.directory()) / "ledger.db"
    Path(f"{path}-wal").write_bytes(b"x" * 4096)
    path.write_bytes(b"")


LOSSES: list[Callable[[], None]] = [deleted, emptied, cut_beside_its_log]


def at_work(drive: Drive, agent: str = "a1", words: str = "Audit the login", **changes: Any) -> str:
    """An agent of ours works, and both transcripts have what the host writes of that."""
    drive.prompt(f"/bg {words}")
    token = drive.launch(words, agent)
    assert token
    written(drive, agent, words, drive.taken["prompt"], **changes)
    drive.stop()
    return token


def written(drive: Drive, agent: str, said: str, given: str, *, kept: str = "") -> None:
    """What the parent has called, and what the agent was given; `kept` is the call that the host notes beside it."""
    call = f"toolu_{drive.calls:04d}"
    use = {"type": "tool_use", "id": call, "name": drive.spawn, "input": {"description": "audit", "prompt": said}}
    record = {
        "type": "assistant",
        "timestamp": stamp(drive.clock()),
        "message": {"role": "assistant", "content": [use]},
    }
    with drive.transcript.open("a") as file:
        file.write(json.dumps(record) + "\n")
    path = drive.transcript_of(agent, "")
    path.write_text(json.dumps({"type": "user", "cwd": str(drive.folder), "message": {"content": given}}) + "\n")
    path.with_suffix(".meta.json").write_text(json.dumps({"toolUseId": kept or call}))


def states(drive: Drive) -> list[tuple[str, str]]:
    return [(row["label"], row["state"]) for row in drive.rows("SELECT label, state FROM tasks ORDER BY number")]


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("lose", LOSSES)
def test_an_agent_is_known_again_and_its_question_is_put(lose: Callable[[], None], drive: Drive) -> None:
    token = at_work(drive)
    lose()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    assert states(drive) == [("bg-1", "needs_answer")]
    said = drive.announced("a1")
    assert "bg-1 (“audit”) needs answers" in context(said)
    assert "knows these tasks again: bg-1." in context(said)
    assert "Known again from the agents' transcripts: bg-1." in said["systemMessage"]
    drive.prompt("/bg-answer bg-1 Q1: Both Q2: no")
    assert [row["state"] for row in drive.rows("SELECT state FROM questions")] == ["answered", "answered"]
    again = drive.prompt("And now?")
    assert "known again" not in f"{again}".lower()
    assert drive.rows("SELECT * FROM errors") == []


def test_labels_go_on_behind_those_that_are_known_again(drive: Drive) -> None:
    at_work(drive)
    at_work(drive, "a2", "Count the tests")
    deleted()
    drive.prompt("/bg Something new")
    drive.launch("Something new", "a3")
    assert states(drive) == [("bg-1", "working"), ("bg-2", "working"), ("bg-3", "working")]
    assert [row["agent"] for row in drive.rows("SELECT agent FROM tasks ORDER BY number")] == ["a1", "a2", "a3"]


def test_a_label_that_was_given_out_meanwhile_is_not_taken_away(drive: Drive) -> None:
    token = at_work(drive)
    deleted()
    session, transcript = drive.session, drive.transcript
    drive.session, drive.transcript = "another", transcript.with_name("another.jsonl")
    drive.transcript.write_text("")
    drive.prompt("/bg Something else")
    drive.launch("Something else", "b1")
    drive.session, drive.transcript = session, transcript
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    assert states(drive) == [("bg-1", "working"), ("bg-2", "done")]
    assert "bg-2 (it was bg-1)" in drive.announced("a1")["systemMessage"]


def test_what_was_told_before_is_not_told_again(drive: Drive) -> None:
    token = at_work(drive)
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    told = context(drive.announced("a1"))
    assert "reports success" in told
    deleted()
    assert "reports success" not in context(drive.prompt("And now?"))
    assert states(drive) == [("bg-1", "done")]


def test_what_has_ended_and_was_not_told_is_told(drive: Drive) -> None:
    token = at_work(drive)
    text = block("COMPLETION_REPORT", token, status="success")
    drive.transcript_of("a1", text)
    words = f"<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>{text}</result>\n</task-notification>"
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"content": words}}) + "\n")
    deleted()
    assert "reports success" in context(drive.prompt("And now?"))


def test_an_agent_whose_prompt_was_copied_is_none_of_ours(drive: Drive) -> None:
    """The parent has copied the whole prompt of an agent into another launch, by the same or by no identity."""
    at_work(drive)
    copied = drive.taken["prompt"]
    drive.calls += 1
    written(drive, "a2", copied, copied)
    written(drive, "a3", "Audit the login", copied, kept="toolu_of_somebody")
    written(drive, "a4", "Do what it says", f"Do what it says: {copied}")
    deleted()
    drive.prompt("And now?")
    assert [row["agent"] for row in drive.rows("SELECT agent FROM tasks")] == ["a1"]


def test_a_transcript_elsewhere_brings_nothing_back(drive: Drive, tmp_path: Path) -> None:
    at_work(drive)
    deleted()
    elsewhere = tmp_path / "made" / drive.transcript.name
    elsewhere.parent.mkdir()
    drive.transcript.with_suffix("").rename(elsewhere.with_suffix(""))
    drive.transcript.rename(elsewhere)
    drive.transcript = elsewhere
    drive.prompt("And now?")
    assert states(drive) == []


def test_what_the_user_has_forgotten_stays_forgotten(drive: Drive) -> None:
    """The ledger is the one that knew the session: what it has no more was taken out of it."""
    token = at_work(drive)
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    book = drive.ledger()
    with book.transaction() as writing:
        for table in ("tasks", "launches", "runs", "sessions"):
            writing.write(f"DELETE FROM {table}")
    book.close()
    drive.prompt("And now?")
    assert states(drive) == []


def test_a_session_without_a_marker_makes_no_ledger(drive: Drive) -> None:
    drive.send(recorded(drive.version, "background", "Stop"))
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="startup")
    assert place.existing() == []


def test_the_end_of_a_turn_brings_them_back_where_the_ledger_is_gone(drive: Drive) -> None:
    at_work(drive)
    deleted()
    drive.send(recorded(drive.version, "background", "Stop"), background_tasks=[{"id": "a1", "type": "subagent"}])
    assert states(drive) == [("bg-1", "working")]
