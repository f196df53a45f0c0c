"""Moves: a project whose folder was renamed is recognized, and what the ledger has of it goes along."""

from __future__ import annotations

import os

from bg import repository
from bg.ledger import notes, projects, sessions
from bg.loop.scene import Scene


def follow(scene: Scene) -> None:
    """A session begins: its repository, or the session itself, was last seen in a folder that is gone.

    A folder that has become a repository since keeps its tasks too.
    """
    here = scene.project_here()
    root = projects.root_of(here)
    with scene.book.transaction():
        projects.give_roots(scene.book)
        for old in _left(scene, root):
            if old != root and (old == here or not os.path.exists(old)):
                projects.move(scene.book, old, root)


def _left(scene: Scene, root: str) -> list[str]:
    mark = repository.mark(root)
    found = notes.roots_marked(scene.book, mark) if mark else []
    known = sessions.get(scene.book, scene.session)
    # An older plugin has noted no root.
    was = (known.root or known.project or "") if known else ""
    return [*found, was or root, scene.project_here()]
