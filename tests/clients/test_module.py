"""The module in the client: answers by key in mid-turn, and agents that go on by themselves."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from directed import both, spawn, until
from generations import NEWEST
from loop import ROOT, block, one, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent
from rig.terminal import Interactive
from test_loop import ended

# `scripts/test --client 2.1.287` and `--client 2.1.316` play them on older clients that have modules.
pytestmark = pytest.mark.versions(NEWEST)

FORMAT = {
    "question_id": "Q1",
    "text": "CSV or JSON for the export?",
    "context": "Both are used.",
    "options": "- CSV\n- JSON",
}
FOLDER = {"question_id": "Q2", "text": "Which folder shall it go to?", "context": "There are several."}
ASKS = block("CLARIFICATION_NEEDED", questions=[FORMAT, FOLDER])
BUSY = call("Bash", command=f"{sys.executable} -c 'import time; time.sleep(40)'", description="Wait")
LABELLED = r"not from the user\] label"
ALLOWED = ["--permission-mode", "default", "--allowedTools", "Bash,Agent,Task,AskUserQuestion,SendMessage"]


def terminal(home: Home, host: str, plugin: Path = ROOT, columns: int = 150) -> Interactive:
    return Interactive(home, host, [plugin], ALLOWED, size=(columns, 45))


def press(term: Interactive, *names: str) -> None:
    """The client takes a key some moments after it has drawn what the key is for."""
    term.settle(0.7, timeout=3)
    term.keys(*names)


def waits(home: Home) -> list[str]:
    return [
        f"{row['label']} {row['qid']}"
        for row in rows(home, "SELECT label, qid FROM questions WHERE state = 'open' ORDER BY id")
    ]


@pytest.mark.parametrize("columns", [150, 80])
def test_two_agents_are_answered_in_the_middle_of_a_turn(columns: int, host: str) -> None:
    """By key and dialogs; what is dismissed stays open, and can be answered later. The parent has no part in it."""
    launches = both(*[spawn(f"PART-{name} task", f"{{label}}: part {name}") for name in ("ONE", "TWO")])
    script = Script(
        ("one", asked("PART-ONE"), [ASKS, block("COMPLETION_REPORT")]),
        ("two", asked("PART-TWO"), [ASKS, block("COMPLETION_REPORT")]),
        ("parent", parent, reacting((LABELLED, launches), ("launched successfully|Async agent", BUSY))),
    )
    with Model(script) as model, Home(model.url) as home, terminal(home, host, columns=columns) as term:
        term.say("/bg:bg Audit the two parts")
        ended(home, 2)
        term.wait_for(r"2 ask\s+bg-\d: CSV or JSON.*1: answer")
        before = len(model.by("parent"))
        press(term, "1")
        term.wait_for("Why it matters: Both are used")
        press(term, "Down")
        press(term, "Enter")
        term.wait_for("Which folder shall it go to")
        press(term, "Down", "Down")
        press(term)
        term.write("the usual one")
        press(term, "Enter")
        term.wait_for(r"\(part TWO\) Q1|\(part ONE\) Q1")
        press(term, "Escape")
        until(lambda: bool(rows(home, "SELECT 1 FROM resumes WHERE proven IS NOT NULL")), term.screen)
        other = waits(home)[0].split()[0]
        assert waits(home) == [f"{other} Q1", f"{other} Q2"]
        term.wait_for(rf"1 asks\s+{other}: CSV or JSON")
        press(term, "1")
        term.wait_for("Why it matters: Both are used")
        press(term, "Enter")
        term.wait_for("Why it matters: There are several")
        press(term, "Escape")
        until(lambda: waits(home) == [f"{other} Q2"], lambda: (waits(home), term.screen()))
        term.wait_for(rf"1 asks\s+{other}: Which folder")
        ended(home, 3)
        answers = rows(
            home,
            "SELECT q.qid, a.text, p.proof FROM answers a JOIN questions q ON q.id = a.question"
            " JOIN proofs p ON p.id = a.proof ORDER BY a.id",
        )
        assert answers == [
            {"qid": "Q1", "text": "JSON", "proof": "dialog"},
            {"qid": "Q2", "text": "the usual one", "proof": "dialog"},
            {"qid": "Q1", "text": "CSV", "proof": "dialog"},
        ]
        woken = [each for each in model.requests if each.actor in ("one", "two") and "A1: JSON" in each.all_text()]
        assert "A2: the usual one" in woken[0].all_text()
        assert before == len(model.by("parent")), "it is still in its turn, and was asked nothing"
        assert one(home, "SELECT count(*) AS n FROM errors") == {"n": 0}
