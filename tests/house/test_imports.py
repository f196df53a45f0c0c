"""What each hook loads: typing, pathlib, dataclasses and their like cost half a bare start each, so no route has them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bg.protocol import marks
from drive import block
from rig import conversation

HOOK = Path(__file__).resolve().parents[2] / "hooks" / "hook.py"
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
COSTLY = {
    "argparse",
    "dataclasses",
    "difflib",
    "hashlib",
    "html",
    "inspect",
    "pathlib",
    "secrets",
    "subprocess",
    "tempfile",
    "typing",
    "urllib.parse",
}
LISTING = """
import os, sys
sys.argv = sys.argv[1:]
end = os._exit
os._exit = lambda status: (open(sys.argv[1], "w").write("\\n".join(sys.modules)), end(status))
exec(compile(open(sys.argv[0]).read(), sys.argv[0], "exec"), {"__name__": "__main__", "__file__": sys.argv[0]})
"""


class Session:
    """Events through the hook's own process, which leaves a list of what it has loaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.transcript = folder / ".claude" / "projects" / "p" / "s1.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.transcript.write_text(json.dumps({"type": "user", "version": "2.1.327", "cwd": str(folder)}) + "\n")
        self.loaded: set[str] = set()

    def send(self, name: str, **event) -> dict:
        listed = self.folder / "modules"
        whole = {"session_id": "s1", "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        done = subprocess.run(
            [PYTHON, "-I", "-S", "-X", "utf8", "-c", LISTING, str(HOOK), str(listed)],
            input=json.dumps({**whole, "hook_event_name": name, **event}).encode(),
            capture_output=True,
            env={"HOME": str(self.folder), "BG_PLACE": str(self.folder / "data"), "BG_DATA": str(self.folder / "data")},
        )
        assert (0, b"") == (done.returncode, done.stderr)
        self.loaded = set(listed.read_text().split())
        said = json.loads(done.stdout) if done.stdout else {}
        conversation.write(self.transcript, "2.1.327", {"hook_event_name": name, **event}, said)
        return said


@pytest.fixture(scope="module")
def routes(tmp_path_factory) -> dict[str, set[str]]:
    """What each event of an agent's life has loaded."""
    session = Session(tmp_path_factory.mktemp("imports"))
    found: dict[str, set[str]] = {}

    def play(route: str, name: str, **event) -> dict:
        said = session.send(name, **event)
        found[route] = session.loaded
        return said

    given = {"description": "look", "prompt": "Look."}
    call = {"tool_name": "Agent", "tool_use_id": "toolu_1"}
    play("the session's start", "SessionStart", source="startup")
    play("/bg", "UserPromptSubmit", prompt="/bg Look")
    said = play("before the launch", "PreToolUse", **call, tool_input=given)
    taken = said["hookSpecificOutput"]["updatedInput"]
    token = taken["prompt"].split("You are ")[1].split(",")[0]
    response = {"status": "async_launched", "agentId": "a1"}
    play("after the launch", "PostToolUse", **call, tool_input=taken, tool_response=response)
    play("a prompt", "UserPromptSubmit", prompt="hello")
    play("another agent's end", "SubagentStop", agent_id="x", last_assistant_message="All fine.")
    play("a question", "SubagentStop", agent_id="a1", last_assistant_message=block("CLARIFICATION_NEEDED", token))
    words = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>x</result>"
    play("the notification", "UserPromptSubmit", prompt=f"{words}\n</task-notification>")
    play("the turn's end", "Stop", background_tasks=[])
    play("an answer", "UserPromptSubmit", prompt="/bg-answer bg-1 Q1: one")
    message = {"tool_name": "SendMessage", "tool_use_id": "toolu_2", "tool_input": {"to": "a1", "message": "Go on."}}
    play("the answer on its way", "PreToolUse", **message)
    play("the answer sent", "PostToolUse", **message, tool_response={"success": True, "resumedAgentId": "a1"})
    play("/bg-status", "UserPromptSubmit", prompt="/bg-status")
    play("the session's end", "SessionEnd", reason="exit")
    assert "bg.loop.turns" in found["a prompt"]
    return found


ROUTES = [
    "the session's start",
    "/bg",
    "before the launch",
    "after the launch",
    "a prompt",
    "another agent's end",
    "a question",
    "the notification",
    "the turn's end",
    "an answer",
    "the answer on its way",
    "the answer sent",
    "/bg-status",
    "the session's end",
]
# A launch asks git for the commit that it starts from; an answer without an id is compared with the questions.
ALLOWED = {"an answer": {"difflib"}}


@pytest.mark.parametrize("route", ROUTES)
def test_no_route_loads_what_costs_more_than_it_does(route, routes):
    bare = subprocess.run(
        [PYTHON, "-I", "-S", "-X", "utf8", "-c", "import sys; print('\\n'.join(sys.modules))"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert (routes[route] & COSTLY) - set(bare) - ALLOWED.get(route, set()) == set()


@pytest.mark.parametrize("route", ["/bg", "after the launch", "a prompt", "the notification", "the turn's end"])
def test_what_brings_no_report_does_not_load_the_reader_of_reports(route, routes):
    assert "bg.protocol.fields" in routes["a question"]
    assert "bg.protocol.fields" not in routes[route]


SIGNALS = {f"bg.signals.{marker.lower()}" for marker in marks.MARKERS}
# The question is worded when it has come and when it is announced, and its answer when that is sent; the table says how
# to answer it.
ASKED = {
    route: {"bg.signals.clarification_needed"}
    for route in ("a question", "the notification", "the answer on its way", "/bg-status")
}


@pytest.mark.parametrize("route", ROUTES)
def test_a_route_loads_the_signals_that_it_is_about(route, routes):
    assert ASKED.get(route, set()) == routes[route] & SIGNALS


def test_only_what_shows_the_desk_reads_it(routes):
    """The loop is handed its views, which are read when one is asked for."""
    assert [route for route in ROUTES if "bg.desk.table" in routes[route]] == ["/bg-status"]


def test_every_route_is_listed(routes):
    assert set(ROUTES) == set(routes)
