"""Campaigns: many real hook processes, with this harness as the host."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path[:0] = [str(Path(__file__).resolve().parent), str(Path(__file__).resolve().parents[1] / "host")]


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]):
    """Prints a campaign's figures, whether or not the test passes."""

    def say(words: str) -> None:
        with capsys.disabled():
            print(f"\n  {words}", end="")

    return say
