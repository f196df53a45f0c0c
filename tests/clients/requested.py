"""What the tests of requests share: agents that ask and end, a parent that stops one, a session followed by its ledger."""

from __future__ import annotations

import time
from typing import Any, Callable

from loop import block, has_ledger, launch, news, reacting, rows, wake
from rig import clients
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent
from rig.session import Headless
from test_loop import UNWOKEN, later

PARALLEL, BLOCKING = "can_proceed_parallel", "blocks_current_work"
WORK = call("Bash", command="echo work", description="Work")


def done(summary: str) -> Any:
    return later(block("COMPLETION_REPORT", status="success", summary=summary), 0.2)


def asks(work: str) -> Any:
    return later(block("DELEGATE_WORK", independence=BLOCKING, new_task_description=work), 0.2)


def launched_and_woken(task: str) -> Callable[[Request], Reply]:
    """The parent launches what was approved and wakes the agent that asked, in one message."""
    return lambda request: launch(task, "the child")(request) + wake(request)


def halt(request: Request) -> Reply:
    """Stop the agent that was launched last; the tool may have to be loaded first."""
    if "TaskStop" not in request.tools():
        return call("ToolSearch", query="select:TaskStop")
    agents = [line.split("agentId: ")[1].split()[0] for line in request.all_text().splitlines() if "agentId: " in line]
    return call("TaskStop", task_id=agents[-1])


def halting(step: Any) -> Any:
    """The parent as before; a tool that was loaded for stopping is used for that."""

    def told_or_loaded(request: Request) -> Reply:
        if "TaskStop" in _searched(request):
            return halt(request)
        reply: Reply = step(request)
        return reply

    return told_or_loaded


def _searched(request: Request) -> str:
    """The tool that the parent's last call has loaded; what the host announces may stand behind its result."""
    contents = [message["content"] for message in request.messages if isinstance(message.get("content"), list)]
    calls = [part for content in contents for part in content if part.get("type") == "tool_use"]
    return str(calls[-1]["input"].get("query")) if calls and calls[-1]["name"] == "ToolSearch" else ""


def states(home: Home) -> dict[str, str]:
    return {row["label"]: row["state"] for row in rows(home, "SELECT label, state FROM tasks")}


def heard(home: Home, label: str, state: str) -> bool:
    """The task is in this state, and the parent has been told everything that is due of it."""
    due = "SELECT 1 FROM deliveries WHERE label = ? AND surfaced IS NULL AND seen IS NULL"
    return states(home).get(label) == state and not rows(home, due, label)


def told(model: Model, actor: str) -> str:
    """What an agent was told when it was woken."""
    return news(model.by(actor)[1])


def settle(run: Headless, home: Home, host: str, what: str, holds: Callable[[], bool]) -> None:
    """Wait for a state of the ledger; a host that does not wake its parent, or may not, is spoken to."""
    deadline, spoken = time.monotonic() + PATIENCE, time.monotonic()
    while not (has_ledger(home) and holds()):
        if time.monotonic() > deadline:
            raise AssertionError((what, states(home), rows(home, "SELECT text FROM errors")))
        if (host in UNWOKEN or host not in clients.VERSIONS) and time.monotonic() - spoken > 6:
            spoken = time.monotonic()
            run.send("Anything new?")
        time.sleep(0.1)


def leads(run: Headless, home: Home, host: str, words: str, label: str, state: str) -> None:
    """The user says this, which leads to that state of a task; the parent has been told what is due of it."""
    run.send(words)
    settle(run, home, host, f"{label} is {state}", lambda: heard(home, label, state))


def waited_for(*child: Any) -> Script:
    """An agent that waits for a child with these steps; their parent stops the child, and wakes who waits, when told."""
    rules = (
        (r"label: bg-1 for this task", launch("WAITS-TASK")),
        (r"label: bg-2 for the delegated task", launch("CHILD-TASK")),
        (r"HALT it", halt),
        (r"answers for bg-1 are recorded. Resume it now|wants bg-1 to go on. Resume it now", wake),
    )
    return Script(
        ("waits", asked("WAITS-TASK"), [asks("Profile the parser of the importer"), done("Went on without.")]),
        ("child", asked("CHILD-TASK"), list(child)),
        ("parent", parent, [halting(step) for step in reacting(*rules)]),
    )
