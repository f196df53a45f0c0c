"""A project at launch and an agent whose doings a test tells; what a check says of its report."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

from bg.evidence import Evidence, Launch, examine
from bg.evidence.calls import WRITING, Call, only_looks, same
from drive import stamp

GIT = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "init.defaultBranch=main"]
BEFORE = {
    "README.md": "# shop\n\nA small shop.\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
    "src/a.py": "def total(items):\n    return sum(items)\n",
    "src/b.py": "import os\n\nPOOL = 3\n",
    "src/util.py": "X = 1\n",
    "lib/util.py": "X = 2\n",
    "src/api/auth.ts": "export const JWT_TTL = '12h';\n\nexport function login() {\n  return 1;\n}\n",
    "tests/test_a.py": "def test_a():\n    assert True\n",
    "docs/index.md": "# Docs\n",
}


def writing(name: str, calls: list[Call]) -> int:
    """The last of these calls that wrote a file or names it in a command, else the last command; 0 where there is none."""
    shells = [number for number, call in enumerate(calls, 1) if call.command and not only_looks(call)]
    last = re.compile(rf"(?<![\w.-]){re.escape(name.rpartition('/')[2])}(?![\w.-])")
    named = [
        number
        for number, call in enumerate(calls, 1)
        if (call.name in WRITING and same(call.path, name)) or (number in shells and last.search(call.command))
    ]
    return (named or shells or [0])[-1]


class World:
    """A project at launch, and an agent whose doings a test tells."""

    def __init__(self, place: Path, *, git: bool = True) -> None:
        self.place = place
        self.root = place / "project"
        self.at = time.time() + 10
        self.lines: list[dict] = []
        self.number = 0
        self.folder = str(self.root)
        for name, text in BEFORE.items():
            self.write(name, text, -3600)
        self.head = ""
        if git:
            self.git("init", "-q")
            self.head = self.commit("before the launch")

    def git(self, *arguments: str) -> str:
        done = subprocess.run([*GIT, "-C", str(self.root), *arguments], check=True, capture_output=True, text=True)
        return done.stdout.strip()

    def commit(self, words: str) -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", words)
        return self.git("rev-parse", "HEAD")

    def write(self, name: str, text: str | bytes, after: float = 5) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        os.utime(path, (self.at + after, self.at + after))
        return path

    @property
    def moment(self) -> float:
        """Within the last call."""
        return self.at + 100 + 10 * self.number + 0.5

    def made(self, name: str, text: str | bytes) -> Path:
        """A file changes during the last call."""
        return self.write(name, text, self.moment - self.at)

    def call(self, name: str, result: str = "", *, failed: bool = False, **given) -> None:
        self.number += 1
        use = {"type": "tool_use", "id": f"t{self.number}", "name": name, "input": given}
        answer = {"type": "tool_result", "tool_use_id": f"t{self.number}", "content": result, "is_error": failed}
        begun, ended = stamp(self.moment - 0.5), stamp(self.moment + 0.5)
        message = {"role": "assistant", "content": [use]}
        self.lines.append({"type": "assistant", "timestamp": begun, "cwd": self.folder, "message": message})
        self.lines.append({"type": "user", "timestamp": ended, "message": {"role": "user", "content": [answer]}})

    def told(self, words: str) -> None:
        self.lines.append({"type": "user", "message": {"role": "user", "content": words}})

    def bash(self, command: str, result: str = "", *, failed: bool = False, **given) -> None:
        self.call("Bash", result, failed=failed, command=command, **given)

    def edited(self, name: str, text: str) -> None:
        self.call("Write", "ok", file_path=str(self.root / name), content=text)
        self.made(name, text)

    def examine(self, report="", fields=None, *, transcript=True, cwd="", shared=False, **brief) -> Evidence:
        path = self.place / "agent-1.jsonl"
        opening = [{"type": "user", "message": {"role": "user", "content": "Fix the shop"}}]
        path.write_text("".join(json.dumps(line) + "\n" for line in [*opening, *self.lines]))
        asked = {name.replace("_", " ").capitalize(): text for name, text in brief.items()}
        launch = Launch(self.root, self.root / cwd, self.head, self.at, shared)
        return examine(report, fields, launch, str(path) if transcript else "", asked)

    def declared(self, *lines: str, **more) -> list[tuple[str, str, str]]:
        """Grade, reason and detail of each declared line."""
        fields = {"status": "success", "evidence": "\n".join(f"- {line}" for line in lines)}
        evidence = self.examine("", fields, **more)
        assert [limit for limit in evidence.limits if "not checked" in limit or "ended early" in limit] == []
        return [(found.grade, found.reason, found.detail) for found in evidence.findings]

    def reason(self, line: str, **more) -> str:
        [(_, reason, _)] = self.declared(line, **more)
        return reason
