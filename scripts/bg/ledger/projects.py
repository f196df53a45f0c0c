"""Projects: the folders and repositories that tasks belong to, and the changes when one is renamed."""

from __future__ import annotations

import os

from bg import repository
from bg.ledger.file import Ledger, Writing
from bg.ledger.values import Decision, ItemState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.tasks import Task


def root_of(project: str) -> str:
    """The identity of a project: the repository that its folder is a checkout or a part of, else the folder itself."""
    return repository.common(project) or project


# Rows of an older plugin, which may still be writing, have no root.
IN_PROJECT = "(root = ? OR (root IS NULL AND +project = ?))"


def outside(project: str, some: list[Task]) -> list[Task]:
    """Of these tasks, the ones of other projects."""
    root = root_of(project)
    return [task for task in some if (task.root != root if task.root else task.project != project)]


def parts(project: str) -> list[tuple[str, tuple[str, ...]]]:
    """The alternatives of `IN_PROJECT`, each of which has an index, with their values; without a project, any task."""
    if not project:
        return [("1", ())]
    # The plus keeps SQLite off the index by folder: the rows without a root are few, whatever their folder.
    return [("root = ?", (root_of(project),)), ("root IS NULL AND +project = ?", (project,))]


# The tasks that a session which is gone leaves to the next one: those that have not ended, those with something left
# to hear or to answer, and those that ended last. The others stay in their session until one is continued.
_LEFT = f"""
SELECT label FROM tasks WHERE root = ?1 AND ended IS NULL
UNION SELECT label FROM tasks WHERE root IS NULL AND +project = ?2 AND ended IS NULL
UNION SELECT label FROM (SELECT label FROM tasks WHERE root = ?1 AND closed IS NULL AND ended > ?3
  ORDER BY ended DESC LIMIT ?4)
UNION SELECT label FROM (SELECT label FROM tasks WHERE root IS NULL AND +project = ?2 AND ended > ?3
  ORDER BY ended DESC LIMIT ?4)
UNION SELECT label FROM deliveries WHERE seen IS NULL
UNION SELECT label FROM questions WHERE state = '{ItemState.OPEN}'
UNION SELECT worker FROM delegations WHERE state = '{Decision.APPROVED}'
"""
_MOST_LEFT = 15


def left(book: Ledger, project: str, since: float) -> dict[str, list[str]]:
    """The labels of tasks that a project's sessions leave to a next one, by session; ended ones only since then."""
    rows = book.all(
        f"SELECT t.session, t.label FROM ({_LEFT}) l CROSS JOIN tasks t ON t.label = l.label"
        " WHERE t.root = ?1 OR (t.root IS NULL AND t.project = ?2) ORDER BY t.number",
        root_of(project),
        project,
        since,
        _MOST_LEFT,
    )
    found: dict[str, list[str]] = {}
    for row in rows:
        found.setdefault(row["session"], []).append(row["label"])
    return found


def give_roots(book: Writing) -> None:
    """Give the tasks of an older plugin the root of their repository, or their folder if the repository is gone."""
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root IS NULL AND project IS NOT NULL"):
        root = root_of(row["project"])
        book.write("UPDATE tasks SET root = ? WHERE root IS NULL AND +project = ?", root, row["project"])


def set_project(book: Writing, label: str, project: str) -> None:
    """Move a task to this project."""
    book.write("UPDATE tasks SET project = ?, root = ? WHERE label = ?", project, root_of(project), label)


def move(book: Writing, old: str, new: str) -> None:
    """Move the tasks and sessions of one root to another: the folder was renamed."""
    before, behind = _folder(old), _folder(new)
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root = ?", old):
        was = row["project"] or ""
        now = behind + was[len(before) :] if was == before or was.startswith(f"{before}{os.sep}") else was
        book.write("UPDATE tasks SET project = ?, root = ? WHERE root = ? AND project = ?", now, new, old, was)
        book.write("UPDATE sessions SET project = ?, root = ? WHERE project = ?", now, new, was)


def _folder(root: str) -> str:
    return os.path.dirname(root) if os.path.basename(root) == ".git" else root


def every(book: Ledger) -> list[str]:
    """The projects that have tasks, the last active one first."""
    rows = book.all("SELECT project, max(since) FROM tasks GROUP BY coalesce(root, project) ORDER BY max(since) DESC")
    return [row["project"] or "" for row in rows]


def is_any_since(book: Ledger, project: str, since: float) -> bool:
    """Whether a task of the project is open, or ended after this moment and is not closed."""
    for where, values in parts(project):
        # Two queries, as no index serves both conditions.
        if book.value(f"SELECT 1 FROM tasks WHERE {where} AND ended IS NULL LIMIT 1", *values):
            return True
        if book.value(f"SELECT 1 FROM tasks WHERE {where} AND closed IS NULL AND ended > ? LIMIT 1", *values, since):
            return True
    return False


def name_of(project: str) -> str:
    """What people call a project: the name of its folder."""
    return os.path.basename(project.rstrip("/")) or project
