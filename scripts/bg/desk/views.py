"""Views: what the loop is handed of the desk, each as one text in the width of the host's messages; and the archive."""

from __future__ import annotations

from bg.desk import detail, findings, forget, open_items, page
from bg.desk import doctor as examination
from bg.desk import table as listing
from bg.host.versions import Host
from bg.ledger.cases import Case
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task


def table(book: Ledger, project: str, *, everything: bool, launch: str) -> str:
    """The tasks of a project; `launch` is what starts one."""
    return listing.table(book, page.of_hook(), project, everything=everything, launch=launch)


def task(book: Ledger, label: str) -> str:
    """Everything about one task."""
    return detail.detail(book, page.of_hook(), label)


def inbox(book: Ledger, project: str) -> str:
    """What waits for the user in a project."""
    return open_items.waiting_list(book, page.of_hook(), project)


def answers(case: Case, command: str) -> str:
    """What one task waits for, and what it was answered."""
    return open_items.of_task(case, page.of_hook(), command)


def doctor(host: Host) -> str:
    """What is wrong with this installation."""
    return findings.told(list(examination.examine(host)), page.of_hook())


def archive(book: Ledger, task: Task) -> None:
    """Keep what is about to be forgotten."""
    forget.archive(book, task)
