"""Relaunching: a launch that continues a task whose agent has ended, and what its new agent is given."""

from __future__ import annotations

from bg.host import agents, tools
from bg.ledger import naming, projects, tasks
from bg.ledger.file import Writing
from bg.ledger.tasks import Task
from bg.loop import adopting, checkpoints, inheriting, parts, proof, resuming, waking
from bg.loop.scene import Scene
from bg.signals import resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def relaunch_window(scene: Scene) -> Optional[Task]:
    """A launch whose description begins with a task that has ended unfinished continues that task."""
    found = naming.LABEL.match(tools.launch_of(scene.event).description.strip())
    task = tasks.get(scene.book, found[0]) if found else None
    if task is None or task.state not in tasks.CONTINUABLE_STATES or not task.agent:
        return None
    # In another project a label may be anybody's, unless the user has answered or named the task in this session.
    if task.session != scene.session and projects.root_of(scene.project) != (task.root or task.project):
        return None
    if parts.take(scene, task):
        return None
    with scene.book.transaction() as writing:
        if not inheriting.claim(scene, writing, task):
            return None
        projects.set_place(writing, task.label, scene.project)
        waking.open_relaunch(scene, writing, task)
    return task


def fill_relaunch(scene: Scene, writing: Writing, task: Task, adopted: adopting.Adoption) -> None:
    """The new agent gets the old one's task, state, questions and answers."""
    typed = "" if proof.is_kept_apart(scene) else tools.launch_of(scene.event).prompt
    path = agents.of_agent(scene.event.transcript, task.agent)
    message = resume.relaunch(scene.book, task, adopted.token, typed, path, checkpoints.left_by(scene, task))
    resuming.write_down(scene, writing, task, task.agent, message, typed)
    adopted.give(message.text)
