"""Which process has a session: a hook that is called by hand does not make it look as if its process were gone."""

from __future__ import annotations

import os

import pytest
from bg import machine
from drive import Drive
from recordings import recorded


def noted(drive: Drive) -> int:
    [row] = drive.rows("SELECT pid FROM sessions WHERE id = ?", drive.session)
    return row["pid"]


def begins(drive: Drive) -> None:
    drive.send({**recorded(drive.version, "question", "SessionStart"), "source": "resume"})


@pytest.mark.parametrize("event", ["prompt", "begin"])
def test_what_an_agent_calls_by_hand_takes_no_session(drive, monkeypatch, processes, event):
    """It runs below the process that has the session, whatever it calls itself."""
    monkeypatch.setenv("BG_HOST_PID", str(os.getppid()))
    drive.prompt("/bg Audit")
    host = noted(drive)  # past the shells that the tests may have been started from
    assert host in {each.pid for each in machine.above()}
    monkeypatch.setenv("BG_HOST_PID", processes())
    drive.prompt("/bg-status") if event == "prompt" else begins(drive)
    assert noted(drive) == host


def test_what_has_left_the_sessions_processes_takes_it_by_no_prompt(drive, monkeypatch, processes):
    first, other = processes(), processes()
    monkeypatch.setenv("BG_HOST_PID", first)
    drive.prompt("/bg Audit")
    monkeypatch.setenv("BG_HOST_PID", other)
    drive.prompt("/bg-status")
    assert noted(drive) == int(first)


def test_another_client_that_resumes_a_session_that_had_moved_has_it(drive, monkeypatch, processes):
    """The first one lives on, and only shows the session that goes on with it."""
    first, other = processes(), processes()
    monkeypatch.setenv("BG_HOST_PID", first)
    drive.prompt("/bg Audit")
    drive.continued(drive.transcript, "99999999-aaaa-4bbb-8ccc-000000000001")
    monkeypatch.setenv("BG_HOST_PID", other)
    begins(drive)
    assert noted(drive) == int(other)


def test_a_session_whose_process_is_gone_goes_on_in_the_next(drive, monkeypatch, processes):
    monkeypatch.setenv("BG_HOST_PID", "4194303")
    drive.prompt("/bg Audit")
    other = processes()
    monkeypatch.setenv("BG_HOST_PID", other)
    drive.prompt("/bg-status")
    assert noted(drive) == int(other)
