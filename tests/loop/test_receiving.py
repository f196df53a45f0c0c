"""What was printed counts as heard once the transcript shows it; what was dropped is said again, on every version."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bg.ledger import deliveries
from drive import Drive, block, context
from recordings import VERSIONS
from rig import conversation
from test_hearing import polled

REPORTS = "reports success"


@pytest.fixture(params=VERSIONS)
def drive(request, tmp_path):
    return reported(Drive(request.param, tmp_path))


def reported(drive: Drive) -> Drive:
    """The agent has reported, and the parent has not heard of it."""
    drive.prompt("/bg Audit the code")
    token = drive.launch("Audit it", "a1")
    drive.stop()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    return drive


def lost(drive: Drive, send) -> str:
    """An event whose prompt another plugin's hook blocks, which throws our answer away; what that was."""
    drive.writes = False
    said = context(send())
    drive.write_down(blocked=True)
    return said


def test_what_was_dropped_is_said_with_the_next_prompt_and_then_no_more(drive):
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    assert REPORTS in context(drive.prompt("What is the time?"))
    assert REPORTS not in context(drive.stop())
    assert REPORTS not in context(drive.prompt("And the date?"))
    assert drive.rows("SELECT 1 FROM deliveries WHERE seen IS NULL") == []


def test_what_was_dropped_is_said_with_the_next_poll(tmp_path):
    """Old hosts let the parent ask for an agent with TaskOutput, in the middle of a turn."""
    drive = reported(Drive("2.1.7", tmp_path))
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    assert REPORTS in context(polled(drive))
    assert REPORTS not in context(polled(drive))


def test_what_was_blocked_before_our_hook_had_come_so_far_is_said_with_the_next_prompt(drive):
    """A faster hook of another plugin has blocked it, and the host has written that down, when ours looks."""
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE deliveries SET place = ?", drive.transcript.stat().st_size)
    book.close()
    assert REPORTS in context(drive.prompt("What is the time?"))


def test_what_was_dropped_three_times_is_still_said(drive):
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    for words in ("One?", "Two?", "Three?"):
        assert REPORTS in lost(drive, lambda words=words: drive.prompt(words))
    assert REPORTS in context(drive.prompt("Four?"))
    assert REPORTS not in context(drive.prompt("Five?"))


@pytest.mark.parametrize("seconds", [0, 10, 3600, -3600])
def test_what_a_transcript_does_not_show_yet_is_not_said_twice(drive, seconds):
    drive.writes = False
    assert REPORTS in context(drive.announced("a1"))
    drive.advance(seconds)
    assert REPORTS not in str(drive.stop())
    assert REPORTS not in context(drive.prompt("At once"))
    drive.write_down()
    assert REPORTS not in context(drive.prompt("Once more"))
    assert drive.rows("SELECT 1 FROM deliveries WHERE seen IS NULL") == []


def test_what_got_lost_without_a_record_is_said_once_a_later_prompt_was_answered(drive):
    drive.writes = False
    assert REPORTS in context(drive.announced("a1"))
    drive.unwritten, drive.writes = [], True
    assert REPORTS not in context(drive.prompt("What is the time?", "turn-2"))
    drive.stop()
    assert REPORTS in context(drive.prompt("And the date?", "turn-3"))
    assert REPORTS not in context(drive.prompt("Anything else?", "turn-4"))


@pytest.mark.parametrize("version", VERSIONS[-3:])
def test_the_answered_prompt_of_the_same_turn_is_no_later_one(version, tmp_path):
    """What began the turn may be written down behind the place where a message in it was handed to the hooks."""
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.writes = False
    drive.prompt("Go on", "turn-2")
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    assert REPORTS in context(drive.announced("a1", turn="turn-2"))
    drive.unwritten.pop()
    drive.stop()
    drive.write_down()
    assert REPORTS not in context(drive.prompt("And then?", "turn-2"))


@pytest.mark.parametrize("version", VERSIONS[-2:])
@pytest.mark.parametrize("seconds", [0, 2, 5])
def test_a_queue_that_another_plugins_hook_holds_up_is_told_once(version, seconds, tmp_path):
    """Agents end while the parent runs a tool: the host asks hooks about one after the other, and then writes all."""
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit the code")
    tokens = {name: drive.launch(f"Audit {name}", name) for name in ("a1", "a2", "a3")}
    for name, token in tokens.items():
        drive.ends(name, block("COMPLETION_REPORT", token, status="success"))
    drive.writes = False
    told = []
    for name in tokens:
        told.append(context(drive.announced(name)))
        drive.advance(seconds)
    told.append(context(drive.stop()))
    drive.write_down()
    told += [context(drive.stop()), context(drive.prompt("What is the time?"))]
    assert [1, 1, 1] == ["\n".join(told).count(f"{label} (“audit”) {REPORTS}") for label in ("bg-1", "bg-2", "bg-3")]
    assert "\n".join(told).count("launched together have all ended") == 1


def test_what_arrived_is_seen_and_what_was_noted_to_find_it_is_gone(drive):
    assert REPORTS in context(drive.announced("a1"))
    drive.stop()
    [row] = drive.rows("SELECT seen, words, carrier FROM deliveries")
    assert row["seen"]
    assert (row["words"], row["carrier"]) == (None, None)


def test_a_host_that_stopped_writing_it_down_is_told_three_times_at_most(drive, monkeypatch):
    monkeypatch.setattr(conversation, "WRITES_CONTEXT", (9,))
    told = [context(drive.announced("a1"))]
    for words in ("One", "Two", "Three", "Four", "Five"):
        drive.advance(10)
        drive.stop(stop_hook_active=True)
        told.append(context(drive.prompt(words)))
    times = sum(REPORTS in said for said in told)
    writes = tuple(map(int, drive.rows("SELECT version FROM sessions")[0]["version"].split("."))) >= (2, 1, 100)
    assert times == (3 if writes else 1)
    assert deliveries.printed(drive.ledger(), drive.session) == []


def test_a_hook_killed_between_print_and_note_is_not_repeated_where_the_transcript_shows_it(drive):
    assert REPORTS in context(drive.announced("a1"))
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE deliveries SET said = NULL, event = 'UserPromptSubmit', pid = 999999")
    book.close()
    repeated = REPORTS in context(drive.prompt("What is the time?"))
    assert repeated == (drive.version in ("2.1.7", "2.1.38"))


def waits(version: str, tmp_path: Path) -> tuple[Drive, list[dict[str, Any]]]:
    """A report was said to the host's notification; what that and the model's reply to it look like in the transcript."""
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    drive.ends("a1", block("COMPLETION_REPORT", drive.launch("Audit", "a1"), status="success"))
    drive.writes = False
    assert REPORTS in context(drive.announced("a1"))
    drive.unwritten = []
    last = json.loads(drive.transcript.read_text().splitlines()[-1])["uuid"]
    carrier = drive.rows("SELECT carrier FROM deliveries")[-1]["carrier"]
    answer = {"role": "assistant", "content": [{"type": "text", "text": "So."}]}
    return drive, [
        {"type": "user", "uuid": "u1", "parentUuid": last, "message": {"role": "user", "content": carrier}},
        {"type": "assistant", "uuid": "u3", "parentUuid": "u1", "message": answer},
    ]


def write(drive: Drive, lines: list[dict[str, Any]]) -> None:
    with drive.transcript.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize("version", ["2.1.197", VERSIONS[-1]])
def test_what_is_written_down_behind_the_models_answer_is_not_said_again(version, tmp_path):
    """Seen on 2.1.197 on a busy machine: the prompt and the answer stood there, what a hook had added not yet."""
    drive, [prompt, answer] = waits(version, tmp_path)
    write(drive, [prompt, {**answer, "parentUuid": "u2"}])
    drive.advance(10)
    assert REPORTS not in str(drive.prompt("Anything else?"))


@pytest.mark.parametrize("version", ["2.1.197", VERSIONS[-1]])
def test_what_the_models_answer_does_not_follow_is_said_again(version, tmp_path):
    """The host has given up our hook: the answer follows the prompt itself."""
    drive, lines = waits(version, tmp_path)
    write(drive, lines)
    drive.writes = True
    assert REPORTS in context(drive.prompt("Anything else?"))
    assert REPORTS not in context(drive.prompt("And now?"))


def unheard(drive: Drive, words: str) -> dict[str, Any]:
    """A prompt that the host passes on without what our hook has added to it; the model answers it."""
    drive.writes = False
    said = drive.prompt(words)
    drive.unwritten = [(whole, {}) for whole, _ in drive.unwritten]
    drive.write_down()
    drive.stop(stop_hook_active=True)
    return said


def test_what_never_arrives_is_shown_to_the_user_in_the_end(newest):
    newest.prompt("/bg Audit the code")
    token = newest.launch("Audit it", "a1")
    newest.stop()
    newest.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    said = [unheard(newest, f"Prompt {number}?") for number in range(6)]
    assert [REPORTS in context(each) for each in said] == [True, True, True, False, False, False]
    words = "what bg-1 has for Claude was dropped on its way three times · /bg-status bg-1"
    assert [words in each.get("systemMessage", "") for each in said] == [False, False, False, True, False, False]
