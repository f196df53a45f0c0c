"""Continuing: a session that the host has moved here, under a new id, brings its tasks and its records along."""

from __future__ import annotations

from bg import durations
from bg.host import transcripts
from bg.ledger import notes, place, projects, sessions, windows
from bg.loop import moving, proof
from bg.loop.scene import Scene


def arrive(scene: Scene) -> None:
    """Take over what belongs to a session that the host has moved here; its agents came along and still run.

    Once a turn has ended here without a record of a move, this session is a fork that the user has made.
    """
    owners = [*projects.left(scene.book, scene.project, scene.book.now() - durations.RECENT)]
    for owner in dict.fromkeys([*owners, *windows.sessions_with_open(scene.book)]):
        if owner != scene.session and moving.heir(scene.book, owner) == scene.session:
            scene.enter()
            scene.apart("who said what", proof.look, scene, "", owner)
            with scene.book.transaction() as writing:
                sessions.continue_in(writing, owner, scene.session)
                notes.forget_origin(writing, scene.session)
    if scene.event.name == "Stop":
        with scene.book.transaction() as writing:
            notes.forget_origin(writing, scene.session)


def wait_for_origin(scene: Scene) -> None:
    """Wait for the record that this session goes on with another one: the host may write it only after the start."""
    with scene.book.transaction() as writing:
        notes.set_awaits_origin(writing, scene.session)
        name = notes.give_name(writing)
    place.mark(scene.book.place, scene.session, name)


def note_return(scene: Scene) -> None:
    """Note the place in its transcript from which a moved session that begins again writes for itself."""
    if moving.heir(scene.book, scene.session) != scene.session:
        with scene.book.transaction() as writing:
            notes.set_resumed_at(writing, scene.session, transcripts.size(scene.event.transcript))
