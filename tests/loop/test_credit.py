"""Two hundred runs at once in one folder, drawn by a seed: none is credited with a file that its agent did not write."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest
from drive import Drive, block, stamp
from recordings import NEWEST

ROUNDS, AGENTS, STEPS = 10, 20, 120
LOOKS = ("cat {name}", "pytest -q {name}", "git diff -- {name}", "sleep 3; ls")
MAKES = ("make {name}", "python gen.py > {name}", "sed -i s/1/2/ {name}", "ruff check --fix .")


class Round:
    """Some agents in one folder, and somebody beside them; who wrote what is told only to the test."""

    def __init__(self, drive: Drive, chance: random.Random, number: int) -> None:
        self.drive, self.chance, self.number = drive, chance, number
        self.root = drive.folder
        self.agents = [f"r{number}a{each}" for each in range(AGENTS)]
        self.wrote: dict[str, set[str]] = {agent: set() for agent in self.agents}
        self.by_tool: dict[str, set[str]] = {agent: set() for agent in self.agents}
        self.records: dict[str, list[dict[str, Any]]] = {agent: [] for agent in self.agents}
        self.names = [f"src/r{number}/{each}.py" for each in range(3 * AGENTS)]
        self.now = drive.clock() + 5
        self.calls = 0

    def play(self) -> dict[str, dict[str, Any]]:
        """All of them at work, then each ends; what was found of each."""
        self.drive.prompt("/bg:bg Do the parts")
        tokens = {agent: self.drive.launch(f"Part {agent}.", agent, f"do {agent}") for agent in self.agents}
        for _ in range(STEPS):
            self._step()
        self.drive.advance(self.now + 5 - self.drive.clock())
        for agent in self.chance.sample(self.agents, AGENTS):
            self._end(agent, tokens[agent])
        return {
            row["agent"]: json.loads(row["evidence"])
            for row in self.drive.rows("SELECT agent, evidence FROM runs WHERE agent LIKE ?", f"r{self.number}a%")
        }

    def _step(self) -> None:
        """One doing of one of them, or of somebody whom no ledger knows, in the middle of a call of another."""
        name, agent = self.chance.choice(self.names), self.chance.choice([*self.agents, ""])
        self.now += 2
        what = self.chance.choice(("write", "write", "make", "look", "denied", "remove")) if agent else "write"
        if agent and what == "write":
            self._call(agent, "Write", file_path=str(self.root / name), content="x")
            self.by_tool[agent].add(name)
        elif what == "denied":
            self._call(agent, "Write", failed=True, file_path=str(self.root / name), content="x")
        elif what == "remove":
            self._call(agent, "Bash", command=f"rm -f {name}")
            self._remove(name)
        elif what != "write":
            words = self.chance.choice(MAKES if what == "make" else LOOKS).format(name=name)
            self._call(agent, "Bash", command=words)
        if what in ("write", "make"):
            self._change(name)
        if agent and what in ("write", "make", "remove"):
            self.wrote[agent].add(name)

    def _change(self, name: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{self.now}\n", encoding="utf-8")
        os.utime(path, (self.now, self.now))

    def _remove(self, name: str) -> None:
        (self.root / name).unlink(missing_ok=True)

    def _call(self, agent: str, tool: str, *, failed: bool = False, **given: str) -> None:
        """It lasts longer than a step, so that others write meanwhile."""
        self.calls += 1
        use = {"type": "tool_use", "id": f"t{self.number}-{self.calls}", "name": tool, "input": given}
        result = {"type": "tool_result", "tool_use_id": use["id"], "content": "", "is_error": failed}
        begun, ended = stamp(self.now - 5), stamp(self.now + 5)
        self.records[agent] += [
            {"type": "assistant", "timestamp": begun, "cwd": str(self.root), "message": {"content": [use]}},
            {"type": "user", "timestamp": ended, "message": {"role": "user", "content": [result]}},
        ]

    def _end(self, agent: str, token: Any) -> None:
        """It claims some of its own files, and some that are not; asked about those, it insists."""
        claimed = self.chance.sample(self.names, 6)
        fields = {"status": "success", "evidence": "\n".join(f"- wrote {name}" for name in claimed)}
        path = self.drive.transcript_of(agent, "I begin.")
        with path.open("a", encoding="utf-8") as file:
            file.writelines(json.dumps(record) + "\n" for record in self.records[agent])
        words = block("COMPLETION_REPORT", token, **fields)
        if self.drive.ends(agent, words).get("decision") == "block":
            self.drive.ends(agent, words)


@pytest.mark.parametrize("number", range(ROUNDS))
def test_no_run_is_credited_with_what_another_wrote(number, tmp_path):
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(tmp_path)]
    (tmp_path / "README.md").write_text("A shop.\n", encoding="utf-8")
    for words in (["init", "-q"], ["add", "README.md"], ["commit", "-qm", "before"]):
        subprocess.run([*git, *words], check=True)
    made = Round(Drive(NEWEST, tmp_path), random.Random(number), number)
    found = made.play()
    assert sorted(made.agents) == sorted(found)
    credited = 0
    for agent, evidence in found.items():
        facts = evidence["facts"]
        own = {*facts["changed"], *facts["removed"]}
        own |= {each["subject"] for each in evidence["findings"] if each["grade"] == "seen"}
        assert own <= made.wrote[agent], (agent, sorted(own - made.wrote[agent]))
        there = {name for name in made.by_tool[agent] if Path(tmp_path / name).exists()}
        assert there <= own, "what a tool of its own wrote is its own"
        credited += len(own)
    assert credited > AGENTS
