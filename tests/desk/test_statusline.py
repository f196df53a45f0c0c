"""The statusline segment: few words, from every ledger, fast, silent where nothing goes on."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import statusline
from bg.desk.page import Page
from bg.host import transcripts
from bg.ledger import place
from drive import Drive, block, stamp

COLOUR = re.compile(r"\x1b\[[0-9;]*m")
BGCTL = Path(__file__).resolve().parents[2] / "scripts" / "bgctl"


def shown(drive: Drive, project: str = "", **values) -> str:
    path = Path(place.config_directory()) / "bg.json"
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))
    return statusline.segment(project or str(drive.folder), Page())


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
    assert shown(drive) == "bg: 2 working · bg-1 asks: “Should the export be CSV, XLSX, or both?” (+1)"
    assert shown(drive, statusline="off") == ""
    assert shown(drive, project="/elsewhere") == ""
    assert (
        shown(drive, statusline="all") == "bg: 2 working · bg-1 asks: “Should the export be CSV, XLSX, or both?” (+1)"
    )
    for number in (1, 2):
        drive.ends(f"a{number + 1}", block("COMPLETION_REPORT", tokens[number], deliverables="none"))
    drive.prompt("/bg-answer bg-1 Q1: CSV Q2: no")
    assert shown(drive) == ""


def test_the_command_reads_the_hosts_json_and_imports_nothing_heavy(drive):
    """As the host runs it: a process of its own, with the project in its input."""
    drive.prompt("/bg:bg Audit")
    drive.launch("Audit.", "a1")
    for given, out in (
        ({"workspace": {"project_dir": str(drive.folder)}}, r"bg: bg-1 working \d+s\n"),
        ({"cwd": str(drive.folder)}, r"bg: bg-1 working \d+s\n"),
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
        assert re.fullmatch(out, done.stdout)
        imported = {line.rpartition("|")[2].strip().split(".")[0] for line in done.stderr.splitlines()}
        assert not imported & {"yaml", "jsonschema"}


def works_on(drive: Drive, count: int, command: str = "pytest -q", tokens: int = 88_000) -> None:
    """The transcript of an agent that has made so many calls, of which the last has not come back."""
    path = drive.transcript_of("a1", "I begin.")
    with path.open("a", encoding="utf-8") as file:
        for number in range(count):
            use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
            usage = {"input_tokens": 8, "cache_read_input_tokens": tokens, "output_tokens": 100}
            line = {
                "type": "assistant",
                "timestamp": stamp(drive.clock() - 130),
                "message": {"content": [use], "usage": usage},
            }
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "ok"}
            file.write(json.dumps(line) + "\n")
            if number < count - 1:
                file.write(json.dumps({"type": "user", "message": {"content": [result]}}) + "\n")


def test_the_only_task_that_works_is_shown_with_what_it_does(drive):
    drive.prompt("/bg:bg Audit")
    token = drive.launch("Audit.", "a1", description="bg-1: audit the code")
    works_on(drive, 31)
    row = "working · “pytest -q” (2m) · 31 calls · 88k tokens"
    assert re.sub(r"working \d+s", "working", shown(drive)) == f"bg: bg-1 {row}"
    assert f"{row}  audit the code" in COLOUR.sub("", drive.prompt("/bg-status")["reason"])
    page_of_task = drive.prompt("/bg-status bg-1")["reason"]
    assert row.removeprefix("working · ") in COLOUR.sub("", page_of_task)
    drive.ends("a1", block("COMPLETION_REPORT", token))
    assert shown(drive) == ""


def test_of_a_long_transcript_its_end_is_read(drive, monkeypatch):
    drive.prompt("/bg:bg Audit")
    drive.launch("Audit.", "a1")
    monkeypatch.setattr(transcripts, "TAIL", 4000)
    monkeypatch.setattr(transcripts.tail, "__defaults__", (4000,))
    works_on(drive, 40, "→ /bg-answer bg-1 go", tokens=0)
    said = shown(drive)
    found = re.search(r" · “-> bg-answer bg-1 go” \(2m\) · (\d+) calls or more", said)
    assert found, said
    assert 5 < int(found[1]) < 40


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
    for said, out in (
        (given, "bg: \x1b[33mbg-1 asks: “Should the export be CSV, XLSX, or both?” (+1)\x1b[0m\n"),
        ("", "bg: bg-1 asks: “Should the export be CSV, XLSX, or both?” (+1)\n"),
    ):
        done = subprocess.run(
            [sys.executable, str(BGCTL), "statusline"], input=said, capture_output=True, text=True, check=True
        )
        assert done.stdout == out
