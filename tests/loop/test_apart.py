"""What cannot be worded or caught up with is noted and left for later; whatever stands beside it is said."""

from __future__ import annotations

import time
from contextlib import closing

import pytest
from bg.desk import doctor
from bg.host.versions import host_of
from bg.loop import inheriting
from bg.words.quoting import cited
from drive import Drive, block, context
from recordings import VERSIONS, recorded


@pytest.fixture(params=(VERSIONS[0], VERSIONS[-1]))
def version(request):
    return request.param


def change(drive: Drive, sql: str, *values: object) -> None:
    with closing(drive.ledger()) as book, book.transaction() as writing:
        writing.write(sql, *values)


def ended(drive: Drive, *agents: str) -> None:
    """Each of them has reported, with its name in the summary; nobody has been told."""
    drive.prompt("/bg Audit")
    tokens = {agent: drive.launch("Audit", agent) for agent in agents}
    for agent, token in tokens.items():
        drive.ends(agent, block("COMPLETION_REPORT", token, status="success", summary=f"word-{agent}-x"))


def errors(drive: Drive) -> list[str]:
    return [row["event"] for row in drive.rows("SELECT event FROM errors")]


def test_a_delivery_that_cannot_be_worded_silences_no_other(drive):
    """It is noted once, where /bg-status and the doctor show it, and said as soon as it can be."""
    ended(drive, "a1", "a2", "a3")
    [first] = drive.rows("SELECT body FROM signals WHERE agent = 'a1'")
    change(drive, "UPDATE signals SET body = 'half a rec' WHERE agent = 'a1'")
    said = context(drive.prompt("Go on"))
    assert [f"{label} (“audit”) reports" in said for label in ("bg-1", "bg-2", "bg-3")] == [False, True, True]
    for words in ("And?", "And now?"):
        drive.stop()
        drive.prompt(words)
    assert errors(drive) == ["delivery 1 of bg-1"]
    assert "delivery 1 of bg-1" in str(drive.prompt("/bg-status"))
    assert [one for one in doctor.examine(host_of(None)) if one.subject == "hook error" and "delivery 1" in one.found]
    change(drive, "UPDATE signals SET body = ? WHERE agent = 'a1'", first["body"])
    assert "word-a1-x" in context(drive.prompt("Go on"))


def test_many_that_cannot_be_worded_take_nobodys_place(drive):
    """More of them than one event says."""
    agents = [f"a{number}" for number in range(1, 15)]
    ended(drive, *agents)
    change(drive, "UPDATE signals SET body = 'half a rec' WHERE agent <> 'a14'")
    assert "word-a14-x" in context(drive.prompt("Go on"))


def test_a_day_later_it_is_noted_again(drive):
    """People are shown the errors of a day; what still fails is still shown."""
    ended(drive, "a1")
    change(drive, "UPDATE signals SET body = 'half a rec'")
    drive.prompt("Go on")
    change(drive, "UPDATE errors SET at = ?", time.time() - 25 * 3600)
    drive.prompt("Go on")
    drive.prompt("Go on")
    assert errors(drive) == ["delivery 1 of bg-1"] * 2


def test_the_users_questions_are_held_though_a_delivery_fails(drive):
    """The turn's end asks for the question, as it would without the other."""
    drive.prompt("/bg Audit")
    tokens = [drive.launch("Audit", agent) for agent in ("a1", "a2")]
    drive.ends("a1", block("CLARIFICATION_NEEDED", tokens[0]))
    drive.prompt("Go on")
    drive.ends("a2", block("COMPLETION_REPORT", tokens[1], status="success"))
    change(drive, "UPDATE signals SET body = 'half a rec' WHERE agent = 'a2'")
    change(drive, "UPDATE deliveries SET made = made - 60")
    assert "bg-1 Q1" in str(drive.stop(last_assistant_message="Noted.", stop_hook_active=False))


def test_a_line_that_cannot_be_written_leaves_the_list(drive, monkeypatch):
    """SessionStart says what is in flight, whatever is wrong with one of them."""
    ended(drive, "a1", "a2")
    token = drive.launch("Audit", "a3")
    drive.ends("a3", block("CLARIFICATION_NEEDED", token))
    [first] = drive.rows("SELECT text FROM questions WHERE qid = 'Q1'")

    def broken(text: str, most: int) -> str:
        return 1 // 0 if text == first["text"] else cited(text, most)

    monkeypatch.setattr(inheriting, "cited", broken)
    said = context(drive.send(recorded(drive.version, "sessions", "SessionStart"), source="resume"))
    assert "Q2 waits for the user" in said
    assert "Q1 waits for the user" not in said
    assert "the line of bg-3 Q1" in errors(drive)


def test_an_agent_that_cannot_be_caught_up_with_holds_up_no_other(drive):
    """One task's transcript cannot be looked at; the prompt goes on, and so do the other tasks."""
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    change(drive, "INSERT INTO scans VALUES ('a1', 'nowhere')")
    drive.transcript_of("a1", "I begin.")
    assert "bg-2" in context(drive.prompt("/bg Another"))
    assert errors(drive) == ["catching up with bg-1"]
