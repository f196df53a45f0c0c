"""What users of the bare host report (anthropics/claude-code, by number), seen on it alone, and beside it with the plugin.

Each test is played twice: `alone` shows that the client still does it, `beside` what comes of it with the plugin.
#68582 is in test_costs.py; `NUMBERS` has them all.
"""

from __future__ import annotations

import re
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from bg.host import versions
from directed import delivered, until
from generations import NEWEST
from loop import ROOT, block, launch, news, prose, reacting, rows, wake
from peers import peer
from requested import halt, halting, states
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text, usage_limit
from rig.session import Headless, arguments
from sessions import anew
from test_compaction import compact
from test_cuts import in_the_call
from test_limits import SUBSCRIBED, WORK
from test_limits import waking as waking_failed
from test_loop import later
from test_received import BLOCKS
from test_sessions import kill

#: Completions that do not come, results that flood, resumes that fail, "completed" too early, agents that a compaction
#: forgets, work that a limit ends, agents that die silently, feedback that replaces the report.
NUMBERS = (86200, 85534, 20531, 68582, 89008, 92952, 60142, 90036, 91449, 63023, 92716, 85917)
FOUND = "FOUND-THREE-HOLES"
FEW = 10_000  # characters
TASK = "AUDIT-TASK: read the auth code."
BOTH = pytest.mark.parametrize("ours", [False, True], ids=["alone", "beside"])


def plugins(*others: Path, ours: bool) -> list[Path]:
    return [ROOT, *others] if ours else list(others)


def begin(ours: bool) -> str:
    """What the user says first."""
    return "/bg:bg LAUNCH the audit" if ours else "LAUNCH the audit"


def reports(ours: bool, words: str = FOUND) -> Any:
    """The agent's last words: in the protocol, where it has been told of it."""
    return block("COMPLETION_REPORT", summary=words) if ours else prose(words)


def cast(
    ours: bool, *steps: Any, rules: tuple[tuple[str, Any], ...] = (), others: tuple[tuple[str, Any, Any], ...] = ()
) -> Script:
    first = (r"not from the user\] label" if ours else "LAUNCH", launch(TASK))
    return Script(*others, ("agent", asked("AUDIT-TASK"), list(steps)), ("parent", parent, reacting(first, *rules)))


def heard(model: Model, words: str = FOUND) -> int:
    """How often these words stand in what the parent was asked last."""
    return model.by("parent")[-1].all_text().count(words)


def transcript(home: Home, run: Headless) -> str:
    found = [path for path in home.transcripts() if path.stem == run.session_id]
    return found[0].read_text() if found else ""


@BOTH
@pytest.mark.versions("2.1.197", NEWEST)
def test_a_completion_that_another_hook_keeps_from_the_parent(host: str, tmp_path: Path, *, ours: bool) -> None:
    """#86200: 31 of 188 notifications never arrived. Alone the report is gone; beside, it comes with the next prompt."""
    other = peer(tmp_path, "peer", {"UserPromptSubmit": BLOCKS})
    with Model(cast(ours, later(reports(ours)))) as model, Home(model.url) as home:
        with Headless(home, host, arguments(plugins(other, ours=ours))) as run:
            run.send(begin(ours))
            until(lambda: "operation blocked by hook" in transcript(home, run), "the peer was never asked")
            run.turn("What is the time?")
            run.turn("And the date?")
            run.finish()
        assert heard(model) == int(ours)


@BOTH
@pytest.mark.versions("2.1.197")
def test_an_agent_that_waits_for_its_own_command(host: str, *, ours: bool) -> None:
    """#92952, #60142, #85534: "completed" while it still works, and never woken. Beside, no outcome, and it is woken."""
    build = call("Bash", command="while [ ! -e go ]; do sleep 0.1; done; echo built", run_in_background=True)
    steps = [build, text("The build runs; I wait for it."), reports(ours)]
    with Model(cast(ours, *steps, rules=(("Wake it now", wake),))) as model, Home(model.url) as home:
        given = arguments(plugins(ours=ours), tools="Agent SendMessage ToolSearch Bash")
        with Headless(home, host, given) as run:
            run.send(begin(ours))
            model.wait_for(lambda request: request.actor == "parent" and "<status>completed" in request.all_text())
            assert not (home.project / "go").exists()
            told = model.by("parent")[-1].all_text()
            (home.project / "go").touch()
            until(lambda: "completed (exit code 0)" in transcript(home, run), "the command has ended")
            run.turn("And now?")
            if ours:
                until(lambda: bool(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")), "it has reported")
                delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        assert ("Tell the user no outcome yet" in told) == ours
        assert len(model.by("agent")) == (3 if ours else 2)
        assert bool(heard(model)) == ours


@BOTH
@pytest.mark.versions("2.1.197", NEWEST)
def test_a_compaction_while_an_agent_works(host: str, *, ours: bool) -> None:
    """#90036: eleven agents were launched again across compactions. Beside, the parent is told what works."""
    go = threading.Event()
    report = reports(ours)
    with Model(cast(ours, lambda request: report(request).after(go))) as model, Home(model.url) as home:
        with Headless(home, host, arguments(plugins(ours=ours))) as run:
            run.send(begin(ours))
            until(lambda: bool(model.by("agent")) and bool(run.results), lambda: run.events)
            compact(run)
            run.send("How is it going?")
            asks = model.wait_for(lambda r: r.actor == "parent" and "How is it going?" in r.last_user_text())
            told = asks.all_text()
            go.set()
            run.await_turn()
            run.finish()
        assert ("do not launch any of them again" in told) == ours
        assert ("bg-1 (“audit the auth code”): working" in told) == ours


@BOTH
@pytest.mark.versions("2.1.7", "2.1.38")
def test_a_session_that_is_killed_while_its_agent_works(host: str, *, ours: bool) -> None:
    """#63023: agents die silently. Alone the resumed session says nothing of it; beside, the task is interrupted.

    2.1.197 and newer say by themselves that the agent was running and did not complete, and not what it left.
    """
    opened = "printf 2 > count.txt; sleep 120"
    steps = [call("Bash", command=opened, description="Count"), reports(ours)]
    tools = "Task Bash"
    with Model(cast(ours, *steps)) as model, Home(model.url) as home:
        with Headless(home, host, arguments(plugins(ours=ours), tools=tools)) as run:
            run.send(begin(ours))
            in_the_call(home)
            before = run.session_id
            kill(run)
        with Headless(home, host, arguments(plugins(ours=ours), tools=tools, resume=before)) as run:
            run.turn("Where were we?")
            run.finish()
        told = news(model.by("parent")[-1])
        assert bool(re.search(r"bg-1 \(“audit the auth code”\): interrupted", told)) == ours
        assert ours or "audit" not in told


@BOTH
@pytest.mark.versions("2.1.197", NEWEST)
def test_a_report_that_another_hook_has_answered_with_a_request(host: str, tmp_path: Path, *, ours: bool) -> None:
    """#85917: what an agent says to a hook's feedback replaces its report. Beside, the report is kept and told."""
    asks = 'if not event.get("stop_hook_active"):\n    say(decision="block", reason="Have you formatted it?")\n'
    other = peer(tmp_path, "peer", {"SubagentStop": asks})
    script = cast(ours, later(reports(ours)), text("Yes, formatted."))
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments(plugins(other, ours=ours))) as run:
            run.send(begin(ours))
            model.wait_for(lambda request: request.actor == "parent" and "Yes, formatted." in request.all_text())
            if ours:
                delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        assert bool(heard(model)) == ours


@BOTH
@pytest.mark.versions("2.1.38")
def test_a_report_that_has_to_be_fetched(host: str, *, ours: bool) -> None:
    """#20531: alone the parent fetches an agent's whole transcript for its last words; beside, it is told them."""
    looks = [call("Bash", command=f"seq {number} {number + 4000}", description="Look") for number in (1, 5001, 9001)]
    script = cast(ours, *looks, later(reports(ours)), rules=(("What came of it", fetching),))
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, arguments(plugins(ours=ours), tools="Task TaskOutput Bash")) as run:
            run.send(begin(ours))
            model.wait_said("agent", len(looks) + 1)
            if ours:
                until(lambda: bool(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")), "it has reported")
            run.turn("What came of it?")
            run.finish()
        told = news(model.by("parent")[-1])
        assert (FOUND in told and len(told) < FEW) == ours
        assert ours or len(told) > 3 * FEW


def fetching(request: Request) -> Reply:
    """The parent fetches what it has not been told."""
    agent = re.search(r"agentId: (\w+)", request.all_text())
    fetches = agent and FOUND not in news(request)
    return call("TaskOutput", task_id=agent[1], block=True, timeout=30000) if fetches and agent else text("Noted.")


@BOTH
@pytest.mark.parametrize("again", [False, True], ids=["in its session", "resumed"])
@pytest.mark.versions("2.1.197", "2.1.258", NEWEST)
def test_an_agent_whose_transcript_is_longer_than_five_mebibytes(host: str, *, again: bool, ours: bool) -> None:
    """#89008: 2.1.197 wakes it without its memory, or not at all. Beside, a new agent goes on. Newer clients wake it."""
    fails = host == "2.1.197"
    rule = ("answers for bg-1 are recorded", _as_told) if ours else ("It is CSV", waking)
    with Model(Script()) as model, Home(model.url) as home:
        writes = [
            call("Write", file_path=str(home.project / f"{number}.txt"), content="word " * 300_000)
            for number in range(4)
        ]
        asks = block("CLARIFICATION_NEEDED") if ours else prose("CSV or JSON?")
        heir = ("heir", asked("## CONTINUATION"), [later(reports(ours))])
        rules = (rule, ("could not be resumed", text("It failed.")))
        model.script = cast(ours, *writes, later(asks), reports(ours), rules=rules, others=(heir,))
        tools = "Agent SendMessage ToolSearch Write"

        def answered(run: Headless) -> None:
            run.turn("/bg-answer bg-1 Q1: CSV Q2: no" if ours else "It is CSV")
            if ours or not fails:
                until(lambda: FOUND in transcript(home, run), lambda: model.by("parent")[-1].messages[-6:])
                run.await_turn()
            run.turn("What is the time?")
            run.finish()

        with Headless(home, host, arguments(plugins(ours=ours), tools=tools)) as run:
            run.send(begin(ours))
            model.wait_said("agent", len(writes) + 1)
            model.wait_for(lambda request: request.actor == "parent" and "<status>completed" in request.all_text())
            run.await_turn()
            before, [own] = run.session_id, [path for path in home.transcripts() if path.stem.startswith("agent-")]
            assert own.stat().st_size > versions.RESUME_LIMIT
            if again:
                run.finish()
            else:
                answered(run)
        if again:
            with Headless(home, host, arguments(plugins(ours=ours), tools=tools, resume=before)) as run:
                answered(run)
        assert bool(heard(model)) == (ours or not fails)
        assert len(model.by("heir")) == (ours and fails)
        sent = [
            block
            for request in model.by("parent")
            for block in request.reply.blocks
            if block.get("name") == "SendMessage"
        ]
        assert bool(sent) != (ours and fails)


def _as_told(request: Request) -> Reply:
    return wake(request) if 'to: "' in news(request) else anew(request)


def waking(request: Request) -> Reply:
    agent = re.search(r"agentId: (\w+)", request.all_text())
    assert agent
    return call("SendMessage", to=agent[1], message="It is CSV.", summary="an answer")


@BOTH
@pytest.mark.versions("2.1.197", NEWEST)
def test_an_agent_at_the_users_limit(host: str, *, ours: bool) -> None:
    """#91449: alone it is woken into the limit at once; beside, it is paused until the user says so."""
    steps = [WORK, usage_limit(int(time.time()) + 3600), reports(ours)]
    script = Script(("agent", asked("AUDIT-TASK"), steps), ("parent", parent, [waking_at_once] * 60))
    with Model(script) as model, Home(model.url) as home:
        with Headless(
            home, host, arguments(plugins(ours=ours), tools="Agent SendMessage ToolSearch Bash"), env=SUBSCRIBED
        ) as run:
            run.send(begin(ours))
            if ours:
                model.wait_for(
                    lambda request: "is paused by a limit, and goes on only when the user says so" in news(request)
                )
            else:
                model.wait_said("agent", 3)
            run.turn("What is the time?")
            run.finish()
        assert len(model.by("agent")) == (2 if ours else 3)


def waking_at_once(request: Request) -> Reply:
    """The parent launches the agent, and wakes it as soon as it hears that it has failed."""
    told = news(request)
    if "LAUNCH" in told and "<task-id>" not in told:
        reply: Reply = launch(TASK)(request)
        return reply
    return text("Noted.") if FOUND in told else waking_failed(request)


@BOTH
@pytest.mark.versions("2.1.197", NEWEST)
def test_an_agent_that_is_stopped(host: str, tmp_path: Path, *, ours: bool) -> None:
    """#92716: no hook is told of the end of an agent that is stopped. Beside, its task is stopped, and what it left said."""
    other = peer(tmp_path, "peer", {"SubagentStop": 'note("ended")\n'})
    steps = [call("Bash", command="printf 2 > count.txt; sleep 120", description="Count")]
    script = cast(ours, *steps, rules=(("HALT it", halt),))
    script.actors[-1].steps = [halting(step) for step in script.actors[-1].steps]
    with Model(script) as model, Home(model.url) as home:
        given = arguments(plugins(other, ours=ours), tools="Agent SendMessage ToolSearch Bash TaskStop")
        with Headless(home, host, given) as run:
            run.send(begin(ours))
            in_the_call(home)
            run.turn("HALT it")
            if ours:
                until(lambda: states(home) == {"bg-1": "stopped"}, "it is stopped")
                delivered(run, home, wakes=True)
            run.turn("What is the time?")
            run.finish()
        told = model.by("parent")[-1].all_text()
        assert ("What it left, from its transcript and the disk" in told) == ours
        assert not (other / "hooks" / "ended").exists()


def test_each_number_is_held_by_a_test() -> None:
    """Every number stands in the docstring of a test on a client."""
    here = Path(__file__).parent
    said = " ".join(
        found for path in here.glob("test_*.py") for found in re.findall(r'"""(.*?)"""', path.read_text(), re.DOTALL)
    )
    assert [number for number in NUMBERS if not re.search(rf"#{number}\b", said)] == []
