"""A parent that follows one plan for each prompt of the user, and what tests of many launches in one session share."""

from __future__ import annotations

import contextlib
import re
import time
from typing import Any, Callable, Union

from loop import news, rows, spawn_tool
from rig import clients
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, call, text
from rig.session import Headless
from rig.terminal import Interactive

Step = Any
SERVED_SINCE = 2, 1, 287  # from this version on, the module serves the plugin's commands in a terminal
LABEL = re.compile(r"not from the user\] label: (bg-\d+)")


def directed(plans: dict[str, list[Step]]) -> list[Callable[[Request], Reply]]:
    """The parent's steps: a prompt with a plan's key starts it, tool results carry it on, a notification is noted."""
    left = dict(plans)
    plan: list[Step] = []
    key = ""

    def step(request: Request) -> Reply:
        nonlocal plan, key
        told = news(request)
        found = [name for name in left if name in told]
        if found:
            key = found[0]
            plan = [*left.pop(key), text(f"END-{key}")]
        elif not any(_is_result(message) for message in _fresh(request)):
            return text("Noted.")
        if not plan:
            return text("Noted.")
        reply = plan.pop(0)
        return reply if isinstance(reply, Reply) else reply(request)

    return [step] * 400


def _fresh(request: Request) -> list[dict[str, Any]]:
    fresh: list[dict[str, Any]] = []
    for message in request.messages:
        fresh = [] if message.get("role") == "assistant" else [*fresh, message]
    return fresh


def _is_result(message: dict[str, Any]) -> bool:
    content = message.get("content")
    return isinstance(content, list) and any(
        part.get("type") == "tool_result" for part in content if isinstance(part, dict)
    )


def said(request: Request, words: str) -> bool:
    """The parent's answer to this request was these words."""
    return bool(request.reply and any(block.get("text") == words for block in request.reply.blocks))


def turn(run: Headless, model: Model, words: str, key: str) -> Request:
    """Say something and wait until the plan of that key has come to its end."""
    run.send(words)
    return model.wait_for(lambda request: request.actor == "parent" and said(request, f"END-{key}"))


def spawn(
    prompt: str, description: str = "{label}: do it", kind: str = "general-purpose", *, background: bool = True
) -> Step:
    """One launch; `{label}` is the label that the hook gave last."""

    def step(request: Request) -> Reply:
        labels = LABEL.findall(request.all_text())
        given = {"subagent_type": kind, "run_in_background": background}
        offered = request.tool(spawn_tool(request)).get("input_schema", {}).get("properties", {})
        given = {key: value for key, value in given.items() if key in offered}
        named = description.replace("{label}", labels[-1] if labels else "bg-0")
        return call(spawn_tool(request), description=named, prompt=prompt, **given)

    return step


def both(*steps: Step) -> Step:
    """Several calls in one message."""

    def step(request: Request) -> Reply:
        replies = [each if isinstance(each, Reply) else each(request) for each in steps]
        whole = replies[0]
        for reply in replies[1:]:
            whole = whole + reply
        return whole

    return step


def until(holds: Callable[[], bool], what: Any, seconds: float = PATIENCE) -> None:
    """Wait for a condition; what is not so is said."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what() if callable(what) else what
        time.sleep(0.05)


def speak(run: Union[Headless, Interactive], words: str) -> None:
    """Say something, and wait for the end of what goes before it."""
    if isinstance(run, Interactive):
        run.settle()
        run.say(words)
    else:
        run.send(words)
        run.await_turn()


def answers_are(host: str) -> str:
    """How it is known that a person has typed an answer: by the module in the client, else by the host's record."""
    return "client" if clients.numbers(host) >= SERVED_SINCE else "keyboard"


def brought(
    run: Union[Headless, Interactive],
    holds: Callable[[], bool],
    what: Any,
    words: str = "Anything new?",
    *,
    waits: float = 0.0,
) -> None:
    """Wait for what only an event brings, and after so many seconds speak until one has brought it.

    A scripted model ends its turn before the host has written down what was said in it, so that the next event is the
    first to find it in the transcript.
    """
    deadline = time.monotonic() + PATIENCE
    with contextlib.suppress(AssertionError):
        until(holds, "", waits)
    while not holds():
        assert time.monotonic() < deadline, what() if callable(what) else what
        speak(run, words)
        with contextlib.suppress(AssertionError):
            until(holds, "", 3)


def delivered(run: Union[Headless, Interactive], home: Home, *, wakes: bool) -> None:
    """Wait until the parent has heard everything, and the ledger knows it; hosts that do not wake it are spoken to."""
    sql = "SELECT label, subject, run, mark, surfaced, said, seen FROM deliveries WHERE seen IS NULL"
    brought(
        run,
        lambda: not rows(home, sql),
        lambda: (rows(home, sql), rows(home, "SELECT label, state FROM tasks")),
        waits=3 if wakes else 0,
    )


def agents(model: Model) -> dict[str, Request]:
    """The first request of each agent, by the first word of its task in capitals (`OURS-…`, `FOREIGN-…`)."""
    found: dict[str, Request] = {}
    for request in model.requests:
        name = re.search(r"\b(?:OURS|FOREIGN)-[A-Z0-9-]+", request.first_user_text())
        if name and request.actor in {"ours", "foreign"}:
            found.setdefault(name[0], request)
    return found
