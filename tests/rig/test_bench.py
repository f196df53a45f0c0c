"""The bench measures what it names, in one run, and leaves nothing behind."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from rig import bench, bench_growth, bench_rows

ROOT = Path(__file__).resolve().parents[2]


def test_the_bench_prints_a_figure_and_a_goal_for_each_row():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench"), "--rounds", "1", "--small"],
        capture_output=True,
        text=True,
        check=True,
    )
    costs, growth = done.stdout.split("\n\n")
    rows = [line.strip("| ").split(" | ") for line in costs.splitlines()[2:]]
    named = [bench_rows.NONE, *bench_rows.GOALS, bench_rows.LIFE_AMONG_MANY, bench_rows.SHARE]
    assert named == [row[0] for row in rows[:-3]]
    assert bench_growth.SYNCS == rows[-1][0]
    assert ["no process", "no process"] == rows[0][1:]
    sure = [row for row in rows[1:-1] if row[0] != bench_rows.SHARE]  # which may be lost in a single round's noise
    assert all(float(re.match(r"[\d.]+", row[1])[0]) > 0 for row in sure)
    assert re.match(r"[\d.]+, most \d+$|not counted: no strace$", rows[-1][1])
    assert all(row[2] for row in rows)
    grown = [line.strip("| ").split(" | ") for line in growth.splitlines()[2:]]
    assert {
        "a prompt",
        "a session begins",
        "a launch, before",
        "a turn's end",
        "a run's end",
        "/bg-status",
        "/bg-answer",
    } <= {row[0] for row in grown}
    assert all(len(row) == 2 + len(bench_growth.COUNTS) and float(row[1]) == 1 for row in grown)


def test_a_hook_syncs_the_disk_at_most_twice_an_event(tmp_path):
    """Beside the spool; once in a while, when the log is written into the ledger, more."""
    if not shutil.which("strace"):
        pytest.skip("there is no strace, which counts them")
    stage = bench.Stage(tmp_path / "few")
    rows = object.__new__(bench_rows.Rows)
    bench_growth.lengthened(rows, stage, 10)
    assert float(bench_growth.syncs(rows, stage).partition(",")[0]) <= bench_growth.MOST_SYNCS


def test_the_time_of_children_counts(tmp_path):
    (tmp_path / "nothing").touch()
    busy = f"{bench.PYTHON} -I -c 'sum(range(9_000_000))'; exit 0"
    alone = bench.run(["/bin/sh", "-c", "exit 0"], {}, tmp_path / "nothing")
    assert bench.run(["/bin/sh", "-c", busy], {}, tmp_path / "nothing").seconds > 10 * alone.seconds
