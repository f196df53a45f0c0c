"""What the tests of the loop share: which process the host is."""

from __future__ import annotations

import subprocess

import pytest
from bg import machine


@pytest.fixture
def as_process(monkeypatch):
    """The host that calls from now on."""
    return lambda process: monkeypatch.setattr(machine, "host", lambda: process)


@pytest.fixture
def processes():
    """Starts processes that stand for hosts; ended after the test."""
    started = []

    def start() -> str:
        started.append(subprocess.Popen(["sleep", "60"]))
        return str(started[-1].pid)

    yield start
    for process in started:
        process.kill()
        process.wait()
