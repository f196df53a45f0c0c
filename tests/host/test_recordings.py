"""The recorded payloads: what was to be recorded is there, in the one form that the recorder writes."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import recordings

sys.path.append(str(Path(__file__).resolve().parents[1] / "clients"))

import record

FILES = sorted(recordings.FOLDER.rglob("*.*"))


def test_every_scene_is_recorded_on_its_versions_and_nothing_else():
    planned = {f"{version}/{scene}.jsonl" for scene, (_, versions) in record.SCENES.items() for version in versions}
    assert planned == {path.relative_to(recordings.FOLDER).as_posix() for path in FILES if path.is_file()}


@pytest.mark.parametrize("version", recordings.VERSIONS)
def test_a_file_is_what_would_be_written_of_its_events(version):
    for scene in recordings.scenes(version):
        found = recordings.events(version, scene)
        assert found, scene
        assert recordings.written(found) == (recordings.FOLDER / version / f"{scene}.jsonl").read_text("utf-8")


def test_the_recorder_writes_what_is_read(tmp_path, monkeypatch):
    home = SimpleNamespace(root=tmp_path / "rig", path=tmp_path / "rig" / "home", project=tmp_path / "rig" / "project")
    given = [
        {"hook_event_name": "SessionStart", "cwd": str(home.project), "session_id": "s"},
        {
            "session_id": "s",
            "hook_event_name": "PostToolUse",
            "tool_name": "Agent",
            "tool_input": {"prompt": "é\u2028\n"},
        },
        {"session_id": "s", "hook_event_name": "PostToolUse", "tool_name": "Bash", "cwd": f"{home.path}/x"},
        {"session_id": "s", "hook_event_name": "Stop", "transcript_path": f"/tmp/claude-{os.getuid()}/t"},
    ]
    stage = SimpleNamespace(home=home, notes=lambda: [{"event": event} for event in given])
    monkeypatch.setattr(recordings, "FOLDER", tmp_path)
    (tmp_path / "9.0.0").mkdir()
    (tmp_path / "9.0.0" / "walk.jsonl").write_text("an older recording\n")
    assert record.write(stage, tmp_path / "9.0.0" / "walk.jsonl") == 4
    first, second, third, last = recordings.events("9.0.0", "walk")
    assert first == {**given[0], "cwd": "/project"}
    assert list(first) == list(given[0])
    assert second == given[1]
    assert third == {**given[2], "cwd": "/home/user/x"}
    assert last == {**given[3], "transcript_path": "/tmp/claude-1000/t"}
    assert recordings.scenes("9.0.0") == ["walk"]
    assert recordings.recorded("9.0.0", "walk", "PostToolUse", "Bash") == third
    assert [place for place, _ in recordings.everything("9.0.0")] == [f"9.0.0/walk:{number}" for number in range(1, 5)]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (("2.1.7", "background", "SessionEnd", "Agent"), "no SessionEnd Agent is recorded in 2.1.7/background"),
        (("2.1.7", "background", "PostToolUse"), "no PostToolUse is recorded in 2.1.7/background"),
        (("2.1.7", "nowhere", "Stop"), "2.1.7/nowhere is not recorded"),
    ],
)
def test_what_is_not_recorded_is_named(given, said):
    with pytest.raises(AssertionError) as error:
        recordings.recorded(*given)
    assert str(error.value) == said
    with pytest.raises(AssertionError, match=r"nothing is recorded for 1\.0"):
        recordings.scenes("1.0")
