"""Changes that a next version of the host may bring: each is played through recorded scenes, and named."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from bg import durations, hook
from bg.desk import drifts
from bg.ledger.file import Ledger
from drifting import DRIFTS, Change, Payload

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import plays


class InProcess(plays.Play):
    """A golden play without the launcher; `change` is what the host hands over instead of an event, None for nothing.

    `takes` is what it makes of an answer.
    """

    change: Change = staticmethod(lambda event: event)
    takes: Callable[[Payload], Payload] = staticmethod(lambda answer: answer)

    def hook(self, event: Payload) -> str:
        self.clock += 7
        out = io.StringIO()
        given = self.change(json.loads(json.dumps(event)))
        if given is not None:
            assert hook.main(io.StringIO(json.dumps(given)), out, clock=lambda: float(self.clock)) == 0
        said = self.takes(json.loads(out.getvalue())) if out.getvalue() else {}
        return json.dumps(said) if said else ""

    def export(self) -> list[Payload]:
        return []


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[str]]:
    """Plays a scene, and says what is told of the host then."""
    for name in ("LATE_TEXT", "LATE_RECORD", "LATE_PROMPT", "LATE_REFUSAL"):
        monkeypatch.setattr(durations, name, 0.0)
    for name in ("AI_AGENT", "CLAUDECODE", "CLAUDE_CONFIG_DIR", "CLAUDE_PLUGIN_DATA"):
        monkeypatch.delenv(name, raising=False)

    def run(version: str, scene: str, ending: str, change: Any = None, takes: Any = None) -> list[str]:
        root = tmp_path / f"{version}-{scene}-{ending}"
        root.mkdir()
        played = InProcess(version, scene, ending, root.resolve())
        played.change, played.takes = change or played.change, takes or played.takes  # type: ignore[method-assign]
        monkeypatch.setenv("HOME", str(played.root / "home"))
        monkeypatch.setenv("BG_DATA", str(played.data))
        monkeypatch.setenv("CLAUDE_PROJECT_DIR", str(played.project))
        monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
        played.run()
        if not (played.data / "ledger.db").exists():
            return []
        book = Ledger(played.data)
        try:
            return [drifts.told(one) for one in drifts.noticed(book, 0)[0]]
        finally:
            book.close()

    return run


@pytest.mark.parametrize(
    ("version", "scene", "ending"),
    [(version, *each) for version in plays.VERSIONS for each in plays.plays(version) if each[1] in ("prose", "asks")],
)
def test_no_recorded_scene_is_accused(play: Callable[..., list[str]], version: str, scene: str, ending: str) -> None:
    assert [] == play(version, scene, ending)


@pytest.mark.parametrize(
    ("name", "version"), [(name, version) for name, drift in DRIFTS.items() for version in drift.versions]
)
def test_each_change_is_named(play: Callable[..., list[str]], name: str, version: str) -> None:
    drift = DRIFTS[name]
    told = play(version, drift.scene, "asks", drift.change, drift.takes)
    assert any(re.search(drift.told, each) for each in told), told
