"""Four stories on any version, each in one process and cut by an update: asked, stopped, delegated, killed.

The parent does what the plugin tells it, with the tools that its client offers: what a client can do is seen here, not
looked up. `scripts/rig/held_out.py` plays them on the versions that it is given, and prints a table.
"""

from __future__ import annotations

import functools
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest
from directed import delivered, until
from generations import NEWEST
from loop import CLOSING, ROOT, block, has_ledger, launch, news, reacting, reminders, rows, spawn_tool
from requested import BLOCKING, settle, states
from rig import clients
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import Headless, allow_by_hook, arguments
from test_loop import later
from test_sessions import kill

TOOLS = "Agent Task SendMessage ToolSearch TaskOutput TaskStop Bash"
ENDS = "COMPLETION_REPORT"
SUMMARY = "It is all done."


def ends() -> Any:
    return later(block(ENDS, status="success", summary=SUMMARY), 0.3)


class Story(NamedTuple):
    """What its agent does, the state that waits for its user, what the user types, and what comes of it."""

    agent: Callable[[Home], list[Any]]
    waits: str
    typed: str
    arrives: str
    ends: dict[str, str]
    signals: list[str]


def _asks(_: Home) -> list[Any]:
    return [later(block("CLARIFICATION_NEEDED"), 0.3), ends()]


def _stops(_: Home) -> list[Any]:
    given = {"stop_reason": "blocker", "blocker_type": "external_dependency", "details": "libxml is missing"}
    return [later(block("STOP_WORK", **given), 0.3), ends()]


def _delegates(_: Home) -> list[Any]:
    return [later(block("DELEGATE_WORK", independence=BLOCKING, new_task_description="CHILD-TASK"), 0.3), ends()]


def _works(home: Home) -> list[Any]:
    work = f"echo begun > {home.project}/begun.txt; sleep 120"
    return [text("I count.") + call("Bash", command=work, description="Count"), ends()]


STORIES = {
    "loop": Story(
        _asks,
        "needs_answer",
        "/bg-answer Q1: Both of them.  Q2: no",
        "A1: Both of them.",
        {"bg-1": "done"},
        ["CLARIFICATION_NEEDED", ENDS],
    ),
    "stop": Story(
        _stops,
        "blocked",
        "/bg-answer bg-1 retry: libxml is installed now",
        "retry: libxml is installed now",
        {"bg-1": "done"},
        ["STOP_WORK", ENDS],
    ),
    "delegation": Story(
        _delegates,
        "blocked",
        "/bg-answer bg-1 D1: approve",
        "## DELEGATED WORK ENDED (D1)",
        {"bg-1": "done", "bg-2": "done"},
        ["DELEGATE_WORK", ENDS, ENDS],
    ),
    "kill": Story(_works, "working", "/bg-answer bg-1 go", "Your last run was cut (", {"bg-1": "done"}, [ENDS]),
}


def anew(request: Request) -> Reply:
    """A new agent under the label that the plugin named last."""
    label = re.findall(r"description that begins `(bg-\d+):`", request.all_text())[-1]
    given = {"description": f"{label}: go on", "prompt": "Go on.", "subagent_type": "general-purpose"}
    return call(spawn_tool(request), **given, run_in_background=True)


def as_told(request: Request) -> Reply:
    """The way that the plugin named last, as this client offers it; where it does not, the other that was named."""
    told = request.all_text()
    ways = list(re.finditer(r"call (\w+) with (to|resume): \"([^\"]+)\"", told))
    fresh = [way for way in ways if way[0] in news(request)]
    loaded = "tool_reference" in str(request.messages[-1]) or "Tool loaded" in news(request)
    if not (fresh or loaded):
        return anew(request)
    tool, key, agent = ways[-1].groups()
    if key == "to" and tool in request.tools():
        return call(tool, to=agent, message="Here is what I know.", summary="answers")
    if key == "to" and "ToolSearch" in request.tools() and not loaded:
        return call("ToolSearch", query=f"select:{tool}", max_results=3)
    if key == "resume" and key in request.tool(tool).get("input_schema", {}).get("properties", {}):
        given = {"description": "go on", "prompt": "Here is what I know.", "subagent_type": "general-purpose"}
        return call(tool, resume=agent, **given)
    return anew(request)


def told_to_go_on(step: Any) -> Any:
    """A search that has brought the tool, or has not, is followed by the call."""

    def found(request: Request) -> Reply:
        if re.search(r"No matching deferred tools", news(request)) or "tool_reference" in str(request.messages[-1]):
            return as_told(request)
        reply: Reply = step(request)
        return reply

    return found


def cast(story: Story, home: Home) -> Script:
    rules = (
        (r"label: bg-1 for this task", launch("FIRST-TASK")),
        (r"label: bg-2 for the delegated task", launch("CHILD-TASK", "the child")),
        (r"Resume it now|bg-1 has waited for this", as_told),
        (r"bg-1 was not woken", anew),
    )
    return Script(
        CLOSING,
        ("heir", asked("## CONTINUATION"), [ends()] * 3),
        ("child", asked("CHILD-TASK"), [ends()]),
        ("agent", asked("FIRST-TASK"), story.agent(home)),
        ("parent", parent, [told_to_go_on(step) for step in reacting(*rules)]),
    )


@functools.cache
def has_auto_mode(version: str) -> bool:
    with Home() as home:
        command = [*clients.entry(version), "--help"]
        shown = subprocess.run(command, env=home.env(), cwd=home.project, capture_output=True, text=True, timeout=60)
        return '"auto"' in shown.stdout.partition("--permission-mode")[2][:400]


def opened(home: Home, version: str, mode: str, resume: str = "") -> Headless:
    """In a mode that is named: some versions begin in auto mode by themselves."""
    mode = mode if has_auto_mode(version) else "default"
    options = ["--permission-mode", mode, "--settings", allow_by_hook("Agent|SendMessage|Bash")]
    return Headless(home, version, [*arguments([ROOT], TOOLS, resume), *options])


def older(version: str) -> str:
    """The nearest tested version before this one; empty where there is none."""
    return next((each for each in reversed(clients.VERSIONS) if clients.numbers(each) < clients.numbers(version)), "")


UPDATES = {"in one process": lambda host: (host, host), "from": lambda host: (older(host), host)}
UPDATES["to"] = lambda host: (host, NEWEST)


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("update", UPDATES)
@pytest.mark.parametrize("mode", ["default", "auto"])
@pytest.mark.parametrize("name", STORIES)
def test_a_story_comes_to_its_end_on_any_client(
    host: str, name: str, mode: str, update: str, record_property: Callable[[str, object], None]
) -> None:
    begun, resumed = UPDATES[update](host)
    if not begun or (update != "in one process" and begun == resumed):
        pytest.skip("there is no other version to update from, or to")
    if mode == "auto" and not has_auto_mode(host):
        pytest.skip("this client has no auto mode")
    story = STORIES[name]
    with Model(Script()) as model, Home(model.url) as home:
        model.script = cast(story, home)
        with opened(home, begun, mode) as run:
            session = begin(run, model, home, begun, story)
            if update == "in one process" and name != "kill":
                go_on(run, model, home, host, story)
        if update != "in one process" or name == "kill":
            with opened(home, resumed, mode, session) as run:
                if name == "kill":
                    run.send("Where were we?")
                    settle(run, home, resumed, "interrupted", lambda: states(home) == {"bg-1": "interrupted"})
                go_on(run, model, home, resumed, story)
        judge(model, home, story)
        record_property("how", "new agent" if model.by("heir") else "same agent")


def begin(run: Headless, model: Model, home: Home, host: str, story: Story) -> str:
    """Until the user is waited for; the session's id."""
    run.send("/bg:bg Do the first task")
    if story.waits == "working":
        until((home.project / "begun.txt").exists, "it works")
        until(lambda: has_ledger(home) and bool(rows(home, "SELECT 1 FROM launches WHERE agent <> ''")), "it is bound")
        before = run.session_id
        kill(run)
        return before
    settle(run, home, host, f"bg-1 is {story.waits}", lambda: states(home) == {"bg-1": story.waits})
    delivered(run, home, wakes=True)
    run.await_turn()
    return run.session_id


def go_on(run: Headless, model: Model, home: Home, host: str, story: Story) -> None:
    run.send(story.typed)
    settle(run, home, host, f"the end is {story.ends}", lambda: states(home) == story.ends)
    delivered(run, home, wakes=True)
    run.await_turn()
    assert run.finish() == 0, run.stderr


def judge(model: Model, home: Home, story: Story) -> None:
    """Each signal once, each told once, the user's words with the agent, no run that was none."""
    assert states(home) == story.ends
    assert rows(home, "SELECT text FROM errors") == []
    assert [row["marker"] for row in rows(home, "SELECT marker FROM signals ORDER BY id")] == story.signals
    cut = story is STORIES["kill"]
    assert len(rows(home, "SELECT 1 FROM runs")) == len(story.signals) + cut
    told = Counter(line for line in reminders(model.by("parent")[-1]) if "others took over from it" not in line)
    assert set(told.values()) == {1}, told
    working = model.by("heir") or model.by("agent")[1:]
    assert any(story.arrives in request.all_text() for request in working)
    assert not any(row["state"] in ("open", "told") for row in rows(home, "SELECT state FROM questions"))
