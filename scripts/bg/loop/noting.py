"""Noting: a signal, what it asks for, and that the parent is owed a reminder of it, recorded once by whatever path."""

from __future__ import annotations

import json
import re
import time

from bg import settings
from bg.ledger import delegations, deliveries, digests, inbox, reported, runs, tasks, user_answers
from bg.ledger.deliveries import Key
from bg.ledger.file import Ledger, Writing
from bg.ledger.record import first_of
from bg.loop import reports
from bg.protocol import signals
from bg.words import phrases
from bg.words.times import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def note(book: Writing, label: str, agent: str, run: int, signal: signals.Signal, *, ends: bool = False) -> bool:
    """Record one signal, what it asks for, and that the parent is owed a reminder; once, by whatever path."""
    ends = ends or signal.terminal
    body = signals.to_json(signal)
    said = {key: value for key, value in body["payload"].items() if key not in {"agent_id", "timestamp"}}
    key = digests.digest(signal.marker + json.dumps(said, sort_keys=True, ensure_ascii=False))
    _fill_in_times(book, agent, body)
    known = _asked_before(book, agent, run, signal) or reported.signal_id(book, agent, run, key)
    if known:
        if ends:
            reported.end_with(book, known)
        return False
    fresh = reported.keep_signal(book, label, agent, run, signal.marker, body, key, terminal=ends)
    for kind, qid, item in _asks(book, label, signal):
        asked = inbox.ask(book, label, agent, run, kind, qid, item)
        if kind == inbox.DELEGATION:
            delegations.note(book, label, fresh, qid, asked, blocking=signal.terminal)
            if _settings(book, label).delegation == "deny":
                _deny(book, fresh, asked, ends=ends)
    kind = deliveries.ENDED if ends else deliveries.MESSAGE
    deliveries.make(book, label, kind, Key.of_signal(agent, run, key))
    return True


def _fill_in_times(book: Ledger, agent: str, body: dict[str, Any]) -> None:
    """When it was said and how long the work took: the hook knows both, the agent would have to guess."""
    if not body["timestamp"]:
        body["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(book.now()))
    if body["signal_type"] == "COMPLETION_REPORT" and not body["payload"].get("total_duration"):
        body["payload"]["total_duration"] = age(runs.worked(book, agent))


def _settings(book: Ledger, label: str) -> settings.Settings:
    task = tasks.get(book, label)
    return settings.load(task.project or "" if task else "")


def _asked_before(book: Ledger, agent: str, run: int, signal: signals.Signal) -> int:
    """The signal by which the same run has asked for this very work, whatever else it says now; 0 where it has not."""
    if signal.marker != reports.ASKING:
        return 0
    wanted = digests.digest(str(signal.fields.get("new_task_description") or ""))
    for one in delegations.last_of_run(book, agent, run):
        item = inbox.get(book, one.question)
        if item is not None and item.digest == wanted:
            return one.signal
    return 0


def _deny(book: Writing, signal: int, question: int, *, ends: bool) -> None:
    """The user's settings allow no further agents: one that waits for the decision is told, others just go on."""
    asked, item = first_of(delegations.find(book, signal=signal)), inbox.get(book, question)
    if item is not None and ends:
        user_answers.answer(book, item, phrases.DELEGATION_DENIED, "settings", user_answers.DENIED)
    elif item is not None:
        inbox.withdraw(book, item)
    if asked is not None:
        delegations.deny(book, asked, phrases.DELEGATION_DENIED)


def denied(book: Ledger, agent: str, run: int, key: str) -> bool:
    """The settings have decided this delegation, not the user."""
    return delegations.is_decided_by(book, agent, run, key, phrases.DELEGATION_DENIED)


def _plain_id(given: Any, number: int) -> str:
    """A question's own id where it is one: it stands in sentences of ours, and the user types it."""
    words = given.strip() if isinstance(given, str) else ""
    return words if re.fullmatch(r"[A-Za-z0-9][\w.-]{0,11}", words, re.ASCII) else f"Q{number}"


def _asks(book: Ledger, label: str, signal: signals.Signal) -> list[tuple[str, str, dict[str, Any]]]:
    fields = signal.fields
    if signal.marker == "CLARIFICATION_NEEDED":
        return [
            (inbox.QUESTION, _plain_id(question.get("question_id"), number), question)
            for number, question in enumerate(fields.get("questions") or [], 1)
            if isinstance(question, dict)
        ]
    if reports.is_completion_stop(signal):
        return []
    if signal.marker == "STOP_WORK":
        return [
            (
                inbox.BLOCKER,
                "B1",
                {
                    "text": str(fields.get("details") or fields.get("stop_reason") or "blocked"),
                    "context": str(fields.get("resume_requirements") or ""),
                    "blocker_type": str(fields.get("blocker_type") or ""),
                },
            )
        ]
    if signal.marker == "DELEGATE_WORK":
        return [
            (
                inbox.DELEGATION,
                delegations.next_qid(book, label),
                {
                    "text": str(fields.get("new_task_description") or ""),
                    "context": str(fields.get("delegation_reason") or ""),
                    "priority": str(fields.get("priority") or ""),
                    "independence": str(fields.get("independence") or ""),
                    "estimated_duration": str(fields.get("estimated_duration") or ""),
                },
            )
        ]
    return []
