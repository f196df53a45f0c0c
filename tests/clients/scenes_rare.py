"""Rarer courses of events: blocks and denials, messages in mid-turn, busy nested agents, worktrees, refusals."""

from __future__ import annotations

import contextlib
import subprocess
import threading
import time
from typing import Any

from rig.request import Request
from rig.script import Reply, Script, asked, call, parent, text
from rig.session import auto_mode
from scenes import REPORT, Scene, live, void
from scenes_more import QUESTIONS
from stage import Stage, agent_id, launch, using

AGAIN = "Give the whole report again, with the block."


def _handback(message: str) -> Any:
    def step(request: Request) -> Reply:
        return call("SubagentHandback", message=message) if "SubagentHandback" in request.tools() else text(message)

    return step


def _busy(*replies: Any) -> list[Any]:
    """The parent at work for some seconds, then its answers."""
    return [
        call("Bash", command="sleep 2", description="Wait"),
        call("Bash", command="echo again", description="Once more"),
        *replies,
    ]


def blocked(version: str) -> Scene:
    """A SubagentStop hook asks once for the report again."""
    script = Script(
        ("agent", asked("SUBTASK"), [text("Bare words."), text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )

    def play(stage: Stage) -> None:
        # 2.1.38 fires SubagentStop for its own prompt suggestions too; only the launched agent has a type there.
        fits = {} if version == "2.1.7" else {"contains": '"agent_type": "general-purpose"'}
        stage.rules({"event": "SubagentStop", "times": 1, "answer": {"decision": "block", "reason": AGAIN}, **fits})
        live("Launch it", 3)(stage)

    return Scene(script, play)


def handback_denied(version: str) -> Scene:
    """A PreToolUse hook denies the first hand-back; the corrected one is delivered."""
    script = Script(
        ("agent", asked("SUBTASK"), [_handback("Bare words."), _handback(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )
    deny = {"hookEventName": "PreToolUse", "permissionDecision": "deny", "permissionDecisionReason": AGAIN}

    def play(stage: Stage) -> None:
        answer = {"hookSpecificOutput": deny}
        stage.rules({"event": "PreToolUse", "tool": "SubagentHandback", "times": 1, "answer": answer})
        stage.print("Launch it", auto_mode())

    return Scene(script, play)


def handback_text(version: str) -> Scene:
    """In auto mode an agent ends with plain text again and again and never hands back."""
    script = Script(
        ("agent", asked("SUBTASK"), [text(f"Bare words {n}.") for n in range(6)]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it", auto_mode())))


def handback_foreground(version: str) -> Scene:
    """In auto mode, a launch that the parent waits for."""
    script = Script(
        ("agent", asked("SUBTASK"), [_handback(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look", run_in_background=False), text("Noted."), text("More.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it", auto_mode())))


def handback_midturn(version: str) -> Scene:
    """A hand-back that arrives while the parent is at work."""
    script = Script(
        ("agent", asked("SUBTASK"), [_handback(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look"), *_busy(text("Turn over."), text("Noted."))]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it", auto_mode())))


def to_main_midturn(version: str) -> Scene:
    """An agent's message to the session that arrives while the parent is at work."""

    def tell(_: Request) -> Reply:
        return call("SendMessage", to="main", message=REPORT, summary="A note")

    script = Script(
        ("agent", asked("SUBTASK"), [*using("SendMessage", tell), text("Final text.").later(4)]),
        ("parent", parent, [launch(version, "SUBTASK look"), *_busy(text("Turn over."), text("Noted."))]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def send_running(version: str) -> Scene:
    """The parent sends a message to an agent that is at work."""
    sent = threading.Event()

    def send(request: Request) -> Reply:
        return call("SendMessage", to=agent_id(request), message="Use tabs.", summary="A hint")

    def done(_: Request) -> Reply:
        sent.set()
        return text("Sent.")

    work = call("Bash", command="sleep 1", description="Work").after(sent)
    script = Script(
        ("agent", asked("SUBTASK"), [work, text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look"), *using("SendMessage", send), done, text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def nested_busy(version: str) -> Scene:
    """A subagent's own agent ends while the subagent is still at work."""
    steps = [launch(version, "INNER look", "Inner task"), *_busy(text("Outer report."))]
    script = Script(
        ("inner", asked("INNER"), [text("Inner report.")]),
        ("agent", asked("SUBTASK"), steps),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def parked(version: str) -> Scene:
    """An agent ends its turn while its own background command runs; the host wakes it at the end of that, or never."""
    build = call("Bash", command="while [ ! -e go ]; do sleep 0.1; done; echo built", run_in_background=True)
    script = Script(
        ("agent", asked("SUBTASK"), [build, text("The build runs; I wait for it."), text(REPORT), text("Again.")]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), *[text("Noted.")] * 6]),
    )

    def play(stage: Stage) -> None:
        with stage.headless(["--allowedTools", "Agent Bash SendMessage"]) as run:
            run.send("Launch it")
            stage.wait_notes("SubagentStop", 1)
            run.await_turn()
            time.sleep(2)
            run.turn("What goes on?")
            (stage.home.project / "go").touch()
            with contextlib.suppress(TimeoutError):  # 2.1.197 never wakes it
                stage.wait_notes("SubagentStop", 2, timeout=8)
            time.sleep(2)
            run.turn("And now?")
            run.finish()

    return Scene(script, play)


def worktree(version: str) -> Scene:
    """An agent that works in a worktree of its own."""
    script = Script(
        ("agent", asked("SUBTASK"), [call("Bash", command="pwd", description="Where"), text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK", isolation="worktree"), text("Launched."), text("Noted.")]),
    )

    def play(stage: Stage) -> None:
        who = ["-c", "user.name=A", "-c", "user.email=a@example.com"]
        for args in (["init", "-q"], [*who, "commit", "-q", "--allow-empty", "-m", "first"]):
            command = ["git", *args]
            subprocess.run(command, cwd=stage.home.project, check=True)
        stage.print("Launch it")

    return Scene(script, play)


def question_refused(_: str) -> Scene:
    """The user leaves the question with Escape."""

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Ask me")
            term.wait_for(r"Which scope\?")
            term.settle()
            term.keys("Escape")
            time.sleep(2)
            stage.look(term)

    return Scene(Script(("parent", parent, [call("AskUserQuestion", questions=QUESTIONS), text("Well.")])), play)


def question_typed(_: str) -> Scene:
    """The user types an answer of their own instead of choosing one."""

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Ask me")
            term.wait_for(r"Which scope\?")
            term.settle()
            for key in ("Down", "Down"):
                term.keys(key)
                time.sleep(0.3)
            term.write('Only "src", please')
            time.sleep(0.5)
            term.keys("Enter")
            stage.look(term)
            stage.wait_notes("Stop", 1)
            stage.look(term)

    return Scene(Script(("parent", parent, [call("AskUserQuestion", questions=QUESTIONS[:1]), text("Thanks.")])), play)


def permission(version: str) -> Scene:
    """The host asks its user whether an agent in the background may make a call; the user says yes."""
    script = Script(
        ("agent", asked("SUBTASK"), [call("Bash", command="rm -rf build", description="Remove it"), text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Launch it")
            term.wait_for(r"Do you want to proceed\?")
            term.settle()
            stage.look(term)
            term.keys("Enter")
            stage.model.wait_said("parent", 3)
            term.settle(2)
            stage.look(term)

    return Scene(script, play)


def moved(version: str) -> Scene:
    """In a terminal: ← moves the session into the background while an agent runs, which ends there; the user goes there."""
    go = threading.Event()
    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT).after(go)] * 2),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted."), text("Still here.")]),
    )

    def play(stage: Stage) -> None:
        with stage.terminal() as term:
            term.say("Launch it")
            stage.model.wait_said("parent", 2)
            stage.wait_notes("Stop", 1)
            term.settle()
            term.keys("Left")
            term.wait_for("moved to the background")
            stage.wait_notes("SubagentStart", 2)
            go.set()
            stage.wait_notes("Stop", 2)
            stage.look(term)
            term.keys("Enter")
            term.wait_for("Launch it")
            term.settle()
            term.say("Where were we?")
            stage.wait_notes("Stop", 3)
            stage.look(term)

    return Scene(script, play)
