"""In a terminal, on each real client: what the table says to type for a task in each state, typed and followed."""

from __future__ import annotations

import re
import threading
import time
from typing import Any, Callable

import pytest
from bg import machine
from directed import until
from generations import NEWEST
from loop import ROOT, block, has_ledger, launch, news, one, prose, rows, spawn_tool, wake
from requested import halt
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.terminal import Interactive
from test_interactive import options
from test_loop import later

#: How an agent's first run ends, by the state that its task is in then.
ENDS: dict[str, Any] = {
    "needs_answer": block("CLARIFICATION_NEEDED"),
    "blocked": block("STOP_WORK"),
    "failed": block("COMPLETION_REPORT", status="failed"),
    "partial": block("COMPLETION_REPORT", status="partial_success"),
    "disputed": block("COMPLETION_REPORT", status="success", evidence="- wrote docs/never.md"),
    "unreported": prose("I looked around and wrote nothing down."),
}
#: What the plugin asks for once more before it takes it.
ASKED_ONCE_MORE = ("unreported", "disputed")


#: A client that is killed may have stopped its agents before (seen on 2.1.197), or not come to it.
KILLED = ("interrupted", "stopped")


def key(state: str) -> str:
    return f"{state.upper().replace('_', '-')}-TASK"


def agents(*states: str) -> list[Any]:
    """For each state an agent that ends so once, and with success when it goes on."""
    actors = []
    for state in states:
        again = block("COMPLETION_REPORT", status="success")
        first = again if state == "done" else ENDS.get(state, ENDS["blocked"])
        steps = [
            later(first, 0.5),
            *([later(first, 0.2)] if state in ASKED_ONCE_MORE else []),
            *[later(again, 0.5)] * 3,
        ]
        actors.append((state, asked(key(state)), steps))
    return actors


class Parent:
    """Launches the work, wakes whom it is told to wake; `refuses` is what it does nothing about, once."""

    def __init__(self, state: str, *, forgets_the_label: bool = False, refuses: str = "") -> None:
        self.task = key(state)
        self.refuses = refuses
        self.forgets = forgets_the_label

    def __call__(self, request: Request) -> Reply:
        told = news(request)
        if "tool_reference" in str(request.messages[-1]) or "Tool loaded" in told:
            return wake(request, "Go on.")
        if self.refuses and self.refuses in told:
            self.refuses = ""
            return text("Noted.")
        if "not from the user] label" in told:
            work = "CHILD-TASK" if "The user approved" in told else self.task
            return launch(f"{work}: do it.", "do the work")(request)
        if re.search(r"Resume it now: (?:launch a new agent|this host cannot wake an ended agent)", told):
            label = "" if self.forgets else f"{re.findall(r'begins `(bg-[0-9]+):`', told)[-1]}: "
            given = {"description": f"{label}continue", "prompt": "Go on.", "subagent_type": "general-purpose"}
            return call(spawn_tool(request), **given, run_in_background=True)
        return wake(request, "Go on.") if "Resume it now" in told else text("Noted.")


class Stopping(Parent):
    """As a parent, and stops its agent, once, where the user says so."""

    stops = True

    def __call__(self, request: Request) -> Reply:
        if not self.stops or "STOP it" not in request.all_text():
            return super().__call__(request)
        self.stops = "TaskStop" not in request.tools()
        return halt(request)


def state_is(home: Home, label: str, *states: str) -> Callable[[], bool]:
    def holds() -> bool:
        found = one(home, "SELECT state FROM tasks WHERE label = ?", label) if has_ledger(home) else None
        return found is not None and found["state"] in states

    return holds


def typed(term: Interactive, words: str) -> None:
    term.keys("C-u")  # the newest host leaves a blocked prompt in the input box
    time.sleep(0.3)
    term.say(words)


def ends(term: Interactive, home: Home, label: str, *states: str) -> None:
    """Wait for one of these states."""
    deadline = time.monotonic() + PATIENCE
    while not state_is(home, label, *states)():
        assert time.monotonic() < deadline, (states, rows(home, "SELECT label, state, note FROM tasks"), term.screen())
        time.sleep(0.2)
    term.settle(1.0)


def killed_at_work(home: Home, host: str) -> None:
    """A session with an agent at work; its client is killed, which takes a moment on a busy machine."""
    with Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        until(lambda: has_ledger(home) and state_is(home, "bg-1", "working")(), term.screen)
        term.settle(1.0)
    [process] = [row["pid"] for row in rows(home, "SELECT pid FROM sessions")]
    until(lambda: not machine.alive(machine.Process(process, "")), "the first client is over")


def line_of(term: Interactive, label: str) -> str:
    """What the table says to type for this task."""
    pattern = rf"→ (/bg-answer {label} [^\n]*)"
    before = len(re.findall(pattern, term.screen(history=True)))
    typed(term, "/bg-status")
    until(lambda: len(re.findall(pattern, term.screen(history=True))) > before, term.screen)
    found = re.findall(pattern, term.screen(history=True))
    return re.split(r"\s{2,}|\s*[│|]", found[-1].strip())[0]


def follow(host: str, state: str, tell: Callable[[str], None]) -> None:
    """Typed as it stands there; where it asks for words, `go` is typed, which needs none."""
    script = Script(*agents(state), ("parent", parent, [Parent(state, forgets_the_label=True)] * 60))
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", state)
        line = line_of(term, "bg-1")
        typed(term, "/bg-answer bg-1 go" if "<" in line else line)
        ends(term, home, "bg-1", "done")
        new = len(rows(home, "SELECT 1 FROM launches WHERE agent <> ''")) - 1
        tell(f"{host} {state}: “{line}” → done, {'in a new agent' if new else 'by the same agent'}")
        assert [row["label"] for row in rows(home, "SELECT label FROM tasks")] == ["bg-1"]
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.patient
@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("state", ENDS)
def test_the_line_of_the_table_sets_the_task_going(host: str, state: str, tell: Callable[[str], None]) -> None:
    follow(host, state, tell)


@pytest.mark.versions("2.1.7", "2.1.100", "2.1.197")
@pytest.mark.parametrize("state", ["needs_answer", "failed"])
def test_so_it_does_on_older_clients(host: str, state: str, tell: Callable[[str], None]) -> None:
    """Woken by another call, or, on 2.1.100, in a new agent."""
    follow(host, state, tell)


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
@pytest.mark.parametrize("state", ["disputed", "failed", "done"])
def test_words_wake_the_agent_of_a_task_that_asks_for_nothing(host: str, state: str) -> None:
    script = Script(*agents(state), ("parent", parent, [Parent(state)] * 60))
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", state)
        typed(term, "/bg-answer bg-1 you never ran pytest: run it")
        model.wait_for(lambda request: request.actor == state and "MESSAGE FROM THE USER" in request.all_text())
        ends(term, home, "bg-1", "done")
        told = [request.all_text() for request in model.by(state)]
        assert "## MESSAGE FROM THE USER" in told[-1]
        assert "> you never ran pytest: run it" in told[-1]
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.versions("2.1.7", NEWEST)
def test_what_was_approved_and_never_launched_is_launched(host: str, tell: Callable[[str], None]) -> None:
    """The parent let the approval pass; `go` opens the launch again, and the new agent is the request's."""
    request = block("DELEGATE_WORK", independence="blocks_current_work")
    script = Script(
        ("agent", asked(key("blocked")), [later(request, 0.5), *[later(block("COMPLETION_REPORT"), 0.5)] * 3]),
        ("child", asked("CHILD-TASK"), [later(block("COMPLETION_REPORT", status="success"), 0.5)] * 2),
        ("parent", parent, [Parent("blocked", refuses="The user approved")] * 60),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", "blocked")
        line = line_of(term, "bg-1")
        assert line == "/bg-answer bg-1 D1: approve"
        typed(term, line)
        until(lambda: bool(rows(home, "SELECT 1 FROM delegations WHERE state = 'approved'")), term.screen)
        term.settle(1.5)
        typed(term, "hello")
        term.settle(1.5)
        line = line_of(term, "bg-1")
        assert line == "/bg-answer bg-1 go"
        typed(term, line)
        until(lambda: bool(rows(home, "SELECT 1 FROM delegations WHERE state = 'launched'")), term.screen)
        ends(term, home, "bg-2", "done")
        tell(f"{host}: approved and passed over, then “{line}” → bg-2 launched and done")


@pytest.mark.versions(NEWEST)
def test_a_task_that_was_not_launched_is_launched(host: str, tell: Callable[[str], None]) -> None:
    script = Script(
        *agents("partial"), ("parent", parent, [Parent("partial", refuses="not from the user] label")] * 60)
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", "not_launched")
        line = line_of(term, "bg-1")
        typed(term, line)
        ends(term, home, "bg-1", "partial")
        tell(f"{host} not launched: “{line}” → launched")


@pytest.mark.versions("2.1.197", NEWEST)
def test_a_task_that_was_stopped_goes_on_when_it_is_asked_for(host: str, tell: Callable[[str], None]) -> None:
    """Older clients cannot stop an agent, or tell nobody."""
    again = block("COMPLETION_REPORT", status="success")
    script = Script(
        ("stopped", asked(key("stopped")), [later(again, 600.0), *[later(again, 0.5)] * 3]),
        ("parent", parent, [Stopping("stopped", forgets_the_label=True)] * 60),
    )
    allowed = [*options(host), "--allowedTools", "Agent Task SendMessage ToolSearch TaskStop"]
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], allowed) as term:
        term.say("/bg:bg Do the work")
        until(lambda: has_ledger(home) and state_is(home, "bg-1", "working")(), term.screen)
        term.settle(1.0)
        typed(term, "STOP it")
        ends(term, home, "bg-1", "stopped")
        line = line_of(term, "bg-1")
        assert line == "/bg-answer bg-1 go"
        typed(term, line)
        ends(term, home, "bg-1", "done")
        tell(f"{host} stopped: “{line}” → done")


REFUSES = ("2.1.197", NEWEST)  # these wake an agent that its user has stopped for nobody but the user


def stop_by_key(term: Interactive, host: str, way: str) -> None:
    """In the host's own list of what runs, where ended agents may stand too, or all at once."""
    if way == "all":
        keys = ("C-x", "C-k", "C-x", "C-k")
    elif host == "2.1.7":
        keys = ("Down", "Enter", "k")
    else:
        for _ in range(5):
            term.keys("Down")
            if re.search(r"^❯ \S+ .*bg-2:", term.settle(0.5), re.MULTILINE):
                break
        keys = ("x",)
    for name in keys:
        term.keys(name)
        time.sleep(0.5)


@pytest.mark.parametrize("way", ["one", "all"])
@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_an_agent_that_the_user_stops_by_key_goes_on_when_it_is_asked_for(
    host: str, way: str, tell: Callable[[str], None]
) -> None:
    """A child of another's: ledger, parent, table and the agent that waits say so; a new agent brings what was asked."""
    if (host, way) == ("2.1.7", "all"):
        pytest.skip("2.1.7 has no key that stops all")
    never = threading.Event()
    asks = block("DELEGATE_WORK", independence="blocks_current_work")
    again = block("COMPLETION_REPORT", status="success", summary="Measured it.")
    half = text("Half of it is measured.") + call("Bash", command="echo half", description="Work")
    script = Script(
        ("heir", asked("## CONTINUATION"), [later(again, 0.5)]),
        ("waits", asked(key("blocked")), [later(asks, 0.5), later(again, 0.5)]),
        ("child", asked("CHILD-TASK"), [half, lambda request: again(request).after(never), later(again, 0.5)]),
        ("parent", parent, [Parent("blocked")] * 60),
    )
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", "blocked")
        typed(term, "/bg-answer bg-1 D1: approve")
        model.wait_for(lambda request: request.actor == "child" and len(request.messages) > 1)
        term.settle(1.5)
        stop_by_key(term, host, way)
        ends(term, home, "bg-2", "stopped")
        term.keys("Escape")  # out of the list
        term.settle(1.0)
        by_user = host in REFUSES
        cut = "stopped by the user" if by_user else "killed"
        assert rows(home, "SELECT label, cut FROM runs WHERE cut <> ''") == [{"label": "bg-2", "cut": cut}]
        told = model.wait_for(lambda r: r.actor == "parent" and "bg-2 (" in r.all_text() and cut in r.all_text())
        assert "> Half of it is measured." in told.all_text()
        assert "bg-1 has waited for this agent, which did not bring what was asked" in told.all_text()
        assert ("Go on with it only where the user asks for that: launch a new agent" in told.all_text()) == by_user
        assert len(model.by("waits")) == 1
        line = line_of(term, "bg-2")
        assert line == "/bg-answer bg-2 go"
        typed(term, line)
        ends(term, home, "bg-2", "done")
        ends(term, home, "bg-1", "done")
        assert len(model.by("heir")) == by_user
        assert "bg-2: success" in news(model.by("waits")[1])
        assert "was not woken" not in str([request.messages for request in model.by("parent")])
        assert rows(home, "SELECT text FROM errors") == []
        tell(f"{host} stopped by key ({way}): “{line}” → done, {'in a new agent' if by_user else 'by the same agent'}")


@pytest.mark.versions("2.1.7", "2.1.100", NEWEST)
def test_a_task_whose_session_ended_goes_on_in_the_next(host: str, tell: Callable[[str], None]) -> None:
    """The session is killed under its agent; the next one offers the line, and it is followed."""
    slow = [later(block("COMPLETION_REPORT"), 600.0), *[later(block("COMPLETION_REPORT", status="success"), 0.5)] * 3]
    script = Script(
        ("interrupted", asked(key("interrupted")), slow),
        ("parent", parent, [Parent("interrupted", forgets_the_label=True)] * 60),
    )
    with Model(script) as model, Home(model.url) as home:
        killed_at_work(home, host)
        with Interactive(home, host, [ROOT], options(host)) as term:
            typed(term, "hello")
            ends(term, home, "bg-1", *KILLED)
            line = line_of(term, "bg-1")
            typed(term, line)
            ends(term, home, "bg-1", "done")
            new = len(rows(home, "SELECT 1 FROM launches WHERE agent <> ''")) - 1
            tell(f"{host} interrupted: “{line}” → done, {'in a new agent' if new else 'by the same agent'}")
            assert [row["label"] for row in rows(home, "SELECT label FROM tasks")] == ["bg-1"]


@pytest.mark.versions("2.1.100", NEWEST)
def test_a_dialog_that_is_closed_does_not_come_up_again(host: str) -> None:
    """Its questions wait in the table, and are answered there."""
    choices = [{"label": "CSV", "description": "Plain"}, {"label": "Skip", "description": "Leave it"}]
    questions = [
        {"question": f"bg-1 {qid}: ?", "header": qid, "multiSelect": False, "options": choices} for qid in ("Q1", "Q2")
    ]
    follow = Parent("needs_answer")

    def step(request: Request) -> Reply:
        if "needs answers before" in news(request):
            return call("AskUserQuestion", questions=questions)
        return follow(request)

    script = Script(*agents("needs_answer"), ("parent", parent, [step] * 60))
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        screen = term.wait_for(r"bg-1 \(do the work\) Q1: Should the export be CSV, XLSX, or both\?")
        assert "Why it matters: XLSX needs a new dependency" in " ".join(screen.split())
        time.sleep(0.7)
        term.keys("Escape")
        term.wait_gone(r"Why it matters: XLSX")
        term.settle(1.0)
        typed(term, "What is the time?")
        term.settle(2.0)
        asked_again = [each for each in model.requests if each.reply and "AskUserQuestion" in str(each.reply.blocks)]
        assert len(asked_again) == 1
        assert "has not seen these questions" not in str([each.messages for each in model.requests])
        assert line_of(term, "bg-1") == "/bg-answer bg-1 Q1: <answer>"
        typed(term, "/bg-answer bg-1 Q1: CSV  Q2: no")
        ends(term, home, "bg-1", "done")


@pytest.mark.versions(NEWEST)
def test_an_answer_is_taken_back_before_the_agent_is_woken(host: str) -> None:
    script = Script(*agents("needs_answer"), ("parent", parent, [Parent("needs_answer")] * 60))
    with Model(script) as model, Home(model.url) as home, Interactive(home, host, [ROOT], options(host)) as term:
        term.say("/bg:bg Do the work")
        ends(term, home, "bg-1", "needs_answer")
        typed(term, "/bg-answer bg-1 Q1: XLSX")
        term.wait_for(r"bg-1 Q1 answered: XLSX")
        term.settle(1.0)
        typed(term, "/bg-answer bg-1 undo")
        term.wait_for(r"“XLSX” taken back; it is open again")
        term.settle(1.0)
        typed(term, "/bg-answer bg-1 Q1: CSV  Q2: no")
        ends(term, home, "bg-1", "done")
        said = [row["text"] for row in rows(home, "SELECT text FROM typed ORDER BY id")]
        assert said == ["bg-1 Q1: XLSX", "bg-1 undo", "bg-1 Q1: CSV  Q2: no"]
        assert [row["text"] for row in rows(home, "SELECT text FROM answers ORDER BY id")] == ["CSV", "no"]
