"""Questions whose agent works on under an assumption: they wait for the user, and only another answer reaches it."""

from __future__ import annotations

from typing import Any

import pytest
from drive import Drive, block, context
from recordings import VERSIONS, recorded, since
from test_hearing import begun, on_the_way, resumed

ASSUMED = "ISO dates, as in the importer"
QUESTION = {"question_id": "Q1", "text": "ISO dates, or dates as in the invoices?", "context": "Both are read"}
REACHED = since("2.1.197")


@pytest.fixture(params=VERSIONS)
def version(request):
    return request.param


def asks(token: str, *questions: dict[str, Any], **fields: Any) -> str:
    given = {"questions": list(questions) or [QUESTION], "continue_with": ASSUMED, **fields}
    return block("CLARIFICATION_NEEDED", token, **given)


def items(drive: Drive) -> list[tuple[str, str]]:
    return [(row["qid"], row["state"]) for row in drive.rows("SELECT qid, state FROM questions ORDER BY id")]


def test_it_works_on_and_the_question_waits_for_the_user(drive):
    token = begun(drive)
    on_the_way(drive, asks(token))
    told = context(drive.prompt("And now?"))
    assert "bg-1 (“audit”) asks the user and works on meanwhile, under what it has assumed." in told
    assert f"> it goes on under: {ASSUMED}" in told
    assert "before it can go on" not in told
    assert (items(drive), drive.state()) == ([("Q1", "open")], "working")
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.stop()
    assert (items(drive), drive.state()) == ([("Q1", "open")], "done"), "it can still be answered otherwise"


@pytest.mark.parametrize("words", ["iso dates, as in the importer.", "skip"])
def test_an_answer_that_confirms_is_noted_and_nobody_is_woken(words, drive):
    token = begun(drive)
    on_the_way(drive, asks(token))
    drive.prompt("And now?")
    said = drive.prompt(f"/bg-answer bg-1 Q1: {words}")
    assert "bg-1 Q1 answered: as it has assumed; it goes on" in str(said)
    assert "Pass it on" not in str(said)
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    told = context(drive.announced("a1"))
    assert "reports success" in told
    assert "Q1" not in told
    drive.stop()
    assert "bg-1" not in context(drive.prompt("And now?"))
    assert (items(drive), drive.state()) == ([("Q1", "answered")], "done")
    assert [row["kind"] for row in drive.rows("SELECT kind FROM answers")] == ["confirmed"]


def test_an_answer_that_differs_reaches_a_working_agent_or_wakes_it_at_its_end(drive):
    token = begun(drive)
    on_the_way(drive, asks(token))
    drive.prompt("And now?")
    said = str(drive.prompt("/bg-answer bg-1 Q1: As in the invoices"))
    assert ("Pass it on now" in said) == (drive.version in REACHED)
    if drive.version in REACHED:
        message = sent(drive)
    else:
        assert "hears it at the end of its run" in said
        drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
        assert "Q1" in context(drive.announced("a1"))
        if drive.version == "2.1.100":
            return
        drive.stop()
        resumed(drive)
        [row] = drive.rows("SELECT message FROM resumes")
        message = row["message"]
    assert "Q1: ISO dates, or dates as in the invoices?\nA1: As in the invoices\n" in message
    assert f"You went on under “{ASSUMED}”. Bring what you did since into line with this answer" in message


def test_an_answer_that_differs_wakes_an_agent_that_is_done(drive):
    token = begun(drive)
    on_the_way(drive, asks(token))
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.stop()
    said = str(drive.prompt("/bg-answer bg-1 Q1: As in the invoices"))
    assert "Resume it now" in said
    drive.stop()
    if drive.version != "2.1.100":
        resumed(drive)
        assert "A1: As in the invoices" in drive.rows("SELECT message FROM resumes")[0]["message"]
        assert drive.state() == "working"


def sent(drive: Drive) -> str:
    before = recorded(drive.version, "send-running", "PreToolUse", "SendMessage")
    given = {"to": "a1", "message": "Here.", "summary": "answers"}
    said = drive.send({**before, "agent_id": None}, tool_use_id="toolu_s", tool_input=given)
    return str(said["hookSpecificOutput"]["updatedInput"]["message"])


def test_an_assumption_may_come_by_message(tmp_path):
    drive = Drive("2.1.327", tmp_path)
    token = begun(drive)
    call = recorded(drive.version, "to-main", "PreToolUse", "SendMessage")
    drive.send(call, agent_id="a1", tool_input={"to": "main", "message": asks(token), "summary": "a question"})
    assert "works on meanwhile" in context(drive.prompt("And now?"))
    assert (items(drive), drive.state()) == ([("Q1", "open")], "working")


def test_what_cannot_be_undone_is_never_assumed(drive):
    token = begun(drive)
    on_the_way(drive, asks(token, {**QUESTION, "irreversible": "It deletes the old dates"}))
    assert "works on meanwhile" not in context(drive.prompt("And now?"))
    drive.ends("a1", asks(token, {**QUESTION, "irreversible": "It deletes the old dates"}))
    assert drive.state() == "needs_answer"


def test_of_several_questions_each_needs_an_assumption(drive):
    token = begun(drive)
    second = {"question_id": "Q2", "text": "Archived ones too?"}
    on_the_way(drive, asks(token, {**QUESTION, "continue_with": "ISO"}, second, continue_with=""))
    assert items(drive) == []
    on_the_way(
        drive, asks(token, {**QUESTION, "continue_with": "ISO"}, {**second, "continue_with": "no"}, continue_with="")
    )
    told = context(drive.prompt("And now?"))
    assert "> it goes on under: ISO" in told
    assert "> it goes on under: no" in told


def test_a_run_that_ends_with_such_a_question_waits_for_its_answer(drive):
    """Whatever it meant to do meanwhile, its run is over."""
    token = begun(drive)
    drive.ends("a1", asks(token))
    told = context(drive.announced("a1"))
    assert "needs answers before it can go on" in told
    drive.stop()
    assert drive.state() == "needs_answer"
    said = drive.prompt(f"/bg-answer bg-1 Q1: {ASSUMED}")
    assert "Resume it now" in str(said) or "launch" in str(said).lower()


def test_a_report_beside_such_a_question_ends_the_run_and_the_question_stays(drive):
    token = begun(drive)
    drive.ends("a1", f"{asks(token)}\n\n{block('COMPLETION_REPORT', token, status='success')}")
    told = context(drive.announced("a1")) + context(drive.prompt("And now?"))
    assert "reports success" in told
    assert (items(drive), drive.state()) == ([("Q1", "open")], "done")
