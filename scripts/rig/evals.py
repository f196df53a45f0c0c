"""Runs the cases in evals/ with the host's own `claude plugin eval`, and measures what its graders cannot count.

For each case, with the plugin and without: how many of the agents' runs ended with a readable block, how often an agent
was asked for its report again, and how many needless questions came.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Optional

from bg.protocol import signals

ROOT = Path(__file__).resolve().parents[2]
NEEDLESS = "no-needless-question"  # the grader of the cases in which every question is needless
COLUMNS = ("case", "plugin", "score", "runs", "blocks/run", "corrections/run", "questions", "needless")


class Measure(NamedTuple):
    """One case, with the plugin or without, all its repetitions together."""

    case: str
    arm: str
    score: float
    runs: int
    blocks: int
    corrections: int
    questions: int
    needless: int

    def row(self) -> tuple[str, ...]:
        """The measure as a line of the table."""
        counts = [f"{count / self.runs:.2f}" if self.runs else "-" for count in (self.blocks, self.corrections)]
        asked = (str(self.questions), str(self.needless))
        return (self.case, self.arm, f"{self.score:.2f}", str(self.runs), *counts, *asked)


def command(client: list[str], result: Path, plugin: Path = ROOT, more: Sequence[str] = ()) -> list[str]:
    """The host's own eval command, which keeps its sandboxes, as the measures are read from them."""
    given = ["--scaffold", "--allow-tools", "Write", "--no-publish", "--keep-temp"]
    where = ["--json", str(result), "--output-dir", str(result.parent)]
    return [*client, "plugin", "eval", str(plugin), *given, *where, *more]


def measures(result: dict[str, Any]) -> list[Measure]:
    """The measures of each case, from the result and the sandboxes that it names."""
    found = []
    for case in result["cases"]:
        unasked = any(grader["name"] == NEEDLESS for grader in case["graders"])
        for arm, runs in case["arms"].items():
            if runs:
                counted = [_counted(Path(run["tracePath"]).parents[1]) for run in runs if run["tracePath"]]
                total = [sum(column) for column in zip(*counted)] or [0, 0, 0, 0]
                score = sum(run["score"] for run in runs) / len(runs)
                found.append(Measure(case["name"], arm, score, *total, total[3] if unasked else 0))
    return found


def _counted(sandbox: Path) -> tuple[int, int, int, int]:
    """How many runs of agents there were, runs with a readable block, corrections, and questions."""
    ends = [_ends(path) for path in sorted((sandbox / "config").glob("projects/*/*/subagents/agent-*.jsonl"))]
    deciding = [signals.read(text).deciding for text in ends]
    blocks = [signal for signal in deciding if signal is not None and signal.readable]
    questions = sum(len(signal.fields.get("questions") or []) for signal in blocks)
    return len(ends), len(blocks), sum(_corrections(sandbox)), questions


def _ends(transcript: Path) -> str:
    """The last words of an agent, as text or by the hand-back tool."""
    last = ""
    for line in transcript.read_text(encoding="utf-8", errors="replace").splitlines():
        with contextlib.suppress(ValueError, AttributeError, TypeError):
            record = json.loads(line)
            if record.get("type") == "assistant":
                for part in record["message"]["content"]:
                    handed = part.get("input", {}) if part.get("name") == "SubagentHandback" else {}
                    last = part.get("text") or handed.get("message") or last
    return last


def _corrections(sandbox: Path) -> Iterator[int]:
    for path in (sandbox / "config").glob("plugins/data/*/ledger.db"):
        with contextlib.closing(sqlite3.connect(path)) as book:
            yield from (row[0] or 0 for row in book.execute("SELECT corrections FROM runs"))


def table(found: list[Measure]) -> str:
    """The measures as a table for people."""
    rows = [COLUMNS, *(measure.row() for measure in found)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(COLUMNS))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows)


def remove(result: dict[str, Any]) -> None:
    """Remove the kept sandboxes; the host takes their permissions away, so these are given back first."""
    for case in result["cases"]:
        for run in (run for runs in case["arms"].values() for run in runs or []):
            if run["tracePath"]:
                sandbox = Path(run["tracePath"]).parents[1]
                for folder, _, _ in os.walk(sandbox):
                    os.chmod(folder, 0o700)  # noqa: PTH101 - top-down, so that the walk can go on
                shutil.rmtree(sandbox, ignore_errors=True)


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the cases with the `claude` in PATH and your own login; return the host's exit status."""
    parser = argparse.ArgumentParser(prog="evals", description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.epilog = "Everything else is passed on: --case NAME, --runs N, --model M, --max-cost-usd N, --ablation none."
    parser.add_argument("--output", type=Path, help="keep the host's result and report in this directory")
    given, more = parser.parse_known_args(argv)
    client = shutil.which("claude")
    if client is None:
        sys.stderr.write("evals: there is no `claude` in PATH\n")
        return 2
    with tempfile.TemporaryDirectory(prefix="bg-evals-") as temporary:
        folder = (given.output or Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        result = folder / "result.json"
        code = subprocess.run(command([client], result, more=more), check=False).returncode
        if not result.is_file():
            return code or 1
        data = json.loads(result.read_text(encoding="utf-8"))
        try:
            sys.stdout.write(f"{table(measures(data))}\n")
        finally:
            remove(data)
    return code
