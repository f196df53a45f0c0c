"""A cleared, a forked and a second session on the real clients: nothing is lost, and no session takes what another has."""

from __future__ import annotations

import re
import threading
from typing import Any

import pytest
from directed import brought, delivered, until
from generations import NEWEST
from loop import ROOT, block, news, one, reminders, rows, wake
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply
from rig.terminal import Interactive
from sessions import ANSWERS, PROMPT, anew, answered, cast, close_up, left_asking, session, taken_up, told_list
from test_interactive import options
from test_loop import later, reminded


def as_told(request: Request) -> Reply:
    """The parent goes on in the way that it was told last: wakes the agent, or launches another."""
    told = news(request)
    return wake(request) if 'to: "' in told or 'resume: "' in told else anew(request)


def finishes(model: Model) -> None:
    """The agent that ends the task knows the task, what was done, and the answers, whoever it is."""
    last = [request for request in model.requests if request.actor in ("agent", "heir")][-1].all_text()
    for part in (
        "AUDIT-TASK: read the auth code.",
        "Working notes in two words.",
        "Query and column mapping",
        "A1: Both",
    ):
        assert part in last, part


@pytest.mark.versions("2.1.197", NEWEST)
@pytest.mark.parametrize("moment", ["waiting", "in flight"])
def test_a_cleared_session_keeps_its_tasks(host: str, moment: str) -> None:
    """The question waits, or comes later; the next conversation is told, and its answer ends in a report."""
    go = threading.Event()
    asks: Any = later(block("CLARIFICATION_NEEDED"), 0.3)
    script = cast(
        (lambda request: block("CLARIFICATION_NEEDED")(request).after(go)) if moment == "in flight" else asks,
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", as_told),),
    )
    with Model(script) as model, Home(model.url) as home, session(home, host) as run:
        run.send(PROMPT)
        if moment == "waiting":
            reminded(run, model, home, "needs answers", 1, host)
            run.await_turn()
            delivered(run, home, wakes=False)
        until(lambda: bool(run.results) and bool(model.by("agent")), lambda: run.events)
        before = run.session_id
        run.send("/clear")
        run.wait_for(lambda event: event.get("session_id", before) != before)
        run.send("Where were we?")
        state = told_list(model, "Where were we?")[0].partition("): ")[2]
        assert state == ("needs answer" if moment == "waiting" else "working, you are told when it ends")
        go.set()
        if moment == "in flight":
            reminded(run, model, home, "needs answers", 1, host)
        answered(run, model, home, host)
        finishes(model)


@pytest.mark.versions("2.1.7", "2.1.38")
def test_a_session_cleared_in_the_terminal_keeps_its_tasks(host: str) -> None:
    """These clear only in a terminal; the question that waited is answered in the next conversation."""
    script = cast(
        later(block("CLARIFICATION_NEEDED"), 0.3),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", as_told),),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say(PROMPT)
        model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, "needs answers")))
        delivered(term, home, wakes=True)
        term.settle()
        term.say("/clear")
        until(lambda: len(rows(home, "SELECT 1 FROM sessions")) == 2, lambda: rows(home, "SELECT * FROM sessions"))
        term.settle()
        term.say("Where were we?")
        assert told_list(model, "Where were we?")[0].startswith("- bg-1 (“audit the auth code”): needs answer")
        term.settle()
        term.say(ANSWERS)
        model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, "reports partial")))
        delivered(term, home, wakes=True)
        finishes(model)
        assert len(reminders(model.by("parent")[-1], "reports partial success")) == 1
        assert one(home, "SELECT state FROM tasks") == {"state": "partial"}
        assert rows(home, "SELECT * FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_fork_takes_over_what_a_session_that_is_gone_has_left(host: str) -> None:
    """The original has ended, so the fork is told what waits; its answer goes to an agent that knows everything."""
    script = cast(
        later(block("CLARIFICATION_NEEDED"), 0.3),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", as_told),),
    )
    with Model(script) as model, Home(model.url) as home:
        before = left_asking(model, home, host)
        with session(home, host, "--fork-session", resume=before) as run:
            taken_up(run, model, home, host)
        finishes(model)
        assert [len(model.by(actor)) for actor in ("agent", "heir")] == [1, 1]


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
@pytest.mark.parametrize("second", ["another", "a fork"])
def test_a_second_session_without_a_person_answers_nothing_for_the_first(host: str, second: str) -> None:
    """While the first lives, its task is its own; what a program says in the second counts for nothing there."""
    go = threading.Event()
    script = cast(
        lambda request: block("CLARIFICATION_NEEDED")(request).after(go),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", wake),),
        others=[("second", lambda request: not request.is_subagent and "IN-THE-SECOND" in request.all_text())],
    )
    with Model(script) as model, Home(model.url) as home, session(home, host) as first:
        first.send(PROMPT)
        until(lambda: bool(first.results) and bool(model.by("agent")), lambda: first.events)
        fork = ["--fork-session"] if second == "a fork" else []
        with session(home, host, *fork, resume=first.session_id if fork else "") as other:
            other.send("IN-THE-SECOND, where were we?")
            began = model.wait_for(lambda request: request.actor == "second")
            lines = re.findall(r"^- bg-.*", news(began), re.MULTILINE)
            assert lines == (["- bg-1 (“audit the auth code”): working"] if fork else [])
            assert ("of another open session, which goes on with them" in news(began)) == bool(fork)
            other.send("/bg-status")
            until(lambda: "working" in shown(other, model, "audit the auth code"), lambda: other.results)
            task = one(home, "SELECT state, session FROM tasks")
            assert task == {"state": "working", "session": first.session_id}
            go.set()
            reminded(first, model, home, "needs answers", 1, host)
            first.await_turn()
            delivered(first, home, wakes=False)
            other.send("/bg-answer bg-1 Q1: Both  Q2: no")
            elsewhere = "answer for bg-1 is recorded. The task belongs to another open session"
            until(lambda: elsewhere in shown(other, model, elsewhere), lambda: other.results)
            known = "SELECT proof, origin FROM proofs WHERE text LIKE '/bg-answer%' AND proof IS NOT NULL"
            brought(other, lambda: bool(rows(home, known)), lambda: rows(home, "SELECT * FROM proofs"))
            assert rows(home, known) == [{"proof": "unproven", "origin": "a session that nobody attends"}]
            assert len(model.by("agent")) == 1
            first.send("/bg-answer bg-1 Q1: Both  Q2: no")
            reminded(first, model, home, "reports partial success", 2, host)
            last = close_up(first, model, home, ["partial"])
            other.finish()
        assert last.actor == "parent"
        assert len(reminders(last, "reports partial success")) == 1
        assert [len(model.by(actor)) for actor in ("agent", "heir")] == [2, 0]
        assert "A1: Both" in news(model.by("agent")[1])
        assert not any(reminders(request, "bg-1 (") for request in model.by("second"))


def shown(run: Any, model: Model, about: str) -> str:
    """What the second session's user was shown with these words, by the hook itself or through the model."""
    lines = [str(result.get("result", "")) for result in run.results]
    lines += [request.all_text() for request in model.by("second")]
    return "\n".join(text for text in lines if about in text)
