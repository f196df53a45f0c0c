"""Nesting: an agent of ours calls the launch tool itself; the user's limits on agents hold for its agents too."""

from __future__ import annotations

from bg import settings
from bg.host import tools
from bg.ledger import cases, children, notes
from bg.ledger.cases import Case
from bg.ledger.file import first_of
from bg.loop import adopting, binding
from bg.loop.scene import Scene
from bg.protocol import signals
from bg.signals import kinds
from bg.words import phrases
from bg.words.quoting import inline

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def before(scene: Scene) -> None:
    """PreToolUse(Agent) by an agent: the call of one of ours is recorded or refused, any other is left alone."""
    event = scene.event
    case = _task_of(scene)
    if case is None:
        return
    called = tools.launch_of(event)
    described = inline(called.description or called.prompt, 80)
    allowed = settings.load(case.task.project)
    full = adopting.full(scene.book, case.task.project, allowed.max_tasks)
    refused = phrases.NESTED_NOT_ALLOWED if allowed.delegation == "deny" else full
    said = phrases.NESTED_REFUSED if refused else phrases.NESTED
    with scene.book.transaction() as writing:
        children.note(writing, case.label, event.agent, event.tool_use, described, called.kind, refused)
        if allowed.notices or refused:
            words = said.format(label=case.label, description=described, why=refused)
            notes.add_late_words(writing, case.task.session, [words])
    if refused:
        token = cases.agent(scene.book, event.agent).token or case.agent.token
        form = signals.template(kinds.REQUEST, agent_id=token)
        scene.answer.deny = phrases.NESTED_DENIED.format(why=refused, form=form)


def after(scene: Scene) -> None:
    """PostToolUse(Agent) within an agent: the agent that it launched works now, or has already ended."""
    child = first_of(children.find(scene.book, call=scene.event.tool_use))
    if child is None:
        return
    with scene.book.transaction() as writing:
        children.set_agent(writing, child.id, tools.started_agent(scene.event))
        if tools.foreground_text(scene.event) is not None:
            children.end(writing, child.id)


def failed(scene: Scene) -> None:
    """PostToolUseFailure(Agent) of an agent: nothing was launched."""
    child = first_of(children.find(scene.book, call=scene.event.tool_use))
    if child is not None:
        with scene.book.transaction() as writing:
            children.end(writing, child.id)


def ended(scene: Scene, agent: str) -> None:
    """Note the end of an agent that an agent of ours has launched; nothing for any other agent."""
    child = children.of_agent(scene.book, agent)
    if child is not None and child.ended is None:
        with scene.book.transaction() as writing:
            children.end(writing, child.id)


def _task_of(scene: Scene) -> Optional[Case]:
    """The task for which an agent works, however deep it was launched."""
    child = children.of_agent(scene.book, scene.event.agent)
    return cases.of(scene.book, child.label) if child else binding.bound_task(scene, scene.event.agent)
