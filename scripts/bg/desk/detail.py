"""Everything about one task: what it waits for, what was asked and answered, its runs, what was checked and how."""

from __future__ import annotations

import time

from bg.desk import open_items, status, table
from bg.desk.page import Cell, Page
from bg.desk.status import Status
from bg.ledger import (
    cases,
    children,
    inbox,
    launches,
    proofs,
    reported,
    resumes,
    runs,
    user_answers,
    verifications,
)
from bg.ledger.cases import Case
from bg.ledger.file import Ledger, unpacked
from bg.ledger.reported import Signal
from bg.ledger.tasks import Task
from bg.ledger.values import Outcome
from bg.signals import kinds
from bg.words import outcome, phrases, verdict, verified
from bg.words.quoting import inline, neutral
from bg.words.times import age, often, took

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Moment = tuple[float, int, str, str, str]  # when, which of one second comes first, what happened, words, style

_GRADES = {verdict.SEEN: "good", verdict.MISMATCH: "bad"}
_OUTCOMES = {Outcome.PASSED: "good", Outcome.FAILED: "bad"}
_SOURCES = {"dialog": "in a dialog", "command": "typed", "go": "by go", "settings": "by bg.json", "relayed": "in chat"}
# What is known of who said it, where the source does not say so already.
_CLASSES = {
    "keyboard": " at your keyboard",
    "sdk": " through a program",
    "code": " and confirmed by a code",
    "": ", not yet confirmed",
}


def detail(book: Ledger, page: Page, label: str, command: str = "/bg-answer") -> str:
    """Everything about one task, its last report whole."""
    case = cases.of(book, label)
    if case is None:
        return f"There is no task {label}."
    task = case.task
    now = book.now()
    entry = status.record(case)
    for_how_long = age(now - (task.since or now))
    lines = [
        page.line(
            Cell(label, "heading"),
            Cell(f"  {outcome.in_a_word(task.state)}", outcome.style_of(task.state)),
            Cell(f" for {for_how_long}", "quiet"),
        ),
        *page.wrapped(inline(entry.task, 2000)),
    ]
    if task.note:
        lines += page.wrapped(f"note: {inline(task.note, 400)}", "quiet")
    going = entry.outcome.beside if task.ended is None else ()
    if going:
        lines += page.wrapped(" · ".join(going), "quiet")
    for heading, found in (
        ("Waits for you", _open(case, page, command, now)),
        ("Agents it asked for, and for whom it works", _delegated(page, entry)),
        ("Next", _next(case, page, entry, command)),
        ("History", _history(book, page, task)),
        ("Verified", _verified(book, page, task)),
        ("Checked", _evidence(page, entry.evidence)),
        ("Last report", _last_report(book, page, label)),
    ):
        if found:
            lines += ["", *page.wrapped(heading, "heading"), *found]
    return "\n".join(lines)


def _open(case: Case, page: Page, command: str, now: float) -> list[str]:
    items = case.items
    lines = [line for item in items for line in open_items.question(page, item, now)]
    return lines + (open_items.to_type(page, items[0], command) if items else [])


def _delegated(page: Page, entry: Status) -> list[str]:
    """Who asked for this task, and what became of what it asked for itself."""
    found = [f"asked for by: {entry.asked_by}"] if entry.asked_by else []
    for one in entry.delegations:
        doing = ", ".join(f"{each.label} {outcome.in_a_word(each.state)}" for each in one.agents)
        found.append(f"{one.id} {one.state}" + (f": {doing}" if doing else ""))
    return [line for words in found for line in page.wrapped(words, indent=4, first=2)]


def _next(case: Case, page: Page, entry: Status, command: str) -> list[str]:
    typed = table.what_to_type(case, entry, command)
    if entry.waiting or not typed or typed == table.WHOLE.format(label=case.label):
        return []
    return page.wrapped(f"→ {typed}", "type", indent=2)


def _verified(book: Ledger, page: Page, task: Task) -> list[str]:
    """The check that the user named: what is to run, or how it ended after the last report, and what it printed."""
    rows = verifications.find(book, label=task.label)
    if not rows:
        said = phrases.VERIFIES.format(label=task.label, command=inline(task.verify, 400)) if task.verify else ""
        return page.wrapped(said, indent=2) if said else []
    row = rows[-1]
    lines = page.wrapped(verified.headline(row), _OUTCOMES.get(row.outcome, "needs"), indent=4, first=2)
    for words in filter(None, [*verified.beside(row), verified.where(row)]):
        lines += page.wrapped(words, "quiet", indent=4, first=2)
    printed = verified.last_lines(row, verified.ALL)
    return lines + (page.wrapped(printed, indent=4) if printed else [])


def _evidence(page: Page, evidence: dict[str, Any]) -> list[str]:
    """Each declared fact with its grade and why, what the launch asked for, notes, and what was not looked at."""
    lines = []
    asked = [{**item, "line": f"asked for: {item['line']}"} for item in evidence.get("asked", [])]
    for item in [*evidence.get("findings", []), *asked]:
        grade = str(item.get("grade", ""))
        said = str(item.get("line") or item.get("claim", "")).lstrip("-*•+> ")
        words = page.plain(f"{grade}: {inline(said, 200)}")
        lines += page.wrapped(words, _GRADES.get(grade, ""), indent=4, first=2)
        why = verdict.sentence(item)
        if why:
            lines += page.wrapped(why, "quiet", indent=6)
    named = {item.get("subject") for item in evidence.get("asked", []) if item.get("reason") == "not found"}
    notes = [each for each in evidence.get("notes", []) if each.get("subject") not in named]
    for note in verdict.noted({"notes": notes}):
        lines += page.wrapped(f"note: {note}", "quiet", indent=4, first=2)
    for fact in verdict.facts(evidence).splitlines():
        lines += page.wrapped(fact.removeprefix("- "), "quiet", indent=4, first=2)
    for limit in verdict.limits(evidence):
        lines += page.wrapped(f"not looked at: {limit}", "quiet", indent=4, first=2)
    return lines


def _last_report(book: Ledger, page: Page, label: str) -> list[str]:
    texts = reported.reports_of_task(book, label)
    return page.wrapped(neutral(reported.whole(book, texts[-1])).strip("\n"), indent=2) if texts else []


def _history(book: Ledger, page: Page, task: Task) -> list[str]:
    lines = []
    day = ""
    for when, _, what, words, style in sorted(_moments(book, task), key=lambda each: (int(each[0]), *each[1:])):
        clock = time.localtime(when)
        today = time.strftime("%Y-%m-%d", clock)
        if today != day:
            day = today
            lines.append(page.line(Cell(today, "quiet"), indent=2))
        said = Cell(f" {inline(words, 400)}")
        lines.append(page.line(Cell(time.strftime("%H:%M:%S  ", clock), "quiet"), Cell(what, style), said, indent=2))
    return lines


def _moments(book: Ledger, task: Task) -> list[Moment]:
    """Everything that happened to a task, each with its time."""
    label = task.label
    found: list[Moment] = [(task.created, 0, "handed over", "", "")]
    agents = [row for row in launches.of_task(book, label) if row.agent]
    found += [(row.made, 1, "launched", f"agent {row.agent}", "works") for row in agents]
    known = runs.find(book, label=label)
    for run in known:
        again = f", asked {often(run.corrections)} for its report again" if run.corrections else ""
        cut = f", cut: {run.cut}" if run.cut else ""
        if run.ended is not None:
            found.append((run.ended, 5, f"run {run.run} ended", f"after {took(run.ended - run.began)}{again}{cut}", ""))
    found += [_of_signal(signal) for signal in reported.find_signals(book, label=label)]
    for item in inbox.find(book, label=label):
        for answer in user_answers.find(book, question=item.id):
            known_by = proofs.class_of(book, answer.proof, answer.source)
            how = f" ({_SOURCES.get(answer.source, answer.source)}{_CLASSES.get(known_by, '')})"
            words = f"{item.qid}: {inline(answer.text, 300)}{how}"
            found.append((answer.at, 6, "you answered", words, "good"))
    for row in resumes.find(book, label=label):
        came = f"failed: {inline(row.failed, 200)}" if row.failed else "woken" if row.proven else "not confirmed"
        found.append((row.at, 7, "sent to its agent", f"({came})", "bad" if row.failed else "works"))
    found += _others(book, label)
    if task.ended is not None:
        found.append((task.ended, 9, outcome.in_a_word(task.state), "", outcome.style_of(task.state)))
    return found


def _of_signal(signal: Signal) -> Moment:
    kind, payload = kinds.of(signal.marker), unpacked(signal.body).get("payload")
    gist = kind.gist(payload) if isinstance(payload, dict) else ""
    return signal.at, 3, kind.said or signal.marker, gist, ""


def _others(book: Ledger, label: str) -> list[Moment]:
    """What was said that is not the user's own word, and the agents that the task's agents have launched."""
    found: list[Moment] = []
    for said in proofs.find(book, label=label):
        if said.proof in proofs.WITHOUT_EFFECT:
            who = inline(said.origin, 200) or phrases.NOBODY_KNOWN
            what = "not known to be you" if said.proof == proofs.KEPT else "not you"
            found.append((said.at, 6, f"{what} ({who}), no effect:", inline(said.text, 300), "bad"))
        elif said.proof == proofs.RELAYED:
            found.append((said.at, 6, "passed on from chat", inline(said.text, 300), ""))
    for check in verifications.find(book, label=label):
        if check.ended is not None:
            words = f"after run {check.run}: {verified.headline(check)}"
            found.append((check.ended, 8, "your check", words, _OUTCOMES.get(check.outcome, "")))
    for child in children.find(book, label=label):
        what = "was refused an agent of its own" if child.refused else "launched an agent of its own"
        found.append((child.made, 4, what, inline(child.description, 200), "bad" if child.refused else ""))
    return found
