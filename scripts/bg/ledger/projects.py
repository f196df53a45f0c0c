"""Projects: the folders and repositories that tasks belong to, which have tasks, and what moves with them."""

from __future__ import annotations

import os

from bg import repository
from bg.ledger.file import Ledger


def root_of(project: str) -> str:
    """What makes folders one project: the repository that they are checkouts or parts of, else the folder itself."""
    return repository.common(project) or project


# An older plugin, which may go on writing, knows no root.
IN_PROJECT = "(root = ? OR (root IS NULL AND project = ?))"


def hand_over(book: Ledger, owner: str, project: str, session: str) -> None:
    """What one session has in a project belongs to another one now."""
    place = root_of(project), project
    book.write(f"UPDATE tasks SET session = ? WHERE session = ? AND {IN_PROJECT}", session, owner, *place)


def give_roots(book: Ledger) -> None:
    """What an older plugin has written belongs to its repository too."""
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root IS NULL"):
        if os.path.isdir(row["project"] or ""):
            root = root_of(row["project"])
            book.write("UPDATE tasks SET root = ? WHERE root IS NULL AND project = ?", root, row["project"])


def set_place(book: Ledger, label: str, project: str) -> None:
    """The task goes on in this project."""
    book.write("UPDATE tasks SET project = ?, root = ? WHERE label = ?", project, root_of(project), label)


def move(book: Ledger, old: str, new: str) -> None:
    """A project of that root is now of another one: its folder was renamed."""
    before, behind = _folder(old), _folder(new)
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root = ?", old):
        was = row["project"] or ""
        now = behind + was[len(before) :] if was == before or was.startswith(f"{before}{os.sep}") else was
        book.write("UPDATE tasks SET project = ?, root = ? WHERE root = ? AND project = ?", now, new, old, was)
        book.write("UPDATE sessions SET project = ?, root = ? WHERE project = ?", now, new, was)


def roots_in(book: Ledger, project: str) -> list[str]:
    """The roots that the tasks of this very folder have."""
    found = book.all("SELECT DISTINCT root FROM tasks WHERE project = ?", project)
    return [row["root"] for row in found if row["root"]]


def _folder(root: str) -> str:
    return os.path.dirname(root) if os.path.basename(root) == ".git" else root


def owners(book: Ledger, project: str) -> list[str]:
    """The sessions that have tasks in a project."""
    place = root_of(project), project
    return [row["session"] for row in book.all(f"SELECT DISTINCT session FROM tasks WHERE {IN_PROJECT}", *place)]


def every(book: Ledger) -> list[str]:
    """The projects that have tasks, the one that was last busy first."""
    rows = book.all("SELECT project, max(since) FROM tasks GROUP BY coalesce(root, project) ORDER BY max(since) DESC")
    return [row["project"] or "" for row in rows]


def is_any_since(book: Ledger, project: str, since: float) -> bool:
    """A task of the project is open, or ended after this moment."""
    sql = f"SELECT 1 FROM tasks WHERE {IN_PROJECT} AND closed IS NULL AND (ended IS NULL OR ended > ?) LIMIT 1"
    return bool(book.value(sql, root_of(project), project, since))
