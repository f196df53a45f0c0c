"""What was printed counts as heard once the transcript shows it; what was dropped is said again, on every version."""

from __future__ import annotations

import json

import pytest
from bg.ledger import deliveries
from drive import Drive, block, context
from recordings import VERSIONS

REPORTS = "reports success"


@pytest.fixture(params=VERSIONS)
def drive(request, tmp_path):
    found = Drive(request.param, tmp_path)
    found.prompt("/bg Audit the code")
    token = found.launch("Audit it", "a1")
    found.stop()
    found.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    return found


def lost(drive: Drive, send) -> str:
    """An event whose answer the host throws away; what the answer was."""
    drive.writes = False
    said = context(send())
    drive.writes = True
    return said


def test_what_was_dropped_is_said_with_the_next_prompt_and_then_no_more(drive):
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    drive.advance(10)
    assert REPORTS in context(drive.prompt("What is the time?"))
    assert REPORTS not in context(drive.stop())
    assert REPORTS not in context(drive.prompt("And the date?"))
    assert drive.rows("SELECT 1 FROM deliveries WHERE seen IS NULL") == []


def test_what_a_transcript_may_not_show_yet_is_not_said_twice(drive):
    assert REPORTS in lost(drive, lambda: drive.announced("a1"))
    assert REPORTS not in context(drive.prompt("At once"))


def test_what_arrived_is_seen_and_what_was_noted_to_find_it_is_gone(drive):
    assert REPORTS in context(drive.announced("a1"))
    drive.stop()
    [row] = drive.rows("SELECT seen, words, carrier FROM deliveries")
    assert row["seen"]
    assert (row["words"], row["carrier"]) == (None, None)


def test_a_host_that_stopped_writing_it_down_is_told_three_times_at_most(drive):
    drive.version = "2.1.38"  # what the conversation's records look like; the ledger knows the real version
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
    with book.transaction():
        book.write("UPDATE deliveries SET said = NULL, via = 'UserPromptSubmit 999999'")
    book.close()
    repeated = REPORTS in context(drive.prompt("What is the time?"))
    assert repeated == (drive.version in ("2.1.7", "2.1.38"))


@pytest.mark.parametrize("version", ["2.1.197", VERSIONS[-1]])
def test_what_is_written_down_behind_the_models_answer_is_not_said_again(version, tmp_path):
    """Seen on 2.1.197 on a busy machine: the prompt and the answer stood there, what a hook had added not yet."""
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    drive.ends("a1", block("COMPLETION_REPORT", drive.launch("Audit", "a1"), status="success"))
    drive.writes = False
    assert REPORTS in context(drive.announced("a1"))
    carrier = drive.rows("SELECT carrier FROM deliveries")[-1]["carrier"]
    answer = {"role": "assistant", "content": [{"type": "text", "text": "So."}]}
    lines = [{"type": "user", "message": {"role": "user", "content": carrier}}, {"type": "assistant", "message": answer}]
    with drive.transcript.open("a") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
    assert REPORTS not in str(drive.prompt("Anything else?"))
