"""Status of a task, for people and programs: the facts behind every table, list and line."""

from __future__ import annotations

from bg import durations, settings
from bg.host import activity, agents, versions
from bg.host.activity import Activity, Call
from bg.ledger import delegations, digests, inbox, notes, projects, runs, tasks, verifications
from bg.ledger.cases import Awaited, Case
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.ledger.values import Item, State
from bg.ledger.values import Outcome as Verdict
from bg.ledger.verifications import Verification
from bg.record import Record
from bg.signals import kinds
from bg.words import outcome, pace, phrases, verified
from bg.words.outcome import Outcome
from bg.words.quoting import cited, spoken
from bg.words.times import age, clock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

_REPORTED = (State.DONE, State.PARTIAL, State.DISPUTED, State.FAILED)


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
    resets: Optional[int]  # the time at which the limit that has paused it ends, if that is known
    outcome: Outcome

    @property
    def lacks_room(self) -> bool:
        """Whether its first item asks for another agent, and no more agents may work now."""
        return self.full and bool(self.waiting) and self.waiting[0].kind == Item.DELEGATION


def chosen(book: Ledger, project: str = "", *, everything: bool = False) -> list[Task]:
    """The tasks that a person wants to see: open ones, and those that ended within a day."""
    if everything:
        return tasks.every(book)
    rows = tasks.recent(book, book.now() - durations.RECENT)
    root = projects.root_of(project)
    return [row for row in rows if not project or root == (row.root or row.project)]


def record(case: Case) -> Status:
    """The status of one task."""
    book, task = case.book, case.task
    path = _transcript(case)
    full, quiet = _full(book, task), pace.silent_seconds(book, task, path)
    risk = versions.near_limit(path, lambda: versions.of_session(case.docket.transcript)) if path else ""
    progress, beyond = _progress(book, task), pace.beyond(case)
    asked = None if case.items else leave(case)
    came, doing = asked or came_of(case, full=full), [] if asked else live(case, path)
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
        full=full,
        delegations=[_request(book, one) for one in case.asked],
        quiet=quiet,
        progress=progress,
        expected=pace.expected(case),
        beyond=beyond,
        evidence=_evidence(case),
        verify=_last_check(book, task),
        risk=risk,
        resets=(case.limit.resets or None) if task.state == State.PAUSED else None,
        outcome=came._replace(
            beside=tuple(filter(None, [*came.beside, *doing, *_pace(case, progress, beyond, quiet), risk]))
        ),
    )


def to_json(found: Status) -> dict[str, Any]:
    """The status as programs read it, in `bgctl status --json` and `bgctl export`."""
    return {
        **found._asdict(),
        "outcome": found.outcome.line(),
        "waiting": [each._asdict() for each in found.waiting],
        "awaits": [each._asdict() for each in found.awaits],
        "delegations": [
            {**one._asdict(), "agents": [each._asdict() for each in one.agents]} for one in found.delegations
        ],
    }


def check(row: Verification) -> dict[str, Any]:
    """One check that the user named, after one run, as programs read it."""
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


def came_of(case: Case, *, full: bool = False) -> Outcome:
    """The outcome of a task: its open items, the agents that it waits for, or its end and the reason."""
    task = case.task
    if case.items:
        return _asks(case.items, full=full)
    others = [each for each in case.awaited if each.label]
    if others:
        whom = "; ".join(f"{each.label} ({each.standing})" for each in others)
        return Outcome(task.label, phrases.WAITS_FOR, "works", whom)
    if task.state not in tasks.RUNNING_STATES and case.has_news:
        return Outcome(task.label, phrases.ANSWERED, "needs", _waited_for(case) or phrases.NOT_WOKEN_YET)
    if task.state == State.PAUSED:
        return _paused(case)
    return _ended(case) if task.ended is not None else outcome.without_report(task)


def live(case: Case, transcript: str) -> list[str]:
    """The present work of a task's agent: the call that it waits for, the number of its calls, and its tokens."""
    found = _seen(case, transcript)
    if found is None:
        return []
    calls = (phrases.CALLS if found.whole else phrases.CALLS_OR_MORE)[found.calls == 1].format(count=found.calls)
    size = f"{found.tokens // 1000}k" if found.tokens >= 1000 else str(found.tokens)
    tokens = phrases.TOKENS.format(count=size) if found.tokens else ""
    last = found.under_way[-1] if found.under_way else None
    doing = (
        f"{_call_in_words(last)} ({age(case.book.now() - last.since)})" if last and last.since else _call_in_words(last)
    )
    return [part for part in (doing, calls if found.calls else "", tokens) if part]


def leave(case: Case) -> Optional[Outcome]:
    """The call of a working agent that its session's terminal asks the user about; None if it asks about none.

    Claude Code tells that it asks, but not about which call: if it has asked about several, one may already run.
    """
    task, session = case.task, case.docket.row
    noted = dict(case.docket.asked_leave) if task.state in tasks.RUNNING_STATES else {}
    if task.agent not in noted or not (session and activity.asks_leave(case.docket.transcript, session.pid or 0)):
        return None
    own = _asked_about(case, task.agent)
    if not own:
        return None
    # Each look reads a transcript, and this runs for every task: the search ends at the first call of anybody else.
    is_alone = len(own) == 1 and not any(_asked_about(case, agent) for agent in noted if agent != task.agent)
    stands = phrases.WAITS_FOR_LEAVE if is_alone else phrases.ASKED_FOR_LEAVE
    return Outcome(task.label, stands, "needs", _call_in_words(own[-1]))


def _transcript(case: Case) -> str:
    """The transcript of a task's agent; empty if the task has ended, as the search reads the project's folder."""
    return agents.of_agent(case.docket.transcript, case.task.agent) if case.task.ended is None else ""


def _full(book: Ledger, task: Task) -> bool:
    """Whether as many agents work in the project as the user allows."""
    most = settings.load(task.project or "").max_tasks
    return most is not None and len(tasks.running_in(book, task.project)) >= most


def _progress(book: Ledger, task: Task) -> dict[str, Any]:
    """The progress that its agent has stated; empty if it has not."""
    found = notes.progress(book, task.label)
    return {} if found is None else {"percent": found[0], "words": found[1]}


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


def _kind(item: inbox.Question) -> str:
    return "permission" if inbox.asks_leave(item) else inbox.kind(item)


def _evidence(case: Case) -> dict[str, Any]:
    """The evidence on the last run; empty while the task goes on."""
    return runs.evidence_of(case.agent.run) if case.agent.run and case.task.ended is not None else {}


def _last_check(book: Ledger, task: Task) -> dict[str, Any]:
    """The check that the user named, after the task's last report; empty if there was none."""
    rows = verifications.find(book, label=task.label)
    return check(rows[-1]) if rows and task.ended is not None else {}


def _pace(case: Case, said: dict[str, Any], beyond: float, quiet: float) -> list[str]:
    """The pace of a running task: its progress by the agent's word, its delay, and its silence."""
    far = pace.so_far((said["percent"], said["words"])) if said else ""
    late = phrases.WERE_EXPECTED.format(age=age(pace.expected(case))) if beyond else ""
    silent = phrases.QUIET_SINCE.format(age=age(quiet)) if quiet else ""
    return [each for each in (far, late, silent) if each]


def _asks(items: list[inbox.Question], *, full: bool) -> Outcome:
    """The outcome of a task that asks, with a note if the agent that it asks for has no room."""
    lacks_room = full and inbox.kind(items[0]) == Item.DELEGATION
    return kinds.waiting(items, *([phrases.NO_ROOM] if lacks_room else []))


def _waited_for(case: Case) -> str:
    """The ends of the agents that a task waited for and has not yet been told of."""
    waited = [one for one in case.asked if one.blocking and one.told is None]
    over = [each for one in waited if delegations.standing(case.book, one) in delegations.OVER
            for each in delegations.workers(case.book, one)]  # fmt: skip
    ends = ", ".join(f"{each.label} ({outcome.in_a_word(each.state)})" for each in over)
    return phrases.WAITED.format(whom=ends) if ends else ""


def _paused(case: Case) -> Outcome:
    """The outcome of a paused task: the limit that has paused it, and until when."""
    found, ends = outcome.without_report(case.task), case.limit.resets
    until = phrases.UNTIL.format(time=clock(ends, case.book.now())) if ends else ""
    return found._replace(said=found.said + until)


def _ended(case: Case) -> Outcome:
    """The outcome of a task that has ended: that of its report, and that of the check that the user named."""
    task, agent = case.task, case.agent
    signal = agent.ended_with if task.state in _REPORTED and not task.note else {}
    marker, payload = signal.get("signal_type"), signal.get("payload")
    if not isinstance(marker, str) or not isinstance(payload, dict):
        return outcome.without_report(task, agent.texts[-1].text if agent.texts else "")
    found = kinds.of(marker).outcome(task, payload, runs.evidence_of(agent.run) if agent.run else {})
    rows = verifications.find(case.book, label=task.label)
    if not rows or rows[-1].ended is None:
        return found
    headline = verified.headline(rows[-1])
    if rows[-1].outcome == Verdict.FAILED and task.state == State.DISPUTED:
        return Outcome(task.label, outcome.in_a_word(task.state), outcome.style_of(task.state), headline)
    return found._replace(beside=(headline, *found.beside))


def _seen(case: Case, transcript: str) -> Optional[Activity]:
    return activity.seen(transcript) if transcript and case.task.state in tasks.RUNNING_STATES else None


def _call_in_words(call: Optional[Call]) -> str:
    """A call in a few words; empty without one."""
    about = cited(spoken(call.about), 40) if call and call.about else ""
    return about if not call or (about and activity.is_command(call.tool)) else f"{call.tool} {about}".strip()


def _asked_about(case: Case, agent: str) -> list[Call]:
    """The calls of an agent, or of the parent, that the host has asked about and that have not come back."""
    transcript = case.docket.transcript
    found = activity.seen(agents.of_agent(transcript, agent) if agent else transcript)
    calls, noted = found.under_way if found else [], case.docket.asked_leave
    return [call for call in calls if (agent, digests.digest(call.words)) in noted]
