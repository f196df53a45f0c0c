"""Notes: everything remembered besides the tasks: single values, errors of hooks, and reports of strangers.

Only this module uses the table `meta`; each of its keys has its own functions here.
"""

from __future__ import annotations

import json
import re

from bg import durations
from bg.ledger.file import Ledger, Record, Writing, unpacked
from bg.masking import masked
from bg.record import Record as Plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

MOST_LATE = 4000
MOST_ASKED = 40


class Error(Record):
    """A hook's own error, with its trace."""

    id: int
    at: float
    event: str
    text: str


class Dialog(Plain):
    """A dialog of ours: its questions by item, where its record can begin, the mark of a call that came answered."""

    shown: dict[int, str]
    place: int
    mark: str


class Limit(Plain):
    """A limit that has paused a task: the second in which it ends (0 if unknown), and what the user heard and said."""

    resets: int = 0
    told: bool = False  # that it has ended
    released: bool = False  # by the user: the task may continue


class Stranger(Record):
    """An agent that signed a report as a task of ours that is not its own."""

    at: float
    agent: str
    label: str


def _get(book: Ledger, key: str) -> str:
    found = book.value("SELECT value FROM meta WHERE key = ?", key)
    return found if isinstance(found, str) else ""


def _number(text: str) -> int:
    """The number in a text, 0 if it is none."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else 0


def _set(book: Writing, key: str, value: str) -> None:
    book.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)


def _forget(book: Writing, key: str) -> None:
    book.write("DELETE FROM meta WHERE key = ?", key)


def can_continue_agents(book: Ledger, session: str, version: str) -> Optional[bool]:
    """Whether this client has shown that agents can be continued, if its version says otherwise; else None."""
    known, _, shown = _get(book, f"continues:{session}").partition(" ")
    return shown == "yes" if shown and known == version else None


def set_continues(book: Writing, session: str, version: str, *, shown: Optional[bool]) -> None:
    """Note what the client has shown if its version says otherwise; None forgets that."""
    if shown is None:
        _forget(book, f"continues:{session}")
    else:
        _set(book, f"continues:{session}", f"{version} {'yes' if shown else 'no'}")


def last_number(book: Ledger) -> int:
    """The number of the newest label, 0 before the first."""
    return max(_number(_get(book, "last_number")), tasks_number(book))


def tasks_number(book: Ledger) -> int:
    """The highest number that a task has: a label is never given out twice."""
    found = book.value("SELECT max(number) FROM tasks")
    return found if isinstance(found, int) else 0


def set_last_number(book: Writing, number: int) -> None:
    """Note the number of a label that was given out."""
    _set(book, "last_number", str(number))


def name(book: Ledger) -> str:
    """The name that tells this ledger from an earlier one at its path; empty until a session is noted in it."""
    return _get(book, "name")


def give_name(book: Writing) -> str:
    """The ledger's name; it gets one, made of the present time, if it has none."""
    known = name(book)
    if not known:
        known = repr(book.now())
        _set(book, "name", known)
    return known


def kept_aside(book: Ledger) -> str:
    """The path of the damaged ledger that this one replaced; empty if it replaced none."""
    return _get(book, "kept_aside")


def kept_aside_told(book: Ledger) -> str:
    """The path of the damaged ledger that the user has been told of."""
    return _get(book, "kept_aside_told")


def set_kept_aside_told(book: Writing, path: str) -> None:
    """Note that the user has been told where the damaged ledger is."""
    _set(book, "kept_aside_told", path)


def swept(book: Ledger) -> int:
    """The day on which old tasks were last looked for, 0 if they never were."""
    return int(_get(book, "swept") or 0)


def set_swept(book: Writing, day: int) -> None:
    """Note the day on which old tasks were looked for."""
    _set(book, "swept", str(day))


def root_mark(book: Ledger, root: str) -> str:
    """The mark of the repository at this root; empty if none was noted."""
    return book.value("SELECT mark FROM roots WHERE root = ?", root) or ""


def set_root_mark(book: Writing, root: str, mark: str) -> None:
    """Note the mark by which the repository at this root is recognized from now on."""
    book.write("INSERT OR REPLACE INTO roots (root, mark) VALUES (?, ?)", root, mark)


def roots_marked(book: Ledger, mark: str) -> list[str]:
    """The roots at which the repository with this mark has been."""
    return [row["root"] for row in book.all("SELECT root FROM roots WHERE mark = ? ORDER BY root", mark)]


def late_words(book: Ledger, session: str) -> str:
    """The words for the user from events of this session that had waited in the spool."""
    return _get(book, f"late:{session}")


def add_late_words(book: Writing, session: str, words: list[str]) -> None:
    """Add the words of one more event from the spool; a text that gets too long loses its beginning."""
    said = "\n".join(filter(None, [late_words(book, session), *words]))
    _set(book, f"late:{session}", said[-MOST_LATE:])


def forget_late_words(book: Writing, session: str) -> None:
    """Forget these words: the user has been told."""
    _forget(book, f"late:{session}")


def rebuilt(book: Ledger, session: str) -> str:
    """The tasks of a session that were lost with an earlier ledger and are known again; empty once that was said."""
    return _get(book, f"rebuilt:{session}")


def note_rebuilt(book: Writing, session: str, labels: str) -> None:
    """Note that these tasks of a session are known again."""
    _set(book, f"rebuilt:{session}", labels)


def forget_rebuilt(book: Writing, session: str) -> None:
    """Forget which tasks are known again: the user and the parent have been told."""
    _forget(book, f"rebuilt:{session}")


def set_dialog(book: Writing, tool_use: str, shown: dict[int, str], place: int, mark: str) -> None:
    """Note that a dialog is about to show these questions in the agents' own words, each with a digest of the old ones.

    The host's record of it comes after `place`; `mark` is put into a call that came with answers of its own.
    """
    noted = [f"@:{place}", *([f"!:{mark}"] if mark else []), *(f"{one}:{words}" for one, words in shown.items())]
    _set(book, f"dialog:{tool_use}", " ".join(noted))


def take_dialog(book: Writing, tool_use: str) -> Optional[Dialog]:
    """Take the note of a dialog out of the ledger; None if no hook ran before the dialog."""
    found = _get(book, f"dialog:{tool_use}")
    _forget(book, f"dialog:{tool_use}")
    if not found:
        return None
    pairs = {name: words for name, _, words in (each.partition(":") for each in found.split())}
    shown = {_number(name): words for name, words in pairs.items() if _number(name)}
    return Dialog(shown, _number(pairs.get("@", "")), pairs.get("!", ""))


def codes(book: Ledger) -> dict[int, str]:
    """The digests of the codes that can be typed now, by the number of the proof that each confirms."""
    pairs = (each.partition(":") for each in _get(book, "codes").split())
    return {_number(name): digest for name, _, digest in pairs if _number(name)}


def set_codes(book: Writing, given: dict[int, str]) -> None:
    """Let these codes be typed from now on, and no others."""
    _set(book, "codes", " ".join(f"{number}:{digest}" for number, digest in given.items()))
    _set(book, "codes_missed", "0")


def miss_code(book: Writing) -> int:
    """Count a wrong code; return how many were typed since codes were last given out."""
    missed = _number(_get(book, "codes_missed")) + 1
    _set(book, "codes_missed", str(missed))
    return missed


def links_used(book: Ledger, client: str) -> int:
    """The number of the last link of its chain that the module of a client's process has handed over."""
    return _number(_get(book, f"links:{client}"))


def set_links_used(book: Writing, client: str, used: int) -> None:
    """Note the number of a link that was handed over; notes of earlier processes are left, as they are small."""
    _set(book, f"links:{client}", str(used))


def in_hand(book: Ledger, session: str) -> list[str]:
    """The tasks that the module of a session was told to wake a moment ago; after that it may have vanished."""
    told = unpacked(_get(book, f"hand:{session}"))
    return [label for label, at in told.items() if isinstance(at, float) and book.now() - at < durations.IN_HAND]


def set_in_hand(book: Writing, session: str, labels: list[str]) -> None:
    """Note that the module is told to wake these tasks now."""
    _set(book, f"hand:{session}", json.dumps(dict.fromkeys(labels, book.now())))


def quiet_since(book: Ledger, label: str) -> int:
    """The second since which, as the user was last told, a task has been silent; 0 if the user was never told."""
    return _number(_get(book, f"quiet:{label}"))


def set_quiet_since(book: Writing, label: str, second: int) -> None:
    """Note that the user has been told that the task has been silent since this second."""
    _set(book, f"quiet:{label}", str(second))


def set_progress(book: Writing, label: str, percent: int, words: str) -> None:
    """Note how far the agent of a task says it is."""
    _set(book, f"percent:{label}", str(percent))
    _set(book, f"progress:{label}", masked(words))


def progress(book: Ledger, label: str) -> Optional[tuple[int, str]]:
    """How far the agent of a task says it is, in percent and words; None if it has not said, or its run is over."""
    percent = _get(book, f"percent:{label}")
    return (_number(percent), _get(book, f"progress:{label}")) if percent else None


def forget_progress(book: Writing, label: str) -> None:
    """Forget how far an agent was: its run is over."""
    _forget(book, f"percent:{label}")
    _forget(book, f"progress:{label}")


def is_told_late(book: Ledger, label: str) -> bool:
    """Whether the user has been told that the task takes longer than expected."""
    return bool(_get(book, f"late_task:{label}"))


def set_told_of_lateness(book: Writing, label: str) -> None:
    """Note that the user has been told so, which happens once."""
    _set(book, f"late_task:{label}", "1")


def forget_task(book: Writing, label: str) -> None:
    """Forget all single values about a task."""
    forget_progress(book, label)
    for key in ("quiet", "late_task", "limit"):
        _forget(book, f"{key}:{label}")


def limit(book: Ledger, label: str) -> Limit:
    """The limit that last paused a task."""
    found = unpacked(_get(book, f"limit:{label}"))
    resets = found.get("resets")
    known = resets if type(resets) is int else 0
    return Limit(known, told=found.get("told") is True, released=found.get("released") is True)


def set_limit(book: Writing, label: str, found: Limit) -> None:
    """Note a limit that has paused a task, or a change to it."""
    _set(book, f"limit:{label}", json.dumps(found._asdict()))


def asked_first(book: Ledger, session: str) -> list[int]:
    """The questions for which the end of a turn has been held up; that happens once for each."""
    return [_number(identifier) for identifier in _get(book, f"asked_first:{session}").split()]


def set_asked_first(book: Writing, session: str, questions: list[int]) -> None:
    """Note the questions that have held up the end of a turn."""
    _set(book, f"asked_first:{session}", " ".join(map(str, questions)))


def asked_leave(book: Ledger, session: str) -> list[tuple[str, str]]:
    """The calls that the host has asked its user about: the agent of each (empty for the parent), and its digest."""
    pairs = (each.partition(":") for each in _get(book, f"leave:{session}").split())
    return [(agent, digest) for agent, _, digest in pairs]


def note_asked_leave(book: Writing, session: str, agent: str, digest: str) -> None:
    """Note one more call that the host asks its user about; only the newest are kept."""
    noted = [*_get(book, f"leave:{session}").split(), f"{agent}:{digest}"]
    _set(book, f"leave:{session}", " ".join(noted[-MOST_ASKED:]))


def forget_asked_leave(book: Writing, session: str) -> None:
    """Forget the calls that a session asked about: it has ended."""
    _forget(book, f"leave:{session}")


def awaits_origin(book: Ledger, session: str) -> bool:
    """Whether a session began as a fork of another one that was not found then."""
    return bool(_get(book, f"fork:{session}"))


def set_awaits_origin(book: Writing, session: str) -> None:
    """Note that a session has begun as a fork; the host may not yet have written down of which session."""
    _set(book, f"fork:{session}", "1")


def forget_origin(book: Writing, session: str) -> None:
    """Note that the session that this one is a fork of was found, or that there is none."""
    _forget(book, f"fork:{session}")


def resumed_at(book: Ledger, session: str) -> int:
    """Where the transcript of a session that had moved ended when the session itself was resumed; 0 if it never was."""
    return _number(_get(book, f"resumed:{session}"))


def set_resumed_at(book: Writing, session: str, place: int) -> None:
    """Note that a session that had moved is resumed itself: its transcript before this place no longer counts."""
    _set(book, f"resumed:{session}", str(place))


def continue_in(book: Writing, old: str, new: str) -> None:
    """Move a session's notes to the session that continues it."""
    held, words = asked_first(book, old), late_words(book, old)
    if held:
        set_asked_first(book, new, [*asked_first(book, new), *held])
    if words:
        add_late_words(book, new, [words])
    if rebuilt(book, old):
        note_rebuilt(book, new, rebuilt(book, old))
    for agent, digest in asked_leave(book, old):
        note_asked_leave(book, new, agent, digest)
    for key in ("asked_first", "late", "fork", "rebuilt", "leave"):
        _forget(book, f"{key}:{old}")


def trace(book: Ledger, event: str, text: str) -> None:
    """Keep a hook's own error, for `/bg-status` and the doctor to show; the last hundred are kept."""
    with book.transaction() as writing:
        writing.write("INSERT INTO errors (at, event, text) VALUES (?, ?, ?)", book.now(), event, masked(text)[-2000:])
        writing.write("DELETE FROM errors WHERE id <= (SELECT max(id) - 100 FROM errors)")


def errors(book: Ledger, since: float) -> list[Error]:
    """The errors since this moment, the newest first."""
    return Error.all(book, "SELECT * FROM errors WHERE at > ? ORDER BY id DESC", since)


def has_error_since(book: Ledger, event: str, since: float) -> bool:
    """Whether an error of this event has been kept since this moment."""
    return bool(book.value("SELECT 1 FROM errors WHERE event = ? AND at > ?", event, since))


def whole_trace(book: Ledger, error: Error) -> str:
    """The command that shows the whole text of an error."""
    return f"sqlite3 {book.path} 'select text from errors where id={error.id}'"


def forget_errors(book: Writing, until: float) -> int:
    """Delete the errors from before this moment; return how many there were."""
    return book.write("DELETE FROM errors WHERE at < ?", until)


def note_stranger(book: Writing, agent: str, label: str) -> None:
    """Note that an agent has signed a report as a task that is not its own, once for each pair."""
    book.write("INSERT OR IGNORE INTO strangers VALUES (?,?,?)", book.now(), agent, label)


def strangers(book: Ledger) -> list[Stranger]:
    """The agents that signed as another task, the newest first."""
    return Stranger.all(book, "SELECT * FROM strangers ORDER BY at DESC")
