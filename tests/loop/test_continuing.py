"""A session that the host moves into the background: everything of it goes along, whoever still shows the old one."""

from __future__ import annotations

from pathlib import Path

import pytest
from bg.ledger import place
from drive import Drive, block, context
from hosts import HERE, OTHER, gone, process
from recordings import Payload, events, recorded

HOST = "2.1.327"
SPARE = process(1)
OLD, NEW, LATER = "the-old-one", "the-new-one", "a-later-one"


@pytest.fixture
def drive(tmp_path, as_process):
    """In a session whose process lives on: bg-1 has asked, and bg-2 works."""
    as_process(OTHER)
    found = Drive(HOST, tmp_path)
    found.session, found.transcript = OLD, found.transcript.rename(found.transcript.with_name(f"{OLD}.jsonl"))
    found.prompt("/bg Audit the auth code")
    found.ends("a1", block("CLARIFICATION_NEEDED", found.launch("Audit.", "a1", "audit")))
    found.announced("a1")
    found.stop()
    found.prompt("/bg Write the docs")
    found.token = found.launch("Write.", "a2", "docs")
    found.transcript_of("a2", "I begin.")
    found.stop()
    as_process(HERE)
    return found


def beginning(source: str) -> Payload:
    """SessionStart as recorded of a move: `fork` of the session that goes on, `startup` of the spare one beside it."""
    [found] = [
        each
        for each in events(HOST, "moved")
        if each["hook_event_name"] == "SessionStart"
        and (each["source"], "agent_type" in each) == (source, source != "fork")
    ]
    return found


def begin(drive: Drive, source: str = "fork") -> str:
    """The moved session begins, without a transcript as yet, and its agents go on; what its parent is told."""
    told = context(drive.send(beginning("fork"), source=source))
    if not drive.transcript.exists():
        drive.transcript.write_text(
            drive.transcript.with_name(f"{OLD}.jsonl").read_text().rpartition('{"type": "cont')[0]
        )
    return told


def spare(drive: Drive) -> str:
    """An empty session that the host starts beside the one that it moves, for what the user may say next."""
    aside = drive.transcript.with_name("spare.jsonl")
    return context(drive.send(beginning("startup"), session_id="spare", transcript_path=str(aside)))


def states(drive: Drive) -> list[tuple[str, str]]:
    return [(row["session"], row["state"]) for row in drive.rows("SELECT session, state FROM tasks ORDER BY number")]


def asks_again(drive: Drive) -> str:
    """bg-2, which ran during the move, asks; what the parent is told of it."""
    drive.ends("a2", block("CLARIFICATION_NEEDED", drive.token))
    return context(drive.announced("a2"))


def test_the_new_session_has_everything(drive):
    drive.moves(NEW, "a2")
    told = begin(drive)
    assert states(drive) == [(NEW, "needs_answer"), (NEW, "working")]
    assert "another open session" not in told
    assert "- bg-2 (“docs”): working, you are told when it ends" in told
    assert "- bg-1 Q1 " in told
    assert context(drive.stop(background_tasks=[{"id": "a2", "type": "subagent", "status": "running"}])) == ""
    assert drive.rows("SELECT * FROM errors") == []


def test_an_answer_typed_in_the_new_session_goes_on(drive):
    """The host does not find an agent that had ended before the move: a new one follows it, with the answers."""
    drive.moves(NEW, "a2")
    begin(drive)
    said = drive.prompt("/bg-answer bg-1 Q1: CSV Q2: no")
    assert "another open session" not in str(said)
    assert "launch a new agent with a description that begins `bg-1:`" in context(said)
    assert drive.launch("Go on", "a3", description="bg-1: go on")
    assert "A1: CSV" in drive.taken["prompt"]


def test_a_question_asked_afterwards_reaches_the_new_session_and_its_agent_is_woken(drive):
    drive.moves(NEW, "a2")
    begin(drive)
    assert "bg-2 (“docs”) needs answers" in asks_again(drive)
    assert 'SendMessage with to: "a2"' in context(drive.prompt("/bg-answer bg-2 Q1: CSV Q2: no"))
    before = recorded(HOST, "resume", "PreToolUse", "SendMessage")
    said = drive.send(before, tool_use_id="toolu_9999", tool_input={"to": "a2", "message": "go on"})
    assert "A1: CSV" in said["hookSpecificOutput"]["updatedInput"]["message"]
    assert states(drive)[1][0] == NEW


def test_a_report_arrives_in_the_new_session_with_its_line_and_its_check(drive):
    drive.moves(NEW, "a2")
    begin(drive)
    drive.ends("a2", block("COMPLETION_REPORT", drive.token, status="success", deliverables="missing.txt"))
    said = drive.announced("a2")
    assert "missing.txt" in context(said)
    assert "bg-2" in said["systemMessage"]


def test_a_session_that_begins_beside_it_takes_nothing(drive, as_process):
    """Whether or not the new one has begun, and though the user has left the terminal of the old one."""
    drive.moves(NEW, "a2")
    old = {"session_id": OLD, "transcript_path": str(drive.transcript.with_name(f"{OLD}.jsonl"))}
    drive.send(recorded(HOST, "moved", "SessionEnd"), **old)
    as_process(SPARE)
    assert "bg-" not in spare(drive)
    assert states(drive) == [(OLD, "needs_answer"), (OLD, "working")]
    as_process(HERE)
    begin(drive)
    as_process(SPARE)
    spare(drive)
    assert states(drive) == [(NEW, "needs_answer"), (NEW, "working")]


def test_a_move_that_is_written_down_late_counts_at_the_next_event(drive):
    old = drive.transcript
    drive.moves(NEW, "a2", records=False)
    begin(drive)
    assert {session for session, _ in states(drive)} == {OLD}
    drive.continued(old, NEW)
    assert "bg-2 (“docs”) needs answers" in asks_again(drive)
    assert states(drive) == [(NEW, "needs_answer"), (NEW, "needs_answer")]
    assert drive.rows("SELECT * FROM meta WHERE key LIKE 'fork:%'") == []


def test_a_fork_looks_for_a_move_until_its_first_turn_has_ended(drive):
    drive.moves(NEW, "a2", records=False)
    begin(drive)
    idle = Path(place.idle(place.directory(), NEW))
    assert not idle.exists()
    drive.prompt("What now?")
    assert not idle.exists()
    drive.stop()
    assert idle.exists()
    assert drive.rows("SELECT * FROM meta WHERE key LIKE 'fork:%'") == []


def test_what_the_old_session_was_told_is_not_told_again_and_what_it_missed_is(drive):
    drive.ends("a2", block("COMPLETION_REPORT", drive.token, status="success"))
    drive.announced("a2")
    assert drive.rows("SELECT 1 FROM deliveries WHERE label = 'bg-2' AND seen IS NULL")
    drive.moves(NEW)
    assert "reports success" not in begin(drive)
    assert drive.rows("SELECT 1 FROM deliveries WHERE seen IS NULL") == []


def test_what_nobody_was_told_before_the_move_is_told_after_it(drive):
    drive.ends("a2", block("COMPLETION_REPORT", drive.token, status="success"))
    drive.moves(NEW)
    assert "reports success" in begin(drive)


def test_a_window_that_is_open_goes_along(drive):
    drive.prompt("/bg Fix the build")
    drive.moves(NEW, "a2")
    begin(drive)
    assert drive.launch("Fix it.", "a3", description="bg-3: fix")
    assert states(drive)[2] == (NEW, "working")


def test_the_old_session_resumed_by_itself_is_told_whose_the_tasks_are(drive, as_process):
    drive.moves(NEW, "a2")
    begin(drive)
    as_process(OTHER)
    drive.session, drive.transcript = OLD, drive.transcript.with_name(f"{OLD}.jsonl")
    told = begin(drive, "resume")
    assert "another open session" in told
    assert "- bg-2 (“docs”): working" in told
    assert {session for session, _ in states(drive)} == {NEW}


def test_the_old_session_takes_its_tasks_back_where_the_new_one_has_gone(drive, as_process):
    drive.moves(NEW, "a2")
    as_process(gone())
    begin(drive)
    as_process(HERE)
    drive.session, drive.transcript = OLD, drive.transcript.with_name(f"{OLD}.jsonl")
    assert "- bg-1 Q1 " in begin(drive, "resume")
    assert states(drive) == [(OLD, "needs_answer"), (OLD, "interrupted")]
    as_process(SPARE)
    spare(drive)
    assert {session for session, _ in states(drive)} == {OLD}
    drive.moves(LATER)
    begin(drive)
    assert {session for session, _ in states(drive)} == {LATER}


def test_a_session_moves_twice(drive, as_process):
    drive.moves(NEW, "a2")
    begin(drive)
    drive.stop(background_tasks=[{"id": "a2", "type": "subagent", "status": "running"}])
    drive.moves(LATER, "a2")
    begin(drive)
    assert states(drive) == [(LATER, "needs_answer"), (LATER, "working")]
    assert "bg-2 (“docs”) needs answers" in asks_again(drive)


def test_a_session_that_goes_on_under_its_own_id_after_a_move_has_not_moved(drive):
    """It was resumed: what its transcript ends with is its own turn."""
    drive.continued(drive.transcript, NEW)
    drive.prompt("I am back.")
    old = drive.transcript
    drive.moves(NEW, "a2", records=False)
    begin(drive)
    assert {session for session, _ in states(drive)} == {old.stem}
