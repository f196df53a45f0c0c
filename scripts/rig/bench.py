"""The cost of a hook, measured beside a bare interpreter in one run; a ratio says the same on every machine."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Callable

from bg.protocol import signals

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 25
SESSION = "11111111-2222-4333-8444-555555555555"


class Bench:
    """A data directory with one task in it, and the events that are timed against it."""

    def __init__(self, folder: Path) -> None:
        self.data = folder / "data"
        self.data.mkdir()
        (self.data / "python").write_text(f"{sys.executable}\n", encoding="utf-8")
        self.env = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "BG_DATA": str(self.data)}
        self.agents = 0

    def hook(self, session: str = SESSION, **event: Any) -> dict[str, Any]:
        """One hook process, as the host starts it."""
        payload = {"session_id": session, "transcript_path": "", "cwd": str(self.data), **event}
        done = subprocess.run(
            [str(ROOT / "hooks" / "run")],
            input=json.dumps(payload, separators=(",", ":")).encode(),
            env=self.env,
            capture_output=True,
            check=True,
        )
        answer: dict[str, Any] = json.loads(done.stdout) if done.stdout else {}
        return answer

    def launch(self) -> tuple[str, str]:
        """An agent of ours that runs: its id and its token."""
        self.agents += 1
        agent, call = f"a{self.agents}", f"toolu_{self.agents}"
        self.hook(hook_event_name="UserPromptSubmit", prompt="/bg Look")
        given = {"description": "look", "prompt": "Look."}
        said = self.hook(hook_event_name="PreToolUse", tool_name="Agent", tool_use_id=call, tool_input=given)
        taken = said["hookSpecificOutput"]["updatedInput"]
        response = {"status": "async_launched", "agentId": agent}
        self.hook(
            hook_event_name="PostToolUse", tool_name="Agent", tool_use_id=call, tool_input=taken, tool_response=response
        )
        return agent, taken["prompt"].split("You are ")[1].split(",")[0]

    def ending(self) -> Callable[[], object]:
        """A run of ours that ends with a block."""
        agent, token = self.launch()
        fields = {**signals.schema("CLARIFICATION_NEEDED")["examples"][0], "agent_id": token}
        text = signals.render("CLARIFICATION_NEEDED", fields)
        return lambda: self.hook(hook_event_name="SubagentStop", agent_id=agent, last_assistant_message=text)


def median(prepare: Callable[[], Callable[[], object]], rounds: int) -> float:
    """The median time of what `prepare` gives; preparing is not timed."""
    times = []
    for _ in range(rounds):
        run = prepare()
        began = time.perf_counter()
        run()
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> int:
    """Print the table."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="bg-bench-") as name:
        bench = Bench(Path(name))
        bench.launch()
        bare = [sys.executable, "-c", "pass"]
        foreign = {"hook_event_name": "SubagentStop", "agent_id": "x", "last_assistant_message": "All fine."}
        rows = {
            "a bare Python, `python3 -c pass`": lambda: lambda: subprocess.run(bare, env=bench.env, check=True),
            "an event in a session without tasks": lambda: lambda: bench.hook("another", hook_event_name="Stop"),
            "another agent's end beside a task of ours": lambda: lambda: bench.hook(**foreign),
            "an end of ours, read and recorded": bench.ending,
        }
        figures = {what: median(prepare, rounds) for what, prepare in rows.items()}
    base = next(iter(figures.values()))
    lines = [f"| What | Cost, as a ratio ({rounds} rounds) |", "| --- | --- |"]
    lines += [f"| {what} | {seconds / base:.1f} |" for what, seconds in figures.items()]
    sys.stdout.write("\n".join(lines) + "\n")
    return 0
