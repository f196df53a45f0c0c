"""What the host tests share: scripted agents that keep the protocol, and views on what was recorded."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path
from typing import Any, Optional

from bg.protocol import signals
from drive import PLAIN
from rig.home import Home
from rig.request import Request
from rig.script import Reply, call, text

NOTE = "Here is what I know."
ROOT = Path(__file__).resolve().parents[2]
REMINDER = re.compile(r"\[from the bg plugin, not from the user\] (?:bg-\d+ \(|The \d+ |Background )[^\n]*")
TOKEN = re.compile(r"You are (bg-\d+-[a-z2-7]{10})")


def token(request: Request) -> str:
    """The id that the identity statement gave to this agent."""
    found = TOKEN.search(request.first_user_text())
    assert found, f"no identity in the agent's first message: {request.first_user_text()[:300]}"
    return found[1]


def spawn_tool(request: Request) -> str:
    """What this host calls the tool that launches an agent."""
    return "Agent" if "Agent" in request.tools() else "Task"


def launch(prompt: str, description: str = "audit the auth code", **extra: Any) -> Any:
    """The parent's launch, with the label that the hook gave it."""

    def step(request: Request) -> Reply:
        labels = re.findall(r"not from the user\] label: (bg-\d+)", request.all_text())
        label = f"{labels[-1]}: " if labels else ""
        given = {"subagent_type": "general-purpose", "run_in_background": True, **extra}
        offered = request.tool(spawn_tool(request)).get("input_schema", {}).get("properties", {})
        given = {key: value for key, value in given.items() if key in offered}
        return call(spawn_tool(request), description=f"{label}{description}", prompt=prompt, **given)

    return step


def block(marker: str, **fields: Any) -> Any:
    """The agent ends its run with this block, signed with its own id."""
    example = {**signals.schema(marker)["examples"][0], **(PLAIN if marker == "COMPLETION_REPORT" else {})}

    def step(request: Request) -> Reply:
        given = {**example, **fields, "agent_id": token(request)}
        return report(request, f"Working notes in two words.\n\n{signals.render(marker, given)}")

    return step


def prose(words: str) -> Any:
    """The agent ends its run without a block."""
    return lambda request: report(request, words)


def report(request: Request, words: str) -> Reply:
    """A run's last message, by the tool where this host and mode want it so."""
    if "SubagentHandback" in request.tools():
        return text("I have what I need, and hand it over.") + call("SubagentHandback", message=words)
    return text(words)


def _is_handed_over(request: Request) -> bool:
    """An agent's report is delivered, and its client lets it go on: up to 2.1.284."""
    results = request.tool_results()
    fresh = news(request)
    handed = bool(results) and results[-1].tool == "SubagentHandback" and "Report delivered" in fresh
    return handed and "\n## " not in fresh  # else it is woken: the message brings a heading of ours


#: An agent that has handed over says a last word where it is let.
CLOSING = ("closing", _is_handed_over, [text("Done.")] * 20)


def wake(request: Request, note: str = NOTE) -> Reply:
    """The parent wakes the agent the way this host offers; a deferred tool is loaded first."""
    if "SendMessage" in request.tools():
        return call("SendMessage", to=told_agent(request), message=note, summary="answers")
    properties = request.tool("Task").get("input_schema", {}).get("properties", {})
    if "resume" in properties:
        return call(
            "Task", resume=told_agent(request), description="go on", prompt=note, subagent_type="general-purpose"
        )
    if "ToolSearch" in request.tools() and "cannot wake an ended agent" not in request.all_text():
        return call("ToolSearch", query="select:SendMessage", max_results=3)
    label = re.findall(r"begins `(bg-\d+):`", request.all_text())[-1]
    return call(
        spawn_tool(request),
        description=f"{label}: go on",
        prompt=note,
        subagent_type="general-purpose",
        run_in_background=True,
    )


def news(request: Request) -> str:
    """What the model is told since it last spoke."""
    fresh: list[Any] = []
    for message in request.messages:
        fresh = [] if message.get("role") == "assistant" else [*fresh, message]
    return Request({"messages": fresh}).all_text()


def reacting(*rules: tuple[str, Any], note: str = NOTE) -> list[Any]:
    """A parent that reacts to what it is told, as a model does; each rule once, in the order of the rules."""
    left = list(rules)

    def step(request: Request) -> Reply:
        told = news(request)
        if "tool_reference" in str(request.messages[-1]) or "Tool loaded" in told:
            return wake(request, note)
        for rule in left:
            if re.search(rule[0], told):
                left.remove(rule)
                reply = rule[1]
                return reply if isinstance(reply, Reply) else reply(request)
        return text("Noted.")

    return [step] * 60


def told_agent(request: Request) -> str:
    """The agent's id as the plugin's reminder names it."""
    found = re.findall(r'(?:to|resume): "([^"]+)"', request.all_text())
    assert found, "nobody told the parent whom to wake"
    return str(found[-1])


def _places(home: Home) -> list[Path]:
    return [*home.path.glob(".claude/plugins/data/bg-*/ledger.db"), *home.path.glob(".claude/bg/ledger.db")]


def has_ledger(home: Home) -> bool:
    """A hook of ours has written something."""
    try:
        return bool(_places(home)) and bool(rows(home, "SELECT 1 FROM meta"))
    except sqlite3.OperationalError:
        return False


def ledger(home: Home) -> sqlite3.Connection:
    """The ledger that the hooks of this home have written."""
    places = _places(home)
    assert len(places) == 1, places
    book = sqlite3.connect(f"file:{places[0]}?mode=ro", uri=True)
    book.row_factory = sqlite3.Row
    return book


def rows(home: Home, sql: str, *values: Any) -> list[dict[str, Any]]:
    """One look into the ledger."""
    book = ledger(home)
    try:
        return [dict(row) for row in book.execute(sql, values)]
    finally:
        book.close()


def one(home: Home, sql: str, *values: Any) -> Optional[dict[str, Any]]:
    found = rows(home, sql, *values)
    return found[0] if found else None


def reminders(request: Request, about: str = "") -> list[str]:
    """The plugin's reminders that stand in a request.

    2.1.7 may show the reason of one Stop block twice in one message, so what is the same there counts once.
    """
    found: list[str] = []
    for message in request.messages:
        found += dict.fromkeys(REMINDER.findall(Request({"messages": [message]}).all_text()))
    return [line for line in found if about in line]
