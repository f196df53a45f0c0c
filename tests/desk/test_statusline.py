"""The statusline segment: few words, from every ledger, fast, silent where nothing goes on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import statusline
from bg.desk.page import Page
from bg.ledger import place
from drive import Drive, block
from recordings import NEWEST

BGCTL = Path(__file__).resolve().parents[2] / "scripts" / "bgctl"


def shown(drive: Drive, project: str = "", **values) -> str:
    path = Path(place.config_directory()) / "bg.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))
    return statusline.segment(project or str(drive.folder), Page())


@pytest.fixture
def drive(tmp_path):
    return Drive(NEWEST, tmp_path)


def test_nothing_where_nothing_goes_on(drive):
    assert shown(drive) == ""
    drive.prompt("/bg:bg Audit")
    assert shown(drive) == ""


def test_what_works_what_asks_and_for_whom(drive):
    drive.prompt("/bg:bg Audit three things")
    tokens = [drive.launch(f"Part {number}", f"a{number}", description=f"bg-1: part {number}") for number in (1, 2, 3)]
    drive.stop()
    assert shown(drive) == "bg: 3 working"
    drive.ends("a1", block("CLARIFICATION_NEEDED", tokens[0]))
    assert shown(drive) == "bg: 2 working · 1 asks"
    assert shown(drive, statusline="off") == ""
    assert shown(drive, project="/elsewhere") == ""
    assert shown(drive, statusline="all") == "bg: 2 working · 1 asks"
    for number in (1, 2):
        drive.ends(f"a{number + 1}", block("COMPLETION_REPORT", tokens[number], deliverables="none"))
    drive.prompt("/bg-answer bg-1 Q1: CSV Q2: no")
    assert shown(drive) == ""


def test_the_command_reads_the_hosts_json_and_imports_nothing_heavy(drive):
    """As the host runs it: a process of its own, with the project in its input."""
    drive.prompt("/bg:bg Audit")
    drive.launch("Audit.", "a1")
    for given, out in (
        ({"workspace": {"project_dir": str(drive.folder)}}, "bg: 1 working\n"),
        ({"cwd": str(drive.folder)}, "bg: 1 working\n"),
        ({"cwd": "/elsewhere"}, ""),
    ):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", str(BGCTL), "statusline"],
            input=json.dumps(given),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "NO_COLOR": "1"},
        )
        assert done.stdout == out
        imported = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines()}
        assert not imported & {"yaml", "jsonschema"}


@pytest.mark.parametrize("given", ["", "no json", "[]", '{"workspace": 3, "cwd": null}', '{"cwd": "a\\u0000b"}'])
def test_input_that_is_none_does_no_harm(given):
    done = subprocess.run(
        [sys.executable, str(BGCTL), "statusline"], input=given, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("", "")


def test_claude_code_gets_it_in_colour_and_another_program_does_not(drive, monkeypatch):
    drive.prompt("/bg:bg Audit")
    token = drive.launch("Audit.", "a1")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert shown(drive, statusline="all")
    given = json.dumps({"cwd": str(drive.folder)})
    for said, out in ((given, "bg: \x1b[33m1 asks\x1b[0m\n"), ("", "bg: 1 asks\n")):
        done = subprocess.run(
            [sys.executable, str(BGCTL), "statusline"], input=said, capture_output=True, text=True, check=True
        )
        assert done.stdout == out
