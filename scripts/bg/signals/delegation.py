"""Sentences on delegated work: to the agent that does it, to the one that asked for it, and in a word to people."""

from __future__ import annotations

from bg.host.event import STOPPED_BY_USER
from bg.ledger import cases, delegations, inbox, reported, runs, tasks
from bg.ledger.cases import Awaited
from bg.ledger.delegations import Delegation
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import Standing, State
from bg.signals import kinds
from bg.words import recoveries
from bg.words.quoting import DECIDED, as_text, cited, named, neutral, quote, shown
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Payload = dict[str, Any]

_ENDED = {
    State.DONE: "success",
    State.PARTIAL: "partial success",
    State.DISPUTED: "its report insists on what was refuted on this machine",
    State.FAILED: "failed",
    State.STOPPED: "was stopped",
    State.UNREPORTED: "ended without a signal",
    State.INTERRUPTED: "is lost: its session ended under it",
}
_REPORTED = ("summary", "deliverables", "metrics_achieved", "issues_encountered", "recommendations")
MOST = 2500


def _field(payload: Payload, key: str) -> str:
    value = payload.get(key)
    return "" if value is None else as_text(value).strip()


def _asked(book: Ledger, one: Delegation) -> Payload:
    found: Payload = reported.signal_of(book, one.signal).get("payload", {})
    return found


def work(book: Ledger, one: Delegation) -> str:
    """The work to be done, in the words of the agent that asked."""
    if one.handed_over:
        return recoveries.work(_handed(book, one), _task_of(book, one))
    item = inbox.get(book, one.question)
    return _field(_asked(book, one), "new_task_description") or (item.text if item else "")


def _handed(book: Ledger, one: Delegation) -> recoveries.Plan:
    return recoveries.plan(recoveries.HAND_OVER, one.words or "", _asked(book, one))


def _task_of(book: Ledger, one: Delegation) -> str:
    task = tasks.get(book, one.label)
    return task.text if task else ""


def to_launch(book: Ledger, one: Delegation) -> str:
    """The launch that the parent is told to make for work that the user has handed over."""
    return recoveries.launch(_handed(book, one), one.label, _task_of(book, one), _asked(book, one))


def names(found: list[Task]) -> str:
    """The labels of several tasks."""
    return ", ".join(task.label for task in found)


def names_and_work(found: list[Task]) -> str:
    """The labels of several tasks, each with the work that it was launched for."""
    return ", ".join(f"{task.label} ({cited(task.description or task.text, 80)})" for task in found)


# To the agent that does the work


def child_section(book: Ledger, one: Delegation) -> str:
    """The section of the agent's prompt on the origin of its task, the context it is given, and the user's words."""
    payload, asker = _asked(book, one), tasks.get(book, one.label)
    given = _field(payload, "context_required") or _field(payload, "state_snapshot")
    coordination = _field(payload, "coordination")
    said = neutral(_handed(book, one).said if one.handed_over else (one.words or "").strip())
    return fill(
        "delegated",
        label=one.label,
        qid=one.qid,
        description=cited(asker.description or asker.text, 80) if asker else "",
        how="could not do it itself" if one.handed_over else "asked for it",
        approved=_approved(one),
        words=f"The user's words, which come before anything that agent says: {said}" if said else "",
        why=_section("Why", _field(payload, "delegation_reason") or _field(payload, "details")),
        done=_section("Done already", _field(payload, "completed_work")),
        context=_section("The context it gives", given),
        coordination=_section("How it wants to work together", coordination),
        beside=_beside(book, one),
    )


def _approved(one: Delegation) -> str:
    if not one.words:
        return "your parent launched you for a part of it"
    return "the user hands it to you" if one.handed_over else "the user approved it"


def _beside(book: Ledger, one: Delegation) -> str:
    """A sentence on the agent that asked: whether it waits or works on meanwhile."""
    if one.blocking:
        return "It waits for you, and is told how you ended, your summary and your deliverables."
    if one.handed_over and one.words:
        return recoveries.beside_it(_handed(book, one))
    return "It goes on with its own work beside you: keep to this task, and leave alone what it keeps for itself."


def _section(heading: str, text: str) -> str:
    return f"{heading}:\n{quote(text, MOST)}" if text else ""


# To the agent that asked


def approved(book: Ledger, one: Delegation, words: str, source: str) -> str:
    """The section on an approved request: the new agent, the coordination, and when to expect the result."""
    payload = _asked(book, one)
    how, found = delegations.standing(book, one), delegations.workers(book, one)
    agents = "New agents launched" if len(found) > 1 else "New agent launched"
    lines = ["## DELEGATION APPROVED", "", f"{agents}: {names(found)}" if found else _to_come(one)]
    lines += [] if how in delegations.OVER else [_work(book, one)]  # the section on its end names the work
    lines.append(f"{source}: {words.strip()}")
    agreed = _field(payload, "coordination")
    lines.append(f"Coordination, as you proposed it:\n{quote(agreed, MOST)}" if agreed else "Coordination: none.")
    if how not in delegations.OVER:
        lines.append(_expected(payload, one, names(found) or one.worker))
    return "\n".join(lines)


def _to_come(one: Delegation) -> str:
    return f"New agent: {one.worker}, which is being launched" if one.worker else "The new agent is being launched"


def _expected(payload: Payload, one: Delegation, who: str) -> str:
    estimate = _field(payload, "estimated_duration")
    when = f"{cited(estimate, 80)} by your own estimate" if estimate else "not known"
    waits = one.blocking and one.released is None
    return f"When to expect it: {when}. " + (
        f"You are woken when {who} has ended."
        if waits
        else f"Do not wait for {who}: go on with your own work, and leave its part to it."
    )


def denied(words: str, source: str) -> str:
    """The section on a denied request: the reason, and the alternative."""
    return (
        f"## DELEGATION DENIED\n\nReason ({source}): {words.strip()}\n"
        "Alternative: do without, and put it into your recommendations."
    )


def undecided(book: Ledger, one: Delegation) -> str:
    """The section on a request that its agent goes on without: it is undecided, or the other agent still works."""
    found = delegations.workers(book, one)
    state = f"{names(found)} still works on it" if found else "the user has not decided yet"
    return (
        f"## DELEGATION PENDING\n\n{_work(book, one)}\n"
        f"It stands so: {state}; the user lets you go on meanwhile. "
        "Go on without it, and say in your report what depends on it."
    )


def outcome(book: Ledger, one: Delegation) -> str:
    """The section on ended delegated work: status, report and evidence of each agent, and the choices if it broke."""
    found = delegations.workers(book, one)
    parts = [_outcome(book, task) for task in found]
    if cases.broken(book, one):
        parts.append(
            "Your choices: do the missing part yourself if it lies within your task; go on without it and say so in "
            "your report; or end with STOP_WORK if you cannot."
        )
    return f"## DELEGATED WORK ENDED ({one.qid})\n\n{_work(book, one)}\n\n" + "\n\n".join(parts)


def _work(book: Ledger, one: Delegation) -> str:
    return named("Task:", shown(work(book, one), DECIDED))


def _outcome(book: Ledger, task: Task) -> str:
    by_user = task.state == State.STOPPED and task.note == STOPPED_BY_USER
    ended = f"was {STOPPED_BY_USER}" if by_user else _ENDED.get(task.state, task.state.replace("_", " "))
    lines = [f"{task.label}: {ended}"]
    signal = reported.last_signal(book, task.agent) if task.agent else {}
    if signal.get("signal_type") == kinds.REPORT and task.state not in (State.INTERRUPTED, State.STOPPED):
        for key in _REPORTED:
            said = _field(signal["payload"], key)
            if said:  # quoted, because the other agent's words are no answer of the user
                lines.append(f"{key.replace('_', ' ').capitalize()}, in its own words:\n{quote(said, 1500)}")
        found = runs.evidence(book, task.agent).get("line")
        lines += [f"Checked on this machine: {found}"] if found else []
    else:
        last = reported.reports_of_task(book, task.label)
        if last:
            lines.append(f"What it wrote last, unchecked:\n{quote(last[-1].text, 1500)}")
        lines.append("What it did so far may be on disk: look before you rely on it.")
    return "\n".join(lines)


# To people, in one line


def awaits(found: list[Awaited]) -> str:
    """The things that a task waits for, in one line."""
    answers = [each.qid for each in found if each.kind == cases.ANSWER]
    decisions = [each.qid for each in found if each.kind == cases.DECISION]
    parts = [f"the answer to {', '.join(answers)}"] if answers else []
    parts += [f"the decision on {', '.join(decisions)}"] if decisions else []
    for each in found:
        if each.kind == cases.LAUNCH:
            parts.append(f"the launch of {each.label} ({each.qid} is approved)")
        elif each.kind == cases.AGENT:
            parts.append(f"{each.label}, which {_doing(each.standing)}")
    return "; ".join(parts)


def _doing(standing: str) -> str:
    return {
        Standing.LAUNCHING: "is being launched",
        Standing.WORKING: "works",
        Standing.WAITING: "waits itself",
    }.get(standing, standing)
