"""Beside hookify, superpowers, security-guidance and ralph-loop: their hooks, as those that are published behave.

What each registers (events, matchers, time-outs), what it reads and what it answers was read in
anthropics/claude-plugins-official (hookify, security-guidance, ralph-loop) and obra/superpowers in November 2026, and
written anew here: none of their code is copied.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from generations import NEWEST
from loop import ROOT, block, launch, one, reacting, reminders, rows, wake
from peers import peer
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent
from rig.session import Headless, arguments
from test_loop import CANNOT_RESUME, TASK, later, reminded

#: A user's rules, one of which warns of launches. Every event is answered, mostly with an empty object.
HOOKIFY = """
warns = event.get("tool_name") in ("Agent", "Task")
say(**({"systemMessage": "**[no-agents]**\\nThis launches an agent."} if warns else {}))
"""
#: Adds the whole text of a skill to each beginning of a conversation.
SUPERPOWERS = """
words = "<EXTREMELY_IMPORTANT>\\nYou have superpowers.\\n\\n" + "Use a skill wherever one fits. " * 130 + "\\n</EXTREMELY_IMPORTANT>"
say(hookSpecificOutput={"hookEventName": "SessionStart", "additionalContext": words})
"""
#: Refuses a dangerous word in what is written, with exit 2 and the reason on stderr; once for each file and session.
SECURITY = """
known = os.path.expanduser("~/.claude/security_warnings_state_%s.json" % event["session_id"])
shown = json.load(open(known)) if os.path.exists(known) else []
key = event["tool_input"].get("file_path", "") + "-eval_injection"
if "eval(" in event["tool_input"].get("content", "") and key not in shown:
    with open(known, "w") as file:
        json.dump([*shown, key], file)
    note("warned")
    sys.stderr.write("Security Warning: eval() executes arbitrary code.")
    sys.exit(2)
"""
#: While its state lies in the project: claims it for the first session that comes to an end of a turn, and blocks that
#: end with the same prompt again; after the last round it takes the state away and prints words that are no JSON.
RALPH = """
path = os.path.join(os.environ.get("CLAUDE_PROJECT_DIR") or event["cwd"], ".claude", "ralph-loop.local.md")
if not os.path.exists(path):
    sys.exit(0)
head, prompt = open(path).read().split("---\\n")[1:]
state = dict(line.split(": ", 1) if ": " in line else (line.rstrip(":"), "") for line in head.splitlines())
state["session_id"] = state["session_id"] or event["session_id"]
if state["session_id"] != event["session_id"]:
    sys.exit(0)
if int(state["iteration"]) >= int(state["max_iterations"]):
    print("Ralph loop: Max iterations (%s) reached." % state["max_iterations"])
    os.remove(path)
    sys.exit(0)
state["iteration"] = int(state["iteration"]) + 1
note("rounds", str(state["iteration"]))
with open(path, "w") as file:
    file.write("---\\n" + "".join("%s: %s\\n" % each for each in state.items()) + "---\\n" + prompt)
words = "Ralph iteration %d | No completion promise set - loop runs infinitely" % state["iteration"]
say(decision="block", reason=prompt, systemMessage=words)
"""
LOOP = "---\nactive: true\niteration: 1\nsession_id:\nmax_iterations: 4\ncompletion_promise: null\n---\nRALPH: go on with the work.\n"


def others(folder: Path) -> list[Path]:
    every = ("PreToolUse", "PostToolUse", "Stop", "UserPromptSubmit")
    return [
        peer(folder, "hookify", dict.fromkeys(every, HOOKIFY), timeout=10),
        peer(folder, "superpowers", {"SessionStart": SUPERPOWERS}, {"SessionStart": "startup|resume|clear|compact"}),
        peer(folder, "security-guidance", {"PreToolUse": SECURITY}, {"PreToolUse": "Edit|Write|MultiEdit"}),
        peer(folder, "ralph-loop", {"Stop": RALPH}),
    ]


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_the_loop_stays_whole_beside_them(host: str, tmp_path: Path) -> None:
    """Asked, answered, resumed, reported; each reminder once, and the others do what they do."""
    plugins = others(tmp_path)
    writes = call("Write", file_path=str(tmp_path / "notes.md"), content="Never eval( what is typed")
    script = Script(
        (
            "agent",
            asked("AUDIT-TASK"),
            [
                later(block("CLARIFICATION_NEEDED")),
                writes,
                writes,
                later(block("COMPLETION_REPORT")),
                block("COMPLETION_REPORT"),
            ],
        ),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    assert host != CANNOT_RESUME
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT, *plugins])) as run:
        (home.project / ".claude").mkdir()
        (home.project / ".claude" / "ralph-loop.local.md").write_text(LOOP)
        run.send("/bg:bg Audit the authentication code")
        reminded(run, model, home, "needs answers", 1, host)
        run.send("/bg-answer bg-1 Q1: Both  Q2: no")
        reminded(run, model, home, "reports partial success", 2, host)
        run.finish()
        last = model.by("parent")[-1]
        for words in ("needs answers", "reports partial success"):
            assert len(reminders(last, words)) == 1, words
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
        assert rows(home, "SELECT * FROM errors") == []
        assert "RALPH: go on" in last.all_text()
        assert (plugins[3] / "hooks" / "rounds").read_text().splitlines() == ["2", "3", "4"]
        assert not (home.project / ".claude" / "ralph-loop.local.md").exists()
        assert (plugins[2] / "hooks" / "warned").read_text() == "\n"
        assert "You have superpowers." in last.all_text()
