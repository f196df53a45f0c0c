"""Agents that come to the user's limit, or to an overloaded API, on real clients: paused, and woken only when asked."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any

import pytest
from directed import until
from generations import NEWEST
from loop import ROOT, launch, news, rows
from requested import done, settle, states
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, asked, call, failure, overloaded, parent, text, usage_limit
from rig.session import Headless, arguments

OBSERVED = json.loads((Path(__file__).parents[1] / "host" / "limits.json").read_text(encoding="utf-8"))
EVERY = ("2.1.197", "2.1.258", "2.1.327", NEWEST)
# A subscription has limits of hours; the client says when one ends only where it is logged in to one.
SUBSCRIBED = {"ANTHROPIC_API_KEY": "", "CLAUDE_CODE_OAUTH_TOKEN": "sk-ant-oat01-scripted-model-no-real-token-0000AA"}
WORK = text("I begin.") + call("Bash", command="echo work", description="Work")
FIELDS = ("error", "apiErrorStatus", "isApiErrorMessage")
SOON = 12


def errors(home: Home) -> list[dict[str, Any]]:
    """The records of errors in the agents' transcripts."""
    paths = [path for path in home.transcripts() if path.name.startswith("agent-")]
    found = [json.loads(line) for path in paths for line in path.read_text().splitlines()]
    return [record for record in found if record.get("isApiErrorMessage")]


def waking(request: Request) -> Reply:
    """The parent wakes at once what the host tells it to wake; then whatever it is asked to."""
    told = news(request)
    wanted = re.findall(r'SendMessage to "([^"]+)"', told) or re.findall(r"<task-id>([^<]+)</task-id>", told)
    if "tool_reference" in str(request.messages[-1]) or "Tool loaded" in told:
        wanted = re.findall(r'SendMessage to "([^"]+)"', request.all_text())
        wanted = wanted[-2:] or re.findall(r"<task-id>([^<]+)</task-id>", request.all_text())[-1:]
    elif wanted and "SendMessage" not in request.tools():
        return call("ToolSearch", query="select:SendMessage", max_results=3)
    replies = [call("SendMessage", to=agent, message="Go on.", summary="go on") for agent in dict.fromkeys(wanted)]
    whole = replies[0] if replies else text("Noted.")
    for reply in replies[1:]:
        whole = whole + reply
    return whole


def script(home: Home, refusal: Reply, refused: int) -> Script:
    def step(request: Request) -> Reply:
        told = news(request)
        label = re.search(r"label: (bg-\d+) for this task", told)
        if label:
            return launch(f"TASK-{label[1][3:]}: look.")(request)
        return waking(request) if "A limit has paused these" in told or "is paused:" in told else follow(request)

    def follow(request: Request) -> Reply:
        loaded = "tool_reference" in str(request.messages[-1]) or "Tool loaded" in news(request)
        return waking(request) if loaded else text("Noted.")

    steps = [WORK, *[refusal] * refused, done("Looked.")]
    return Script(
        ("one", asked("TASK-1:"), list(steps)), ("two", asked("TASK-2:"), list(steps)), ("parent", parent, [step] * 60)
    )


@pytest.mark.versions(*EVERY)
def test_agents_at_the_users_limit_wait_for_the_user(host: str) -> None:
    """The parent, which the host tells to wake them, cannot; the user's `all go` does; both keep their transcripts."""
    resets = int(time.time()) + SOON
    with Model(Script()) as model, Home(model.url) as home:
        model.script = script(home, usage_limit(resets), 1)
        with Headless(home, host, arguments([ROOT]), env=SUBSCRIBED) as run:
            for number in (1, 2):
                run.send("/bg:bg Look at it")
                refused = f"bg-{number} is paused by a limit, and goes on only when the user says so"
                model.wait_for(lambda r, refused=refused: r.answered is not None and refused in news(r))
                assert states(home)[f"bg-{number}"] == "paused"
            run.await_turn()
            found = errors(home)
            fields = [{name: record.get(name) for name in FIELDS} for record in found]
            observed = OBSERVED[host]["limit"]["record"]
            assert fields == [{name: observed.get(name) for name in FIELDS}] * 2
            known = host != "2.1.197"
            assert [record.get("quotaLimits", {}).get("resetsAt") for record in found] == [
                resets if known else None
            ] * 2
            assert rows(home, "SELECT 1 FROM resumes") == []
            until(lambda: time.time() > resets, "the limit ends")
            run.turn("Is there anything new?")
            limits = [json.loads(row["value"]) for row in rows(home, "SELECT value FROM meta WHERE key LIKE 'limit:%'")]
            assert [each["told"] for each in limits] == [known] * 2
            run.send("/bg-answer all go")
            settle(run, home, host, "both go on", lambda: set(states(home).values()) == {"done"})
            run.finish()
        assert [len(model.by(name)) for name in ("one", "two")] == [3, 3]
        assert all("echo work" in str(model.by(name)[-1].messages) for name in ("one", "two")), "from the beginning"
        assert len(rows(home, "SELECT 1 FROM launches")) == 2
        assert rows(home, "SELECT text FROM errors") == []


@pytest.mark.parametrize("kind", ["overloaded", "rate", "other"])
@pytest.mark.versions(*EVERY)
def test_an_error_of_the_api_by_its_record(host: str, kind: str) -> None:
    """Overloaded or refused for its rate: paused. Refused for what it says: failed, in the host's words."""
    refusals = {
        "overloaded": overloaded(),
        "rate": failure(429, "rate_limit_error", "Number of request tokens has exceeded your per-minute rate limit"),
        "other": failure(400, message="scripted failure"),
    }
    with Model(Script()) as model, Home(model.url) as home:
        model.script = script(home, refusals[kind], 40)
        with Headless(home, host, arguments([ROOT]), env={"CLAUDE_CODE_MAX_RETRIES": "1"}) as run:
            run.send("/bg:bg Look at it")
            state = "failed" if kind == "other" else "paused"
            settle(run, home, host, "it ends", lambda: states(home) == {"bg-1": state})
            run.await_turn()
            run.turn("Is there anything new?")
            run.finish()
        told = model.by("parent")[-1].all_text()
        if kind == "other":
            assert "scripted failure" in told
        else:
            (record,) = errors(home)
            observed = OBSERVED[host][kind]["record"]
            assert {name: record.get(name) for name in FIELDS} == {name: observed.get(name) for name in FIELDS}
            assert "bg-1 (“audit the auth code”) is paused: the " in told
        assert rows(home, "SELECT 1 FROM resumes") == []
        assert rows(home, "SELECT text FROM errors") == []
