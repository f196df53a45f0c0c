"""Durations as a person says them."""

from __future__ import annotations

import time


def clock(moment: float, now: float) -> str:
    """A future moment in local time, with its day if it is 24 hours away or more."""
    form = "%H:%M" if moment - now < 24 * 3600 else "%d %b, %H:%M"
    return time.strftime(form, time.localtime(moment))


def age(seconds: float) -> str:
    """A duration in its largest units."""
    seconds = max(0, int(seconds))
    if seconds < 60:
        return f"{seconds}s"
    if seconds < 3600:
        return f"{seconds // 60}m"
    if seconds < 48 * 3600:
        return f"{seconds // 3600}h {seconds % 3600 // 60:02}m"
    return f"{seconds // 86400}d"


def took(seconds: float) -> str:
    """How long something took."""
    return age(seconds) if seconds >= 1 else "less than 1s"


def often(count: int) -> str:
    """The count as "once", "twice" or "n times"."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")
