"""A scene: one event with the ledger it happens before, and the answer that grows from it."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Optional

from bg import deliveries, host, inbox, launch, processes, replies, reports, shortcuts, state, tasks, transcripts
from bg.host import Answer, Event
from bg.ledger import Ledger
from bg.quoting import CONTEXT_LIMIT, fit
from bg.settings import Settings, load
from bg.tasks import Row

ROOT = Path(__file__).resolve().parents[2]


@dataclass
class Scene:
    """What every handler is given."""

    event: Event
    book: Ledger
    answer: Answer = field(default_factory=Answer)
    surfaced: list[int] = field(default_factory=list)
    examined: dict[str, dict[str, Any]] = field(default_factory=dict)
    #: The event comes from the spool: nobody hears an answer to it any more.
    late: bool = False

    @property
    def session(self) -> str:
        """The session that the event belongs to."""
        return self.event.session

    @property
    def project(self) -> str:
        """The project that the session works in."""
        known = self.book.value("SELECT project FROM sessions WHERE id = ?", self.session)
        return known or os.environ.get("CLAUDE_PROJECT_DIR") or self.event.cwd

    @property
    def version(self) -> Optional[host.Version]:
        """The host's version, None until a transcript tells it."""
        known = self.book.value("SELECT version FROM sessions WHERE id = ?", self.session)
        known = known or transcripts.field(self.event.transcript, "version")
        return host.version_of(known or host.announced_version())

    @property
    def launch_command(self) -> str:
        """How the user types our launch command here."""
        return shortcuts.launch_command(self.version)

    @property
    def settings(self) -> Settings:
        """What the user has set for this project."""
        return load(self.project)

    @property
    def answer_command(self) -> str:
        """How the user types our answer command; the bare form works on every host."""
        return "/bg-answer"

    def enter(self) -> None:
        """From now on the session, in this process, has something of ours."""
        version = transcripts.field(self.event.transcript, "version")
        project = os.environ.get("CLAUDE_PROJECT_DIR") or self.event.cwd
        process = processes.host() or processes.Process(0, "")
        with self.book.transaction():
            tasks.note_session(self.book, self.session, project, self.event.transcript, version)
            self.book.write(
                "UPDATE sessions SET pid = ?, pid_started = ? WHERE id = ?", process.pid, process.started, self.session
            )
        state.mark(self.book.place, self.session)

    def see(self) -> None:
        """The host went on after what was said before."""
        waiting = self.book.value(
            "SELECT 1 FROM deliveries WHERE seen IS NULL AND said IS NOT NULL AND session = ?", self.session
        )
        if waiting:
            with self.book.transaction():
                deliveries.see(self.book, self.session)

    def remind(self, rows: Optional[list[Row]] = None) -> None:
        """Say what this session has not seen: one reminder an event, at most what the host keeps whole."""
        rows = deliveries.due(self.book, self.session) if rows is None else rows
        if not rows:
            return
        reminders = [self.reminder(row) for row in rows]
        used = sum(len(text) + 2 for text in self.answer.context)
        rest = f"More background reports wait; they follow at the next event, or run: {self.bgctl('status')}"
        kept, count = fit([found.text for found in reminders], CONTEXT_LIMIT - used, rest)
        self.surfaced = [row["id"] for row in rows[:count]]
        with self.book.transaction():
            deliveries.surface(self.book, self.surfaced, self.session, self.event.name)
        self.answer.context += kept
        self.answer.notice += [found.notice for found in reminders[:count]]
        if self.settings.notify and any(row["shown"] is None for row in inbox.waiting(self.book, session=self.session)):
            self.answer.sequence = host.notification(reminders[0].notice.split(" · ")[0], self.version)

    def reminder(self, row: Row) -> replies.Reminder:
        """The text of one delivery, from the record as it is now."""
        agent, run, key = row["key"].rsplit(":", 2)
        if row["kind"] == deliveries.GROUP:
            return self._group(agent)
        task = tasks.get(self.book, row["label"])
        assert task is not None
        if row["kind"] == deliveries.ANSWERED:
            return replies.Reminder(self.next_step(task), f"{task['label']}: answered in another session")
        told = replies.Told(
            task=task,
            brief=launch.brief(task["prompt"] or ""),
            items=inbox.items(self.book, agent, int(run)),
            resume=self.resume_how(agent, task["label"]),
            answer_command=self.answer_command,
            whole=self.bgctl(f"status {task['label']}"),
            evidence=self.evidence(agent, int(run)),
        )
        body = self.book.value(
            "SELECT body FROM signals WHERE agent = ? AND run = ? AND digest = ?", agent, int(run), key
        )
        if body and reports.denied(self.book, agent, int(run), key):
            return replies.denied(json.loads(body), told)
        if body:
            said = replies.remind(json.loads(body), told)
            return said._replace(text=said.text + self.waiter(row["label"]))
        token = tasks.token_of(self.book, agent)
        text, _ = reports.best(tasks.reports(self.book, agent, int(run)), token)
        return replies.unreported(text, task["note"] or "", told)

    def evidence(self, agent: str, run: int) -> dict[str, Any]:
        """What the host side found of a run's report."""
        found = self.book.value("SELECT evidence FROM runs WHERE agent = ? AND run = ?", agent, run)
        return dict(json.loads(found)) if found else {}

    def _group(self, group: str) -> replies.Reminder:
        # Late: merging is a tenth of the package and happens once a group.
        from bg import together  # noqa: PLC0415

        return replies.Reminder(*together.told(self.book, group))

    def resume_how(self, agent: str, label: str) -> str:
        """How the parent wakes this agent here, with a warning where that may fail."""
        risk = transcripts.near_limit(transcripts.of_agent(self.event.transcript, agent))
        return replies.resume_how(self.version, agent, label) + (f" Mind that {risk}." if risk else "")

    def bgctl(self, arguments: str) -> str:
        """The command that shows something outside the conversation."""
        return f"`{ROOT / 'scripts' / 'bgctl'} {arguments}`"

    def next_step(self, task: Row) -> str:
        """What the parent does after an answer: resume, wait for the rest, or wait for another agent."""
        label = task["label"]
        left = [item["qid"] for item in inbox.waiting(self.book, label=label) if inbox.kind(item) != inbox.DELEGATION]
        if left:
            return (
                f"[bg] The user's answer for {label} is recorded. Still open: {', '.join(left)}. "
                "Resume it when these are answered too."
            )
        if not inbox.unsent(self.book, task["agent"] or ""):
            return f"[bg] The user's answer for {label} is recorded."
        way = self.resume_how(task["agent"], label)
        if self._waits_for_child(label):
            return f"[bg] {label} waits for that agent. When it has reported, resume {label}: {way}"
        return f"[bg] The user's answers for {label} are recorded. Resume it now: {way}"

    def _waits_for_child(self, label: str) -> bool:
        """An approved delegation blocks this task until its agent has ended."""
        row = self.book.one(
            "SELECT d.state, t.ended FROM delegations d LEFT JOIN tasks t ON t.label = d.child"
            " WHERE d.label = ? AND d.blocking = 1 AND d.state IN ('approved', 'launched') ORDER BY d.id DESC",
            label,
        )
        return row is not None and row["ended"] is None

    def waiter(self, label: str) -> str:
        """What the parent does for the task that has waited for this one, if there is any."""
        row = self.book.one(
            "SELECT t.* FROM delegations d JOIN tasks t ON t.label = d.label"
            " WHERE d.child = ? AND d.blocking = 1 AND t.state = 'blocked'",
            label,
        )
        if row is None or not row["agent"]:
            return ""
        return f"\n{row['label']} has waited for this. Resume it now: {self.resume_how(row['agent'], row['label'])}"

    def own_task(self, agent: str, transcript: str = "") -> Optional[Row]:
        """The task of an agent, bound by the token in its first prompt where no launch event told us."""
        found = tasks.of_agent(self.book, agent)
        if found or not agent:
            return found
        path = transcript or transcripts.of_agent(self.event.transcript, agent)
        tokens = tasks.TOKEN.findall(transcripts.first_prompt(path)[:20000])
        known = tasks.of_token(self.book, tokens[0]) if tokens else None
        if known is None or known["agent"]:
            return None
        with self.book.transaction():
            tasks.bind(self.book, tokens[0], agent)
        return tasks.of_agent(self.book, agent)

    def note_stranger(self, agent: str, text: str) -> None:
        """A report that carries a token of ours from another agent: remembered, its text is not."""
        for token in tasks.TOKEN.findall(text)[:5]:
            known = tasks.of_token(self.book, token)
            if known and known["agent"] != agent:
                with self.book.transaction():
                    self.book.write(
                        "INSERT OR IGNORE INTO strangers VALUES (?,?,?)", time.time(), agent, known["label"]
                    )
                return


def resumable(task: Row) -> bool:
    """An agent has worked on this task and ended."""
    return bool(task["agent"]) and task["state"] not in tasks.RUNNING_STATES
