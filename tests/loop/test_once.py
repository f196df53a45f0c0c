"""What an event does once: a text is found and decoded once, however many steps ask what it says."""

from __future__ import annotations

from collections import Counter

import pytest
from bg.ledger.opening import Opening
from bg.loop import judging, reports
from bg.protocol import signals
from drive import Drive, block
from recordings import VERSIONS


@pytest.fixture
def read(monkeypatch) -> Counter[str]:
    """How often each text is decoded; a hook's process knows nothing of the one before it."""
    counts: Counter[str] = Counter()
    real = signals.read

    def counted(text: str) -> signals.Reading:
        counts[text] += 1
        return real(text)

    monkeypatch.setattr(signals, "read", counted)
    send = Drive.send

    def sent(self, *arguments, **changes):
        reports._signals.cache_clear()
        counts.clear()
        return send(self, *arguments, **changes)

    monkeypatch.setattr(Drive, "send", sent)
    return counts


@pytest.mark.parametrize("marker", signals.schemas())
@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_a_report_is_decoded_once_an_event(marker, read, drive: Drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    text = block(marker, token)
    drive.ends("a1", text)
    assert read == {text: 1}
    drive.announced("a1")
    assert set(read.values()) <= {1}
    drive.stop()
    assert set(read.values()) <= {1}


def test_a_report_that_cannot_be_read_is_decoded_once_an_event(read, drive: Drive):
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.ends("a1", "No block.")
    assert read == {"No block.": 1}
    drive.ends("a1", "Again none.")
    assert read == {"No block.": 1, "Again none.": 1}


@pytest.fixture
def commits(monkeypatch) -> list[int]:
    """How many transactions each event took, with those that only made a report durable counted apart."""
    taken: list[int] = []
    opened = Opening._open

    def traced(self):
        connection = opened(self)
        connection.set_trace_callback(lambda sql: taken.append(1) if sql.startswith("BEGIN") else None)
        return connection

    monkeypatch.setattr(Opening, "_open", traced)
    counts: list[int] = []
    send = Drive.send

    def sent(self, *arguments, **changes):
        taken.clear()
        said = send(self, *arguments, **changes)
        counts.append(len(taken))
        return said

    monkeypatch.setattr(Drive, "send", sent)
    return counts


@pytest.mark.parametrize("marker", signals.schemas())
@pytest.mark.parametrize("version", VERSIONS)
def test_an_event_takes_at_most_two_transactions(marker, commits, drive: Drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.ends("a1", block(marker, token))
    drive.announced("a1")
    drive.stop()
    drive.prompt("/bg-answer bg-1 Q1: CSV Q2: no")
    drive.prompt("/bg-answer bg-1 go")
    drive.stop()
    assert max(commits) == 2, commits


def test_a_report_is_durable_before_it_is_judged_and_what_failed_later_takes_nothing_back(monkeypatch, drive: Drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    monkeypatch.setattr(judging, "judge", lambda *_: 1 / 0)
    drive.ends("a1", block("COMPLETION_REPORT", token))
    [row] = drive.rows("SELECT text FROM reports")
    assert "COMPLETION_REPORT" in row["text"]
    assert [1] == [row["failed"] for row in drive.rows("SELECT count(*) AS failed FROM errors")]
