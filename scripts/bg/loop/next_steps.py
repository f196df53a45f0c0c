"""Next steps: the parent's part for a task after an answer, and for the task that had asked for an ended one."""

from __future__ import annotations

from bg.host import versions
from bg.ledger import cases, delegations, inbox, tasks
from bg.ledger.cases import Case
from bg.ledger.values import Decision, Item
from bg.loop import adopting, parking, waking
from bg.loop.scene import Scene
from bg.record import Record
from bg.signals import delegation, kinds
from bg.words import phrases

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Callable, Optional


class _Requester(Record):
    """A request that work was launched for, and the task that made it."""

    one: delegations.Delegation
    asker: Case


def next_step(scene: Scene, case: Case) -> str:
    """The parent's next step after an answer: launch, resume, pass it on, or wait for the rest or for another agent."""
    parts = [*_launches(scene, case), _to_tell(scene, case)]
    return "\n\n".join(part for part in parts if part)


def has_to_do(scene: Scene, case: Case) -> bool:
    """Whether the parent has an agent to launch for this task, to ask the user about, or to wake."""
    return bool(_unlaunched(scene, case) or _can_be_asked(scene, case) or parking.must_be_woken(scene, case))


def for_requester(scene: Scene, case: Case, way: Optional[Callable[[str, str], str]] = None) -> str:
    """The parent's next step for the task that asked for this one; empty if this one has merely stopped.

    `way` gives in brief the way to wake the task that asked.
    """
    requester = _requester(scene, case)
    if requester is None:
        return ""
    one, asker = requester
    is_over = delegations.standing(scene.book, one) in delegations.OVER
    # This agent may have been launched to clear a blocker: once it is over, that blocker's item holds nothing up.
    left = [each for each in asker.awaited if each.kind != cases.ANSWER or each.qid != one.qid]
    if left and (is_over or one.qid in [each.qid for each in left]):
        return phrases.WAITS_ON.format(label=asker.label, whom=delegation.awaits(left))
    if not is_over or one.released is not None:
        return ""
    return _goes_on(scene, case, requester, way)


def _launches(scene: Scene, case: Case) -> list[str]:
    """The launches that are approved, and requests that can be put to the user now that there is room."""
    from bg.loop import delegating  # noqa: PLC0415 - late: it imports `reminding`, which imports this

    why = adopting.room(scene.book, scene.project, scene.settings.max_tasks)
    found = []
    for one in _unlaunched(scene, case):
        name = f"{one.label} {one.qid}"
        if why:
            found.append(phrases.NO_ROOM_YET.format(name=name, why=why))
        else:
            found.append(delegating.launch_order(scene.book, one, one.worker))
    asked = _can_be_asked(scene, case) if not why else []
    if asked:
        names = ", ".join(f"{one.label} {one.qid}" for one in asked)
        found.append(phrases.NOW_THERE_IS_ROOM.format(names=names))
    return found


def _unlaunched(scene: Scene, case: Case) -> list[delegations.Delegation]:
    """A task's approved requests for which no agent was launched in the turn of the approval."""
    found = case.forgotten
    return [one for one in found if cases.of(scene.book, one.worker) is not None]


def _can_be_asked(scene: Scene, case: Case) -> list[delegations.Delegation]:
    """Undecided requests that the cap on agents may have kept from the user."""
    if scene.settings.max_tasks is None:
        return []
    return [one for one in case.asked if one.state == Decision.WAITING]


def _to_tell(scene: Scene, case: Case) -> str:
    label = case.label
    if case.task.state in tasks.RUNNING_STATES:
        return _while_it_works(scene, case)
    left = case.awaited
    own = [each.qid for each in left if each.kind in (cases.ANSWER, cases.DECISION)]
    if own and case.unsent:
        return phrases.ANSWER_RECORDED_OTHERS_OPEN.format(label=label, qids=", ".join(own))
    if left:
        return phrases.WAITS_FOR_AGENT.format(label=label, whom=delegation.awaits(left))
    if not case.has_news:
        return phrases.ANSWER_RECORDED.format(label=label)
    resume = phrases.RESUME_WITH_WORDS if _unasked(case) else phrases.RESUME_NOW
    now = resume.format(label=label, way=waking.resume_how(scene, case.task.agent, label))
    decided = [kinds.kind_asking_for(inbox.kind(row)).decided(row) for row in case.unsent]
    return "\n".join([now, *filter(None, decided)])


def _while_it_works(scene: Scene, case: Case) -> str:
    """How to wake a parked agent that the host does not wake; else how to pass the user's decision on to the agent."""
    if parking.must_be_woken(scene, case):
        return phrases.WAKE_PARKED.format(label=case.label, way=waking.resume_how(scene, case.task.agent, case.label))
    if not case.unsent:
        return phrases.ANSWER_RECORDED.format(label=case.label)
    if scene.host.resume_way != versions.BY_MESSAGE:
        return phrases.TOLD_LATER.format(label=case.label)
    return phrases.PASS_ON.format(label=case.label, way=waking.how_to_message(scene, case.task.agent))


def _unasked(case: Case) -> bool:
    """Whether the only words to send are those that the user has said unasked."""
    return bool(case.unsent) and all(inbox.kind(row) == Item.UNASKED for row in case.unsent)


def _requester(scene: Scene, case: Case) -> Optional[_Requester]:
    """The task that asked for this one; None if it has been told how this one ended, or has no agent to tell."""
    one = case.asked_by
    if one is None or one.told is not None:
        return None
    asker = cases.of(scene.book, one.label)
    return _Requester(one, asker) if asker is not None and asker.task.agent else None


def _goes_on(scene: Scene, case: Case, by: _Requester, way: Optional[Callable[[str, str], str]]) -> str:
    """How the task that asked for this one goes on, now that this one is over."""
    label, agent, state = by.asker.label, by.asker.task.agent, by.asker.task.state
    if state in tasks.ENDED_STATES:
        return ""
    if state in tasks.RUNNING_STATES:
        by_message = scene.host.resume_way == versions.BY_MESSAGE
        return phrases.STILL_WORKS.format(label=label, way=waking.how_to_message(scene, agent)) if by_message else ""
    waited = phrases.BRIEFLY_WAITED if way else phrases.HAS_WAITED
    how = way(agent, label) if way else waking.resume_how(scene, agent, label)
    words = phrases.CHILD_BROKE if cases.broken(scene.book, by.one) else waited
    return words.format(label=label, child=case.label, way=how, then=how)
