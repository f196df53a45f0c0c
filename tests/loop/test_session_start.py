"""SessionStart on recorded payloads: what a new, resumed, cleared or forked session inherits, and what it must leave."""

from __future__ import annotations

import contextlib

import pytest
from drive import Drive, block, context
from hosts import HERE, OTHER, gone
from recordings import VERSIONS, recorded


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


def start(drive: Drive, source: str, session: str = "") -> str:
    """A session begins; what its parent is told."""
    if session:
        drive.session = session
        drive.transcript = drive.transcript.with_name(f"{session}.jsonl")
    payload = recorded(drive.version, "sessions", "SessionStart")
    return context(drive.send(payload, source=source))


def working(drive: Drive, agent: str = "a1") -> str:
    drive.prompt("/bg Audit the auth code")
    token = drive.launch("Audit.\nGoal: find holes", agent)
    assert token
    drive.stop()
    return token


def test_an_interrupted_task_stays_so_until_it_is_gone_on_with(drive, as_process):
    as_process(gone())
    working(drive)
    drive.transcript_of("a1", "I begin.")
    as_process(HERE)
    assert "- bg-1 (“audit”): interrupted" in start(drive, "resume")
    drive.prompt("Where were we?")
    with contextlib.closing(drive.ledger()) as book, book.transaction() as writing:
        writing.write("UPDATE runs SET began = began - 60")
    lists = "background_tasks" in recorded(drive.version, "background", "Stop")
    drive.stop(**({"background_tasks": []} if lists else {}))
    assert drive.state() == "interrupted"
    assert drive.rows("SELECT 1 FROM deliveries") == []


def test_a_report_that_only_the_transcript_has_counts(drive, as_process):
    as_process(gone())
    token = working(drive)
    drive.transcript_of("a1", block("COMPLETION_REPORT", token, status="success"))
    as_process(HERE)
    assert "reports success" in start(drive, "resume")
    assert drive.state() == "done"


def test_a_fork_that_begins_under_its_living_originals_id_takes_nothing(drive, as_process):
    as_process(OTHER)
    working(drive)
    as_process(HERE)
    told = start(drive, "resume")
    assert "another open session" in told
    assert "- bg-1 (“audit”): working" in told
    assert drive.state() == "working"
    assert drive.rows("SELECT pid FROM sessions") == [{"pid": OTHER.pid}]


def test_an_agent_of_a_cleared_conversation_is_not_woken_without_its_memory(drive, as_process):
    as_process(HERE)
    token = working(drive)
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    assert "- bg-1 (“audit”): needs answer\n" in start(drive, "clear", "another-conversation")
    assert "launch a new agent with a description that begins `bg-1:`" in context(
        drive.prompt("/bg-answer Q1: CSV Q2: no")
    )
    wakes = "Task" if drive.spawn == "Task" else "SendMessage"
    given = {"resume": "a1", "prompt": "go on"} if wakes == "Task" else {"to": "a1", "message": "go on"}
    before = recorded(drive.version, "background", "PreToolUse", drive.spawn)
    said = drive.send({**before, "tool_name": wakes}, tool_use_id="toolu_9999", tool_input=given)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert "without its task and its memory" in said["permissionDecisionReason"]
    assert drive.launch("Go on", "a2", description="bg-1: go on")
    assert "A1: CSV" in drive.taken["prompt"]
    assert drive.rows("SELECT state FROM questions") == [{"state": "sent"}, {"state": "sent"}]
