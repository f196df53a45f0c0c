"""Reports: a run's raw text made durable, then read, corrected once if that helps, and concluded."""

from __future__ import annotations

import json
import time
from functools import lru_cache

from bg import settings
from bg.ledger import deliveries, inbox, runs, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Row
from bg.protocol import signals
from bg.record import Record
from bg.words.quoting import inline
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

MESSAGE = "message"
DENIED = "deny: bg.json allows no further agents"
MOST_CORRECTIONS = 2
STATES = {"CLARIFICATION_NEEDED": "needs_answer", "STOP_WORK": "blocked", "DELEGATE_WORK": "blocked"}
CUT_STATES = {"killed": "stopped", "failed": "failed", "API error": "failed", "output limit": "failed"}
COMPLETION_STATES = {"success": "done", "partial_success": "partial", "failed": "failed"}


class Reading(Record):
    """What a text says in blocks that carry the agent's own token."""

    own: list[signals.Signal]
    deciding: Optional[signals.Signal]
    strange: Optional[signals.Signal]


@lru_cache(maxsize=4)
def _signals(text: str) -> signals.Reading:
    """One event asks several times about the same few texts; decoding is what its end costs most."""
    return signals.read(text)


def read(text: str, token: str) -> Reading:
    """Only a block signed with the agent's own token counts; another one is remembered as strange."""
    found = _signals(text)
    own = [signal for signal in found.signals if signal.agent_id.strip() == token]
    terminal = [signal for signal in own if signal.terminal]
    strange = [signal for signal in found.signals if signal.agent_id.strip() != token]
    return Reading(own, terminal[-1] if terminal else None, strange[-1] if strange else None)


def keep(
    book: Ledger, label: str, agent: str, source: str, text: str, *, final: bool = True, uuid: str = ""
) -> Optional[Row]:
    """Make a run's text durable; the run it belongs to, None where it is a run's that has ended already."""
    with book.transaction():
        last = runs.last_run(book, agent)
        if last is not None and last["ended"] is not None and final:
            known = book.value(
                "SELECT 1 FROM reports WHERE agent = ? AND run = ? AND digest = ?",
                agent,
                last["run"],
                tasks.digest(text),
            )
            if known or not text.strip():
                return None
        run = runs.running(book, agent, label)
        if text.strip():
            runs.keep_report(book, agent, run["run"], source, text)
        if uuid:
            book.write("UPDATE runs SET last_uuid = ? WHERE agent = ? AND run = ?", uuid, agent, run["run"])
        return run


def correction(book: Ledger, run: Row, token: str, refuted: list[dict[str, str]], most: int) -> str:
    """Why the agent is asked once more, counted before it is asked; empty where the report is taken as it is.

    A second time only for a claim that the disk refutes or a block that still cannot be read.
    """
    texts = runs.reports(book, run["agent"], run["run"])
    if run["ended"] is not None or run["cut"] or run["corrections"] >= min(most, MOST_CORRECTIONS) or not texts:
        return ""
    reading = read(texts[-1]["text"], token)
    signal = reading.deciding
    unreadable = (signal is not None and not signal.readable) or (signal is None and reading.strange is not None)
    form = _reason(reading, token) if run["corrections"] == 0 or unreadable else ""
    points = "\n".join(f"- {inline(item['claim'], 160)}: {inline(item['reason'], 300)}" for item in refuted[:8])
    reason = "\n\n".join(part for part in (fill("refuted", points=points) if points else "", form) if part)
    if reason:
        with book.transaction():
            runs.count_correction(book, run["agent"], run["run"])
    return reason


def _reason(reading: Reading, token: str) -> str:
    signal = reading.deciding
    report = "COMPLETION_REPORT"
    if signal is None:
        problem = "no block with both marker lines stands in it"
        marker = report
        if reading.strange is not None:
            marker = reading.strange.marker
            signer = inline(reading.strange.agent_id, 60) or "by nobody"
            problem = f"its block is signed {signer}, and your agent_id is {token}"
        elif reading.own:
            problem = "it ends without saying how the run ended"
        return fill("missing_block", problem=problem, template=signals.template(marker, agent_id=token))
    if _is_completion_stop(signal):
        problem = "STOP_WORK with stop_reason completion is said with COMPLETION_REPORT"
        return fill("missing_block", problem=problem, template=signals.template(report, agent_id=token))
    if not signals.worth_correcting(signal):
        return ""
    return fill(
        "bad_block",
        marker=signal.marker,
        template=signals.template(signal.marker, agent_id=token),
        problems="\n".join(f"- {problem.text}" for problem in signal.problems[:8]),
    )


def _is_completion_stop(signal: signals.Signal) -> bool:
    return signal.marker == "STOP_WORK" and str(signal.fields.get("stop_reason", "")) == "completion"


def conclude(book: Ledger, label: str, agent: str, token: str, *, cut: str = "") -> None:
    """End the run that goes on: its best text decides, the parent is owed a reminder."""
    with book.transaction():
        _conclude(book, label, agent, token, cut)
        group = book.value("SELECT grp FROM tasks WHERE label = ?", label)
        left = book.value(
            "SELECT count(*) FROM tasks WHERE grp = ? AND ended IS NULL AND state <> 'not_launched'", group
        )
        several = book.value("SELECT count(*) > 1 FROM tasks WHERE grp = ? AND state <> 'not_launched'", group)
        if several and not left:
            deliveries.make(book, label, deliveries.GROUP, f"{group}:0:group")


def _conclude(book: Ledger, label: str, agent: str, token: str, cut: str) -> None:
    run = runs.last_run(book, agent)
    if run is None or run["ended"] is not None:
        return
    runs.end_run(book, agent, run["run"], cut)
    _, reading = best(runs.reports(book, agent, run["run"]), token)
    signal = reading.deciding
    for found in reading.own:
        if not found.terminal:
            note(book, label, agent, run["run"], found)
    if signal is None or not signal.readable or _is_completion_stop(signal):
        _withdraw(book, label, agent, run["run"])
        tasks.set_state(book, label, CUT_STATES.get(cut, "unreported"), cut)
        deliveries.make(book, label, deliveries.ENDED, f"{agent}:{run['run']}:end")
        return
    _withdraw(book, label, agent, run["run"] + (signal.marker == "COMPLETION_REPORT"))
    note(book, label, agent, run["run"], signal)
    state = COMPLETION_STATES.get(str(signal.fields.get("status", "")), "partial")
    tasks.set_state(book, label, STATES.get(signal.marker, state))


def best(texts: list[Row], token: str) -> tuple[str, Reading]:
    """The text that stands for the run: the last with a readable block, else the one that says most."""
    ranked = []
    for place, row in enumerate(texts):
        reading = read(row["text"], token)
        signal = reading.deciding
        rank = (bool(signal and signal.readable), bool(signal), 0 if signal else len(row["text"]), place)
        ranked.append((rank, row["text"], reading))
    if not ranked:
        return "", Reading([], None, None)
    _, text, reading = max(ranked, key=lambda item: item[0])
    return text, reading


def _withdraw(book: Ledger, label: str, agent: str, run: int) -> None:
    """A run's end takes back what the task asked before; a delegation stays, it can still be approved."""
    earlier = book.all(
        "SELECT * FROM questions WHERE label = ? AND state = 'open' AND (agent <> ? OR run < ?)", label, agent, run
    )
    for item in earlier:
        if inbox.kind(item) != inbox.DELEGATION:
            book.write("UPDATE questions SET state = 'withdrawn' WHERE id = ?", item["id"])


def note(book: Ledger, label: str, agent: str, run: int, signal: signals.Signal) -> bool:
    """Record one signal, what it asks for, and that the parent is owed a reminder; once, by whatever path."""
    body = signals.to_json(signal)
    known = {key: value for key, value in body["payload"].items() if key not in {"agent_id", "timestamp"}}
    key = tasks.digest(signal.marker + json.dumps(known, sort_keys=True, ensure_ascii=False))
    fresh = book.write(
        "INSERT OR IGNORE INTO signals (label, agent, run, marker, body, digest, at, terminal)"
        " VALUES (?,?,?,?,?,?,?,?)",
        label,
        agent,
        run,
        signal.marker,
        json.dumps(body, ensure_ascii=False),
        key,
        time.time(),
        int(signal.terminal),
    )
    if not fresh:
        return False
    row = book.value("SELECT id FROM signals WHERE agent = ? AND run = ? AND digest = ?", agent, run, key)
    for kind, qid, item in _asks(book, agent, run, signal):
        inbox.ask(book, label, agent, run, kind, qid, item)
        if kind == inbox.DELEGATION:
            blocking = int(signal.terminal)
            book.write(
                "INSERT OR IGNORE INTO delegations (label, signal, blocking, state) VALUES (?,?,?,'waiting')",
                label,
                row,
                blocking,
            )
            if _settings(book, label).delegation == "deny":
                _deny(book, agent, run, qid, row)
    deliveries.make(
        book, label, deliveries.MESSAGE if not signal.terminal else deliveries.ENDED, f"{agent}:{run}:{key}"
    )
    return True


def _settings(book: Ledger, label: str) -> settings.Settings:
    return settings.load(book.value("SELECT project FROM tasks WHERE label = ?", label) or "")


def _deny(book: Ledger, agent: str, run: int, qid: str, signal: int) -> None:
    """The user's settings allow no further agents: one that waits for the decision is told, others just go on."""
    found = book.value("SELECT blocking FROM delegations WHERE signal = ?", signal)
    item = book.one(
        "SELECT * FROM questions WHERE agent = ? AND run = ? AND qid = ? ORDER BY id DESC LIMIT 1", agent, run, qid
    )
    if item is not None and found:
        inbox.answer(book, item, DENIED, "settings", inbox.DENIED)
    elif item is not None:
        book.write("UPDATE questions SET state = 'withdrawn' WHERE id = ?", item["id"])
    book.write(
        "UPDATE delegations SET state = 'denied', words = ?, decided = ? WHERE signal = ?", DENIED, time.time(), signal
    )


def denied(book: Ledger, agent: str, run: int, key: str) -> bool:
    """The settings have decided this delegation, not the user."""
    return bool(
        book.value(
            "SELECT 1 FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
            " AND s.digest = ? AND d.words = ?",
            agent,
            run,
            key,
            DENIED,
        )
    )


def _asks(book: Ledger, agent: str, run: int, signal: signals.Signal) -> list[tuple[str, str, dict[str, Any]]]:
    fields = signal.fields
    if signal.marker == "CLARIFICATION_NEEDED":
        return [
            (inbox.QUESTION, str(question.get("question_id") or f"Q{number}"), question)
            for number, question in enumerate(fields.get("questions") or [], 1)
            if isinstance(question, dict)
        ]
    if signal.marker == "STOP_WORK":
        return [
            (
                inbox.BLOCKER,
                "B1",
                {
                    "text": str(fields.get("details") or fields.get("stop_reason") or "blocked"),
                    "context": str(fields.get("resume_requirements") or ""),
                },
            )
        ]
    if signal.marker == "DELEGATE_WORK":
        count = book.value("SELECT count(*) FROM questions WHERE agent = ? AND run = ? AND qid LIKE 'D%'", agent, run)
        return [
            (
                inbox.DELEGATION,
                f"D{count + 1}",
                {
                    "text": str(fields.get("new_task_description") or ""),
                    "context": str(fields.get("delegation_reason") or ""),
                    "priority": str(fields.get("priority") or ""),
                },
            )
        ]
    return []
