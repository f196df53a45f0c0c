"""The archive of forgotten tasks, and `bgctl forget`, which exports a task there and deletes it, or erases it."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from bg import durations
from bg.desk import look
from bg.ledger import aside, erasing, forgetting, naming, place, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

NOT_ENDED = "bgctl: {label} has not ended; close it first: /bg-answer {label} close\n"
LATER = "The next event of a session with tasks finishes this, and so does the same command."
BESIDE = "Other tasks may repeat words of it; to erase them too: bgctl forget --erase {labels}"
DAMAGED = 'A damaged ledger may hold words of it; to delete it: rm "{path}"*'
OUTSIDE = "Not erased: Claude Code's own transcripts, and what was saved elsewhere: exports, pages, backups."


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl forget`."""
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
    """The exit status, the standard output and the standard error."""
    out, wrong, found = "", "", set()
    with look.ledgers() as (books, said):
        for book in books:
            labels = [label for label in _labels_given(book, given) if _is_there(book, label, erase=given.erase)]
            done, left = _taken(book, labels, erase=given.erase)
            out, wrong = out + done, wrong + left
            found.update(labels)
        wrong += "".join(f"bgctl: there is no task {label}\n" for label in given.labels if not _names(label) & found)
    return int(bool(wrong or said)), out, said + wrong


def _labels_given(book: Ledger, given: argparse.Namespace) -> list[str]:
    if given.ended_before is not None:
        return forgetting.forgettable(book, book.now() - given.ended_before * durations.DAY, -1)
    return [naming.label_of(label) or label for label in given.labels]


def _names(label: str) -> set[str]:
    return {label, naming.label_of(label)}


def _is_there(book: Ledger, label: str, *, erase: bool) -> bool:
    """Whether the ledger has the task; for erasing, remains in the archive or in an unfinished erasing are enough."""
    left = erase and (label in erasing.due(book.place) or erasing.is_archived(book.place, label))
    return left or tasks.get(book, label) is not None


def _taken(book: Ledger, labels: list[str], *, erase: bool) -> tuple[str, str]:
    """Forget or erase the tasks that have ended; the words about these, and about those that were left."""
    living = [label for label in labels if _lives(book, label)]
    done, left = (_erase if erase else _forget)(book, [label for label in labels if label not in living])
    return done, "".join(NOT_ENDED.format(label=label) for label in living) + left


def _lives(book: Ledger, label: str) -> bool:
    task = tasks.get(book, label)
    return task is not None and task.ended is None


def _forget(book: Ledger, labels: list[str]) -> tuple[str, str]:
    """Archive and delete these tasks; the words about that, and no complaint."""
    for task in filter(None, [tasks.get(book, label) for label in labels]):
        forgetting.forget(book, task, archive)
    return "".join(f"{label} is forgotten, and kept in {_path(book)}\n" for label in labels), ""


def _erase(book: Ledger, labels: list[str]) -> tuple[str, str]:
    """Erase these tasks; the words about them and about others that may repeat their words, and the obstacles."""
    if not labels:
        return "", ""
    beside = [other for label in labels for other in erasing.related(book, label) if other not in labels]
    for label in labels:
        erasing.begin(book, label)
    left = erasing.finish(book, durations.ERASING_BY_HAND)
    names = f"{', '.join(labels)} {'is' if len(labels) == 1 else 'are'}"
    out = [LATER if left else f"{names} erased from {book.place}"]
    if beside:
        out.append(BESIDE.format(labels=" ".join(dict.fromkeys(beside))))
    out += [DAMAGED.format(path=path) for path in aside.kept_aside(book.place)]
    wrong = "".join(f"bgctl: {names} deleted, but not yet erased: {why}\n" for why in left)
    return "\n".join([*out, OUTSIDE, ""]), wrong


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
