"""Texts far longer than a person reads: reports are kept whole, known again, read at their end, forgotten with their task.

What a hook costs for one is bound: by bare starts of the interpreter, and by memory.
"""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from bg.desk import cli
from bg.ledger import forgetting, reported, tasks
from bg.ledger.file import Ledger
from drive import Drive, block, plain
from rig import bench, bench_rows, conversation


def test_a_long_report_is_kept_whole_and_read_at_its_end(tmp_path, capsys):
    drive = Drive("2.1.327", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    words = random.Random(5)
    lines = "".join(f"{number} {words.random()} größer\n" for number in range(90_000))
    report = f"{lines}{block('COMPLETION_REPORT', token)}"
    assert len(report) > 2 * reported.LONGEST
    drive.ends("a1", report)
    drive.announced("a1", result=report)
    assert drive.rows("SELECT state FROM tasks") == [{"state": "partial"}]
    [row] = drive.rows("SELECT length(text) AS length FROM reports")
    assert row["length"] == reported.LONGEST
    with closing(drive.ledger()) as book:
        [kept] = reported.reports(book, "a1", 1)
        assert reported.whole(book, kept) == report
    assert _exported(capsys) == [report]
    archived = []
    with closing(drive.ledger()) as book:
        for task in tasks.every(book):
            forgetting.forget(book, task, lambda _, each: archived.append(each.label))
    assert archived == ["bg-1"]
    assert drive.rows("SELECT * FROM report_beginnings") == []


def _exported(capsys) -> list[str]:
    assert cli.main(["export"]) == 0
    return [one["text"] for line in capsys.readouterr().out.splitlines() for one in json.loads(line).get("reports", [])]


def test_texts_as_long_as_a_piece_or_two(tmp_path):
    book = Ledger(tmp_path)
    for number, length in enumerate(
        (1, reported.LONGEST - 1, reported.LONGEST, reported.LONGEST + 1, 2 * reported.LONGEST)
    ):
        text = "ab" * (length // 2) + "c" * (length % 2)
        with book.transaction() as writing:
            assert reported.keep_report(writing, "a1", number, "SubagentStop", text)
            assert not reported.keep_report(writing, "a1", number, "SubagentStop", text)
        [kept] = reported.reports(book, "a1", number)
        assert reported.whole(book, kept) == text
    book.close()


MEASURE = """
import resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10), file=sys.stderr)
"""
MOST_STARTS, MOST_MEMORY = 100, 100
PAD = "<pad>"


class Cost(NamedTuple):
    """What one hook took: processor time in bare starts of the interpreter, and MB; what it said, to whom."""

    starts: float
    memory: float
    answer: dict[str, Any]
    errors: str


class Long:
    """One agent of a session whose hooks are measured; what is large is written in place of PAD, piece by piece."""

    def __init__(self, folder: Path) -> None:
        self.stage = bench.Stage(folder)
        self.rows = object.__new__(bench_rows.Rows)
        self.agent, self.token, _ = self.rows.launch(self.stage, "s")
        self.bare = sum(self.stage.bare().seconds for _ in range(5)) / 5
        self.worst = Cost(0, 0, {}, "")

    def hook(self, name: str, unit: str = "", times: int = 0, **event: Any) -> Cost:
        """One event through hooks/run, started by a process so small that it does not count."""
        given = self.stage.folder / "large.json"
        head, _, tail = self.stage.event("s", name, **event).partition(PAD)
        piece = json.dumps(unit)[1:-1]
        with given.open("w", encoding="utf-8") as file:
            file.write(head)
            for number in range(times):
                file.write(piece.replace("{n}", str(number)))
            file.write(tail)
        command = [sys.executable, "-I", "-S", "-c", MEASURE, "/bin/sh", str(bench.ROOT / "hooks" / "run")]
        with given.open("rb") as stdin:
            done = subprocess.run(command, stdin=stdin, capture_output=True, env=self.stage.env, check=True, text=True)
        *errors, figures = done.stderr.strip().split("\n")
        seconds, memory = map(float, figures.split())
        cost = Cost(seconds / self.bare, memory, json.loads(done.stdout or "{}"), "\n".join(errors))
        self.worst = Cost(max(self.worst.starts, cost.starts), max(self.worst.memory, cost.memory), {}, "")
        if given.stat().st_size < 10_000_000:
            conversation.write(
                self.stage.transcript("s"), bench.VERSION, json.loads(given.read_text(encoding="utf-8")), cost.answer
            )
        return cost

    def ends(self, text: str, unit: str = "", times: int = 0, *, again: bool = False) -> Cost:
        return self.hook(
            "SubagentStop", unit, times, agent_id=self.agent, last_assistant_message=text, stop_hook_active=again
        )

    def goes_on(self) -> Iterator[str]:
        """What the events behind it say to the model or the user."""
        for name, prompt in (("UserPromptSubmit", self.rows.notification(self.agent)), ("Stop", ""), ("UserPromptSubmit", "/bg-answer"),
                             ("UserPromptSubmit", "/bg-status")):  # fmt: skip
            cost = self.hook(name, **({"prompt": prompt} if prompt else {}))
            assert cost.errors == ""
            yield json.dumps(cost.answer)

    def of_ledger(self, sql: str) -> list[Any]:
        with closing(sqlite3.connect(self.stage.data / "ledger.db")) as book:
            return [row[0] for row in book.execute(sql)]

    def is_cheap(self, tell: Any) -> None:
        tell(f"at most {self.worst.starts:.0f} bare starts, {self.worst.memory:.0f} MB")
        assert self.worst.starts < MOST_STARTS
        assert self.worst.memory < MOST_MEMORY


@pytest.fixture
def long(tmp_path: Path) -> Long:
    return Long(tmp_path / "stage")


def test_a_hundred_thousand_blocks(long: Long, tell: Any) -> None:
    cost = long.ends(
        f"{PAD}{block('COMPLETION_REPORT', long.token)}", "[STOP_WORK]\ndetails: x\n[/STOP_WORK]\n", 100_000
    )
    assert (cost.answer, cost.errors) == ({}, "")
    said = list(long.goes_on())
    assert "bg-1 done in part" in said[0]
    assert long.of_ledger("SELECT state FROM tasks") == ["partial"]
    long.is_cheap(tell)


def test_twenty_thousand_questions(long: Long, tell: Any) -> None:
    text = f"[CLARIFICATION_NEEDED]\nagent_id: {long.token}\nquestions:\n{PAD}[/CLARIFICATION_NEEDED]\n"
    first, again = (long.ends(text, "- question_id: Q{n}\n  text: x\n", 20_000, again=again) for again in (False, True))
    assert first.errors == again.errors == ""
    assert "of 20000 questions only the first 100 are read" in first.answer["reason"], "its agent is told, once"
    assert again.answer == {}
    said = list(long.goes_on())
    assert "of 20000 questions only the first 100 are read" in said[0]
    assert long.of_ledger("SELECT count(*) FROM questions") == [100]
    long.is_cheap(tell)


def test_a_block_that_begins_before_what_is_read(long: Long, tell: Any) -> None:
    """Its agent is told why no block is seen."""
    cost = long.ends(block("CLARIFICATION_NEEDED", long.token, reason=f"It is so: {PAD}"), "word ", 1_000_000)
    assert "no block with both marker lines stands in its last 1000000 characters" in cost.answer["reason"]
    assert long.ends("Look at the notes yourself.", again=True).answer == {}
    assert "bg-1 ended without a report" in next(long.goes_on())
    long.is_cheap(tell)


def test_a_question_of_five_megabytes_in_the_dialog(long: Long, tell: Any) -> None:
    long.ends(block("CLARIFICATION_NEEDED", long.token))
    next(long.goes_on())
    options = [{"label": word, "description": word} for word in ("yes", "no")]
    asked = {"questions": [{"question": f"{PAD} Is it so?", "header": "bg", "options": options, "multiSelect": False}]}
    before = long.hook(
        "PreToolUse",
        "What shall it be? ",
        300_000,
        tool_name="AskUserQuestion",
        tool_use_id="toolu_q",
        tool_input=asked,
    )
    assert (before.answer, before.errors) == ({}, ""), "no question of ours is like it"
    given = {**asked, "answers": {f"{PAD} Is it so?": "yes"}}
    after = long.hook("PostToolUse", "What shall it be? ", 300_000, tool_name="AskUserQuestion", tool_use_id="toolu_q", tool_input=given,
                      tool_response=given)  # fmt: skip
    assert (after.answer, after.errors) == ({}, "")
    assert long.of_ledger("SELECT count(*) FROM answers") == [0]
    list(long.goes_on())
    long.is_cheap(tell)


@pytest.mark.parametrize("is_raw", [False, True], ids=["text", "transcript"])
def test_a_task_output_of_a_hundred_megabytes(long: Long, is_raw: bool, tell: Any) -> None:
    """It is not read, which is said; what the agent said is read from its own transcript."""
    line = {
        "type": "assistant",
        "uuid": "u",
        "message": {"role": "assistant", "content": [{"type": "text", "text": "word " * 100}]},
    }
    unit = json.dumps(line) + "\n" if is_raw else "word " * 100
    task = {
        "task_id": long.agent,
        "task_type": "local_agent",
        "status": "completed",
        "description": "look",
        "output": PAD,
    }
    given = {"tool_name": "TaskOutput", "tool_use_id": "toolu_o", "tool_input": {"task_id": long.agent, "block": True}}
    cost = long.hook(
        "PostToolUse",
        unit,
        100_000_000 // len(unit),
        **given,
        tool_response={"retrieval_status": "success", "task": task},
    )
    assert (cost.answer, cost.errors) == ({}, "")
    said = list(long.goes_on())
    assert (
        "1 hook error within a day; the last, in main: ValueError: an event of more than 32 MB was not read"
        in plain(json.loads(said[3])["reason"])
    )
    long.ends(block("COMPLETION_REPORT", long.token))
    assert "bg-1 done in part" in next(long.goes_on())
    long.is_cheap(tell)
