"""Traces: a hook's own errors, in the ledger where it can be written, else on standard error and in the spool's log."""

from __future__ import annotations

import contextlib
import sys

from bg.ledger import notes, place, spool
from bg.ledger.file import Ledger, Unavailable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def happened() -> str:
    """The error that is being handled, as Python tells it."""
    # Late: nearly no event fails.
    import traceback  # noqa: PLC0415

    return traceback.format_exc()


def note(book: Ledger, event: str, text: str) -> None:
    """Keep an error where `/bg-status` and the doctor show it."""
    try:
        notes.trace(book, event, text)
        book.settle()
    except Unavailable:
        note_aside(event, text, book.now())


def note_outside(event: str, text: str, clock: Callable[[], float]) -> None:
    """The same where the ledger was not open when it happened."""
    try:
        with contextlib.closing(Ledger(place.directory(), create=False, clock=clock)) as book:
            note(book, event, text)
    except Exception:  # noqa: BLE001 - perhaps the ledger is what failed
        note_aside(event, text, clock())


def note_aside(event: str, text: str, now: float) -> None:
    """The last resort for a trace: a line on stderr and in the spool's log."""
    with contextlib.suppress(Exception):
        sys.stderr.write(f"bg: {event}: {text.strip().splitlines()[-1]}\n")
        spool.log(place.directory(), event, text, now)
