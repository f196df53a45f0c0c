"""What the host shows the user at Stop: at most six short lines, with what the model needs for its next step."""

from __future__ import annotations

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
    monkeypatch.setattr("bg.loop.turns.ANNOUNCED_WITHIN", -1.0)
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
    assert "bg-1 asks 5 questions · /bg-answer bg-1" in said
    assert [said.count(f"bg-1 Q{number}: “{number}: Which") for number in range(1, 6)] == [1, 1, 1, 0, 0]
    assert "and 2 more" in said
    assert "AskUserQuestion" in said
    assert {"2.1.7": 'Task, resume: "a1"', "2.1.100": "launch a new agent"}.get(drive.version, "a1") in said


def test_what_a_report_says_is_there_however_short_it_is(drive: Drive) -> None:
    drive.ends("a1", block("COMPLETION_REPORT", launched(drive, "a1"), summary="Two holes in login.py."))
    assert shown(drive.stop()).splitlines()[1] == "Summary: “Two holes in login.py.”"


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
