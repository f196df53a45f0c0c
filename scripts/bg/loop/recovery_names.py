"""Recovery names: what the user picks or types about a blocker, read as one of the ways to go on."""

from __future__ import annotations

import re

from bg.pattern import pattern
from bg.words import recoveries

HAND_OVER = recoveries.HAND_OVER
# The whole answer, or its beginning with a clear end; behind it stands what belongs to it. "Skip" may name its object.
_NAMES = {
    recoveries.RETRY: "retry|try again|fixed|resolved",
    recoveries.SKIP: "skip|skip it|skip that|skip this",
    recoveries.HAND_OVER: "hand over|hand it over|handover|delegate|delegate it|hand to another agent",
    recoveries.REDUCE: "reduce|reduce scope|reduce the scope",
    recoveries.RESTART: "restart|start over|begin again",
    recoveries.AS_IT_IS: "continue|continue as it is|go on as it is",
}
_PART = pattern(r"\b(?:batch|part|chunk|slice|shard)\b|\b\d+\s*(?:of|/|-)\s*\d+\b", re.IGNORECASE)
_END = r"\s*(?:$|[:,;.\n(!–—-])"


def read(text: str) -> str:
    """The name of the recovery that the words stand for, empty where they are a resolution of their own."""
    words = text.strip().casefold()
    for name, spelled in _NAMES.items():
        if re.match(rf"(?:{spelled}){_END}", words):
            return name
    return recoveries.SKIP if re.match(r"skip\s+\S", words) and "\n" not in words else ""


def is_a_part(description: str) -> bool:
    """A launch that is called so does a part of some work, not the whole."""
    return _PART.search(description) is not None
