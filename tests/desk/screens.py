"""The kept screens: the same tasks on pages of several widths. `python tests/desk/screens.py --write` keeps them anew."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "scripts"))

from bg.desk import board, detail, merging, open_items, table, truth  # noqa: E402
from bg.desk.page import Page  # noqa: E402
from bg.host import terminal  # noqa: E402
from bg.ledger import cases, inbox, launches, reported, resumes, runs, tasks, user_answers  # noqa: E402
from bg.ledger.file import Ledger, Writing  # noqa: E402
from bg.ledger.values import Item  # noqa: E402
from bg.results import account, intake, merge  # noqa: E402

KEPT = HERE / "screens.txt"
HEAD = "#" * 20 + " "
WIDTHS = (40, 80, 120, 200)
COUNTS = (1, 10, 60)
NOW = 1_790_000_000.0
PROJECT = "/home/somebody/shop"
WORK = (
    "audit the authentication code in auth/",
    "write the release notes for 4.2 from the merged pull requests since the last tag",
    "認証コードを監査して結果をまとめる",
    "find why the nightly import takes two hours",
    "rename Customer to Account everywhere, with the database migration and the documentation of the API",
    "fix the flaky checkout test",
)
STATES = (
    "needs_answer", "working", "done", "blocked", "partial", "working", "disputed", "interrupted", "unreported",
    "launched", "done", "failed", "stopped", "not_launched", "done", "done",
)  # fmt: skip
# A dozen, of which the user has to see to half; each state that asks for something is there.
MIXED = (
    "needs_answer", "working", "done", "blocked", "partial", "delegating", "disputed", "interrupted", "unreported",
    "launched", "done", "failed",
)  # fmt: skip
QUESTIONS = (
    {"question_id": "Q1", "text": "Shall I repair what I find, or only report it?", "context": "Repairs touch login.",
     "options": ["only report", "repair the small ones", "repair everything"], "default": "only report"},
    {"question_id": "Q2", "text": "May a session stay open for ever?"},
)  # fmt: skip
BLOCKER = {"text": "The staging database refuses the password in .env.staging", "context": "a password that works"}
WANTED = {
    "text": "Write the migration of the table sessions",
    "context": "It needs a database, which this task has not.",
}
ASKED = {
    "needs_answer": (Item.QUESTION, QUESTIONS),
    "blocked": (Item.BLOCKER, (BLOCKER,)),
    "delegating": (Item.DELEGATION, (WANTED,)),
}
FIRST_ID = {Item.BLOCKER: "B1", Item.DELEGATION: "D1"}
EVIDENCE = {
    "declared": True,
    "findings": [
        {"grade": "seen", "line": "- wrote AUTH-AUDIT.md", "kind": "wrote", "subject": "AUTH-AUDIT.md", "reason": "changed", "detail": ""},
        {"grade": "seen", "line": "- ran `pytest` -> pass", "kind": "run", "subject": "pytest", "reason": "passed", "detail": "pytest -q"},
        {"grade": "does not match", "line": "- wrote docs/auth.md", "kind": "wrote", "subject": "docs/auth.md", "reason": "not found", "detail": ""},
    ],
    "asked": [],
    "notes": [{"reason": "no such place", "subject": "auth/login.py:99"}],
    "facts": {"changed": ["AUTH-AUDIT.md"], "changed_count": 1, "removed": [], "tests": "passed", "commits": [],
              "runs": [{"command": "pytest", "kind": "tests", "end": "passed", "edited": "", "perhaps": ""}]},
    "limits": ["files"],
}  # fmt: skip
LAST = {
    "failed": ("failed", "The account is closed."),
    "partial": ("partial_success", "Customer is Account in the code; the migration is not written, as the schema is not in the repository."),
}  # fmt: skip
REPORT = "I read both files in auth/.\n\n[COMPLETION_REPORT]\nagent_id: bg-3-abcdefghij\nstatus: success\n[/COMPLETION_REPORT]"


FINDINGS = {
    "explorer.jsonl": [
        {"agent": "explorer", "file": "auth/login.py", "line": 41, "issue": "The password is compared with ==, which takes longer the more of it is right", "severity": "critical", "confidence": 92, "category": "security"},
        {"agent": "explorer", "file": "auth/session.py", "line": 7, "issue": "Sessions never end", "severity": "important", "confidence": 80},
    ],
    "reviewer.jsonl": [
        {"agent": "reviewer", "file": "auth/login.py", "line": 41, "issue": "The password is compared with ==", "severity": "important", "confidence": 85, "category": "security"},
        {"agent": "reviewer", "file": "auth/token.py", "line": 3, "issue": "認証トークンの長さが短い", "severity": "minor", "confidence": 55},
    ],
}  # fmt: skip


class _Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> float:
        return self.now


def fill(folder: Path, count: int, project: str, states: tuple[str, ...] = STATES) -> None:
    """A ledger with so many tasks of this project, of a session that has ended."""
    clock = _Clock()
    book = Ledger(folder, clock=clock)
    with mock.patch.multiple(sys.modules[__name__], PROJECT=project, NOW=time.time()):
        for number in range(1, count + 1):
            _task(book, clock, number, (count - number) * 600 + 900, states)
    book.close()


@contextmanager
def ledger(count: int, states: tuple[str, ...] = STATES) -> Iterator[Ledger]:
    """A ledger with so many tasks, the newest a quarter of an hour old, the others earlier and earlier."""
    clock = _Clock()
    with tempfile.TemporaryDirectory() as folder:
        book = Ledger(Path(folder), clock=clock)
        try:
            for number in range(1, count + 1):
                _task(book, clock, number, (count - number) * 2400 + 900, states)
            clock.now = NOW
            yield book
        finally:
            book.close()


def _task(book: Ledger, clock: _Clock, number: int, ago: float, states: tuple[str, ...]) -> None:
    label, agent, state = f"bg-{number}", f"a{number:07}", states[(number - 1) % len(states)]
    clock.now = NOW - ago - 300
    with book.transaction() as writing:
        tasks.create(writing, label, label, "s", PROJECT, WORK[(number - 1) % len(WORK)], "launched")
        if state == "not_launched":
            tasks.set_state(writing, label, state)
            return
        runs.bind(writing, launches.note(writing, f"toolu_{number}", label, "worker", "", PROJECT, ""), agent)
        clock.now = NOW - ago
        if state in ASKED:
            kind, items = ASKED[state]
            for item in items:
                inbox.ask(writing, label, agent, 1, kind, str(item.get("question_id") or FIRST_ID[kind]), dict(item))
            runs.end_run(writing, agent, 1)
        if state in ("done", "disputed"):
            _second_run(writing, clock, label, agent, state)
        if state in ("failed", "partial"):
            runs.end_run(writing, agent, 1)
            _report(writing, label, agent, 1, *LAST[state])
        if state != "launched":
            tasks.set_state(writing, label, state, "its session ended" if state == "interrupted" else "")


def _second_run(book: Writing, clock: _Clock, label: str, agent: str, state: str) -> None:
    """A question, its answer, a resume, and a report with what was found of it."""
    inbox.ask(book, label, agent, 1, Item.QUESTION, "Q1", dict(QUESTIONS[0]))
    runs.end_run(book, agent, 1)
    clock.now += 60
    user_answers.answer(book, inbox.find(book, label=label)[0], "only report", "dialog")
    sent = resumes.note(book, label, agent, f"toolu_r{label}", "answers", "", "A1: only report")
    user_answers.attach(book, [user_answers.given(book, inbox.find(book, label=label)[0]).id], sent)
    resumes.prove(book, sent)
    user_answers.mark_sent(book, agent, sent)
    runs.begin_run(book, agent, label, 2)
    clock.now += 90
    reported.keep_report(book, agent, 2, "SubagentStop", REPORT)
    _report(book, label, agent, 2, "success", "Both files are read.")
    kept = [each for each in EVIDENCE["findings"] if state == "disputed" or each["grade"] == "seen"]
    runs.set_evidence(book, agent, 2, {**EVIDENCE, "findings": kept})
    runs.end_run(book, agent, 2)


def _report(book: Writing, label: str, agent: str, run: int, status: str, summary: str) -> None:
    body = {"signal_type": "COMPLETION_REPORT", "payload": {"status": status, "summary": summary}}
    reported.keep_signal(book, label, agent, run, "COMPLETION_REPORT", body, "d", terminal=True)


def screens() -> Iterator[tuple[str, str, int]]:
    """Each kept screen: its file's name, its text, and how wide it may be."""
    with mock.patch.dict(os.environ, {"TZ": "UTC"}):
        time.tzset()
        for count in COUNTS:
            with ledger(count) as book:
                for width in WIDTHS:
                    yield f"table-{count:02}-at-{width:03}.txt", table.table(book, Page(width), PROJECT), width
        for count, states, width, rows in (
            *((12, MIXED, 80, rows) for rows in (24, 40, 60)),
            *((12, MIXED, 120, rows) for rows in (24, 40)),
            (60, STATES, 80, 24),
        ):
            with ledger(count, states) as book:
                sheet = Page(width - terminal.MARGIN, rows - terminal.TAKEN)
                name = f"table-{count}-in-{rows}-rows{'-at-120' if width == 120 else ''}.txt"
                yield name, table.table(book, sheet, PROJECT), sheet.width
        with ledger(10) as book:
            yield "table-10-at-080-in-colour.txt", table.table(book, Page(80, colour=True), PROJECT), 0
            yield "table-10-at-080-in-ascii.txt", table.table(book, Page(80, ascii_only=True), PROJECT), 80
            yield "board-10.html", board.board([book], NOW), 0
            for width in (40, 80):
                yield f"truth-10-at-{width:03}.txt", truth.told(Page(width), truth.count([book])), width
                yield f"waiting-10-at-{width:03}.txt", open_items.waiting_list(book, Page(width), PROJECT), width
                for number in (1, 3):
                    told = open_items.of_task(cases.case(book, f"bg-{number}"), Page(width), "/bg-answer")
                    yield f"answers-bg-{number}-at-{width:03}.txt", told, width
                for number in (1, 3, 4, 7):
                    name = f"detail-bg-{number}-at-{width:03}.txt"
                    yield name, detail.detail(book, Page(width), f"bg-{number}"), width
    time.tzset()
    sources = [
        intake.Source(name, "\n".join(json.dumps(each, ensure_ascii=False) for each in found).encode())
        for name, found in FINDINGS.items()
    ]
    merged = account.text(merge.merge(intake.take(sources)))
    for width in (40, 80):
        yield f"merge-at-{width:03}.txt", merging.laid_out(Page(width), merged), width
    yield "merge-at-080-in-colour.txt", merging.laid_out(Page(80, colour=True), merged), 0


def whole(made: dict[str, str]) -> str:
    """All screens in one text, each under its name."""
    return "".join(f"{HEAD}{name}\n{text}\n" for name, text in made.items()).replace("\x1b", "␛")


def main() -> int:
    """Keep the screens anew; read the difference before you commit it."""
    KEPT.write_text(whole({name: text for name, text, _ in screens()}), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    raise SystemExit(main())
