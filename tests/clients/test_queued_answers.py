"""An agent asks by a message and ends while its answer is being sent: the answer reaches it, once."""

from __future__ import annotations

import threading

import pytest
from bg.protocol import signals
from directed import delivered, until
from loop import ROOT, block, has_ledger, one, reacting, rows, token, wake
from loop import launch as launching
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent
from rig.session import Headless, arguments
from test_loop import ended

ANSWER = "A1: Both of them."
DROPS = ("2.1.197", "2.1.258")
OWED = "It ended before the user's answers to Q1, Q2 reached it. If they still matter, resume it"
COMES = "It ended before the user's answers to Q1, Q2 reached it. Claude Code wakes it with them by itself"


class Agent:
    """Asks `main`, and gives its next reply only when the answer is on its way."""

    def __init__(self, *, calls: bool) -> None:
        self.sent = threading.Event()
        self.asked = self.ended = False
        self.calls = calls

    def __call__(self, request: Request) -> Reply:
        if not self.asked:
            if "SendMessage" not in request.tools():
                return call("ToolSearch", query="select:SendMessage", max_results=3)
            self.asked = True
            given = {**signals.schema("CLARIFICATION_NEEDED")["examples"][0], "agent_id": token(request)}
            words = f"I have to know.\n\n{signals.render('CLARIFICATION_NEEDED', given)}"
            return call("SendMessage", to="main", message=words, summary="a question")
        if self.calls:
            self.calls = False
            return call("Bash", command="true", description="a look").after(self.sent)
        reply: Reply = block("COMPLETION_REPORT", status="success" if self.ended else "partial_success")(request)
        self.ended = True
        return reply.after(self.sent)


@pytest.mark.parametrize("calls", [False, True], ids=["ends", "calls"])
@pytest.mark.versions("2.1.197", "2.1.258", "2.1.327")
def test_an_answer_that_meets_an_ending_agent_reaches_it_once(host: str, *, calls: bool) -> None:
    """2.1.197 and 2.1.258 drop it where the agent makes no further call; 2.1.327 wakes the agent with it."""
    agent = Agent(calls=calls)
    now = r"not from the user\][^\n]*Pass it on now"
    parents = reacting(
        (r"not from the user\] label", launching("AUDIT-TASK: look.")),
        (now, wake),
        ("If they still matter, resume it", wake),
    )
    script = Script(("agent", asked("AUDIT-TASK"), [agent] * 9), ("parent", parent, parents))
    with Model(script) as model, Home(model.url) as home:
        options = arguments([ROOT], tools="Agent Task SendMessage ToolSearch Bash")
        with Headless(home, host, options) as run:
            run.send("/bg:bg Audit the authentication code")
            until(lambda: has_ledger(home) and bool(rows(home, "SELECT 1 FROM questions")), "the agent asks")
            model.wait_for(lambda request: request.actor == "parent" and "Q1" in request.all_text())
            run.send("/bg-answer bg-1 Q1: Both of them. Q2: no")
            model.wait_for(lambda request: request.actor == "parent" and "queued for delivery" in request.all_text())
            assert {"sent"} == {row["state"] for row in rows(home, "SELECT state FROM questions")}
            assert one(home, "SELECT proven FROM resumes") == {"proven": None}
            agent.sent.set()
            ended(home, 1 if calls else 2)
            delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        heard = [request.all_text().count(ANSWER) for request in model.by("agent")]
        told = model.by("parent")[-1].all_text()
        assert heard[-1] == 1, heard
        assert told.count(OWED) == int(not calls and host in DROPS)
        # Where the agent's last words are not written down yet when its end is told, nothing is said of it.
        assert told.count(COMES) <= int(not calls and host not in DROPS)
        assert ["sent", "sent"] == [row["state"] for row in rows(home, "SELECT state FROM questions")]
        assert rows(home, "SELECT 1 FROM answers WHERE sent IS NULL") == []
        assert one(home, "SELECT state FROM tasks") == {"state": "partial" if calls else "done"}
        failed = [row["failed"] for row in rows(home, "SELECT failed FROM resumes WHERE proven IS NULL")]
        assert failed == (["the agent ended before it arrived"] if not calls and host in DROPS else [])
        assert rows(home, "SELECT * FROM errors") == []
