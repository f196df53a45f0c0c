"""A usage limit or an overloaded API pauses a task; it goes on when the user says so, and never by itself.

`tests/host/limits.json` has what four versions write: the record of the error, and the notification.
"""

from __future__ import annotations

import calendar
import copy
import json
import time
from pathlib import Path
from typing import Any, Optional

import pytest
from bg import durations
from bg.host import event, transcripts
from bg.ledger import place
from drive import Drive, block, context
from recordings import NEWEST, VERSIONS, recorded

OBSERVED: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "host" / "limits.json").read_text(encoding="utf-8")
)
AGENT = "a0123456789abcdef"
NINE = calendar.timegm((2026, 11, 20, 21, 0, 0))
CUTS = {
    "limit": event.USAGE_LIMIT,
    "rate": event.USAGE_LIMIT,
    "overloaded": event.OVERLOADED,
    "overloaded again": event.OVERLOADED,
}
EVERY = [(version, kind) for version in OBSERVED for kind in OBSERVED[version]]


def test_the_newest_client_has_records_of_its_limits():
    assert NEWEST in OBSERVED


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()


@pytest.fixture
def drive(tmp_path: Path) -> Drive:
    return begun(VERSIONS[-1], tmp_path)


def begun(version: str, folder: Path) -> Drive:
    drive = Drive(version, folder)
    drive.clock = lambda: float(NINE - 3600)
    return drive


def launched(drive: Drive, *agents: str) -> list[Optional[str]]:
    tokens = []
    for agent in agents:
        drive.prompt("/bg:bg Audit the auth code")
        tokens.append(drive.launch("Audit.", agent))
        drive.stop()
    return tokens


def record_of(version: str, kind: str, agent: str, resets: int) -> dict[str, Any]:
    """The host's record of the error, with this moment where it has one."""
    record = copy.deepcopy(OBSERVED[version][kind]["record"])
    record["uuid"] = f"error-{agent}"
    if "quotaLimits" in record:
        record["quotaLimits"]["resetsAt"] = resets
    return {**record, "agentId": agent}


def write(drive: Drive, agent: str, kind: str = "limit", resets: int = NINE) -> None:
    path = drive.transcript_of(agent, "I begin.")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record_of(drive.version, kind, agent, resets)) + "\n")


def announced(drive: Drive, agent: str, kind: str = "limit") -> dict[str, Any]:
    return drive.prompt(OBSERVED[drive.version][kind]["notification"].replace(AGENT, agent))


def cut(drive: Drive, *agents: str, kind: str = "limit", resets: int = NINE) -> dict[str, Any]:
    """These agents work, and come to the limit; what was said of the last."""
    said: dict[str, Any] = {}
    launched(drive, *agents)
    for agent in agents:
        write(drive, agent, kind, resets)
        said = announced(drive, agent, kind)
    return said


def states(drive: Drive) -> list[str]:
    return [row["state"] for row in drive.rows("SELECT state FROM tasks ORDER BY number")]


def sent(drive: Drive, agent: str, call: str = "toolu_send") -> dict[str, Any]:
    """The parent's message to an agent, before it is sent."""
    before = recorded(drive.version, "resume", "PreToolUse", "SendMessage")
    return drive.send(before, tool_use_id=call, tool_input={"to": agent, "message": "Go on.", "summary": "go on"})


def denied(said: dict[str, Any]) -> str:
    return str(said.get("hookSpecificOutput", {}).get("permissionDecisionReason", ""))


def resumed(drive: Drive, agent: str) -> None:
    call = f"toolu_send_{agent}"
    assert denied(sent(drive, agent, call)) == ""
    after = recorded(drive.version, "resume", "PostToolUse", "SendMessage")
    told = {**after["tool_response"], "resumedAgentId": agent}
    drive.send(after, tool_use_id=call, tool_input={"to": agent, "message": "Go on."}, tool_response=told)


@pytest.mark.parametrize(("version", "kind"), EVERY)
def test_the_record_says_what_has_cut_a_run(version: str, kind: str, tmp_path: Path) -> None:
    path = tmp_path / "agent.jsonl"
    path.write_text(json.dumps(record_of(version, kind, "a1", NINE)) + "\n")
    found = transcripts.final(str(path))
    assert found.cut == CUTS[kind]
    assert found.resets == (NINE if kind == "limit" and version != "2.1.197" else 0)


@pytest.mark.parametrize(("version", "kind"), [each for each in EVERY if each[0] != "2.1.197"])
def test_the_notification_says_so_too(version: str, kind: str) -> None:
    (found,) = event.notifications(OBSERVED[version][kind]["notification"])
    assert found.cut == CUTS[kind]


@pytest.mark.parametrize(("version", "kind"), EVERY)
def test_a_limit_pauses(version: str, kind: str, tmp_path: Path) -> None:
    drive = begun(version, tmp_path)
    said = cut(drive, "a1", kind=kind)
    assert states(drive) == ["paused"]
    words = context(said)
    assert "bg-1 (“audit”) is paused: the " in words
    assert "do not resume it, and launch no other agent" in words
    assert "`/bg-answer bg-1 go`" in words
    if kind == "limit" and version != "2.1.197":
        assert "the usage limit is used up, until 21:00." in words
        assert said["systemMessage"] == "bg-1 waits for 21:00 · /bg-answer bg-1 go"
    else:
        assert ("the API is overloaded. " if "over" in kind else "the usage limit is used up. ") in words
        assert "Claude Code says: “" in words
        assert said["systemMessage"] == "bg-1 is paused by a limit · /bg-answer bg-1 go"
    assert drive.rows("SELECT ended FROM tasks") == [{"ended": None}]
    assert drive.rows("SELECT corrections, cut FROM runs") == [{"corrections": 0, "cut": CUTS[kind]}]
    assert drive.rows("SELECT text FROM errors") == []


def test_another_error_is_a_failure(drive: Drive) -> None:
    launched(drive, "a1")
    path = drive.transcript_of("a1", "I begin.")
    record = record_of(drive.version, "overloaded", "a1", 0)
    record.update(error="invalid_request", apiErrorStatus=400)
    record["message"]["content"] = [{"type": "text", "text": "API Error: 400 scripted failure"}]
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    notification = OBSERVED[drive.version]["overloaded"]["notification"].replace(AGENT, "a1")
    said = drive.prompt(notification.replace("error type server_error, HTTP 529", "error type unknown, HTTP 400"))
    assert states(drive) == ["failed"]
    assert "API Error: 400 scripted failure" in context(said)


def test_one_line_for_all(drive: Drive) -> None:
    assert cut(drive, "a1", "a2", "a3")["systemMessage"] == "3 agents wait for 21:00 · /bg-answer all go"
    assert "3 agents wait for 21:00 · /bg-answer all go" in drive.prompt("/bg-answer")["reason"]
    table = drive.prompt("/bg-status")["reason"]
    assert table.count("usage limit, until 21:00") == 3
    assert "/bg-answer bg-2 go" in table
    drive.advance(3600)
    assert "3 agents can go on, the limit has ended · /bg-answer all go" in drive.prompt("/bg-answer")["reason"]


def test_the_first_prompt_after_the_reset_says_once_that_they_can_go_on(drive: Drive) -> None:
    cut(drive, "a1", "a2")
    drive.stop()
    assert drive.prompt("Anything else?") == {}
    drive.advance(3599)
    assert drive.prompt("Anything else?") == {}
    drive.advance(1)
    said = drive.prompt("Anything else?")
    assert said == {"systemMessage": "2 agents can go on, the limit has ended · /bg-answer all go"}
    assert drive.prompt("Anything else?") == {}
    assert states(drive) == ["paused", "paused"]


def test_all_paused_tasks_go_on_with_one_answer(drive: Drive) -> None:
    cut(drive, "a1", "a2")
    said = drive.prompt("/bg-answer All go.")
    assert said["systemMessage"] == "bg-1, bg-2 go on."
    assert '- bg-1: resume it with SendMessage to "a1"' in context(said)
    assert '- bg-2: resume it with SendMessage to "a2"' in context(said)
    resumed(drive, "a1")
    resumed(drive, "a2")
    assert states(drive) == ["working", "working"]
    assert drive.prompt("/bg-answer all go")["reason"].startswith("No task here is paused")


def test_one_paused_task_goes_on_and_the_others_stay(drive: Drive) -> None:
    cut(drive, "a1", "a2")
    said = drive.prompt("/bg-answer bg-2 go")
    assert "The user wants bg-2 to go on. Resume it now: " in context(said)
    assert "a1" not in context(said)
    resumed(drive, "a2")
    assert denied(sent(drive, "a1"))
    assert states(drive) == ["paused", "working"]


def test_all_go_is_an_answer_where_nothing_is_paused(drive: Drive) -> None:
    (token,) = launched(drive, "a1")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token, questions="Q1: Which of the files shall go?"))
    drive.announced("a1")
    said = drive.prompt("/bg-answer all go")
    assert "bg-1 Q1 answered: all go" in str(said)


def test_nobody_but_the_user_has_it_go_on(drive: Drive) -> None:
    cut(drive, "a1")
    refused = denied(sent(drive, "a1"))
    assert "bg-1 is paused by a limit, and goes on only when the user says so" in refused
    assert "`/bg-answer bg-1 go`" in refused
    before = recorded(drive.version, "background", "PreToolUse", "Agent")
    given = {**before["tool_input"], "description": "bg-1: audit anew", "prompt": "Audit."}
    again = drive.send(before, tool_use_id="toolu_again", tool_input=given)
    assert "goes on only when the user says so" in denied(again)
    assert states(drive) == ["paused"]
    assert drive.rows("SELECT count(*) AS n FROM resumes") == [{"n": 0}]


def test_the_next_limit_pauses_again(drive: Drive) -> None:
    cut(drive, "a1")
    drive.prompt("/bg-answer bg-1 go")
    resumed(drive, "a1")
    path = drive.transcript_of("a1", "I go on.")
    record = {**record_of(drive.version, "limit", "a1", NINE + 5 * 3600), "uuid": "error-2"}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")
    notification = OBSERVED[drive.version]["limit"]["notification"].replace(AGENT, "a1")
    said = drive.prompt(notification.replace("toolu_01rig000000000000000001", "toolu_send_a1"))
    assert said["systemMessage"] == "bg-1 waits for 02:00 · /bg-answer bg-1 go"
    assert denied(sent(drive, "a1", "toolu_third"))


def test_by_the_users_own_setting_they_go_on_at_the_next_prompt(drive: Drive) -> None:
    own = Path(place.config_directory()) / "bg.json"
    own.parent.mkdir(exist_ok=True)
    own.write_text(json.dumps({"resume_after_limit": True}))
    cut(drive, "a1", "a2")
    drive.stop()
    assert drive.prompt("Anything else?") == {}
    drive.advance(3600)
    drive.prompt("/bg-status")
    said = drive.prompt("Anything else?")
    assert said["systemMessage"].startswith("bg-1, bg-2: the limit has ended, they go on, as bg.json says")
    assert '- bg-2: resume it with SendMessage to "a2"' in context(said)
    resumed(drive, "a1")
    assert "resume it with" not in str(drive.prompt("Anything else?"))


def test_a_project_cannot_have_them_go_on(drive: Drive) -> None:
    (drive.folder / ".claude").mkdir()
    (drive.folder / ".claude" / "bg.json").write_text(json.dumps({"resume_after_limit": True}))
    cut(drive, "a1")
    drive.advance(3600)
    said = drive.prompt("Anything else?")
    assert said == {"systemMessage": "bg-1 can go on, the limit has ended · /bg-answer bg-1 go"}


def test_a_record_that_comes_late_still_tells_the_time(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(durations, "LATE_TEXT", 0.0)
    launched(drive, "a1")
    drive.transcript_of("a1", "I begin.")
    assert announced(drive, "a1")["systemMessage"] == "bg-1 is paused by a limit · /bg-answer bg-1 go"
    write(drive, "a1")
    drive.advance(3600)
    assert "bg-1 can go on" in drive.prompt("Anything else?")["systemMessage"]


@pytest.mark.parametrize("entry", ["cli", "sdk-cli"])
def test_a_limit_is_heard_of_at_the_turns_end_too(drive: Drive, entry: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", entry)
    launched(drive, "a1")
    write(drive, "a1")
    drive.advance(60)
    drive.stop(background_tasks=[])
    assert states(drive) == ["paused"]
    drive.advance(60)
    said = drive.stop(background_tasks=[])
    assert "is paused: the usage limit is used up, until 21:00." in str(said)
    assert "resume it with" not in str(said)


def test_a_new_beginning_of_the_session_lists_it(drive: Drive) -> None:
    cut(drive, "a1")
    said = drive.send(recorded(drive.version, "sessions", "SessionStart"), source="compact")
    assert "- bg-1 (“audit”): paused, until 21:00; it goes on when the user types `/bg-answer bg-1 go`" in context(said)
    assert said["systemMessage"] == "bg: bg-1 waits for 21:00 · /bg-answer bg-1 go · /bg-status"


def test_an_answer_to_what_it_asked_has_it_go_on(drive: Drive) -> None:
    (token,) = launched(drive, "a1")
    asks = recorded(drive.version, "to-main", "PreToolUse", "SendMessage")
    question = block("CLARIFICATION_NEEDED", token, questions="Q1: CSV or JSON?")
    drive.send(asks, agent_id="a1", tool_input={"to": "main", "message": question, "summary": "a question"})
    write(drive, "a1")
    announced(drive, "a1")
    assert denied(sent(drive, "a1"))
    drive.prompt("/bg-answer bg-1 Q1: CSV")
    assert denied(sent(drive, "a1")) == ""
