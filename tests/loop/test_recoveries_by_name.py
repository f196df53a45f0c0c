"""A blocker's ways to go on, each by its name: offered in the dialog, typed, and told to the agent in the seeds' form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from bg.loop import recovery_names as reading
from bg.words import recoveries
from drive import Drive, block, context
from recordings import VERSIONS, recorded

NEWEST = VERSIONS[-1]
BLOCKERS = tuple(recoveries.BY_BLOCKER)
WORK = {
    "details": "Item 51 cannot be parsed",
    "completed_work": "- Items 1 to 50",
    "blocked_work": "✗ Item 51\n✗ Items 52 to 100",
    "state_snapshot": "Files: out/1-50.json\nWorking directory: /srv/items",
    "resume_requirements": "A decision on item 51",
}
PAYLOAD = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}


@pytest.fixture
def drive(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(NEWEST, tmp_path)


def stopped(drive: Drive, kind: str) -> str:
    """An agent has stopped for this kind of blocker; what its parent was told."""
    drive.prompt("/bg Convert the items")
    token = drive.launch("Convert", "a1")
    drive.stop()
    reason = "error" if kind == "error" else "blocker"
    drive.ends("a1", block("STOP_WORK", token, stop_reason=reason, blocker_type=kind, **WORK))
    told = context(drive.announced("a1"))
    drive.stop()
    return told


def wake(drive: Drive, message: str = "", *, proven: bool = False) -> str:
    given = drive.send({**PAYLOAD, "tool_input": {"to": "a1", "message": message}})["hookSpecificOutput"][
        "updatedInput"
    ]
    if proven:
        after = {**PAYLOAD, "hook_event_name": "PostToolUse", "tool_input": given}
        drive.send(after, tool_response={"success": True, "resumedAgentId": "a1"})
    return str(given["message"])


CASES = [
    ("retry", "missing_info", "## BLOCKER RESOLVED", "Restore the state below and retry: “Item 51”."),
    ("retry: node_modules are there now", "external_dependency", "## BLOCKER RESOLVED", "retry: “Item 51”."),
    ("retry", "error", "## ERROR FIXED", "Restore the state below and retry: “Item 51”."),
    ("skip", "error", "## ERROR RECOVERY: SKIP", "Log each thing that you skip, with its reason, in SKIPPED_ITEMS.md"),
    ("skip item 51", "error", "## ERROR RECOVERY: SKIP", "go on with what comes after: “Item 51”."),
    ("hand over: a parser specialist", "error", "## PARTIAL RESUME", "bg-2 does the blocked part. Skip it"),
    (
        "reduce: only *.json",
        "resource_limit",
        "## SCOPE REDUCED",
        "Do that much and no more, beginning with: “Item 51”.",
    ),
    ("restart", "error", "## RESTART", "Begin the task again from its start"),
    (
        "continue",
        "resource_limit",
        "## CONTINUE AS IT IS",
        "The user accepts what you warned of. Go on with: “Item 51”.",
    ),
    ("Install libxml, then try again", "external_dependency", "## BLOCKER RESOLVED", "First step: “Item 51”"),
]


@pytest.mark.parametrize(("typed", "kind", "heading", "then"), CASES)
def test_each_recovery_is_told_in_its_form(drive, typed, kind, heading, then):
    stopped(drive, kind)
    said = drive.prompt(f"/bg-answer bg-1 {typed}")
    assert "Resume it now" in context(said)
    message = wake(drive)
    assert message.startswith(f"{heading}\n\nIssue: Item 51 cannot be parsed\nResolution (the user's words): {typed}")
    assert then in message
    for words in ("## STATE RESTORATION", "> Files: out/1-50.json", "> Working directory: /srv/items", "Item 51"):
        assert words in message


@pytest.mark.parametrize("kind", BLOCKERS)
def test_each_type_of_blocker_offers_its_ways_by_name(drive, kind):
    told = stopped(drive, kind)
    assert f"each by its name: {', '.join(recoveries.choices(kind))}." in told
    listed = drive.prompt("/bg-answer")["reason"]
    assert all(f"/bg-answer bg-1 {name}" in listed for name in recoveries.choices(kind))
    drive.stop()
    asked = recorded(NEWEST, "question", "PreToolUse", "AskUserQuestion")
    question = {
        **asked["tool_input"]["questions"][0],
        "question": "bg-1 B1: what now?",
        "options": [{"label": "Ask Ann"}],
    }
    given = drive.send(asked, tool_input={"questions": [question]})["hookSpecificOutput"]["updatedInput"]
    labels = [option["label"] for option in given["questions"][0]["options"]]
    titles = [recoveries.RECOVERIES[name].title for name in recoveries.choices(kind)]
    assert labels == [*titles, "Ask Ann"][:4]
    assert 2 <= len(labels) <= 4


def test_an_option_that_is_picked_is_that_recovery(drive):
    stopped(drive, "error")
    asked = recorded(NEWEST, "question", "PreToolUse", "AskUserQuestion")
    question = {**asked["tool_input"]["questions"][0], "question": "bg-1 B1: what now?", "options": [{"label": "x"}]}
    given = drive.send(asked, tool_use_id="q1", tool_input={"questions": [question]})
    put = given["hookSpecificOutput"]["updatedInput"]["questions"][0]
    after = recorded(NEWEST, "question", "PostToolUse", "AskUserQuestion")
    answers = {"questions": [put], "answers": {put["question"]: "Skip"}}
    drive.send(
        after, tool_use_id="q1", tool_input={"questions": [put], "answers": answers["answers"]}, tool_response=answers
    )
    assert wake(drive).startswith("## ERROR RECOVERY: SKIP\n")


def test_what_is_handed_over_is_done_by_linked_agents(drive):
    """Several parts in one window, with the old label on them: none of them becomes the stopped agent."""
    stopped(drive, "resource_limit")
    said = context(drive.prompt("/bg-answer bg-1 hand over: in three batches"))
    assert "label: bg-2 for the delegated task" in said
    assert "hands the part that bg-1 B1 is about to another agent" in said
    assert "> Item 51 ✗ Items 52 to 100" in said or "> ✗ Item 51" in said
    tokens = [
        drive.launch(f"Batch {number}", f"b{number}", description=f"bg-1: batch {number}") for number in (1, 2, 3)
    ]
    assert [str(token)[:4] for token in tokens] == ["bg-2", "bg-3", "bg-4"]
    assert "Another agent, bg-1 (“audit”), could not do it itself (B1)" in drive.taken["prompt"]
    assert "in three batches" in drive.taken["prompt"]
    message = wake(drive, proven=True)
    assert "bg-2, bg-3, bg-4 does the blocked part" in message
    assert drive.rows("SELECT state FROM tasks WHERE label = 'bg-1'") == [{"state": "working"}]
    drive.stop()
    token = str(drive.rows("SELECT token FROM launches WHERE label = 'bg-1'")[0]["token"])
    drive.ends("a1", block("COMPLETION_REPORT", token, status="partial_success", summary="1 to 50."))
    drive.announced("a1")
    drive.stop()
    for number, status in ((1, "success"), (2, "failed"), (3, "success")):
        drive.ends(
            f"b{number}", block("COMPLETION_REPORT", tokens[number - 1], status=status, summary=f"Part {number}.")
        )
        told = context(drive.announced(f"b{number}"))
        drive.stop()
    assert "Not complete: bg-1 partial, bg-3 failed." in told
    assert "SUCCESS" not in told
    assert all(f"> bg-{number + 1} (" in told for number in (1, 2, 3))


def test_parts_that_the_parent_launches_itself_are_linked_to_the_stopped_one(drive):
    """With its label on them, and nothing handed over by the user, who is still asked: also in a later turn."""
    stopped(drive, "resource_limit")
    tokens = [drive.launch(f"Batch {number}", f"b{number}", description=f"bg-1: batch {number}") for number in (1, 2)]
    drive.stop()
    tokens.append(drive.launch("Batch 3", "b3", description="bg-1: batch 3 of 3"))
    assert [str(token)[:4] for token in tokens] == ["bg-2", "bg-3", "bg-4"]
    prompt = drive.taken["prompt"]
    assert (
        "Another agent, bg-1 (“audit”), could not do it itself (B1); your parent launched you for a part of it."
        in prompt
    )
    assert "The user's words" not in prompt
    assert drive.rows("SELECT state FROM tasks WHERE label = 'bg-1'") == [{"state": "blocked"}]
    assert drive.rows("SELECT state FROM questions") == [{"state": "open"}]
    assert "asked for by: bg-1 B1" in drive.prompt("/bg-status bg-4")["reason"]
    for number in (1, 2):
        drive.ends(
            f"b{number}", block("COMPLETION_REPORT", tokens[number - 1], status="success", summary=f"Part {number}.")
        )
        assert "has waited for this" not in context(drive.announced(f"b{number}"))
        drive.stop()
    message = wake(drive, "Go on with item 100.")
    assert message.startswith(
        "## PARTIAL RESUME\n\nIssue: Item 51 cannot be parsed\nResolution (your parent agent): hand over"
    )
    assert "bg-2, bg-3, bg-4 does the blocked part" in message
    assert "> Go on with item 100." in message
    drive.ends("b3", block("COMPLETION_REPORT", tokens[2], status="success", summary="Part 3."))
    assert "bg-1 has waited for this. Resume it now" in context(drive.announced("b3"))
    message = wake(drive, proven=True)
    assert "## DELEGATED WORK ENDED (B1)" in message
    assert all(f"> Part {number}." in message for number in (1, 2, 3))
    assert drive.rows("SELECT state FROM questions") == [{"state": "withdrawn"}]


def test_what_the_parent_resolved_itself_says_the_issue_and_leaves_nothing_open(drive):
    stopped(drive, "external_dependency")
    message = wake(drive, "I ran npm install.", proven=True)
    assert message.startswith("## BLOCKER RESOLVED\n\nIssue: Item 51 cannot be parsed\n\nThe parent agent's own words")
    assert "> I ran npm install." in message
    assert "First step: “Item 51”" in message
    assert drive.rows("SELECT state FROM questions") == [{"state": "withdrawn"}]


def test_a_stop_for_completion_is_the_end_that_it_is(drive):
    drive.prompt("/bg Convert")
    token = drive.launch("Convert", "a1")
    drive.stop()
    text = block("STOP_WORK", token, **{**WORK, "stop_reason": "completion"})
    assert "is said with COMPLETION_REPORT" in drive.ends("a1", text)["reason"]
    assert drive.ends("a1", text, stop_hook_active=True) == {}
    told = context(drive.announced("a1"))
    assert "reports that its work is over" in told
    assert drive.rows("SELECT state FROM tasks") == [{"state": "partial"}]
    assert drive.rows("SELECT 1 FROM questions") == []
    assert "completion" not in drive.taken["prompt"].split("`STOP_WORK`: ")[1].splitlines()[0]


def leave(drive: Drive, reply: str) -> str:
    drive.prompt("/bg Clean up")
    token = drive.launch("Clean up", "a1")
    drive.stop()
    question = {
        "question_id": "Q1",
        "text": "Shall I drop the table?",
        "irreversible": "All 4,211 rows of users are gone",
    }
    drive.ends("a1", block("CLARIFICATION_NEEDED", token, questions=[question]))
    told = context(drive.announced("a1"))
    assert "> irreversible: All 4,211 rows of users are gone" in told
    assert "does it only if the user says yes" in told
    drive.stop()
    drive.prompt(reply)
    return wake(drive)


@pytest.mark.parametrize("reply", ["/bg-answer bg-1 Q1: skip", "/bg-answer bg-1 go"])
def test_nothing_but_the_users_word_allows_what_cannot_be_undone(drive, reply):
    assert "A1: (the user has not allowed it: do not do it" in leave(drive, reply)


def test_the_users_yes_allows_it(drive):
    assert "A1: yes, drop it" in leave(drive, "/bg-answer bg-1 Q1: yes, drop it")


READ: dict[str, Any] = {
    "Retry": "retry",
    "retry: fixed it": "retry",
    "Skip\nthe rest too": "skip",
    "skip the problematic file": "skip",
    "Hand over - phase 2": "hand over",
    "reduce scope: only src/": "reduce",
    "restart the database and try again": "",
    "continue with npm audit": "",
    "Docker runs now": "",
    "retrying will not help": "",
}


@pytest.mark.parametrize("words", READ)
def test_words_are_a_recovery_only_where_they_name_it(words):
    assert READ[words] == reading.read(words)
    assert json.dumps(recoveries.choices(words))
