"""Every sentence that this plugin says to a model, one file each, with $slots."""

from __future__ import annotations

import os
from string import Template

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def fill(name: str, **slots: str) -> str:
    """The text of that name with its slots filled; lines whose slot is empty leave no gap."""
    with open(os.path.join(_FOLDER, f"{name}.md"), encoding="utf-8") as file:
        text = file.read()
    filled = Template(text).substitute({key: value.strip("\n") for key, value in slots.items()})
    lines: list[str] = []
    for line in filled.strip("\n").splitlines():
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)
