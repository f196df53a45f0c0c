"""The demo: the whole loop of the plugin on a real Claude Code, with a scripted model on loopback.

It uses the `claude` on PATH if that version must play the loop, else a client of its own, which it fetches. If none can
be had, the recorded events of the newest client go through the real hooks. With --live nothing is scripted: the user's
own claude and login do a small real task in a scratch project, once the user has agreed.

Exit status: 0 if every step was seen, 1 if one was not, 2 if the usage was wrong or something is missing,
130 if interrupted.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Callable, NoReturn, Optional

from bg.words.quoting import neutral

from rig import clients, demo_cast, demo_proof, demo_recorded, fetching
from rig.clients import ClientError
from rig.demo_follow import HOOK_EVENTS_SINCE, Book, Follower, View
from rig.home import Home, kill_group
from rig.model import Model
from rig.request import Request
from rig.session import Headless, arguments

PLUGIN = Path(__file__).resolve().parents[2]
TOOLS = "Agent Task SendMessage ToolSearch TaskOutput Read Write"
PATIENCE = 60  # seconds, for each step
SOON = 8  # seconds; clients before about 2.1.70 do not wake the parent under -p when an agent ends
MODE = ["--permission-mode", "default"]  # as some versions begin in auto mode by themselves

LIVE_SINCE = (2, 1, 197)  # older clients do not wake the parent, or cannot wake the agent, under -p
LIVE_TASK = (
    "Write a README.md of at most 20 lines for this small project. Two things only I can decide: for whom it is "
    "written, and which licence it names. Ask me both, as two questions in one CLARIFICATION_NEEDED, before you write."
)
LIVE_TOOLS = "Agent SendMessage ToolSearch Read Glob Grep Write Edit"
LIVE_PROJECT = {
    "wordcount.py": '"""Counts the words of a text file: wordcount.py FILE."""\n\nimport sys\n\n'
    "print(len(open(sys.argv[1]).read().split()))\n",
}
LIVE_LIMIT = 900
RUNNING = ("launched", "working")

Judge = Callable[[demo_proof.Evidence, float], int]


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the demo; return its exit status."""
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
            return run_live(view, given.plugin.resolve(), given.model)
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
    except BrokenPipeError:  # by `demo | head`, for example
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("demo: interrupted; everything it started has ended\n")
        return 130


def _stop(_number: int, _frame: object) -> NoReturn:
    raise KeyboardInterrupt


def _client(view: View, wanted: str) -> str:
    """The version to run: the one that was asked for, else that of the `claude` on PATH, else the newest."""
    found = clients.on_path() if not wanted else None
    if found:
        clients.use_in_place(found)
        view.plain(f"The claude on your PATH is {found.version}: the demo runs that, in a home of its own.")
        return found.counts_as
    version = wanted or clients.newest()
    fetching.install(version, view.plain)
    return version


def run_trial(view: View, plugin: Path) -> int:
    """Play the script on the user's own client; show the steps that were seen, and not the conversation."""
    found = clients.own()
    if not found:
        raise ClientError("--try runs your own Claude Code, and no `claude` on PATH tells its version")
    clients.use_in_place(found)
    view.plain(
        f"{found.path} runs the loop with a scripted model, in a temporary home. This takes about half a minute."
    )
    view.gap()
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        return run(View(nowhere), plugin, found.version, partial(demo_proof.trial_verdict, view))


def run(view: View, plugin: Path, version: str, judged: Optional[Judge] = None) -> int:
    """Play the script on one installed version."""
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
                cost = _play(follower, model)
                code = client.finish()
                follower.drain()
            evidence = demo_proof.Evidence(model, home, book, follower, numbers, cost, code)
            return (judged or partial(demo_proof.verdict, view))(evidence, time.monotonic() - began)


def run_recorded(view: View, plugin: Path) -> int:
    """Play the script without a client."""
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
        cost = _play(follower, client)
        code = client.finish()
        follower.drain()
        evidence = demo_proof.Evidence(client, home, book, follower, numbers, cost, code)
        return demo_proof.verdict(view, evidence, time.monotonic() - began)


def run_live(view: View, plugin: Path, model: str) -> int:
    """Run on the user's own login, once they have said yes; return 0 if the task has reported."""
    claude = shutil.which("claude")
    if not claude:
        raise ClientError("--live runs your own Claude Code, and there is no `claude` on PATH")
    version = _version(claude)
    if clients.numbers(version) < LIVE_SINCE:
        raise ClientError(f"--live needs Claude Code {'.'.join(map(str, LIVE_SINCE))} or newer; {claude} is {version}")
    if not (sys.stdin.isatty() and view.out.isatty()):
        raise ClientError(
            "--live asks before it spends anything, and puts the agent's questions to you: run it in a terminal"
        )
    installed = "bg@" in _output([claude, "plugin", "list"])
    if not _agreed(view, plugin, claude, version, installed=installed):
        view.plain("Nothing was started.")
        return 1
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="bg-demo-")))
    project = folder / "project"
    project.mkdir()
    for name, content in LIVE_PROJECT.items():
        (project / name).write_text(content, encoding="utf-8")
    options = arguments([] if installed else [plugin], LIVE_TOOLS)
    options += ["--permission-mode", "acceptEdits", "--include-hook-events"]
    options += ["--model", model] if model else []
    stream = ["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"]
    env = {**os.environ, "BG_DATA": str(folder / "ledger")}
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"):
        env.pop(name, None)  # else, started from inside Claude Code, the client would take itself for nested
    with Own([claude, *options, *stream], project, env) as client:
        follower = Follower(view, client, Book((folder, "ledger/ledger.db")), version)
        state = _talk(follower)
    follower.drain()
    _sum_up(view, follower, state, folder)
    return 0 if state in ("done", "partial") else 1


def _agreed(view: View, plugin: Path, claude: str, version: str, *, installed: bool) -> bool:
    """Say what the run does and costs; whether the user has typed yes."""
    view.plain(
        f"This runs {claude} ({version}) with your own login and settings, and the bg plugin "
        + ("that you have installed." if installed else f"from {plugin}, for this session only.")
    )
    view.plain(
        "It makes a scratch folder with one small file, and hands one small task to a background agent, which asks you "
        "two questions and writes a README.md there. It may read and write files in that folder without asking."
    )
    view.plain(
        "It is charged to your account as any session is: about ten requests. Your own ledger of tasks stays as it is."
    )
    return _ask("Type yes to go on: ").lower() == "yes"


def _sum_up(view: View, follower: Follower, state: str, folder: Path) -> None:
    view.gap()
    cost = next((r["total_cost_usd"] for r in reversed(follower.run.results) if "total_cost_usd" in r), None)
    view.plain(
        f"The task is {state.replace('_', ' ') or 'not launched'}. "
        + (f"The client puts the cost at {cost:.2f} dollars. " if cost is not None else "")
        + f"What was written stays in {folder}."
    )
    if follower.run.stderr.strip() and not state:
        view.plain(f"The client said: {follower.run.stderr.strip()[-400:]}")


def _book(home: Home) -> Book:
    return Book((home.path, ".claude/plugins/data/bg-*/ledger.db"), (home.path, ".claude/bg/ledger.db"))


def _play(follower: Follower, model: demo_proof.Asked) -> int:
    """Play the user's side until nothing more comes; return what `/bg-status` cost in requests, -1 if it never came."""
    follower.say(f"/bg:bg {demo_cast.TASK}")
    follower.until(lambda: _ended(follower) or (follower.run.results and not follower.book.place), PATIENCE)
    if not _ended(follower):
        return -1
    _told(follower, model, demo_cast.ASKS)
    _settle(follower)
    before = _asked(model)
    follower.say("/bg-status")
    shown = len(follower.screens)
    follower.until(lambda: len(follower.screens) > shown or _asked(model) > before, PATIENCE)
    _settle(follower)
    cost = _asked(model) - before
    follower.say("/bg-answer " + "  ".join(f"{name}: {words}" for name, words in demo_cast.ANSWERS.items()))
    follower.until(lambda: _ended(follower) >= 2, PATIENCE)
    _told(follower, model, demo_cast.OUTCOME)
    _settle(follower)
    return cost


def _told(follower: Follower, model: demo_proof.Asked, words: str) -> None:
    """Wait until Claude has said this; if the client does not wake Claude, say something to it."""

    def said() -> bool:
        return any(words in _last(request) for request in model.by("parent"))

    if not follower.until(said, SOON):
        follower.say(demo_proof.ASKED_AGAIN)
        follower.until(said, PATIENCE)


def _ended(follower: Follower) -> int:
    """How many runs of the agent have ended, by the ledger."""
    return len(follower.book.all("SELECT 1 FROM runs WHERE ended IS NOT NULL"))


def _last(request: Request) -> str:
    """The text of the model's answer to a request."""
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


def _talk(follower: Follower) -> str:
    """Hand the task over and put its questions to the user, until it has ended; return its last state."""
    deadline = time.monotonic() + LIVE_LIMIT
    state = ""
    follower.say(f"/bg:bg {LIVE_TASK}")
    while time.monotonic() < deadline and follower.run.process.poll() is None:
        turns = len(follower.run.results)
        follower.until(lambda seen=turns: len(follower.run.results) > seen, deadline - time.monotonic())  # type: ignore[misc]
        state = str(follower.book.one("SELECT state FROM tasks ORDER BY number LIMIT 1").get("state", ""))
        waiting = follower.book.all("SELECT label, qid, text FROM questions WHERE state = 'open' ORDER BY id")
        if waiting and state == "needs_answer":
            follower.view.gap()
            answers = [f"{item['qid']}: {_ask_for(item)}" for item in waiting]
            follower.say(f"/bg-answer {waiting[0]['label']} " + "  ".join(answers))
        elif state not in RUNNING and not follower.book.all("SELECT 1 FROM deliveries WHERE said IS NULL"):
            break
    return state


def _ask_for(item: dict[str, Any]) -> str:
    return _ask(f"{item['qid']} {neutral(item['text'])}\nYour answer (empty: skip): ") or "skip"


def _ask(words: str) -> str:
    sys.stdout.write(words)
    sys.stdout.flush()
    return sys.stdin.readline().strip()


def _version(claude: str) -> str:
    words = _output([claude, "--version"]).split()
    if not words or not words[0].replace(".", "").isdigit():
        raise ClientError(f"{claude} does not tell its version")
    return words[0]


def _output(command: list[str]) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=60, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise ClientError(f"{' '.join(command)} does not run: {error}") from error
    return done.stdout


class Own:
    """The user's own client, with the user's own settings; only the ledger is in the scratch folder."""

    def __init__(self, argv: list[str], folder: Path, env: dict[str, str]) -> None:
        self.events: list[dict[str, Any]] = []
        self.stderr = ""
        self.process = subprocess.Popen(
            argv,
            cwd=folder,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._threads = [threading.Thread(target=read, daemon=True) for read in (self._read_out, self._read_err)]
        for thread in self._threads:
            thread.start()

    @property
    def results(self) -> list[dict[str, Any]]:
        """The result events so far, one for each turn of the parent."""
        return [event for event in list(self.events) if event.get("type") == "result"]

    def send(self, words: str) -> None:
        """Say something as the user."""
        message = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": words}]}}
        if self.process.stdin:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def __enter__(self) -> Own:  # noqa: PYI034 (typing.Self needs 3.11)
        """Return the client, which is running already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close stdin, give it a moment to end by itself, then end it with its children."""
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if self.process.stdin:
                self.process.stdin.close()
            self.process.wait(20)
        kill_group(self.process.pid)
        self.process.wait(5)
        for thread in self._threads:
            thread.join(2)

    def _read_out(self) -> None:
        for line in self.process.stdout or ():
            try:
                event = json.loads(line)
            except ValueError:
                continue
            self.events.append({**event, "at": time.time()})

    def _read_err(self) -> None:
        for line in self.process.stderr or ():
            self.stderr += line
