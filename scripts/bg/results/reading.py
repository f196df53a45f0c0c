"""What the rules share: whether something was written at all, and how its names stand in a note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Optional

from bg.results import markdown

TEMPLATE = re.compile(r"\[[^\]]*\]|<[^>]*>")
SHOWN = 6


def filled(text: str) -> bool:
    """Whether something was written where the template had its placeholder."""
    return bool(text.strip()) and not TEMPLATE.fullmatch(text.strip().strip("*-`. "))


def figure(value: Optional[float]) -> str:
    """A number as it is said."""
    return "without a number" if value is None else f"{value:g}"


def listed(names: Sequence[str]) -> str:
    """Some names in a list, the rest of them as a number."""
    shown = [short(markdown.plain(name)) for name in names[:SHOWN]]
    return ", ".join(shown) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")


def short(text: str, limit: int = 80) -> str:
    """The beginning of a text, on one line."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
