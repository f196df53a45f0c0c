"""An answer to a running agent is on its way until a record shows that it has arrived; an agent that ends before is owed it."""

from __future__ import annotations

import pytest
from bg import machine
from drive import Drive, block, context
from hosts import gone
from queueing import LATER, Asking
from recordings import recorded

DROPS, WAKES = "2.1.258", "2.1.327"
QUEUED = "Message queued for delivery to a1 at its next tool round."
PROMISE = f"{QUEUED} If it finishes first, it is resumed with the message and notifies again, so wait for that."
REPORTS = "reports success"
OVERTAKEN = "It ended before the user's answers to Q1 reached it. If they still matter, resume it: "
COMES = "It ended before the user's answers to Q1 reached it. Claude Code wakes it with them by itself"


def test_what_the_host_dropped_is_owed_again_and_sent_once(tmp_path):
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    assert "A1: both of them" in case.message
    assert case.answers() == [(True, False)]
    told = case.ends()
    assert REPORTS in told
    assert told.count(OVERTAKEN) == 1
    assert "it ended before your answers to Q1 reached it" in case.notice
    assert case.answers() == [(False, False)]
    again = case.sends("s2", {"success": True, "resumedAgentId": "a1"})
    assert again.count("A1: both of them") == 1
    assert case.answers() == [(True, True)]
    assert "A1:" not in case.sends("s3", {"success": True, "message": QUEUED})


def test_what_the_host_dropped_is_owed_again_whatever_the_last_words_were(tmp_path):
    """The ledger keeps them masked, the host as they are."""
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    assert OVERTAKEN in case.ends(summary="Pushed with https://ci:tr0ub4dor-and-3@git.example.com/repo.git")
    assert case.answers() == [(False, False)]


def test_what_came_long_before_the_end_of_both_transcripts_is_not_owed(tmp_path):
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    case.has_a_round()
    for number in range(12):
        result = {"type": "tool_result", "tool_use_id": f"r{number}", "content": "x" * 60_000}
        for path in (case.agent, case.drive.transcript):
            case.write(path, {"type": "user", "timestamp": LATER, "message": {"content": [result]}})
    assert "It ended before" not in case.ends()
    assert case.answers() == [(True, True)]


def test_what_the_agent_had_with_its_next_call_is_not_owed(tmp_path):
    """2.1.197 and 2.1.258 hand it over with a tool's result, and write nothing of it down."""
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    case.has_a_round()
    told = case.ends()
    assert REPORTS in told
    assert "It ended before" not in told
    assert case.answers() == [(True, True)]


def test_a_call_that_had_ended_before_is_no_round(tmp_path):
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    case.has_a_round("2026-11-19T09:59:59.000Z")
    assert OVERTAKEN in case.ends()


def test_what_stands_in_its_transcript_is_not_owed(tmp_path):
    case = Asking(Drive(WAKES, tmp_path), PROMISE)
    case.write(case.agent, {"type": "attachment", "attachment": {"type": "queued_command", "prompt": case.message}})
    assert "It ended before" not in case.ends()
    assert case.answers() == [(True, True)]


def test_what_came_as_a_prompt_during_the_run_begins_no_other_one(tmp_path):
    case = Asking(Drive(WAKES, tmp_path), PROMISE)
    text = block("COMPLETION_REPORT", case.token, status="success")
    payload = recorded(WAKES, "background", "SubagentStop")
    case.drive.send(payload, agent_id="a1", agent_transcript_path=str(case.agent), last_assistant_message=text)
    case.write(case.agent, {"type": "user", "message": {"content": case.message}})
    case.drive.transcript_of("a1", text)
    case.drive.announced("a1")
    assert case.answers() == [(True, True)]
    assert case.drive.rows("SELECT run FROM runs WHERE ended IS NULL") == []


def test_a_host_that_wakes_it_with_the_answer_is_waited_for(tmp_path):
    """2.1.327 says so, and does it behind the agent's end: then nothing is owed again, and nobody is told to send it."""
    case = Asking(Drive(WAKES, tmp_path), PROMISE)
    told = case.ends()
    assert told.count(COMES) == 1
    assert OVERTAKEN not in told
    assert "it goes on with your answers to Q1" in case.notice
    assert case.answers() == [(True, False)]
    case.write(case.agent, {"type": "user", "message": {"content": f"The coordinator sent a message:\n{case.message}"}})
    assert "It ended before" not in case.ends()
    assert case.answers() == [(True, True)]


def test_a_run_that_began_with_it_and_ended_before_it_was_written_down_is_no_third_one(tmp_path):
    """Seen on 2.1.328: the run that the answer began had ended before the transcript held either."""
    case = Asking(Drive(WAKES, tmp_path), PROMISE)
    case.ends()
    text = block("COMPLETION_REPORT", case.token, status="success", summary="With the answer.")
    payload = recorded(WAKES, "background", "SubagentStop")
    case.drive.send(payload, agent_id="a1", agent_transcript_path=str(case.agent), last_assistant_message=text)
    case.write(case.agent, {"type": "user", "message": {"content": case.message}})
    case.drive.announced("a1", result=text)
    assert case.drive.rows("SELECT run FROM runs WHERE ended IS NULL") == []
    case.drive.transcript_of("a1", text)
    case.drive.stop()
    assert case.answers() == [(True, True)]
    assert case.drive.rows("SELECT max(run) AS last FROM runs") == [{"last": 2}]
    assert case.drive.rows("SELECT state FROM tasks") == [{"state": "done"}]


def test_a_promise_ends_with_its_process(tmp_path):
    case = Asking(Drive(WAKES, tmp_path), PROMISE)
    case.ends()
    told = context(case.drive.send(recorded(WAKES, "sessions", "SessionStart"), source="resume"))
    assert case.answers() == [(False, False)]
    assert "The user's answers for bg-1 are recorded. Resume it now" in told + context(case.drive.prompt("hello"))


def test_while_its_last_words_are_not_written_down_nothing_is_known(tmp_path):
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    text = block("COMPLETION_REPORT", case.token, status="success")
    payload = recorded(DROPS, "background", "SubagentStop")
    case.drive.send(payload, agent_id="a1", agent_transcript_path=str(case.agent), last_assistant_message=text)
    assert "It ended before" not in context(case.drive.announced("a1"))
    assert case.answers() == [(True, False)]
    case.drive.transcript_of("a1", text)
    assert "Resume it now" in context(case.drive.prompt("hello"))
    assert case.answers() == [(False, False)]


@pytest.mark.parametrize("version", [DROPS, WAKES])
def test_a_cut_run_keeps_no_promise(version, tmp_path):
    case = Asking(Drive(version, tmp_path), PROMISE)
    case.drive.announced("a1", status="killed", summary="was stopped")
    assert case.answers() == [(False, False)]


def test_nothing_waits_that_carries_no_answer(tmp_path):
    case = Asking(Drive(DROPS, tmp_path), QUEUED)
    assert "A1:" not in case.sends("s2", {"success": True, "message": QUEUED})
    assert case.drive.rows("SELECT tool_use, proven FROM resumes") == [{"tool_use": "s1", "proven": None}]


@pytest.mark.parametrize("version", [DROPS, WAKES])
def test_what_waited_for_a_running_agent_is_owed_again_when_its_session_is_gone(version, tmp_path, monkeypatch):
    with monkeypatch.context() as before:
        before.setattr(machine, "host", gone)
        case = Asking(Drive(version, tmp_path), PROMISE)
    told = context(case.drive.send(recorded(version, "sessions", "SessionStart"), source="resume"))
    told += context(case.drive.prompt("hello"))
    assert case.answers() == [(False, False)]
    assert case.drive.rows("SELECT state FROM tasks") == [{"state": "interrupted"}]
    assert "Resume it now" in told


@pytest.mark.parametrize("passes_through", [False, True])
def test_the_word_that_an_agent_was_woken_vouches_for_no_answer(tmp_path, passes_through):
    """A host that takes the message from another key wakes the agent with the parent's words alone."""
    drive = Drive(WAKES, tmp_path)
    drive.prompt("/bg Audit the code")
    token = drive.launch("Audit it", "a1")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token, questions="Q1: CSV or XLSX?"))
    drive.announced("a1")
    drive.prompt("/bg-answer bg-1 Q1: both of them")
    given = {"to": "a1", "text": "Here."}
    before, after = (recorded(WAKES, "resume", name, "SendMessage") for name in ("PreToolUse", "PostToolUse"))
    taken = drive.send(before, tool_use_id="s1", tool_input=given)["hookSpecificOutput"]["updatedInput"]
    assert "both of them" in taken["message"]
    sent = taken if passes_through else given
    drive.delivers = False
    drive.send(after, tool_use_id="s1", tool_input=sent, tool_response={"success": True, "resumedAgentId": "a1"})
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]
    assert drive.rows("SELECT 1 FROM resumes WHERE proven IS NOT NULL") == []
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    assert OVERTAKEN in context(drive.announced("a1"))
    assert drive.rows("SELECT sent FROM answers") == [{"sent": None}]
