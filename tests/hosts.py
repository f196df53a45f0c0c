"""Processes that stand for the host of a session: living ones, and one that is gone."""

from __future__ import annotations

import os
import subprocess
import sys

from bg import machine


def process(pid: int) -> machine.Process:
    """A living process as the ledger notes it."""
    return machine.Process(pid, machine._look(pid)[2])


HERE = process(os.getpid())
OTHER = process(os.getppid())


def gone() -> machine.Process:
    """A process that has ended."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    return machine.Process(done.pid, "1")
