"""Notes: what is remembered beside the tasks: single values, errors of hooks, and reports of strangers.

Nobody else touches the table `meta`; each of its keys has its own functions here.
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
    """A dialog of ours: what its questions stand for, where its record can begin, the mark of a call with answers."""

    shown: dict[int, str]
    place: int
    mark: str


class Limit(Plain):
    """A limit that has paused a task: the second it ends, 0 where that is unknown, and what the user heard and said."""

    resets: int = 0
    told: bool = False  # that it has ended
    released: bool = False  # by the user: the task may go on


class Stranger(Record):
    """An agent that signed a report as a task of ours that is not its own."""

    at: float
    agent: str
    label: str


def _get(book: Ledger, key: str) -> str:
    found = book.value("SELECT value FROM meta WHERE key = ?", key)
    return found if isinstance(found, str) else ""


def _number(text: str) -> int:
    """The number of a value, 0 where it is none."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else 0


def _set(book: Writing, key: str, value: str) -> None:
    book.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)


def _forget(book: Writing, key: str) -> None:
    book.write("DELETE FROM meta WHERE key = ?", key)


def can_continue_agents(book: Ledger, session: str, version: str) -> Optional[bool]:
    """Whether this client has shown a session that agents can be continued; None where that is as its version says."""
    known, _, shown = _get(book, f"continues:{session}").partition(" ")
    return shown == "yes" if shown and known == version else None


def set_continues(book: Writing, session: str, version: str, *, shown: Optional[bool]) -> None:
    """The client has shown the opposite of what its version says; None where it has not, or no longer."""
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
    """A label has been given out."""
    _set(book, "last_number", str(number))


def name(book: Ledger) -> str:
    """What tells this ledger from one that was in its place before; empty until a session has entered it."""
    return _get(book, "name")


def give_name(book: Writing) -> str:
    """The ledger's name, from the moment at which it is first given one."""
    known = name(book)
    if not known:
        known = repr(book.now())
        _set(book, "name", known)
    return known


def kept_aside(book: Ledger) -> str:
    """Where the damaged ledger lies that this one replaced, empty where it replaced none."""
    return _get(book, "kept_aside")


def kept_aside_told(book: Ledger) -> str:
    """The damaged ledger that the user has been told about."""
    return _get(book, "kept_aside_told")


def set_kept_aside_told(book: Writing, path: str) -> None:
    """The user has been told where the damaged ledger lies."""
    _set(book, "kept_aside_told", path)


def swept(book: Ledger) -> int:
    """The day on which what is old was last forgotten, 0 where it never was."""
    return int(_get(book, "swept") or 0)


def set_swept(book: Writing, day: int) -> None:
    """What is old has been forgotten on this day."""
    _set(book, "swept", str(day))


def root_mark(book: Ledger, root: str) -> str:
    """By what a repository is known that is kept there, empty where it was never noted."""
    return book.value("SELECT mark FROM roots WHERE root = ?", root) or ""


def set_root_mark(book: Writing, root: str, mark: str) -> None:
    """From now on the repository at this root is recognized by this mark."""
    book.write("INSERT OR REPLACE INTO roots (root, mark) VALUES (?, ?)", root, mark)


def roots_marked(book: Ledger, mark: str) -> list[str]:
    """Where the repository that is known by this has been kept."""
    return [row["root"] for row in book.all("SELECT root FROM roots WHERE mark = ? ORDER BY root", mark)]


def late_words(book: Ledger, session: str) -> str:
    """What events of this session that waited in the spool have to say to the user."""
    return _get(book, f"late:{session}")


def add_late_words(book: Writing, session: str, words: list[str]) -> None:
    """One more event that waited has something to say; what is too long loses its beginning."""
    said = "\n".join(filter(None, [late_words(book, session), *words]))
    _set(book, f"late:{session}", said[-MOST_LATE:])


def forget_late_words(book: Writing, session: str) -> None:
    """The user has been told."""
    _forget(book, f"late:{session}")


def rebuilt(book: Ledger, session: str) -> str:
    """The tasks of a session that were lost with an earlier ledger and are known again, until that is said."""
    return _get(book, f"rebuilt:{session}")


def note_rebuilt(book: Writing, session: str, labels: str) -> None:
    """These tasks of a session are known again."""
    _set(book, f"rebuilt:{session}", labels)


def forget_rebuilt(book: Writing, session: str) -> None:
    """The user and the parent have been told."""
    _forget(book, f"rebuilt:{session}")


def set_dialog(book: Writing, tool_use: str, shown: dict[int, str], place: int, mark: str) -> None:
    """A dialog is about to show these questions in the agents' own words, each noted with a digest of its former.

    The host's record of it stands behind `place`; `mark` is what the call shows that had answers of its own.
    """
    noted = [f"@:{place}", *([f"!:{mark}"] if mark else []), *(f"{one}:{words}" for one, words in shown.items())]
    _set(book, f"dialog:{tool_use}", " ".join(noted))


def take_dialog(book: Writing, tool_use: str) -> Optional[Dialog]:
    """What a dialog has shown, noted no longer; None where no hook came before the dialog."""
    found = _get(book, f"dialog:{tool_use}")
    _forget(book, f"dialog:{tool_use}")
    if not found:
        return None
    pairs = {name: words for name, _, words in (each.partition(":") for each in found.split())}
    shown = {_number(name): words for name, words in pairs.items() if _number(name)}
    return Dialog(shown, _number(pairs.get("@", "")), pairs.get("!", ""))


def codes(book: Ledger) -> dict[int, str]:
    """The digests of the codes that can be typed now, by what each confirms."""
    pairs = (each.partition(":") for each in _get(book, "codes").split())
    return {_number(name): digest for name, _, digest in pairs if _number(name)}


def set_codes(book: Writing, given: dict[int, str]) -> None:
    """These codes can be typed from now on, and no others."""
    _set(book, "codes", " ".join(f"{number}:{digest}" for number, digest in given.items()))
    _set(book, "codes_missed", "0")


def miss_code(book: Writing) -> int:
    """A code was typed that is none; how many such there were since codes were last given out."""
    missed = _number(_get(book, "codes_missed")) + 1
    _set(book, "codes_missed", str(missed))
    return missed


def links_used(book: Ledger, client: str) -> int:
    """How many links of its chain the module of a client's process has handed over."""
    return _number(_get(book, f"links:{client}"))


def set_links_used(book: Writing, client: str, used: int) -> None:
    """It has handed over this one; what is known of processes before is not needed any more, and is little."""
    _set(book, f"links:{client}", str(used))


def in_hand(book: Ledger, session: str) -> list[str]:
    """The tasks that the module of a session was told to wake just now; later it may also have vanished."""
    told = unpacked(_get(book, f"hand:{session}"))
    return [label for label, at in told.items() if isinstance(at, float) and book.now() - at < durations.IN_HAND]


def set_in_hand(book: Writing, session: str, labels: list[str]) -> None:
    """The module is told to wake these now."""
    _set(book, f"hand:{session}", json.dumps(dict.fromkeys(labels, book.now())))


def quiet_since(book: Ledger, label: str) -> int:
    """The second since which a task was last said to be silent, 0 where it never was."""
    return _number(_get(book, f"quiet:{label}"))


def set_quiet_since(book: Writing, label: str, second: int) -> None:
    """The user has been told that the task has been silent since then."""
    _set(book, f"quiet:{label}", str(second))


def set_progress(book: Writing, label: str, percent: int, words: str) -> None:
    """The agent of a task has said how far it is."""
    _set(book, f"percent:{label}", str(percent))
    _set(book, f"progress:{label}", masked(words))


def progress(book: Ledger, label: str) -> Optional[tuple[int, str]]:
    """How far the agent of a task has said it is, in percent and words; None where it has not, or its run is over."""
    percent = _get(book, f"percent:{label}")
    return (_number(percent), _get(book, f"progress:{label}")) if percent else None


def forget_progress(book: Writing, label: str) -> None:
    """The run that the agent has spoken of is over."""
    _forget(book, f"percent:{label}")
    _forget(book, f"progress:{label}")


def is_told_late(book: Ledger, label: str) -> bool:
    """The user has been told that the task takes longer than expected."""
    return bool(_get(book, f"late_task:{label}"))


def set_told_late(book: Writing, label: str) -> None:
    """The user is told so, once."""
    _set(book, f"late_task:{label}", "1")


def forget_task(book: Writing, label: str) -> None:
    """There is no such task any more."""
    forget_progress(book, label)
    for key in ("quiet", "late_task", "limit"):
        _forget(book, f"{key}:{label}")


def limit(book: Ledger, label: str) -> Limit:
    """The limit that has paused a task last."""
    found = unpacked(_get(book, f"limit:{label}"))
    resets = found.get("resets")
    known = resets if type(resets) is int else 0
    return Limit(known, told=found.get("told") is True, released=found.get("released") is True)


def set_limit(book: Writing, label: str, found: Limit) -> None:
    """A limit has paused a task, or something has become of that."""
    _set(book, f"limit:{label}", json.dumps(found._asdict()))


def asked_first(book: Ledger, session: str) -> list[int]:
    """The questions for which the end of a turn has been held up once."""
    return [_number(identifier) for identifier in _get(book, f"asked_first:{session}").split()]


def set_asked_first(book: Writing, session: str, questions: list[int]) -> None:
    """These have held up the end of a turn; they do so only once."""
    _set(book, f"asked_first:{session}", " ".join(map(str, questions)))


def asked_leave(book: Ledger, session: str) -> list[tuple[str, str]]:
    """The calls that the host has asked its user about: whose each is, the parent's without a name, and its digest."""
    pairs = (each.partition(":") for each in _get(book, f"leave:{session}").split())
    return [(agent, digest) for agent, _, digest in pairs]


def note_asked_leave(book: Writing, session: str, agent: str, digest: str) -> None:
    """The host asks its user about one more call; the last ones are kept."""
    noted = [*_get(book, f"leave:{session}").split(), f"{agent}:{digest}"]
    _set(book, f"leave:{session}", " ".join(noted[-MOST_ASKED:]))


def forget_asked_leave(book: Writing, session: str) -> None:
    """The session has ended, and asks nothing any more."""
    _forget(book, f"leave:{session}")


def awaits_origin(book: Ledger, session: str) -> bool:
    """A session began as a fork, and the one that it may go on with was not found then."""
    return bool(_get(book, f"fork:{session}"))


def set_awaits_origin(book: Writing, session: str) -> None:
    """A session has begun as a fork; the host may not have written down yet which one it goes on with."""
    _set(book, f"fork:{session}", "1")


def forget_origin(book: Writing, session: str) -> None:
    """The session that this one goes on with is found, or there is none."""
    _forget(book, f"fork:{session}")


def resumed_at(book: Ledger, session: str) -> int:
    """Where the transcript of a session that had moved ended when it was resumed itself; 0 where it never was."""
    return _number(_get(book, f"resumed:{session}"))


def set_resumed_at(book: Writing, session: str, place: int) -> None:
    """A session that had moved is resumed itself, whatever its transcript has ended with so far."""
    _set(book, f"resumed:{session}", str(place))


def continue_in(book: Writing, old: str, new: str) -> None:
    """One session goes on as another, and knows what the one was told."""
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
    """Keep a hook's own error where `/bg-status` and the doctor show it; the last hundred stay."""
    with book.transaction() as writing:
        writing.write("INSERT INTO errors (at, event, text) VALUES (?, ?, ?)", book.now(), event, masked(text)[-2000:])
        writing.write("DELETE FROM errors WHERE id <= (SELECT max(id) - 100 FROM errors)")


def errors(book: Ledger, since: float) -> list[Error]:
    """The errors since then, the newest first."""
    return Error.all(book, "SELECT * FROM errors WHERE at > ? ORDER BY id DESC", since)


def has_error_since(book: Ledger, event: str, since: float) -> bool:
    """An error of this event has been kept since then."""
    return bool(book.value("SELECT 1 FROM errors WHERE event = ? AND at > ?", event, since))


def whole_trace(book: Ledger, error: Error) -> str:
    """The command that shows an error whole."""
    return f"sqlite3 {book.path} 'select text from errors where id={error.id}'"


def forget_errors(book: Writing, until: float) -> int:
    """Delete the errors from before this moment; how many there were."""
    return book.write("DELETE FROM errors WHERE at < ?", until)


def note_stranger(book: Writing, agent: str, label: str) -> None:
    """Another agent has signed a report as this task, once for each pair."""
    book.write("INSERT OR IGNORE INTO strangers VALUES (?,?,?)", book.now(), agent, label)


def strangers(book: Ledger) -> list[Stranger]:
    """The agents that signed as somebody else, the newest first."""
    return Stranger.all(book, "SELECT * FROM strangers ORDER BY at DESC")
