"""The bench measures what it names, in one run, and leaves nothing behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from rig import bench, bench_rows

ROOT = Path(__file__).resolve().parents[2]


def test_the_bench_prints_a_figure_and_a_goal_for_each_row():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench"), "--rounds", "1", "--small"],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.strip("| ").split(" | ") for line in done.stdout.splitlines()[2:]]
    assert [bench_rows.NONE, *bench_rows.GOALS, bench_rows.LIFE_AMONG_MANY] == [row[0] for row in rows[:-2]]
    assert ["no process", "no process"] == rows[0][1:]
    assert all(float(re.match(r"[\d.]+", row[1])[0]) > 0 for row in rows[1:])
    assert all(row[2] for row in rows)


def test_the_time_of_children_counts(tmp_path):
    (tmp_path / "nothing").touch()
    busy = f"{bench.PYTHON} -I -c 'sum(range(9_000_000))'; exit 0"
    alone = bench.run(["/bin/sh", "-c", "exit 0"], {}, tmp_path / "nothing")
    assert bench.run(["/bin/sh", "-c", busy], {}, tmp_path / "nothing").seconds > 10 * alone.seconds
