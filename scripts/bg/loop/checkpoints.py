"""Checkpoints that no agent made: where a run was cut, what it left is read from its transcript and the disk."""

from __future__ import annotations

from bg.host import agents
from bg.ledger import launches, reported, runs
from bg.ledger.tasks import Task
from bg.loop.scene import Scene
from bg.words import phrases
from bg.words.quoting import cited, quote
from bg.words.texts import fill

MOST = 3000


def left_by(scene: Scene, task: Task) -> str:
    """The state in which a run that was cut has left its work; empty where the run ended with a signal of its own."""
    run = runs.last_run(scene.book, task.agent) if task.agent else None
    launch = launches.of_agent(scene.book, task.agent) if run else None
    if run is None or launch is None or run.ended is None or reported.ended_with_signal(scene.book, run.agent, run.run):
        return ""
    # Late: a run that was cut is rare, and reading calls is a part of the checker.
    from bg.evidence import checkpoint  # noqa: PLC0415

    path = agents.of_agent(scene.event.transcript, task.agent)
    found = checkpoint.of(path, launch.cwd, launch.made)
    return fill(
        "checkpoint",
        why=run.cut or task.note or phrases.NO_SIGNAL,
        folder=cited(found.folder, 300) if found.folder else phrases.NOT_KNOWN,
        more="" if found.whole else phrases.AND_MORE_FILES,
        files=quote("\n".join(found.files), MOST) if found.files else phrases.NOTHING_CHANGED,
        last=quote(found.last, 400) if found.last else phrases.NOT_KNOWN,
        step=quote(found.step, 400) if found.step else phrases.NOT_KNOWN,
    )
