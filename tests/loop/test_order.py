"""The labels of launches in one message follow their order in it, in whatever order their hooks come."""

from __future__ import annotations

import json
import re
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from drive import Drive
from recordings import NEWEST, recorded


def message(drive: Drive, *calls: dict[str, Any], order: tuple[int, ...]) -> dict[int, str]:
    """One message with these launches, whose hooks come in this order; the label that each has got."""
    before = recorded(drive.version, drive.scene, "PreToolUse", drive.spawn)
    made = [(f"toolu_{number}", {**before["tool_input"], **given}) for number, given in enumerate(calls)]
    drive.calls_made(*made)
    found = {}
    for number in order:
        call, given = made[number]
        said = drive.send(before, tool_use_id=call, tool_input=given)
        prompt = said.get("hookSpecificOutput", {}).get("updatedInput", given)["prompt"]
        assert given["prompt"] in prompt
        labels = set(re.findall(r"(bg-\d+)-[a-z2-7]{10}", prompt))
        assert len(labels) <= 1
        found[number] = labels.pop() if labels else ""
    return found


def task(name: str, **given: Any) -> dict[str, Any]:
    return {"description": name, "prompt": f"{name}: look at it", "run_in_background": True, **given}


@pytest.mark.parametrize("version", ["2.1.7", "2.1.197", NEWEST])
@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_labels_follow_the_message(order: tuple[int, ...], drive: Drive) -> None:
    drive.prompt("/bg look at everything")
    found = message(drive, task("first"), task("second"), task("third"), order=order)
    assert {0: "bg-1", 1: "bg-2", 2: "bg-3"} == found
    kept = drive.rows("SELECT label, description, grp FROM tasks ORDER BY number")
    assert [("bg-1", "first", "bg-1"), ("bg-2", "second", "bg-1"), ("bg-3", "third", "bg-1")] == [
        tuple(row.values()) for row in kept
    ]
    launched = drive.rows("SELECT label, tool_use FROM launches ORDER BY label")
    assert [("bg-1", "toolu_0"), ("bg-2", "toolu_1"), ("bg-3", "toolu_2")] == [tuple(row.values()) for row in launched]


def test_what_is_not_ours_takes_no_label(drive: Drive) -> None:
    drive.prompt("/bg look at everything")
    explore = task("around", subagent_type="Explore")
    found = message(drive, explore, task("first"), task("second"), order=(2, 1, 0))
    assert {0: "", 1: "bg-1", 2: "bg-2"} == found


def test_a_task_that_goes_on_keeps_its_label(drive: Drive) -> None:
    """In the turn in which it has ended its window is still open: a launch beside it does not take it for a new one."""
    drive.prompt("/bg look at everything")
    drive.launch("first: look at it", "a1", description="first")
    drive.ends("a1", "Nothing more to say.")
    drive.announced("a1")
    found = message(drive, task("bg-1: go on"), task("other"), order=(1, 0))
    assert "bg-1" == found[0]
    assert ["toolu_0001", "toolu_0"] == [
        row["tool_use"] for row in drive.rows("SELECT tool_use FROM launches WHERE label = 'bg-1' ORDER BY rowid")
    ]


def test_the_earlier_one_has_the_last_free_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the user allows one agent, it is the first of the message, whichever hook comes first."""
    folder = tmp_path / "config"
    folder.mkdir()
    (folder / "bg.json").write_text(json.dumps({"max_tasks": 1}))
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(folder))
    drive = Drive(NEWEST, tmp_path)
    drive.prompt("/bg look at everything")
    found = message(drive, task("first"), task("second"), order=(1, 0))
    assert {0: "bg-1", 1: ""} == found
    assert ["bg-1"] == [row["label"] for row in drive.rows("SELECT label FROM launches")]
