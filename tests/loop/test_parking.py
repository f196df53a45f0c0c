"""An agent that ends its turn while its own background command runs works on: nothing is asked of it, nothing is told."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from bg.host import arrivals
from bg.ledger.place import directory
from drive import Drive, block, context
from recordings import recorded, since

MODERN = since("2.1.197")
LEAVES = "2.1.197"  # the others wake it
SHELL = "bc2b8g695"


@pytest.fixture(params=MODERN)
def drive(request: pytest.FixtureRequest, tmp_path: Path) -> Drive:
    return building(request.param, tmp_path)


@pytest.fixture
def left(tmp_path: Path) -> Drive:
    return building(LEAVES, tmp_path)


def building(version: str, tmp_path: Path) -> Drive:
    """An agent works that has started a command of its own."""
    made = Drive(version, tmp_path)
    made.scene = "parked"
    made.prompt("/bg Build it")
    token = made.launch("Build it.", "a1")
    assert token
    made.token = token  # type: ignore[attr-defined]
    path = made.transcript_of("a1", "I begin.")
    result = {"type": "tool_result", "tool_use_id": "t9", "content": f"Command running in background with ID: {SHELL}."}
    write(path, {"type": "user", "message": {"role": "user", "content": [result]}})
    return made


def write(path: Path, record: dict[str, Any]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(record) + "\n")


def listed(*ids: str) -> list[dict[str, Any]]:
    """What the host says of what runs: this agent, and these commands."""
    return [{"id": "a1", "type": "subagent", "status": "running"}, *commands(*ids)]


def commands(*ids: str) -> list[dict[str, Any]]:
    return [{"id": each, "type": "shell", "status": "running"} for each in ids]


def parks(drive: Drive, words: str = "The build runs; I wait for it.") -> dict[str, Any]:
    return drive.ends("a1", words, background_tasks=listed(SHELL))


def state(drive: Drive) -> tuple[str, str]:
    [row] = drive.rows("SELECT state, note FROM tasks")
    return row["state"], row["note"]


def queued(drive: Drive, operation: str) -> None:
    """The host notes that the command has ended."""
    words = f"<task-notification>\n<task-id>{SHELL}</task-id>\n<status>completed</status>\n</task-notification>"
    write(drive.transcript, {"type": "queue-operation", "operation": operation, "content": words})


def woken(drive: Drive) -> None:
    """The host wakes the agent with that."""
    drive.send(recorded(drive.version, "background", "SubagentStart"), agent_id="a1")


def test_a_parked_agent_is_asked_for_nothing_and_nothing_is_told(drive: Drive) -> None:
    assert parks(drive) == {}
    assert state(drive) == ("working", "waits for its own command")
    said = drive.announced("a1", result="The build runs; I wait for it.")
    assert "bg-1 has not ended" in context(said)
    assert "systemMessage" not in said
    assert drive.stop(background_tasks=commands(SHELL)) == {}
    assert drive.rows("SELECT * FROM deliveries") == []
    assert state(drive) == ("working", "waits for its own command")


def test_an_agent_parks_whose_calls_are_written_down_after_the_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """2.1.327 keeps the end of a turn that was quick in its memory until the hook has begun."""
    drive = building("2.1.327", tmp_path)
    words = "The build runs; I wait for it."
    path = drive.transcript_of("a1", words)
    late = path.read_text()
    path.write_text("")
    monkeypatch.setattr(arrivals.time, "sleep", lambda _seconds: path.write_text(late))
    event = recorded(drive.version, drive.scene, "SubagentStop")
    event.update(agent_id="a1", agent_transcript_path=str(path), last_assistant_message=words)
    drive.send(event, background_tasks=listed(SHELL))
    assert state(drive) == ("working", "waits for its own command")


def test_the_hosts_own_word_of_waiting_is_enough(drive: Drive) -> None:
    parks(drive)
    said = drive.announced("a1", summary="is waiting on its own background work")
    assert context(said) == ""
    assert state(drive)[0] == "working"


def test_the_table_says_what_it_waits_for(drive: Drive) -> None:
    parks(drive)
    page = drive.prompt("/bg-status")
    assert "waits for its own command" in " ".join(str(page).split())


def test_its_report_ends_the_run_when_it_has_been_woken(drive: Drive) -> None:
    parks(drive)
    drive.announced("a1")
    queued(drive, "enqueue")
    queued(drive, "remove")
    woken(drive)
    assert state(drive) == ("working", "")
    said = drive.ends("a1", block("COMPLETION_REPORT", drive.token, status="success"), background_tasks=listed())
    assert said == {}
    assert state(drive)[0] == "done"
    assert "reports success" in context(drive.announced("a1"))
    assert [row["run"] for row in drive.rows("SELECT run FROM runs")] == [1]


def test_a_signal_ends_the_run_whatever_still_runs(drive: Drive) -> None:
    """It may have left a server up on purpose."""
    parks(drive, block("COMPLETION_REPORT", drive.token, status="success"))
    assert state(drive)[0] == "done"


def test_a_block_that_cannot_be_read_is_corrected_whatever_still_runs(drive: Drive) -> None:
    said = parks(drive, f"[COMPLETION_REPORT]\nagent_id: {drive.token}\nstatus: splendid\n[/COMPLETION_REPORT]")
    assert said["decision"] == "block"


def test_the_commands_of_others_park_nobody(drive: Drive) -> None:
    said = drive.ends("a1", "Done.", background_tasks=listed("bsomebody"))
    assert said["decision"] == "block"


def test_an_agent_that_is_woken_without_its_report_is_asked_for_it(drive: Drive) -> None:
    parks(drive)
    woken(drive)
    assert drive.ends("a1", "Built.", background_tasks=listed())["decision"] == "block"


def test_the_word_of_a_stop_ends_the_run(drive: Drive) -> None:
    parks(drive)
    drive.announced("a1", "killed", "", "was stopped by user")
    assert state(drive)[0] == "stopped"


def test_an_agent_that_the_host_leaves_is_woken_by_its_parent(left: Drive) -> None:
    """As 2.1.197 does with every one: the end of its command is queued, and handed to nobody."""
    parks(left)
    left.announced("a1")
    left.stop(background_tasks=commands(SHELL))
    queued(left, "enqueue")
    asked = context(left.prompt("How far is it?"))
    assert "Wake it now, and say that its command has ended" in asked
    assert '"a1"' in asked
    call = recorded(left.version, "resume", "PreToolUse", "SendMessage")
    sent = {**call["tool_input"], "to": "a1", "message": "Your command has ended."}
    left.send(call, tool_use_id="s1", tool_input=sent)
    after = recorded(left.version, "resume", "PostToolUse", "SendMessage")
    response = json.loads(json.dumps(after["tool_response"]).replace(_resumed(after), "a1"))
    left.send(after, tool_use_id="s1", tool_input=sent, tool_response=response)
    woken(left)
    left.stop(background_tasks=listed())
    left.ends("a1", block("COMPLETION_REPORT", left.token, status="success"), background_tasks=listed())
    assert state(left)[0] == "done"
    assert [row["run"] for row in left.rows("SELECT run FROM runs")] == [1]
    assert left.rows("SELECT * FROM errors") == []


def _resumed(payload: dict[str, Any]) -> str:
    """The agent that the recorded call has woken."""
    return str(payload["tool_input"]["to"])


def test_it_is_asked_three_times_and_then_counts_as_ended(left: Drive) -> None:
    parks(left)
    queued(left, "enqueue")
    for _ in range(3):
        assert "Wake it now" in context(left.prompt("How far is it?"))
        left.stop(background_tasks=[])
    said = left.prompt("And now?")
    assert "Wake it now" not in context(said)
    assert state(left)[0] == "unreported"
    assert "bg-1" in said["systemMessage"]


def test_what_is_asked_for_waking_is_dropped_where_the_host_has_woken_it(left: Drive) -> None:
    parks(left)
    queued(left, "enqueue")
    left.writes = False
    left.prompt("How far is it?")
    left.writes = True
    path = left.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    write(path, {"type": "user", "message": {"content": f"<task-notification>\n<task-id>{SHELL}</task-id>"}})
    assert "Wake it now" not in context(left.prompt("And now?"))


@pytest.mark.parametrize("version", MODERN[1:])
def test_a_host_that_wakes_it_is_given_the_time(version: str, tmp_path: Path) -> None:
    """It notes the command's end, and a moment later that it has told the agent."""
    drive = building(version, tmp_path)
    parks(drive)
    queued(drive, "enqueue")
    assert context(drive.prompt("How far is it?")) == ""
    assert drive.stop(background_tasks=[]) == {}
    assert state(drive)[0] == "working"


def test_no_ledger_of_before_is_needed(drive: Drive) -> None:
    """A plugin that knows nothing of parking has begun the run."""
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE runs SET parked = NULL")
    book.close()
    assert parks(drive) == {}
    assert Path(directory()).is_dir()
