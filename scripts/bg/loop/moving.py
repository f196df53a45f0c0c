"""Moves: finding the tasks of a project whose folder was renamed, and the session that goes on with another one."""

from __future__ import annotations

import os

from bg import repository
from bg.host import arrivals
from bg.ledger import cases, notes, projects
from bg.ledger.file import Ledger
from bg.loop.scene import Scene

LONGEST = 20  # moves of one session, one after the other


def follow(scene: Scene) -> None:
    """Move the tasks of this repository, or of this session, from a folder that is gone to the present one.

    Tasks of a folder that has become a repository since are kept too.
    """
    here = scene.project_here()
    root = projects.root_of(here)
    with scene.book.transaction() as writing:
        projects.give_roots(writing)
        for old in _left(scene, root):
            if old != root and (old == here or not os.path.exists(old)):
                projects.move(writing, old, root)


def heir(book: Ledger, session: str) -> str:
    """The session that goes on with this one, by the host's own records; itself where the host has not moved it.

    The process of the moved session lives on with the new one, so a living process proves nothing here.
    """
    now, path = session, cases.docket(book, session).transcript
    for _ in range(LONGEST):
        following = arrivals.continued_in(path)
        if not following or not arrivals.continued_in(path, notes.resumed_at(book, now)):
            break
        now, path = following, cases.docket(book, following).transcript or _beside(path, following)
    return now


def _beside(path: str, session: str) -> str:
    return os.path.join(os.path.dirname(path), f"{session}.jsonl")


def _left(scene: Scene, root: str) -> list[str]:
    mark = repository.mark(root)
    found = notes.roots_marked(scene.book, mark) if mark else []
    known = scene.docket.row
    # An older version of this plugin noted no root.
    was = (known.root or known.project or "") if known else ""
    return [*found, was or root, scene.project_here()]
