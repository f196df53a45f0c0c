"""The checkpoint of a run that was cut: after each of forty recorded calls, every changed file and the open step."""

from __future__ import annotations

import json
import lzma
import os
import re
import time
from pathlib import Path
from typing import Any

import pytest
from bg.evidence import checkpoint
from bg.loop import checkpoints

LINES = lzma.decompress((Path(__file__).parent / "forty.jsonl.xz").read_bytes()).decode("utf-8").splitlines()
CALLS = 40


def parts(line: str, kind: str) -> list[dict[str, Any]]:
    content = json.loads(line)["message"]["content"]
    return [part for part in content if part.get("type") == kind] if isinstance(content, list) else []


PLACES = [number for number, line in enumerate(LINES) if parts(line, "tool_use")]


def played(project: Path, lines: list[str]) -> tuple[set[str], dict[str, Any]]:
    """What the calls that came back have left on the disk, and the last call."""
    calls = [part for line in lines for part in parts(line, "tool_use")]
    answered = {part["tool_use_id"] for line in lines for part in parts(line, "tool_result")}
    changed = set()
    for one in calls:
        if one["id"] not in answered:
            continue
        given = one["input"]
        made = re.search(r"> (\S+)$", given.get("command", ""))
        name = Path(given.get("file_path", "")).name if one["name"] in ("Write", "Edit") else made[1] if made else ""
        if name:
            (project / name).write_text("changed")
            changed.add(name)
    return changed, calls[-1]


def test_forty_calls_are_recorded():
    assert CALLS == len(PLACES)


@pytest.mark.parametrize("came_back", [False, True], ids=["in the call", "after it"])
@pytest.mark.parametrize("number", range(CALLS))
def test_wherever_it_is_cut_the_files_and_the_step_are_named(number, came_back, tmp_path):
    project, transcript = tmp_path / "project", tmp_path / "agent-a1.jsonl"
    project.mkdir()
    (project / "old.txt").write_text("not touched by the run")
    began = time.time() + 5
    lines = LINES[: PLACES[number] + 1 + came_back]
    transcript.write_text("\n".join(lines).replace("/ROOT", str(project)) + "\n")
    changed, last = played(project, lines)
    for name in changed:
        path = project / name
        os.utime(path, (began + 1, began + 1))
    found = checkpoint.of(str(transcript), str(project), began)
    begun = last["name"] in ("Write", "Edit") and not came_back
    asked = {Path(last["input"]["file_path"]).name} if begun else set()
    assert changed <= set(found.files) <= changed | asked
    assert "old.txt" not in found.files
    what = last["input"].get("command") or last["input"]["file_path"].replace("/ROOT", str(project))
    assert what in found.last
    if came_back:
        assert found.last.endswith("(it returned)")
        assert found.step
    else:
        assert found.last.endswith("(no result of it was seen)")
        assert what in found.step
    assert (found.folder, found.whole) == (str(project), True)


def test_files_that_are_not_named_are_counted(tmp_path):
    (tmp_path / "project").mkdir()
    for number in range(75):
        (tmp_path / "project" / f"{number:02}.txt").write_text("new")
    found = checkpoint.of("", str(tmp_path / "project"), time.time() - 60)
    assert (found.in_all, len(found.files), found.whole) == (75, 60, True)
    assert checkpoints._of_how_many(found) == " (the first 60 of 75)"
    assert re.fullmatch(r"“00\.txt, 01\.txt, .*, 18\.txt” and 56 more", checkpoints._in_short(found))
