"""How many tasks work, ask, or lost their session, in a few words."""

from __future__ import annotations


def counted(working: int, asking: int, broken: int) -> list[tuple[str, str]]:
    """What is there of each, with its style."""
    parts = [
        (f"{working} working" if working else "", "works"),
        (f"{asking} asks" if asking == 1 else f"{asking} ask" if asking else "", "needs"),
        (f"{broken} interrupted" if broken else "", "bad"),
    ]
    return [part for part in parts if part[0]]


def at_a_glance(working: int, asking: int, broken: int) -> str:
    """The same in one line, empty where there is nothing."""
    return " · ".join(words for words, _ in counted(working, asking, broken))
