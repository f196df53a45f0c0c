"""What the host shows the user at Stop: at most six short lines, with what the model needs for its next step."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from drive import Drive, block, context
from recordings import VERSIONS

LONG = "Which of the two date formats that the invoices use shall the importer write, and why so? " * 4
QUESTIONS = [
    {"question_id": f"Q{number}", "text": f"{number}: {LONG}", "context": LONG, "default": LONG}
    for number in range(1, 6)
]
FIELDS: dict[str, dict[str, Any]] = {
    "CLARIFICATION_NEEDED": {"questions": QUESTIONS},
    "STOP_WORK": {"details": LONG, "resume_requirements": LONG},
    "DELEGATE_WORK": {"new_task_description": LONG, "delegation_reason": LONG},
    "COMPLETION_REPORT": {"summary": LONG, "recommendations": LONG},
    "prose": {},
}


@pytest.fixture(params=VERSIONS)
def drive(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Drive:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    monkeypatch.setattr("bg.durations.ANNOUNCED_WITHIN", -1.0)
    return Drive(request.param, tmp_path)


def launched(drive: Drive, agent: str) -> str:
    drive.prompt("/bg Import the invoices")
    token = drive.launch("Import", agent)
    assert token
    return token


def ended(drive: Drive, marker: str, agent: str, token: str = "") -> None:
    token = token or launched(drive, agent)
    text = block(marker, token, **FIELDS[marker]) if marker != "prose" else LONG * 3
    drive.ends(agent, text)
    drive.ends(agent, text, stop_hook_active=True)


def shown(said: dict[str, Any]) -> str:
    """What the host prints of a Stop: what the model is told, and the user's line."""
    return "\n".join(filter(None, [said.get("reason", ""), context(said), said.get("systemMessage", "")]))


@pytest.mark.parametrize("marker", FIELDS)
def test_an_end_in_the_middle_of_a_turn_is_six_short_lines(marker: str, drive: Drive) -> None:
    ended(drive, marker, "a1")
    lines = shown(drive.stop()).splitlines()
    assert 2 <= len(lines) <= 6, lines
    assert max(map(len, lines)) <= 340
    assert sum(map(len, lines)) <= 900
    assert "[from the bg plugin, not from the user] bg-1 " in lines[0]
    assert not any(line.startswith(">") or line.rstrip().endswith(":") for line in lines[1:])


def test_what_the_model_needs_for_its_next_step_is_there(drive: Drive) -> None:
    ended(drive, "CLARIFICATION_NEEDED", "a1")
    said = shown(drive.stop())
    assert "bg-1 asks 5 questions\n" in said
    assert [said.count(f"bg-1 Q{number}: “{number}: Which") for number in range(1, 6)] == [1, 1, 1, 0, 0]
    assert "and 2 more" in said
    assert "AskUserQuestion" in said
    assert {"2.1.7": 'Task, resume: "a1"', "2.1.100": "launch a new agent"}.get(drive.version, "a1") in said


def test_what_a_report_says_is_there_however_short_it_is(drive: Drive) -> None:
    drive.ends("a1", block("COMPLETION_REPORT", launched(drive, "a1"), summary="Two holes in login.py."))
    said = shown(drive.stop())
    assert said.count("“Two holes in login.py.”") == 1
    assert "“Two holes in login.py.”" in said.splitlines()[0]


def test_a_report_that_is_refuted_is_summed_up_below_that(drive: Drive) -> None:
    fields = {"summary": "Two holes in login.py.", "evidence": "- changed nowhere/at/all.py"}
    text = block("COMPLETION_REPORT", launched(drive, "a1"), **fields)
    drive.ends("a1", text)
    drive.ends("a1", text, stop_hook_active=True)
    said = shown(drive.stop())
    assert "Two holes" not in said.splitlines()[0]
    assert said.splitlines()[1] == "Summary: “Two holes in login.py.”"


def test_questions_that_had_no_room_come_at_the_next_stop(drive: Drive) -> None:
    ended(drive, "CLARIFICATION_NEEDED", "a1")
    first = shown(drive.stop())
    drive.prompt("Go on")
    words = "bg-1 Q1 bg-1 Q2 bg-1 Q3 are for you"
    drive.transcript.write_text(drive.transcript.read_text() + said_by_the_parent(words))
    second = shown(
        drive.stop(**({"last_assistant_message": words} if drive.version not in ("2.1.7", "2.1.38") else {}))
    )
    assert "bg-1 Q4" not in first
    assert ["bg-1 Q4: “4", "bg-1 Q5: “5"] == [line[:11] for line in second.splitlines() if line.startswith("bg-1 Q")]
    assert len(second.splitlines()) <= 6


def said_by_the_parent(words: str) -> str:
    return (
        '{"type":"assistant","uuid":"u9","message":{"role":"assistant","stop_reason":"end_turn","content":'
        f'[{{"type":"text","text":"{words}"}}]}}}}\n'
    )


def test_several_ends_share_the_six_lines_and_none_is_lost(drive: Drive) -> None:
    tokens = {f"a{number}": launched(drive, f"a{number}") for number in range(1, 5)}
    for agent, token in tokens.items():
        ended(drive, "COMPLETION_REPORT", agent, token)
    said = shown(drive.stop())
    assert len(said.splitlines()) <= 6
    told = [drive.prompt("And now?") for _ in range(3)]
    everything = said + "".join(shown(one) for one in told)
    for number in range(1, 5):
        assert f"bg-{number} " in everything


def test_a_session_that_nobody_watches_is_told_everything(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    ended(drive, "CLARIFICATION_NEEDED", "a1")
    assert "why it matters" in shown(drive.stop())


RESULT = (
    "## {who} Result\n\n### Status\nSUCCESS\n\n### Summary\nRead the login.\n\n### Findings\n\n"
    "| ID | Issue | File:Line | Severity | Confidence |\n|--|--|--|--|--|\n"
    "| SEC-001 | Hardcoded secret | `src/jwt.ts:8` | Critical | {sure} |\n\n### Confidence\n{sure} - read\n\n"
)
NOTIFICATION = "<task-notification>\n<task-id>{agent}</task-id>\n<status>completed</status>\n</task-notification>"


def group_ends(drive: Drive) -> None:
    """Three agents of one command end while the parent's turn goes on: two with findings, one that has failed."""
    drive.prompt("/bg Review the login from three sides")
    tokens = [drive.launch(f"Side {number}", f"a{number}", description=f"side {number}") for number in (1, 2, 3)]
    for number, token in enumerate(tokens, 1):
        found = RESULT.format(who=f"Reviewer {number}", sure=80 + number) if number < 3 else ""
        status = "success" if number < 3 else "failed"
        drive.ends(f"a{number}", found + block("COMPLETION_REPORT", token, status=status))
    drive.advance(10)


def writes(drive: Drive, *operations: dict[str, str]) -> None:
    with drive.transcript.open("a", encoding="utf-8") as file:
        for each in operations:
            file.write(json.dumps({"type": "queue-operation", "sessionId": drive.session, **each}) + "\n")


def enqueued(*agents: str) -> list[dict[str, str]]:
    return [{"operation": "enqueue", "content": NOTIFICATION.format(agent=agent)} for agent in agents]


def assert_whole(account: str) -> None:
    assert "(bg-1 done, bg-2 done, bg-3 failed)" in account
    assert "Not complete: bg-3 failed. What these were to do is not done" in account
    assert "`src/jwt.ts:8` SEC-001" in account or "Hardcoded secret" in account
    assert "Conflicts are for the user to decide." in account


def test_an_account_waits_for_the_turn_that_the_host_has_queued(drive: Drive) -> None:
    """Agents end while the parent writes for ten seconds: the host announces them as soon as it has written."""
    group_ends(drive)
    writes(drive, *enqueued("a1", "a2", "a3"))
    assert drive.stop() == {}
    writes(drive, *[{"operation": "dequeue"}] * 3)
    told = [context(drive.announced(f"a{number}")) for number in (1, 2, 3)]
    account = next(each for each in told if "launched together" in each)
    assert_whole(account[account.index("The 3 tasks") :])
    assert "launched together" not in str([drive.stop(), drive.prompt("And now?")])


def test_an_account_is_whole_where_the_host_has_announced_the_ends_in_the_middle_of_the_turn(drive: Drive) -> None:
    """2.1.197 and 2.1.258 put an announcement behind the next result of a tool, and ask no hook."""
    group_ends(drive)
    writes(drive, *enqueued("a1", "a2", "a3"), *[{"operation": "remove"}] * 3)
    told = "".join(shown(drive.stop()) for _ in range(4))
    assert_whole(told[told.index("The 3 tasks") :])


def test_a_prompt_that_the_user_has_queued_holds_nothing_back(drive: Drive) -> None:
    group_ends(drive)
    writes(drive, {"operation": "enqueue", "content": "/bg-status"})
    assert "bg-1 " in shown(drive.stop())


def test_the_account_of_an_agreed_sync_point_is_whole(drive: Drive) -> None:
    """One agent asks for another beside its own work, and both end while the parent writes."""
    token = launched(drive, "a1")
    agreed = {"coordination": "Sync point: compare both before the release", "independence": "can_proceed_parallel"}
    drive.transcript_of("a1", block("DELEGATE_WORK", token, **agreed))
    drive.prompt("And now?")
    drive.prompt("/bg-answer bg-1 D1: approve")
    other = drive.launch("Profile it", "a2", description="bg-2: profile")
    ended(drive, "COMPLETION_REPORT", "a2", other or "")
    ended(drive, "COMPLETION_REPORT", "a1", token)
    told = "".join(shown(drive.stop()) for _ in range(4))
    account = told[told.index("and what others took over from it") :]
    assert "Agreed when it was asked for:\n> Sync point: compare both before the release" in account
    assert "wake none of them for it" in account
