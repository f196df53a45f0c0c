"""An agent of a real client ends its turn while its own background command runs: it is left in peace, and woken."""

from __future__ import annotations

import pytest
from directed import delivered, until
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, has_ledger, launch, one, reacting, reminders, rows, wake
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent, text
from rig.session import TOOLS, Headless, arguments, auto_mode
from test_loop import TASK, ended

BUILD = call("Bash", command="while [ ! -e go ]; do sleep 0.1; done; echo built", run_in_background=True)
PARKED = "SELECT 1 FROM runs WHERE parked IS NOT NULL"
LEAVES = ("2.1.197",)  # up to 2.1.224, the host never wakes a parked agent


@pytest.mark.parametrize("mode", ["text", "handback"])
@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327", NEWEST)
def test_a_parked_agent_is_not_pressed_and_reports_once(host: str, mode: str) -> None:
    """No outcome is told while its command runs; then it is woken, by the host or by its parent, and reports."""
    if mode == "handback" and host not in HAND_BACK:
        pytest.skip("this client has no SubagentHandback")
    steps = [BUILD, text("The build runs; I wait for it."), block("COMPLETION_REPORT")]
    script = Script(
        ("agent", asked("AUDIT-TASK"), steps),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Wake it now", wake))),
    )
    with Model(script) as model, Home(model.url) as home:
        options = [*arguments([ROOT], tools=f"{TOOLS} Bash"), *(auto_mode() if mode == "handback" else [])]
        with Headless(home, host, options) as run:
            run.send("/bg:bg Audit the authentication code")
            until(lambda: has_ledger(home) and bool(rows(home, PARKED)), "the agent is parked")
            run.turn("How far is it?")
            assert one(home, "SELECT state, note FROM tasks") == {
                "state": "working",
                "note": "waits for its own command",
            }
            assert rows(home, "SELECT * FROM deliveries") == []
            assert len(model.by("agent")) == 2
            (home.project / "go").touch()
            if host in LEAVES:
                transcript = next(path for path in home.transcripts() if path.stem == run.session_id)
                until(lambda: "completed (exit code 0)" in transcript.read_text(), "the command has ended")
                run.turn("And now?")
            ended(home, 1)
            delivered(run, home, wakes=True)
            run.finish()
        last = model.by("parent")[-1]
        assert len(model.by("agent")) == 3
        assert len(reminders(last, "reports partial success")) == 1
        assert reminders(last, "ended without") == []
        assert len(rows(home, "SELECT 1 FROM runs")) == 1
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert rows(home, "SELECT * FROM errors") == []
