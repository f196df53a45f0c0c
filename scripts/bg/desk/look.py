"""Outside Claude Code: `bgctl status`, `inbox` and `export`, which read every ledger of the user."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from bg.desk import detail, open_items, page, status, table
from bg.ledger import (
    cases,
    children,
    inbox,
    naming,
    place,
    projects,
    proofs,
    reported,
    resumes,
    runs,
    tasks,
    typed,
    user_answers,
    verifications,
)
from bg.ledger.file import Ledger, Record, Unavailable, unpacked
from bg.ledger.inbox import Question
from bg.ledger.runs import Run
from bg.ledger.tasks import Task
from bg.ledger.values import State
from bg.words import phrases
from bg.words.times import often

Outcome = tuple[int, str, str]
AT_ONCE = 100

WARNINGS = {
    State.FAILED: "The agent failed; results may be incomplete.",
    State.UNREPORTED: "The agent ended without a signal; what it says is unchecked.",
    State.INTERRUPTED: "The session ended under the agent; results may be incomplete.",
    State.PAUSED: "A limit has paused the agent; results may be incomplete.",
    State.STOPPED: "The agent was stopped; results may be incomplete.",
    State.NOT_LAUNCHED: "Nothing was launched.",
    State.PARTIAL: "The agent reports partial success.",
    State.DISPUTED: "What was seen, or the check that the user named, refutes the report; see its evidence and checks.",
}


def status_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl status`."""
    parser.description = "What every background task is doing, waiting for, and what to type."
    parser.epilog = "Exit status: 0, also where there is nothing; 1 a ledger that cannot be read; 2 usage."
    parser.add_argument("label", metavar="LABEL", nargs="?", default="", help="one task, with its last report whole")
    parser.add_argument("--json", action="store_true", help="print the tasks as a JSON list")
    parser.add_argument("--all", action="store_true", help="also what ended more than a day ago")
    parser.set_defaults(run=run_status)


def export_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl export`."""
    parser.description = (
        "The ledger as JSON lines: each signal in the protocol's form, then each task with its warnings."
    )
    parser.epilog = "Exit status: 0; 1 a ledger that cannot be read, or no such task; 2 usage."
    parser.add_argument("--task", metavar="LABEL", default="", help="only this task")
    parser.set_defaults(run=run_export)


def inbox_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl inbox`."""
    parser.description = "What waits for you over all projects, by priority, then age, and what to type."
    parser.epilog = "Exit status: 0, also where nothing waits; 1 a ledger that cannot be read; 2 usage."
    parser.set_defaults(run=run_inbox)


@contextlib.contextmanager
def ledgers() -> Iterator[tuple[list[Ledger], str]]:
    """Every ledger that can be read, and a line for each that cannot."""
    with contextlib.ExitStack() as stack:
        books, said = [], ""
        for folder in place.existing():
            try:
                books.append(stack.enter_context(contextlib.closing(Ledger(folder, create=False))))
            except Unavailable as error:
                said += f"bgctl: {error.reason}\n"
        yield books, said


def run_status(given: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    label = naming.label_of(given.label)
    with ledgers() as (every, said):
        books = _with_task(every, label) if given.label else every
        if given.label and not books:
            return 1, "[]\n" if given.json else "", f"{said}bgctl: there is no task {label or given.label}\n"
        if given.json:
            out = _as_json(books, label, everything=given.all)
        elif label:
            out = _pages(books, label)
        elif books or said:
            out = _tables(books, everything=given.all)
        else:
            out = f"No ledger yet in {', '.join(place.directories())}.\n"
        return int(bool(said)), out, said


def _with_task(books: list[Ledger], label: str) -> list[Ledger]:
    return [book for book in books if tasks.get(book, label)]


def _as_json(books: list[Ledger], label: str, *, everything: bool) -> str:
    """The task of that label, or all that a person wants to see, as a JSON list."""
    entries = [
        {**status.to_json(status.record(cases.case(book, task.label))), "ledger": book.path}
        for book in books
        for task in (_each(book, label) if label else status.chosen(book, everything=everything))
    ]
    return json.dumps(entries, ensure_ascii=False, indent=2) + "\n"


def _pages(books: list[Ledger], label: str) -> str:
    """Everything about the task of that label, which each of these ledgers has."""
    sheet = page.of_stream(sys.stdout)
    sheet.height = 0  # a terminal scrolls the lines that it has no room for
    return "\n".join(detail.detail(book, sheet, label) + "\n" for book in books)


def _tables(books: list[Ledger], *, everything: bool) -> str:
    """The tables of every ledger."""
    sheet, several = page.of_stream(sys.stdout), len(books) > 1
    return "\n".join(part for book in books for part in _of_book(book, sheet, named=several, everything=everything))


def _of_book(book: Ledger, sheet: page.Page, *, named: bool, everything: bool) -> Iterator[str]:
    """The table of the project in which this is called, else one for each project, under its name."""
    known = projects.every(book)
    here = _called_in(known)
    for project in here or known or [""]:
        head = sheet.wrapped(book.path, "quiet") if named else []
        head += sheet.wrapped(project, "heading") if len(known) > 1 else []
        more = place.bgctl("status --all")
        shown = table.table(book, sheet, project, everything=everything, more=more, alone=bool(here))
        yield "\n".join([*head, *([""] if head else []), shown, ""])
    if here and len(known) > 1:
        names = ", ".join(projects.name_of(each) for each in known if each not in here)
        others = phrases.OTHER_PROJECTS.format(names=names, command=place.bgctl("status --all"))
        yield "\n".join([*sheet.wrapped(others, "quiet"), ""])


def _called_in(known: list[str]) -> list[str]:
    """The known projects that this process runs in."""
    root = os.path.realpath(projects.root_of(os.path.realpath(os.curdir)))
    return [each for each in known if each and os.path.realpath(projects.root_of(each)) == root]


def run_inbox(_: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    with ledgers() as (books, said):
        return int(bool(said)), whole_inbox(books, page.of_stream(sys.stdout)) + "\n", said


def whole_inbox(books: Iterable[Ledger], sheet: page.Page) -> str:
    """The items that wait for the user, project by project."""
    parts = []
    for book in books:
        for project in projects.every(book):
            if inbox.waiting(book, project=project):
                head = sheet.wrapped(f"In {project or 'a project without a folder'}", "heading")
                parts.append("\n".join([*head, "", open_items.waiting_list(book, sheet, project)]))
    return "\n\n".join(parts) or "Nothing waits for you in any project."


def run_export(given: argparse.Namespace) -> tuple[int, Iterator[str], str]:
    """The exit status, the standard output a line at a time, and the standard error."""
    wanted = naming.label_of(given.task)
    with ledgers() as (books, said):
        if given.task and not _with_task(books, wanted):
            return 1, iter(()), f"{said}bgctl: there is no task {given.task}\n"
    return int(bool(said)), _export(wanted), said


def _export(wanted: str) -> Iterator[str]:
    with ledgers() as (books, _):
        for book in books:
            for task in _each(book, wanted):
                for line in exported(book, task):
                    yield json.dumps(line, ensure_ascii=False) + "\n"


def _each(book: Ledger, wanted: str) -> Iterator[Task]:
    """The task of that label, or all, a few at a time: a ledger may be larger than the memory."""
    if wanted:
        yield from filter(None, [tasks.get(book, wanted)])
        return
    found = tasks.after(book, -1, AT_ONCE)
    while found:
        yield from found
        book.held.clear()
        found = tasks.after(book, found[-1].number, AT_ONCE)


def exported(book: Ledger, task: Task) -> Iterator[dict[str, Any]]:
    """One task's lines: its signals, then the task itself."""
    label = task.label
    for row in reported.find_signals(book, label=label):
        yield {**unpacked(row.body), "task": label, "run": row.run, "at": row.at}
    known = runs.find(book, label=label)
    yield {
        **status.to_json(status.record(cases.case(book, label))),
        "warnings": _warnings(task, known),
        "runs": _rows(known, "agent", "run", "began", "ended", "corrections", "cut"),
        "reports": [
            {**row.columns("agent", "run", "source"), "text": reported.whole(book, row), "at": row.at}
            for row in reported.reports_of_task(book, label)
        ],
        "questions": [
            {
                **row.columns("run", "qid", "text", "context", "state", "asked", "shown"),
                "kind": inbox.kind(row),
                "answers": _answers(book, row),
                "retracted": _rows(
                    user_answers.find_retracted(book, question=row.id), "text", "kind", "source", "at", "gone", "typed"
                ),
            }
            for row in inbox.find(book, label=label)
        ],
        "resumes": _rows(resumes.find(book, label=label), "kind", "typed", "message", "at", "proven", "failed"),
        "typed": _rows(typed.find(book, label=label), "id", "at", "via", "text", "outcome", "reading"),
        "proofs": _rows(proofs.find(book, label=label), "way", "text", "at", "proof", "origin"),
        "checks": list(map(status.check, verifications.find(book, label=label))),
        "children": _rows(children.find(book, label=label), "description", "kind", "agent", "made", "ended", "refused"),
    }


def _warnings(task: Task, known: list[Run]) -> list[str]:
    """The reasons to doubt a task's results: its state, and runs that were cut or asked again."""
    found = [WARNINGS[task.state]] if task.state in WARNINGS else []
    found += [f"Run {run.run} was cut: {run.cut}." for run in known if run.cut]
    again = [run for run in known if run.corrections]
    return found + [f"Run {run.run} was asked {often(run.corrections)} for a readable report." for run in again]


def _rows(found: Sequence[Record], *names: str) -> list[dict[str, Any]]:
    """These columns of each row."""
    return [row.columns(*names) for row in found]


def _answers(book: Ledger, question: Question) -> list[dict[str, Any]]:
    found = user_answers.find(book, question=question.id)
    return [
        {
            **row.columns("text", "kind", "source", "at", "sent", "typed"),
            "proof": proofs.class_of(book, row.proof, row.source),
        }
        for row in found
    ]
