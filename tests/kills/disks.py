"""Disks that really fail: small mounts to be filled up or made read-only, and a host that goes on upon them."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, Optional

import pytest
from answers import check_answer
from hook import ROOT, Payload
from play import Host, block, heard_of, label_in, token_in

PLAIN = {
    "deliverables": "None",
    "metrics_achieved": "Answered",
    "issues_encountered": "None",
    "recommendations": "None",
}
SIZE = "12m"  # the ledger, and what Python compiles


class Heard(NamedTuple):
    """What one hook said while something was broken, and the trace it left on standard error."""

    context: str
    notice: str
    whole: Payload
    trace: str

    @property
    def shown(self) -> str:
        """What the user reads of it."""
        return "\n".join(part for part in (self.notice, self.whole.get("reason") or "") if part)


class Sick(Host):
    """A host whose hooks may leave a trace on standard error, and nothing half said."""

    user: Optional[int] = None

    def __init__(self, root: Path, version: str = "2.1.327", **env: str) -> None:
        self.temp = root / "tmp"
        self.temp.mkdir(parents=True, exist_ok=True)
        super().__init__(root, version, TMPDIR=str(self.temp), CLAUDE_CODE_ENTRYPOINT="cli", **env)

    def start(self, given: Any, **options: Any) -> subprocess.Popen[bytes]:
        """As another host: through a prefix, as another user."""
        return super().start(given, user=self.user, **options)

    def bear(self, event: Payload) -> Heard:
        """One hook: it exits 0, and says one whole answer in the event's shape, or nothing."""
        process = self.start(event)
        out, err = process.communicate(process.data, timeout=60)  # type: ignore[attr-defined]
        assert process.returncode == 0, err.decode()[-2000:]
        whole = check_answer(event["hook_event_name"], out.decode()) or {}
        specific = whole.get("hookSpecificOutput") or {}
        context = specific.get("additionalContext") or ""
        return Heard(context, whole.get("systemMessage") or "", whole, err.decode())

    def launches(self, *agents: str) -> dict[str, str]:
        """One /bg with these agents, each bound; their tokens."""
        assert label_in(self.hook(self.prompt("/bg Look at everything")).context)
        tokens = {}
        for agent in agents:
            given = self.hook(self.launch(f"toolu_{agent}", "look", f"Look at {agent}")).whole
            given = given["hookSpecificOutput"]["updatedInput"]
            tokens[agent] = token_in(given["prompt"])
            self.hook(self.launched(f"toolu_{agent}", agent, given))
        self.hook(self.stop(running=agents))
        return tokens

    def folds(self) -> None:
        """The log, which hooks leave where it is, goes into the ledger, as when a session ends."""
        python = (self.data / "python").read_text().strip()
        words = (
            "import sqlite3, sys; book = sqlite3.connect(sys.argv[1]); book.execute('SELECT 1 FROM meta'); book.close()"
        )
        subprocess.run([python, "-c", words, str(self.data / "ledger.db")], check=True, cwd="/", user=self.user)

    def reports(self, agent: str, token: str) -> Payload:
        """The end of an agent's run, with a word of its own in it."""
        return self.ends(agent, block("COMPLETION_REPORT", token, status="success", summary=f"word-{agent}-x", **PLAIN))

    def told(self, *agents: str) -> Counter[str]:
        """Prompts and turn ends until nothing more is said: how often each agent's word was heard."""
        heard: Counter[str] = Counter(dict.fromkeys(agents, 0))
        for _ in range(4):
            words = self.hook(self.prompt("Go on")).context + self.hook(self.stop()).context
            heard.update({agent: heard_of(agent, words) for agent in agents})
        return heard

    def waiting(self) -> list[str]:
        """Whatever lies in a spool, finished or not."""
        return sorted(str(path) for place in (self.data, self.temp) for path in place.rglob("*spool*/*"))

    def kept(self) -> list[Payload]:
        """The events that wait in a spool."""
        return [json.loads(Path(path).read_text()) for path in self.waiting() if path.endswith(".json")]

    def bgctl(self, *arguments: str) -> Any:
        """What it prints as JSON, as the hooks' own user."""
        done = subprocess.run(
            [(self.data / "python").read_text().strip(), str(ROOT / "scripts" / "bgctl"), *arguments, "--json"],
            env=self.env,
            user=self.user,
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stderr == ""
        return json.loads(done.stdout)

    def doctor(self) -> list[dict[str, Any]]:
        """What the doctor finds that is not fine."""
        return [item for item in self.bgctl("doctor") if item["state"] != "ok"]


@contextlib.contextmanager
def mounted(*places: Path) -> Iterator[None]:
    """A small disk of its own below each of these directories."""
    done: list[Path] = []
    try:
        for place in places:
            place.mkdir(parents=True, exist_ok=True)
            mount = ["mount", "-t", "tmpfs", "-o", f"size={SIZE},mode=0700", "tmpfs", str(place)]
            made = subprocess.run(mount, capture_output=True) if sys.platform == "linux" and os.geteuid() == 0 else None
            if made is None or made.returncode:
                pytest.skip("a full or read-only disk needs the right to mount one")
            done.append(place)
        yield
    finally:
        for place in done:
            subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path, but: int = 0) -> Path:
    """Not a byte more goes onto this disk, or so many and no more."""
    big = place / "big"
    with big.open("wb", buffering=0) as file:
        for size in (1 << 20, 1 << 12, 1):
            with contextlib.suppress(OSError):
                while file.write(b"x" * size) == size:
                    pass
        os.truncate(big, big.stat().st_size - but)
    return big


def writable(place: Path, way: str) -> None:
    """Mount this disk anew, `rw` or `ro`."""
    subprocess.run(["mount", "-o", f"remount,{way}", str(place)], check=True)
