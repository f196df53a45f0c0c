"""Cases: the task, the agent and the session that an event is about, and what is known of each, read once.

Functions take a case in place of a ledger and a label. Within one event there is one object for each case, so a fact
that one step has read is there for the next.
"""

from __future__ import annotations

from bg.ledger import (
    delegations,
    deliveries,
    inbox,
    launches,
    notes,
    reported,
    resumes,
    runs,
    sessions,
    tasks,
    user_answers,
    windows,
)
from bg.ledger.file import Ledger, first_of
from bg.ledger.tasks import Task
from bg.ledger.values import Decision, Item, Standing, State
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable, Optional, TypeVar

    from bg.ledger.delegations import Delegation
    from bg.ledger.deliveries import Delivery
    from bg.ledger.inbox import Question
    from bg.ledger.launches import Launch
    from bg.ledger.reported import Report
    from bg.ledger.resumes import Resume
    from bg.ledger.runs import Run
    from bg.ledger.sessions import Session
    from bg.ledger.user_answers import Answered
    from bg.ledger.windows import Window

    _Value = TypeVar("_Value")
    fact = property
else:

    class fact:  # noqa: N801 - used as `property` is
        """A property that is read from the ledger at its first use, and again only after a change."""

        def __init__(self, read: Callable[[Any], Any]) -> None:
            self.fget = read
            self.__doc__ = read.__doc__

        def __get__(self, thing: Any, kind: Any = None) -> Any:
            """The fact's value for this object."""
            return self if thing is None else thing.once(self.fget)


WELL = (State.DONE, State.PARTIAL)
MOST_ABOVE = 20
ANSWER, DECISION, LAUNCH, AGENT = "answer", "decision", "launch", "agent"


class Fact:
    """A value, the tables that it was read from, and the number of the ledger's last change before the reading."""

    def __init__(self, value: Any, tables: set[str], moment: int) -> None:
        self.value = value
        self.tables = tables
        self.moment = moment

    def still_holds(self, book: Ledger) -> bool:
        """Whether none of its tables has changed."""
        if self.moment == book.changes:
            return True
        return self.moment >= max(book.all_changed, *(book.changed.get(each, 0) for each in self.tables), 0)


class Held:
    """One thing that an event is about, and the facts known of it.

    A fact is never out of date: it is kept until a table that it was read from changes. Within a transaction only this
    process can write, and each write notes its table; outside of one, SQLite tells whether another process has written.
    Nothing has to be declared or dropped by hand.
    """

    def __init__(self, book: Ledger) -> None:
        self.book = book
        self._facts: dict[object, Fact] = {}

    def once(self, read: Callable[..., _Value], *given: Any) -> _Value:
        """The result of this function for this object and these values, as it is held, or else read now.

        The function may read the ledger, but no other fact.
        """
        book, key = self.book, (read, *given)
        if not book.is_alone:
            book.see_others()
        known = self._facts.get(key)
        if known is None or not known.still_holds(book):
            moment = book.changes
            with book.noting_tables() as tables:
                known = self._facts[key] = Fact(read(self, *given), tables, moment)
        value: _Value = known.value
        return value

    def learn(self, what: object, value: object, tables: set[str], moment: int) -> None:
        """Hold a fact that another query has brought along, read at this moment from these tables."""
        self._facts[(what,)] = Fact(value, tables, moment)


class Awaited(Record):
    """One thing that a task waits for: the user's answer or decision (`qid`), or a launch or an agent (`label`)."""

    kind: str
    qid: str
    label: str
    standing: str


class NoTask(LookupError):  # noqa: N818 - it is no error to ask
    """No task has this label."""


class Agent(Held):
    """One agent of the host, and its last run."""

    def __init__(self, book: Ledger, name: str) -> None:
        super().__init__(book)
        self.id = name

    @property
    def case(self) -> Optional[Case]:
        """The task that it was launched for; None if it is no agent of ours."""
        label = self.once(_label)
        return of(self.book, label) if label else None

    @fact
    def run(self) -> Optional[Run]:
        """Its last run, which may still be open."""
        return runs.last_run(self.book, self.id) if self.id else None

    @fact
    def token(self) -> str:
        """The token that it signs with."""
        return launches.token_of(self.book, self.id)

    @property
    def texts(self) -> list[Report]:
        """The raw texts of its last run, the oldest first."""
        return self.texts_of(self.run.run) if self.run else []

    def texts_of(self, run: int) -> list[Report]:
        """The raw texts of one of its runs, the oldest first."""
        return self.once(_texts, run)

    @fact
    def pending(self) -> Optional[Resume]:
        """The message that was sent to wake it and is not known to have succeeded or failed."""
        return resumes.pending(self.book, self.id)

    @fact
    def ended_with(self) -> dict[str, Any]:
        """The signal that ended its last run, as `signals.to_json` gives it."""
        return reported.last_signal(self.book, self.id)

    @fact
    def heard_to(self) -> int:
        """The place in its transcript up to which its records have been read."""
        return runs.scanned(self.book, self.id)

    @fact
    def answers(self) -> list[Answered]:
        """The user's words that have not reached it."""
        return user_answers.unsent(self.book, self.id) if self.id else []

    @property
    def requests(self) -> list[Delegation]:
        """The requests of its last run; it was woken after earlier ones, and no longer waits for those."""
        return self.once(_requests, self.run.run) if self.run else []

    def items_of(self, run: int) -> list[Question]:
        """The items that one of its runs asked of the user, open or not."""
        return self.once(_items, run)

    def said(self, run: int, mark: str) -> dict[str, Any]:
        """The content of this signal of a run; empty if the run has no such signal."""
        return self.once(_said, run, mark)

    def request_by(self, run: int, mark: str) -> Optional[Delegation]:
        """The request that this signal of a run made; None if it made none."""
        signal = self.once(_signal, run, mark)
        return first_of(self.once(_requests_by, signal)) if signal else None


def _items(agent: Agent, run: int) -> list[Question]:
    return inbox.find(agent.book, agent=agent.id, run=run)


def _said(agent: Agent, run: int, mark: str) -> dict[str, Any]:
    return reported.signal_body(agent.book, agent.id, run, mark)


def _signal(agent: Agent, run: int, mark: str) -> int:
    return reported.signal_id(agent.book, agent.id, run, mark)


def _requests_by(agent: Agent, signal: int) -> list[Delegation]:
    return delegations.find(agent.book, signal=signal)


def _label(agent: Agent) -> str:
    return tasks.label_of(agent.book, agent.id)


def _texts(agent: Agent, run: int) -> list[Report]:
    return reported.reports(agent.book, agent.id, run)


def _requests(agent: Agent, run: int) -> list[Delegation]:
    return delegations.last_of_run(agent.book, agent.id, run)


class Case(Held):
    """A task, and everything that decides its next step."""

    def __init__(self, book: Ledger, label: str) -> None:
        super().__init__(book)
        self.label = label

    @fact
    def task(self) -> Task:
        """The task as it is now."""
        found = tasks.get(self.book, self.label)
        if found is None:
            raise NoTask(self.label)
        return found

    @property
    def agent(self) -> Agent:
        """The agent that works on it now, or did last."""
        return agent(self.book, self.task.agent)

    @property
    def docket(self) -> Docket:
        """The session that it belongs to."""
        return docket(self.book, self.task.session)

    @fact
    def limit(self) -> notes.Limit:
        """The limit that last paused it, and what the user has heard and said of that."""
        return notes.limit(self.book, self.label)

    @property
    def is_held(self) -> bool:
        """Whether it is paused, and the user has neither released it nor answered what it had asked."""
        return self.task.state == State.PAUSED and not (self.limit.released or self.agent.answers)

    @fact
    def items(self) -> list[Question]:
        """The open items that it asks of the user, by priority, then age."""
        return inbox.waiting(self.book, label=self.label)

    def ever_asked(self, qid: str) -> list[Question]:
        """Everything that it has asked of the user by this id, the newest first."""
        return self.once(_ever, qid)

    @fact
    def asked(self) -> list[Delegation]:
        """All requests that it has ever made."""
        return delegations.find(self.book, label=self.label)

    @property
    def asked_by(self) -> Optional[Delegation]:
        """The request that it works for: its own, or that of the group that it was launched in."""
        found = self.works_for or (case(self.book, self.task.grp).works_for if self.task.grp != self.label else [])
        return first_of(found)

    @fact
    def works_for(self) -> list[Delegation]:
        """The requests that name it as their worker."""
        return delegations.find(self.book, worker=self.label)

    @property
    def above(self) -> list[str]:
        """The task that asked for this one, the task that asked for that, and so on, the nearest first."""
        found: list[str] = []
        while len(found) < MOST_ABOVE:
            asker = of(self.book, found[-1]) if found else self
            one = asker.asked_by if asker else None
            if one is None or one.label in found:
                break
            found.append(one.label)
        return found

    @property
    def unsent(self) -> list[Answered]:
        """The user's words that have not reached it; without decisions if it has ended, as these do not wake it."""
        over = self.task.state in tasks.ENDED_STATES
        return [row for row in self.agent.answers if not (over and inbox.kind(row) == Item.DELEGATION)]

    @property
    def requests(self) -> list[Delegation]:
        """The requests of its agent's last run."""
        return self.agent.requests

    @property
    def awaited(self) -> list[Awaited]:
        """Everything that must happen before its agent, whose run has ended, can be woken: the user's part first."""
        if self.task.state in tasks.RUNNING_STATES:
            return []
        items = [item for item in self.items if inbox.kind(item) != Item.DELEGATION]
        found = [Awaited(ANSWER, item.qid, "", item.state) for item in items]
        return found + [each for one in self.requests for each in self._awaited_of(one)]

    def _awaited_of(self, one: Delegation) -> list[Awaited]:
        how = delegations.standing(self.book, one)
        if one.released is not None or how == Standing.DENIED or how in delegations.OVER:
            return []
        if how == Standing.ASKED:
            # A task that ended its run with a request that it need not wait for waits only for the decision.
            waits = one.blocking or self.task.state == State.DELEGATING
            return [Awaited(DECISION, one.qid, "", how)] if waits else []
        if not one.blocking:
            return []
        return [Awaited(LAUNCH if how == Standing.APPROVED else AGENT, one.qid, one.worker, how)]

    @property
    def forgotten(self) -> list[Delegation]:
        """Its approved requests for which nothing has been launched."""
        return [one for one in self.asked if delegations.standing(self.book, one) == Standing.APPROVED]

    @property
    def has_news(self) -> bool:
        """Whether there is something to tell it: the user's words, or how the work that it waits for has ended."""
        if self.unsent:
            return True
        if not self.task.agent or self.task.state not in tasks.WAITING_STATES or self.awaited:
            return False
        return any(one.state != Decision.WAITING or one.released for one in self.requests)

    @property
    def joint(self) -> Optional[Case]:
        """The task that asked for work, if it and all its workers have ended, and it was not told of all; else None.

        It is this task, or the one for which this task works.
        """
        asker = of(self.book, self.asked_by.label) if self.asked_by else self
        if asker is None or asker.task.state not in tasks.ENDED_STATES:
            return None
        found = [one for one in asker.asked if one.state == Decision.LAUNCHED]
        if not all(delegations.standing(self.book, one) in delegations.OVER for one in found):
            return None
        return asker if any(one.told is None for one in found) else None

    @property
    def is_ready(self) -> bool:
        """Whether its agent can be woken: it waits for nothing, and there is something to tell it."""
        return self.has_news and not self.awaited

    @property
    def is_resumable(self) -> bool:
        """Whether an agent has worked on it and ended."""
        return bool(self.task.agent) and self.task.state not in tasks.RUNNING_STATES


def _ever(of: Case, qid: str) -> list[Question]:
    return inbox.ever(of.book, of.label, qid)


class Docket(Held):
    """A session, with its tasks and everything that is due in it."""

    def __init__(self, book: Ledger, session: str) -> None:
        super().__init__(book)
        self.id = session

    @fact
    def row(self) -> Optional[Session]:
        """The session's row; None if it never had anything of ours."""
        return sessions.get(self.book, self.id)

    @property
    def transcript(self) -> str:
        """The path of its transcript; empty if unknown."""
        return (self.row.transcript or "") if self.row else ""

    @fact
    def asked_leave(self) -> list[tuple[str, str]]:
        """The calls that the host has asked its user about: the agent and the digest of each."""
        return notes.asked_leave(self.book, self.id)

    @fact
    def unfinished(self) -> list[Case]:
        """The tasks whose agent works or has an open run."""
        return _found(self, tasks.unfinished)

    @fact
    def unheard(self) -> list[Case]:
        """The unfinished tasks, and those with a run's end that the parent has not heard of."""
        return _found(self, tasks.unheard)

    @property
    def running(self) -> list[Case]:
        """The tasks that an agent works on."""
        return self.cases_in(tasks.RUNNING_STATES)

    def cases_in(self, states: tuple[str, ...]) -> list[Case]:
        """The tasks that are in these states."""
        return self.once(_cases_in, states)

    @fact
    def unbound(self) -> list[Launch]:
        """The launches whose agent nobody has seen yet."""
        return launches.unbound(self.book, self.id)

    @fact
    def windows(self) -> list[Window]:
        """The open windows, the newest first."""
        return windows.open_windows(self.book, self.id)

    @fact
    def printed(self) -> list[Delivery]:
        """The deliveries printed here, or for a task that this session has now, that are not known to have arrived."""
        return deliveries.printed(self.book, self.id)

    @property
    def due(self) -> list[Delivery]:
        """The deliveries due to its parent, without those that another hook is just about to say."""
        return [row for row in self.unsaid if not deliveries.is_claimed(row)]

    @fact
    def unsaid(self) -> list[Delivery]:
        """The deliveries due to its parent."""
        return deliveries.unsaid(self.book, self.id)

    @fact
    def items(self) -> list[Question]:
        """The open items that its tasks ask of the user, by priority, then age."""
        return inbox.waiting(self.book, session=self.id)

    @fact
    def late_words(self) -> str:
        """The words for the user from events that had waited in the spool."""
        return notes.late_words(self.book, self.id)


def interrupted(of: Docket, since: float, most: int) -> list[Case]:
    """The tasks of a session that were interrupted after this moment and are not closed, the newest first."""
    return _found(of, lambda book, session: tasks.interrupted(book, session, since, most))


def _cases_in(of: Docket, states: tuple[str, ...]) -> list[Case]:
    return _found(of, lambda book, session: tasks.in_session(book, session, states))


def _found(of: Docket, look: Callable[[Ledger, str], list[Task]]) -> list[Case]:
    """The cases of the tasks that the query `look` finds for a session."""
    return known(of.book, lambda: look(of.book, of.id))


def known(book: Ledger, look: Callable[[], list[Task]]) -> list[Case]:
    """The cases of the tasks that the query `look` finds; each holds its row, which need not be read again."""
    book.see_others()
    moment = book.changes
    return [_known(book, row, moment) for row in look()]


def _known(book: Ledger, row: Task, moment: int) -> Case:
    """The case of a task whose row was read at `moment`, a count of the ledger's changes."""
    found = case(book, row.label)
    found.learn(vars(Case)["task"].fget, row, {"tasks"}, moment)
    return found


class Whole(Held):
    """The ledger as a whole."""

    @fact
    def kept_aside(self) -> str:
        """The path of the damaged ledger that this one replaced; empty if it replaced none."""
        return notes.kept_aside(self.book)


def whole(book: Ledger) -> Whole:
    """The object that holds facts about the ledger as a whole."""
    key = (Whole,)
    found: Whole = book.held.get(key) or book.held.setdefault(key, Whole(book))
    return found


def case(book: Ledger, label: str) -> Case:
    """The case of this label, whether or not its task exists."""
    key = (Case, label)
    found: Case = book.held.get(key) or book.held.setdefault(key, Case(book, label))
    return found


def of(book: Ledger, label: str) -> Optional[Case]:
    """The case of the task with this label; None if no such task exists."""
    found = case(book, label)
    try:
        return found if found.task else None
    except NoTask:
        return None


def agent(book: Ledger, name: str) -> Agent:
    """The agent of this id."""
    key = (Agent, name)
    found: Agent = book.held.get(key) or book.held.setdefault(key, Agent(book, name))
    return found


def docket(book: Ledger, session: str) -> Docket:
    """The session of this id."""
    key = (Docket, session)
    found: Docket = book.held.get(key) or book.held.setdefault(key, Docket(book, session))
    return found


def broken(book: Ledger, one: Delegation) -> list[Task]:
    """The tasks that ended neither done nor partial, if the work on this request is over."""
    found = delegations.workers(book, one) if delegations.standing(book, one) in delegations.OVER else []
    return [task for task in found if task.state not in WELL]
