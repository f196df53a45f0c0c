"""The evals on the host's own harness: a model that keeps the protocol, one that does not, and none with the plugin."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any, Callable

import pytest
import yaml
from generations import NEWEST
from loop import ROOT, block, launch, news, report
from rig import clients, evals
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, call, parent, subagent, text

CASES = sorted(path.parent.name for path in (ROOT / "evals").glob("*/case.yaml"))
TAKES = re.compile(r"tell me what comes back:\s*(.*)", re.DOTALL)

# How an agent ends that keeps the protocol, by what its task says; the words are what its parent then tells the user.
KEEPS: dict[str, tuple[str, Any, str]] = {
    "clarification": (
        "Analyze the codebase",
        block("CLARIFICATION_NEEDED"),
        "It asks: which export format, CSV or XLSX?",
    ),
    "stop-and-resume": ("npm audit", block("STOP_WORK"), "It is blocked: there is no lock file and no way to run npm."),
    "delegation": (
        "security audit",
        block("DELEGATE_WORK", independence="blocks_current_work"),
        "It proposes an agent for the refactoring.",
    ),
    "completion": ("TODO_LIST.md", block("COMPLETION_REPORT"), "TODO_LIST.md is written."),
    "asks-only-when-it-must": (
        "which separator",
        block("COMPLETION_REPORT"),
        "The function export writes it, with a comma.",
    ),
    "stops-with-a-checkpoint": ("services.txt", block("STOP_WORK"), "Two are done; docs/ has nothing on shipping."),
    "reports-honestly": ("MANIFEST.txt", block("COMPLETION_REPORT"), "src/export.py is empty."),
    "keeps-the-block-after-a-long-run": ("twenty files", block("COMPLETION_REPORT"), "The sum is 210."),
}
NAIVE = "All files are there and everything is in order: found 0 vulnerabilities."


def case_of(request: Request) -> str:
    words = request.all_text()
    return next(name for name, (task, _, _) in KEEPS.items() if task in words)


def the_parent(final: Callable[[Request], str]) -> Callable[[Request], Reply]:
    """Uses the plugin's command where it is there, else the tool itself; says at the end what the agent brought."""

    def step(request: Request) -> Reply:
        told = news(request)
        if "<task-notification>" in told or "has not seen these questions" in told:
            return text(final(request))
        task = TAKES.search(request.first_user_text())
        assert task, request.first_user_text()[:300]
        if "[from the bg plugin, not from the user] label:" in told and "The plugin's hooks are running" in told:
            return launch(task[1])(request)
        if "Unknown skill" in told:
            return call("Agent", description="the task", prompt=task[1], subagent_type="general-purpose")
        if "Launching skill" in told or "tell me what comes back" in told:
            return call("Skill", skill="bg:bg", args=task[1]) if "Launching" not in told else text("Handed over.")
        return text("Handed over.")

    return step


def keeper(request: Request) -> Reply:
    """Does the one thing that leaves a trace on disk, then ends as its identity asks; without one, in prose."""
    name = case_of(request)
    if name == "completion" and not request.tool_results():
        path = str(Path(where(request)) / "TODO_LIST.md")
        return call("Write", file_path=path, content="src/auth.py:2 TODO\n").later(0.3)
    if "You are bg-" not in request.first_user_text():
        return report(request, KEEPS[name][2])
    ended: Reply = KEEPS[name][1](request)
    return ended.later(0.3)


def where(request: Request) -> str:
    found = re.search(r"working directory: (/\S+)", request.all_text())
    assert found, request.system_text()[-1500:]
    return found[1]


def breaker(request: Request) -> Reply:
    """Says that all is well, whatever is asked, and never in the form that is asked for."""
    return report(request, NAIVE).later(0.3)


def run(home: Home, model: Model, *more: str) -> list[evals.Measure]:
    """The host's own command on this repository's cases, from a copy, as evals may not write into the checkout."""
    home.base_url = model.url
    result = home.root / "out" / "result.json"
    result.parent.mkdir(exist_ok=True)
    command = evals.command(clients.entry(NEWEST), result, more=["--trust-plugin", "--runs", "1", *more])
    done = subprocess.run(
        command, env=home.env(), cwd=home.project, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=560
    )
    assert result.is_file(), (done.stdout[-2000:], done.stderr[-3000:])
    data = json.loads(result.read_text())
    every = [(case, arm, each) for case in data["cases"] for arm, runs in case["arms"].items() for each in runs or []]
    problems = [each["error"] for _, _, each in every if each["error"]]
    try:
        assert problems == [], done.stderr[-3000:]
        for case, arm, each in every:
            print(case["name"], arm, each["score"], [found["name"] for found in each["graders"] if not found["passed"]])
        return evals.measures(data)
    finally:
        evals.remove(data)


def scripted(agent: Callable[[Request], Reply], final: Callable[[Request], str]) -> Script:
    return Script(("agent", subagent, [agent] * 400), ("parent", parent, [the_parent(final)] * 400))


@pytest.mark.patient
@pytest.mark.versions(NEWEST)
def test_the_scores_tell_a_model_that_keeps_the_protocol_from_one_that_does_not(
    host: str, tell: Callable[[str], None]
) -> None:
    kept = scripted(keeper, lambda request: KEEPS[case_of(request)][2])
    with Model(kept) as model, Home() as home:
        good = run(home, model)
    broken = scripted(breaker, lambda _: NAIVE)
    with Model(broken) as model, Home() as home:
        bad = run(home, model, "--ablation", "none")
    tell(f"keeps the protocol:\n{evals.table(good)}\n\ndoes not:\n{evals.table(bad)}")

    with_plugin = [measure for measure in good if measure.arm == "with"]
    without = [measure for measure in good if measure.arm == "without"]
    assert [measure.case for measure in with_plugin] == [measure.case for measure in without] == CASES
    for measure in with_plugin:
        assert (measure.score, measure.runs, measure.blocks, measure.corrections) == (1.0, 1, 1, 0), measure
        assert measure.questions == (2 if measure.case == "clarification" else 0)
        assert measure.needless == 0
    for measure in without:
        assert (measure.blocks, measure.corrections) == (0, 0), measure
        assert measure.score < 1.0
    assert [measure.case for measure in bad] == CASES
    for measure in bad:
        assert (measure.runs, measure.blocks, measure.corrections) == (1, 0, 1), measure
        assert measure.score <= 0.5, measure


def test_each_case_has_what_the_harness_and_the_measures_need() -> None:
    assert set(CASES) == set(KEEPS)
    tags = set()
    for name in CASES:
        folder = ROOT / "evals" / name
        case = yaml.safe_load((folder / "case.yaml").read_text(encoding="utf-8"))
        assert case["name"] == name
        assert (folder / case["context"]["scaffold_script"]).is_file()
        names = [grader["name"] for grader in case["graders"]]
        assert names[:2] == ["ends-with-block", "needs-no-correction"]
        assert (evals.NEEDLESS in names) <= ("must-not-ask" in case["tags"])
        tags |= set(case["tags"])
        for grader in case["graders"]:
            if grader["type"] == "regex":
                re.compile(grader["pattern"])
    assert tags == {"seeds", "hard", "must-not-ask"}


@pytest.mark.versions(NEWEST)
def test_a_needless_question_is_counted_and_costs_points(host: str) -> None:
    def nosy(request: Request) -> Reply:
        asks: Reply = block("CLARIFICATION_NEEDED")(request)
        return asks.later(0.3)

    with Model(scripted(nosy, lambda _: "It asks which format you want.")) as model, Home() as home:
        found = run(home, model, "--case", "completion", "--ablation", "none")
    assert [(each.runs, each.blocks, each.questions, each.needless) for each in found] == [(1, 1, 2, 2)]
    assert found[0].score == 0.25
