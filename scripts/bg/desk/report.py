"""Report: one task in sections, for the page in the chat, the file, the pager and the board.

An agent's words are in quotation marks, or framed with a mark on each line; all other words are the plugin's.
"""

from __future__ import annotations

import time

from bg.desk import open_items, status, table
from bg.desk.status import Status
from bg.ledger import children, inbox, launches, proofs, reported, resumes, runs, user_answers, verifications
from bg.ledger.cases import Case
from bg.ledger.file import Ledger, unpacked
from bg.ledger.reported import Signal
from bg.ledger.tasks import Task
from bg.ledger.values import Item, ItemState, Outcome
from bg.protocol import blocks, signals
from bg.record import Record
from bg.signals import kinds
from bg.words import goals, outcome, phrases, verdict, verified
from bg.words.quoting import cited, inline, neutral, spoken, whole
from bg.words.times import age, often, took

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional

Moment = tuple[float, int, str, str, str]  # the time, the rank within one second, the event, words, style

MOST = 40  # files, commands and commits of each sort
_GRADES = {verdict.SEEN: "good", verdict.MISMATCH: "bad"}
_OUTCOMES = {Outcome.PASSED: "good", Outcome.FAILED: "bad"}
_SOURCES = {"dialog": "in a dialog", "command": "typed", "go": "by go", "settings": "by bg.json", "relayed": "in chat"}
# How it is known who said it, if the source does not tell that already.
_CLASSES = {
    "keyboard": " at your keyboard",
    "sdk": " through a program",
    "client": " in the client",
    "code": " and confirmed by a code",
    "": ", not yet confirmed",
}
_STANDS = {
    ItemState.ANSWERED: "not sent yet",
    ItemState.SENT: "the agent has it",
    ItemState.WITHDRAWN: "no longer asked",
}
# Fields that are shown elsewhere: the reporter, the time and the nature of the end, and the evidence.
_ELSEWHERE = ("agent_id", "timestamp", "status", "evidence", "total_duration", "priority")
SAYS, FOUND, FILES, COMMANDS = "What it says", "Asked and found", "Files", "Commands"
QUESTIONS, HISTORY, OWN_WORDS = "Questions and answers", "History", "In its own words"


class Line(Record):
    """One line: `head` comes before the words, `level` 1 is about the line above, `quoted` marks somebody's words."""

    words: str
    style: str = ""
    level: int = 0
    head: str = ""
    quoted: bool = False


class Section(Record):
    """Lines that belong together, under a name."""

    name: str
    lines: list[Line]


class Report(Record):
    """A task as a whole."""

    label: str
    state: str
    age: str
    task: str
    asof: float
    sections: list[Section]


def of(case: Case, command: str = "/bg-answer", entry: Optional[Status] = None) -> Report:
    """Everything about one task; `entry` is its status, if that is already known."""
    book, task, entry = case.book, case.task, entry or status.record(case)
    found = [
        Section("Waits for you", _open(case, command)),
        Section("Outcome" if task.ended is not None else "Now", _came(case, entry)),
        Section("Next", _next(case, entry, command)),
        Section("Agents it asked for, and for whom it works", _delegated(entry)),
        Section(SAYS, _said(case, entry.outcome.words())),
        Section(FOUND, _checked(task, entry.evidence)),
        Section("Verified", _verified(book, task)),
        Section(FILES, _lines(verdict.files(entry.evidence, MOST), verdict.commits(entry.evidence, MOST))),
        Section(COMMANDS, _lines(verdict.last_runs(entry.evidence, MOST))),
        Section(QUESTIONS, _questions(book, task)),
        Section(HISTORY, _history(book, task)),
        Section(OWN_WORDS, _own_words(book, task.label)),
    ]
    now = book.now()
    for_how_long = age(now - (task.since or now))
    return Report(task.label, task.state, for_how_long, entry.task, now, [each for each in found if each.lines])


def raw(book: Ledger, label: str) -> str:
    """The last text of a task's agent as it came; empty if it has none."""
    texts = reported.reports_of_task(book, label)
    return neutral(reported.whole(book, texts[-1])).strip("\n") if texts else ""


def _open(case: Case, command: str) -> list[Line]:
    lines = []
    for item in case.items:
        waits = f"waiting {age(case.book.now() - item.asked)}"
        lines += [Line(whole(item.text), "needs", head=item.qid), Line(waits, "quiet", 1)]
        lines += [Line(words, "quiet", 1) for words in open_items.given(item)]
    first, *others = open_items.ways(case.items[0], command) if case.items else [""]
    return lines + [Line(first, "type")] * bool(first) + [Line(words, "quiet") for words in others]


def _came(case: Case, entry: Status) -> list[Line]:
    """The outcome in one line, and the task's note if that says more."""
    task, came = case.task, entry.outcome
    says_more = came.has_words or came.beside
    line = " · ".join(came.beside) if entry.waiting else came.line(named=False) if says_more else ""
    note = inline(task.note, 400)
    lines = [Line(line, came.style)] if line else []
    return lines + ([Line(note, "quiet")] if note and note not in line else [])


def _delegated(entry: Status) -> list[Line]:
    """The item that asked for this task, and the state of the agents that this task asked for."""
    found = [f"asked for by: {entry.asked_by}"] if entry.asked_by else []
    for one in entry.delegations:
        doing = ", ".join(f"{each.label} {outcome.in_a_word(each.state)}" for each in one.agents)
        found.append(f"{one.id} {one.state}" + (f": {doing}" if doing else ""))
    return [Line(words) for words in found]


def _next(case: Case, entry: Status, command: str) -> list[Line]:
    typed = table.what_to_type(case, entry, command)
    if entry.waiting or not typed or typed == table.WHOLE.format(label=case.label):
        return []
    return [Line(f"→ {typed}", "type")]


def _said(case: Case, told: str) -> list[Line]:
    """The signal that ended the agent's last run, field by field, without words that are shown above."""
    signal = case.agent.ended_with
    spec = signals.schemas().get(str(signal.get("signal_type")))
    payload = signal.get("payload")
    if not spec or not isinstance(payload, dict):
        return []
    above = {told, *(whole(item.text) for item in case.items)}
    lines = []
    for name in spec["properties"]:
        value = payload.get(name)
        if name not in _ELSEWHERE and isinstance(value, str) and value.strip() and whole(value) not in above:
            lines += [Line(name.replace("_", " "), "quiet"), *_framed(value)]
    return lines


def _framed(text: str, level: int = 1) -> list[Line]:
    return [Line(line.rstrip(), level=level, quoted=True) for line in neutral(spoken(text.strip())).split("\n")]


def _checked(task: Task, evidence: dict[str, Any]) -> list[Line]:
    """The demands of the launch, and each declared fact with its grade and the reason; notes, and limits."""
    lines = _goals(task) if evidence else []
    asked = [{**item, "line": f"asked for: {item['line']}"} for item in evidence.get("asked", [])]
    for item in [*asked, *evidence.get("findings", [])]:
        lines += _graded(item)
    return [
        *lines,
        *_noted(evidence),
        *[Line(f"not looked at: {limit}", "quiet") for limit in verdict.limits(evidence)],
    ]


def _goals(task: Task) -> list[Line]:
    """The demands of the launch, under the names that they have there."""
    lines = []
    for name, text in goals.of(task.prompt or "").items():
        lines += [Line(name, "quiet"), *_framed(text)] if text else []
    return lines


def _graded(item: dict[str, Any]) -> list[Line]:
    """A fact with its grade and the reason for that."""
    grade, why = str(item.get("grade", "")), verdict.sentence(item)
    said = str(item.get("line") or item.get("claim", "")).lstrip("-*•+> ")
    line = Line(f"{grade}: {inline(spoken(said), 200)}", _GRADES.get(grade, ""))
    return [line, Line(why, "quiet", 1)] if why else [line]


def _noted(evidence: dict[str, Any]) -> list[Line]:
    """The notes, except those on a file that is already named as missing."""
    missing = {item.get("subject") for item in evidence.get("asked", []) if item.get("reason") == "not found"}
    notes = [each for each in evidence.get("notes", []) if each.get("subject") not in missing]
    return [Line(f"note: {note}", "quiet") for note in verdict.noted(notes)]


def _verified(book: Ledger, task: Task) -> list[Line]:
    """The check that the user named: its command, or else its end after the last report, and its output."""
    rows = verifications.find(book, label=task.label)
    if not rows:
        said = phrases.VERIFIES.format(label=task.label, command=inline(task.verify, 400)) if task.verify else ""
        return [Line(said)] if said else []
    row = rows[-1]
    beside = filter(None, [*verified.beside(row), verified.where_and_how_long(row)])
    printed = verified.last_lines(row, verified.ALL)
    return [
        Line(verified.headline(row), _OUTCOMES.get(row.outcome, "needs")),
        *[Line(words, "quiet", 1) for words in beside],
        *[Line(words.removeprefix(">").removeprefix(" "), level=1, quoted=True) for words in printed.splitlines()],
    ]


def _lines(*found: tuple[list[str], list[str]]) -> list[Line]:
    return [Line(words) for lines, left in found for words in [*lines, *left]]


def _questions(book: Ledger, task: Task) -> list[Line]:
    """The items that no longer wait, each with its answers and whether the agent has them."""
    lines = []
    for item in inbox.find(book, label=task.label):
        if item.state == ItemState.OPEN:
            continue
        answers = user_answers.find(book, question=item.id)
        by_user = inbox.kind(item) == Item.UNASKED
        stands = f" ({_STANDS[item.state]})" if item.state in _STANDS else ""
        said = f"you said: {cited(item.text, 2000)}" if by_user else f"{cited(spoken(item.text), 2000)}"
        lines.append(Line(said + stands, "", head=item.qid))
        for answer in () if by_user else answers:
            lines.append(Line(f"you answered: {cited(answer.text, 2000)}{_by(book, answer)}", "good", 1))
    return lines


def _by(book: Ledger, answer: user_answers.Answer) -> str:
    """The source of the user's words, and how it is known who said them."""
    known_by = proofs.class_of(book, answer.proof, answer.source)
    return f" ({_SOURCES.get(answer.source, answer.source)}{_CLASSES.get(known_by, '')})"


def _own_words(book: Ledger, label: str) -> list[Line]:
    """The agent's last text outside the blocks of the protocol."""
    prose = blocks.outside(raw(book, label)).strip()
    return _framed(prose, 0) if prose else []


def _history(book: Ledger, task: Task) -> list[Line]:
    lines = []
    day = ""
    for when, _, what, words, style in sorted(_moments(book, task), key=lambda each: (int(each[0]), *each[1:])):
        clock = time.localtime(when)
        today = time.strftime("%Y-%m-%d", clock)
        if today != day:
            day = today
            lines.append(Line(today, "quiet"))
        lines.append(Line(f"{what} {inline(words, 400)}".strip(), style, head=time.strftime("%H:%M:%S", clock)))
    return lines


def _moments(book: Ledger, task: Task) -> Iterator[Moment]:
    """Everything that happened to a task, each with its time."""
    label = task.label
    yield task.created, 0, "handed over", "", ""
    for row in launches.of_task(book, label):
        if row.agent:
            yield row.made, 1, "launched", f"agent {row.agent}", "works"
    for signal in reported.find_signals(book, label=label):
        yield _of_signal(signal)
    for child in children.find(book, label=label):
        what = "was refused an agent of its own" if child.refused else "launched an agent of its own"
        yield child.made, 4, what, _quoted(child.description), "bad" if child.refused else ""
    yield from _ends(book, label)
    yield from _answers(book, label)
    yield from _words_of_others(book, label)
    yield from _sent(book, label)
    for check in verifications.find(book, label=label):
        if check.ended is not None:
            words = f"after run {check.run}: {verified.headline(check)}"
            yield check.ended, 8, "your check", words, _OUTCOMES.get(check.outcome, "")
    if task.ended is not None:
        yield task.ended, 9, outcome.in_a_word(task.state), "", outcome.style_of(task.state)


def _of_signal(signal: Signal) -> Moment:
    kind, payload = kinds.of(signal.marker), unpacked(signal.body).get("payload")
    gist = kind.gist(payload) if isinstance(payload, dict) else ""
    return signal.at, 3, kind.said or signal.marker, _quoted(gist), ""


def _quoted(text: str) -> str:
    """One line of somebody's words; empty if there are none."""
    return cited(spoken(text), 300) if text else ""


def _ends(book: Ledger, label: str) -> Iterator[Moment]:
    """The end of each run, with its length, corrections and cut."""
    for run in runs.find(book, label=label):
        again = f", asked {often(run.corrections)} for its report again" if run.corrections else ""
        cut = f", cut: {run.cut}" if run.cut else ""
        if run.ended is not None:
            yield run.ended, 5, f"run {run.run} ended", f"after {took(run.ended - run.began)}{again}{cut}", ""


def _answers(book: Ledger, label: str) -> Iterator[Moment]:
    """The user's answers."""
    for item in inbox.find(book, label=label):
        for answer in user_answers.find(book, question=item.id):
            words = f"{item.qid}: {inline(answer.text, 300)}{_by(book, answer)}"
            yield answer.at, 6, "you answered", words, "good"


def _words_of_others(book: Ledger, label: str) -> Iterator[Moment]:
    """Words that are not known to be the user's own, or that the parent passed on."""
    for said in proofs.find(book, label=label):
        if said.proof in proofs.WITHOUT_EFFECT:
            who = inline(said.origin, 200) or phrases.NOBODY_KNOWN
            what = "not known to be you" if said.proof == proofs.KEPT else "not you"
            yield said.at, 6, f"{what} ({who}), no effect:", cited(said.text, 300), "bad"
        elif said.proof == proofs.RELAYED:
            yield said.at, 6, "passed on from chat", cited(said.text, 300), ""


def _sent(book: Ledger, label: str) -> Iterator[Moment]:
    """Each attempt to wake the agent, and whether it woke."""
    for row in resumes.find(book, label=label):
        came = f"failed: {inline(row.failed, 200)}" if row.failed else "woken" if row.proven else "not confirmed"
        yield row.at, 7, "sent to its agent", f"({came})", "bad" if row.failed else "works"
