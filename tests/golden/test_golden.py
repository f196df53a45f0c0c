"""What the hooks answer to every recorded scene stays what it was, to the byte, until somebody means to change it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent))

import plays

SHORT = ("2.1.327", "background")
SCENES = [
    pytest.param(version, scene, marks=[] if (version, scene) == SHORT else pytest.mark.long)
    for version in plays.VERSIONS
    for scene in plays.scenes(version)
]


def whole(value: Any, texts: dict[str, Any]) -> Any:
    """The value with its texts back in their places, for a difference that can be read."""
    if isinstance(value, dict):
        if set(value) == {"text"} and value["text"] in texts:
            return whole(texts[value["text"]], texts)
        return {key: whole(item, texts) for key, item in value.items()}
    return [whole(item, texts) for item in value] if isinstance(value, list) else value


@pytest.mark.parametrize(("version", "scene"), SCENES)
def test_a_recorded_scene_is_answered_as_before(version, scene):
    compare(version, scene)


@pytest.mark.long
@pytest.mark.parametrize("scene", plays.LOOPS)
def test_an_idle_session_withholds_nothing(scene):
    """What `hooks/run` passes over without starting Python would not have been answered."""
    compare(plays.VERSIONS[-1], scene, awake=True)


def compare(version: str, scene: str, *, awake: bool = False) -> None:
    """What is kept of a scene, and what its plays give now."""
    kept = [line for line in plays.kept()["answers"][version] if line["at"].startswith(f"{scene}/")]
    assert kept
    shelf = plays.shelf()
    names = [name for name in plays.plays(version) if name[0] == scene]
    now = plays.answers_of(version, shelf, names, awake=awake)
    assert [line["at"] for line in kept] == [line["at"] for line in now]
    for before, after in zip(kept, now):
        if before != after:
            assert whole(before, shelf.texts) == whole(after, shelf.texts)
