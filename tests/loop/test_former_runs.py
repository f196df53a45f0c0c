"""What belongs to a run before the one that goes on: a late notification, and an end whose hook was killed."""

from __future__ import annotations

import contextlib
import json

import pytest
from bg import durations
from bg.evidence import MISMATCH
from bg.host import transcripts
from bg.ledger import cases, naming
from bg.ledger.runs import bind
from bg.loop import reports
from drive import Drive, block, context
from recordings import VERSIONS, recorded

WOKEN = "toolu_woken"


@pytest.fixture(params=["2.1.7", VERSIONS[-1]])
def version(request):
    return request.param


def answered(drive: Drive) -> tuple[str, str]:
    """An agent that has asked and was answered; its token and what it had asked."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    asked = block("CLARIFICATION_NEEDED", token)
    drive.ends("a1", asked)
    assert "bg-1 Q1" in str(drive.stop())
    drive.prompt("/bg-answer Q1: one Q2: two")
    return token or "", asked


def woken(drive: Drive) -> tuple[str, str]:
    """The same agent, which goes on."""
    token, asked = answered(drive)
    wake(drive)
    return token, asked


def wake(drive: Drive, call: str = WOKEN, *, killed: bool = False) -> None:
    """The parent wakes the agent; `killed`: the hook before its call leaves nothing behind."""
    if drive.spawn == "Task":
        before, after = (recorded(drive.version, "resume", name, "Task") for name in ("PreToolUse", "PostToolUse"))
        given = {**before["tool_input"], "resume": "a1", "prompt": "Go on."}
        answer = {**after["tool_response"], "agentId": "a1"}
    else:
        before, after = (
            recorded(drive.version, "resume", name, "SendMessage") for name in ("PreToolUse", "PostToolUse")
        )
        given = {**before["tool_input"], "to": "a1", "message": "Go on."}
        answer = {**after["tool_response"], "resumedAgentId": "a1"}
    sent = given
    if not killed:
        sent = drive.send(before, tool_use_id=call, tool_input=given)["hookSpecificOutput"]["updatedInput"]
    drive.send(after, tool_use_id=call, tool_input=sent, tool_response=answer)


def sends(drive: Drive, call: str) -> str:
    """The hook before the parent's message; what it lets the agent hear."""
    before = recorded(drive.version, "resume", "PreToolUse", "SendMessage")
    given = {**before["tool_input"], "to": "a1", "message": "Go on."}
    said = drive.send(before, tool_use_id=call, tool_input=given)
    return str(said["hookSpecificOutput"]["updatedInput"]["message"])


def hears(drive: Drive, words: str) -> None:
    """The message stands in the agent's transcript."""
    [path] = drive.transcript.with_suffix("").rglob("agent-a1.jsonl")
    record = {"type": "user", "uuid": f"u-{path.stat().st_size}", "message": {"role": "user", "content": words}}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def runs(drive: Drive) -> list[tuple[int, bool]]:
    return [(row["run"], row["ended"] is not None) for row in drive.rows("SELECT run, ended FROM runs ORDER BY run")]


def announced(drive: Drive, result: str, call: str) -> str:
    named = f"<tool-use-id>{call}</tool-use-id>\n" if drive.version != "2.1.7" else ""
    return context(
        drive.prompt(
            f"<task-notification>\n<task-id>a1</task-id>\n{named}<status>completed</status>\n"
            f'<summary>Agent "audit" finished</summary>\n<result>{result}</result>\n</task-notification>'
        )
    )


def test_a_late_notification_does_not_end_the_run_that_goes_on(drive):
    """Stop had told the parent; the user answered at once; only then comes the host's own word of the first run."""
    token, asked = woken(drive)
    assert runs(drive) == [(1, True), (2, False)]
    assert "needs answers" not in announced(drive, asked, "toolu_0001")
    assert runs(drive) == [(1, True), (2, False)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]
    assert drive.rows("SELECT state FROM questions") == [{"state": "sent"}, {"state": "sent"}]
    done = block("COMPLETION_REPORT", token, status="success")
    drive.transcript_of("a1", done)
    assert "reports success" in announced(drive, done, WOKEN), "what names the present call does end it"
    assert runs(drive) == [(1, True), (2, True)]


def test_the_same_words_under_the_present_call_end_the_run(newest):
    _, asked = woken(newest)
    assert "needs answers" in announced(newest, asked, WOKEN)
    assert runs(newest) == [(1, True), (2, True)]


def test_an_end_whose_hook_was_killed_is_told_beside_the_next_one(drive):
    """Its text was durable and not judged, and no event told of the resume that followed: two runs, two reports."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    first = block("COMPLETION_REPORT", token, status="success", summary="The first one.")
    book = drive.ledger()
    reports.keep(cases.case(book, "bg-1"), cases.agent(book, "a1"), "SubagentStop", first)
    book.close()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", summary="The second one."))
    assert runs(drive) == [(1, True), (2, True)]
    told = str(drive.stop()) + str(drive.prompt("hello"))
    assert "The first one." in told
    assert "The second one." in told


def test_what_follows_a_correction_is_the_same_run(drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    assert drive.ends("a1", "In prose.")["decision"] == "block"
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"), stop_hook_active=True)
    assert runs(drive) == [(1, True)]


def test_what_followed_a_correction_counts_once_where_its_hook_was_killed(newest, monkeypatch):
    """The turn's end takes it from the agent's transcript, and the host's announcement says it again."""
    monkeypatch.setattr(durations, "GRACE", -1.0)
    newest.prompt("/bg Audit")
    token = newest.launch("Audit", "a1")
    assert newest.ends("a1", "In prose.")["decision"] == "block"
    asked = block("DELEGATE_WORK", token, independence="blocks_current_work")
    newest.transcript_of("a1", asked)
    newest.stop(background_tasks=[])
    newest.announced("a1", result=asked)
    assert runs(newest) == [(1, True)]
    assert newest.rows("SELECT qid, run, state FROM questions") == [{"qid": "D1", "run": 1, "state": "open"}]


def test_answers_that_the_end_has_overtaken_are_named_with_it(newest):
    """Both hooks around SendMessage were killed: the agent went on without the answers, and has finished."""
    token, _ = answered(newest)
    newest.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    told = announced(newest, "", WOKEN)
    assert "It ended before the user's answers to Q1, Q2 reached it. If they still matter, resume it:" in told


def test_words_on_the_way_to_a_handback_are_no_run_of_their_own(newest, monkeypatch):
    """In auto mode SubagentStop follows with no text; what stands in the transcript was said before the handback."""
    monkeypatch.setattr(durations, "GRACE", 0.0)
    newest.scene = "handback"
    newest.prompt("/bg Audit")
    token = newest.launch("Audit", "a1")
    path = newest.transcript_of("a1", "I will read the code first.")
    call = recorded(newest.version, "handback", "PreToolUse", "SubagentHandback")
    newest.send(call, agent_id="a1", tool_input={"message": block("CLARIFICATION_NEEDED", token)})
    ends = recorded(newest.version, "handback", "SubagentStop")
    assert "last_assistant_message" not in ends
    newest.send(ends, agent_id="a1", agent_transcript_path=str(path))
    newest.send(recorded(newest.version, "handback", "Stop"), background_tasks=[])
    assert runs(newest) == [(1, True)]
    assert newest.rows("SELECT state FROM tasks") == [{"state": "needs_answer"}]
    assert "Q1 answered" in str(newest.prompt("/bg-answer bg-1 Q1: one Q2: two"))


@pytest.fixture
def handing(tmp_path):
    """An agent in auto mode that has handed back its questions."""
    drive = Drive(VERSIONS[-1], tmp_path)
    drive.scene = "handback"
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.transcript_of("a1", "I will read the code first.")
    hands_back(drive, block("CLARIFICATION_NEEDED", token))
    return drive, token


def hands_back(drive: Drive, text: str) -> None:
    call = recorded(drive.version, "handback", "PreToolUse", "SubagentHandback")
    part = {"type": "tool_use", "name": "SubagentHandback", "input": {"message": text}}
    path = drive.transcript_of("a1", "And now the report.")
    line = {"type": "assistant", "message": {"role": "assistant", "content": [part]}}
    result = {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "delivered"}]}}
    with path.open("a", encoding="utf-8") as file:
        file.write(f"{json.dumps(line)}\n{json.dumps(result)}\n")
    assert {} == drive.send(call, agent_id="a1", tool_input={"message": text})


def starts(drive: Drive) -> None:
    drive.send(recorded(drive.version, "handback", "SubagentStart"), agent_id="a1")


def test_a_closing_word_behind_a_handback_is_no_run_of_its_own(handing):
    """As from 2.1.271 to 2.1.284: what was handed back stays, and the word is kept beside it."""
    drive, token = handing
    ends = {"permission_mode": "auto", "last_assistant_message": "Done."}
    drive.ends("a1", "Done.", **ends)
    assert runs(drive) == [(1, True)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "needs_answer"}]
    assert drive.rows("SELECT text, source FROM reports WHERE source <> 'SubagentHandback'") == [
        {"text": "Done.", "source": "message"}
    ]
    assert "Q1 answered" in str(drive.prompt("/bg-answer bg-1 Q1: one Q2: two"))
    starts(drive)
    wake(drive)
    assert runs(drive) == [(1, True), (2, False)]
    hands_back(drive, block("COMPLETION_REPORT", token, status="success"))
    drive.ends("a1", "Done.", **ends)
    assert runs(drive) == [(1, True), (2, True)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "done"}]


def test_a_second_handback_of_a_run_that_is_over_is_not_taken_for_the_next(handing):
    """The host sends it to nobody."""
    drive, token = handing
    hands_back(drive, block("COMPLETION_REPORT", token, status="success"))
    assert runs(drive) == [(1, True)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "needs_answer"}]


def test_a_run_whose_start_nobody_saw_is_known_by_the_prompt_behind_the_handback(handing):
    """Each hook from its waking to its end was killed; the report counts all the same."""
    drive, token = handing
    drive.ends("a1", "Done.", permission_mode="auto", last_assistant_message="Done.")
    path = drive.transcript_of("a1", "I am woken.")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({"type": "user", "message": {"role": "user", "content": "Go on."}}) + "\n")
    hands_back(drive, block("COMPLETION_REPORT", token, status="success"))
    assert runs(drive) == [(1, True), (2, True)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "done"}]


def test_a_late_notification_does_not_end_a_run_whose_first_hook_was_killed(newest):
    """Woken twice; the hook before the second call was killed, and the host's word of the former run is late."""
    token, _ = woken(newest)
    asked = block("CLARIFICATION_NEEDED", token, reason="something new")
    newest.ends("a1", asked)
    newest.prompt("/bg-answer bg-1 Q1: one Q2: two")
    wake(newest, "toolu_0003", killed=True)
    assert runs(newest) == [(1, True), (2, True), (3, False)]
    announced(newest, asked, WOKEN)
    assert runs(newest) == [(1, True), (2, True), (3, False)]


def test_a_late_notification_does_not_end_a_run_whose_second_hook_was_killed(newest):
    """The agent has the message and goes on; the hook behind the call was killed, so the ledger does not know it yet."""
    _, asked = answered(newest)
    hears(newest, sends(newest, WOKEN))
    announced(newest, asked, "toolu_0001")
    assert runs(newest) == [(1, True), (2, False)]


def test_a_message_that_never_went_out_is_not_taken_for_the_next_one_with_the_same_words(newest):
    """The hook before a call was killed before it was heard; what it wrote down is what the next call has sent."""
    token, _ = answered(newest)
    for call in ("toolu_unheard", "toolu_unheard_again"):
        sends(newest, call)
        newest.ends("a1", block("COMPLETION_REPORT", token, status="success", summary=call))
    sent = sends(newest, WOKEN)
    [unheard] = newest.rows("SELECT message FROM resumes WHERE tool_use = 'toolu_unheard_again'")
    assert sent == unheard["message"]
    hears(newest, sent)
    report = block("COMPLETION_REPORT", token, status="success", summary="With the answers.")
    newest.ends("a1", report)
    assert "With the answers." in announced(newest, report, WOKEN)
    assert runs(newest) == [(1, True), (2, True), (3, True), (4, True)]


def test_a_run_that_is_stopped_before_it_says_a_word_gets_no_words_of_the_former(newest):
    """The transcript lagged behind the payload, so the first run's last record is not known by its number."""
    newest.prompt("/bg Audit")
    asked = block("CLARIFICATION_NEEDED", newest.launch("Audit", "a1"))
    newest.send(
        recorded(newest.version, "background", "SubagentStop"),
        agent_id="a1",
        agent_transcript_path=str(newest.transcript_of("a1", "Not the end.")),
        last_assistant_message=asked,
    )
    newest.transcript_of("a1", asked)
    newest.stop()
    newest.prompt("/bg-answer Q1: one Q2: two")
    wake(newest)
    named = f"<task-id>a1</task-id>\n<tool-use-id>{WOKEN}</tool-use-id>\n<status>killed</status>"
    newest.prompt(f"<task-notification>\n{named}\n<summary>Agent was stopped by user</summary>\n</task-notification>")
    assert newest.rows("SELECT state FROM tasks") == [{"state": "stopped"}]
    assert newest.rows("SELECT DISTINCT state FROM questions") == [{"state": "sent"}]


def test_an_agent_that_is_bound_while_its_end_is_read_is_no_stranger(newest, monkeypatch):
    """PostToolUse of its launch and its SubagentStop run side by side, and the first wins in the middle."""
    newest.prompt("/bg Audit")
    before = recorded(newest.version, "background", "PreToolUse", "Agent")
    said = newest.send(before, tool_use_id="t1", tool_input={**before["tool_input"], "prompt": "Audit"})
    prompt = said["hookSpecificOutput"]["updatedInput"]["prompt"]
    token = naming.TOKEN.findall(prompt)[0]
    path = newest.transcript_of("a1", "")
    path.write_text(json.dumps({"type": "user", "message": {"content": prompt}}) + "\n")
    read = transcripts.first_prompt

    def bound_meanwhile(name: str) -> str:
        book = newest.ledger()
        with contextlib.closing(book), book.transaction() as writing:
            bind(writing, token, "a1")
        return read(name)

    monkeypatch.setattr(transcripts, "first_prompt", bound_meanwhile)
    done = block("COMPLETION_REPORT", token, status="success")
    ends = recorded(newest.version, "background", "SubagentStop")
    newest.send(ends, agent_id="a1", agent_transcript_path=str(path), last_assistant_message=done)
    assert newest.rows("SELECT state FROM tasks") == [{"state": "done"}]


def test_an_end_whose_hook_was_killed_before_it_judged_is_told_at_the_next_event(drive, monkeypatch):
    """Its text was durable, nothing else tells of the end, and the host still lists the agent."""
    monkeypatch.setattr(durations, "GRACE", 0.0)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    with contextlib.closing(drive.ledger()) as book:
        reports.keep(
            cases.case(book, "bg-1"),
            cases.agent(book, "a1"),
            "SubagentStop",
            block("COMPLETION_REPORT", token, status="success"),
        )
    assert "reports success" in str(drive.stop()) + context(drive.prompt("hello"))
    assert [{"state": "done"}] == drive.rows("SELECT state FROM tasks")


def test_an_agent_that_is_gone_from_the_list_before_its_stop_is_announced_was_stopped(newest, monkeypatch):
    """Claude stopped it and ended its turn at once; the host's word came with the next prompt."""
    monkeypatch.setattr(durations, "GRACE", -1.0)
    newest.prompt("/bg Audit")
    newest.launch("Audit", "a1")
    newest.stop(background_tasks=[])
    assert newest.rows("SELECT state FROM tasks") == [{"state": "unreported"}]
    newest.announced("a1", "killed", summary="was stopped by Claude")
    assert newest.rows("SELECT state, note FROM tasks") == [{"state": "stopped", "note": "killed"}]
    assert "bg-1" in context(newest.prompt("/bg-answer bg-1 go"))


def test_a_call_that_the_transcript_does_not_hold_yet_is_not_held_against_its_agent(newest):
    """The host writes what an agent did after it has handed over what it said; by then the check is done."""
    newest.prompt("/bg Audit")
    token = newest.launch("Audit", "a1")
    done = block("COMPLETION_REPORT", token, status="success", evidence="- ran `pytest` -> pass, 3 passed")
    path = newest.transcript_of("a1", "I will run the tests.")
    ends = recorded(newest.version, "background", "SubagentStop")
    assert newest.send(ends, agent_id="a1", agent_transcript_path=str(path), last_assistant_message=done) == {}
    assert newest.rows("SELECT state FROM tasks") == [{"state": "done"}]
    [row] = newest.rows("SELECT evidence FROM runs")
    assert MISMATCH not in {found["grade"] for found in json.loads(row["evidence"])["findings"]}


def test_what_was_said_before_a_correction_does_not_show_that_what_was_done_after_it_is_written(newest):
    """An agent that was asked once more does what it had declared, and says the same again."""
    newest.prompt("/bg Audit")
    token = newest.launch("Audit", "a1")
    done = block("COMPLETION_REPORT", token, status="success", evidence="- ran `pytest` -> pass, 3 passed")
    asked = newest.ends("a1", done)
    assert "no call of this run ran it" in asked["reason"]
    path = newest.transcript_of("a1", done)
    with path.open("a", encoding="utf-8") as file:
        told = {"role": "user", "content": f"Stop hook feedback:\n{asked['reason']}"}
        file.write(json.dumps({"type": "user", "uuid": "u-told", "message": told}) + "\n")
    ends = recorded(newest.version, "background", "SubagentStop")
    again = {"agent_transcript_path": str(path), "last_assistant_message": done, "stop_hook_active": True}
    assert newest.send(ends, agent_id="a1", **again) == {}
    assert newest.rows("SELECT state FROM tasks") == [{"state": "done"}]


def test_nor_where_the_host_has_written_neither_the_correction_nor_what_came_of_it(newest):
    """Seen on 2.1.197 on a busy machine: the transcript held the first words only."""
    newest.prompt("/bg Audit")
    token = newest.launch("Audit", "a1")
    done = block("COMPLETION_REPORT", token, status="success", evidence="- ran `pytest` -> pass, 3 passed")
    assert "no call of this run ran it" in newest.ends("a1", done)["reason"]
    [path] = newest.transcript.with_suffix("").rglob("agent-a1.jsonl")
    ends = recorded(newest.version, "background", "SubagentStop")
    again = {"agent_transcript_path": str(path), "last_assistant_message": done, "stop_hook_active": True}
    assert newest.send(ends, agent_id="a1", **again) == {}
    assert newest.rows("SELECT state FROM tasks") == [{"state": "done"}]
