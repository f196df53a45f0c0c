"""A scene: one event with the ledger it happens before, and the answer that grows from it."""

from __future__ import annotations

import contextlib
import os
import time

from bg import machine, repository
from bg.host import agents, receipts, transcripts, versions
from bg.host.answer import Answer
from bg.host.event import Event
from bg.ledger import (
    delegations,
    deliveries,
    inbox,
    launches,
    naming,
    notes,
    place,
    projects,
    runs,
    sessions,
    tasks,
    waiting,
)
from bg.ledger.deliveries import Delivery
from bg.ledger.file import Ledger, Unavailable
from bg.ledger.launches import Launch
from bg.ledger.tasks import Task
from bg.words import phrases
from bg.words.quoting import CONTEXT_LIMIT, fit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Callable, Optional

    from bg.settings import Settings
    from bg.words.replies import Reminder

ROOT = os.path.realpath(os.path.join(__file__, *[os.pardir] * 4))
MOST_REMINDERS = 12  # more than fit into one event, less than what would take long to compose
LEAST_ROOM = 400
DAY = 24 * 3600


class Scene:
    """What every handler is given; `late` tells when an event came that the spool gave back."""

    def __init__(
        self, event: Event, book: Ledger, answer: Optional[Answer] = None, *, late: Optional[float] = None
    ) -> None:
        self.event = event
        self.book = book
        self.answer = answer or Answer()
        self.surfaced: list[int] = []
        self.examined: dict[str, dict[str, Any]] = {}
        self.late = late

    @property
    def session(self) -> str:
        """The session that the event belongs to."""
        return self.event.session

    @property
    def project(self) -> str:
        """The project that the session works in."""
        known = sessions.get(self.book, self.session)
        return (known.project if known else "") or self.project_here()

    def project_here(self) -> str:
        """The environment is that of the hook that runs now, which is another one where the event waited."""
        return (os.environ.get("CLAUDE_PROJECT_DIR") if self.late is None else "") or self.event.cwd

    @property
    def host(self) -> versions.Host:
        """What the host can do; its version is unknown until a transcript tells it."""
        known = sessions.get(self.book, self.session)
        words = (known.version if known else "") or transcripts.field(self.event.transcript, "version")
        version = versions.version_of(words or (versions.announced_version() if self.late is None else ""))
        return versions.host_of(version)

    @property
    def launch_command(self) -> str:
        """How the user types our launch command here."""
        from bg.desk import shortcuts  # noqa: PLC0415 - late, see `reminder`

        return shortcuts.launch_command(self.host)

    @property
    def settings(self) -> Settings:
        """What the user has set for this project."""
        from bg import settings  # noqa: PLC0415 - late, see `reminder`

        return settings.load(self.project)

    @property
    def answer_command(self) -> str:
        """How the user types our answer command; the bare form works on every host."""
        return "/bg-answer"

    def enter(self) -> None:
        """From now on the session, in this process, has something of ours."""
        version = transcripts.field(self.event.transcript, "version")
        project = self.project_here()
        process = machine.host() or machine.Process(0, "")
        with self.book.transaction():
            sessions.note(self.book, self.session, project, self.event.transcript, version)
            root = projects.root_of(project)
            mark = repository.mark(root)
            if mark and notes.root_mark(self.book, root) != mark:
                notes.set_root_mark(self.book, root, mark)
            if self.late is None:
                sessions.note_process(self.book, self.session, process.pid, process.started, machine.here())
        place.mark(self.book.place, self.session)

    def see(self) -> None:
        """What was said before has arrived, or did not and is due again."""
        if self.late is None and deliveries.printed(self.book, self.session):
            from bg.loop import receiving  # noqa: PLC0415 - late: after most events nothing was said

            receiving.settle(self)

    def remind(self, rows: Optional[list[Delivery]] = None, *, brief: bool = False) -> None:
        """Say what this session has not seen: one reminder an event, at most what the host keeps whole.

        In brief where the host shows the user what the model is told; that is then the user's line as well.
        """
        rows = deliveries.due(self.book, self.session) if rows is None else rows
        used = sum(len(text) + 2 for text in self.answer.context)
        if not rows or self.late is not None or CONTEXT_LIMIT - used < LEAST_ROOM:
            return
        moot: list[Delivery] = []
        reminders: dict[int, Reminder] = {}
        for row in rows:
            if len(reminders) < MOST_REMINDERS:
                with self.apart(f"delivery {row.id} of {row.label}"):
                    if row.kind == deliveries.ANSWERED and self._is_sent(row):
                        moot.append(row)
                    else:
                        reminders[row.id] = self._worded(row, brief=brief)
        rest = phrases.MORE_REPORTS.format(command=self.bgctl("status"))
        with self.book.transaction():
            for row in moot:
                deliveries.settle(self.book, row)
            # Another hook may have said some of them meanwhile.
            due = [row.id for row in deliveries.due(self.book, self.session) if row.id in reminders]
            kept, count = self._fitting([reminders[one].text for one in due], used, rest, brief=brief)
            self.surfaced = due[:count]
            self._surface(kept)
            self._await_relaunches([row for row in rows if row.id in self.surfaced])
            for row in [row for row in rows if row.id in self.surfaced and row.kind == deliveries.ANSWERED]:
                self._expect_successor(row.label)
        self.answer.context += kept
        notices = [reminders[one].notice for one in self.surfaced if reminders[one].notice]
        self.answer.notice += [] if brief else notices
        waits = any(row.shown is None for row in inbox.waiting(self.book, session=self.session))
        if notices and waits and self.settings.notify:
            self.answer.sequence = self.host.notification(notices[0].split(" · ")[0])

    def _expect_successor(self, label: str) -> None:
        """Inside a transaction: a launch that leaves out the label continues the task, where its agent cannot wake."""
        task = tasks.get(self.book, label)
        if task is not None and self.is_ready(task) and not self.wakes(task.agent):
            launches.open_window(self.book, task.session, "relaunch", task.text, label)

    def _surface(self, texts: list[str]) -> None:
        place = transcripts.size(self.event.transcript)
        words = [receipts.plain(text) for text in texts]
        event = self.event
        carrier = receipts.plain(event.carrier)
        deliveries.surface(self.book, self.surfaced, self.session, event.name, words, place, carrier)

    @staticmethod
    def _fitting(texts: list[str], used: int, rest: str, *, brief: bool) -> tuple[list[str], int]:
        if not texts:
            return [], 0
        if not brief:
            return fit(texts, CONTEXT_LIMIT - used, rest)
        from bg.words import briefs  # noqa: PLC0415 - late, see `reminder`

        count = briefs.fitting(texts)
        return texts[:count], count

    def _await_relaunches(self, rows: list[Delivery]) -> None:
        """Inside a transaction: a task whose next step is a new agent waits for its launch, whatever it is called."""
        for row in rows:
            task = tasks.get(self.book, row.label) if row.kind == deliveries.ANSWERED else None
            if task is not None and task.agent and self.is_ready(task) and not self.wakes(task.agent):
                launches.open_window(self.book, self.session, "relaunch", task.text, task.label)

    @contextlib.contextmanager
    def apart(self, what: str) -> Iterator[None]:
        """One of several things, outside a transaction: where it fails, that is noted, and the others are done."""
        try:
            yield
        except Unavailable:
            raise
        except Exception:  # noqa: BLE001 - whatever is wrong with this one
            # Late: nearly nothing fails.
            import traceback  # noqa: PLC0415

            # What fails at every prompt is noted once a day, which is how far back people are shown errors.
            if not notes.is_traced(self.book, what, time.time() - DAY):
                notes.trace(self.book, what, traceback.format_exc())

    def _is_sent(self, row: Delivery) -> bool:
        """The answers that this row speaks of are on their way: there is nothing left to do about them."""
        task = tasks.get(self.book, row.label)
        return task is None or not (waiting.has_news(self.book, task) or self._has_to_do(task))

    def owe_next_step(self, label: str) -> bool:
        """Inside a transaction: the session that has this task is owed the next step; whether that is another one."""
        task = tasks.get(self.book, label)
        if task is None:
            return False
        deliveries.settle_next_step(self.book, label)
        key = deliveries.Key.of_answers(label, self.session)
        deliveries.make(self.book, label, deliveries.ANSWERED, key)
        elsewhere = bool(task.session != self.session)
        if elsewhere:
            place.wake(self.book.place, task.session)
        return elsewhere

    def _worded(self, row: Delivery, *, brief: bool) -> Reminder:
        if not brief:
            return self.reminder(row)
        from bg.loop import brief as briefly  # noqa: PLC0415 - late, see `reminder`

        return briefly.reminder(self, row)

    def reminder(self, row: Delivery) -> Reminder:
        """The text of one delivery, from the record as it is now."""
        # Late: what composes words is half of the package, and most events say nothing.
        from bg.loop import adopting, reports  # noqa: PLC0415
        from bg.words import replies  # noqa: PLC0415

        if row.kind in (deliveries.GROUP, deliveries.JOINT):
            return self._group(row)
        task = tasks.get(self.book, row.label)
        assert task is not None
        if row.kind == deliveries.ANSWERED:
            elsewhere = phrases.ANSWERED_ELSEWHERE.format(label=task.label)
            notice = "" if row.is_answered_in(self.session) else elsewhere
            return replies.Reminder(self.next_step(task), notice)
        agent, run = row.about.subject, row.about.run
        told = replies.Told(
            task=task,
            brief=adopting.brief(task.prompt),
            items=inbox.items(self.book, agent, run),
            resume=self.resume_how(agent, task.label),
            answer_command=self.answer_command,
            whole=self.bgctl(f"status {task.label}"),
            evidence=runs.evidence(self.book, agent, run),
            asked=runs.corrections(self.book, agent, run),
        )
        body = runs.signal_body(self.book, agent, run, row.about.mark)
        one = delegations.of_signal(self.book, runs.signal_id(self.book, agent, run, row.about.mark))
        if one is not None and one.state == delegations.WAITING:
            from bg.loop import weighing  # noqa: PLC0415 - as above

            weighed = weighing.weigh(self, task, one, str(body.get("payload", {}).get("context_required") or ""))
            told = told._replace(qid=one.qid, weighed=tuple(weighed), full=self.full())
        if body and reports.denied(self.book, agent, run, row.about.mark):
            return replies.denied(body, told)
        if body:
            said = replies.remind(body, told)
            return said._replace(text=said.text + self._overtaken(task) + self.for_requester(task))
        token = launches.token_of(self.book, agent)
        text, _ = reports.best(runs.reports(self.book, agent, run), token)
        said = replies.unreported(text, task.note, told)
        return said._replace(text=said.text + self._overtaken(task) + self.for_requester(task))

    def _group(self, row: Delivery) -> Reminder:
        # Late: merging is a tenth of the package and happens once a group.
        from bg.loop import groups  # noqa: PLC0415
        from bg.words import replies  # noqa: PLC0415

        tell = groups.joint if row.kind == deliveries.JOINT else groups.told
        return replies.Reminder(*tell(self.book, row.about.subject, self.bgctl))

    def resume_how(self, agent: str, label: str) -> str:
        """How the parent wakes this agent here, with a warning where that may fail."""
        from bg.words import replies  # noqa: PLC0415 - late, see `reminder`

        if not self.can_wake(agent):
            return replies.launch_anew(label)
        risk = transcripts.near_limit(agents.of_agent(self.event.transcript, agent))
        return replies.resume_how(self.host, agent, label) + (f" Mind that {risk}." if risk else "")

    def wakes(self, agent: str) -> bool:
        """An ended agent can be woken here; where it cannot, a new agent goes on."""
        return self.host.resume_way != versions.NO_WAY and self.can_wake(agent)

    def can_wake(self, agent: str) -> bool:
        """An ended agent that is woken from this session still has its task and its memory."""
        return agents.wakes_whole(self.event.transcript, agent)

    def bgctl(self, arguments: str) -> str:
        """The command that shows something outside the conversation."""
        return f"`{os.path.join(ROOT, 'scripts', 'bgctl')} {arguments}`"

    def next_step(self, task: Task) -> str:
        """What the parent does after an answer: launch, resume, pass it on, wait for the rest or for another agent."""
        parts = [*self._launches(task), self._to_tell(task)]
        return "\n\n".join(part for part in parts if part)

    def _to_tell(self, task: Task) -> str:
        label = task.label
        if task.state in tasks.RUNNING_STATES:
            return self._while_it_works(task)
        left = waiting.awaited(self.book, label)
        own = [each.qid for each in left if each.kind in (waiting.ANSWER, waiting.DECISION)]
        if own and waiting.unsent(self.book, task):
            return phrases.ANSWER_RECORDED_OTHERS_OPEN.format(label=label, qids=", ".join(own))
        if left:
            from bg.words import delegation  # noqa: PLC0415 - late, see `reminder`

            return phrases.WAITS_FOR_AGENT.format(label=label, whom=delegation.awaits(left))
        if not waiting.has_news(self.book, task):
            return phrases.ANSWER_RECORDED.format(label=label)
        return phrases.RESUME_NOW.format(label=label, way=self.resume_how(task.agent, label))

    def _while_it_works(self, task: Task) -> str:
        """A decision on what it asked for during its run: passed on at once where the host can."""
        if not waiting.unsent(self.book, task):
            return phrases.ANSWER_RECORDED.format(label=task.label)
        if self.host.resume_way != versions.BY_MESSAGE:
            return phrases.TOLD_LATER.format(label=task.label)
        return phrases.PASS_ON.format(label=task.label, way=self.message_how(task.agent))

    def _launches(self, task: Task) -> list[str]:
        """What is approved and was not launched, what waits for room, and what can be asked now that there is some."""
        from bg.loop import adopting, delegating  # noqa: PLC0415 - late, see `reminder`

        why = adopting.room(self.book, self.project, self.settings.max_tasks)
        found = []
        for one in self._unlaunched(task):
            name = f"{one.label} {one.qid}"
            if why:
                found.append(phrases.NO_ROOM_YET.format(name=name, why=why))
            else:
                item = inbox.get(self.book, one.question)
                found.append(delegating.order(one, one.worker, item.text if item else one.words or ""))
        asked = self._can_be_asked(task) if not why else []
        if asked:
            names = ", ".join(f"{one.label} {one.qid}" for one in asked)
            found.append(phrases.NOW_THERE_IS_ROOM.format(names=names))
        return found

    def _can_be_asked(self, task: Task) -> list[delegations.Delegation]:
        """Requests that nobody has decided, where the cap may have kept them from the user."""
        if self.settings.max_tasks is None:
            return []
        return [one for one in delegations.of_task(self.book, task.label) if one.state == delegations.WAITING]

    def _unlaunched(self, task: Task) -> list[delegations.Delegation]:
        """Approved requests of a task that nothing was launched for in the turn of the approval."""
        found = waiting.forgotten(self.book, task)
        return [one for one in found if tasks.get(self.book, one.worker) is not None]

    def _has_to_do(self, task: Task) -> bool:
        return bool(self._unlaunched(task) or self._can_be_asked(task))

    def full(self) -> str:
        """Why no further agent may be launched in this project now; empty where one may."""
        from bg.loop import adopting  # noqa: PLC0415 - late, see `reminder`

        return adopting.room(self.book, self.project, self.settings.max_tasks)

    def message_how(self, agent: str) -> str:
        """How the parent sends a running agent something, in a sentence."""
        from bg.words import replies  # noqa: PLC0415 - late, see `reminder`

        return replies.message_how(self.host, agent)

    def is_ready(self, task: Task) -> bool:
        """Nothing is left to answer and nobody to wait for, and there is something to tell: the agent can be woken."""
        return waiting.has_news(self.book, task) and not waiting.awaited(self.book, task.label)

    def _overtaken(self, task: Task) -> str:
        """The agent has ended with answers of the user still on this side."""
        left = [item.qid for item in waiting.unsent(self.book, task)]
        if not left or task.state not in tasks.ENDED_STATES:
            return ""
        way = self.resume_how(task.agent, task.label)
        return phrases.OVERTAKEN.format(qids=", ".join(left), way=way)

    def for_requester(self, task: Task, way: Optional[Callable[[str, str], str]] = None) -> str:
        """What the parent does for the task that asked for this one; nothing where this one has merely stopped.

        `way` words how that one is woken, where it must be said in brief.
        """
        one = delegations.of_worker(self.book, task.label)
        asker = tasks.get(self.book, one.label) if one else None
        if one is None or asker is None or one.told is not None or not asker.agent:
            return ""
        from bg.words import delegation  # noqa: PLC0415 - late, see `reminder`

        over = delegations.standing(self.book, one) in delegations.OVER
        left = waiting.awaited(self.book, asker.label)
        if left and (over or one.qid in [each.qid for each in left]):
            return phrases.WAITS_ON.format(label=asker.label, whom=delegation.awaits(left))
        if not over or asker.state in tasks.ENDED_STATES or one.released is not None:
            return ""
        if asker.state in tasks.RUNNING_STATES:
            if self.host.resume_way != versions.BY_MESSAGE:
                return ""
            return phrases.STILL_WORKS.format(label=asker.label, way=self.message_how(asker.agent))
        broke = any(each.state not in ("done", "partial") for each in delegations.workers(self.book, one))
        waited = phrases.BRIEFLY_WAITED if way else phrases.HAS_WAITED
        how = (way or self.resume_how)(asker.agent, asker.label)
        words = phrases.CHILD_BROKE if broke else waited
        return words.format(label=asker.label, child=task.label, way=how, then=how)

    def own_task(self, agent: str, transcript: str = "") -> Optional[Task]:
        """The task of an agent, bound by the token in its first prompt where no launch event told us."""
        found = tasks.of_agent(self.book, agent)
        if found or not agent:
            return found
        path = transcript or agents.of_agent(self.event.transcript, agent)
        tokens = naming.TOKEN.findall(transcripts.first_prompt(path)[:20000])
        known = launches.of_token(self.book, tokens[0]) if tokens else launches.of_call(self.book, agents.call_of(path))
        # The hook after its launch, which runs beside this one, may have bound it just now.
        if known is None or known.agent not in ("", agent) or not self.came_from(known, path):
            return None
        with self.book.transaction():
            runs.bind(self.book, known.token, agent)
            launches.set_identity(self.book, known.token, launches.PROMPT if tokens else launches.LOST)
        return tasks.of_agent(self.book, agent)

    def came_from(self, launch: Launch, transcript: str) -> bool:
        """The agent with this transcript, whose prompt shows the launch's token, is the launch's own.

        A prompt can be copied. Where the host does not keep the call, a launch that came to nothing has no agent.
        """
        call = agents.call_of(transcript)
        if call or not launch.tool_use or launch.tool_use == launch.token:
            return call in ("", launch.tool_use)
        task = tasks.get(self.book, launch.label)
        waits = task is not None and task.state != "not_launched" and task.session == self.session
        return waits and launch.failed is None

    def note_stranger(self, agent: str, text: str) -> None:
        """A report that carries a token of ours from another agent: remembered, its text is not."""
        for token in naming.TOKEN.findall(text)[:5]:
            known = launches.of_token(self.book, token)
            if known and known.agent not in ("", agent):
                with self.book.transaction():
                    notes.note_stranger(self.book, agent, known.label)
                return


def resumable(task: Task) -> bool:
    """An agent has worked on this task and ended."""
    return bool(task.agent) and task.state not in tasks.RUNNING_STATES
