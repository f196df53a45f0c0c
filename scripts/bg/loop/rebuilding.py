"""Rebuilding: the ledger that knew a session is gone; the agents' transcripts bring back what it knew of them.

An agent's first prompt carries the label and the token of our identity. The session's own transcript has the call that
launched it, with the task as the parent wrote it, before the hook put the identity in front: an identity in the call
itself is one that the parent has copied from another agent's prompt.
"""

from __future__ import annotations

from bg.host import agents, arrivals, receipts, tools, transcripts
from bg.host.event import Notification, notifications
from bg.ledger import deliveries, launches, notes, place, runs, tasks, windows
from bg.ledger.file import Writing
from bg.ledger.values import State
from bg.loop import adopting, closing, reminding
from bg.loop.scene import Scene
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

    from bg.host.tools import Called
    from bg.loop.adopting import Identified


class Found(Record):
    """An agent that is ours by its transcript: who it is, and the call that launched it."""

    path: str
    who: Identified
    called: Called


def is_due(scene: Scene) -> bool:
    """Whether, as the session's marker says, it was known to a ledger that is gone, and not to this one."""
    if scene.docket.row is not None:
        return False
    known = place.ledgers_that_knew(scene.book.place, scene.session)
    return bool(known) and notes.name(scene.book) not in known


def rebuild(scene: Scene) -> None:
    """Adopt the session's agents again; the ended ones' reports are due, unless the transcript shows them as told."""
    found = _ours(scene)
    scene.enter()
    if not found:
        return
    with scene.book.transaction() as writing:
        known = _adopt(scene, writing, found)
        notes.note_rebuilt(writing, scene.session, ", ".join(known))
    ended = _announced(scene.event.transcript)
    closing.take(scene, [ended[agent] for agent in (agents.agent_in(each.path) for each in found) if agent in ended])
    _settle_what_was_said(scene)


def _ours(scene: Scene) -> list[Found]:
    """The session's agents that are ours, in the order of their launches."""
    transcript = scene.event.transcript
    if not transcripts.is_in_place(transcript, scene.session, place.config_directory()):
        return []
    found = []
    calls = tools.launches_in(transcript)
    for path in agents.agents_of(transcript):
        prompt = transcripts.first_prompt(path)
        who = adopting.identified(prompt)
        called = _launched_by(calls, path, prompt, who) if who else None
        if who and called and not launches.find(scene.book, token=who.token):
            calls.remove(called)
            found.append(Found(path, who, called))
    return sorted(found, key=lambda each: each.called.place)


def _launched_by(calls: list[Called], path: str, prompt: str, who: Identified) -> Optional[Called]:
    """The call whose task is in the agent's prompt, to which only the hook has added the token."""
    kept = arrivals.call_of(path)
    for called in calls:
        task = called.launch.prompt
        if kept in ("", called.id) and task.strip() and task in prompt and who.token not in task:
            return called
    return None


def _adopt(scene: Scene, writing: Writing, found: list[Found]) -> list[str]:
    """Adopt each task under its old label, or under a new one if this ledger has given that out; the labels now."""
    book, labels = scene.book, {}
    for each in found:
        old = each.who.label
        if old not in labels:
            labels[old] = windows.take_label(writing) if windows.is_known(book, old) else old
        label = labels[old]
        notes.set_last_number(writing, max(notes.last_number(book), int(label.split("-")[1])))
        tasks.create(writing, label, label, scene.session, scene.project, "", State.LAUNCHED)
        tasks.describe(writing, label, each.who.description, each.called.launch.prompt)
        former = tasks.get(book, label)
        if former and former.agent:  # another agent has taken its place
            runs.end_run(writing, former.agent, 1)
        agent, folder = agents.agent_in(each.path), transcripts.field(each.path, "cwd") or scene.event.cwd
        launches.adopt(writing, each.who.token, label, each.called.id, each.called.launch.kind, folder, each.called.at)
        runs.bind(writing, each.who.token, agent)
    return [label if label == old else f"{label} (it was {old})" for old, label in labels.items()]


def _announced(transcript: str) -> dict[str, Notification]:
    """The last word of the host about each agent."""
    records = transcripts.tail(transcript, receipts.MOST)
    prompts = [transcripts.text(record) for record in records if record.get("type") == "user"]
    words = [*prompts, *(queued for _, queued in transcripts.queued(records))]
    return {found.agent: found for each in words for found in notifications(each)}


def _settle_what_was_said(scene: Scene) -> None:
    """Settle the due deliveries whose text the transcript shows."""
    path = scene.event.transcript
    added = receipts.Stretch(path, max(0, transcripts.size(path) - receipts.MOST)).added()
    for row in scene.docket.due:
        texts = [reminder(scene, row).text for reminder in (reminding.reminder, reminding.brief_reminder)]
        if any(receipts.plain(text) in added for text in texts):
            with scene.book.transaction() as writing:
                deliveries.settle(writing, row)
