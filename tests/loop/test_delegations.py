"""Delegations by their states: asked, approved, launched, asking themselves, ended in every way, and who hears what."""

from __future__ import annotations

import json
from typing import Any, Optional

import pytest
from bg.desk import status
from bg.ledger import cases, delegations, tasks
from drive import Drive, block, context, plain
from recordings import VERSIONS

NEWEST = VERSIONS[-1]
BLOCKING, PARALLEL, OPTIONAL = "blocks_current_work", "can_proceed_parallel", "optional"
ORDER = "from the bg plugin, not from the user] label: "


@pytest.fixture
def drive(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(NEWEST, tmp_path)


def begin(drive: Drive, agent: str = "a1") -> str:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit src/login.py", agent)
    drive.stop()
    assert token
    return token


def asks(drive: Drive, independence: str = BLOCKING, agent: str = "a1", **fields: Any) -> str:
    """An agent asks for another one at the end of its run; what the parent is told."""
    token = begin(drive, agent)
    assert drive.ends(agent, block("DELEGATE_WORK", token, independence=independence, **fields)) == {}
    return context(drive.announced(agent))


def approved(drive: Drive, independence: str = BLOCKING, words: str = "approve") -> str:
    """The agent of the request is there: the token of the child."""
    asks(drive, independence)
    drive.stop()
    drive.prompt(f"/bg-answer bg-1 D1: {words}")
    child = drive.launch("Profile it", "a2", description="bg-2: profile")
    drive.stop()
    assert child
    return child


def wake(drive: Drive, agent: str = "a1", message: str = "", *, proven: bool = False) -> str:
    """The parent sends the agent a message; what the hook makes of it."""
    call = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": f"s-{agent}-{proven}"}
    said = drive.send({**call, "tool_input": {"to": agent, "message": message}})
    assert drive.rows("SELECT text FROM errors") == []
    given = said["hookSpecificOutput"]["updatedInput"]
    if proven:
        after = {**call, "hook_event_name": "PostToolUse", "tool_input": given}
        drive.send(after, tool_response={"success": True, "resumedAgentId": agent})
    return str(given.get("message", ""))


def standing(drive: Drive, label: str = "bg-1") -> list[tuple[str, str]]:
    book = drive.ledger()
    try:
        return [(one.qid, delegations.standing(book, one)) for one in delegations.find(book, label=label)]
    finally:
        book.close()


def awaited(drive: Drive, label: str = "bg-1") -> list[tuple[str, ...]]:
    book = drive.ledger()
    try:
        return [tuple(each) for each in cases.case(book, label).awaited]
    finally:
        book.close()


@pytest.mark.parametrize(
    ("independence", "then"), [(BLOCKING, "blocked"), (PARALLEL, "delegating"), (OPTIONAL, "delegating")]
)
def test_a_request_ends_a_run_where_it_stands_at_its_end(drive, independence, then):
    assert "asks to hand work to another agent" in asks(drive, independence)
    assert (drive.state("bg-1"), awaited(drive)) == (then, [("decision", "D1", "", "asked")])
    assert "D1" in drive.prompt("/bg-status")["reason"]


@pytest.mark.parametrize("independence", [PARALLEL, OPTIONAL])
def test_one_that_need_not_wait_is_resumed_at_once_with_the_decision(drive, independence):
    asks(drive, independence)
    drive.stop()
    said = context(drive.prompt("/bg-answer bg-1 D1: approve, but only src/a"))
    assert f"{ORDER}bg-2 for the delegated task" in said
    assert "The user's answers for bg-1 are recorded. Resume it now" in said
    drive.launch("Profile it", "a2", description="bg-2: profile")
    message = wake(drive, proven=True)
    assert message.startswith("## DELEGATION APPROVED\n\nNew agent launched: bg-2\n")
    assert "The user's words: approve, but only src/a" in message
    assert "> This agent: goes on with the error messages" in message
    assert "When to expect it: “1-2 hours” by your own estimate. Do not wait for bg-2" in message
    assert (drive.state("bg-1"), awaited(drive)) == ("working", [])


def test_denied_it_is_resumed_at_once_too(drive):
    asks(drive, PARALLEL)
    drive.stop()
    assert "Resume it now" in context(drive.prompt("/bg-answer bg-1 D1: no, use the old one"))
    assert wake(drive).startswith(
        "## DELEGATION DENIED\n\nReason (the user's words): no, use the old one\nAlternative: "
    )


def test_two_requests_of_one_run_have_ids_lines_and_agents_of_their_own(drive):
    token = begin(drive)
    first = block("DELEGATE_WORK", token, independence=BLOCKING, new_task_description="Profile the parser")
    second = block("DELEGATE_WORK", token, independence=BLOCKING, new_task_description="Write the fixtures")
    drive.ends("a1", f"{first}\n\n{second}")
    told = context(drive.announced("a1"))
    assert "`/bg-answer bg-1 D1: approve`" in told
    assert "`/bg-answer bg-1 D2: approve`" in told
    drive.stop()
    drive.prompt("/bg-answer bg-1 D1: approve D2: approve")
    # Without a label each launch takes the window whose work it resembles.
    one = drive.launch("Please write the fixtures now", "b2", description="write fixtures")
    two = drive.launch("Profile the parser thoroughly", "b1", description="profile")
    drive.stop()
    children = {row["qid"]: row["worker"] for row in drive.rows("SELECT qid, worker FROM delegations")}
    assert children == {"D1": "bg-2", "D2": "bg-3"}
    assert (str(one)[:4], str(two)[:4]) == ("bg-3", "bg-2")
    drive.ends("b1", block("COMPLETION_REPORT", two, status="success", summary="Profiled."))
    told = context(drive.announced("b1"))
    assert "bg-1 asked for this agent, and waits for bg-3, which works before it can go on" in told
    drive.stop()
    drive.ends("b2", block("COMPLETION_REPORT", one, status="success", summary="Fixtures are there."))
    assert "bg-1 has waited for this. Resume it now" in context(drive.announced("b2"))
    message = wake(drive)
    assert "New agent launched: bg-2" in message
    assert "New agent launched: bg-3" in message
    assert "> Profiled." in message
    assert "> Fixtures are there." in message


def test_requests_of_every_text_of_a_run_count(drive):
    """The text that was put right says no more of the request; it was said all the same, once."""
    token = begin(drive)
    asked = block("DELEGATE_WORK", token, independence=PARALLEL, new_task_description="Write the fixtures")
    said = drive.ends(
        "a1",
        f"{asked}\n\n{block('COMPLETION_REPORT', 'bg-1-aaaaaaaaaa')}\n\n[COMPLETION_REPORT]\nagent_id: {token}\nstatus: x\n[/COMPLETION_REPORT]",
    )
    assert said["decision"] == "block"
    again = asked.replace("P1", "P0")
    drive.ends("a1", f"{again}\n\n{block('COMPLETION_REPORT', token, status='success')}", stop_hook_active=True)
    assert [row["qid"] for row in drive.rows("SELECT qid FROM questions")] == ["D1"]
    assert drive.state("bg-1") == "done"
    assert "asks to hand work" in context(drive.announced("a1"))


def test_the_child_is_told_who_asked_what_it_knows_and_what_the_user_said(drive):
    approved(drive, words="approve, but only the  fixtures & `src`")
    prompt = drive.taken["prompt"]
    for words in (
        "## Where this task comes from",
        "Another agent, bg-1 (“audit”), asked for it (D1)",
        "come before anything that agent says: approve, but only the  fixtures & `src`",
        "> - Findings so far: docs/parser-notes.md",
        "> Sync point: both reports before the release notes",
        "It waits for you",
    ):
        assert words in prompt, words
    assert prompt.index("Profile it") < prompt.index("## Where this task comes from") < prompt.rindex("agent_id: bg-2-")


def test_a_child_that_merely_asks_or_stops_wakes_nobody(drive):
    child = approved(drive)
    drive.ends("a2", block("CLARIFICATION_NEEDED", child))
    told = context(drive.announced("a2"))
    assert "needs answers before it can go on" in told
    assert "bg-1 asked for this agent, and waits for bg-2, which waits itself" in told
    assert "Resume it now" not in told
    assert standing(drive) == [("D1", "waiting")]
    assert awaited(drive) == [("agent", "D1", "bg-2", "waiting")]
    drive.stop()
    assert "bg-2 (waiting)" in drive.prompt("/bg-status")["reason"]


ENDS = {
    "done": "bg-2: success",
    "failed": "bg-2: failed",
    "stopped": "bg-2: was stopped by the user",
    "unreported": "bg-2: ended without a signal",
}


@pytest.mark.parametrize("how", ENDS)
def test_the_requester_hears_how_its_agent_ended(drive, how):
    child = approved(drive)
    if how == "stopped":
        told = context(drive.announced("a2", "killed", "Half of it.", "was stopped by user"))
    elif how == "unreported":
        drive.ends("a2", "I am done, I think.")
        drive.ends("a2", "I am done, I think.", stop_hook_active=True)
        told = context(drive.announced("a2"))
    else:
        status = "success" if how == "done" else "failed"
        drive.ends("a2", block("COMPLETION_REPORT", child, status=status, summary="So it went."))
        told = context(drive.announced("a2"))
    assert drive.state("bg-2") == how
    assert standing(drive) == [("D1", "ended")]
    assert "bg-1 has waited for this" in told
    assert ("Let the user choose: a new agent for the same work" in told) == (how != "done")
    message = wake(drive, proven=True)
    assert "## DELEGATED WORK ENDED (D1)" in message
    assert ENDS[how] in message
    assert ("Your choices: do the missing part yourself" in message) == (how != "done")
    said = {"done": "> So it went.", "failed": "> So it went.", "stopped": "> Half of it.", "unreported": "> I am done"}
    assert said[how] in message
    assert drive.rows("SELECT told IS NOT NULL AS told FROM delegations") == [{"told": 1}]
    drive.stop()
    assert "Resume it now" not in context(drive.prompt("And now?"))


@pytest.mark.parametrize("choice", ["none", "/bg-answer bg-2 go", "/bg-answer bg-1 go"])
def test_where_an_agent_broke_the_user_chooses_before_the_requester_is_woken(drive, choice):
    approved(drive)
    told = context(drive.announced("a2", "killed", "Half of it.", "was stopped by user"))
    assert "Let the user choose: a new agent for the same work" in told
    drive.stop()
    said = context(drive.prompt("What is the time?" if choice == "none" else choice))
    assert ("answers for bg-1 are recorded. Resume it now" in said) == (choice == "/bg-answer bg-1 go")
    assert ("The user wants bg-2 to go on" in said) == (choice == "/bg-answer bg-2 go")
    if choice == "/bg-answer bg-1 go":
        drive.stop()
        assert "answers for bg-1 are recorded. Resume it now" in context(drive.prompt("And now?")), (
            "chosen, and not done"
        )


def test_what_became_of_the_agent_that_it_waited_for_stands_in_table_and_list(drive):
    child = approved(drive)
    drive.ends("a2", block("COMPLETION_REPORT", child, status="failed", summary="It broke."))
    assert "waited for bg-2 (failed)" in plain(drive.prompt("/bg-status")["reason"])
    start = {"hook_event_name": "SessionStart", "source": "compact"}
    assert "- bg-1 (“audit”): blocked, has waited for bg-2 (failed); to go on: " in context(drive.send(start))


def test_an_approval_that_nobody_carried_out_is_not_stuck(drive):
    asks(drive)
    drive.stop()
    drive.prompt("/bg-answer bg-1 D1: approve")
    drive.stop()  # the parent forgot
    assert (standing(drive), awaited(drive)) == ([("D1", "approved")], [("launch", "D1", "bg-2", "approved")])
    assert "/bg-answer bg-1 go" in drive.prompt("/bg-status")["reason"]
    drive.stop()
    assert f"{ORDER}bg-2 for the delegated task" in context(drive.prompt("Something else"))
    drive.stop()
    assert f"{ORDER}bg-2 for the delegated task" in context(drive.prompt("/bg-answer bg-1 go"))
    assert drive.launch("Profile it", "a2", description="profile it")
    assert standing(drive) == [("D1", "working")]


def test_go_waits_for_an_agent_that_works_and_goes_on_without_one_that_waits_itself(drive):
    child = approved(drive)
    assert "bg-1 waits for bg-2 and goes on when that has ended" in str(drive.prompt("/bg-answer bg-1 go"))
    drive.ends("a2", block("CLARIFICATION_NEEDED", child))
    drive.announced("a2")
    drive.stop()
    said = drive.prompt("/bg-answer bg-1 go")
    assert "bg-1 goes on without waiting for bg-2" in str(said)
    assert "Resume it now" in context(said)
    message = wake(drive, proven=True)
    assert "## DELEGATION PENDING" in message
    assert "bg-2 still works on it; the user lets you go on meanwhile" in message


def test_go_names_the_decision_that_is_still_open_and_goes_nowhere(drive):
    token = begin(drive)
    first = block("DELEGATE_WORK", token, independence=BLOCKING, new_task_description="Profile the parser")
    second = block("DELEGATE_WORK", token, independence=BLOCKING, new_task_description="Write the fixtures")
    drive.ends("a1", f"{first}\n\n{second}")
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 D1: deny")
    said = str(drive.prompt("/bg-answer bg-1 go"))
    assert "bg-1 D2 waits for your decision" in said
    assert "goes on" not in said


def test_one_that_has_finished_is_not_woken_and_both_ends_are_told_together_once(drive):
    child = approved(drive, PARALLEL)
    token = str(drive.rows("SELECT token FROM launches WHERE label = 'bg-1'")[0]["token"])
    wake(drive, proven=True)
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", summary="Audited."))
    assert "waited" not in context(drive.announced("a1"))
    drive.stop()
    drive.ends("a2", block("COMPLETION_REPORT", child, status="success", summary="Profiled."))
    told = context(drive.announced("a2"))
    assert "Resume" not in told
    assert "bg-1 and what others took over from it (bg-2) have all ended" in told
    assert "> bg-1 (audit): done: Audited." in told
    assert "> bg-2 (profile): done: Profiled." in told
    assert "> Sync point: both reports before the release notes" in told
    drive.stop()
    assert context(drive.prompt("And now?")) == ""


def test_what_is_asked_during_a_run_is_decided_while_it_works(drive):
    token = begin(drive)
    text = block("DELEGATE_WORK", token, independence=PARALLEL)
    message = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "m1", "agent_id": "a1"}
    drive.send({**message, "tool_input": {"to": "main", "message": text}})
    assert "asks to hand work" in context(drive.prompt('<agent-message from="a1">…</agent-message>'))
    drive.stop()
    said = context(drive.prompt("/bg-answer bg-1 D1: approve"))
    assert "bg-1 is recorded, and it works on. Pass it on now: call SendMessage" in said
    child = drive.launch("Profile it", "a2", description="bg-2: profile")
    assert wake(drive, proven=True).startswith("## DELEGATION APPROVED")
    drive.stop()
    drive.ends("a2", block("COMPLETION_REPORT", child, status="success", summary="Profiled."))
    told = context(drive.announced("a2"))
    assert "bg-1, whose work this was, still works. Pass it on now" in told
    assert "> Profiled." in wake(drive, proven=True)


def test_a_decision_that_came_too_late_wakes_nobody(drive):
    token = begin(drive)
    text = block("DELEGATE_WORK", token, independence=PARALLEL)
    drive.ends("a1", f"{text}\n\n{block('COMPLETION_REPORT', token, status='success')}")
    drive.announced("a1")
    drive.stop()
    said = context(drive.prompt("/bg-answer bg-1 D1: approve"))
    assert f"{ORDER}bg-2" in said
    assert "Resume" not in said


def test_links_stand_in_table_detail_export_and_the_list_of_a_session(drive):
    approved(drive)
    detail = drive.prompt("/bg-status bg-2")["reason"]
    assert "asked for by: bg-1 D1" in detail
    assert "D1 working: bg-2 working" in drive.prompt("/bg-status bg-1")["reason"]
    book = drive.ledger()
    try:
        found = [status.record(cases.case(book, task.label)) for task in tasks.every(book)]
    finally:
        book.close()
    assert [each.asked_by for each in found] == ["", "bg-1 D1"]
    assert [(one.id, one.state, one.agents) for one in found[0].delegations] == [
        ("D1", "working", [status.Worker("bg-2", "working")])
    ]
    printed = json.loads(json.dumps(status.to_json(found[0])))
    assert printed["awaits"] == [{"kind": "agent", "qid": "D1", "label": "bg-2", "standing": "working"}]
    assert printed["delegations"][0]["agents"] == [{"label": "bg-2", "state": "working"}]


def test_a_decision_stands_once_its_agent_is_there(drive):
    approved(drive)
    said = drive.prompt("/bg-answer bg-1 D1: deny")
    assert "bg-1 D1: bg-2 has been launched for it already; not recorded: deny" in str(said)
    assert drive.rows("SELECT state FROM delegations") == [{"state": "launched"}]


def capped(drive: Drive, most: Optional[int] = 1) -> None:
    folder = drive.folder / ".claude"
    folder.mkdir(exist_ok=True)
    (folder / "bg.json").write_text(json.dumps({"max_tasks": most}))


def test_what_the_cap_has_no_room_for_waits_and_is_launched_when_there_is_some(drive):
    asks(drive)
    drive.stop()
    drive.prompt("/bg Other work")
    other = drive.launch("Other", "o1")
    drive.stop()
    capped(drive)
    said = drive.prompt("/bg-answer bg-1 D1: approve")
    assert "bg-1 D1: approved (it is launched as soon as there is room: bg-2 work already" in str(said)
    assert f"{ORDER}bg-3" not in context(said)
    drive.stop()
    drive.ends("o1", block("COMPLETION_REPORT", other, status="success"))
    assert f"{ORDER}bg-3 for the delegated task" in context(drive.announced("o1"))
    assert drive.launch("Profile", "a3", description="bg-3: profile")
    assert standing(drive) == [("D1", "working")]


def test_nothing_is_offered_that_the_cap_would_refuse(drive):
    drive.prompt("/bg Other work")
    other = drive.launch("Other", "o1")
    drive.stop()
    capped(drive)
    capped(drive, 2)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    capped(drive)
    drive.ends("a1", block("DELEGATE_WORK", token, independence=BLOCKING))
    said = drive.announced("a1")
    assert "It cannot be put to the user now: bg-1 work already, and bg.json allows 1 at once" in context(said)
    assert "approve" not in str(said).lower()
    drive.stop()
    assert "approve" not in drive.prompt("/bg-status")["reason"]
    drive.stop()
    drive.ends("o1", block("COMPLETION_REPORT", other, status="success"))
    assert "There is room for another agent now: bg-2 D1 can be put to the user" in context(drive.announced("o1"))
    drive.stop()
    assert "/bg-answer bg-2 D1: approve" in drive.prompt("/bg-status")["reason"]


def test_what_the_ledger_knows_of_a_request_is_told(drive):
    wanted = "Refactor src/auth/login.py to the provider pattern, with its tests"
    drive.prompt(f"/bg {wanted}")
    drive.launch(f"{wanted}\nGoal: one pattern", "o1", description="bg-1: refactor")
    drive.stop()
    drive.prompt("/bg Audit")
    token = drive.launch("Audit src/auth", "a1")
    drive.stop()
    drive.ends("a1", block("DELEGATE_WORK", token, independence=PARALLEL, new_task_description=wanted))
    told = context(drive.announced("a1"))
    for words in (
        "- Resources: bg-1 work now; no limit is set.",
        "- Justified? bg-1 (working) has nearly the same task.",
        "- Independent? bg-1 has the same paths in its task: src/auth/login.py.",
        "- Independent? bg-2 has the same paths in its task: src/auth/login.py.",
    ):
        assert words in told, words
    assert "Depth:" not in told


def test_the_depth_of_an_agent_that_was_asked_for_is_told(drive):
    child = approved(drive)
    drive.ends("a2", block("DELEGATE_WORK", child, independence=BLOCKING, new_task_description="Measure it"))
    told = context(drive.announced("a2"))
    assert "Depth: bg-2 was itself asked for by bg-1; this would be the agent of depth 2." in told
    assert "Well defined? It is described in a few words." in told
    assert "has waited for this" not in told
    drive.stop()
    assert "label: bg-3 for the delegated task" in context(drive.prompt("/bg-answer bg-2 D1: approve"))
    grandchild = drive.launch("Measure", "a3", description="bg-3: measure")
    drive.stop()
    drive.ends("a3", block("COMPLETION_REPORT", grandchild, status="success"))
    told = context(drive.announced("a3"))
    assert "bg-2 has waited for this. Resume it now" in told
    assert "bg-1 has waited" not in told
