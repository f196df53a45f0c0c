"""Each recovery of the table makes good what was lost in its recorded scene, and without its row it stays lost."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Callable

import pytest
from bg import durations, machine
from bg.ledger import cases, place
from bg.loop import reconciling, reports
from drive import Drive, block, context
from hosts import HERE, OTHER, gone
from queueing import Asking
from recordings import VERSIONS, recorded

NEWEST = VERSIONS[-1]


def asking(drive: Drive) -> str:
    """An agent has asked, and the user has answered."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.prompt("/bg-answer Q1: one Q2: two")
    return str(token)


def the_folder_of_a_project(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.folder = drive.folder / "before"
    (drive.folder / ".git").mkdir(parents=True)
    (drive.folder / ".git" / "description").write_text("Unnamed\n")
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.folder = drive.folder.rename(drive.folder.with_name("after"))
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="resume")
    return drive.rows("SELECT project FROM tasks") == [{"project": str(drive.folder)}]


def a_session_that_has_moved(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(machine, "host", lambda: OTHER)
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.stop()
    drive.moves("another", "a1")
    monkeypatch.setattr(machine, "host", lambda: HERE)
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="fork")
    return drive.rows("SELECT session, state FROM tasks") == [{"session": "another", "state": "working"}]


def a_session_that_is_gone(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(machine, "host", gone)
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.stop()
    monkeypatch.setattr(machine, "host", lambda: HERE)
    drive.session, drive.transcript = "another", drive.transcript.with_name("another.jsonl")
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="startup")
    return drive.state() == "interrupted"


def the_launch_of_an_agent(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    before = recorded(drive.version, "background", "PreToolUse", drive.spawn)
    said = drive.send(before, tool_use_id="t1", tool_input={**before["tool_input"], "prompt": "Audit"})
    given = said["hookSpecificOutput"]["updatedInput"]["prompt"]
    path = drive.transcript_of("a1", "I begin.")
    path.write_text(json.dumps({"type": "user", "message": {"content": given}}) + "\n")
    drive.prompt("hello")
    return drive.rows("SELECT agent FROM launches") == [{"agent": "a1"}]


def launched_by(drive: Drive) -> str:
    """A call that launches an agent of ours, of which nothing more is heard."""
    drive.prompt("/bg Audit")
    before = recorded(drive.version, "background", "PreToolUse", drive.spawn)
    drive.send(before, tool_use_id="t1", tool_input={**before["tool_input"], "prompt": "Audit"})
    return "t1"


def the_identity_of_an_agent(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(durations, "GRACE", -1.0)
    call = launched_by(drive)
    after = recorded(drive.version, "background", "PostToolUse", drive.spawn)
    drive.send(after, tool_use_id=call, tool_input={**after["tool_input"], "prompt": "Audit, but briefly"})
    return "without its identity" in drive.prompt("hello").get("systemMessage", "")


def the_refusal_of_a_launch(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    result = {"type": "tool_result", "tool_use_id": launched_by(drive), "content": "Not now.", "is_error": True}
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"role": "user", "content": [result]}}) + "\n")
    drive.stop()
    return drive.rows("SELECT failed FROM launches") == [{"failed": "Not now."}]


def a_notification_in_mid_turn(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    words = (
        f"<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<summary>Agent finished</summary>\n"
        f"<result>{block('COMPLETION_REPORT', token, status='success')}</result>\n</task-notification>"
    )
    line = {"type": "attachment", "attachment": {"type": "queued_command", "prompt": words}}
    with drive.transcript.open("a") as file:
        file.write(json.dumps(line) + "\n")
    drive.stop()
    return drive.state() == "done"


def the_end_of_an_agent_on_a_host_without_a_list(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    drive.transcript_of("a1", block("COMPLETION_REPORT", drive.launch("Audit", "a1"), status="success"))
    monkeypatch.setattr(durations, "SILENCE", -1.0)
    drive.prompt("hello")
    return drive.state() == "done"


def a_signal_between_two_calls(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.transcript_of("a1", block("DELEGATE_WORK", token, independence="can_proceed_parallel"))
    drive.prompt("hello")
    return drive.rows("SELECT marker FROM signals") == [{"marker": "DELEGATE_WORK"}]


def the_judgement_of_a_report(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(durations, "GRACE", 0.0)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    with contextlib.closing(drive.ledger()) as book:
        reports.keep(
            cases.case(book, "bg-1"),
            cases.agent(book, "a1"),
            "SubagentStop",
            block("COMPLETION_REPORT", token, status="success"),
        )
    drive.stop()
    return drive.state() == "done"


def the_end_of_an_agent_that_is_not_listed(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setattr(durations, "GRACE", -1.0)
    drive.prompt("/bg Audit")
    drive.transcript_of("a1", block("COMPLETION_REPORT", drive.launch("Audit", "a1"), status="success"))
    drive.stop(background_tasks=[])
    return drive.state() == "done"


def the_waking_of_a_parked_agent(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Build")
    drive.launch("Build", "a1")
    path = drive.transcript_of("a1", "I begin.")
    result = {"type": "tool_result", "content": "Command running in background with ID: b1."}
    with path.open("a") as file:
        file.write(json.dumps({"type": "user", "message": {"content": [result]}}) + "\n")
    drive.ends("a1", "The build runs.", background_tasks=[{"id": "b1", "type": "shell"}])
    word = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "queue-operation", "operation": "enqueue", "content": word}) + "\n")
    return "Wake it now" in context(drive.prompt("hello"))


def an_answer_that_was_queued(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    case = Asking(drive, "Message queued for delivery to a1 at its next tool round.")
    drive.ends("a1", block("COMPLETION_REPORT", case.token, status="success"))
    drive.stop()
    return case.answers() == [(False, False)]


def the_sending_of_an_answer(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    asking(drive)
    drive.stop()
    return "bg-1" in context(drive.prompt("And now something else."))


def the_launch_of_an_agent_that_was_approved(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    drive.ends("a1", block("DELEGATE_WORK", drive.launch("Audit", "a1"), independence="blocks_current_work"))
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 D1: approve")
    drive.stop()
    return "Launch this now" in context(drive.prompt("And now something else."))


def a_reminder_that_was_dropped(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    drive.ends("a1", block("COMPLETION_REPORT", drive.launch("Audit", "a1"), status="success"))
    drive.writes = False
    told = context(drive.announced("a1"))
    again = context(drive.send(recorded(drive.version, "sessions", "SessionStart"), source="resume"))
    return "reports success" in told and "reports success" in again


def the_ledger(drive: Drive, _: pytest.MonkeyPatch) -> bool:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    use = {"type": "tool_use", "id": "t1", "name": drive.spawn, "input": {"prompt": "Audit"}}
    with drive.transcript.open("a") as file:
        file.write(json.dumps({"type": "assistant", "message": {"content": [use]}}) + "\n")
    path = drive.transcript_of("a1", "")
    path.write_text(json.dumps({"type": "user", "message": {"content": drive.taken["prompt"]}}) + "\n")
    for ledger in Path(place.directory()).glob("ledger.db*"):
        ledger.unlink()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    return drive.rows("SELECT state FROM tasks") == [{"state": "done"}]


SCENES: dict[str, tuple[str, Callable[[Drive, pytest.MonkeyPatch], bool]]] = {
    "the ledger": (NEWEST, the_ledger),
    "the folder of a project": (NEWEST, the_folder_of_a_project),
    "a session that has moved": (NEWEST, a_session_that_has_moved),
    "a session that is gone": (NEWEST, a_session_that_is_gone),
    "the launch of an agent": (NEWEST, the_launch_of_an_agent),
    "the identity of an agent": (NEWEST, the_identity_of_an_agent),
    "the refusal of a launch": (NEWEST, the_refusal_of_a_launch),
    "a notification in mid-turn": ("2.1.197", a_notification_in_mid_turn),
    "the end of an agent on a host without a list": ("2.1.7", the_end_of_an_agent_on_a_host_without_a_list),
    "a signal between two calls": ("2.1.100", a_signal_between_two_calls),
    "the judgement of a report": (NEWEST, the_judgement_of_a_report),
    "the end of an agent that is not listed": (NEWEST, the_end_of_an_agent_that_is_not_listed),
    "the waking of a parked agent": ("2.1.197", the_waking_of_a_parked_agent),
    "an answer that was queued for an agent": ("2.1.258", an_answer_that_was_queued),
    "the sending of an answer": (NEWEST, the_sending_of_an_answer),
    "the launch of an agent that was approved": (NEWEST, the_launch_of_an_agent_that_was_approved),
    "a reminder that was dropped on its way": (NEWEST, a_reminder_that_was_dropped),
}


def test_every_recovery_has_its_scene():
    assert list(SCENES) == [row.lost for row in reconciling.RECOVERIES]


@pytest.mark.parametrize("lost", SCENES)
@pytest.mark.parametrize("is_there", [True, False], ids=["with its row", "without it"])
def test_what_was_lost_is_made_good_by_its_row_alone(lost, is_there, tmp_path, monkeypatch):
    rows = tuple(row for row in reconciling.RECOVERIES if is_there or row.lost != lost)
    monkeypatch.setattr(reconciling, "RECOVERIES", rows)
    version, scene = SCENES[lost]
    assert scene(Drive(version, tmp_path), monkeypatch) == is_there
