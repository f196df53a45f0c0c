"""The archive of tasks that are forgotten, and `bgctl forget`: a task is exported there, then deleted."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from bg.desk import look
from bg.ledger import forgetting, naming, place, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

ARCHIVE = "archive.jsonl"


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
            labels = [naming.label_of(label) or label for label in given.labels]
            if given.ended_before is not None:
                labels = forgetting.forgettable(book, book.now() - given.ended_before * forgetting.DAY, -1)
            for label in labels:
                task = tasks.get(book, label)
                found |= {label} if task else set()
                if task is not None and task.ended is None:
                    wrong += f"bgctl: {label} has not ended; close it first: /bg-answer {label} close\n"
                elif task is not None:
                    forgetting.forget(book, task, archive)
                    out.append(f"{label} is forgotten, and kept in {_path(book)}\n")
        wrong += "".join(f"bgctl: there is no task {label}\n" for label in given.labels if not {label} & found)
    return int(bool(wrong or said)), "".join(out), said + wrong


def archive(book: Ledger, task: Task) -> None:
    """Append a task's export to the archive, durably."""
    path = _path(book)
    place.touch(str(path))
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in look.exported(book, task))
        file.flush()
        os.fsync(file.fileno())


def _path(book: Ledger) -> Path:
    return Path(book.place) / ARCHIVE
