"""What an event does once: a text is found and decoded once, however many steps ask what it says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from bg.loop import reports
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
def test_a_report_is_decoded_once_an_event(marker, version, read, tmp_path: Path):
    drive = Drive(version, tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    text = block(marker, token)
    drive.ends("a1", text)
    assert read == {text: 1}
    drive.announced("a1")
    assert set(read.values()) <= {1}
    drive.stop()
    assert set(read.values()) <= {1}


def test_a_report_that_cannot_be_read_is_decoded_once_an_event(read, tmp_path: Path):
    drive = Drive(VERSIONS[-1], tmp_path)
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    drive.ends("a1", "No block.")
    assert read == {"No block.": 1}
    drive.ends("a1", "Again none.")
    assert read == {"No block.": 1, "Again none.": 1}
