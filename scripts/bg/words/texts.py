"""Every text of several lines that this plugin says to a model: texts.md has them, each under its name, with $slots."""

from __future__ import annotations

import os
from functools import lru_cache

from bg.host import tools
from bg.words.phrases import SENDER

_NAME = "abcdefghijklmnopqrstuvwxyz_"
_TOOLS = {"ask_tool": tools.ASK, "handback_tool": tools.HANDBACK, "message_tool": tools.MESSAGE}


def fill(name: str, **slots: str) -> str:
    """The text of that name with its slots and tools filled in; lines whose slot is empty leave no gap."""
    given = {"sender": SENDER, **slots}
    filled = _put_in(named()[name], {**_TOOLS, **{key: value.strip("\n") for key, value in given.items()}})
    lines: list[str] = []
    for line in filled.strip("\n").splitlines():
        if line.strip() or (lines and lines[-1].strip()):
            lines.append(line.rstrip())
    return "\n".join(lines)


@lru_cache(maxsize=1)
def named() -> dict[str, str]:
    """Each text by its name, as texts.md has it."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "texts.md"), encoding="utf-8") as file:
        parts = file.read().split("<!-- ")[1:]
    return dict(part.split(" -->\n", 1) for part in parts)


def _put_in(text: str, slots: dict[str, object]) -> str:
    """The text with its slots filled, as by string.Template, whose import would cost too much at every event."""
    first, *rest = text.split("$")
    filled = [first]
    for part in rest:
        after = part.lstrip(_NAME)
        filled += [str(slots[part[: len(part) - len(after)]]), after]
    return "".join(filled)
