"""Where the host does not list who runs: an agent that streams one long call is silent, and has not ended."""

from __future__ import annotations

import json
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from bg import durations
from directed import until
from loop import ROOT, block, launch, reacting, reminders, rows
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent, text
from rig.session import TOOLS
from rig.terminal import Interactive
from test_loop import TASK, later

REPORTS = "reports partial success"
BEFORE = "I will write the file."
SILENT = 5 * 60
#: The hooks' clock, ahead while a file says so: so long has the agent said nothing then.
AHEAD = """
import os, time
if os.path.exists(os.path.join(os.path.dirname(os.path.abspath(__file__)), "ahead")):
    time.time = lambda now=time.time: now() + {0}
"""


def early(folder: Path) -> Path:
    """Our plugin, whose hooks take their clock from a file; the file, as it is not there yet."""
    for name in (".claude-plugin", "hooks", "scripts", "commands", "agents", "skills"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    hook = folder / "hooks" / "hook.py"
    hook.write_text(AHEAD.format(SILENT) + hook.read_text(encoding="utf-8"), encoding="utf-8")
    return folder / "hooks" / "ahead"


def written(home: Home) -> list[dict[str, Any]]:
    """What the agent itself has said by its own transcript; a host's suggestions of prompts are agents with one, too.

    A busy 2.1.38 may write the first of it before the prompt that it answers.
    """
    for path in home.transcripts():
        whole = path.read_text(encoding="utf-8").rpartition("\n")[0]
        records = [json.loads(line) for line in whole.splitlines()]
        said = [record for record in records if record["type"] == "assistant"]
        if path.name.startswith("agent-") and BEFORE in json.dumps(said):
            return said
    return []


def told(request: Request) -> int:
    return len(reminders(request, REPORTS))


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.100")
def test_an_agent_that_streams_one_call_for_minutes_works_on(host: str, tmp_path: Path) -> None:
    """The text before the call is the last that is written; its parent's turn, a prompt and a look end nobody."""
    assert durations.SILENCE < SILENT < durations.LONG_SILENCE
    whole = threading.Event()
    write = text(BEFORE) + call("Write", file_path="AUDIT.md", content="Nothing was found.\n")
    ahead = early(tmp_path / "bg")
    script = Script(
        ("agent", asked("AUDIT-TASK"), [write.paused(whole), later(block("COMPLETION_REPORT"))]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("the time", text("Noon.")))),
    )
    options = ["--allowedTools", f"{TOOLS} Write"]
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ahead.parents[1]], options) as term:
        term.say("/bg:bg Audit the authentication code")
        term.wait_for(r"(?:Agent|Task)\(bg-1: audit the auth code\)")
        until(lambda: bool(written(home)), term.screen)
        assert [record["message"]["stop_reason"] for record in written(home)] == [None]
        ahead.touch()
        term.say("What is the time?")
        term.wait_for("Noon")
        term.say("/bg-status")
        term.wait_for(r"bg-1 +5m +working")
        assert len(written(home)) == 1
        assert rows(home, "SELECT state FROM tasks") == [{"state": "working"}]
        assert rows(home, "SELECT ended FROM runs") == [{"ended": None}]
        assert not [request for request in model.by("parent") if told(request)]
        term.keys("C-u")
        whole.set()
        model.wait_for(lambda request: request.actor == "parent" and bool(told(request)))
        assert (home.project / "AUDIT.md").read_text() == "Nothing was found.\n"
        term.say("And the date?")
        last = model.wait_for(lambda request: request.actor == "parent" and "the date?" in request.all_text())
        assert told(last) == 1
        assert rows(home, "SELECT state FROM tasks") == [{"state": "partial"}]
        assert len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == 1
        assert rows(home, "SELECT * FROM errors") == []
