"""The status table: what every task is doing, waiting for, and what to type."""

from __future__ import annotations

import json
import time

from bg import settings
from bg.host import agents, transcripts
from bg.ledger import inbox, notes, runs, sessions, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.words.quoting import inline, neutral
from bg.words.times import age

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

RECENT = 24 * 3600
COLUMNS = ("label", "task", "state", "for", "waits for", "type")


def at_a_glance(working: int, asking: int, broken: int) -> str:
    """How many tasks work, ask, or lost their session; empty where none does."""
    parts = [
        f"{working} working" if working else "",
        f"{asking} asks" if asking == 1 else f"{asking} ask" if asking else "",
        f"{broken} interrupted" if broken else "",
    ]
    return " · ".join(part for part in parts if part)


def chosen(book: Ledger, project: str = "", *, everything: bool = False) -> list[Task]:
    """The tasks that a person wants to see: open ones, and what ended within a day."""
    if everything:
        return tasks.every(book)
    rows = tasks.recent(book, time.time() - RECENT)
    return [row for row in rows if not project or row.project == project]


def record(book: Ledger, task: Task) -> dict[str, Any]:
    """One task for machines."""
    items = inbox.waiting(book, label=task.label)
    spoken = sessions.transcript(book, task.session)
    path = agents.of_agent(spoken, task.agent)
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
        "waiting": [
            {"id": item.qid, "kind": inbox.kind(item), "text": item.text, "since": item.asked}
            for item in items
        ],
        "ready": bool(task.agent and inbox.unsent(book, task.agent)),
        "quiet": _quiet(task, path),
        "evidence": _evidence(book, task),
        "risk": transcripts.near_limit(path) if task.ended is None else "",
    }


def _evidence(book: Ledger, task: Task) -> dict[str, Any]:
    """What the host side found of a task's last report."""
    return runs.evidence(book, task.agent) if task.ended is not None else {}


def quiet(book: Ledger, task: Task) -> float:
    """How long a running agent has written nothing, 0 while that says little."""
    spoken = sessions.transcript(book, task.session)
    return _quiet(task, agents.of_agent(spoken, task.agent))


def _quiet(task: Task, path: str) -> float:
    last = transcripts.last_sign(path)
    silent = time.time() - last if last and task.state in tasks.RUNNING_STATES else 0.0
    return silent if silent > settings.load(task.project or "").quiet_minutes * 60 else 0.0


def _waits_for(entry: dict[str, Any]) -> str:
    if entry["waiting"]:
        first = entry["waiting"][0]
        more = f" (+{len(entry['waiting']) - 1})" if len(entry["waiting"]) > 1 else ""
        return f"{first['id']} {inline(first['text'], 44)}{more}"
    if entry["ready"]:
        return "its answers to be sent"
    if entry["evidence"].get("line"):
        return str(entry["evidence"]["line"])
    if entry["quiet"]:
        return f"quiet since {age(entry['quiet'])}"
    return inline(entry["note"] or entry["risk"], 44)


def _what_to_type(entry: dict[str, Any], command: str) -> str:
    kinds = {item["kind"] for item in entry["waiting"]}
    label = entry["label"]
    if inbox.DELEGATION in kinds:
        return f"{command} {label} {entry['waiting'][0]['id']}: approve"
    if kinds:
        return f"{command} {label} …"
    if entry["ready"]:
        return f"{command} {label} go"
    return ""


def table(
    book: Ledger, project: str = "", *, everything: bool = False, command: str = "/bg-answer", launch: str = "/bg:bg"
) -> str:
    """The table for people."""
    entries = [record(book, task) for task in chosen(book, project, everything=everything)]
    if not entries:
        return f"No background tasks here. Type {launch} <task> to start one."
    now = time.time()
    rows = [COLUMNS] + [
        (
            entry["label"],
            inline(entry["description"] or entry["task"], 34),
            entry["state"].replace("_", " "),
            age(now - (entry["since"] or now)),
            _waits_for(entry),
            _what_to_type(entry, command),
        )
        for entry in entries
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join(lines + _footnotes(book))


def _footnotes(book: Ledger) -> list[str]:
    lines = []
    kept = notes.kept_aside(book)
    if kept:
        lines.append(f"The ledger was unreadable and is kept at {kept}; this is a new one.")
    errors = notes.errors(book, time.time() - RECENT)
    if errors:
        last = errors[0]
        lines.append(
            f"{len(errors)} hook error{'s' if len(errors) > 1 else ''} within a day; the last, in {last.event}: "
            f"{inline(last.text.strip().splitlines()[-1], 120)}"
        )
    for row in notes.strangers(book, 3):
        lines.append(f"Another agent ({inline(row.agent, 20)}) signed a report as {row.label}; it was ignored.")
    return ["", *lines] if lines else []


def detail(book: Ledger, label: str, command: str = "/bg-answer") -> str:
    """Everything about one task, its last report whole."""
    task = tasks.get(book, label)
    if task is None:
        return f"There is no task {label}."
    entry = record(book, task)
    now = time.time()
    lines = [
        f"{label}  {entry['state'].replace('_', ' ')} for {age(now - (entry['since'] or now))}",
        f"task: {inline(entry['task'], 400)}",
    ]
    if entry["note"]:
        lines.append(f"note: {inline(entry['note'], 300)}")
    for item in inbox.waiting(book, label=label):
        lines.append(f"{item.qid} (waiting {age(now - item.asked)}): {neutral(item.text)}")
        if item.context:
            lines.append(f"    {inline(item.context, 400)}")
    for item in inbox.unsent(book, task.agent):
        lines.append(f"{item.qid} answered, not sent yet: {inline(item.said, 300)}")
    lines += [
        f"{item['grade']}: {inline(item['claim'], 160)} ({inline(item['reason'], 240)})"
        for item in entry["evidence"].get("findings", [])
    ]
    typed = _what_to_type(entry, command)
    if typed:
        lines.append(f"type: {typed}")
    texts = runs.reports_of_task(book, label)
    if texts:
        report = texts[-1]
        lines += ["", f"last report ({report.source}):", neutral(report.text)]
    return "\n".join(lines)


def waiting_list(book: Ledger, project: str, command: str = "/bg-answer") -> str:
    """What waits for the user, one by one, by priority, then age."""
    items = inbox.waiting(book, project=project)
    if not items:
        return "Nothing waits for an answer."
    now = time.time()
    lines = []
    for item in items:
        lines.append(f"{item.label} {item.qid}  waiting {age(now - item.asked)}")
        lines.append(f"    {inline(item.text, 500)}")
        if item.context:
            lines.append(f"    why: {inline(item.context, 300)}")
        extra = inbox.extra(item)
        for key in ("options", "default"):
            if extra.get(key):
                value = extra[key]
                words = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                lines.append(f"    {key}: {inline(words, 300)}")
    first = items[0]
    typed = f"{command} {first.label}"
    kinds = {
        inbox.QUESTION: f"{typed} {first.qid}: <your answer>   (or: skip; {typed} go sends what there is)",
        inbox.BLOCKER: f"{typed} <what to do>",
        inbox.DELEGATION: f"{typed} {first.qid}: approve   (or: deny <why>)",
    }
    return "\n".join([*lines, "", f"Type: {kinds[inbox.kind(first)]}"])
