"""Beside plugins that do what the published hooks of hookify, superpowers, security-guidance and ralph-loop do.

They are written anew for this test, after what those hooks read and answer: the originals are not ours to copy.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from directed import until
from loop import ROOT, block, launch, one, reacting, reminders, rows, wake
from peers import peer
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent
from rig.session import Headless, arguments
from test_loop import CANNOT_RESUME, TASK, later, reminded

#: Looks at every tool call, every prompt and every Stop by its rules; one warns of launches, and it always answers.
HOOKIFY = 'warns = event.get("tool_name") in ("Agent", "Task")\nsay(**({"systemMessage": "hookify: a launch"} if warns else {}))\n'
#: Adds a long text to each beginning of a conversation.
SUPERPOWERS = """
words = "You have superpowers. " * 200
say(hookSpecificOutput={"hookEventName": "SessionStart", "additionalContext": words})
"""
#: Refuses the first write of a kind, with exit 2 and words on stderr.
SECURITY = """
if not os.path.exists(os.path.join(here, "warned")):
    note("warned")
    sys.stderr.write("Security warning: look at what you write.")
    sys.exit(2)
"""
#: Blocks the end of a turn with the same prompt again, three times, then lets go.
RALPH = """
path = os.path.join(here, "rounds")
rounds = len(open(path).readlines()) if os.path.exists(path) else 0
if rounds < 3:
    note("rounds", str(rounds))
    say(decision="block", reason="RALPH: go on with the work.", systemMessage="Ralph iteration %d" % (rounds + 1))
"""


def others(folder: Path) -> list[Path]:
    return [
        peer(folder, "hookify", dict.fromkeys(("PreToolUse", "PostToolUse", "UserPromptSubmit", "Stop"), HOOKIFY)),
        peer(folder, "superpowers", {"SessionStart": SUPERPOWERS}, {"SessionStart": "startup|resume|clear|compact"}),
        peer(folder, "security-guidance", {"PreToolUse": SECURITY}, {"PreToolUse": "Edit|Write|MultiEdit"}),
        peer(folder, "ralph-loop", {"Stop": RALPH}),
    ]


@pytest.mark.versions("2.1.7", "2.1.197", "2.1.327")
def test_the_loop_stays_whole_beside_them(host: str, tmp_path: Path) -> None:
    """Asked, answered, resumed, reported; each reminder once, and the others do what they do."""
    plugins = others(tmp_path)
    writes = call("Write", file_path=str(tmp_path / "notes.md"), content="Notes")
    script = Script(
        (
            "agent",
            asked("AUDIT-TASK"),
            [later(block("CLARIFICATION_NEEDED")), writes, later(block("COMPLETION_REPORT")), block("COMPLETION_REPORT")],
        ),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    assert host != CANNOT_RESUME
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT, *plugins])) as run:
        run.send("/bg:bg Audit the authentication code")
        reminded(run, model, home, "needs answers", 1, host)
        turns = len(run.results)
        until(lambda: len(run.results) >= turns, 20, "the turn ends")
        run.send("/bg-answer bg-1 Q1: Both  Q2: no")
        reminded(run, model, home, "reports partial success", 2, host)
        run.finish()
        last = model.by("parent")[-1]
        # 2.1.7 shows the reason of one Stop block twice in one message, so messages are counted, not lines.
        for words in ("needs answers", "reports partial success"):
            told = [bool(reminders(Request({"messages": [message]}), words)) for message in last.messages]
            assert sum(told) == 1, (words, told)
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
        assert rows(home, "SELECT * FROM errors") == []
        assert "RALPH: go on" in last.all_text()
        assert (plugins[3] / "hooks" / "rounds").read_text().splitlines() == ["0", "1", "2"]
