"""What an agent has written since the last look: each record once, by whatever event it is seen first."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bg import durations
from bg.loop import concluding, hearing
from bg.protocol import signals
from drive import Drive, block, context
from recordings import VERSIONS, recorded
from test_former_runs import wake

TEXTUAL = ("2.1.7", "2.1.38", "2.1.100", "2.1.197", "2.1.327")
PARALLEL = "can_proceed_parallel"
ASKS = "asks to hand work to another agent"


@pytest.fixture(params=TEXTUAL)
def version(request):
    return request.param


def begun(drive: Drive) -> str:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    return token or ""


def asking(token: str, work: str = "Profile it", **fields: Any) -> str:
    return block("DELEGATE_WORK", token, **{"independence": PARALLEL, "new_task_description": work, **fields})


def path_of(drive: Drive, agent: str = "a1") -> Path:
    return drive.transcript.with_suffix("") / "subagents" / f"agent-{agent}.jsonl"


def written(drive: Drive, *records: dict[str, Any]) -> None:
    """These records stand behind what the agent's transcript has."""
    path = path_of(drive)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as file:
        for record in records:
            place = file.tell()
            whole = {"isSidechain": True, "agentId": "a1", "version": drive.version, "uuid": f"u-{place}", **record}
            file.write(json.dumps(whole, separators=(",", ":"), ensure_ascii=False) + "\n")


def says(text: str, **more: Any) -> dict[str, Any]:
    """As the hosts write it: text and call of one message are two records."""
    message = {"role": "assistant", "stop_reason": None, "content": [{"type": "text", "text": text}]}
    return {"type": "assistant", "message": message, **more}


def calls(tool: str = "Bash", **given: Any) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": "toolu_x", "name": tool, "input": given or {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "toolu_x", "content": [{"type": "text", "text": "Done."}]}
    return [
        {"type": "assistant", "message": {"role": "assistant", "content": [use]}},
        {"type": "user", "message": {"role": "user", "content": [result]}},
    ]


def prompted(words: str) -> dict[str, Any]:
    return {"type": "user", "message": {"role": "user", "content": words}}


def on_the_way(drive: Drive, text: str) -> None:
    """The agent writes this, calls a tool and goes on."""
    written(drive, says(text), *calls())


def requests(drive: Drive) -> list[tuple[str, int]]:
    found = drive.rows("SELECT qid, run FROM questions WHERE qid LIKE 'D%' ORDER BY id")
    return [(row["qid"], row["run"]) for row in found]


def polled(drive: Drive, status: str = "running") -> dict[str, Any]:
    payload = recorded(drive.version, "taskoutput", "PostToolUse", "TaskOutput")
    task = {**payload["tool_response"]["task"], "task_id": "a1", "status": status, "output": ""}
    response = {**payload["tool_response"], "task": task}
    return drive.send(payload, tool_input={**payload["tool_input"], "task_id": "a1"}, tool_response=response)


def resumed(drive: Drive, call: str = "toolu_woken") -> None:
    """The parent wakes the agent, whose transcript then holds the message; 2.1.100 has no way to do so."""
    wake(drive, call)
    [row] = drive.rows("SELECT message FROM resumes ORDER BY id DESC LIMIT 1")
    written(drive, prompted(row["message"]))


def asks_and_goes_on(drive: Drive, token: str) -> None:
    """The run ends with two questions, the user answers, and the next run begins."""
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 Q1: one Q2: two")
    resumed(drive)


def spoken(drive: Drive) -> str:
    return str(drive.rows("SELECT group_concat(words) AS words FROM deliveries"))


@pytest.mark.parametrize("version", [version for version in TEXTUAL if version != "2.1.100"])
@pytest.mark.parametrize("lags", [False, True])
def test_a_request_that_was_decided_is_not_asked_again(version, lags, drive):
    """The record of the request may be written after the hook that was given its words."""
    token = begun(drive)
    asked = asking(token)
    on_the_way(drive, "I look around.")
    if lags and "last_assistant_message" in recorded(version, "background", "SubagentStop"):
        ends_unwritten(drive, asked)
        written(drive, says(asked))
    else:
        drive.ends("a1", asked)
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 D1: deny")
    resumed(drive)
    on_the_way(drive, "I do it myself.")
    assert "asks to" not in str(drive.stop())
    assert "asks to" not in str(drive.prompt("And now?"))
    assert requests(drive) == [("D1", 1)]
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.stop()
    assert requests(drive) == [("D1", 1)]
    assert drive.rows("SELECT state FROM tasks") == [{"state": "done"}]


@pytest.mark.parametrize("marker", ["CLARIFICATION_NEEDED", "STOP_WORK", "COMPLETION_REPORT"])
@pytest.mark.parametrize("version", ["2.1.7", "2.1.197", "2.1.327"])
def test_what_ended_a_run_counts_for_that_run_only(marker, drive):
    token = begun(drive)
    drive.ends("a1", block(marker, token))
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 go on as you see fit")
    resumed(drive)
    on_the_way(drive, "I go on.")
    for _ in range(2):
        drive.stop()
        drive.prompt("And now?")
    assert [row["run"] for row in drive.rows("SELECT run FROM signals")] == [1]
    assert {row["run"] for row in drive.rows("SELECT run FROM questions")} <= {1}
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]


def test_the_same_words_in_a_later_run_are_words_of_that_run(newest, monkeypatch):
    """It asks again what it has asked, and the hook of its end is killed: the record is another one."""
    monkeypatch.setattr(durations, "GRACE", -1.0)
    token = begun(newest)
    asked = block("CLARIFICATION_NEEDED", token)
    newest.ends("a1", asked)
    newest.announced("a1")
    newest.stop()
    newest.prompt("/bg-answer bg-1 Q1: one Q2: two")
    resumed(newest)
    written(newest, says(asked))
    newest.stop(background_tasks=[])
    assert newest.rows("SELECT state FROM tasks") == [{"state": "needs_answer"}]
    assert [row["run"] for row in newest.rows("SELECT run FROM questions WHERE state = 'open'")] == [2, 2]


def ends_unwritten(drive: Drive, text: str, **changes: Any) -> None:
    """The agent's run ends with this text, which its transcript does not hold yet."""
    payload = recorded(drive.version, "background", "SubagentStop")
    drive.send(
        payload, agent_id="a1", agent_transcript_path=str(path_of(drive)), last_assistant_message=text, **changes
    )


@pytest.mark.parametrize("run", [1, 2])
def test_the_same_last_words_that_are_written_down_late_count_once(run, newest):
    """The record before it holds the same words, of a report that was corrected or of the run before."""
    token = begun(newest)
    asked = asking(token).replace("independence: can_proceed_parallel", "independence: perhaps")
    newest.ends("a1", asked)
    if run == 2:
        ends_unwritten(newest, asked, stop_hook_active=True)
        written(newest, says(asked))
        newest.announced("a1")
        newest.stop()
        newest.prompt("/bg-answer bg-1 D1: deny")
        resumed(newest, "toolu_first")
    ends_unwritten(newest, asked, stop_hook_active=True)
    written(newest, says(asked))
    newest.announced("a1")
    newest.stop()
    known = requests(newest)
    assert known == [("D1", 1), ("D2", 2)][:run]
    newest.prompt(f"/bg-answer bg-1 D{run}: deny")
    resumed(newest)
    on_the_way(newest, "I do it myself.")
    newest.stop()
    newest.prompt("And now?")
    assert requests(newest) == known


def test_a_request_on_the_way_is_heard_at_each_event_of_the_parent(drive):
    token = begun(drive)
    on_the_way(drive, asking(token, "The first"))
    assert "D1" in context(drive.prompt("And now?"))
    on_the_way(drive, asking(token, "The second"))
    said = drive.stop()
    assert "D2" in (context(said) or said.get("reason", ""))
    on_the_way(drive, asking(token, "The third"))
    assert "D3" in context(drive.announced("nobody"))
    on_the_way(drive, asking(token, "The fourth"))
    drive.launch("Something else", "b1", description="not ours")
    assert "D4" in context(drive.started)
    drive.prompt("And now?")
    drive.stop()
    assert requests(drive) == [(f"D{number}", 1) for number in range(1, 5)]


@pytest.mark.parametrize("version", ["2.1.7", "2.1.38", "2.1.197"])
def test_a_request_on_the_way_is_heard_at_a_poll(drive):
    token = begun(drive)
    on_the_way(drive, asking(token))
    assert "D1" in context(polled(drive))
    assert context(polled(drive)) == ""
    assert requests(drive) == [("D1", 1)]


def test_a_request_on_the_way_is_heard_at_the_run_s_end(drive):
    token = begun(drive)
    on_the_way(drive, asking(token))
    on_the_way(drive, "I go on.")
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    assert requests(drive) == [("D1", 1)]
    told = context(drive.announced("a1"))
    assert ASKS in told
    assert "reports success" in told
    drive.stop()
    drive.prompt("And now?")
    assert requests(drive) == [("D1", 1)]


@pytest.mark.parametrize("version", ["2.1.197", "2.1.327"])
def test_what_is_written_down_after_the_end_is_heard_at_the_next_event(drive):
    token = begun(drive)
    report = block("COMPLETION_REPORT", token, status="success")
    ends_unwritten(drive, report)
    on_the_way(drive, asking(token))
    written(drive, says(report))
    assert ASKS in context(drive.announced("a1"))
    assert requests(drive) == [("D1", 1)]
    assert drive.rows("SELECT last_uuid = '' AS unknown FROM runs") == [{"unknown": 0}]


def test_each_run_s_requests_are_its_own(newest):
    """The same words in a later run are another request, and a record that was heard is not."""
    token = begun(newest)
    on_the_way(newest, asking(token))
    asks_and_goes_on(newest, token)
    newest.stop()
    assert requests(newest) == [("D1", 1)]
    on_the_way(newest, asking(token))
    newest.stop()
    newest.prompt("And now?")
    assert requests(newest) == [("D1", 1), ("D2", 2)]


def test_a_corrected_request_counts_once(newest):
    """It insists on what it was asked about, in the same words; both records belong to the run."""
    token = begun(newest)
    wrong = asking(token, priority="")
    wrong = wrong.replace("independence: can_proceed_parallel", "independence: perhaps")
    assert newest.ends("a1", wrong)["decision"] == "block"
    newest.stop()
    newest.ends("a1", wrong, stop_hook_active=True)
    newest.announced("a1")
    newest.stop()
    known = requests(newest)
    assert known == [("D1", 1)]
    newest.prompt("/bg-answer bg-1 D1: deny")
    resumed(newest)
    on_the_way(newest, "I do it myself.")
    newest.stop()
    newest.prompt("And now?")
    assert requests(newest) == known


@pytest.mark.parametrize("end", ["STOP_WORK", "prose", "DELEGATE_WORK"])
def test_questions_on_the_way_are_asked_where_the_end_does_not_settle_them(end, newest):
    token = begun(newest)
    on_the_way(newest, block("CLARIFICATION_NEEDED", token))
    assert "Q1" not in str(newest.prompt("And now?")), "it goes on"
    on_the_way(newest, "I go on.")
    if end == "prose":
        newest.ends("a1", "I wait for answers.")
        newest.ends("a1", "I still wait.", stop_hook_active=True)
    else:
        newest.ends("a1", block(end, token))
    assert "bg-1 Q1" in context(newest.announced("a1"))
    asked = newest.rows("SELECT qid, state FROM questions WHERE qid LIKE 'Q%'")
    assert asked == [{"qid": "Q1", "state": "open"}, {"qid": "Q2", "state": "open"}]
    newest.prompt("/bg-answer bg-1 Q1: one Q2: two")
    assert newest.rows("SELECT text FROM errors") == []


@pytest.mark.parametrize("end", ["CLARIFICATION_NEEDED", "COMPLETION_REPORT"])
def test_questions_on_the_way_are_settled_by_other_questions_and_by_completion(end, newest):
    token = begun(newest)
    first = [{"question_id": "Q1", "question": "Is it this?"}]
    on_the_way(newest, block("CLARIFICATION_NEEDED", token, questions=first))
    newest.ends("a1", block(end, token))
    newest.announced("a1")
    assert "Is it this?" not in str(newest.rows("SELECT text FROM questions"))
    assert [row["marker"] for row in newest.rows("SELECT marker FROM signals")] == [end]


def test_what_is_no_word_of_the_agent_is_inert(drive):
    token = begun(drive)
    text = asking(token)
    template = signals.template("DELEGATE_WORK", agent_id=token)
    quoted = "\n".join(f"> {line}" for line in text.splitlines())
    result = {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": text}]}
    written(
        drive,
        prompted(text),
        {"type": "user", "message": {"role": "user", "content": [result]}},
        *calls("Write", content=text),
        {"type": "system", "content": text},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "thinking", "thinking": text}]}},
    )
    for words in (template, quoted, asking("bg-1-aaaaaaaaaa"), f"```\n{text}\n```\nis an example."):
        on_the_way(drive, words)
    drive.prompt("And now?")
    drive.stop()
    assert drive.rows("SELECT marker FROM signals") == []


class Killed(BaseException):
    pass


def killed(*_: Any, **__: Any) -> None:
    raise Killed


@pytest.mark.parametrize("place", ["noted", "taken"])
def test_a_hook_that_is_killed_in_a_look_loses_nothing_and_says_nothing_twice(place, newest, monkeypatch):
    """What is noted and the place of the next look are one write."""
    token = begun(newest)
    on_the_way(newest, asking(token))

    with monkeypatch.context() as patched:
        if place == "noted":
            patched.setattr(hearing.runs, "set_scanned", killed)
        else:
            patched.setattr(hearing.noting, "note", killed)
        with pytest.raises(Killed):
            newest.prompt("And now?")
    assert requests(newest) == []
    assert "D1" in context(newest.prompt("And now?"))
    newest.stop()
    assert requests(newest) == [("D1", 1)]


def test_a_hook_that_is_killed_before_it_judges_leaves_the_rest_to_the_next_end(newest, monkeypatch):
    """The report is durable, the run has not ended, and the agent is woken: each record counts for its own run."""
    token = begun(newest)
    on_the_way(newest, asking(token))

    with monkeypatch.context() as patched:
        patched.setattr(concluding, "conclude", killed)
        with pytest.raises(Killed):
            newest.ends("a1", asking(token, "Its last words"))
    written(newest, prompted("Go on."))
    on_the_way(newest, asking(token, "In the next run"))
    newest.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    newest.announced("a1")
    newest.stop()
    assert requests(newest) == [("D1", 1), ("D2", 1), ("D3", 2)]


@pytest.mark.parametrize("kept", ["nothing", "its last words", "all, shorter", "all, longer"])
def test_a_transcript_that_was_replaced_is_read_from_its_beginning(kept, newest):
    token = begun(newest)
    written(newest, prompted("x" * 3000))
    on_the_way(newest, asking(token))
    asks_and_goes_on(newest, token)
    on_the_way(newest, asking(token, "In the next run"))
    newest.stop()
    lines = path_of(newest).read_text(encoding="utf-8").splitlines()
    first = {"nothing": 5, "its last words": 4, "all, shorter": 1, "all, longer": 1}[kept]
    begin = [json.dumps({**prompted("y" * 5000), "uuid": "u"})] if kept == "all, longer" else []
    path_of(newest).write_text("\n".join([*begin, *lines[first:], ""]), encoding="utf-8")
    on_the_way(newest, asking(token, "Behind it"))
    newest.stop()
    newest.prompt("And now?")
    assert requests(newest) == [("D1", 1), ("D2", 2), ("D3", 2)]


def test_a_line_longer_than_a_look_and_half_a_line_are_no_obstacle(newest, monkeypatch):
    monkeypatch.setattr(hearing.transcripts, "TAIL", 4096)
    token = begun(newest)
    written(newest, prompted("x" * 20_000))
    on_the_way(newest, asking(token))
    with path_of(newest).open("a", encoding="utf-8") as file:
        file.write('{"type":"assistant","message":{"cont')
    newest.prompt("And now?")
    assert requests(newest) == [("D1", 1)]
    with path_of(newest).open("a", encoding="utf-8") as file:
        file.write('ent":[]}}\n')
    on_the_way(newest, asking(token, "The second"))
    newest.prompt("And now?")
    assert requests(newest) == [("D1", 1), ("D2", 1)]


def test_the_words_in_a_handback_part_one_run_from_the_next(newest):
    """Its block stands in a call; the same block in a text before it is no further request."""
    token = begun(newest)
    asked = asking(token)
    written(newest, says(asked))
    payload = recorded(VERSIONS[-1], "handback", "PreToolUse", "SubagentHandback")
    newest.send(payload, agent_id="a1", tool_input={"message": asked})
    written(newest, *calls("SubagentHandback", message=asked))
    newest.announced("a1")
    newest.stop()
    assert requests(newest) == [("D1", 1)]
    newest.prompt("/bg-answer bg-1 D1: deny")
    resumed(newest)
    on_the_way(newest, "I do it myself.")
    newest.stop()
    newest.prompt("And now?")
    assert requests(newest) == [("D1", 1)]


def test_an_agent_whose_session_ended_has_been_heard(newest):
    token = begun(newest)
    on_the_way(newest, asking(token))
    newest.send(recorded(VERSIONS[-1], "sessions", "SessionStart"), source="resume")
    assert requests(newest) == [("D1", 1)]


def test_a_report_that_another_hook_keeps_in_the_midst_of_a_look_is_no_error(newest, monkeypatch):
    """The agent's own hook stores the report while that of a turn's end reads the transcript."""
    token = begun(newest)
    report = block("COMPLETION_REPORT", token)
    written(newest, says("I look around."), *calls(), says(report))
    kept = iter([[], *[[report]] * 20])
    monkeypatch.setattr(hearing._Look, "_kept", lambda *_: next(kept))
    newest.prompt("And now?")
    assert newest.rows("SELECT text FROM errors") == []
