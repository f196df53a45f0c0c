"""Only what a transaction yields can write: mypy refuses the rest, and so does Python."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
from pathlib import Path

from bg.ledger.file import Ledger, Writing

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
SAMPLE = """
from bg.ledger import tasks
from bg.ledger.file import Ledger, Writing


def read(book: Ledger, writing: Writing) -> None:
    tasks.get(book, "bg-1")
    tasks.get(writing, "bg-1")


def within(book: Ledger) -> None:
    with book.transaction() as writing:
        tasks.hand_over_one(writing, "bg-1", "s")
        with writing.transaction() as step:
            step.insert("INSERT INTO meta VALUES ('a', 'b')")


def outside(book: Ledger) -> None:
    tasks.hand_over_one(book, "bg-1", "s")  # refused
    book.write("DELETE FROM tasks")  # refused
    book.insert("INSERT INTO meta VALUES ('a', 'b')")  # refused
"""


def test_mypy_refuses_a_write_through_a_ledger(tmp_path):
    sample = tmp_path / "sample.py"
    sample.write_text(SAMPLE)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--follow-imports=silent"]
    command += ["--config-file=", f"--cache-dir={tmp_path / 'cache'}", str(sample)]
    said = subprocess.run(command, env={**os.environ, "MYPYPATH": str(SCRIPTS)}, capture_output=True, text=True).stdout
    refused = [int(number) for number in re.findall(r"sample\.py:(\d+): error", said)]
    wanted = [number for number, line in enumerate(SAMPLE.splitlines(), 1) if line.endswith("# refused")]
    assert wanted == refused, said


def test_a_ledger_has_nothing_to_write_with(tmp_path):
    with contextlib.closing(Ledger(tmp_path)) as book:
        assert not hasattr(book, "write")
        assert not hasattr(book, "insert")


def test_what_is_written_in_a_step_that_fails_is_taken_back_alone(tmp_path):
    with contextlib.closing(Ledger(tmp_path)) as book:
        with book.transaction() as writing:
            writing.write("INSERT INTO meta VALUES ('whole', '1')")
            with contextlib.suppress(LookupError), writing.transaction() as step:
                assert isinstance(step, Writing)
                step.write("INSERT INTO meta VALUES ('step', '1')")
                raise LookupError
            assert book.value("SELECT value FROM meta WHERE key = 'whole'") == "1"
        assert [row["key"] for row in book.all("SELECT key FROM meta WHERE key IN ('whole', 'step')")] == ["whole"]
