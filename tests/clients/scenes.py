"""The scenes that are recorded from the real hosts: each plays one course of events and ends when it is over."""

from __future__ import annotations

import threading
import time
from typing import Any, Callable, NamedTuple

from rig import clients
from rig.request import Request
from rig.script import Reply, Script, asked, call, failure, parent, text
from rig.session import auto_mode
from stage import Stage, agent_id, launch, using

REPORT = 'First line <tag> & "quotes".\n\n[PROBE_BLOCK]\nkey: value: with colon\n[/PROBE_BLOCK]'
Play = Callable[[Stage], None]


class Scene(NamedTuple):
    """A course of events: what the model says, and what the user does."""

    script: Script
    play: Play


def old(version: str) -> bool:
    """Hosts on which -p does not live until a background agent has ended."""
    return clients.numbers(version) < (2, 1, 63)


def modern(version: str) -> bool:
    """Hosts with SendMessage, nested agents and agents that wake the session under -p."""
    return clients.numbers(version) >= (2, 1, 197)


def live(words: str, said: int, *gates: tuple[threading.Event, int]) -> Play:
    """Play in -p where that waits for agents, else in a terminal, until the parent has answered that often.

    Each gate is opened a second after the parent's answer with that number, so that an agent which waits for it ends
    while the session idles.
    """

    def play(stage: Stage) -> None:
        for gate in gates:
            threading.Thread(target=_open, args=(stage, *gate), daemon=True).start()
        if not old(stage.version):
            stage.print(words)
            return
        with stage.terminal() as term:
            term.say(words)
            stage.model.wait_said("parent", said)
            term.settle(3)
            stage.look(term)

    return play


def _open(stage: Stage, gate: threading.Event, said: int) -> None:
    try:
        stage.model.wait_said("parent", said)
        time.sleep(1)
    finally:
        gate.set()


def background(version: str) -> Scene:
    """An agent in the background ends with text while the session idles; the notification wakes the parent."""
    over = threading.Event()
    script = Script(
        ("agent", asked("SUBTASK"), [call("Bash", command="echo work", description="Work"), text(REPORT).after(over)]),
        ("parent", parent, [launch(version, "SUBTASK look around"), text("Launched."), text("Noted.")]),
    )

    return Scene(script, live("Launch it", 3, (over, 2)))


def midturn(version: str) -> Scene:
    """The agent ends while the parent is at work in the same turn."""
    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT)]),
        (
            "parent",
            parent,
            [
                launch(version, "SUBTASK look around"),
                call("Bash", command="sleep 2", description="Wait"),
                call("Bash", command="echo again", description="Once more"),
                text("Turn over."),
                text("Noted."),
            ],
        ),
    )
    return Scene(script, live("Launch it", 4))


def foreground(version: str) -> Scene:
    """A launch that the parent waits for."""
    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT)]),
        ("parent", parent, [launch(version, "SUBTASK look", run_in_background=False), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def void(_: object) -> None:
    """Drop a value."""


def taskoutput(version: str) -> Scene:
    """The parent reads the result with TaskOutput, on the hosts that have it."""

    def read(request: Request) -> Reply:
        return call("TaskOutput", task_id=agent_id(request), block=True, timeout=20000)

    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT).later(1)]),
        ("parent", parent, [launch(version, "SUBTASK look"), *using("TaskOutput", read), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def resume(version: str) -> Scene:
    """An agent that has ended is resumed: SendMessage, or the launch tool's own `resume` on the old hosts."""
    first, second = threading.Event(), threading.Event()

    def again(request: Request) -> Reply:
        who = agent_id(request)
        if old(version):
            return launch(version, "The answers are: yes.", resume=who)
        return call("SendMessage", to=who, message="The answers are: yes.", summary="Answers")

    steps: list[Any] = [again] if old(version) else using("SendMessage", again)
    said = 3 + len(steps)
    script = Script(
        ("agent", asked("SUBTASK"), [text(REPORT).after(first), text("Second report.").after(second)]),
        (
            "parent",
            parent,
            [launch(version, "SUBTASK look"), text("Launched."), *steps, text("Resumed."), text("Noted.")],
        ),
    )
    return Scene(script, live("Launch it", said + 1, (first, 2), (second, said)))


def handback(version: str) -> Scene:
    """Auto mode: the report through SubagentHandback where the host has it, else as text."""

    def report(request: Request) -> Reply:
        if "SubagentHandback" in request.tools():
            return call("SubagentHandback", message=REPORT)
        return text(REPORT)

    script = Script(
        ("agent", asked("SUBTASK"), [report]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it", auto_mode())))


def to_main(version: str) -> Scene:
    """A running agent sends a message to the session that launched it."""
    heard = threading.Event()

    def tell(_: Request) -> Reply:
        return call("SendMessage", to="main", message="Note on the way:\n" + REPORT, summary="A note")

    def hear(_: Request) -> Reply:
        heard.set()
        return text("Heard.")

    script = Script(
        ("agent", asked("SUBTASK"), [*using("SendMessage", tell), text("Final text.").after(heard).later(1)]),
        ("parent", parent, [launch(version, "SUBTASK look"), text("Launched."), hear, text("Noted.")]),
    )
    return Scene(script, lambda stage: void(stage.print("Launch it")))


def _cut(version: str, steps: list[Reply], **more: Any) -> Scene:
    over = threading.Event()
    script = Script(
        ("agent", asked("SUBTASK"), [steps[0].after(over), *steps[1:]]),
        ("parent", parent, [launch(version, "SUBTASK look", **more), text("Launched."), text("Noted.")]),
    )
    return Scene(script, live("Launch it", 3, (over, 2)))


def cut_turns(version: str) -> Scene:
    """An agent ended by its turn limit."""
    steps = [text(f"Step {n}.") + call("Bash", command=f"echo {n}", description="Step") for n in range(6)]
    return _cut(version, [*steps, text("The end.")], subagent_type="probe:short")


def cut_tokens(version: str) -> Scene:
    """An agent whose every answer is ended by the output limit."""
    return _cut(version, [text(f"Part {n} of a long rep").cut() for n in range(8)])


def cut_error(version: str) -> Scene:
    """An agent whose request the API refuses."""
    work = text("I begin.") + call("Bash", command="echo work", description="Work")
    return _cut(version, [work, *[failure(400, "invalid_request_error", "scripted failure")] * 40])


def stopped(version: str) -> Scene:
    """The parent stops a running agent."""
    never = threading.Event()
    begun = threading.Event()

    def work(_: Request) -> Reply:
        begun.set()
        return text("I begin.") + call("Bash", command="echo work", description="Work")

    def stop(request: Request) -> Reply:
        who = agent_id(request)
        if version == "2.1.7":
            return call("KillShell", shell_id=who)
        return call("TaskStop", task_id=who)

    def wait(request: Request) -> Reply:
        begun.wait(10)
        time.sleep(1)
        return using("KillShell" if version == "2.1.7" else "TaskStop", stop)[0](request)

    script = Script(
        ("agent", asked("SUBTASK"), [work, text("Never said.").after(never)]),
        ("parent", parent, [launch(version, "SUBTASK look"), wait, stop, text("Stopped."), text("Noted.")]),
    )

    def play(stage: Stage) -> None:
        live("Launch it", 4)(stage)
        never.set()

    return Scene(script, play)
