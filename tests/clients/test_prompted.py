"""On real clients: an agent's call at the permission prompt needs the user, for whoever looks from elsewhere."""

from __future__ import annotations

import re
import subprocess

import pytest
from directed import until
from generations import NEWEST
from loop import ROOT, block, launch, one, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent
from rig.terminal import Interactive
from test_loop import ended, later

ROW = r"Needs you 1\nbg-1 +\S+  waits for your permission  clean up\n +“rm -rf build”\n"


def status(home: Home) -> str:
    """What `bgctl` shows in another terminal, where the prompt does not stand in the way."""
    command = [str(ROOT / "scripts" / "bgctl"), "status"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=home.env(COLUMNS="120"))
    return done.stdout


@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
@pytest.mark.parametrize("key", ["Enter", "Escape"])
def test_a_call_at_the_permission_prompt_is_shown_until_it_is_answered(key: str, host: str) -> None:
    deletes = call("Bash", command="rm -rf build", description="Remove it")
    script = Script(
        ("agent", asked("CLEAN-TASK"), [later(deletes, 1), later(block("COMPLETION_REPORT"), 2)]),
        ("parent", parent, reacting((r"not from the user\] label", launch("CLEAN-TASK", "clean up")))),
    )
    options = ["--permission-mode", "default", "--allowedTools", "Agent Task SendMessage ToolSearch"]
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options) as term:
        term.say("/bg:bg Clean up")
        term.wait_for(r"Do you want to proceed\?")
        until(lambda: re.search(ROW, status(home)), lambda: status(home))
        term.settle(1.0)
        term.keys(key)
        until(lambda: "permission" not in status(home), lambda: status(home))
        if key == "Enter":
            ended(home, 1)
            assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert rows(home, "SELECT text FROM errors") == []
