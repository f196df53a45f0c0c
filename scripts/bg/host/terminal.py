"""The terminal that Claude Code draws in: its size, the room that this leaves for a hook, and its theme."""

from __future__ import annotations

import contextlib
import os

from bg import foreign
from bg.host.event import mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional, TextIO

    from bg.host.event import Event

USUAL = 80
# A hook's text is indented by two columns and wrapped ten before the edge. Eight rows are taken by the prompt below it
# and the box for the next prompt with its lines (2.1.197, 2.1.328); on versions that set no LINES, ten (2.1.7).
MARGIN, TAKEN, TAKEN_BEFORE = 10, 8, 10
LEAST = 40
DELIVERED = "dark"
MOST = 4 * 1024 * 1024


def size(stream: Optional[TextIO] = None) -> tuple[int, int]:
    """Columns and rows: as the environment says, else those of the stream or of this process; 0 if unknown.

    Claude Code sets both variables for hooks from 2.1.197 on; before, a hook can ask its terminal.
    """
    said = asked_for("COLUMNS"), asked_for("LINES")
    seen = (0, 0) if all(said) else measured(stream)
    return said[0] or seen[0], said[1] or seen[1]


def size_for_hook() -> tuple[int, int]:
    """The columns and rows that Claude Code leaves for a hook's text; 0 rows if unknown."""
    columns, rows = size()
    taken = TAKEN if asked_for("LINES") else TAKEN_BEFORE
    return (columns or USUAL) - MARGIN, max(rows - taken, 1) if rows else 0


def asked_for(name: str) -> int:
    """The number in a variable, else 0; a person may set one to make a pipe as wide as they like."""
    words = os.environ.get(name, "")
    return int(words) if words.isdigit() and 0 < int(words) < 10000 else 0


def measured(stream: Optional[TextIO]) -> tuple[int, int]:
    """The size of the stream's terminal, else of this process's; 0 if it has none."""
    if stream is not None:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            return os.get_terminal_size(stream.fileno())
    with contextlib.suppress(OSError):
        number = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.get_terminal_size(number)
        finally:
            os.close(number)
    return 0, 0


def room_for_notice(event: Event) -> int:
    """The columns left on the first line of a notice at this event, after Claude Code's own words."""
    named = f"{event.name}:{event.tool}" if event.tool else event.name
    return max(LEAST, (size()[0] or USUAL) - len(f"  ⎿  {named} says: ") - 2)


def theme(config: str) -> str:
    """The theme that the user has chosen; empty if no file can be read; newer versions use the first file.

    The second file names no theme if it is the delivered one, which is dark.
    """
    found = ""
    home = config if os.environ.get("CLAUDE_CONFIG_DIR") else os.path.expanduser("~")
    for path in (os.path.join(config, "settings.json"), os.path.join(home, ".claude.json")):
        with contextlib.suppress(OSError, ValueError):
            said = mapping(foreign.loads(foreign.whole(path, MOST))).get("theme")
            found = said if isinstance(said, str) else DELIVERED
            if said:
                break
    return found
