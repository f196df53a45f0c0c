"""Goals: the expected outcome of a launch, in the three lines that the parent wrote into its prompt."""

from __future__ import annotations

import re

_LINES = ("Goal", "Deliverables", "Done when")


def of(prompt: str) -> dict[str, str]:
    """The text of each line of `_LINES` that the prompt has, by the line's name."""
    found: dict[str, str] = {}
    name = ""
    for line in prompt.splitlines():
        head = re.match(r"[\s*#>-]*(Goal|Deliverables?|Done[ -]when)[\s*]*:\s*\**\s*(.*)", line, re.IGNORECASE)
        if head:
            name = next(key for key in _LINES if key[:4].lower() == head[1][:4].lower())
            found[name] = head[2].strip()
        elif name and line.strip() and re.match(r"\s*([-*]|\d+[.)])\s", line):
            found[name] = f"{found[name]}\n{line.rstrip()}".strip()
        else:
            name = ""
    return found
