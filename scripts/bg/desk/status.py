"""What is known of a task that people and programs ask for: the facts behind every table, list and line."""

from __future__ import annotations

from bg import settings
from bg.host import agents, transcripts
from bg.ledger import delegations, inbox, projects, runs, sessions, tasks, waiting
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RECENT = 24 * 3600


def counted(working: int, asking: int, broken: int) -> list[tuple[str, str]]:
    """How many tasks work, ask, or lost their session, each with its style."""
    parts = [
        (f"{working} working" if working else "", "works"),
        (f"{asking} asks" if asking == 1 else f"{asking} ask" if asking else "", "needs"),
        (f"{broken} interrupted" if broken else "", "bad"),
    ]
    return [part for part in parts if part[0]]


def at_a_glance(working: int, asking: int, broken: int) -> str:
    """The same in one line; empty where there is nothing."""
    return " · ".join(words for words, _ in counted(working, asking, broken))


def chosen(book: Ledger, project: str = "", *, everything: bool = False) -> list[Task]:
    """The tasks that a person wants to see: open ones, and what ended within a day."""
    if everything:
        return tasks.every(book)
    rows = tasks.recent(book, book.now() - RECENT)
    root = projects.root_of(project)
    return [row for row in rows if not project or root == (row.root or row.project)]


def record(book: Ledger, task: Task) -> dict[str, Any]:
    """One task for machines."""
    items = inbox.waiting(book, label=task.label)
    # Its transcript says something of what goes on only, and looking for it reads the project's folder.
    path = agents.of_agent(sessions.transcript(book, task.session), task.agent) if task.ended is None else ""
    return {
        "label": task.label,
        "task": task.text or task.description,
        "description": task.description,
        "state": task.state,
        "note": task.note,
        "since": task.since,
        "created": task.created,
        "ended": task.ended,
        "session": task.session,
        "project": task.project,
        "group": task.grp,
        "agent": task.agent,
        "waiting": [{"id": item.qid, "kind": _kind(item), "text": item.text, "since": item.asked} for item in items],
        "ready": waiting.has_news(book, task),
        "awaits": [each._asdict() for each in waiting.awaited(book, task.label)],
        "asked_by": _asked_by(book, task),
        "full": _full(book, task),
        "delegations": [_delegation(book, one) for one in delegations.find(book, label=task.label)],
        "quiet": _quiet(book, task, path),
        "evidence": _evidence(book, task),
        "risk": transcripts.near_limit(path) if task.ended is None else "",
    }


def _kind(item: inbox.Question) -> str:
    return "permission" if inbox.asks_leave(item) else inbox.kind(item)


def _asked_by(book: Ledger, task: Task) -> str:
    """The task that asked for this one, and by which request."""
    one = delegations.of_worker(book, task.label)
    return f"{one.label} {one.qid}" if one else ""


def _full(book: Ledger, task: Task) -> bool:
    """As many agents work in the project as the user allows."""
    most = settings.load(task.project or "").max_tasks
    return most is not None and len(tasks.running_in(book, task.project)) >= most


def _delegation(book: Ledger, one: delegations.Delegation) -> dict[str, Any]:
    return {
        "id": one.qid,
        "state": delegations.standing(book, one),
        "agents": [{"label": task.label, "state": task.state} for task in delegations.workers(book, one)]
        or ([{"label": one.worker, "state": "not_launched"}] if one.worker else []),
        "blocking": bool(one.blocking),
        "words": one.words or "",
        "decided": one.decided,
        "told": one.told,
        "released": one.released,
    }


def _evidence(book: Ledger, task: Task) -> dict[str, Any]:
    """What the host side found of a task's last report."""
    return runs.evidence(book, task.agent) if task.ended is not None else {}


def quiet(book: Ledger, task: Task) -> float:
    """How long a running agent has written nothing, 0 while that says little."""
    spoken = sessions.transcript(book, task.session)
    return _quiet(book, task, agents.of_agent(spoken, task.agent))


def _quiet(book: Ledger, task: Task, path: str) -> float:
    last = transcripts.last_sign(path)
    silent = book.now() - last if last and task.state in tasks.RUNNING_STATES else 0.0
    return silent if silent > settings.load(task.project or "").quiet_minutes * 60 else 0.0
