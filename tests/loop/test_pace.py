"""How far a running agent says it is, and what is said where it works for longer than was expected."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from bg.words import pace
from drive import Drive, block, context, plain
from recordings import NEWEST, VERSIONS, recorded
from test_hearing import begun, on_the_way, polled

TELLS = "Progress: 40% - two of five files are read"
SHOWN = "40% done, it says: two of five files are read"


@pytest.fixture(params=VERSIONS)
def drive(request, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    monkeypatch.setenv("COLUMNS", "160")
    return Drive(request.param, tmp_path)


def page(drive: Drive, what: str = "") -> str:
    return plain(drive.prompt(f"/bg-status {what}".strip())["reason"])


def test_progress_in_the_text_is_in_the_table_and_on_the_page_and_ends_nothing(drive):
    token = begun(drive)
    on_the_way(drive, f"I have begun.\n{TELLS}")
    assert SHOWN in page(drive)
    assert SHOWN in page(drive, "bg-1")
    on_the_way(drive, "**Progress:** 60%")
    assert "60% done, it says" in page(drive)
    assert "two of five" not in page(drive)
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]
    assert drive.rows("SELECT * FROM signals") == drive.rows("SELECT * FROM deliveries") == []
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    drive.announced("a1")
    drive.stop()
    assert "it says" not in page(drive)
    assert drive.rows("SELECT key FROM meta WHERE key LIKE 'pro%' OR key LIKE 'percent%'") == []


@pytest.mark.parametrize("version", ["2.1.7", "2.1.197"])
def test_progress_is_heard_at_a_poll(version, tmp_path):
    drive = Drive(version, tmp_path)
    begun(drive)
    on_the_way(drive, TELLS)
    assert context(polled(drive)) == ""
    assert drive.rows("SELECT value FROM meta WHERE key = 'percent:bg-1'") == [{"value": "40"}]


@pytest.mark.parametrize("version", ["2.1.197", "2.1.327", NEWEST])
def test_progress_by_message_is_shown_and_tells_the_parent_nothing(version, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(version, tmp_path)
    begun(drive)
    payload = recorded(version, "resume", "PreToolUse", "SendMessage")
    given = {**payload["tool_input"], "to": "main", "message": TELLS}
    assert drive.send(payload, agent_id="a1", agent_type="general-purpose", tool_input=given) == {}
    assert "40% done" in page(drive)
    assert drive.rows("SELECT * FROM deliveries") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Progress: 40% - a", (40, "a")),
        ("progress 7 %: a", (7, "a")),
        ("**Progress:** 100%", (100, "")),
        ("Progress: 10% a\nProgress: 20% b", (20, "b")),
        ("> Progress: 40% a", None),
        ("The bar says Progress: 40% a", None),
        ("```\nProgress: 40% a\n```", None),
        ("Progress: 140% a", None),
        ("Progress is slow", None),
    ],
)
def test_what_tells_of_progress(text, expected):
    found = pace.said(text)
    assert expected == ((found.percent, found.words) if found else None)


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("30m", 30), ("2 hours", 120), ("1-2 hours", 120), ("1h 30m", 90), ("about 45 minutes", 45), ("1 to 2 days", 2880),
        ("1.5h", 90), ("90 s", 1.5), ("soon", 0), ("", 0), ("3 months", 0), ("5 files", 0),
    ],
)  # fmt: skip
def test_a_length_of_time(text, minutes):
    assert minutes * 60 == pace.seconds(text)


def lines(said: dict[str, Any]) -> list[str]:
    return [line for line in said.get("systemMessage", "").splitlines() if "were expected" in line]


def test_what_takes_longer_than_expected_is_said_once_and_goes_on(drive):
    """In one line, with the choices; nothing is ended."""
    drive.prompt("/bg Audit")
    drive.launch("Audit.\nExpected: 30m", "a1")
    drive.stop()
    on_the_way(drive, TELLS)
    drive.advance(29 * 60)
    assert lines(drive.prompt("And now?")) == []
    drive.advance(16 * 60)
    said = drive.prompt("And now?")
    [line] = lines(said)
    assert line.startswith(f"bg-1 has worked for 45m, 30m were expected ({SHOWN}) · let it go on")
    assert all(words in line for words in ("checkpoint", "less", "part over"))
    reached = drive.version not in ("2.1.7", "2.1.38", "2.1.100")
    assert ("Only if the user asks" in context(said)) == reached
    assert lines(drive.prompt("And now?")) == []
    assert "30m were expected" in page(drive)
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]
    assert drive.rows("SELECT * FROM errors") == []


def test_the_estimate_of_who_asked_for_the_work_counts(drive):
    token = begun(drive)
    fields = {"independence": "can_proceed_parallel", "estimated_duration": "1-2 hours"}
    on_the_way(drive, block("DELEGATE_WORK", token, **fields))
    drive.prompt("And now?")
    drive.prompt("/bg-answer bg-1 D1: approve")
    drive.launch("Profile it", "a2", description="bg-2: profile")
    drive.stop()
    drive.advance(119 * 60)
    assert lines(drive.prompt("And now?")) == []
    drive.advance(2 * 60)
    assert [line[:48] for line in lines(drive.prompt("And now?"))] == [
        "bg-2 has worked for 2h 01m, 2h 00m were expected"
    ]


def test_the_words_of_a_launch_that_name_no_time_expect_nothing():
    task = SimpleNamespace(prompt="Expected: the tests pass", text="")
    assert pace.expected(SimpleNamespace(task=task, asked_by=None)) == 0
