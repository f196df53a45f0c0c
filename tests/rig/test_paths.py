"""The count of what an event passes sees modules, calls between them, and questions to the ledger."""

from __future__ import annotations

from pathlib import Path

from rig import paths

ROOT = Path(__file__).resolve().parents[2]


def test_five_events_are_counted():
    found = paths.played(ROOT)
    assert list(found) == [
        "a run's end with a question",
        "its reminder",
        "a turn's end",
        "a typed answer",
        "a status",
    ]
    for event, passed in found.items():
        assert "bg.hook" in passed.modules, event
        assert "bg.ledger.file" in passed.modules, event
        assert len(passed.modules) > 10, event
        assert passed.calls > len(passed.modules), event
        assert len(passed.selects) >= len(set(passed.selects)) > 10, event


def test_what_is_asked_again_is_counted_each_time():
    passed = paths.Passed([], 0, ["a", "b", "a", "a"])
    assert passed.twice == ["a", "a"]
