"""Feeds the recorded payloads of the real hosts to `hooks/run` in an empty environment, as a host would."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Optional, Union

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests"))

from answers import check_answer  # noqa: E402
from recordings import Payload  # noqa: E402

STDERR_LIMIT = 400


def name_of(payload: Any) -> str:
    """The event's name as far as the payload has one."""
    return str(payload.get("hook_event_name")) if isinstance(payload, dict) else ""


class Machine:
    """A home, a project and a data directory, with the interpreter that the hooks shall use."""

    prefix: tuple[str, ...] = ()  # what the hooks are started through

    def __init__(self, root: Path, python: Union[str, Path], **env: str) -> None:
        self.home = root / "home"
        self.project = root / "project"
        self.data = root / "data"
        self.bin = root / "bin"
        for folder in (self.home, self.project, self.data, self.bin):
            folder.mkdir(parents=True, exist_ok=True)
        (self.bin / "python3").symlink_to(python)
        # The launcher looks for a system interpreter first; a note in the data directory is preferred to that.
        (self.data / "python").write_text(f"{python}\n", encoding="utf-8")
        self.env = {
            "HOME": str(self.home),
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "BG_DATA": str(self.data),
            "CLAUDE_PROJECT_DIR": str(self.project),
            "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
            "TMPDIR": str(root),
            **env,
        }

    def start(self, given: Union[bytes, str, Payload], **options: Any) -> subprocess.Popen[bytes]:
        """The hook's process, its standard input being written."""
        data = given if isinstance(given, bytes) else (given if isinstance(given, str) else json.dumps(given)).encode()
        process = subprocess.Popen(
            [*self.prefix, str(ROOT / "hooks" / "run")],
            env=self.env,
            cwd=self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            **options,
        )
        process.data = data  # type: ignore[attr-defined]
        return process

    def run(self, given: Union[bytes, str, Payload]) -> tuple[int, str, str]:
        """Exit code, standard output, standard error."""
        process = self.start(given)
        out, err = process.communicate(process.data, timeout=60)  # type: ignore[attr-defined]
        return process.returncode, out.decode("utf-8"), err.decode("utf-8", "replace")

    def tell(self, given: Union[bytes, str, Payload], name: str = "") -> Optional[Payload]:
        """The answer to one event, held to the event's shape; the hook must be quiet on stderr."""
        code, out, err = self.run(given)
        assert (code, err) == (0, ""), (code, err, out[:300])
        return check_answer(name or name_of(given), out)

    def rows(self, sql: str, *values: Any) -> list[Payload]:
        """One look into the ledger."""
        book = sqlite3.connect(f"file:{self.data / 'ledger.db'}?mode=ro", uri=True)
        book.row_factory = sqlite3.Row
        try:
            return [dict(row) for row in book.execute(sql, values)]
        finally:
            book.close()

    def transcript(self, agent: str, *turns: tuple[str, str]) -> str:
        """An agent's transcript as the old hosts leave it: (`user` or `assistant`, words) a line."""
        path = self.home / f"agent-{agent}.jsonl"
        lines = [
            json.dumps(
                {
                    "type": kind,
                    "uuid": f"{agent}-{number}",
                    "version": "2.1.7",
                    "cwd": str(self.project),
                    "message": {"role": kind, "content": [{"type": "text", "text": words}]},
                }
            )
            for number, (kind, words) in enumerate(turns)
        ]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return str(path)


def wait_until(holds: Any, seconds: float, what: str) -> None:
    """Wait for a condition; the words say what was waited for."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, what
        time.sleep(0.05)


def alive(needle: str) -> list[int]:
    """Processes that carry this in their environment (Linux only, as the rig's sweep)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if needle.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found
