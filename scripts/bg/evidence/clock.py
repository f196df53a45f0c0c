"""The time that a check may take; everything that can be long asks it."""

from __future__ import annotations

import time


class Clock:
    """A deadline; `spent` says whether it has passed, `left` how many seconds remain."""

    def __init__(self, seconds: float) -> None:
        self.started = time.monotonic()
        self.until = self.started + seconds

    @property
    def left(self) -> float:
        """Seconds until the deadline, never below nought."""
        return max(0.0, self.until - time.monotonic())

    @property
    def spent(self) -> bool:
        """Whether the time is over."""
        return self.left <= 0

    @property
    def taken(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self.started
