"""The cost of a long history: the same events on ledgers of 10 to 100,000 tasks, and how often an event syncs."""

from __future__ import annotations

import shutil
import statistics
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING

from bg.protocol import signals

from rig import history

if TYPE_CHECKING:
    from rig.bench import Stage
    from rig.bench_rows import Rows

COUNTS = (10, 1_000, 10_000, 100_000)
MOST_GROWTH = 1.3
MOST_SYNCS = 2
STRACE = ("strace", "-f", "-qq", "-e", "trace=fsync,fdatasync,sync_file_range,syncfs")
ROUNDS = 3
SYNCS = "fsyncs of an event that writes, counted by strace: the mean, and the most"


def lengthened(rows: Rows, stage: Stage, count: int) -> None:
    """Give a stage `count` tasks of ended sessions, made from one task that is played."""
    rows.life(stage, "first")
    stage.hook("first", "Stop", background_tasks=[])
    stage.hook("first", "SessionEnd", reason="other")
    history.lengthen(stage.data / "ledger.db", count, stage.project, time.time())


def played(rows: Rows, stage: Stage, session: str) -> Iterator[tuple[str, float]]:
    """Play a session; yield each of its steps with its cost in processor time."""
    yield "a session begins", stage.hook(session, "SessionStart", source="startup").seconds
    agent, token, costs = rows.launch(stage, session)
    yield from zip(("a command", "a launch, before", "a launch, after"), costs)
    running = [{"id": agent, "type": "local_agent", "status": "running"}]
    yield "a turn's end", stage.hook(session, "Stop", background_tasks=running).seconds
    yield "a prompt", stage.hook(session, "UserPromptSubmit", prompt="What does the parser do?").seconds
    fields = {**signals.schema("CLARIFICATION_NEEDED")["examples"][0], "agent_id": token}
    yield "a run's end", rows.end(stage, agent, signals.render("CLARIFICATION_NEEDED", fields)).seconds
    yield "its notification", stage.hook(session, "UserPromptSubmit", prompt=rows.notification(agent)).seconds
    yield "/bg-status", stage.hook(session, "UserPromptSubmit", prompt="/bg-status").seconds
    label = token.rpartition("-")[0]
    answer = f"/bg-answer {label} Q1: one Q2: two"
    yield "/bg-answer", stage.hook(session, "UserPromptSubmit", prompt=answer).seconds
    stage.hook(session, "UserPromptSubmit", prompt=f"/bg-answer {label} close")
    stage.hook(session, "SessionEnd", reason="other")


def table(rows: Rows, stages: dict[int, Stage], rounds: int) -> Iterator[str]:
    """A table with a line for each event: its cost on each history as a multiple of that on the shortest."""
    figures: dict[str, dict[int, list[float]]] = {}
    for number in range(rounds):
        for count, stage in stages.items():
            for what, seconds in played(rows, stage, f"grown-{number}"):
                figures.setdefault(what, {}).setdefault(count, []).append(seconds)
    yield f"| Cost on a ledger of | {' | '.join(f'{count:,} tasks' for count in stages)} | Goal |"
    yield f"| --- |{' --- |' * (len(stages) + 1)}"
    for what, found in figures.items():
        costs = [statistics.median(found[count]) for count in stages]
        yield f"| {what} | {' | '.join(f'{cost / costs[0]:.2f}' for cost in costs)} | {MOST_GROWTH:g} |"


def syncs(rows: Rows, stage: Stage) -> str:
    """The mean and the largest number of syncs, counted by strace, of the events that sync at all."""
    if not shutil.which(STRACE[0]):
        return "not counted: no strace"
    stage.syncs = []
    for number in range(ROUNDS):
        for _ in played(rows, stage, f"synced-{number}"):
            pass
        rows.life(stage, f"synced-life-{number}")
    found = [count for count in stage.syncs if count]
    stage.syncs = None
    return f"{statistics.mean(found):.2f}, most {max(found)}"
