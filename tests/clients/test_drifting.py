"""Changes of the host, each brought to a real client by a stand-in for the launcher: the doctor names every one."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from drifting import DRIFTS, copied
from generations import NEWEST
from loop import ROOT, block, launch, reacting, wake
from rig import clients
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, parent
from rig.session import Headless, arguments, auto_mode
from test_loop import TASK, later

pytestmark = [pytest.mark.patient, pytest.mark.versions("2.1.197", NEWEST)]
MOMENT = 12.0  # for what such a host may never bring
#: -p shows the model nothing of a session's beginning, and hands back in auto mode only.
IN_AUTO_MODE = ("no PreToolUse of a hand-back",)


def played(home: Home, model: Model, host: str, plugin: Path, name: str) -> None:
    """The loop as far as it goes."""
    options = arguments([plugin]) + (auto_mode() if name in IN_AUTO_MODE else [])
    with Headless(home, host, options) as run:
        run.send("/bg:bg Audit the authentication code")
        with contextlib.suppress(TimeoutError, AssertionError):
            model.wait_for(lambda request: "needs answers" in request.all_text(), MOMENT)
        run.send("/bg-answer bg-1 Q1: Both of them.  Q2: no")
        with contextlib.suppress(TimeoutError, AssertionError):
            model.wait_for(lambda request: "reports partial success" in request.all_text(), MOMENT)
        with contextlib.suppress(TimeoutError):
            run.turn("Anything new?", MOMENT)
        run.finish()


def examined(home: Home, host: str, plugin: Path) -> list[str]:
    """What the doctor finds of the events."""
    folder = home.root / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(clients.entry(host))} "$@"\n')
    program.chmod(0o755)
    done = subprocess.run(
        [sys.executable, str(plugin / "scripts" / "bgctl"), "doctor", "--json"],
        env={**home.env(), "PATH": f"{folder}:{os.environ['PATH']}"},
        cwd=home.project,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    return [item["found"] for item in json.loads(done.stdout) if item["subject"] == "events"]


def told(host: str, plugin: Path, name: str) -> list[str]:
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))] * 3),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home:
        played(home, model, host, plugin, name)
        return examined(home, host, plugin)


def test_a_host_that_was_tried_is_accused_of_nothing(host: str) -> None:
    [found] = told(host, ROOT, "")
    assert re.fullmatch(rf"{re.escape(host)}: \d+ events, all shapes known", found)


@pytest.mark.parametrize("name", DRIFTS)
def test_the_doctor_names_each_change(host: str, name: str, tmp_path: Path) -> None:
    if host not in DRIFTS[name].versions:
        pytest.skip("this client never had what is changed")
    found = told(host, copied(ROOT, tmp_path / "plugin", name), name)
    assert any(re.search(DRIFTS[name].client or DRIFTS[name].told, each) for each in found), found
