"""What is known of a task that people and programs ask for: the facts behind every table, list and line."""

from __future__ import annotations

from bg import settings
from bg.host import agents, transcripts
from bg.ledger import delegations, inbox, notes, projects, runs, tasks, verifications
from bg.ledger.cases import Awaited, Case
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import Item, State
from bg.ledger.verifications import Verification
from bg.record import Record
from bg.words import pace, silence, verified

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


def chosen(book: Ledger, project: str = "", *, everything: bool = False) -> list[Task]:
    """The tasks that a person wants to see: open ones, and what ended within a day."""
    if everything:
        return tasks.every(book)
    rows = tasks.recent(book, book.now() - tasks.RECENT)
    root = projects.root_of(project)
    return [row for row in rows if not project or root == (row.root or row.project)]


class Waiting(Record):
    """One item that waits for the user; `kind` is that of the inbox, or a permission."""

    id: str
    kind: str
    text: str
    since: float


class Worker(Record):
    """A task that works for a request."""

    label: str
    state: str


class Request(Record):
    """Work that the task's agent asked to hand on, and the tasks that do it."""

    id: str
    state: str
    agents: list[Worker]
    blocking: bool
    words: str
    decided: Optional[float]
    told: Optional[float]
    released: Optional[float]


class Status(Record):
    """One task as people and programs see it; the names are the keys of its JSON."""

    label: str
    task: str
    description: str
    state: str
    note: str
    since: float
    created: float
    ended: Optional[float]
    session: str
    project: str
    group: str
    agent: str
    waiting: list[Waiting]
    ready: bool
    awaits: list[Awaited]
    asked_by: str
    full: bool
    delegations: list[Request]
    quiet: float
    progress: dict[str, Any]
    expected: float
    beyond: float
    evidence: dict[str, Any]
    verify: dict[str, Any]
    risk: str
    resets: Optional[int]  # the second until which the limit holds that has paused it, where that is known

    @property
    def lacks_room(self) -> bool:
        """Its first item asks for another agent, and there is room for none."""
        return self.full and bool(self.waiting) and self.waiting[0].kind == Item.DELEGATION


def record(case: Case) -> Status:
    """The status of one task."""
    book, task = case.book, case.task
    # Its transcript says something of what goes on only, and looking for it reads the project's folder.
    path = agents.of_agent(case.docket.transcript, task.agent) if task.ended is None else ""
    return Status(
        label=task.label,
        task=task.text or task.description,
        description=task.description,
        state=task.state,
        note=task.note,
        since=task.since,
        created=task.created,
        ended=task.ended,
        session=task.session,
        project=task.project,
        group=task.grp,
        agent=task.agent,
        waiting=[Waiting(item.qid, _kind(item), item.text, item.asked) for item in case.items],
        ready=case.has_news,
        awaits=case.awaited,
        asked_by=f"{case.asked_by.label} {case.asked_by.qid}" if case.asked_by else "",
        full=_full(book, task),
        delegations=[_request(book, one) for one in case.asked],
        quiet=silence.seconds(book, task, path),
        progress=_progress(book, task),
        expected=pace.expected(case),
        beyond=pace.beyond(case),
        evidence=runs.evidence_of(case.agent.run) if case.agent.run and task.ended is not None else {},
        verify=_last_check(book, task),
        risk=transcripts.near_limit(path) if task.ended is None else "",
        resets=(case.limit.resets or None) if task.state == State.PAUSED else None,
    )


def to_json(found: Status) -> dict[str, Any]:
    """The status as programs read it, in `bgctl status --json` and `bgctl export`."""
    return {
        **found._asdict(),
        "waiting": [each._asdict() for each in found.waiting],
        "awaits": [each._asdict() for each in found.awaits],
        "delegations": [
            {**one._asdict(), "agents": [each._asdict() for each in one.agents]} for one in found.delegations
        ],
    }


def check(row: Verification) -> dict[str, Any]:
    """One check that the user named, after one run."""
    outcome = row.outcome or ("runs" if row.begun else "waits")
    return {
        **row.columns("run", "command", "source", "why", "seconds", "output", "tree", "meanwhile", "begun", "ended"),
        "outcome": outcome,
        "exit": row.code,
        "commit": row.head,
        "dirty": None if row.dirty is None else bool(row.dirty),
        "changed": row.changed.splitlines(),
        "headline": verified.headline(row),
    }


def _progress(book: Ledger, task: Task) -> dict[str, Any]:
    """How far its agent has said it is; empty where it has not."""
    found = notes.progress(book, task.label)
    return {} if found is None else {"percent": found[0], "words": found[1]}


def _last_check(book: Ledger, task: Task) -> dict[str, Any]:
    """What came of the check that the user named after the task's last report; empty where none did."""
    rows = verifications.find(book, label=task.label)
    return check(rows[-1]) if rows and task.ended is not None else {}


def _kind(item: inbox.Question) -> str:
    return "permission" if inbox.asks_leave(item) else inbox.kind(item)


def _full(book: Ledger, task: Task) -> bool:
    """As many agents work in the project as the user allows."""
    most = settings.load(task.project or "").max_tasks
    return most is not None and len(tasks.running_in(book, task.project)) >= most


def _request(book: Ledger, one: delegations.Delegation) -> Request:
    workers = [Worker(task.label, task.state) for task in delegations.workers(book, one)]
    if not workers and one.worker:
        workers = [Worker(one.worker, State.NOT_LAUNCHED)]
    return Request(
        id=one.qid,
        state=delegations.standing(book, one),
        agents=workers,
        blocking=bool(one.blocking),
        words=one.words or "",
        decided=one.decided,
        told=one.told,
        released=one.released,
    )
