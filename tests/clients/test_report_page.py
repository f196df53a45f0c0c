"""A task's page in the chat: in sections that fit the screen, as a file, and found by its words; no request is made."""

from __future__ import annotations

import re

import pytest
import screens
from generations import HAND_BACK, NEWEST
from loop import ROOT
from rig.home import Home
from rig.model import Model
from rig.script import Script, parent, text
from rig.terminal import Interactive
from test_interactive import options


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_the_report_is_read_written_and_found_in_the_chat(host: str) -> None:
    with Model(Script(("parent", parent, [text("So.")]))) as model, Home(model.url) as home:
        data = home.root / "data"
        screens.fill(data, 12, str(home.project))
        with Interactive(home, host, [ROOT], options(host), size=(80, 24), env={"BG_DATA": str(data)}) as term:
            if host in HAND_BACK:  # its word on auto mode comes by itself
                term.wait_for("to change mode")
            term.say("/bg-status bg-3")
            shown = term.wait_for(r"\d+ more lines; all of it as a file")
            for words in ("bg-3  done for", "Outcome", "Both files are read.", "Asked and found"):
                assert words in shown, shown
            assert re.search(r"\d+ more lines; all of it as a file:\s+/bg-status\s+report bg-3", shown), shown
            assert "COMPLETION_REPORT" not in shown
            for typed, said in (
                ("report bg-3", r"The report on bg-3 is in"),
                ("raw bg-3", r"\[COMPLETION_REPORT\]"),
                ("find flaky", r"bg-\d+  .*fix the flaky"),
                ("board", r"The tasks of every project, as of now"),
            ):
                term.say(f"/bg-status {typed}")
                term.wait_for(said)
                term.settle()
        assert "## Asked and found" in (data / "reports" / "bg-3.md").read_text(encoding="utf-8")
        assert "Needs you" in (data / "board.html").read_text(encoding="utf-8")
        assert not model.by("parent")
