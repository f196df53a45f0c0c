"""Relaunching: a launch that continues a task whose agent has ended, and what its new agent is given."""

from __future__ import annotations

from bg.host import agents, tools
from bg.ledger import delegations, naming, projects, tasks, waiting, windows
from bg.ledger.tasks import Task
from bg.loop import adopting, checkpoints, inheriting, proof, recoveries, resuming, waking
from bg.loop.scene import Scene
from bg.words import resume

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
    if _is_a_part(scene, task):
        return None
    with scene.book.transaction():
        if not inheriting.claim(scene, task):
            return None
        projects.set_place(scene.book, task.label, scene.project)
        waking.open_relaunch(scene, task)
    return task


def _is_a_part(scene: Scene, task: Task) -> bool:
    """An agent for a part of what a stopped one could not do, not for the whole: it gets a label of its own."""
    if task.state != "blocked":
        return False
    handed = [one for one in waiting.requests(scene.book, task) if one.qid.startswith("B")]
    if any(one.state in (delegations.APPROVED, delegations.LAUNCHED) for one in handed):
        return True
    if not recoveries.is_a_part(tools.launch_of(scene.event).description):
        return False
    with scene.book.transaction():
        if not windows.open_windows(scene.book, scene.session):
            windows.open_window(scene.book, scene.session, "agent", task.text)
    return True


def fill_relaunch(scene: Scene, task: Task, adopted: adopting.Adoption) -> None:
    """The new agent gets the old one's task, state, questions and answers. Inside a transaction."""
    typed = "" if proof.is_kept_apart(scene) else tools.launch_of(scene.event).prompt
    path = agents.of_agent(scene.event.transcript, task.agent)
    message = resume.relaunch(scene.book, task, adopted.token, typed, path, checkpoints.left_by(scene, task))
    resuming.write_down(scene, task, task.agent, message, typed)
    adopted.give(message.text)
