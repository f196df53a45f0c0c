"""Next steps: what the parent does for a task after an answer, and for the task that had asked for this one."""

from __future__ import annotations

from bg.host import versions
from bg.ledger import delegations, inbox, tasks, waiting
from bg.ledger.tasks import Task
from bg.ledger.values import Decision
from bg.loop import adopting, waking
from bg.loop.scene import Scene
from bg.signals import delegation
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional


def next_step(scene: Scene, task: Task) -> str:
    """What the parent does after an answer: launch, resume, pass it on, wait for the rest or for another agent."""
    parts = [*_launches(scene, task), _to_tell(scene, task)]
    return "\n\n".join(part for part in parts if part)


def _to_tell(scene: Scene, task: Task) -> str:
    label = task.label
    if task.state in tasks.RUNNING_STATES:
        return _while_it_works(scene, task)
    left = waiting.awaited(scene.book, label)
    own = [each.qid for each in left if each.kind in (waiting.ANSWER, waiting.DECISION)]
    if own and waiting.unsent(scene.book, task):
        return phrases.ANSWER_RECORDED_OTHERS_OPEN.format(label=label, qids=", ".join(own))
    if left:
        return phrases.WAITS_FOR_AGENT.format(label=label, whom=delegation.awaits(left))
    if not waiting.has_news(scene.book, task):
        return phrases.ANSWER_RECORDED.format(label=label)
    return phrases.RESUME_NOW.format(label=label, way=waking.resume_how(scene, task.agent, label))


def _while_it_works(scene: Scene, task: Task) -> str:
    """A decision on what it asked for during its run: passed on at once where the host can."""
    if not waiting.unsent(scene.book, task):
        return phrases.ANSWER_RECORDED.format(label=task.label)
    if scene.host.resume_way != versions.BY_MESSAGE:
        return phrases.TOLD_LATER.format(label=task.label)
    return phrases.PASS_ON.format(label=task.label, way=waking.message_how(scene, task.agent))


def _launches(scene: Scene, task: Task) -> list[str]:
    """What is approved and was not launched, what waits for room, and what can be asked now that there is some."""
    from bg.loop import delegating  # noqa: PLC0415 - late: it imports `reminding`, which imports this

    why = adopting.room(scene.book, scene.project, scene.settings.max_tasks)
    found = []
    for one in _unlaunched(scene, task):
        name = f"{one.label} {one.qid}"
        if why:
            found.append(phrases.NO_ROOM_YET.format(name=name, why=why))
        else:
            item = inbox.get(scene.book, one.question)
            found.append(delegating.order(one, one.worker, item.text if item else one.words or ""))
    asked = _can_be_asked(scene, task) if not why else []
    if asked:
        names = ", ".join(f"{one.label} {one.qid}" for one in asked)
        found.append(phrases.NOW_THERE_IS_ROOM.format(names=names))
    return found


def _can_be_asked(scene: Scene, task: Task) -> list[delegations.Delegation]:
    """Requests that nobody has decided, where the cap may have kept them from the user."""
    if scene.settings.max_tasks is None:
        return []
    return [one for one in delegations.find(scene.book, label=task.label) if one.state == Decision.WAITING]


def _unlaunched(scene: Scene, task: Task) -> list[delegations.Delegation]:
    """Approved requests of a task that nothing was launched for in the turn of the approval."""
    found = waiting.forgotten(scene.book, task)
    return [one for one in found if tasks.get(scene.book, one.worker) is not None]


def has_to_do(scene: Scene, task: Task) -> bool:
    """There is an agent to launch for this task, or to ask the user about."""
    return bool(_unlaunched(scene, task) or _can_be_asked(scene, task))


def for_requester(scene: Scene, task: Task, way: Optional[Callable[[str, str], str]] = None) -> str:
    """What the parent does for the task that asked for this one; nothing where this one has merely stopped.

    `way` words how that one is woken, where it must be said in brief.
    """
    one = delegations.of_worker(scene.book, task.label)
    asker = tasks.get(scene.book, one.label) if one else None
    if one is None or asker is None or one.told is not None or not asker.agent:
        return ""
    over = delegations.standing(scene.book, one) in delegations.OVER
    # A blocker is what this agent was launched for: where that is done, its question holds nothing up.
    waits = waiting.awaited(scene.book, asker.label)
    left = [each for each in waits if each.kind != waiting.ANSWER or each.qid != one.qid]
    if left and (over or one.qid in [each.qid for each in left]):
        return phrases.WAITS_ON.format(label=asker.label, whom=delegation.awaits(left))
    if not over or asker.state in tasks.ENDED_STATES or one.released is not None:
        return ""
    if asker.state in tasks.RUNNING_STATES:
        if scene.host.resume_way != versions.BY_MESSAGE:
            return ""
        return phrases.STILL_WORKS.format(label=asker.label, way=waking.message_how(scene, asker.agent))
    waited = phrases.BRIEFLY_WAITED if way else phrases.HAS_WAITED
    how = way(asker.agent, asker.label) if way else waking.resume_how(scene, asker.agent, asker.label)
    words = phrases.CHILD_BROKE if waiting.broken(scene.book, one) else waited
    return words.format(label=asker.label, child=task.label, way=how, then=how)
