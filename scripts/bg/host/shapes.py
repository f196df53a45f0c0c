"""Shapes: the records of prompts that clients are known to write, and whose prompt each of them is.

The table is closed: a record has every mark that its row names, with one of the values there, and no other mark. A
record that fits no row proves nothing.
"""

from __future__ import annotations

from bg.host import versions
from bg.host.transcripts import text
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

# A person; a program that drives the host; one of both, whichever has started the session.
HUMAN, SDK, STARTER = "human", "sdk", "starter"
PLAIN, COMMAND, QUEUED = "a prompt", "a command", "queued in a turn"
ABSENT = "absent"
PROGRAM = "a program"  # any entrypoint but the terminal's
_TERMINAL = "cli"
_BY_HUMAN = {"kind": "human"}

# What says, or may say, where a prompt comes from. Those of the last lines no typed prompt was seen to have; 2.1.328
# itself does not take a prompt with one of them for its user's own words.
MARKS = (
    *("entrypoint", "origin", "promptSource", "turnOrigin", "commandMode", "humanTurn"),
    *("queuePriority", "queueSkipAttachments", "wakeupSource", "scheduledTaskId", "scheduledFireId"),
    *("isSidechain", "isMeta", "isSynthetic", "isVirtual", "isCompactSummary", "isVisibleInTranscriptOnly"),
    *("turnCompanion", "textNotTyped", "noPersonArrived", "foreignWord", "handedOff", "promptRewritten"),
    *("hostInitiator", "bridgeOrigin", "fromConnector", "emailSenderTurn", "verifiedSlackHumanTurn"),
)


class Shape(Record):
    """Whose prompts of these forms clients from one version to before another write with these marks."""

    whose: str
    forms: tuple[str, ...]
    since: versions.Version
    until: Optional[versions.Version]
    marks: dict[str, tuple[Any, ...]]
    seen: str  # the clients that wrote it, for prompts that were typed, pasted, resumed, forked and compacted


_CLI: dict[str, tuple[Any, ...]] = {"entrypoint": (_TERMINAL,)}
_SIGNED = {**_CLI, "origin": (_BY_HUMAN,)}
_UNSIGNED = {**_CLI, "origin": (ABSENT, _BY_HUMAN)}
_TYPED, _MAYBE_TYPED = {"promptSource": ("typed", "queued")}, {"promptSource": (ABSENT, "typed", "queued")}
_TURN, _MAYBE_TURN = {"turnOrigin": ("human",)}, {"turnOrigin": (ABSENT, "human")}
_IN_TURN = {"commandMode": ("prompt",)}
_ANY = (PLAIN, COMMAND, QUEUED)
_SENT = {
    "entrypoint": (PROGRAM,),
    "promptSource": (ABSENT, "sdk"),
    "turnOrigin": (ABSENT, "sdk"),
    "commandMode": (ABSENT, "prompt"),
}

SHAPES = (
    Shape(HUMAN, (PLAIN,), (2, 1, 327), None, {**_SIGNED, **_TYPED, **_TURN}, "2.1.327, 2.1.328"),
    Shape(HUMAN, (COMMAND,), (2, 1, 327), None, {**_SIGNED, **_TURN}, "2.1.327, 2.1.328"),
    Shape(
        HUMAN, (QUEUED,), (2, 1, 327), None, {**_SIGNED, **_IN_TURN, "humanTurn": (ABSENT, True)}, "2.1.327, 2.1.328"
    ),
    # 2.1.235 signs no command yet, 2.1.236 does; when the name of a turn came is not known.
    Shape(HUMAN, (PLAIN,), (2, 1, 197), (2, 1, 327), {**_SIGNED, **_TYPED, **_MAYBE_TURN}, "2.1.197, 2.1.258"),
    Shape(HUMAN, (COMMAND,), (2, 1, 236), (2, 1, 327), {**_SIGNED, **_MAYBE_TURN}, "2.1.258"),
    Shape(HUMAN, (QUEUED,), (2, 1, 197), (2, 1, 327), {**_SIGNED, **_IN_TURN}, "2.1.197, 2.1.258"),
    Shape(HUMAN, (COMMAND,), (2, 1, 78), (2, 1, 236), _UNSIGNED, "2.1.78, 2.1.98, 2.1.100, 2.1.197, 2.1.224"),
    Shape(HUMAN, (PLAIN,), (2, 1, 78), (2, 1, 197), {**_UNSIGNED, **_MAYBE_TYPED}, "2.1.78, 2.1.98, 2.1.100"),
    Shape(HUMAN, (QUEUED,), (2, 1, 98), (2, 1, 197), {**_UNSIGNED, **_IN_TURN}, "2.1.98, 2.1.100"),
    Shape(
        STARTER, _ANY, versions.OLDEST, (2, 1, 78), {"commandMode": (ABSENT, "prompt")}, "2.1.7, 2.1.38, 2.1.76, 2.1.77"
    ),
    Shape(SDK, _ANY, (2, 1, 78), None, _SENT, "2.1.78, 2.1.98, 2.1.100, 2.1.197, 2.1.258, 2.1.327, 2.1.328"),
)


def shape_of(record: dict[str, Any]) -> Optional[Shape]:
    """The row of the table that a record fits; None where no client is known to write it."""
    version, form, found = versions.version_of(str(record.get("version"))), form_of(record), marks_of(record)
    rows = [row for row in SHAPES if version and row.since <= version and not (row.until and version >= row.until)]
    fitting = [row for row in rows if form in row.forms and all(_has(row, name, found[name]) for name in MARKS)]
    return fitting[0] if fitting else None


def _has(row: Shape, name: str, value: Any) -> bool:
    return any(type(value) is type(each) and value == each for each in row.marks.get(name, (ABSENT,)))


def form_of(record: dict[str, Any]) -> str:
    """Which of the prompts that clients write differently this is."""
    if "attachment" in record:
        return QUEUED
    return COMMAND if text(record).lstrip().startswith("<command-") else PLAIN


def is_signed(record: dict[str, Any]) -> bool:
    """It names a person as its origin."""
    return bool(marks_of(record)["origin"] == _BY_HUMAN)


def marks_of(record: dict[str, Any]) -> dict[str, Any]:
    """All marks of a record, with what each is in it."""
    holder = record.get("attachment")
    both = {**record, **holder} if isinstance(holder, dict) else record
    found = {name: ABSENT if both.get(name, False) is False else both[name] for name in MARKS}
    entry = found["entrypoint"]
    return {**found, "entrypoint": PROGRAM if isinstance(entry, str) and entry not in (_TERMINAL, ABSENT) else entry}


def described(record: dict[str, Any]) -> str:
    """A record that fits no row, as it is told to people."""
    marks = ", ".join(f"{name}={value}" for name, value in marks_of(record).items() if value != ABSENT)
    return f"an unknown form of Claude Code {record.get('version')} ({form_of(record)}; {marks or 'no mark'})"
