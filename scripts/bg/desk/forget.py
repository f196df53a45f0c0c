"""The archive of tasks that are forgotten, and `bgctl forget`: a task is exported there and deleted, or erased."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from bg.desk import look
from bg.ledger import aside, erasing, forgetting, naming, place, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

PATIENCE = 2.0  # seconds, for whoever reads the ledger
OUTSIDE = "Not erased: Claude Code's own transcripts, and what was saved elsewhere: exports, pages, backups."


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl forget` takes."""
    parser.description = (
        "Delete tasks that have ended from the ledger. Each is first exported to archive.jsonl beside the ledger;"
        " with --erase it is not, and its texts are removed from every file of the data directory."
    )
    parser.epilog = "Exit status: 0; 1 no such task, one that has not ended, or one that is not yet erased; 2 usage."
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("labels", metavar="LABEL", nargs="*", default=[], help="these tasks")
    which.add_argument("--ended-before", metavar="DAYS", type=int, help="what ended more than so many days ago")
    parser.add_argument("--erase", action="store_true", help="keep nothing of them, in the archive neither")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> look.Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    out, wrong, found = [], "", set()
    with look.ledgers() as (books, said):
        for book in books:
            gone = []
            for label in _meant(book, given):
                task = tasks.get(book, label)
                found |= {label} if task or (given.erase and _is_left(book, label)) else set()
                if task is not None and task.ended is None:
                    wrong += f"bgctl: {label} has not ended; close it first: /bg-answer {label} close\n"
                elif task is not None and not given.erase:
                    forgetting.forget(book, task, archive)
                    out.append(f"{label} is forgotten, and kept in {_path(book)}\n")
                elif label in found:
                    gone.append(label)
            if gone:
                erased, kept = _erase(book, gone)
                out += erased
                wrong += kept
        wrong += "".join(f"bgctl: there is no task {label}\n" for label in given.labels if not _names(label) & found)
    return int(bool(wrong or said)), "".join(out), said + wrong


def _meant(book: Ledger, given: argparse.Namespace) -> list[str]:
    if given.ended_before is not None:
        return forgetting.forgettable(book, book.now() - given.ended_before * forgetting.DAY, -1)
    return [naming.label_of(label) or label for label in given.labels]


def _names(label: str) -> set[str]:
    return {label, naming.label_of(label)}


def _is_left(book: Ledger, label: str) -> bool:
    """Nothing of the task is in the ledger, but its erasing is not finished, or the archive has it."""
    return label in erasing.due(book.place) or erasing.is_archived(book.place, label)


def _erase(book: Ledger, labels: list[str]) -> tuple[list[str], str]:
    """What is erased, and what is in the way or may repeat its words."""
    beside = [other for label in labels for other in erasing.related(book, label) if other not in labels]
    for label in labels:
        erasing.begin(book, label)
    left = erasing.finish(book, PATIENCE)
    names = ", ".join(labels)
    verb = "is" if len(labels) == 1 else "are"
    out = [] if left else [f"{names} {verb} erased from {book.place}\n"]
    wrong = "".join(f"bgctl: {names} {verb} deleted, but not yet erased: {why}\n" for why in left)
    if left:
        out.append("The next event of a session with tasks finishes this, and so does the same command.\n")
    if beside:
        others = " ".join(dict.fromkeys(beside))
        out.append(f"Tasks that may repeat words of it: bgctl forget --erase {others}\n")
    out += [f"A damaged ledger may hold words of it: rm {path}*\n" for path in aside.kept_aside(book.place)]
    return [*out, f"{OUTSIDE}\n"], wrong


def archive(book: Ledger, task: Task) -> None:
    """Append a task's export to the archive, durably."""
    path = _path(book)
    place.touch(str(path))
    with place.alone(book.place, place.ARCHIVE_LOCK), path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in look.exported(book, task))
        file.flush()
        os.fsync(file.fileno())


def _path(book: Ledger) -> Path:
    return Path(book.place) / place.ARCHIVE
