"""A small part of the campaign: six agents end together in each state of their parent, beside a slow hook."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from campaign import APART, DELAYS, STATES, VERSIONS, Session, Tally, play, sessions
from generations import NEWEST


@pytest.mark.parametrize("state", STATES)
@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
def test_each_of_many_is_told_once(host: str, state: str, tmp_path: Path) -> None:
    assert play(Session(host, 1, state, 6), tmp_path) == Tally([], [], [])


def test_a_seed_draws_every_cell_before_one_comes_again() -> None:
    cells = len(DELAYS) * len(VERSIONS) * len(STATES)
    drawn = list(sessions(1000, random.Random(1)))
    assert len({each[:3] for each in drawn[:cells]}) == cells
    assert sum(each.agents for each in drawn) == 1000
    assert all(len(each.gaps) == each.agents and max(each.gaps) <= APART for each in drawn)
    assert drawn == list(sessions(1000, random.Random(1))) != list(sessions(1000, random.Random(2)))
