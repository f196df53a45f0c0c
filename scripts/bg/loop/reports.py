"""Reports: a run's raw text made durable, then read, corrected once if that helps, and concluded."""

from __future__ import annotations

import json
import re
import time
from functools import lru_cache

from bg import settings
from bg.ledger import delegations, deliveries, digests, inbox, reported, runs, tasks, user_answers, waiting
from bg.ledger.deliveries import Key
from bg.ledger.file import Ledger
from bg.ledger.reported import Report
from bg.ledger.runs import Run
from bg.masking import masked
from bg.protocol import signals
from bg.record import Record
from bg.words import phrases, verdict
from bg.words.quoting import cited, inline
from bg.words.texts import fill
from bg.words.times import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MESSAGE = "message"
MOST_CORRECTIONS = 2
LONGEST = 1_000_000
STATES = {"CLARIFICATION_NEEDED": "needs_answer", "STOP_WORK": "blocked", "DELEGATE_WORK": "delegating"}
ASKING = "DELEGATE_WORK"
CUT_STATES = {"killed": "stopped", "failed": "failed", "API error": "failed", "output limit": "failed"}
DISPUTED = "disputed"
PRESSED = "pressed"  # the declared lines that the agent was asked about in this run
COMPLETION_STATES = {"success": "done", "partial_success": "partial", "failed": "failed"}


class Reading(Record):
    """What a text says in blocks that carry the agent's own token."""

    own: list[signals.Signal]
    deciding: Optional[signals.Signal]
    strange: Optional[signals.Signal]


@lru_cache(maxsize=4)
def _signals(text: str) -> signals.Reading:
    """One event asks several times about the same few texts; decoding is what its end costs most.

    Of a text that no person would read its end is read, where a block belongs; the ledger keeps the whole.
    """
    if len(text) > LONGEST:
        text = text[-LONGEST:].partition("\n")[2]
    return signals.read(masked(text))


def read(text: str, token: str) -> Reading:
    """Only a block signed with the agent's own token counts; another one is remembered as strange."""
    found = _signals(text)
    example = _quoted_example(text, token)
    own = [signal for signal in found.signals if signal.agent_id.strip() == token]
    own = [signal for signal in own if example is None or (signal.marker, signal.fields) != example]
    ending = [signal for signal in own if signal.terminal]
    # A request that need not stop its agent ends the run all the same where nothing else does.
    ending = ending or [signal for signal in own[-1:] if signal.marker == ASKING]
    strange = [signal for signal in found.signals if signal.agent_id.strip() != token]
    return Reading(own, ending[-1] if ending else None, strange[-1] if strange else None)


def _quoted_example(text: str, token: str) -> Optional[tuple[str, dict[str, Any]]]:
    """What the example of an agent's own instructions says, where its text quotes it: it asks nothing by that."""
    example = fill("example", agent_id=token)
    if not all(line.strip() in text for line in example.splitlines()):
        return None
    [signal] = signals.read(example).signals
    return signal.marker, signal.fields


def keep(
    book: Ledger, label: str, agent: str, source: str, text: str, *, final: bool = True, uuid: str = ""
) -> Optional[Run]:
    """Make a run's text durable; the run it belongs to, None where it is a run's that has ended already."""
    run = _keep(book, label, agent, source, text, final=final, uuid=uuid)
    if run is not None:
        book.settle()
    return run


def _keep(book: Ledger, label: str, agent: str, source: str, text: str, *, final: bool, uuid: str) -> Optional[Run]:
    with book.transaction():
        last = runs.last_run(book, agent)
        over = last is not None and last.ended is not None and final
        if last and over and (not text.strip() or reported.is_reported(book, agent, text, last.run)):
            return None
        run = runs.running(book, agent, label)
        if text.strip():
            reported.keep_report(book, agent, run.run, source, text)
        if uuid:
            runs.set_last_record(book, agent, run.run, uuid)
        return run


def correction(book: Ledger, run: Run, token: str, evidence: dict[str, Any], most: int) -> str:
    """Why the agent is asked once more, counted before it is asked; empty where the report is taken as it is.

    A second time only for a block that still cannot be read, or for declared facts that it was not asked about yet:
    one that it insists on is passed on as disputed.
    """
    texts = reported.reports(book, run.agent, run.run)
    if run.ended is not None or run.cut or run.corrections >= min(most, MOST_CORRECTIONS) or not texts:
        return ""
    reading = read(texts[-1].text, token)
    signal = reading.deciding
    unreadable = (signal is not None and not signal.readable) or (signal is None and reading.strange is not None)
    form = _reason(reading, token, verdict.facts(evidence)) if run.corrections == 0 or unreadable else ""
    lines = [found["line"] for found in verdict.mismatches(evidence)]
    pressed = evidence.get(PRESSED, [])
    points = verdict.correction(evidence) if set(lines) - set(pressed) else ""
    reason = "\n\n".join(part for part in (points, form) if part)
    if reason:
        with book.transaction():
            runs.count_correction(book, run.agent, run.run)
            runs.set_evidence(book, run.agent, run.run, {**evidence, PRESSED: [*pressed, *lines]})
    return reason


def _reason(reading: Reading, token: str, facts: str) -> str:
    signal = reading.deciding
    seen = phrases.SEEN_OF_RUN.format(facts=facts) if facts else ""
    report = "COMPLETION_REPORT"
    if signal is None:
        problem = phrases.NO_BLOCK
        marker = report
        if reading.strange is not None:
            marker = reading.strange.marker
            signer = cited(reading.strange.agent_id, 60) if reading.strange.agent_id.strip() else "by nobody"
            problem = phrases.STRANGE_BLOCK.format(signer=signer, token=token)
        elif reading.own:
            problem = phrases.NO_ENDING
        return fill("missing_block", problem=problem, template=signals.template(marker, agent_id=token), facts=seen)
    if _is_completion_stop(signal):
        template = signals.template(report, agent_id=token)
        return fill("missing_block", problem=phrases.COMPLETION_STOP, template=template, facts=seen)
    if not signals.worth_correcting(signal):
        return ""
    return fill(
        "bad_block",
        marker=signal.marker,
        template=signals.template(signal.marker, agent_id=token),
        problems="\n".join(f"- {inline(problem.text, 300)}" for problem in signal.problems[:8]),
        facts=seen if signal.marker == report else "",
    )


def _is_completion_stop(signal: signals.Signal) -> bool:
    return signal.marker == "STOP_WORK" and str(signal.fields.get("stop_reason", "")) == "completion"


def conclude(book: Ledger, label: str, agent: str, token: str, *, cut: str = "", disputed: bool = False) -> None:
    """End the run that goes on: its best text decides, the parent is owed a reminder."""
    with book.transaction():
        _conclude(book, label, agent, token, cut, disputed=disputed)
        account(book, label)


def account(book: Ledger, label: str) -> None:
    """Inside a transaction: a task has ended; where that was the last of several, the parent is owed one account."""
    joint = waiting.joint(book, label)
    group = tasks.group_over(book, label)
    if joint:
        deliveries.make(book, joint, deliveries.JOINT, Key.of_joint(joint, len(delegations.of_task(book, joint))))
    elif group:
        deliveries.make(book, label, deliveries.GROUP, Key.of_group(group))


def _conclude(book: Ledger, label: str, agent: str, token: str, cut: str, *, disputed: bool) -> None:
    run = runs.last_run(book, agent)
    if run is None or run.ended is not None:
        return
    runs.end_run(book, agent, run.run, cut)
    texts = reported.reports(book, agent, run.run)
    _, reading = best(texts, token)
    signal = reading.deciding
    if signal is None or not signal.readable:
        _note_asked(book, label, agent, run.run, [found for found in _requests(texts, token) if not found.terminal])
        _withdraw(book, label, agent, run.run)
        tasks.set_state(book, label, CUT_STATES.get(cut, "unreported"), cut)
        deliveries.make(book, label, deliveries.ENDED, Key.of_end(agent, run.run))
        return
    stopped = _is_completion_stop(signal)
    over = signal.marker == "COMPLETION_REPORT" or stopped
    _note_asked(book, label, agent, run.run, _beside(signal, reading, _requests(texts, token)))
    _withdraw(book, label, agent, run.run + over)
    news = note(book, label, agent, run.run, signal, ends=True)
    state = COMPLETION_STATES.get(str(signal.fields.get("status", "")), "partial")
    # Nothing of a stop for completion was declared in a form that could be checked, so it is no success.
    state = "partial" if stopped else DISPUTED if disputed else state
    tasks.set_state(book, label, state if over else _pause(signal, reading))
    if not news:  # it had asked for this before: what came of that is what it waits for
        deliveries.make(book, label, deliveries.ANSWERED, Key.of_answers(label, _session(book, label)))


def _requests(texts: list[Report], token: str) -> list[signals.Signal]:
    """The requests for other agents in every text of a run, not only in the one that stands for it."""
    return [found for row in texts for found in read(row.text, token).own if found.marker == ASKING and found.readable]


def _beside(signal: signals.Signal, reading: Reading, requests: list[signals.Signal]) -> list[signals.Signal]:
    """What a run asks besides the signal that ends it; a report of completion leaves nothing to wait for."""
    if signal.marker == "COMPLETION_REPORT" or _is_completion_stop(signal):
        return [found for found in requests if not found.terminal]
    asked = [found for found in reading.own if found.readable and found.marker in STATES and found.marker != ASKING]
    return [found for found in [*requests, *asked] if found is not signal and not _is_completion_stop(found)]


def _note_asked(book: Ledger, label: str, agent: str, run: int, found: list[signals.Signal]) -> None:
    for signal in found:
        note(book, label, agent, run, signal)


def _pause(signal: signals.Signal, reading: Reading) -> str:
    """The state of a task whose run has ended, and which goes on when somebody has done his part."""
    waits = signal.marker == ASKING and any(found.terminal for found in reading.own if found.marker == ASKING)
    return "blocked" if waits else STATES[signal.marker]


def _session(book: Ledger, label: str) -> str:
    task = tasks.get(book, label)
    return task.session if task else ""


def best(texts: list[Report], token: str) -> tuple[str, Reading]:
    """The text that stands for the run: the last with a readable block, else the one that says most."""
    ranked = []
    for place, row in enumerate(texts):
        reading = read(row.text, token)
        signal = reading.deciding
        rank = (bool(signal and signal.readable), bool(signal), 0 if signal else len(row.text), place)
        ranked.append((rank, row.text, reading))
    if not ranked:
        return "", Reading([], None, None)
    _, text, reading = max(ranked, key=lambda item: item[0])
    return text, reading


def _withdraw(book: Ledger, label: str, agent: str, run: int) -> None:
    """A run's end takes back what the task asked before; a delegation stays, it can still be approved."""
    for item in inbox.open_before(book, label, agent, run):
        if inbox.kind(item) != inbox.DELEGATION:
            inbox.withdraw(book, item)


def note(
    book: Ledger, label: str, agent: str, run: int, signal: signals.Signal, *, ends: bool = False
) -> bool:
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
        body["timestamp"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    if body["signal_type"] == "COMPLETION_REPORT" and not body["payload"].get("total_duration"):
        body["payload"]["total_duration"] = age(runs.worked(book, agent))


def _settings(book: Ledger, label: str) -> settings.Settings:
    task = tasks.get(book, label)
    return settings.load(task.project or "" if task else "")


def _asked_before(book: Ledger, agent: str, run: int, signal: signals.Signal) -> int:
    """The signal by which the same run has asked for this very work, whatever else it says now; 0 where it has not."""
    if signal.marker != ASKING:
        return 0
    wanted = digests.digest(str(signal.fields.get("new_task_description") or ""))
    for one in delegations.last_of_run(book, agent, run):
        item = inbox.get(book, one.question)
        if item is not None and item.digest == wanted:
            return one.signal
    return 0


def _deny(book: Ledger, signal: int, question: int, *, ends: bool) -> None:
    """The user's settings allow no further agents: one that waits for the decision is told, others just go on."""
    asked, item = delegations.of_signal(book, signal), inbox.get(book, question)
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
    if _is_completion_stop(signal):
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
