"""The demo: the whole loop of the plugin on a real Claude Code, with a scripted model on loopback.

It takes the `claude` on PATH where the loop is held on its version, else one of its own, which it fetches; where there
is none to be had, the recorded events of the newest one go through the real hooks.

Exit status: 0 every step was seen, 1 one was not, 2 wrong usage or something is missing, 130 interrupted.
"""

from __future__ import annotations

import argparse
import io
import os
import signal
import sys
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Callable, NoReturn, Optional

from bg.words.quoting import visible

from rig import clients, demo_cast, demo_live, demo_proof, demo_recorded, fetching
from rig.clients import ClientError
from rig.demo_book import Book
from rig.demo_follow import HOOK_EVENTS_SINCE, Follower
from rig.demo_view import View
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.session import Headless, arguments

PLUGIN = Path(__file__).resolve().parents[2]
TOOLS = "Agent Task SendMessage ToolSearch TaskOutput Read Write"
PATIENCE = 60  # seconds, for each step
SOON = 8  # seconds; clients before 2.1.70 or so do not wake the parent under -p when an agent ends
MODE = ["--permission-mode", "default"]  # some versions begin in auto mode by themselves

Judge = Callable[[demo_proof.Evidence, float], int]


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs the demo."""
    parser = argparse.ArgumentParser(prog="demo", description="The whole loop of the bg plugin on a real Claude Code.")
    parser.add_argument(
        "--version",
        metavar="V",
        default="",
        help="this Claude Code and not the one on PATH: any version from 2.1.7 on, which is fetched",
    )
    parser.add_argument(
        "--recorded", action="store_true", help="no client: the recorded events of the newest one, in seconds"
    )
    parser.add_argument(
        "--live", action="store_true", help="use your own claude and login instead of the scripted model; asks first"
    )
    parser.add_argument("--model", default="", help="with --live: the model to use")
    parser.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="run the claude on PATH, of any version, and show only what was seen and what it cannot do",
    )
    parser.add_argument("--full", action="store_true", help="show every message, what each hook does, and each proof")
    parser.add_argument("--plugin", type=Path, default=PLUGIN, help=argparse.SUPPRESS)
    given = parser.parse_args(argv)
    signal.signal(signal.SIGTERM, _stop)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    view = View(full=given.full)
    try:
        if given.live:
            return demo_live.run(view, given.plugin.resolve(), given.model)
        plugin = given.plugin.resolve()
        if given.trial:
            return run_trial(view, plugin)
        if given.recorded:
            return run_recorded(view, plugin)
        try:
            version = _client(view, given.version)
        except ClientError as error:
            if given.version:
                raise
            view.plain(f"No Claude Code to run: {error}.")
            return run_recorded(view, plugin)
        return run(view, plugin, version)
    except ClientError as error:
        sys.stderr.write(f"demo: {error}\n")
        return 2
    except BrokenPipeError:  # as in `demo | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("demo: interrupted; everything it started has ended\n")
        return 130


def _stop(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _client(view: View, wanted: str) -> str:
    """The version to run: the one that is asked for, else that of the `claude` on PATH, else the newest."""
    found = clients.on_path() if not wanted else None
    if found:
        clients.use_in_place(found)
        view.plain(f"The claude on your PATH is {found.version}: the demo runs that, in a home of its own.")
        return found.counts_as
    version = wanted or clients.newest()
    fetching.install(version, view.plain)
    return version


def run_trial(view: View, plugin: Path) -> int:
    """The scripted run on the user's own client; shows what was seen of it, and not the conversation."""
    found = clients.own()
    if not found:
        raise ClientError("--try runs your own Claude Code, and no `claude` on PATH tells its version")
    clients.use_in_place(found)
    view.plain(
        f"{found.path} runs the loop with a scripted model, in a temporary home. This takes about half a minute."
    )
    view.gap()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        return run(View(nowhere), plugin, found.version, partial(_trial_verdict, view))


def run(view: View, plugin: Path, version: str, judged: Optional[Judge] = None) -> int:
    """The scripted run on one version, which is there."""
    began = time.monotonic()
    with Home() as home:
        demo_cast.lay_out(home.project)
        with Model(demo_cast.script(home.project)) as model:
            home.base_url = model.url
            view.plain(
                f"Claude Code {clients.running(version)}, the real client, with the bg plugin. Its model is a script "
                f"on {model.url}; home and project are temporary; no login, no tokens, nothing leaves this machine."
            )
            book = _book(home)
            numbers = clients.numbers(version)
            options = (
                arguments([plugin], TOOLS) + MODE + (["--include-hook-events"] if numbers >= HOOK_EVENTS_SINCE else [])
            )
            with Headless(home, version, options, env=view.terminal) as client:
                follower = Follower(view, client, book, version, model)
                cost = _play(view, follower, model)
                code = client.finish()
                follower.drain()
            evidence = demo_proof.Evidence(model, home, book, follower, numbers, cost, code)
            return (judged or partial(_verdict, view))(evidence, time.monotonic() - began)


def run_recorded(view: View, plugin: Path) -> int:
    """The same play without a client."""
    began = time.monotonic()
    with Home() as home:
        demo_cast.lay_out(home.project)
        client = demo_recorded.StandIn(home, plugin, demo_cast.script(home.project), view.terminal)
        view.plain(
            "Claude Code itself is not run: the plugin's real hooks get events recorded from Claude Code "
            f"{demo_recorded.VERSION}, filled with this demo's texts. Home and project are temporary; nothing leaves "
            "this machine."
        )
        book = _book(home)
        numbers = clients.numbers(demo_recorded.VERSION)
        follower = Follower(view, client, book, demo_recorded.VERSION)
        cost = _play(view, follower, client)
        code = client.finish()
        follower.drain()
        evidence = demo_proof.Evidence(client, home, book, follower, numbers, cost, code)
        return _verdict(view, evidence, time.monotonic() - began)


def _book(home: Home) -> Book:
    return Book((home.path, ".claude/plugins/data/bg-*/ledger.db"), (home.path, ".claude/bg/ledger.db"))


def _play(view: View, follower: Follower, model: demo_proof.Asked) -> int:
    """The user's side of the conversation; what `/bg-status` cost in requests. Stops where nothing comes any more."""

    def say(words: str) -> None:
        view.gap()
        view.say("You", words)
        follower.run.send(words)

    say(f"/bg:bg {demo_cast.TASK}")
    follower.until(lambda: _ended(follower) or (follower.run.results and not follower.book.place), PATIENCE)
    if not _ended(follower):
        return -1
    _told(follower, model, demo_cast.ASKS, say)
    _settle(follower)
    before = _asked(model)
    say("/bg-status")
    shown = len(follower.screens)
    follower.until(lambda: len(follower.screens) > shown or _asked(model) > before, PATIENCE)
    _settle(follower)
    cost = _asked(model) - before
    say("/bg-answer " + "  ".join(f"{name}: {words}" for name, words in demo_cast.ANSWERS.items()))
    follower.until(lambda: _ended(follower) >= 2, PATIENCE)
    _told(follower, model, demo_cast.OUTCOME, say)
    _settle(follower)
    return cost


def _told(follower: Follower, model: demo_proof.Asked, words: str, say: Callable[[str], None]) -> None:
    """Wait until Claude has said this; a client that does not wake it is spoken to."""

    def said() -> bool:
        return any(words in _last(request) for request in model.by("parent"))

    if not follower.until(said, SOON):
        say(demo_proof.ASKED_AGAIN)
        follower.until(said, PATIENCE)


def _ended(follower: Follower) -> int:
    """How many runs of the agent have ended, by the ledger."""
    return len(follower.book.all("SELECT 1 FROM runs WHERE ended IS NOT NULL"))


def _last(request: Request) -> str:
    """What the model has answered to a request."""
    blocks = request.reply.blocks if request.reply else ()
    return "\n".join(str(block.get("text")) for block in blocks if block["type"] == "text")


def _asked(model: demo_proof.Asked) -> int:
    return len(model.by("parent")) + len(model.by("agent"))


def _settle(follower: Follower, quiet: float = 1.2) -> None:
    """Wait until the client has nothing more to say for a moment."""
    count, since = -1, time.monotonic()
    deadline = since + 15
    while time.monotonic() - since < quiet and time.monotonic() < deadline:
        follower.until(lambda: False, 0.2)
        if len(follower.run.events) != count:
            count, since = len(follower.run.events), time.monotonic()


def _verdict(view: View, evidence: demo_proof.Evidence, seconds: float) -> int:
    view.gap()
    found = demo_proof.steps(evidence)
    if view.full:
        view.plain("What was seen, from the model's requests, the ledger and the disk:")
    else:
        seen = sum(step.ok is True for step in found)
        view.plain(f"{seen} of {len(found)} steps were seen: in what the model got, in the ledger, on disk.")
    for step in found:
        if view.full or not step.ok:
            _show(view, step)
    missing = _missing(found)
    if view.full:
        view.gap()
        view.plain(f"{demo_proof.figures(evidence)} {seconds:.0f} seconds.")
    else:
        view.plain(f"{seconds:.0f} seconds. `scripts/demo --full` shows every message, hook and proof.")
    if missing:
        view.plain(f"The loop is broken: {', '.join(missing)} not seen.")
    return 1 if missing else 0


def _trial_verdict(view: View, evidence: demo_proof.Evidence, _seconds: float) -> int:
    found = demo_proof.steps(evidence)
    for step in found:
        if step.ok is not None:
            _show(view, step)
    for limit in demo_proof.limits(evidence):
        view.plain(f"  {'cannot':9} {limit}", 12, ("cannot", "quiet"))
    missing = _missing(found)
    said = evidence.follower.run.stderr.strip()
    if missing and said:
        view.plain(f"  {'it said':9} {visible(said[-400:])}", 12)
    view.gap()
    name = f"Claude Code {'.'.join(map(str, evidence.version))}"
    if missing:
        view.plain(f"The loop is broken on {name}: {', '.join(missing)} not seen.")
    else:
        view.plain(f"The loop works on {name}: launch, question, answer and report.")
    return 1 if missing else 0


def _show(view: View, step: demo_proof.Seen) -> None:
    word = {True: ("seen", "good"), False: ("NOT SEEN", "bad"), None: ("not here", "quiet")}[step.ok]
    view.plain(f"  {word[0]:9} {step.name}: {step.words}", 12, word)


def _missing(found: list[demo_proof.Seen]) -> list[str]:
    return [step.name for step in found if step.ok is False]
