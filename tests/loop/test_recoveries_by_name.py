"""A blocker's ways to go on, each by its name: offered in the dialog, typed, and told to the agent in the seeds' form."""

from __future__ import annotations

from typing import Any

import pytest
import stops
from bg.words import recoveries
from drive import Drive, block, context
from recordings import VERSIONS, recorded
from stops import wake

NEWEST = VERSIONS[-1]
BLOCKERS = tuple(recoveries.BY_BLOCKER)
WORK = {
    "details": "Item 51 cannot be parsed",
    "completed_work": "- Items 1 to 50",
    "blocked_work": "✗ Item 51\n✗ Items 52 to 100",
    "state_snapshot": "Files: out/1-50.json\nWorking directory: /srv/items",
    "resume_requirements": "A decision on item 51",
}


@pytest.fixture
def drive(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(NEWEST, tmp_path)


def stopped(drive: Drive, kind: str, **fields: str) -> str:
    """An agent has stopped for this kind of blocker; what its parent was told."""
    reason = "error" if kind == "error" else "blocker"
    return stops.stopped(drive, "Convert the items", {"stop_reason": reason, "blocker_type": kind, **WORK, **fields})


def asks(drive: Drive, *options: str, words: str = "what now?") -> dict[str, Any]:
    """The parent asks about the blocker; the question as the user sees it."""
    asked = recorded(NEWEST, "question", "PreToolUse", "AskUserQuestion")
    question = {
        **asked["tool_input"]["questions"][0],
        "question": f"bg-1 B1: {words}",
        "options": [{"label": option} for option in options],
    }
    given = drive.send(asked, tool_use_id="q1", tool_input={"questions": [question]})
    return dict(given["hookSpecificOutput"]["updatedInput"]["questions"][0])


def picks(drive: Drive, put: dict[str, Any], answer: str) -> dict[str, Any]:
    """The user answers it; what the hook says to that."""
    after = recorded(NEWEST, "question", "PostToolUse", "AskUserQuestion")
    answers = {"questions": [put], "answers": {put["question"]: answer}}
    given = {"questions": [put], "answers": answers["answers"]}
    return drive.send(after, tool_use_id="q1", tool_input=given, tool_response=answers)


def test_every_message_is_as_it_was_kept():
    """What the user, the parent, the specialist and the agent read of each stop and each reply, whole."""
    assert stops.KEPT.read_text(encoding="utf-8").split(stops.HEAD) == stops.whole().split(stops.HEAD)


CASES = [
    ("resolved: libxml is there now", "missing_info", "## BLOCKER RESOLVED", ""),
    ("fixed", "error", "## ERROR FIXED", "“Item 51”"),
    ("retry", "missing_info", "## RETRY", "“Item 51”"),
    ("retry", "error", "## RETRY", "“Item 51”"),
    ("retry: node_modules are there now", "external_dependency", "## RETRY", ""),
    ("skip", "error", "## ERROR RECOVERY: SKIP", "log “Item 51”, then “Items 52 to 100”"),
    ("skip", "missing_info", "## SKIP", ""),
    ("skip item 51", "error", "## ERROR RECOVERY: SKIP", ""),
    ("hand over", "error", "## PARTIAL RESUME", "“Items 52 to 100”"),
    ("hand over: a parser specialist", "error", "## PARTIAL RESUME", ""),
    ("reduce: only *.json", "resource_limit", "## SCOPE REDUCED", ""),
    ("restart", "error", "## RESTART", "the start of your task"),
    ("continue", "resource_limit", "## CONTINUE AS IT IS", "“Item 51”"),
    ("continue", "error", "## GO ON", ""),
    ("Install libxml, then try again", "external_dependency", "## THE USER'S DECISION", ""),
    ("drop items 52 to 100", "error", "## ERROR RECOVERY", ""),
]


@pytest.mark.parametrize(("typed", "kind", "heading", "first"), CASES)
def test_each_recovery_is_told_in_its_form(drive, typed, kind, heading, first):
    """A first step is named only where the user has said nothing else and somebody knows it."""
    stopped(drive, kind)
    said = drive.prompt(f"/bg-answer bg-1 {typed}")
    assert "Resume it now" in context(said)
    message = wake(drive)
    assert message.startswith(f"{heading}\n\nIssue: Item 51 cannot be parsed\n")
    assert f"(the user's words): {typed}\n" in message
    assert (f"First step: {first}\n" in message) if first else "First step" not in message
    for words in ("> - Items 1 to 50", "> Files: out/1-50.json", "> Working directory: /srv/items"):
        assert words in message


@pytest.mark.parametrize("kind", BLOCKERS)
def test_each_type_of_blocker_offers_its_ways_by_name(drive, kind):
    told = stopped(drive, kind)
    assert f"each by its name: {', '.join(recoveries.choices(kind))}." in told
    listed = drive.prompt("/bg-answer")["reason"]
    offered = (*recoveries.choices(kind), recoveries.RESOLVED)
    assert all(f"/bg-answer bg-1 {recoveries.to_type(name)}" in listed for name in offered)
    drive.stop()
    labels = [option["label"] for option in asks(drive, "Ask Ann")["options"]]
    titles = [name.capitalize() for name in recoveries.choices(kind)]
    assert labels == [*titles, "Ask Ann"][:4]


def test_an_option_that_is_picked_is_that_recovery(drive):
    stopped(drive, "error")
    put = asks(drive, "x")
    assert put["options"][1] == {
        "label": "Skip",
        "description": "It leaves out “Item 51”, logs that in SKIPPED_ITEMS.md, and goes on with “Items 52 to 100”",
    }
    picks(drive, put, "Skip")
    assert wake(drive).startswith("## ERROR RECOVERY: SKIP\n")


def test_a_dialog_shows_the_ways_that_the_agent_sees(drive):
    stopped(drive, "error", error_recovery="1. Skip it\n2. Repair the parser", options="- Use expat\n- Wait for Ann")
    put = asks(drive, "x")
    assert "Ways that it sees: 1. Skip it 2. Repair the parser - Use expat - Wait for Ann" in put["question"]
    assert [each["label"] for each in put["options"]] == ["Use expat", "Wait for Ann", "Retry", "Skip"]
    assert "Resume it now" in context(picks(drive, put, "Use expat"))
    assert wake(drive).startswith("## ERROR RECOVERY\n")


def test_what_to_leave_out_is_asked_before_anything_is_sent(drive):
    """Picked or typed: the parent asks, with options that the hook keeps, and the words that are picked are sent."""
    stopped(drive, "resource_limit")
    typed = "nothing is sent yet, as it has to know what to leave out. Type /bg-answer bg-1 B1 reduce: <what to leave"
    assert typed in drive.prompt("/bg-answer bg-1 reduce")["reason"]
    told = picks(drive, asks(drive, "x"), "Reduce")
    assert typed in told["systemMessage"]
    assert "has not said what to leave out; nothing was sent. Ask that now" in context(told)
    assert "“Item 51”; “Items 52 to 100”" in context(told)
    assert drive.rows("SELECT state FROM questions") == [{"state": "open"}]
    put = asks(drive, "Reduce: no Item 51", "Reduce: only the odd ones", words="what shall it leave out?")
    assert [each["label"] for each in put["options"]] == [
        "Reduce: no Item 51",
        "Reduce: only the odd ones",
        "Hand over",
        "Continue",
    ]
    picks(drive, put, "Reduce: no Item 51")
    message = wake(drive)
    assert message.startswith("## SCOPE REDUCED\n")
    assert "Decision (the user's words): Reduce: no Item 51\nWhat these words leave out" in message


def test_an_error_that_names_another_step_divides_nothing(drive):
    stopped(drive, "error", details="Items 52 to 100 are locked")
    said = drive.prompt("/bg-answer bg-1 hand over")
    assert "what bg-1 failed at to another agent: “Items 52 to 100 are locked”. All that bg-1" in context(said)
    assert "> Item 51\n> Items 52 to 100\n" in context(said)
    drive.launch("Unlock", "a2", description="bg-2: unlock the items")
    message = wake(drive)
    assert "What failed now belongs to bg-2 (“unlock the items”)." in message
    assert "First step" not in message


LISTS = {
    "✗ Phase 2\n✗ Phase 3": ("Phase 2", "Phase 3"),
    "Phase 2; Phase 3": ("Phase 2", "Phase 3"),
    "Phase 2; Phase 3; ": ("Phase 2", "Phase 3"),
    "Still to do:\n1. Tests on WebKit\n   and on Edge\n2) - [ ] the report": (
        "Tests on WebKit and on Edge",
        "the report",
    ),
    "Everything behind the login,\nwhich nobody can open": ("Everything behind the login, which nobody can open",),
    "x86 build\nARM build": ("x86 build", "ARM build"),
    "": (),
}


@pytest.mark.parametrize("said", LISTS)
def test_what_an_agent_lists_is_read_as_a_list(said):
    assert LISTS[said] == recoveries.entries(said)


def test_what_is_handed_over_is_done_by_linked_agents(drive):
    """Several parts in one window, with the old label on them: none of them becomes the stopped agent."""
    stopped(drive, "resource_limit")
    said = context(drive.prompt("/bg-answer bg-1 hand over: in three batches"))
    assert "label: bg-2 for the delegated task" in said
    assert "The user hands work of bg-1 to another agent, in these words: “in three batches”." in said
    assert "\n> Item 51\n> Items 52 to 100\n" in said
    tokens = [
        drive.launch(f"Batch {number}", f"b{number}", description=f"bg-1: batch {number}") for number in (1, 2, 3)
    ]
    assert [str(token)[:4] for token in tokens] == ["bg-2", "bg-3", "bg-4"]
    assert "Another agent, bg-1 (“audit”), could not do it itself (B1)" in drive.taken["prompt"]
    assert "in three batches" in drive.taken["prompt"]
    message = wake(drive, proven=True)
    parts = "bg-2 (“batch 1”), bg-3 (“batch 2”), bg-4 (“batch 3”)"
    assert f"What these words hand over now belongs to {parts}." in message
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
        "## PARTIAL RESUME\n\nIssue: Item 51 cannot be parsed\nParts of your task belong to bg-2 (“batch 1”), "
    )
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
    lead = "## MESSAGE FROM YOUR PARENT AGENT\n\nIssue: Item 51 cannot be parsed\n\nThe parent agent's own words"
    assert message.startswith(lead)
    assert "> I ran npm install." in message
    assert "First step" not in message
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
    assert "\nstop_reason: <blocker|error>\n" in drive.taken["prompt"]


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


READ = {
    "Retry": ("retry", ""),
    "retry - it is flaky": ("retry", "it is flaky"),
    "fixed: the key is there": ("resolved", "the key is there"),
    "Skip\nthe rest too": ("skip", "the rest too"),
    "skip the problematic file": ("skip", "skip the problematic file"),
    "Hand over - phase 2": ("hand over", "phase 2"),
    "reduce scope: only src/": ("reduce", "only src/"),
    "reduce to Edge, leave WebKit out": ("", "reduce to Edge, leave WebKit out"),
    "restart the database and try again": ("", "restart the database and try again"),
    "continue with npm audit": ("", "continue with npm audit"),
    "Docker runs now": ("", "Docker runs now"),
    "retrying will not help": ("", "retrying will not help"),
}


@pytest.mark.parametrize("words", READ)
def test_words_are_a_recovery_only_where_they_name_it(words):
    assert READ[words] == recoveries.read(words)
