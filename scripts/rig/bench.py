"""The cost of the hooks in processor time, as ratios to a bare interpreter measured in the same run.

Processor time is that of a process and of all that it starts, so a busy machine hardly changes it. The hooks run with
the interpreter that the ratios refer to: with another one, its own start would distort them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

from rig import bench_growth, bench_rows, clients, conversation

ROOT = Path(__file__).resolve().parents[2]
PYTHON = "/usr/bin/python3" if os.access("/usr/bin/python3", os.X_OK) else sys.executable
ROUNDS = 15
VERSION = clients.newest()


class Cost(NamedTuple):
    """The cost of one process and its children: processor seconds, and the peak memory of the largest, in MB."""

    seconds: float
    memory: float
    answer: dict[str, Any]


def run(command: list[str], env: dict[str, str], given: Path) -> Cost:
    """Start a program with a file as its input, and wait for it."""
    with given.open("rb") as stdin, tempfile.TemporaryFile() as out:
        # wait4 reports the resources that were used; Popen's own wait does not.
        child = subprocess.Popen(command, stdin=stdin, stdout=out, stderr=subprocess.DEVNULL, env=env)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = status
        if status:
            raise RuntimeError(f"{command[0]} ended with {status}")
        out.seek(0)
        said = out.read()
    kilobytes = used.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    return Cost(used.ru_utime + used.ru_stime, kilobytes / 1024, json.loads(said) if said.startswith(b"{") else {})


class Stage:
    """A home with a project in it, a data directory, and the hooks as the host starts them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.plugin = ROOT
        self.data = folder / "data"
        self.project = folder / "project"
        self.transcripts = folder / ".claude" / "projects" / "project"
        self.syncs: list[int] | None = None  # the syncs of each hook, once they are counted
        for each in (self.data, self.project, self.transcripts):
            each.mkdir(parents=True)
        (self.data / "python").write_text(f"{PYTHON}\n", encoding="utf-8")
        self.env = {"HOME": str(folder), "PATH": os.environ.get("PATH", os.defpath), "BG_DATA": str(self.data)}
        self._commit()

    def _commit(self) -> None:
        """Make the project a repository, as real ones are, if git is installed."""
        (self.project / "notes.md").write_text("Notes\n", encoding="utf-8")
        git = shutil.which("git")
        who = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"]
        for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "Begin"]) if git else ():
            subprocess.run([str(git), "-C", str(self.project), *words], env=self.env, check=True, capture_output=True)

    def transcript(self, session: str) -> Path:
        """The path of the session's transcript, which names the host's version."""
        path = self.transcripts / f"{session}.jsonl"
        if not path.exists():
            line = {"type": "user", "version": VERSION, "cwd": str(self.project)}
            path.write_text(json.dumps(line) + "\n", encoding="utf-8")
        return path

    def hook(self, session: str, name: str, **event: Any) -> Cost:
        """Send one event through hooks/run."""
        given = self.folder / "event.json"
        text = self.event(session, name, **event)
        given.write_text(text, encoding="utf-8")
        conversation.begun(self.transcript(session), json.loads(text))
        cost = self.hand_over(given)
        # As the host does: it writes down all that reached the model, and the next event looks for that.
        conversation.write(self.transcript(session), VERSION, json.loads(text), cost.answer)
        return cost

    def event(self, session: str, name: str, **event: Any) -> str:
        """An event as the host writes it."""
        path = str(self.transcript(session))
        whole = {"session_id": session, "transcript_path": path, "cwd": str(self.project), "hook_event_name": name}
        return json.dumps({**whole, **event}, separators=(",", ":"))

    def hand_over(self, given: Path) -> Cost:
        """Send the event in this file through hooks/run."""
        command = ["/bin/sh", str(self.plugin / "hooks" / "run")]
        if self.syncs is None:
            return run(command, self.env, given)
        log = self.folder / "strace"
        cost = run([*bench_growth.STRACE, "-o", str(log), *command], self.env, given)
        self.syncs.append(log.read_text(encoding="utf-8").count("sync("))
        return cost

    def bare(self) -> Cost:
        """The cost of a bare interpreter, to which all others are compared."""
        return run([PYTHON, "-I", "-c", "pass"], self.env, Path(os.devnull))


def main(arguments: list[str] | None = None) -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"how often each row is measured ({ROUNDS})")
    parser.add_argument("--small", action="store_true", help="a tenth of the large inputs, for a quick look")
    chosen = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="bench-") as name:
        stage = Stage(Path(name) / "few")
        rows = bench_rows.Rows(stage, Stage(Path(name) / "many"), 0.1 if chosen.small else 1.0)
        figures: dict[str, list[float]] = {}
        for _ in range(chosen.rounds):
            figures.setdefault("bare", []).append(statistics.mean(stage.bare().seconds for _ in range(2)))
            for what, seconds in rows.round():
                figures.setdefault(what, []).append(seconds)
        medians = {what: statistics.median(found) for what, found in figures.items()}
        lines = rows.table(medians.pop("bare"), medians)
        counts = [int(count * (0.1 if chosen.small else 1)) for count in bench_growth.COUNTS]
        stages = {count: Stage(Path(name) / str(count)) for count in counts}
        for count, each in stages.items():
            bench_growth.lengthened(rows, each, count)
        growth = list(bench_growth.table(rows, stages, chosen.rounds))
        synced = bench_growth.syncs(rows, next(iter(stages.values())))
        lines.append(f"| {bench_growth.SYNCS} | {synced} | {bench_growth.MOST_SYNCS} |")
    title = f"| Work ({chosen.rounds} rounds, {os.path.basename(os.path.realpath(PYTHON))}) | Cost | Goal |"  # noqa: PTH119
    sys.stdout.write("\n".join([title, "| --- | --- | --- |", *lines, "", *growth]) + "\n")
    return 0
