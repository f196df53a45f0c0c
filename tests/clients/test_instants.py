"""A small part of the campaign of answers: the user answers three working agents at instants that are drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from campaign import VERSIONS
from instants import AGENTS, play, sessions

PLAYED = {session.version: session for session in sessions(AGENTS * len(VERSIONS), seed=1)}


@pytest.mark.versions(*VERSIONS)
def test_an_answer_at_any_instant_arrives_once_or_is_said_to_come_too_late(host: str, tmp_path: Path) -> None:
    tally = play(PLAYED[host], tmp_path)
    assert not tally.wrong, tally
    assert len(tally.arrived) + len(tally.late) == AGENTS, tally
