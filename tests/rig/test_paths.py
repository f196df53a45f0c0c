"""The count of what an event passes sees modules, calls between them, and questions to the ledger."""

from __future__ import annotations

from pathlib import Path

import pytest
from rig import paths

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found() -> dict[str, paths.Passed]:
    """What each of the five events has passed."""
    return paths.played(ROOT)


def test_five_events_are_counted(found):
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
        assert len(passed.selects) > 10, event


# What an event reads again because it has written to the table in between, by the table that it asks first.
READ_AGAIN = {
    "a run's end with a question": ["runs", "reports", "tasks"],  # the report is kept, then the run and its task end
    "its reminder": [],
    "a turn's end": [],
    "a typed answer": ["sessions", "questions", "answers"],  # the session is noted, then a question answered
    "a status": ["sessions", "proofs"],  # the session is noted, and who typed the answer is judged
}


@pytest.mark.parametrize("event", READ_AGAIN)
def test_an_event_reads_nothing_twice_that_it_has_not_changed(found, event):
    assert found[event].needless == []
    again = sorted(paths.tables_of(sql)[0] for sql, _ in found[event].twice)
    assert again == sorted(READ_AGAIN[event])


def test_what_is_asked_again_is_counted_each_time():
    a, b = ["SELECT * FROM tasks", "()"], ["SELECT * FROM runs", "()"]
    passed = paths.Passed([], 0, [a, b, a, a])
    assert passed.twice == passed.needless == [a, a]


def test_what_is_asked_again_after_a_write_to_its_table_is_needed():
    a, b = ["SELECT t.* FROM runs r JOIN tasks t ON t.label = r.label", "()"], ["SELECT * FROM runs", "()"]
    writes = ["UPDATE tasks SET state = ? WHERE label = ?", "('done', 'bg-1')"]
    passed = paths.Passed([], 0, [a, b, writes, a, b])
    assert (passed.twice, passed.needless) == ([a, b], [b])
