"""What the parent's session pays: its requests in the life of a task with a question, and where twelve end together."""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from directed import both, directed, said, spawn, until
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, launch, news, rows
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import TOOLS, Headless, arguments
from rig.terminal import Interactive
from test_interactive import OPTIONS, options, pick
from test_loop import ended, later

QUESTION = {"question_id": "Q1", "question": "Should the export be CSV?", "why_needed": "The column order differs"}
DIALOG = {
    "header": "Export",
    "multiSelect": False,
    "options": OPTIONS,
    "question": "bg-1 Q1: Should the export be CSV?",
}
ALONG = re.compile(r'right behind that call, call SendMessage with to: "([^"]+)"')


def asking(request: Request) -> Reply:
    """The parent does what it is told: it asks, and sends in the same message, if it has the tool."""
    found = ALONG.search(news(request))
    dialog = call("AskUserQuestion", questions=[DIALOG])
    loaded = "SendMessage" in request.tools() or "tool_reference" in str(request.messages)
    return (
        dialog + call("SendMessage", to=found[1], message="Go on.", summary="answers") if found and loaded else dialog
    )


def step(request: Request) -> Reply:
    told = news(request)
    if "label: bg-1 for this task" in told:
        wanted = "Load SendMessage in the same message" in told and "SendMessage" not in request.tools()
        load = call("ToolSearch", query="select:SendMessage", max_results=3)
        return launch("AUDIT-TASK: audit")(request) + load if wanted else launch("AUDIT-TASK: audit")(request)
    if "needs answers before" in told:
        return asking(request)
    agent = re.search(r'Resume it now: call SendMessage with to: "([^"]+)"', told)
    return call("SendMessage", to=agent[1], message="Go on.", summary="answers") if agent else text("Noted.")


def script() -> Script:
    agent = [later(block("CLARIFICATION_NEEDED", questions=[QUESTION])), later(block("COMPLETION_REPORT"))]
    return Script(("agent", asked("AUDIT-TASK"), agent), ("parent", parent, [step] * 60))


def modes(host: str) -> list[tuple[str, list[str]]]:
    """In a terminal the newest clients begin in auto mode, where reports come another way."""
    plain = ["--permission-mode", "default", "--allowedTools", TOOLS]
    return [("text", plain), *([("handback", options(host))] if host in HAND_BACK else [])]


def shown(model: Model) -> list[Any]:
    return [
        [part.get("name") or part.get("text") for part in each.reply.blocks]
        for each in model.by("parent")
        if each.reply
    ]


@pytest.mark.parametrize("shape", ["text", "handback"])
@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327", NEWEST)
def test_a_task_with_a_question_costs_five_requests(host: str, shape: str) -> None:
    """Launch, word of it, the dialog with the answers behind it, word of that, the report."""
    args = dict(modes(host)).get(shape)
    if args is None:
        pytest.skip(f"{host} has no handback")
    with Model(script()) as model, Home(model.url) as home, Interactive(home, host, [ROOT], args) as term:
        term.say("/bg:bg Audit the authentication code")
        pick(term, r"bg-1 \(audit the auth code\) Q1: Should the export be CSV\?", 0)
        time.sleep(0.7)
        term.keys("Enter")
        model.wait_for(lambda r: r.actor == "parent" and "reports partial success" in r.all_text())
        term.wait_for("bg-1 done in part")
        term.settle(2)
        assert len(model.by("parent")) == 5, shown(model)
        assert "Your questions have been answered by the user" in model.by("agent")[-1].all_text()
        assert rows(home, "SELECT source FROM answers") == [{"source": "dialog"}]
        proofs = rows(home, "SELECT DISTINCT p.proof FROM answers a JOIN proofs p ON p.id = a.proof")
        assert proofs == [{"proof": "dialog"}]
        assert len(rows(home, "SELECT 1 FROM resumes")) == 1
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.197", NEWEST)
def test_a_dialog_that_the_user_leaves_for_a_word_in_chat_wakes_nobody(host: str) -> None:
    """What is to be sent behind the dialog is not: the question is open, and the agent has not been told."""
    plain = dict(modes(host))["text"]
    with Model(script()) as model, Home(model.url) as home, Interactive(home, host, [ROOT], plain) as term:
        term.say("/bg:bg Audit the authentication code")
        screen = term.wait_for(r"\d\. Chat about this")
        term.settle()
        row = re.search(r"(\d)\. Chat about this", screen)
        assert row
        term.write(row[1])
        refused = "The user has not answered Q1 of bg-1, so nothing was sent"
        model.wait_for(lambda r: r.actor == "parent" and refused in news(r))
        assert rows(home, "SELECT state FROM tasks") == [{"state": "needs_answer"}]
        assert rows(home, "SELECT 1 FROM resumes") == []
        assert rows(home, "SELECT text FROM errors") == []


NAMES = [f"OURS-{letter}" for letter in "ABCDEFGHIJKL"]


def after_the_tool(host: str, plugins: list[Path]) -> tuple[int, Model]:
    """The parent's requests after a call in which twelve agents have ended."""
    go = threading.Event()

    def report(request: Request) -> Reply:
        whole = block("COMPLETION_REPORT", summary="word " * 120)(request) if plugins else text("word " * 300)
        return whole.after(go)

    waiting = call("Bash", command="while [ ! -e done ]; do sleep 0.1; done", description="wait", timeout=120000)
    plan = [both(*[spawn(f"{name}: look.") for name in NAMES]), waiting]
    script = Script(
        *[(name, asked(f"{name}:"), [report]) for name in NAMES], ("parent", parent, directed({"LAUNCH": plan}))
    )
    with Model(script) as model, Home(model.url) as home:
        options = arguments(plugins, tools="Agent SendMessage ToolSearch Bash")
        with Headless(home, host, options) as run:
            run.send("/bg:bg LAUNCH all" if plugins else "LAUNCH all")
            until(lambda: all(model.by(name) for name in NAMES), "the agents work")
            before = len(model.wait_said("parent", 2))
            go.set()
            if plugins:
                ended(home, len(NAMES))
            until(lambda: are_announced(home), "the host has announced them")
            (home.project / "done").touch()
            model.wait_for(lambda request: request.actor == "parent" and said(request, "END-LAUNCH"))
            run.await_turn()
            if plugins:
                until(lambda: rows(home, "SELECT 1 FROM deliveries WHERE said IS NULL") == [], "all is said")
                run.await_turn()
            count = len(model.by("parent")) - before
            run.turn("What is the time?")
            run.finish()
        if plugins:
            assert rows(home, "SELECT text FROM errors") == []
    return count, model


def are_announced(home: Home) -> bool:
    """The session's transcript has the host's announcement of each, in its queue."""
    sessions = [path for path in home.transcripts() if path.parent.name != "subagents"]
    return sum(path.read_text().count("<task-notification>") for path in sessions) >= len(NAMES)


@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
def test_twelve_that_end_together_cost_at_most_one_request_more_than_the_hosts_own(host: str) -> None:
    """#68582: several that finish together fill the parent's context. Here the host alone is beside the plugin too."""
    own, _ = after_the_tool(host, [])
    ours, model = after_the_tool(host, [ROOT])
    assert ours <= own + 1  # 2.1.327 and newer: none more
    told = model.by("parent")[-1].all_text()
    found = [told.count(f"bg-{number} done in part") for number in range(1, 13)]
    whole = [told.count(f"bg-{number} (“do it”) reports partial success") for number in range(1, 13)]
    assert [line + report for line, report in zip(found, whole)] == [1] * 12
    assert told.count("The 12 tasks launched together have all ended") == 1
