"""Every sentence that this plugin says to a model, one file each, with $slots."""

from __future__ import annotations

import os

from bg.host import tools
from bg.words.phrases import SENDER

_NAME = "abcdefghijklmnopqrstuvwxyz_"
_FOLDER = os.path.dirname(os.path.abspath(__file__))
_TOOLS = {"ask_tool": tools.ASK, "handback_tool": tools.HANDBACK, "message_tool": tools.MESSAGE}


def fill(name: str, **slots: str) -> str:
    """The text of that name with its slots and tools filled in; lines whose slot is empty leave no gap."""
    with open(os.path.join(_FOLDER, f"{name}.md"), encoding="utf-8") as file:
        text = file.read()
    given = {"sender": SENDER, **slots}
    filled = _put_in(text, {**_TOOLS, **{key: value.strip("\n") for key, value in given.items()}})
    lines: list[str] = []
    for line in filled.strip("\n").splitlines():
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)


def _put_in(text: str, slots: dict[str, object]) -> str:
    """As string.Template does it, without that module's own cost at every event."""
    first, *rest = text.split("$")
    filled = [first]
    for part in rest:
        after = part.lstrip(_NAME)
        filled += [str(slots[part[: len(part) - len(after)]]), after]
    return "".join(filled)
