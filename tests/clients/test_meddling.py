"""Other plugins' hooks around a launch of ours, on the real clients: one that rewrites it, one that denies it."""

from __future__ import annotations

import json

from bg.protocol import signals
from drive import PLAIN
from loop import ROOT, TOKEN, launch, news, reacting, reminders, rows
from peers import peer
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, parent, text
from rig.session import Headless, arguments
from test_loop import TASK, later, reminded

#: Ends after ours and hands the host the input as it was, with a word of its own: the last hook to finish wins.
REWRITES = """
time.sleep(1.0)
given = dict(event["tool_input"], prompt=event["tool_input"]["prompt"] + " Be brief.")
say(hookSpecificOutput={"hookEventName": "PreToolUse", "updatedInput": given})
"""
#: Denies the first launch.
DENIES = """
if not os.path.exists(os.path.join(here, "denied")):
    note("denied")
    say(hookSpecificOutput={"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": "Not now."})
"""
LAUNCHES = "Agent|Task"


def completes(request: Request) -> Reply:
    """The agent signs with the id that it was told, wherever that stands."""
    found = TOKEN.search(request.all_text())
    assert found, f"no identity in what the agent was told: {request.all_text()[:2000]}"
    fields = {**signals.schema("COMPLETION_REPORT")["examples"][0], **PLAIN, "agent_id": found[1]}
    return text(f"Working notes in two words.\n\n{signals.render('COMPLETION_REPORT', fields)}")


def test_an_identity_that_another_hook_threw_away_comes_with_the_start(host: str, tmp_path) -> None:
    """The agent knows who it is, its report is read, and the user is told once."""
    other = peer(tmp_path, "peer", {"PreToolUse": REWRITES}, {"PreToolUse": LAUNCHES})
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(completes)] * 3),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT, other])) as run:
        run.send("/bg:bg Audit the authentication code")
        told = reminded(run, model, home, "reports partial success", 1, host)
        run.finish()
        first = model.by("agent")[0]
        assert "Be brief." in first.all_text()
        assert len(TOKEN.findall(first.all_text())) == 1
        assert len(reminders(told, "reports partial success")) == 1
        assert len(model.by("agent")) == 1, news(model.by("agent")[1])
        assert rows(home, "SELECT * FROM errors") == []
        assert rows(home, "SELECT state FROM tasks") == [{"state": "partial"}]


def test_a_launch_that_another_hook_denies_leaves_its_label_free(host: str, tmp_path) -> None:
    """With room for one agent only, the next try is that agent."""
    other = peer(tmp_path, "peer", {"PreToolUse": DENIES}, {"PreToolUse": LAUNCHES})
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(completes)] * 3),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Not now", launch(TASK)))),
    )
    with Model(script) as model, Home(model.url) as home:
        (home.path / ".claude" / "bg.json").write_text(json.dumps({"max_tasks": 1}))
        with Headless(home, host, arguments([ROOT, other])) as run:
            run.send("/bg:bg Audit the authentication code")
            reminded(run, model, home, "reports partial success", 1, host)
            run.finish()
        assert rows(home, "SELECT label, state FROM tasks") == [{"label": "bg-1", "state": "partial"}]
        assert rows(home, "SELECT * FROM errors") == []
