"""More scenes: several agents, the user's side (commands, questions, sessions), refusals, nested agents, forks."""

from __future__ import annotations

import threading
import time

from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from scenes import REPORT, Scene, live, void
from stage import Stage, agent_id, launch, using

QUESTIONS = [
    {
        "question": "Which scope?",
        "header": "Scope",
        "multiSelect": False,
        "options": [{"label": "Small", "description": "One file"}, {"label": "Large", "description": "All files"}],
    },
    {
        "question": "Which style?",
        "header": "Style",
        "multiSelect": False,
        "options": [{"label": "Terse", "description": "Short"}, {"label": "Full", "description": "Long"}],
    },
]
REWRITTEN = [{**question, "question": "bg-3 Q1: " + str(question["question"])} for question in QUESTIONS]


def two(version: str) -> Scene:
    """Two agents launched in one message; they end one after the other while the session idles."""
    over, later = threading.Event(), threading.Event()
    script = Script(
        ("first", asked("SUBTASK-A"), [text("Report A").after(over)]),
        ("second", asked("SUBTASK-B"), [text("Report B").after(later)]),
        (
            "parent",
            parent,
            [
                launch(version, "SUBTASK-A look", "Task A") + launch(version, "SUBTASK-B look", "Task B"),
                text("Launched."),
                text("Noted one."),
                text("Noted two."),
            ],
        ),
    )
    return Scene(script, live("Launch both", 4, (over, 2), (later, 3)))


def two_at_once(version: str) -> Scene:
    """Two agents that both end while the parent is at work."""
    script = Script(
        ("first", asked("SUBTASK-A"), [text("Report A")]),
        ("second", asked("SUBTASK-B"), [text("Report B")]),
        (
            "parent",
            parent,
            [
                launch(version, "SUBTASK-A look", "Task A") + launch(version, "SUBTASK-B look", "Task B"),
                call("Bash", command="sleep 3", description="Wait"),
                call("Bash", command="echo again", description="Once more"),
                text("Turn over."),
                text("Noted one."),
                text("Noted two."),
            ],
        ),
    )
    return Scene(script, live("Launch both", 4))


def explore(version: str) -> Scene:
    """A one-shot agent in the foreground."""
    script = Script(
        ("agent", asked("SUBTASK"), [text("Found nothing.")]),
        (
            "parent",
            parent,
            [launch(version, "SUBTASK find", subagent_type="Explore", run_in_background=None), text("Noted.")],
        ),
    )
    return Scene(script, lambda stage: void(stage.print("Explore it")))


def question(_: str) -> Scene:
    """AskUserQuestion in a terminal, its questions rewritten by a hook, answered by the user."""

    def play(stage: Stage) -> None:
        stage.rules({"event": "PreToolUse", "tool": "AskUserQuestion", "merge": {"questions": REWRITTEN}})
        with stage.terminal() as term:
            term.say("Ask me")
            term.wait_for(r"Which scope\?")
            time.sleep(0.7)
            stage.look(term)
            term.keys("Enter")
            time.sleep(0.7)
            term.keys("Down")
            time.sleep(0.4)
            term.keys("Enter")
            time.sleep(0.7)
            stage.look(term)
            term.keys("Enter")
            stage.model.wait_said("parent", 2)
            stage.wait_notes("Stop")
            stage.look(term)

    return Scene(Script(("parent", parent, [call("AskUserQuestion", questions=QUESTIONS), text("Thanks.")])), play)


def question_print(_: str) -> Scene:
    """AskUserQuestion under -p."""
    script = Script(("parent", parent, [call("AskUserQuestion", questions=QUESTIONS), text("Thanks.")]))
    return Scene(script, lambda stage: void(stage.print("Ask me")))


def command(_: str) -> Scene:
    """A slash command of the plugin typed by the user (prefixed, then bare), then run by Claude as a skill."""
    script = Script(
        (
            "parent",
            parent,
            [
                text("One."),
                text("Two."),
                call("Skill", skill="probe:probe-say", args='from "Claude" $HOME'),
                text("Three."),
            ],
        )
    )

    def play(stage: Stage) -> None:
        for words in ('/probe:probe-say it\'s "a" $HOME; `id`', "/probe-say bare words", "Run the command"):
            stage.print(words)

    return Scene(script, play)


def sessions(_: str) -> Scene:
    """A session is compacted, cleared, left, and the first one resumed."""
    script = Script(("parent", parent, [text(f"Answer {n}.") for n in range(8)]))

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Hello one")
            stage.wait_notes("Stop", 1)
            first = str(stage.notes("Stop")[0]["event"]["session_id"])
            time.sleep(1)
            term.say("Hello two")
            stage.wait_notes("Stop", 2)
            time.sleep(1)
            term.say("/compact")
            stage.wait_notes("SessionStart", 2)
            time.sleep(2)
            stage.look(term)
            term.say("/clear")
            stage.wait_notes("SessionStart", 3)
            time.sleep(2)
            term.say("Hello three")
            stage.wait_notes("Stop", 3)
            time.sleep(1)
            stage.look(term)
        stage.print("Hello again", ["--resume", first])

    return Scene(script, play)


def send_unknown(version: str) -> Scene:
    """Messages to an agent that never was, and to one whose transcript has been deleted."""
    known: list[Stage] = []

    def nobody(_: Request) -> Reply:
        return call("SendMessage", to="a0123456789abcdef", message="Are you there?", summary="A question")

    def gone(request: Request) -> Reply:
        for path in known[0].home.transcripts():
            if path.parent.name == "subagents":
                path.unlink()
        return call("SendMessage", to=agent_id(request), message="Are you still there?", summary="A question")

    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT)]),
        (
            "parent",
            parent,
            [
                launch(version, "SUBTASK look"),
                text("Launched."),
                *using("SendMessage", nobody),
                text("Failed once."),
                gone,
                text("Failed twice."),
            ],
        ),
    )

    def play(stage: Stage) -> None:
        known.append(stage)
        first = stage.print("Launch it")
        stage.print("Again", ["--resume", first.session_id])

    return Scene(script, play)


def denied(version: str) -> Scene:
    """A launch that a permission rule denies."""
    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look", subagent_type="Explore"), text("Refused.")]),
    )
    rules = ["--disallowedTools", "Task(Explore) Agent(Explore)"]
    return Scene(script, lambda stage: void(stage.print("Launch it", rules)))


def nested(version: str) -> Scene:
    """A subagent launches one of its own."""
    script = Script(
        ("inner", asked("INNER"), [text("Inner report.").later(1)]),
        (
            "agent",
            asked("SUBTASK"),
            [launch(version, "INNER look", "Inner task"), text("I wait."), text("Outer report.")],
        ),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted."), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def fork(version: str) -> Scene:
    """In a terminal on hosts with fork mode: what the launch tool offers, and a fork."""
    forked = "SUBTASK as a fork"

    def is_fork(request: Request) -> bool:
        return request.is_subagent or forked in request.last_user_text()

    script = Script(
        ("agent", is_fork, [text(REPORT)]),
        (
            "parent",
            parent,
            [launch(version, forked, subagent_type="fork", run_in_background=None), text("Launched."), text("Noted.")],
        ),
    )

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Fork it")
            stage.wait_notes("Stop", 2)
            time.sleep(1)
            stage.look(term)

    return Scene(script, play)
