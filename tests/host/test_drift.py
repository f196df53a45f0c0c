"""What each event is known to bring: true of every recorded payload, and as old as the table says."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from bg.host import deviations, drift, tools
from bg.host.event import read
from bg.host.versions import OLDEST, version_of
from recordings import VERSIONS, everything


def test_nothing_recorded_departs_from_the_table() -> None:
    seen = []
    for place, payload in everything():
        event = read(json.dumps(payload))
        assert event, place
        shape = drift.shape_of(event)
        seen.append(deviations.Seen(place.split("/")[0], shape, 1, 0.0, 0.0))
    assert [] == deviations.departures(seen)


def test_each_key_is_in_the_table_from_the_first_version_on_that_always_sends_it() -> None:
    """A bound that is too late would pass over a key that is gone; one that is too early would accuse."""
    lacking: dict[tuple[str, Any, str], set[str]] = defaultdict(set)
    came: dict[tuple[str, Any], set[str]] = defaultdict(set)
    for place, payload in everything():
        event, version = read(json.dumps(payload)), place.split("/")[0]
        assert event
        kind = (event.name, tools.known(event.tool))
        came[kind].add(version)
        for key in drift.shape_of(event).lacks.split():
            lacking[(*kind, key)].add(version)
    assert {("PostToolUseFailure", tools.MESSAGE)} == {kind for kind in drift._KNOWN if not came[kind]}
    for kind, keys in drift._KNOWN.items():
        versions = [each for each in VERSIONS if each in came[kind]]
        for key, since in keys.items() if versions else ():
            first = versions[max(map(versions.index, lacking[(*kind, key)]), default=-1) + 1]
            always = not lacking[(*kind, key)] and since == OLDEST
            assert always or since == version_of(first), (kind, key)
