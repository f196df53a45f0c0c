"""What an agent writes into its text, on real clients: heard wherever it is seen first, and counted once."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from bg.protocol import signals
from directed import until
from generations import NEWEST
from loop import ROOT, block, has_ledger, launch, news, reacting, rows, token, wake
from requested import PARALLEL, WORK, done, heard, leads, settle, states
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import Headless, arguments
from test_loop import later

QIDS = "SELECT qid, state FROM questions ORDER BY id"
REQUESTS = "SELECT qid, run FROM questions WHERE qid LIKE 'D%' ORDER BY id"
ASKED = re.compile(r"bg-1 \([^\n]*asks to hand work to another agent \((D\d)\)")
OPTIONS = arguments([ROOT], tools="Agent Task SendMessage ToolSearch TaskOutput Bash")
AGENT = re.compile(r"agentId: (\w+)")


def on_its_way(request: Request) -> Reply:
    """A request that need not stop its agent, as its instructions have it: in the text, with a call behind it."""
    given = {**signals.schema("DELEGATE_WORK")["examples"][0], "independence": PARALLEL, "agent_id": token(request)}
    return text(f"One thing aside.\n\n{signals.render('DELEGATE_WORK', given)}") + WORK


def requests(home: Home) -> list[tuple[str, int]]:
    return [(row["qid"], row["run"]) for row in rows(home, REQUESTS)]


def is_written(home: Home, words: str) -> bool:
    """An agent's transcript has these words; under load, the host writes them down behind the agent's next step."""
    return any(words in path.read_text() for path in home.transcripts() if path.name.startswith("agent-"))


def told(model: Model) -> list[str]:
    """The requests that the parent was told of, each as often as that stands in its longest conversation."""
    return ASKED.findall(model.by("parent")[-1].all_text())


def poll(gate: threading.Event) -> Any:
    """The parent looks at the agent that it has launched, once the gate is open."""

    def step(request: Request) -> Reply:
        return call("TaskOutput", task_id=AGENT.findall(request.all_text())[-1], block=False, timeout=1000).after(gate)

    return step


def reaches(gate: threading.Event, reply: Any, go: threading.Event) -> Any:
    """The agent has come this far, and waits for leave to go on."""

    def step(request: Request) -> Reply:
        gate.set()
        return (reply(request) if callable(reply) else reply).after(go)

    return step


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_request_that_was_decided_is_not_asked_again(host: str) -> None:
    """The agent is woken with a denial; the parent's turns end while it works."""
    here, go = threading.Event(), threading.Event()
    script = Script(
        (
            "agent",
            asked("ASKS-TASK"),
            [later(block("DELEGATE_WORK", independence=PARALLEL), 0.2), WORK, reaches(here, done("Done alone."), go)],
        ),
        (
            "parent",
            parent,
            reacting((r"label: bg-1 for this task", launch("ASKS-TASK")), (r"Resume it now", wake)),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, OPTIONS) as run:
        leads(run, home, host, "/bg:bg Audit the code", "bg-1", "delegating")
        run.send("/bg-answer bg-1 D1: deny")
        until(here.is_set, "the agent works again")
        run.send("How is it going?")
        run.await_turn()
        assert requests(home) == [("D1", 1)]
        go.set()
        settle(run, home, host, "it is done", lambda: heard(home, "bg-1", "done"))
        run.finish()
        assert requests(home) == [("D1", 1)]
        assert rows(home, "SELECT marker, run FROM signals ORDER BY id") == [
            {"marker": "DELEGATE_WORK", "run": 1},
            {"marker": "COMPLETION_REPORT", "run": 2},
        ]
        assert set(told(model)) == {"D1"}
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.100", "2.1.197", NEWEST)
def test_a_request_on_its_way_is_heard_at_the_next_prompt(host: str) -> None:
    here, go = threading.Event(), threading.Event()
    script = Script(
        ("agent", asked("ASKS-TASK"), [on_its_way, reaches(here, done("Done alone."), go)]),
        ("parent", parent, reacting((r"label: bg-1 for this task", launch("ASKS-TASK")))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, OPTIONS) as run:
        run.send("/bg:bg Audit the code")
        until(here.is_set, "the agent has gone on")
        run.send("How is it going?")
        settle(run, home, host, "the parent is told", lambda: heard(home, "bg-1", "working") and bool(requests(home)))
        go.set()
        settle(run, home, host, "it is done", lambda: heard(home, "bg-1", "done"))
        run.finish()
        assert requests(home) == [("D1", 1)]
        assert set(told(model)) == {"D1"}
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.100", "2.1.197", NEWEST)
def test_a_request_on_its_way_is_heard_at_the_run_s_end(host: str) -> None:
    """No event of the parent comes between the request and the report, and both are told."""
    go = threading.Event()
    script = Script(
        ("agent", asked("ASKS-TASK"), [reaches(threading.Event(), on_its_way, go), done("Done alone.")]),
        ("parent", parent, reacting((r"label: bg-1 for this task", launch("ASKS-TASK")))),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, OPTIONS) as run:
        run.send("/bg:bg Audit the code")
        if host != "2.1.100":  # which ends its turn with its agents only
            run.wait_results(1)
        go.set()
        until(lambda: has_ledger(home) and states(home) == {"bg-1": "done"}, "it is done")
        settle(run, home, host, "all is told", lambda: heard(home, "bg-1", "done") and bool(requests(home)))
        run.finish()
        assert requests(home) == [("D1", 1)]
        assert set(told(model)) == {"D1"}
        assert "reports success" in model.by("parent")[-1].all_text()
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.197")
def test_a_request_on_its_way_is_heard_where_the_parent_polls(host: str) -> None:
    """The answer to TaskOutput brings the reminder, while the agent works and the parent's turn goes on."""
    here, written, go = threading.Event(), threading.Event(), threading.Event()
    script = Script(
        ("agent", asked("ASKS-TASK"), [on_its_way, reaches(here, done("Done alone."), go)]),
        (
            "parent",
            parent,
            reacting((r"label: bg-1 for this task", launch("ASKS-TASK")), (r"agentId: ", poll(written))),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, OPTIONS) as run:
        run.send("/bg:bg Audit the code")
        until(lambda: here.is_set() and is_written(home, "One thing aside."), "the host has written it down")
        written.set()
        request = model.wait_for(lambda one: one.actor == "parent" and bool(ASKED.search(one.all_text())))
        assert "<retrieval_status>" in news(request), "told with the answer to the poll"
        go.set()
        settle(run, home, host, "it is done", lambda: heard(home, "bg-1", "done"))
        run.finish()
        assert requests(home) == [("D1", 1)]
        assert rows(home, "SELECT text FROM errors") == []


def assumes(request: Request) -> Reply:
    """A question under an assumption, and how far it is: in the text, with a call behind it."""
    question = [{"question_id": "Q1", "text": "ISO dates, or dates as in the invoices?", "context": "Both are read"}]
    example = signals.schema("CLARIFICATION_NEEDED")["examples"][0]
    given = {**example, "questions": question, "continue_with": "ISO dates", "agent_id": token(request)}
    return text(f"Progress: 40% - two of five\n\n{signals.render('CLARIFICATION_NEEDED', given)}") + WORK


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_an_answer_that_differs_from_an_assumption_reaches_the_agent(host: str) -> None:
    """By message where it can be reached, else when its run has ended; until then it works on."""
    here, go = threading.Event(), threading.Event()
    ends = done("Done under the assumption." if host == "2.1.7" else "Done with the answer.")
    script = Script(
        ("agent", asked("ASKS-TASK"), [assumes, reaches(here, WORK, go), ends, done("Done with the answer.")]),
        (
            "parent",
            parent,
            reacting(
                (r"label: bg-1 for this task", launch("ASKS-TASK")),
                (r"works on meanwhile", text("It asks: bg-1 Q1, ISO dates or as in the invoices? It works on.")),
                (r"Pass it on now|If they still matter, resume it", wake),
            ),
        ),
    )
    with Model(script) as model, Home(model.url) as home, Headless(home, host, OPTIONS) as run:

        def having(words: str) -> list[str]:
            return [news(one) for one in model.by("agent") if words in news(one)]

        run.send("/bg:bg Audit the code")
        until(lambda: here.is_set() and is_written(home, "Progress: 40%"), "the agent has gone on")
        run.send("How is it going?")
        settle(run, home, host, "the parent is told", lambda: heard(home, "bg-1", "working") and bool(rows(home, QIDS)))
        assert rows(home, "SELECT value FROM meta WHERE key = 'percent:bg-1'") == [{"value": "40"}]
        run.send("/bg-answer bg-1 Q1: As in the invoices")
        run.await_turn()
        assert states(home) == {"bg-1": "working"}
        go.set()
        settle(run, home, host, "it has the answer", lambda: bool(having("A1: As in the invoices")))
        assert "You went on under “ISO dates”." in having("A1: As in the invoices")[0]
        settle(run, home, host, "it is done", lambda: heard(home, "bg-1", "done"))
        run.finish()
        assert rows(home, QIDS) == [{"qid": "Q1", "state": "sent"}]
        assert rows(home, "SELECT text FROM errors") == []
