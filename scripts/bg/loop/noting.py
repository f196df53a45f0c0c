"""Noting: a signal, its items and the reminder that the parent is owed are recorded once, whichever path they take."""

from __future__ import annotations

import json
import time

from bg import settings
from bg.ledger import delegations, deliveries, digests, inbox, reported, runs, user_answers
from bg.ledger.cases import Case
from bg.ledger.deliveries import Key
from bg.ledger.file import Ledger, Writing, first_of
from bg.ledger.values import Due, Item
from bg.protocol import signals
from bg.signals import kinds
from bg.words import phrases
from bg.words.times import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def note(book: Writing, case: Case, agent: str, run: int, signal: signals.Signal, *, ends: bool = False) -> bool:
    """Record one signal, its items and the reminder that the parent is owed; False if another path has done so."""
    label, ends = case.label, ends or signal.terminal
    kind = kinds.of(signal.marker)
    body = signals.as_json_object(signal)
    key = _key(signal.marker, body["payload"])
    _fill_in_times(book, agent, body, kind.duration)
    known = kind.asked_before(book, agent, run, signal.fields) or reported.signal_id(book, agent, run, key)
    if known:
        if ends:
            reported.end_with(book, known)
        return False
    fresh = reported.keep_signal(book, label, agent, run, signal.marker, body, key, terminal=ends)
    for item in kind.asks(book, label, signal.fields):
        asked = inbox.ask(book, label, agent, run, item.kind, item.qid, item.given)
        if item.kind == Item.DELEGATION:
            delegations.note(book, label, fresh, item.qid, asked, blocking=signal.terminal, handed_over=False)
            if settings.load(case.task.project or "").delegation == "deny":
                _deny(book, fresh, asked, ends=ends)
    due = Due.ENDED if ends else Due.MESSAGE
    deliveries.make(book, label, due, Key.of_signal(agent, run, key))
    return True


def denied(book: Ledger, agent: str, run: int, key: str) -> bool:
    """Whether the settings, and not the user, have decided this request."""
    return delegations.is_decided_by(book, agent, run, key, phrases.DELEGATION_DENIED)


def _key(marker: str, payload: dict[str, Any]) -> str:
    """A digest of a signal's content, without its signer and its time."""
    said = {key: value for key, value in payload.items() if key not in {"agent_id", "timestamp"}}
    return digests.digest(marker + json.dumps(said, sort_keys=True, ensure_ascii=False))


def _fill_in_times(book: Ledger, agent: str, body: dict[str, Any], duration: str) -> None:
    """Fill in a missing time and duration, which the agent could only guess."""
    if not body["timestamp"]:
        body["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(book.now()))
    if duration and not body["payload"].get(duration):
        body["payload"][duration] = age(runs.worked(book, agent))


def _deny(book: Writing, signal: int, question: int, *, ends: bool) -> None:
    """Deny a request because the settings allow no further agents; its agent is told if it waits for the decision."""
    asked, item = first_of(delegations.find(book, signal=signal)), inbox.get(book, question)
    if item is not None and ends:
        user_answers.answer(book, item, phrases.DELEGATION_DENIED, "settings", user_answers.DENIED)
    elif item is not None:
        inbox.withdraw(book, item)
    if asked is not None:
        delegations.deny(book, asked, phrases.DELEGATION_DENIED)
