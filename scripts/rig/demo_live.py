"""The demo with the user's own claude and login: a small real task in a scratch project, after a plain question.

Nothing is scripted here: what the model says is its own, and what it costs is charged to the user's account.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

from bg.words.quoting import neutral

from rig import clients
from rig.clients import ClientError
from rig.demo_book import Book
from rig.demo_follow import Follower
from rig.demo_view import View
from rig.home import kill_group
from rig.session import arguments

OLDEST = (2, 1, 197)  # older clients do not wake the parent, or cannot wake the agent, under -p
TASK = (
    "Write a README.md of at most 20 lines for this small project. Two things only I can decide: for whom it is "
    "written, and which licence it names. Ask me both, as two questions in one CLARIFICATION_NEEDED, before you write."
)
TOOLS = "Agent SendMessage ToolSearch Read Glob Grep Write Edit"
PROJECT = {
    "wordcount.py": '"""Counts the words of a text file: wordcount.py FILE."""\n\nimport sys\n\n'
    "print(len(open(sys.argv[1]).read().split()))\n",
}
RUNNING = ("launched", "working")
LIMIT = 900


class Own:
    """The user's own client, with the user's own settings; only the ledger lies in the scratch folder."""

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
        """The result events so far: one for each turn of the parent."""
        return [event for event in list(self.events) if event.get("type") == "result"]

    def send(self, words: str) -> None:
        """Say something as the user."""
        message = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": words}]}}
        if self.process.stdin:
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()

    def __enter__(self) -> Own:  # noqa: PYI034 (typing.Self needs 3.11)
        """The client is running."""
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


def run(view: View, plugin: Path, model: str) -> int:
    """Ask, then run; 0 when the task has reported."""
    claude = shutil.which("claude")
    if not claude:
        raise ClientError("--live runs your own Claude Code, and there is no `claude` on PATH")
    version = _version(claude)
    if clients.numbers(version) < OLDEST:
        raise ClientError(f"--live needs Claude Code {'.'.join(map(str, OLDEST))} or newer; {claude} is {version}")
    if not (sys.stdin.isatty() and view.out.isatty()):
        raise ClientError(
            "--live asks before it spends anything, and puts the agent's questions to you: run it in a terminal"
        )
    installed = "bg@" in _output([claude, "plugin", "list"])
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
    if _ask("Type yes to go on: ").lower() != "yes":
        view.plain("Nothing was started.")
        return 1
    folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="bg-demo-")))
    project = folder / "project"
    project.mkdir()
    for name, content in PROJECT.items():
        (project / name).write_text(content, encoding="utf-8")
    options = arguments([] if installed else [plugin], TOOLS)
    options += ["--permission-mode", "acceptEdits", "--include-hook-events"]
    options += ["--model", model] if model else []
    stream = ["-p", "--output-format", "stream-json", "--input-format", "stream-json", "--verbose"]
    env = {**os.environ, "BG_DATA": str(folder / "ledger")}
    for name in ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"):
        env.pop(name, None)  # where this is started from inside Claude Code, the client would take itself for nested
    with Own([claude, *options, *stream], project, env) as client:
        book = Book((folder, "ledger/ledger.db"))
        follower = Follower(view, client, book, version)
        state = _talk(view, follower, book)
    follower.drain()
    view.gap()
    cost = next((r["total_cost_usd"] for r in reversed(follower.run.results) if "total_cost_usd" in r), None)
    view.plain(
        f"The task is {state.replace('_', ' ') or 'not launched'}. "
        + (f"The client puts the cost at {cost:.2f} dollars. " if cost is not None else "")
        + f"What was written stays in {folder}."
    )
    if follower.run.stderr.strip() and not state:
        view.plain(f"The client said: {follower.run.stderr.strip()[-400:]}")
    return 0 if state in ("done", "partial") else 1


def _talk(view: View, follower: Follower, book: Book) -> str:
    """Hand over, answer what is asked, until the task has ended; its last state."""
    deadline = time.monotonic() + LIMIT
    state = ""
    _say(view, follower, f"/bg:bg {TASK}")
    while time.monotonic() < deadline and follower.run.process.poll() is None:
        turns = len(follower.run.results)
        follower.until(lambda seen=turns: len(follower.run.results) > seen, deadline - time.monotonic())  # type: ignore[misc]
        state = str(book.one("SELECT state FROM tasks ORDER BY number LIMIT 1").get("state", ""))
        waiting = book.all("SELECT label, qid, text FROM questions WHERE state = 'open' ORDER BY id")
        if waiting and state == "needs_answer":
            view.gap()
            answers = [f"{item['qid']}: {_ask_for(item)}" for item in waiting]
            _say(view, follower, f"/bg-answer {waiting[0]['label']} " + "  ".join(answers))
        elif state not in RUNNING and not book.all("SELECT 1 FROM deliveries WHERE said IS NULL"):
            break
    return state


def _say(view: View, follower: Follower, words: str) -> None:
    view.gap()
    view.say("You", words)
    follower.run.send(words)


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
