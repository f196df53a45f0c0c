"""Which agents are ours, on each real client: the right ones, and no other."""

from __future__ import annotations

import re
import threading
import time
from typing import Any

import pytest
from directed import agents, both, delivered, directed, spawn, turn, until
from generations import NEWEST, SHADOWED
from loop import ROOT, block, news, reminders, rows, token
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent, text
from rig.session import Headless, arguments
from test_loop import CANNOT_RESUME, UNWOKEN, later

DONE = later(block("COMPLETION_REPORT"), 0.3)
BANNED = "---\nname: banned\ndescription: Never allowed here\n---\nYou look at things.\n"
RULES = ["--disallowedTools", "Task(banned) Agent(banned)"]


def judge(model: Model, home: Home) -> dict[str, Request]:
    """Each agent has an identity exactly where its task says so, and the ledger holds exactly those."""
    found = agents(model)
    for name, request in found.items():
        identity = "You are bg-" in request.first_user_text()
        assert identity == name.startswith("OURS-"), (name, request.first_user_text()[:200])
        if not identity:
            assert "bg plugin" not in request.all_text(), name
    mine = [request for name, request in found.items() if name.startswith("OURS-")]
    known = {row["token"] for row in rows(home, "SELECT token FROM launches WHERE agent <> ''")}
    assert {token(request) for request in mine} == known
    assert len(known) == len(mine)
    bound = rows(home, "SELECT l.token, l.label, t.prompt FROM launches l JOIN tasks t ON t.label = l.label")
    for name, request in found.items():
        if name.startswith("OURS-"):
            row = next(row for row in bound if row["token"] == token(request))
            assert row["token"].startswith(f"{row['label']}-")
            assert name in row["prompt"], (name, row)
    assert rows(home, "SELECT * FROM errors") == []
    return found


def heard_once(model: Model, home: Home) -> None:
    """Each report reached the parent exactly once, and nothing was said of foreign agents."""
    last = [request for request in model.requests if request.actor == "parent"][-1]
    lines = reminders(last)
    told = [re.findall(r"bg-\d+ \(", line)[0][:-2] for line in lines]
    assert sorted(told) == sorted(row["label"] for row in rows(home, "SELECT label FROM deliveries")), lines


def script(plans: dict[str, list[Any]], *first: Any) -> Script:
    return Script(
        *first,
        ("foreign", asked("FOREIGN-"), [text("Looked around.")] * 80),
        ("ours", asked("OURS-"), [DONE] * 80),
        ("parent", parent, directed(plans)),
    )


def test_the_right_agents_are_ours(host: str) -> None:
    """One session with every mixture of launches; Claude runs the command by itself first."""
    go = threading.Event()
    held = ("ours", asked("OURS-HELD"), [lambda request: block("COMPLETION_REPORT")(request).after(go)])
    rounds = {f"ROUND-{number}": [both(*_mixed(number))] for number in range(3)}
    plans: dict[str, list[Any]] = {
        "BY-SKILL": [call("Skill", skill="bg:bg", args="Audit the tests"), spawn("OURS-SKILL look")],
        "EXPLORE-FIRST": [
            spawn("FOREIGN-EXPLORE look", "Look around", "Explore", background=False),
            spawn("OURS-AFTER-EXPLORE look"),
        ],
        **rounds,
        "NO-LABEL": [spawn("OURS-UNLABELLED look", "Audit the docs")],
        "FOREGROUND": [
            spawn("FOREIGN-FOREGROUND look", "Look quickly", background=False),
            spawn("OURS-AFTER-FOREGROUND look"),
        ],
        "REFUSED": [spawn("FOREIGN-BANNED look", kind="banned"), spawn("OURS-SECOND-TRY look")],
        "NOTHING": [],
        "HELD": [spawn("OURS-HELD look")],
        "UNRELATED": [spawn("FOREIGN-LATER look", "Look at something else")],
    }
    with Model(script(plans, held)) as model, Home(model.url) as home:
        folder = home.project / ".claude" / "agents"
        folder.mkdir(parents=True)
        (folder / "banned.md").write_text(BANNED)
        with Headless(home, host, arguments([ROOT]) + RULES) as run:
            for key in plans:
                plain = key in {"BY-SKILL", "UNRELATED"}
                turn(run, model, f"{key} please" if plain else f"/bg:bg {key} of the work", key)
            until(lambda: "FOREIGN-LATER" in agents(model), "the unrelated agent ran")
            time.sleep(0.5)
            assert rows(home, "SELECT 1 FROM strangers") == []
            go.set()
            ours = sum(name.startswith("OURS-") for name in agents(model))
            until(
                lambda: len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == ours,
                lambda: rows(home, "SELECT * FROM runs"),
            )
            delivered(run, home, wakes=host not in UNWOKEN)
            before = len(rows(home, "SELECT 1 FROM windows"))
            run.send("/bg:bg  ")
            time.sleep(0.5)
            run.finish()
        found = judge(model, home)
        assert {name for name in found if name.startswith("OURS-")} == {
            "OURS-SKILL",
            "OURS-AFTER-EXPLORE",
            "OURS-0",
            "OURS-1",
            "OURS-2",
            "OURS-UNLABELLED",
            "OURS-AFTER-FOREGROUND",
            "OURS-SECOND-TRY",
            "OURS-HELD",
        }
        assert "FOREIGN-BANNED" not in found
        heard_once(model, home)
        states = {row["text"].split()[0]: row["state"] for row in rows(home, "SELECT text, state FROM tasks")}
        assert len(rows(home, "SELECT 1 FROM tasks")) == 10, rows(home, "SELECT label, text, state FROM tasks")
        assert states["NOTHING"] == "not_launched"
        assert {state for text_, state in states.items() if text_ != "NOTHING"} == {"partial"}
        assert len(rows(home, "SELECT 1 FROM windows")) == before
        assert rows(home, "SELECT 1 FROM windows WHERE closed IS NULL") == []
        if host in SHADOWED:
            shown = [event for event in run.events if "was not launched: NOTHING" in str(event)]
            assert len(shown) == 1, shown


def _mixed(number: int) -> tuple[Any, Any]:
    """An unlabelled Explore and the task in one message, in changing order and in both grounds."""
    explore = spawn(f"FOREIGN-{number} look", "Look around", "Explore", background=bool(number % 3))
    task = spawn(f"OURS-{number} look")
    return (explore, task) if number % 2 else (task, explore)


@pytest.mark.versions("2.1.197", NEWEST)
def test_twenty_rounds_of_both_in_one_message(host: str) -> None:
    """Never a wrong adoption, whatever the order in which the host starts them."""
    plans = {f"ROUND-{number}.": [both(*_mixed(number))] for number in range(20)}
    with Model(script(plans)) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT])) as run:
            for key in plans:
                turn(run, model, f"/bg:bg {key} of the work", key)
            until(
                lambda: len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == 20,
                lambda: rows(home, "SELECT * FROM runs"),
            )
            delivered(run, home, wakes=True)
            run.finish()
        found = judge(model, home)
        assert sum(name.startswith("OURS-") for name in found) == 20
        assert sum(name.startswith("FOREIGN-") for name in found) == 20
        heard_once(model, home)


def test_three_launches_from_one_command_are_answered_each_for_itself(host: str) -> None:
    """Own labels, own tokens; each agent gets its own answers."""
    labels = ("bg-1", "bg-2", "bg-3")
    steps = {}
    for number in range(3):
        steps[f"OURS-{number}"] = [block("CLARIFICATION_NEEDED"), later(block("COMPLETION_REPORT"), 0.3)]
    plans: dict[str, list[Any]] = {"SPLIT": [both(*[spawn(f"OURS-{number} look") for number in range(3)])]}
    for label in labels:
        plans[f"answers for {label} are recorded"] = [_waking(label), _loaded(label)]
    actors = [("ours", asked(name), each) for name, each in steps.items()]
    with Model(Script(*actors, ("parent", parent, directed(plans)))) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT])) as run:
            turn(run, model, "/bg:bg SPLIT the work", "SPLIT")
            until(
                lambda: len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == 3,
                lambda: {
                    name: rows(home, f"SELECT * FROM {name}") for name in ("runs", "launches", "strangers", "errors")
                },
            )
            delivered(run, home, wakes=host not in UNWOKEN)
            for label in labels:
                run.send(f"/bg-answer {label} Q1: csv-{label}.  Q2: none-{label}.")
                until(lambda label=label: _resumed(model, home, label), lambda: rows(home, "SELECT * FROM resumes"))
            until(
                lambda: len(rows(home, "SELECT 1 FROM runs WHERE ended IS NOT NULL")) == 6,
                lambda: rows(home, "SELECT * FROM runs"),
            )
            delivered(run, home, wakes=host not in UNWOKEN)
            run.finish()
        judge_split(model, home, host, labels)


def _waking(label: str) -> Any:
    """Wake the agent of this label, and no other, the way the hook says; a deferred tool is loaded first."""

    def step(request: Request) -> Any:
        way = re.findall(rf"answers for {label} are recorded\. Resume it now: (.*)", request.all_text())[-1]
        agent = re.findall(r'(?:to|resume): "([^"]+)"', way)
        properties = request.tool("Task").get("input_schema", {}).get("properties", {})
        if agent and "SendMessage" in request.tools():
            return call("SendMessage", to=agent[0], message=f"For {label}.", summary="answers")
        if agent and "resume" in properties:
            return call(
                "Task", resume=agent[0], description="go on", prompt=f"For {label}.", subagent_type="general-purpose"
            )
        if agent:
            return call("ToolSearch", query="select:SendMessage", max_results=3)
        return spawn(f"For {label}.", f"{label}: go on")(request)

    return step


def _resumed(model: Model, home: Home, label: str) -> bool:
    """The resume is proven and the parent's turn is over: in mid-turn, most hosts show no hook what the user types."""
    last = [request for request in model.requests if request.actor == "parent"][-1]
    spoken = last.reply is not None and not any(part["type"] == "tool_use" for part in last.reply.blocks)
    return spoken and bool(rows(home, "SELECT 1 FROM resumes WHERE label = ? AND proven IS NOT NULL", label))


def _loaded(label: str) -> Any:
    """Nothing more, unless the tool had to be loaded."""

    def step(request: Request) -> Any:
        return _waking(label)(request) if request.tool_results()[-1].tool == "ToolSearch" else text("Sent.")

    return step


def judge_split(model: Model, home: Home, host: str, labels: tuple[str, ...]) -> None:
    launched = rows(home, "SELECT label, token, agent FROM launches ORDER BY made")
    assert {row["label"] for row in launched} == set(labels)
    given = {name: token(request).rpartition("-")[0] for name, request in agents(model).items()}
    assert given == {f"OURS-{number}": label for number, label in enumerate(labels)}
    assert len({row["token"] for row in launched}) == len(launched) == (6 if host == CANNOT_RESUME else 3)
    assert {row["grp"] for row in rows(home, "SELECT grp FROM tasks")} == {"bg-1"}
    for label in labels:
        heard = [request for request in model.requests if request.actor == "ours" and f"csv-{label}." in news(request)]
        assert heard, label
        for request in heard:
            assert token(request).startswith(f"{label}-")
            for other in labels:
                assert other == label or f"csv-{other}." not in request.all_text()
    assert {row["state"] for row in rows(home, "SELECT state FROM tasks")} == {"partial"}
    assert {row["state"] for row in rows(home, "SELECT state FROM questions")} == {"sent"}
    assert rows(home, "SELECT * FROM errors") == []
