"""What a client can do is seen on it and held against the table, on any version: `--client VERSION` with this file."""

from __future__ import annotations

import json
from typing import Any

from bg.host import arrivals, versions
from directed import directed, until
from loop import spawn_tool
from rig import clients
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import Headless, arguments, auto_mode
from stage import AGENT_ID, Stage
from test_held_out import TOOLS, has_auto_mode

SAID_AT_STOP = "Said at the end of the turn."
SHOWN = "Shown in place of an answer."
BEGIN = "Begin the work"
GO_ON = "Go on with it."
#: The agent has ended, and the host has had a second to say so.
WAIT = "for each in $(seq 600); do grep -qs SubagentStop {out}/events.jsonl && break; sleep 0.1; done; sleep 1"


def _launch(request: Request) -> Reply:
    given = {"description": "look", "prompt": "SUBTASK", "subagent_type": "general-purpose", "run_in_background": True}
    offered = request.tool(spawn_tool(request)).get("input_schema", {}).get("properties", {})
    return call(spawn_tool(request), **{key: value for key, value in given.items() if key in offered})


def seen(version: str) -> dict[str, bool]:
    """What a headless client shows of itself: an agent ends while its parent works, then a prompt is blocked."""
    script = Script(
        ("agent", asked("SUBTASK"), [text("The report.")]),
        (
            "parent",
            parent,
            [
                _launch,
                lambda _: call("Bash", command=WAIT.format(out=stage.out), description="Wait"),
                call("Bash", command="echo again", description="Once more"),
                *[text("Noted.")] * 9,
            ],
        ),
    )
    said = {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": SAID_AT_STOP}}
    added = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "Added."}}
    with Stage(version, script) as stage:
        stage.rules(
            {"event": "Stop", "times": 1, "answer": said},
            {"event": "UserPromptSubmit", "contains": BEGIN, "answer": added},
            {"event": "UserPromptSubmit", "contains": "Block me", "answer": {"decision": "block", "reason": SHOWN}},
        )
        stage.print(BEGIN, ["--permission-mode", "default"], timeout=PATIENCE)
        requests = stage.model.requests
        blocked = stage.print("Block me", timeout=PATIENCE)
        prompts = [note["event"].get("prompt", "") for note in stage.notes("UserPromptSubmit")]
        stops = [note["event"] for note in stage.notes("Stop")]
        records = [
            json.loads(line)
            for path in stage.home.transcripts()
            for line in path.read_text(encoding="utf-8").splitlines()
        ]
        env = stage.notes("UserPromptSubmit")[0]["env"]
    mine = next(request for request in requests if request.actor == "parent")
    agent = next(request for request in requests if request.actor == "agent")
    deferred = [name for each in _attachments(records, "deferred_tools_delta") for name in each.get("addedNames", [])]
    return {
        "resumes_by_launch": "resume" in str(mine.tool(spawn_tool(mine)).get("input_schema")),
        "resumes_by_message": "SendMessage" in [*mine.tools(), *deferred],
        "lists_agents": all("background_tasks" in stop for stop in stops),
        "takes_context_at_stop": any(SAID_AT_STOP in request.all_text() for request in requests),
        "passes_messages_up": "SendMessage" in agent.tools() or ("ToolSearch" in agent.tools() and bool(deferred)),
        "announces_every_end": any("<task-notification>" in prompt for prompt in prompts),
        "writes_added_context": bool(_attachments(records, "hook_additional_context")),
        "names_starters": any("entrypoint" in record for record in records),
        "prints_blocked_prompts": SHOWN in blocked.text,
        "deletes_data": "CLAUDE_PLUGIN_DATA" in env,
        "has_handback": has_auto_mode(version) and _hands_back(version),
        "tells_its_version": "AI_AGENT" in env,
    }


def _attachments(records: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    found = [record["attachment"] for record in records if isinstance(record.get("attachment"), dict)]
    return [each for each in found if each.get("type") == kind]


def _hands_back(version: str) -> bool:
    """Its agents are offered the tool in auto mode."""
    script = Script(
        ("agent", asked("SUBTASK"), [text("The report.")] * 9), ("parent", parent, [_launch, *[text("Noted.")] * 9])
    )
    with Stage(version, script) as stage:
        stage.print(BEGIN, auto_mode(), timeout=PATIENCE)
        return any("SubagentHandback" in request.tools() for request in stage.model.by("agent"))


def _wakes_parked(version: str) -> bool:
    """An agent has ended its turn while its own command runs: it is asked once more when that ends."""
    with Model(Script()) as model, Home(model.url) as home:
        wait = f"while [ ! -e {home.project}/go ]; do sleep 0.1; done; echo built"
        steps = [call("Bash", command=wait, description="Build", run_in_background=True), *[text("It runs.")] * 9]
        model.script = Script(("agent", asked("SUBTASK"), steps), ("parent", parent, [_launch, *[text("Noted.")] * 9]))
        options = ["--permission-mode", "default", *arguments([], TOOLS)]
        with Headless(home, version, options) as run:
            run.send(BEGIN)
            model.wait_for(lambda request: request.actor == "agent" and len(model.by("agent")) == 2)
            run.await_turn()
            (home.project / "go").touch()
            until(lambda: len(model.by("agent")) > 2 or _is_written(home, run.session_id), "the command has ended")
            run.turn("And now?")
            return len(model.by("agent")) > 2


def _forgets_long(version: str) -> bool:
    """An agent whose transcript is one byte longer than is known to be read whole is woken without its task."""
    steps = [text("The report.")] * 9
    with Model(Script()) as model, Home(model.url) as home:
        plan = directed({BEGIN: [_launch], "Wake it": [_wake, _wake]})
        model.script = Script(("agent", asked("SUBTASK"), steps), ("parent", parent, plan))
        with Headless(home, version, ["--permission-mode", "default", *arguments([], TOOLS)]) as run:
            run.turn(BEGIN)
            model.wait_said("agent", 1)
            run.turn("And now?")
            until(lambda: any(path.stem.startswith("agent-") for path in home.transcripts()), "its transcript is there")
            path = next(path for path in home.transcripts() if path.stem.startswith("agent-"))
            with path.open("a", encoding="utf-8") as file:
                file.write(" " * (versions.RESUME_LIMIT - path.stat().st_size) + "\n")
            run.turn("Wake it")
            until(lambda: any(GO_ON in each.all_text() and each.actor != "parent" for each in model.requests), "asked")
            return not any(GO_ON in each.all_text() for each in model.by("agent"))


def _wake(request: Request) -> Reply:
    agent = AGENT_ID.search(request.all_text())
    assert agent
    if "resume" in str(request.tool(spawn_tool(request)).get("input_schema")):
        given = {"description": "look", "subagent_type": "general-purpose", "run_in_background": True}
        return call(spawn_tool(request), resume=agent[1], prompt=GO_ON, **given)
    if "SendMessage" in request.tools():
        return call("SendMessage", to=agent[1], message=GO_ON, summary="go on")
    return call("ToolSearch", query="select:SendMessage", max_results=3)


def _is_written(home: Home, session: str) -> bool:
    """A host that does not wake the agent only writes down that its command has ended."""
    [own] = [path for path in home.transcripts() if path.stem == session]
    return "completed (exit code 0)" in own.read_text(encoding="utf-8")


def test_the_table_says_what_this_client_can(host: str) -> None:
    found = seen(host)
    table = versions.host_of(clients.numbers(host))
    known = {**table._asdict(), "tells_its_version": clients.numbers(host) >= versions.TELLS_ITS_VERSION}
    known["writes_added_context"] = arrivals.keeps_words(clients.numbers(host))
    if clients.numbers(host) < (2, 1, 63):
        found["announces_every_end"] = False  # 2.1.50 shows it, and some behind it do not
    if table.resumes_by_message:
        found["wakes_parked"] = _wakes_parked(host)
    if table.resume_way != versions.NO_WAY:
        found["forgets_long"] = _forgets_long(host)
    assert {name: known[name] for name in found} == found
