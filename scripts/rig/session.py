"""Runs a client headless, for one prompt or many, and ends all processes of it."""

from __future__ import annotations

import json
import subprocess
import threading
import time
import uuid
from pathlib import Path
from types import TracebackType
from typing import Any, Callable, Optional, Union, final

from rig import clients
from rig.home import PATIENCE, Home, kill_group

RESULTS_LATE = "2.1.100"
UNANSWERED = 5.0  # seconds until a prompt counts as blocked by a hook: on older hosts it begins no turn then
TOOLS = "Agent Task SendMessage ToolSearch TaskOutput TaskStop KillShell AskUserQuestion Skill"


@final
class Headless:
    """A client run with -p; its stream-json events arrive in `events`, each with the time it came (`at`)."""

    def __init__(
        self,
        home: Home,
        version: str,
        args: list[str],
        *,
        prompt: Optional[str] = None,
        cwd: Optional[Path] = None,
        env: Optional[dict[str, str]] = None,
    ) -> None:
        self.home = home
        self.version = version
        self._said = 0, 0.0
        self.events: list[dict[str, Any]] = []
        self.stderr = ""
        self._more = threading.Condition()
        streams = prompt is None
        argv = [*clients.entry(version), *args, "-p", *([] if prompt is None else [prompt])]
        argv += ["--output-format", "stream-json", "--verbose"]
        argv += ["--input-format", "stream-json"] if streams else []
        self.process = subprocess.Popen(
            argv,
            cwd=cwd or home.project,
            env=home.env(**(env or {})),
            stdin=subprocess.PIPE if streams else subprocess.DEVNULL,
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
    def session_id(self) -> str:
        """The session's id; waits for the first event that tells it."""
        event = self.wait_for(lambda event: "session_id" in event)
        return str(event["session_id"])

    @property
    def results(self) -> list[dict[str, Any]]:
        """The result events so far, one for each turn of the parent."""
        with self._more:
            return [event for event in self.events if event.get("type") == "result"]

    def send(self, words: str) -> None:
        """Say something as the user, once the turn is over: during a turn, hosts before 2.1.327 show it to no hook."""
        self.await_turn()
        message = {"type": "user", "message": {"role": "user", "content": [{"type": "text", "text": words}]}}
        if not self.process.stdin:
            raise ValueError("this session was opened with one prompt")
        self._said = len(self.events), time.time()
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def await_turn(self) -> None:
        """Wait until the last prompt has begun a turn and the turn has its result; with a bound, as some have none."""
        with self._more:
            while self.process.poll() is None and time.time() < self._is_over_by():
                self._more.wait(0.1)

    def _is_over_by(self) -> float:
        """The moment at which the turn counts as over: 0 if it is over, else the latest by which it should be."""
        count, at = self._said
        marks = [event for event in self.events[count:] if _marks_a_turn(event)]
        if not at or (marks and marks[-1]["type"] == "result"):
            return 0.0
        if not marks:
            return at + UNANSWERED
        # 2.1.100 holds the result back for as long as an agent of the session works.
        kinds = [event.get("subtype") for event in self.events]
        held = self.version == RESULTS_LATE and kinds.count("task_started") > kinds.count("task_notification")
        return float(self.events[-1]["at"]) + 1.0 if held else float(marks[-1]["at"]) + PATIENCE

    def turn(self, words: str, timeout: float = PATIENCE) -> dict[str, Any]:
        """Say something and wait for the turn's result, which 2.1.100 gives only when no background agent runs."""
        self.await_turn()
        seen = len(self.results)
        self.send(words)
        return self.wait_results(seen + 1, timeout)[seen]

    def wait_results(self, count: int, timeout: float = PATIENCE) -> list[dict[str, Any]]:
        """Wait until `count` turns have ended; return their results."""
        self.wait_for(lambda _: len(self.results) >= count, timeout)
        return self.results

    def wait_for(self, wanted: Callable[[dict[str, Any]], bool], timeout: float = PATIENCE) -> dict[str, Any]:
        """The first event for which `wanted` holds, waiting for it to come."""
        deadline = time.monotonic() + timeout
        with self._more:
            while True:
                for event in self.events:
                    if wanted(event):
                        return event
                left = deadline - time.monotonic()
                if left <= 0 or not self._threads[0].is_alive():
                    raise TimeoutError(f"no such event among {len(self.events)}; stderr: {self.stderr[-500:]}")
                self._more.wait(min(left, 0.5))

    def finish(self, timeout: float = PATIENCE) -> int:
        """Close stdin and wait for the end; return the exit status, -9 for a client that does not end and is killed."""
        if self.process.stdin:
            self.process.stdin.close()
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            code = -9
        self.close()
        return code

    def close(self) -> None:
        """Kill the client and its children."""
        kill_group(self.process.pid)
        self.process.wait(5)
        for thread in self._threads:
            thread.join(2)
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream and not stream.closed:
                try:
                    stream.close()
                except OSError:
                    continue

    def __enter__(self) -> Headless:
        """Return the client, which is running already."""
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """End the client, however the block ended."""
        self.close()

    def _read_out(self) -> None:
        for line in self.process.stdout or ():
            try:
                event = json.loads(line)
            except ValueError:
                event = {"type": "not-json", "line": line}
            event["at"] = time.time()
            with self._more:
                self.events.append(event)
                self._more.notify_all()

    def _read_err(self) -> None:
        for line in self.process.stderr or ():
            self.stderr += line


def _marks_a_turn(event: dict[str, Any]) -> bool:
    """Whether the event begins a turn of the parent (`init`) or ends one (`result`), the user's or the host's own."""
    return event.get("type") == "result" or event.get("subtype") == "init"


class Result:
    """The events, results and transcripts of a finished headless run."""

    def __init__(self, run: Headless, code: int) -> None:
        self.code = code
        self.events = run.events
        self.stderr = run.stderr
        self.results = run.results
        self.transcripts = run.home.transcripts()

    @property
    def session_id(self) -> str:
        """The session's id; empty if the client never told it."""
        return next((str(event["session_id"]) for event in self.events if "session_id" in event), "")

    @property
    def text(self) -> str:
        """The last turn's answer, as -p prints it."""
        return str(self.results[-1].get("result", "")) if self.results else ""


def arguments(plugin_dirs: list[Path], tools: Optional[str] = TOOLS, resume: str = "") -> list[str]:
    """The usual options of a headless run."""
    args = [part for folder in plugin_dirs for part in ("--plugin-dir", str(folder))]
    args += ["--allowedTools", tools] if tools else []
    return args + (["--resume", resume] if resume else [])


def run_print(
    home: Home,
    version: str,
    plugin_dirs: list[Path],
    prompts: Union[str, list[str]],
    args: Optional[list[str]] = None,
    *,
    cwd: Optional[Path] = None,
    timeout: float = PATIENCE,
    env: Optional[dict[str, str]] = None,
) -> Result:
    """Run a client once: one prompt with -p, or a list of prompts as turns of one process (stream-json)."""
    options = arguments(plugin_dirs) if args is None else [*arguments(plugin_dirs), *args]
    if isinstance(prompts, str):
        with Headless(home, version, options, prompt=prompts, cwd=cwd, env=env) as run:
            return Result(run, run.finish(timeout))
    with Headless(home, version, options, cwd=cwd, env=env) as run:
        for prompt in prompts:
            run.turn(prompt, timeout)
        return Result(run, run.finish(timeout))


def allow_by_hook(matcher: str = "Agent|SendMessage") -> str:
    """A value for --settings with a hook that allows these tools, as no rule can in auto mode."""
    answer = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}
    hook = {"type": "command", "command": f"echo '{json.dumps(answer)}'"}
    return json.dumps({"hooks": {"PreToolUse": [{"matcher": matcher, "hooks": [hook]}]}})


def auto_mode() -> list[str]:
    """The options that put a headless run into auto mode, where subagents report through SubagentHandback."""
    return ["--permission-mode", "auto", "--settings", allow_by_hook()]


def new_id() -> str:
    """A session id to give to --session-id."""
    return str(uuid.uuid4())
