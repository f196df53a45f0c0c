"""A call of an agent that the host asks its user about: shown as needing the user while the host says that it asks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from bg.desk import statusline
from bg.desk.page import Page
from bg.host import activity
from bg.ledger import notes, place, sessions
from drive import Drive, block, plain, stamp
from recordings import VERSIONS, recorded

SHOWS = [version for version in VERSIONS if version not in ("2.1.7", "2.1.38", "2.1.100")]
ROW = "waits for your permission: “rm -rf build”"


@pytest.fixture(params=SHOWS)
def drive(request, tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    drive = Drive(request.param, tmp_path)
    drive.prompt("/bg:bg Audit two things")
    drive.tokens = [drive.launch(f"Part {number}.", f"a{number}", f"bg-1: part {number}") for number in (1, 2)]
    return drive


def calls(drive: Drive, agent: str, command: str = "rm -rf build") -> Path:
    """The agent makes a call that does not come back."""
    path = drive.transcript_of(agent, "I begin.") if agent else drive.transcript
    use = {"type": "tool_use", "id": f"t{command}", "name": "Bash", "input": {"command": command}}
    line = {"type": "assistant", "timestamp": stamp(drive.clock() - 130), "message": {"content": [use]}}
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    return path


def asks(drive: Drive, agent: str, command: str = "rm -rf build") -> dict[str, Any]:
    """The host hands the call to the hooks before it asks; a call of the parent has no agent."""
    calls(drive, agent, command)
    payload = recorded(drive.version, "permission", "PermissionRequest", "Bash")
    if not agent:
        payload = {key: value for key, value in payload.items() if not key.startswith("agent_")}
    return drive.send(payload, tool_input={"command": command}, **({"agent_id": agent} if agent else {}))


def host_notes(drive: Drive, **values: str) -> None:
    """What the host keeps of its session and shows to others."""
    [process] = drive.rows("SELECT pid FROM sessions")
    folder = Path(place.config_directory()) / "sessions"
    folder.mkdir(exist_ok=True)
    (folder / f"{process['pid']}.json").write_text(json.dumps({"sessionId": drive.session, **values}))


def table(drive: Drive) -> str:
    return plain(drive.prompt("/bg-status")["reason"])


def line(drive: Drive) -> str:
    return statusline.segment(str(drive.folder), Page())


def test_it_needs_the_user_until_it_is_answered(drive):
    assert asks(drive, "a1") == {}
    assert "Needs you" not in table(drive), "the host has not said that it asks"
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    assert re.search("Needs you 1 bg-1 [0-9]s waits for your permission part 1 “rm -rf build” Working 1", table(drive))
    assert line(drive).endswith(f" · bg-1 {ROW}")
    host_notes(drive, status="busy")
    assert "Needs you" not in table(drive)
    assert "working · “rm -rf build” (2m) · 1 call" in table(drive)
    assert "permission" not in line(drive)


@pytest.mark.parametrize("other", ["a2", ""])
def test_of_two_calls_that_it_has_asked_about_one_may_run_already(drive, other):
    asks(drive, "a1")
    asks(drive, other, "make clean")
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    assert "asked for your permission part 1 “rm -rf build”" in table(drive)
    assert ("asked for your permission part 2 “make clean”" in table(drive)) == bool(other)
    assert "waits for" not in table(drive)


def test_a_call_of_a_tool_that_has_steps_of_its_own_counts_as_well(drive):
    """The call of the agent may run by now: what the terminal asks about may be that of the parent."""
    asks(drive, "a1")
    payload = {**recorded(drive.version, "permission", "PermissionRequest", "Bash"), "tool_name": "Skill"}
    given = {"skill": "deploy"}
    drive.send({key: value for key, value in payload.items() if not key.startswith("agent_")}, tool_input=given)
    use = {"type": "tool_use", "id": "t2", "name": "Skill", "input": given}
    line = {"type": "assistant", "timestamp": stamp(drive.clock()), "message": {"content": [use]}}
    with drive.transcript.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    assert "asked for your permission part 1 “rm -rf build”" in table(drive)
    assert "waits for" not in table(drive)


@pytest.mark.parametrize(
    "values",
    [
        {"status": "waiting", "waitingFor": "input needed"},
        {"status": "waiting", "waitingFor": "permission prompt", "sessionId": "another"},
        {"status": "waiting"},
        {},
    ],
)
def test_what_the_host_does_not_say_is_not_shown(drive, values):
    asks(drive, "a1")
    host_notes(drive, **values)
    assert "permission" not in table(drive)


def test_a_call_that_it_has_not_asked_about_is_only_under_way(drive):
    calls(drive, "a1")
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    assert "permission" not in table(drive)


def test_nothing_is_kept_of_an_agent_that_is_not_ours(drive):
    asks(drive, "stranger")
    assert drive.rows("SELECT key FROM meta WHERE key LIKE 'leave:%'") == []


def test_of_many_that_ask_each_transcript_is_not_read_for_each(drive, monkeypatch):
    agents = [f"a{number}" for number in range(1, 13)]
    for agent in agents[2:]:
        drive.launch("Part.", agent, f"bg-1: part {agent}")
    for agent in agents:
        asks(drive, agent, f"rm -rf {agent}")
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    read: list[str] = []
    seen = activity.seen
    monkeypatch.setattr(activity, "seen", lambda path: read.append(path) or seen(path))
    assert line(drive) == "bg: 12 ask"
    assert len(read) <= 3 * len(agents)


def test_it_goes_with_a_session_that_goes_on_as_another(drive):
    asks(drive, "a1")
    book = drive.ledger()
    [noted] = notes.asked_leave(book, drive.session)
    with book.transaction() as writing:
        sessions.continue_in(writing, drive.session, "s-next")
    assert [noted] == notes.asked_leave(book, "s-next")
    assert [{"key": "leave:s-next"}] == [
        dict(row) for row in drive.rows("SELECT key FROM meta WHERE key LIKE 'leave:%'")
    ]


def test_it_is_forgotten_with_the_run_and_with_the_session(drive):
    asks(drive, "a1")
    host_notes(drive, status="waiting", waitingFor="permission prompt")
    drive.ends("a1", block("COMPLETION_REPORT", drive.tokens[0]))
    assert "permission" not in table(drive)
    drive.send(recorded(drive.version, "background", "SessionEnd"))
    assert drive.rows("SELECT key FROM meta WHERE key LIKE 'leave:%'") == []
