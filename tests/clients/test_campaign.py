"""A small part of the campaign: six agents end together in each state of their parent, beside a slow hook."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign import STATES, Session, Tally, play
from generations import NEWEST


@pytest.mark.parametrize("state", STATES)
@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
def test_each_of_many_is_told_once(host: str, state: str, tmp_path: Path) -> None:
    assert play(Session(host, 1, state, 6), tmp_path) == Tally([], [], [])
