"""The bench measures what it names, in one run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_the_bench_prints_a_ratio_for_each_path():
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bench"), "2"], capture_output=True, text=True, check=True
    )
    ratios = [float(number) for number in re.findall(r"\| ([\d.]+) \|$", done.stdout, re.MULTILINE)]
    assert len(ratios) == 4
    assert ratios[0] == 1.0
    assert min(ratios) > 0
