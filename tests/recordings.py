"""The payloads that the real hosts gave their hooks: tests/recorded/VERSION/SCENE.jsonl, a line an event, in order.

A line is the payload as the hook reads it: `sed -n 3p SCENE.jsonl | hooks/run` replays it. tests/clients/record.py makes
the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("recorded")
VERSIONS = sorted((path.name for path in FOLDER.iterdir()), key=lambda name: [int(part) for part in name.split(".")])
NEWEST = VERSIONS[-1]

Payload = dict[str, Any]


def since(version: str) -> tuple[str, ...]:
    """This version, and those after it."""
    return tuple(VERSIONS[VERSIONS.index(version) :])


def scenes(version: str) -> list[str]:
    """The names of what was recorded on this version."""
    found = sorted(path.stem for path in (FOLDER / version).glob("*.jsonl"))
    assert found, f"nothing is recorded for {version}"
    return found


def events(version: str, scene: str) -> list[Payload]:
    """One scene's payloads in the order in which the hooks started."""
    return [json.loads(line) for line in lines(version, scene)]


def recorded(version: str, scene: str, name: str, tool: str = "") -> Payload:
    """The first payload of this event in a scene."""
    for payload in events(version, scene):
        if (payload["hook_event_name"], payload.get("tool_name", "")) == (name, tool):
            return payload
    raise AssertionError(f"no {name} {tool}".rstrip() + f" is recorded in {version}/{scene}")


def everything(*versions: str) -> Iterator[tuple[str, Payload]]:
    """Every payload of these versions (of all, if none is named), each with its place: `2.1.327/background:3`."""
    for version in versions or VERSIONS:
        for scene in scenes(version):
            for number, payload in enumerate(events(version, scene), 1):
                yield f"{version}/{scene}:{number}", payload


@cache
def lines(version: str, scene: str) -> tuple[str, ...]:
    """One scene's payloads as they stand in the file."""
    path = FOLDER / version / f"{scene}.jsonl"
    assert path.is_file(), f"{version}/{scene} is not recorded"
    return tuple(path.read_text(encoding="utf-8").split("\n")[:-1])


def written(payloads: list[Payload]) -> str:
    """The text of a scene's file; the keys stay in the host's order."""
    return "".join(json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in payloads)
