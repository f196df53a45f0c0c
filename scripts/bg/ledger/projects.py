"""Projects: the folders and repositories that tasks belong to, which have tasks, and what moves with them."""

from __future__ import annotations

import os

from bg import repository
from bg.ledger.file import Ledger, Writing
from bg.ledger.values import Decision, ItemState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from bg.ledger.tasks import Task


def root_of(project: str) -> str:
    """What makes folders one project: the repository that they are checkouts or parts of, else the folder itself."""
    return repository.common(project) or project


# An older plugin, which may go on writing, knows no root.
IN_PROJECT = "(root = ? OR (root IS NULL AND +project = ?))"


def outside(project: str, some: list[Task]) -> list[Task]:
    """Of these tasks, the ones of other projects."""
    root = root_of(project)
    return [task for task in some if (task.root != root if task.root else task.project != project)]


def parts(project: str) -> list[tuple[str, tuple[str, ...]]]:
    """The same as conditions, of which each has an index of its own, with their values; for no project, one for all."""
    if not project:
        return [("1", ())]
    # The plus: what has no root is little, whatever its folder.
    return [("root = ?", (root_of(project),)), ("root IS NULL AND +project = ?", (project,))]


# What a session that is gone leaves to the next one: what has not ended, what somebody still has to hear or to answer,
# and what ended last. The rest stays where it is, and whoever goes on with it takes it then.
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
    """What a project's sessions have left to a next one: the labels by session; of what has ended, only since then."""
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
    """What an older plugin has written belongs to its repository too, or to its folder where that is gone."""
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root IS NULL AND project IS NOT NULL"):
        root = root_of(row["project"])
        book.write("UPDATE tasks SET root = ? WHERE root IS NULL AND +project = ?", root, row["project"])


def set_place(book: Writing, label: str, project: str) -> None:
    """The task goes on in this project."""
    book.write("UPDATE tasks SET project = ?, root = ? WHERE label = ?", project, root_of(project), label)


def move(book: Writing, old: str, new: str) -> None:
    """A project of that root is now of another one: its folder was renamed."""
    before, behind = _folder(old), _folder(new)
    for row in book.all("SELECT DISTINCT project FROM tasks WHERE root = ?", old):
        was = row["project"] or ""
        now = behind + was[len(before) :] if was == before or was.startswith(f"{before}{os.sep}") else was
        book.write("UPDATE tasks SET project = ?, root = ? WHERE root = ? AND project = ?", now, new, old, was)
        book.write("UPDATE sessions SET project = ?, root = ? WHERE project = ?", now, new, was)


def _folder(root: str) -> str:
    return os.path.dirname(root) if os.path.basename(root) == ".git" else root


def every(book: Ledger) -> list[str]:
    """The projects that have tasks, the one that was last busy first."""
    rows = book.all("SELECT project, max(since) FROM tasks GROUP BY coalesce(root, project) ORDER BY max(since) DESC")
    return [row["project"] or "" for row in rows]


def is_any_since(book: Ledger, project: str, since: float) -> bool:
    """A task of the project is open, or ended after this moment."""
    for where, values in parts(project):
        # One condition each, as no index serves both.
        if book.value(f"SELECT 1 FROM tasks WHERE {where} AND ended IS NULL LIMIT 1", *values):
            return True
        if book.value(f"SELECT 1 FROM tasks WHERE {where} AND closed IS NULL AND ended > ? LIMIT 1", *values, since):
            return True
    return False


def name_of(project: str) -> str:
    """What people call a project: the name of its folder."""
    return os.path.basename(project.rstrip("/")) or project
