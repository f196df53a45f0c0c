"""The cases of tests/protocol/signals, tests/protocol/outputs.json and tests/results/contract/messy.json: entries of JSON files, a text by its lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
Case = dict[str, Any]


def cases(place: str) -> list[Case]:
    """The entries of a file, or of all files of a folder; `text` is whole again, and `file` says where it stands."""
    folder = HERE / place
    files = sorted(folder.iterdir()) if folder.is_dir() else [folder]
    assert {path.suffix for path in files} == {".json"}, f"{place} holds something else than cases"
    found = [
        {**entry, "text": "\n".join(entry["text"]), "file": path.stem}
        for path in files
        for entry in json.loads(path.read_text(encoding="utf-8"))
    ]
    names = [(case["file"], case["name"]) for case in found]
    assert len(set(names)) == len(names) > 0, f"{place} has two cases of one name"
    return found
