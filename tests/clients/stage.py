"""One scene's stage: a home, a scripted model, the probe plugin, and what the probe wrote down."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path
from typing import Any, Callable, Optional, final

from rig import clients
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, Script, call
from rig.session import Headless, Result, arguments, run_print
from rig.terminal import Interactive

PROBE = Path(__file__).parent / "probe"
AGENT_ID = re.compile(r"agent_?[iI]d: '?([0-9a-z-]+)")


@final
class Stage:
    """Holds what one scene needs; a scene is a function that takes it."""

    def __init__(self, version: str, script: Script, keep: Optional[Path] = None) -> None:
        self.version = version
        self.keep = keep
        self.model = Model(script)
        self.home = Home(self.model.url)
        self.out = self.home.root / "probe-out"
        self.out.mkdir()
        self.env = {"PROBE_OUT": str(self.out)}
        self.screens: list[str] = []
        self.printed: list[dict[str, Any]] = []

    def __enter__(self) -> Stage:
        self.model.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.model.__exit__(None, None, None)
        if self.keep:
            self._keep(self.keep)
        self.home.close()

    def rules(self, *rules: dict[str, Any]) -> None:
        """What the probe shall answer from now on."""
        for used in self.out.glob("used-*"):
            used.unlink()
        (self.out / "rules.json").write_text(json.dumps(rules))

    def print(self, prompts: Any, args: Optional[list[str]] = None, timeout: float = 40) -> Result:
        """A whole headless run."""
        result = run_print(self.home, self.version, [PROBE], prompts, args, timeout=timeout, env=self.env)
        self.printed += [*result.events, {"type": "stderr", "text": result.stderr, "code": result.code}]
        return result

    def headless(self, args: Optional[list[str]] = None) -> Headless:
        """A headless client that is spoken to."""
        run = Headless(self.home, self.version, arguments([PROBE]) + (args or []), env=self.env)
        self.printed = run.events
        return run

    def terminal(self, args: Optional[list[str]] = None, mode: str = "default") -> Interactive:
        """A client in a terminal, in the given permission mode with the launch tools allowed."""
        options = ["--permission-mode", mode, "--allowedTools", "Agent Task SendMessage ToolSearch TaskOutput TaskStop"]
        return Interactive(self.home, self.version, [PROBE], [*options, *(args or [])], env=self.env)

    def look(self, term: Interactive) -> str:
        """The whole screen, kept as evidence."""
        screen = term.screen(history=True)
        self.screens.append(screen)
        return screen

    def notes(self, event: str = "", tool: str = "") -> list[dict[str, Any]]:
        """What the probe wrote down, in the order in which the hooks started."""
        file = self.out / "events.jsonl"
        lines = file.read_text().splitlines() if file.exists() else []
        notes = sorted((json.loads(line) for line in lines), key=lambda note: float(note["at"]))
        return [
            note
            for note in notes
            if event in ("", note["event"]["hook_event_name"]) and tool in ("", note["event"].get("tool_name", ""))
        ]

    def wait_notes(self, event: str, count: int = 1, timeout: float = 20) -> list[dict[str, Any]]:
        """Wait until the probe has been called that often for this event."""
        deadline = time.monotonic() + timeout
        while len(self.notes(event)) < count:
            if time.monotonic() > deadline:
                seen = [note["event"]["hook_event_name"] for note in self.notes()]
                raise TimeoutError(f"{event} x{count} never came; seen: {seen}")
            time.sleep(0.05)
        return self.notes(event)

    def _keep(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "events.jsonl").write_text("".join(json.dumps(note) + "\n" for note in self.notes()))
        (folder / "requests.jsonl").write_text("".join(_line(request) for request in self.model.requests))
        (folder / "printed.jsonl").write_text("".join(json.dumps(event) + "\n" for event in self.printed))
        (folder / "screens.txt").write_text(("\n" + "=" * 40 + "\n").join(self.screens))
        for path in self.home.transcripts():
            (folder / f"transcript-{path.parent.name}-{path.name}").write_bytes(path.read_bytes())


def _line(request: Request) -> str:
    kept: dict[str, Any] = {
        "n": request.number,
        "actor": request.actor,
        "at": request.time,
        "answered": request.answered,
    }
    kept.update(surplus=request.surplus, sub=request.is_subagent, tools=request.tools(), messages=request.messages)
    kept["agent_tool"] = request.tool("Agent") or request.tool("Task")
    return json.dumps(kept) + "\n"


def launch(version: str, prompt: str, description: str = "Look at the code", **more: Any) -> Reply:
    """The parent's call that launches an agent, by the name that this version gives to the tool."""
    tool = "Task" if clients.numbers(version) < (2, 1, 63) else "Agent"
    values: dict[str, Any] = {"description": description, "prompt": prompt, "subagent_type": "general-purpose"}
    values.update({"run_in_background": True, **more})
    return call(tool, **{key: value for key, value in values.items() if value is not None})


def agent_id(request: Request) -> str:
    """The id of the agent launched last, as the parent was told it."""
    found = [AGENT_ID.search(result.text) for result in request.tool_results()]
    ids = [match.group(1) for match in found if match]
    if not ids:
        raise LookupError("no agent id in " + repr([result.text[:300] for result in request.tool_results()]))
    return ids[-1]


def using(tool: str, make: Callable[[Request], Reply]) -> list[Callable[[Request], Reply]]:
    """Two steps that call a tool which may be deferred: search for it where it is not offered, then call it."""

    def search(request: Request) -> Reply:
        if tool in request.tools():
            return call("Bash", command="true", description="Nothing: the tool is offered already")
        return call("ToolSearch", query=f"select:{tool}")

    return [search, make]
