"""The campaign in this process: kills fall where a hook can be killed, and a seed plays the same again.

What a kill can part are the durable writes and the print; each is a place here. The clock and the random bytes are
handed in, so that a fault that a seed finds is found again by it, in seconds.
"""

from __future__ import annotations

import io
import json
import random
import shutil
import time
from pathlib import Path
from typing import Any, Optional

import pytest
from bg import durations, hook
from bg.ledger.file import Ledger
from crash import Campaign
from play import BEFORE, CLEAN, MIDDLE, Said

PLACES = ("before", "write 1", "write 2", "write 3", "write 4", "print", "print", "after the print")
PACES = (0.02, 0.3, 2.0, 8.0)  # the seconds from one event to the next


class Killed(BaseException):
    """What the handlers cannot catch, as a SIGKILL."""


class Output(io.StringIO):
    """Standard output of a hook that is killed before the host has a word of it, or behind the last one."""

    def __init__(self, place: str) -> None:
        super().__init__()
        self.place = place

    def write(self, text: str) -> int:
        if self.place == "print":
            raise Killed
        return super().write(text)

    def flush(self) -> None:
        if self.place == "after the print":
            raise Killed


class Replayed(Campaign):
    """A campaign whose hooks run in this process."""

    most_killed = 300

    def __init__(self, root: Path, seed: int, patch: pytest.MonkeyPatch) -> None:
        super().__init__(root, seed)
        for name in ("HOME", "BG_DATA", "CLAUDE_PROJECT_DIR", "BG_HOST_PID"):
            patch.setenv(name, self.env[name])
        patch.delenv("CLAUDE_CONFIG_DIR")  # the transcripts are in that home
        self.fate = random.Random(seed)
        self.now = time.time()
        self.writes = 0
        self.last = 0  # the write that the hook is killed behind
        patch.setattr(durations, "LATE_TEXT", 0.02)
        patch.setattr(durations, "LATE_RECORD", 0.02)
        patch.setattr(durations, "LATE_PROMPT", 0.02)
        settle = Ledger.settle

        def settled(book: Ledger) -> None:
            open_before = book._connection.in_transaction
            settle(book)
            self.writes += open_before
            if open_before and self.writes == self.last:
                raise Killed

        patch.setattr(Ledger, "settle", settled)

    def hook(self, event: dict[str, Any], kind: str = "", kill_at: Optional[float] = None) -> Said:
        kind = kind or f"{event['hook_event_name']} {event.get('tool_name', '')}".strip()
        self.lengths.setdefault(kind, []).append(1.0)
        self.now += self.fate.choice(PACES)
        place = self.fate.choice(PLACES) if kill_at is not None else ""
        self.writes, self.last = 0, int(place[-1]) if place.startswith("write") else 0
        out = Output(place)
        fell = BEFORE if place == "before" else CLEAN
        try:
            if place != "before":
                hook.main(io.StringIO(json.dumps(event)), out, clock=lambda: self.now, chance=self.fate.randbytes)
        except Killed:
            fell = MIDDLE if self.writes else BEFORE
            shutil.rmtree(self.data / "attempts", ignore_errors=True)  # as the campaign of processes does
        return self.hear(event, kind, fell, out.getvalue())
