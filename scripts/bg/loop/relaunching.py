"""Relaunching: a launch that continues a task whose agent has ended, and what its new agent is given."""

from __future__ import annotations

from bg.host import agents, tools
from bg.host.event import Event
from bg.ledger import cases, naming, projects, tasks
from bg.ledger.cases import Case
from bg.ledger.file import Ledger, Writing
from bg.loop import adopting, checkpoints, inheriting, parts, proof, resuming, waking
from bg.loop.scene import Scene
from bg.signals import resume

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def continued(book: Ledger, event: Event) -> Optional[Case]:
    """The task that a launch may continue: its description begins with that label, and its agent has ended."""
    found = naming.LABEL.match(tools.launch_of(event).description.strip())
    case = cases.of(book, found[0]) if found else None
    is_over = case is not None and case.task.state in tasks.CONTINUABLE_STATES and case.task.agent
    return case if is_over else None


def relaunch_window(scene: Scene) -> Optional[Case]:
    """A launch whose description begins with a task that has ended unfinished continues that task."""
    case = continued(scene.book, scene.event)
    if case is None:
        return None
    # In another project a label may be anybody's, unless the user has answered or named the task in this session.
    if case.task.session != scene.session and projects.root_of(scene.project) != (case.task.root or case.task.project):
        return None
    if parts.take(scene, case):
        return None
    with scene.book.transaction() as writing:
        if not inheriting.claim(scene, writing, case):
            return None
        projects.set_place(writing, case.label, scene.project)
        waking.open_relaunch(scene, writing, case)
    return case


def fill_relaunch(scene: Scene, writing: Writing, case: Case, adopted: adopting.Adoption) -> None:
    """The new agent gets the old one's task, state, questions and answers."""
    typed = "" if proof.is_kept_apart(scene) else tools.launch_of(scene.event).prompt
    path = agents.of_agent(scene.event.transcript, case.task.agent)
    message = resume.relaunch(case, adopted.token, typed, path, checkpoints.left_by(scene, case))
    resuming.write_down(scene, writing, case, message, typed)
    adopted.give(message.text)
