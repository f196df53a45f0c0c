"""`bgctl forget`, and what a session's begin forgets by the setting keep_days: a task is exported, then deleted."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
from pathlib import Path
from typing import TextIO

from bg.desk import look
from bg.ledger import forgetting, naming, notes, place, tasks
from bg.ledger.file import Ledger

ARCHIVE = "archive.jsonl"
DAY = 24 * 3600
MOST = 200  # at a session's begin, so that it waits for nothing


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl forget` takes."""
    parser.description = (
        "Delete tasks that have ended from the ledger. Each is first exported to archive.jsonl beside the ledger."
    )
    parser.epilog = "Exit status: 0; 1 no such task, or one that has not ended; 2 usage."
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("labels", metavar="LABEL", nargs="*", default=[], help="these tasks")
    which.add_argument("--ended-before", metavar="DAYS", type=int, help="what ended more than so many days ago")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> look.Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    out, wrong, found = [], "", set()
    with look.ledgers() as (books, said):
        for book in books:
            with contextlib.closing(_archive(book)) as archive:
                labels = [naming.label_of(label) or label for label in given.labels]
                if given.ended_before is not None:
                    labels = forgetting.forgettable(book, book.now() - given.ended_before * DAY, -1)
                for label in labels:
                    task = tasks.get(book, label)
                    found |= {label} if task else set()
                    if task is not None and task.ended is None:
                        wrong += f"bgctl: {label} has not ended; close it first: /bg-answer {label} close\n"
                    elif task is not None:
                        _forget(book, archive, label)
                        out.append(f"{label} is forgotten, and kept in {archive.name}\n")
        wrong += "".join(f"bgctl: there is no task {label}\n" for label in given.labels if not {label} & found)
    return int(bool(wrong or said)), "".join(out), said + wrong


def sweep(book: Ledger, days: int) -> None:
    """Once a day: what ended so long ago, and was heard, is exported and deleted."""
    now = book.now()
    if notes.swept(book) == int(now // DAY):
        return
    with contextlib.closing(_archive(book)) as archive:
        for label in forgetting.forgettable(book, now - days * DAY, MOST):
            _forget(book, archive, label)
    with book.transaction() as writing:
        notes.set_swept(writing, int(now // DAY))


def _archive(book: Ledger) -> TextIO:
    path = Path(book.place) / ARCHIVE
    place.touch(str(path))
    return path.open("a", encoding="utf-8")


def _forget(book: Ledger, archive: TextIO, label: str) -> None:
    """Durable in the archive before it goes."""
    task = tasks.get(book, label)
    if task is None:
        return
    archive.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in look.exported(book, task))
    archive.flush()
    os.fsync(archive.fileno())
    with book.transaction() as writing:
        forgetting.forget(writing, label)
