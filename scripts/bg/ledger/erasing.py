"""Erasing: removing every byte of a task's texts from the data directory.

An erasure that cannot be finished at once, because another process reads the ledger or events wait in the spool, is
noted as a file for each task in a folder of its own, and finished at a later event.
"""

from __future__ import annotations

import contextlib
import json
import os
import re

from bg import durations, foreign
from bg.ledger import aside, forgetting, naming, notes, place, spool, typed
from bg.ledger import proofs as proving
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Optional

    from bg.ledger.file import Ledger

LONGEST = 64 * 1024
EVENT = 64 * 1024 * 1024
PART = ".bg-part"


class Marks(Record):
    """The names by which a task's rows, files and waiting events are found once its own rows are gone."""

    names: list[str]
    sessions: list[str]


def begin(book: Ledger, label: str) -> None:
    """Delete a task's rows, after noting on disk that its texts must be overwritten, so that a kill loses nothing."""
    marks = Marks(
        forgetting.agents(book, label) + _values(book, label, "token"),
        _values(book, label, "session") or _archived_sessions(book.place, label),
    )
    folder = os.path.join(book.place, place.ERASING)
    place.make_private(folder)
    path = os.path.join(folder, label)
    if not os.path.exists(path):
        _write(os.path.join(book.place, f"{label}{PART}"), path, [json.dumps(marks._asdict()).encode()])
    _delete(book, label, marks)


def due(folder: str) -> dict[str, Marks]:
    """The marks of the tasks in this data directory whose erasing has begun and is not finished."""
    found = {}
    for label in foreign.names(os.path.join(folder, place.ERASING)):
        if naming.LABEL.fullmatch(label):
            with contextlib.suppress(OSError, ValueError, TypeError):
                known = foreign.loads(foreign.whole(os.path.join(folder, place.ERASING, label), LONGEST))
                found[label] = Marks(**known)
    return found


def finish(book: Ledger, patience: float) -> list[str]:
    """Finish erasing as far as possible now; return a sentence for each obstacle."""
    folder = os.path.join(book.place, place.ERASING)
    if not os.path.isdir(folder):
        return []
    begun, noted = foreign.names(folder), due(book.place)
    for label, marks in noted.items():
        _delete(book, label, marks)  # again: an event from the spool may have written something meanwhile
    left = _remove_files(book.place, [name for marks in noted.values() for name in marks.names])
    left += _strip_exports(book.place, set(noted))
    left += _waiting(book.place, noted)
    left += filter(None, [book.overwrite(patience)])
    if not left:
        for name in begun:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(folder, name))
        with contextlib.suppress(OSError):  # not empty if another hook has begun to erase another task
            os.rmdir(folder)
    return left


def erase_old(book: Ledger, days: int) -> None:
    """Begin to erase tasks that ended over `days` days ago, with all reminders heard, in ledger and archive."""
    limit = book.now() - days * durations.DAY
    for label in forgetting.forgettable(book, limit, forgetting.MOST):
        begin(book, label)
    archived = set(_archived_before(book.place, limit))
    if archived:
        _strip_exports(book.place, archived)
    with book.transaction() as writing:
        gone = notes.forget_errors(writing, limit) + typed.forget_unassigned(writing, limit)
    if archived or gone:
        place.make_private(os.path.join(book.place, place.ERASING))
    for path in aside.kept_aside(book.place):
        found = foreign.stat_of(path)
        if found and found.st_mtime < limit:
            aside.delete(path)


def is_archived(folder: str, label: str) -> bool:
    """Whether the archive has something of this task."""
    return any(_is_of(line, {label}) for line in _lines(os.path.join(folder, place.ARCHIVE)))


def related(book: Ledger, label: str) -> list[str]:
    """The other tasks that may repeat words of this one: launched together with it, for it, or by its request."""
    rows = book.all(
        "SELECT label FROM tasks WHERE label <> ?1 AND (grp = (SELECT grp FROM tasks WHERE label = ?1)"
        " OR label IN (SELECT worker FROM delegations WHERE label = ?1)"
        " OR label IN (SELECT label FROM delegations WHERE worker = ?1)) ORDER BY number",
        label,
    )
    return [row["label"] for row in rows]


def _values(book: Ledger, label: str, column: str) -> list[str]:
    """The values in this column of the task's rows, from every table."""
    found: dict[str, None] = {}
    for table, columns in forgetting.tables(book):
        if {"label", column} <= columns:
            rows = book.all(f'SELECT DISTINCT "{column}" AS value FROM "{table}" WHERE label = ?', label)
            found.update(dict.fromkeys(row["value"] for row in rows if row["value"]))
    return list(found)


def _delete(book: Ledger, label: str, marks: Marks) -> None:
    with book.transaction() as writing:
        typed.blank_shared(writing, label)
        proving.blank_shared(writing, label)
        for session in marks.sessions:
            typed.forget_unassigned_in(writing, session)
            notes.forget_late_words(writing, session)
        notes.forget_errors(writing, book.now() + 1)  # all of them: a trace does not say which task's words it quotes
        forgetting.delete(writing, label, marks.names)


def _remove_files(folder: str, names: list[str]) -> list[str]:
    """Delete the files with words of any task, and those named after these names; a sentence for each that remains."""
    left = []
    for path in _files(folder, tuple(names)):
        try:
            os.unlink(path)
        except FileNotFoundError:
            pass
        except OSError as error:
            left.append(f"{path} cannot be deleted: {error.strerror or error}")
    return left


def _files(folder: str, names: tuple[str, ...]) -> Iterator[str]:
    for log in spool.log_files(folder):
        yield from (log, f"{log}.old")
    yield os.path.join(folder, place.BOARD)
    pages = os.path.join(folder, place.REPORTS)
    yield from (os.path.join(pages, name) for name in foreign.names(pages))
    for name in foreign.names(folder):
        path = os.path.join(folder, name)
        if name.startswith(f".{place.BOARD}-"):
            yield path
        elif names and os.path.isdir(path):
            yield from (os.path.join(path, each) for each in foreign.names(path) if each.startswith(names))


def _strip_exports(folder: str, labels: set[str]) -> list[str]:
    """Remove the tasks' lines from the archive, and from every export beside it; a sentence for each that remains."""
    left = []
    for name in foreign.names(folder):
        path = os.path.join(folder, name)
        try:
            if name.endswith(PART):  # left by a hook that was killed
                os.unlink(path)
            elif name.endswith(".jsonl"):
                with place.alone(folder, place.ARCHIVE_LOCK):
                    _strip(path, labels, torn=name == place.ARCHIVE)
        except OSError as error:
            left.append(f"{path} cannot be changed: {error.strerror or error}")
    return left


def _strip(path: str, labels: set[str], *, torn: bool) -> None:
    """Rewrite a file without the lines of these tasks, if it has any; if `torn`, without unreadable lines too."""
    if not any(_is_of(line, labels, torn=torn) for line in _lines(path)):
        return
    _write(f"{path}{PART}", path, (line for line in _lines(path) if not _is_of(line, labels, torn=torn)))


def _write(part: str, path: str, lines: Iterable[bytes]) -> None:
    """Write a private file, whole or not at all."""
    with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600), "wb") as file:
        file.writelines(lines)
        file.flush()
        os.fsync(file.fileno())
    os.replace(part, path)


def _lines(path: str) -> Iterator[bytes]:
    if foreign.stat_of(path):
        with open(path, "rb") as file:
            yield from file


def _is_of(line: bytes, labels: set[str], *, torn: bool = False) -> bool:
    found = _read(line)
    if found is None:
        return torn
    return bool(labels & {found.get("label"), found.get("task")} if _is_exported(found) else ())


def _read(line: bytes) -> Optional[dict[str, Any]]:
    try:
        found = foreign.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else {}


def _is_exported(found: dict[str, Any]) -> bool:
    """Whether it is a line of `bgctl export`: a task, or a signal of one."""
    return "reports" in found if "label" in found else "task" in found and "run" in found


def _archived_before(folder: str, limit: float) -> Iterator[str]:
    for found in filter(None, map(_read, _lines(os.path.join(folder, place.ARCHIVE)))):
        ended, label = found.get("ended"), found.get("label")
        if isinstance(ended, (int, float)) and ended < limit and isinstance(label, str):
            yield label


def _archived_sessions(folder: str, label: str) -> list[str]:
    """The sessions of an archived task, by its lines in the archive."""
    found = filter(None, map(_read, _lines(os.path.join(folder, place.ARCHIVE))))
    return [str(line["session"]) for line in found if line.get("label") == label and line.get("session")]


def _waiting(folder: str, noted: dict[str, Marks]) -> list[str]:
    """A sentence if events in the spool may concern one of these tasks: they must be taken in first."""
    signs = [rf"{label}(?!\d)" for label in noted]
    if not signs:
        return []
    signs += [re.escape(sign) for marks in noted.values() for sign in [*marks.names, *marks.sessions]]
    found = re.compile("|".join(signs).encode())
    held = 0
    for path in spool.files(folder):
        with contextlib.suppress(OSError):
            held += bool(found.search(foreign.read(path, EVENT)))
    return [f"{held} events that may concern it wait to be taken in"] if held else []
