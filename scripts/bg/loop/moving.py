"""Moves: a project whose folder was renamed is recognized; a session that the host has moved brings all it has."""

from __future__ import annotations

import os

from bg import durations, repository
from bg.host import arrivals, transcripts
from bg.ledger import cases, notes, place, projects, sessions, windows
from bg.ledger.file import Ledger
from bg.loop import proof
from bg.loop.scene import Scene

LONGEST = 20  # moves of one session, one after the other


def follow(scene: Scene) -> None:
    """A session begins: its repository, or the session itself, was last seen in a folder that is gone.

    A folder that has become a repository since keeps its tasks too.
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

    The process that had it lives on and shows the new one: that it lives says nothing.
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
    # An older plugin has noted no root.
    was = (known.root or known.project or "") if known else ""
    return [*found, was or root, scene.project_here()]


def arrive(scene: Scene) -> None:
    """What the host has moved here belongs to this session from now on; its agents were carried along and run.

    Once a turn has ended here with no record of a move, this is a fork that the user has made.
    """
    owners = [*projects.left(scene.book, scene.project, scene.book.now() - durations.RECENT)]
    for owner in dict.fromkeys([*owners, *windows.sessions_with_open(scene.book)]):
        if owner != scene.session and heir(scene.book, owner) == scene.session:
            scene.enter()
            scene.apart("who said what", proof.look, scene, "", owner)
            with scene.book.transaction() as writing:
                sessions.continue_in(writing, owner, scene.session)
                notes.forget_origin(writing, scene.session)
    if scene.event.name == "Stop":
        with scene.book.transaction() as writing:
            notes.forget_origin(writing, scene.session)


def wait_for_origin(scene: Scene) -> None:
    """A fork of a session that has tasks: the host may write down only after it has begun that it goes on with it."""
    with scene.book.transaction() as writing:
        notes.set_awaits_origin(writing, scene.session)
        name = notes.give_name(writing)
    place.mark(scene.book.place, scene.session, name)


def note_return(scene: Scene) -> None:
    """A session that has moved begins again: what it has from now on is its own, before it has written anything."""
    if heir(scene.book, scene.session) != scene.session:
        with scene.book.transaction() as writing:
            notes.set_resumed_at(writing, scene.session, transcripts.size(scene.event.transcript))
