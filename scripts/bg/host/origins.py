"""Origins: who has said something, by the host's transcript.

A hook sees the same prompt whoever wrote it: since 2.1.224 every process that an agent starts can post one, and a
model's schedule sends them too. The host's own record of the prompt tells these apart, by a closed table of the records
that clients are known to write: a record fits a row if it has every mark that the row names, with one of its values,
and no other mark. A record that fits no row proves nothing.
"""

from __future__ import annotations

import contextlib
import os
import re

from bg import foreign
from bg.host import versions
from bg.host.event import texts_in, typed_command
from bg.host.transcripts import moment, parts, size, text
from bg.pattern import pattern
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Optional

# Kinds of origin besides `HUMAN` and `SDK`: the host keeps no transcript of the session; no client is known to write
# the record; anything else.
UNKEPT, UNKNOWN, OTHER = "unkept", "unknown", "other"
SCHEDULE = "a schedule"
_FIRED = "scheduled_task_fire"
_SCHEDULES = ("wakeupSource", "scheduledTaskId", "scheduledFireId")
_SCHEDULED = (("turnOrigin", "scheduled"), ("queuePriority", "later"))
# The origins that 2.1.328 names for prompts and turns that nobody has typed. Only these names count as machines.
_MACHINES = (
    *("auto-continuation", "auto_continuation", "channel", "coordinator", "host_synthetic", "observer"),
    *("observer-activity", "peer", "plugin", "slack-ping", "system", "task-notification", "task_notification"),
    *("unclassified", "voice-call"),
)
_SPEAKS = (b'"user"', b"queued_command")
MOST = 8 * 1024 * 1024  # enough, as the records wanted are at a turn's beginning, before all that its tools read
SOCKET = "CLAUDE_CODE_MESSAGING_SOCKET"
_COMMAND = pattern(r"<command-name>\s*(\S+?)\s*</command-name>(?:.*?<command-args>(.*?)</command-args>)?", re.DOTALL)
_SPACE = pattern(r"[\s\x00-\x1f\x7f]+")

# A person; a program that drives the host; whichever of the two has started the session.
HUMAN, SDK, STARTER = "human", "sdk", "starter"
PLAIN, COMMAND, QUEUED = "a prompt", "a command", "queued in a turn"
ABSENT = "absent"
PROGRAM = "a program"  # stands for any entrypoint but the terminal's
_TERMINAL = "cli"
_BY_HUMAN = {"kind": "human"}

# The fields that say, or may say, where a prompt comes from. Typed prompts were seen only with fields of the first
# line; 2.1.328 itself does not take a prompt with another one for its user's own words.
MARKS = (
    *("entrypoint", "origin", "promptSource", "turnOrigin", "commandMode", "humanTurn"),
    *("queuePriority", "queueSkipAttachments", "wakeupSource", "scheduledTaskId", "scheduledFireId"),
    *("isSidechain", "isMeta", "isSynthetic", "isVirtual", "isCompactSummary", "isVisibleInTranscriptOnly"),
    *("turnCompanion", "textNotTyped", "noPersonArrived", "foreignWord", "handedOff", "promptRewritten"),
    *("hostInitiator", "bridgeOrigin", "fromConnector", "emailSenderTurn", "verifiedSlackHumanTurn"),
)
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


class Shape(Record):
    """A row: clients from `since` on and before `until` write prompts of `whose` in these forms with these marks."""

    whose: str
    forms: tuple[str, ...]
    since: versions.Version
    until: Optional[versions.Version]
    marks: dict[str, tuple[Any, ...]]
    seen: str  # the clients that wrote it, for prompts that were typed, pasted, resumed, forked and compacted


SHAPES = (
    Shape(HUMAN, (PLAIN,), (2, 1, 327), None, {**_SIGNED, **_TYPED, **_TURN}, "2.1.327, 2.1.328"),
    Shape(HUMAN, (COMMAND,), (2, 1, 327), None, {**_SIGNED, **_TURN}, "2.1.327, 2.1.328"),
    Shape(
        HUMAN, (QUEUED,), (2, 1, 327), None, {**_SIGNED, **_IN_TURN, "humanTurn": (ABSENT, True)}, "2.1.327, 2.1.328"
    ),
    # 2.1.235 signs no command yet, 2.1.236 does; the first version with `turnOrigin` is not known.
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


class Origin(Record):
    """Who said something: the kind, the name if it is neither a person nor a program, and where the record begins."""

    kind: str
    who: str
    place: int = -1


def takes_posts() -> bool:
    """Whether processes that this session's agents start can post prompts to it."""
    return bool(os.environ.get(SOCKET))


def of_prompt(
    path: str, place: int, prompt: str, turn: str, is_used: Callable[[int], bool] = lambda _: False
) -> Optional[Origin]:
    """Who has said this prompt, by the records after this place; None as long as no record has its words.

    The prompt's id alone proves nothing: words posted during a turn carry the id of that turn's prompt. If records
    disagree, one that is not the user's decides. A record that has already proved other words does not count.
    """
    found: Optional[Origin] = None
    wanted = _forms(prompt)
    for at, record in _behind(path, place):
        words = _said(record, turn)
        if words is None or not (_forms(words) & wanted or (_peer(record) and _quotes(words, wanted))) or is_used(at):
            continue
        origin = _origin(path, record)._replace(place=at)
        if origin.kind not in (HUMAN, SDK):
            return origin
        found = found or origin
    return found


def is_signed(path: str, place: int, prompt: str, turn: str) -> bool:
    """Whether the record of this prompt itself names a person as its origin, so that nothing has to be concluded."""
    found = of_prompt(path, place, prompt, turn)
    if found is None or found.kind != HUMAN:
        return False
    at, record = next(_behind(path, found.place), (-1, {}))
    return at == found.place and _source(record).get("kind") == HUMAN


def of_dialog(path: str, place: int, call: str, answers: str) -> Optional[Origin]:
    """The origin of a dialog's answers: a person, if the host's record of the call has them; None without a record."""
    for at, record in _behind(path, place):
        for part in parts(record):
            if part.get("type") == "tool_result" and part.get("tool_use_id") == call:
                # The result in both forms: as the model gets it, and as the host keeps it.
                heard = _squeezed("\n".join(texts_in([part.get("content"), record.get("toolUseResult")])))
                same = not part.get("is_error") and all(_squeezed(line) in heard for line in answers.splitlines())
                return Origin(HUMAN, "", at) if same else Origin(OTHER, "the dialog was answered otherwise", at)
    return None


def peer_in_turn(path: str, turn: str) -> Optional[str]:
    """The other session or process that has begun this turn or joined it; empty if none has.

    None if only earlier turns are written down: on a busy machine a prompt's record comes after its first calls.
    """
    if not turn:
        return ""  # up to 2.1.100, to which other sessions cannot post
    begun: Optional[bool] = None
    joined = ""
    for _, record in _latest(path):
        if record.get("type") == "user" and record.get("promptId"):
            if record["promptId"] == turn and not begun:
                begun, joined = True, ""
            elif record["promptId"] != turn:
                begun, joined = False, ""
        found = _peer(record)
        if found:
            joined = found
    if begun is False:
        return None
    return joined if begun else ""


def is_attended(path: str) -> bool:
    """Whether a person has typed in this session, as far as its records tell."""
    return any(
        record.get("entrypoint") == "cli" or names_a_person(record)
        for _, record in _latest(path, (b'"cli"', b'"human"'))
    )


def place_since(path: str, begun: float) -> int:
    """Where the first record from this moment or later begins in the transcript; its end if there is none."""
    return next((at for at, record in _latest(path) if moment(record) >= begun), size(path))


def shape_of(record: dict[str, Any]) -> Optional[Shape]:
    """The row of the table that a record fits; None if no client is known to write it."""
    version, form, found = versions.version_of(str(record.get("version"))), form_of(record), marks_of(record)
    rows = [row for row in SHAPES if versions.is_within(version, row.since, row.until)]
    fitting = [row for row in rows if form in row.forms and all(_has(row, name, found[name]) for name in MARKS)]
    return fitting[0] if fitting else None


def form_of(record: dict[str, Any]) -> str:
    """The form of a prompt's record: plain, a command, or queued in a turn."""
    if "attachment" in record:
        return QUEUED
    return COMMAND if text(record).lstrip().startswith("<command-") else PLAIN


def names_a_person(record: dict[str, Any]) -> bool:
    """Whether the record names a person as its origin."""
    return bool(marks_of(record)["origin"] == _BY_HUMAN)


def marks_of(record: dict[str, Any]) -> dict[str, Any]:
    """The value of each of the `MARKS` in a record; `ABSENT` for a mark that the record lacks."""
    holder = record.get("attachment")
    both = {**record, **holder} if isinstance(holder, dict) else record
    found = {name: ABSENT if both.get(name, False) is False else both[name] for name in MARKS}
    entry = found["entrypoint"]
    return {**found, "entrypoint": PROGRAM if isinstance(entry, str) and entry not in (_TERMINAL, ABSENT) else entry}


def described(record: dict[str, Any]) -> str:
    """A record that fits no row, in words for people."""
    marks = ", ".join(f"{name}={value}" for name, value in marks_of(record).items() if value != ABSENT)
    return f"an unknown form of Claude Code {record.get('version')} ({form_of(record)}; {marks or 'no mark'})"


def _forms(words: str) -> set[str]:
    """The forms of a text for comparing it, so that spaces, entities and the host's form of commands do not count."""
    command = _COMMAND.search(words) if words.lstrip().startswith("<command-") else None
    if command:
        words = f"{'' if command[1].startswith('/') else '/'}{command[1]} {command[2] or ''}"
    name, arguments = typed_command(words)
    if name:
        words = f"/{name} {arguments}"
    return {_squeezed(words), _squeezed(_plain(words))} - {""}


def _squeezed(words: str) -> str:
    return str(_SPACE.sub("", words))


def _plain(words: str) -> str:
    for entity, letter in (("&lt;", "<"), ("&gt;", ">"), ("&quot;", '"'), ("&#39;", "'"), ("&amp;", "&")):
        words = words.replace(entity, letter)
    return words


def _behind(path: str, place: int, having: tuple[bytes, ...] = _SPEAKS) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records after a place whose line holds one of these words, each with where it begins."""
    try:
        data = foreign.read(path, MOST, place)
    except (OSError, ValueError):
        return
    at = place
    for line in data.split(b"\n"):
        if any(words in line for words in having):
            with contextlib.suppress(ValueError):
                record = foreign.loads(line)
                if isinstance(record, dict):
                    yield at, record
        at += len(line) + 1


def _said(record: dict[str, Any], turn: str) -> Optional[str]:
    """The words that somebody said in this record; None if it holds nobody's words, or belongs to another prompt."""
    if record.get("isSidechain"):
        return None
    queued = record.get("attachment")
    if isinstance(queued, dict):
        return _queued(queued)
    if record.get("type") != "user" or any(part.get("type") == "tool_result" for part in parts(record)):
        return None
    known = record.get("promptId")
    if turn and known and known != turn:
        return None
    # Any other meta record is the host's own: the text of a command, or the words of a hook.
    return text(record) if not record.get("isMeta") or _peer(record) else None


def _queued(attachment: dict[str, Any]) -> Optional[str]:
    """The words that somebody sent during a turn; None if the attachment holds none."""
    prompt = attachment.get("prompt") if attachment.get("type") == "queued_command" else None
    return text({"message": {"content": prompt}}) if prompt else None


def _peer(record: dict[str, Any]) -> str:
    """The other session or process that wrote this, in words; empty if none did: an agent of this session is none."""
    source = _source(record)
    if source.get("kind") != "peer" or source.get("senderTaskId") is not None:
        return ""
    name = source.get("name") or source.get("from")
    who = f"“{str(name)[:60]}”" if name and name != "unknown" else "a process"
    number = source.get("verifiedPeerPid")
    return f"{who}, number {number}" if number else who


def _source(record: dict[str, Any]) -> dict[str, Any]:
    origin = marks_of(record)["origin"]
    return origin if isinstance(origin, dict) else {}


def _quotes(words: str, wanted: set[str]) -> bool:
    """Whether a text holds the wanted words: the host puts its own sentences around those of another session."""
    whole = _squeezed(words)
    return any(each in whole for each in wanted)


def _origin(path: str, record: dict[str, Any]) -> Origin:
    """The origin that a record shows."""
    if _is_scheduled(path, record):
        return Origin(OTHER, SCHEDULE)
    machine = _machine_origin(record)
    if machine:
        return Origin(OTHER, _peer(record) or f"the host ({machine})")
    shape = shape_of(record)
    if shape is None or (shape.whose == HUMAN and not names_a_person(record) and _signs(path, record)):
        return Origin(UNKNOWN, described(record))
    if shape.whose == STARTER:
        return Origin(HUMAN if versions.attended() else SDK, "")
    return Origin(shape.whose, "")


def _is_scheduled(path: str, record: dict[str, Any]) -> bool:
    """Whether a schedule has sent the prompt: by its marks, or, as 2.1.100 has none, by the record that it follows."""
    marks, former = marks_of(record), record.get("parentUuid")
    if any(marks[key] == value for key, value in _SCHEDULED) or any(marks[key] != ABSENT for key in _SCHEDULES):
        return True
    fired = _latest(path, (_FIRED.encode(),)) if former else ()
    return any(each.get("uuid") == former and each.get("subtype") == _FIRED for _, each in fired)


def _latest(path: str, having: tuple[bytes, ...] = _SPEAKS) -> Iterator[tuple[int, dict[str, Any]]]:
    """The records at the end of a transcript whose line holds one of these words; the present turn is among them."""
    return _behind(path, max(0, size(path) - MOST), having)


def _machine_origin(record: dict[str, Any]) -> str:
    """The machine that a record names as its origin; empty if it names none."""
    marks = marks_of(record)
    named = [_source(record).get("kind"), marks["turnOrigin"], marks["promptSource"]]
    return next((name for name in named if name in _MACHINES), "isSynthetic" if marks["isSynthetic"] is True else "")


def _signs(path: str, record: dict[str, Any]) -> bool:
    """Whether this version names a person in another prompt of this form; then a prompt without that was not typed."""
    version, form = record.get("version"), form_of(record)
    return any(
        names_a_person(each) and each.get("version") == version and form_of(each) == form
        for _, each in _latest(path, (b'"human"',))
    )


def _has(row: Shape, name: str, value: Any) -> bool:
    return any(type(value) is type(each) and value == each for each in row.marks.get(name, (ABSENT,)))
