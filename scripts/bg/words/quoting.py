"""Subagent text as data: neutralized, quoted, bounded."""

from __future__ import annotations

import re

from bg.pattern import pattern

CONTEXT_LIMIT = 4000
MESSAGE_LIMIT = 16000

_CONTROL = pattern(
    r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)"
    r"|[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069]"
)
# What Python, a terminal or a model may take for the end of a line: behind it, words would stand outside their frame.
_LINE_END = pattern("\r\n|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_HOST_TAG = pattern(
    r"<(?=/?(?:system|task-|agent-message|user-|command-|local-command|persisted-output|antml|function_calls|invoke"
    r"|parameter|result|tool_|human|assistant|bash-))",
    re.IGNORECASE,
)


def neutral(text: str) -> str:
    """Without control sequences and anything the host would take for its own tags; every line ends with a newline."""
    return _HOST_TAG.sub("‹", _CONTROL.sub("", _LINE_END.sub("\n", text)))


def framed(text: str) -> list[str]:
    """Lines of somebody's words, each marked as such."""
    return [f"> {line}".rstrip() for line in neutral(text).split("\n")]


def inline(text: str, most: int = 200) -> str:
    """One line of somebody's words."""
    words = " ".join(neutral(text).split())
    return words if len(words) <= most else f"{words[: most - 1].rstrip()}…"


def quote(text: str, most: int = 1200) -> str:
    """Lines of somebody's words, each marked as such; a long text ends with how much is missing."""
    lines = [line.rstrip() for line in neutral(text).strip().split("\n")]
    kept: list[str] = []
    used = 0
    for line in lines:
        if used + len(line) > most:
            if not kept:
                kept.append(line[:most] + "…")
            kept.append(f"[cut here, {len(neutral(text).strip())} characters in all]")
            break
        kept.append(line)
        used += len(line) + 1
    return "\n".join(f"> {line}".rstrip() for line in kept)


def fit(texts: list[str], limit: int, rest: str) -> tuple[list[str], int]:
    """As many of the texts as stay under the limit, at least the first (cut if it must be), and how many.

    `rest` is the line that says how to see what was left out.
    """
    kept: list[str] = []
    room = limit - len(rest) - 2
    for text in texts:
        if len(text) + 2 > room:
            if not kept:
                kept.append(text[: room - 2].rsplit("\n", 1)[0] + "\n" + rest)
                return kept, 1
            kept.append(rest)
            return kept, len(kept) - 1
        kept.append(text)
        room -= len(text) + 2
    return kept, len(kept)
