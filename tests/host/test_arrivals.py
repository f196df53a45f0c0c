"""The table of proofs: each row is read by something, the versions of a thing leave no gap, and the code goes by it."""

from __future__ import annotations

import importlib
import json
from pathlib import Path

import pytest
from bg.host import arrivals, versions
from recordings import VERSIONS

THINGS = sorted({row.thing for row in arrivals.PROOFS})


@pytest.mark.parametrize("row", arrivals.PROOFS, ids=lambda row: f"{row.thing} {row.since}")
def test_each_record_is_read(row: arrivals.Proof) -> None:
    module, _, name = row.read_by.partition(".")
    assert callable(getattr(importlib.import_module(f"bg.host.{module}"), name))


@pytest.mark.parametrize("thing", THINGS)
def test_the_newest_version_keeps_a_record_of_each_thing(thing: str) -> None:
    rows = [row for row in arrivals.PROOFS if row.thing == thing]
    assert any(row.until is None for row in rows)
    for row in rows:
        assert row.until is None or row.until in [other.since for other in rows]


@pytest.mark.parametrize("version", [*VERSIONS, ""])
def test_which_versions_write_down_what_hooks_add(version: str) -> None:
    assert arrivals.keeps_words(versions.version_of(version)) == (version not in ("2.1.7", "2.1.38", ""))


def test_a_command_is_an_agents_own_by_the_result_of_its_call(tmp_path: Path) -> None:
    path = tmp_path / "agent-a1.jsonl"
    result = {"type": "tool_result", "content": "Command running in background with ID: b1."}
    lines = [
        {"type": "user", "message": {"content": "Look after b2, which is somebody's."}},
        {"type": "user", "message": {"content": [result]}},
        {"type": "assistant", "message": {"content": [{"type": "text", "text": "b3 runs."}]}},
    ]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert arrivals.commands_of(str(path), ["b1", "b2", "b3"]) == ["b1"]


@pytest.mark.parametrize(
    ("operations", "left"),
    [([], False), (["enqueue"], True), (["enqueue", "dequeue"], False), (["enqueue", "remove"], False)],
)
def test_what_is_still_queued_was_told_to_nobody(operations: list[str], left: bool, tmp_path: Path) -> None:
    path = tmp_path / "s1.jsonl"
    word = "<task-notification>\n<task-id>b1</task-id>\n</task-notification>"
    lines = [{"type": "queue-operation", "operation": each, "content": word} for each in operations]
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    assert arrivals.is_left_queued(str(path), "b1") == left
    assert not arrivals.is_left_queued(str(path), "b2")
