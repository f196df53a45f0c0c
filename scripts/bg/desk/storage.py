"""Storage: what is wrong where the plugin keeps what it knows: the disk, the events that wait, the ledgers."""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

from bg import durations
from bg.desk.findings import Finding
from bg.host import agents, transcripts
from bg.ledger import attempts, erasing, health, notes, place, proofs, sessions, spool, tasks
from bg.ledger.aside import kept_aside
from bg.ledger.file import Ledger, Unavailable
from bg.ledger.opening import UPDATE
from bg.words import trouble
from bg.words.quoting import inline

LOW_SPACE = 20 * 1024 * 1024
MOST_KEPT = 9
BGCTL = Path(__file__).resolve().parents[2] / "bgctl"
AFTER_A_DAY = "nothing to do: it is forgotten when it comes to an end, or after a day"


def where_it_is_kept() -> Iterator[Finding]:
    """The folder, the events that wait in it, and each ledger."""
    folder = Path(place.directory_of_hooks())
    for unused, why in place.passed_over().items():
        remedy = f"look at what is in it, make it yours alone with an absolute path, or take it away; {folder} is used"
        yield Finding("data", "wrong", f"{unused} is not used: {why}", remedy)
    try:
        place.make_private(str(folder))
        trial = folder / f".doctor-{os.getpid()}"
        trial.write_bytes(b"x" * 4096)
        trial.unlink()
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        yield Finding(
            "data",
            "wrong",
            f"{folder} cannot be written: {error.strerror}",
            "free some space on that disk"
            if full
            else f"make {folder} writable, or set BG_DATA to a directory that is",
        )
        yield from _put_off(folder, "they are taken in as soon as the ledger can be written")
        return
    yield from _open_to_others(folder)
    free = shutil.disk_usage(folder).free
    if free < LOW_SPACE:
        yield Finding(
            "data", "wrong", f"only {free // 1024} KB are left on the disk of {folder}", "free some space on that disk"
        )
    yield from _put_off(folder, "they are taken in by the next hook")
    for path in (Path(each) / place.LEDGER for each in place.directories()):
        if path.is_dir():
            yield Finding(
                "ledger", "wrong", f"{path} is a folder, so no ledger can be kept there", f'mv "{path}" "{path}.aside"'
            )
    ledgers = place.existing()
    if not ledgers:
        yield Finding("ledger", "ok", f"none yet; it will stand in {folder}")
    for found in ledgers:
        yield from _ledger(Path(found))


def _open_to_others(folder: Path) -> Iterator[Finding]:
    """What `hooks/run` executes nothing from, although the ledger in it is used."""
    for path in (folder, Path(place.interpreter_note(str(folder)))):
        with contextlib.suppress(OSError):
            mode = path.stat().st_mode
            if mode & 0o022:
                who = "every user" if mode & 0o002 else "its group"
                found = f"{path} can be written by {who}, so no interpreter is noted there and each event looks for one"
                yield Finding("data", "note", found, f'chmod go-w "{path}"')


def _put_off(folder: Path, remedy: str) -> Iterator[Finding]:
    """What hooks could not write into the ledger: the events that wait, and why."""
    waiting = spool.waiting(str(folder), time.time())
    if waiting:
        yield Finding("spool", "note", f"{len(waiting)} events wait to be taken in", remedy)
    for what in attempts.passed_over(str(folder), time.time(), transcripts.is_interrupted):
        yield Finding("hook error", "wrong", f"{inline(what, 200)}: {trouble.HAS_ENDED_HOOKS}", AFTER_A_DAY)
    for path in map(Path, spool.logs(str(folder))):
        with contextlib.suppress(OSError):
            lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines and time.time() - path.stat().st_mtime < durations.DAY:
                yield Finding("hook error", "note", f"the last: {inline(lines[-1], 300)}", f"all of them: {path}")


def _ledger(folder: Path) -> Iterator[Finding]:
    for path in kept_aside(str(folder)):
        yield Finding(
            "ledger", "note", f"an unreadable ledger was kept at {path}", "delete it when you no longer need it"
        )
    damage = health.damage(str(folder))
    if damage:
        yield Finding(
            "ledger",
            "wrong",
            f"{folder / place.LEDGER} is damaged: {damage}",
            "nothing to do: the next hook keeps it aside and begins a new one",
        )
        return
    try:
        book = Ledger(folder, create=False)
    except Unavailable as error:
        remedy = error.remedy or "run this again when no other process holds it"
        yield Finding("ledger", "wrong", error.reason, remedy)
        return
    for label in erasing.due(str(folder)):
        yield Finding(
            "erasing",
            "note",
            f"{label} is deleted, but not yet erased in {folder}",
            f"the next event of a session with tasks finishes it, or bgctl forget {label} --erase, which says why",
        )
    with contextlib.closing(book):
        count = tasks.count(book)
        yield Finding("ledger", "ok", f"{book.path}: {count} tasks")
        if book.is_newer:
            found = "a newer version of the bg plugin has brought it up to date; this one can still write it"
            yield Finding("ledger", "note", found, UPDATE)
        for row in notes.errors(book, book.now() - durations.DAY)[:3]:
            when = time.strftime("%H:%M", time.localtime(row.at))
            yield Finding(
                "hook error",
                "wrong",
                f"{when} in {row.event}: {row.text.strip().splitlines()[-1][:200]}",
                f"the whole trace: {notes.whole_trace(book, row)}",
            )
        for origin in sorted({row.origin for row in proofs.kept(book, book.now() - durations.DAY, MOST_KEPT)}):
            found = f"what was typed is kept and has no effect yet: {origin}"
            yield Finding("your words", "wrong", found, f'in a terminal of your own: "{BGCTL}" code')
        for task in tasks.with_open_agent(book):
            spoken = sessions.transcript(book, task.session)
            risk = transcripts.near_limit(agents.of_agent(spoken, task.agent))
            if risk:
                yield Finding(
                    "resume",
                    "note",
                    f"{task.label}: {risk}",
                    "answer it soon, or let it be relaunched with its state",
                )
