"""A temporary home for the client, with an environment that keeps it on loopback; ends everything that runs in it."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import tempfile
import time
from pathlib import Path
from types import TracebackType
from typing import Any, Optional, final

KEY = "sk-ant-api03-scripted-model-no-real-key-0000000000-AA"
# The longest wait for anything that a client does in a few turns: a busy machine needs ten times as long as an idle
# one, and a wait that succeeds ends at once.
PATIENCE = 90.0


@final
class Home:
    """A temporary home and project for one or more sessions, which see nothing of the user's own configuration."""

    def __init__(self, base_url: str = "") -> None:
        self.root = Path(os.path.realpath(tempfile.mkdtemp(prefix="bg-rig-")))
        self.path = self.root / "home"
        self.project = self.root / "project"
        self.base_url = base_url
        self.path.mkdir()
        self.project.mkdir()
        self.trust(self.project)
        (self.path / ".claude").mkdir()

    def trust(self, folder: Path) -> None:
        """Answer in advance the questions that a first interactive start in this folder would ask."""
        file = self.path / ".claude.json"
        state = json.loads(file.read_text()) if file.exists() else {}
        state.update(
            hasCompletedOnboarding=True,
            theme="dark",
            customApiKeyResponses={"approved": [KEY[-20:]], "rejected": []},
            # Without these, hosts up to 2.1.100 try to fetch a marketplace when they start.
            officialMarketplaceAutoInstallAttempted=True,
            officialMarketplaceAutoInstalled=True,
        )
        state.setdefault("projects", {})[str(folder)] = {
            "hasTrustDialogAccepted": True,
            "hasCompletedProjectOnboarding": True,
        }
        file.write_text(json.dumps(state))

    def settings(self, value: dict[str, Any]) -> None:
        """Write the user's settings.json."""
        folder = self.path / ".claude"
        folder.mkdir(exist_ok=True)
        (folder / "settings.json").write_text(json.dumps(value))

    def env(self, **extra: str) -> dict[str, str]:
        """The whole environment of the client: only PATH is inherited, and only loopback is contacted."""
        return {
            "HOME": str(self.path),
            "PATH": os.environ.get("PATH", os.defpath),
            "LANG": "C.UTF-8",
            "ANTHROPIC_BASE_URL": self.base_url,
            "ANTHROPIC_API_KEY": KEY,
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_ERROR_REPORTING": "1",
            **extra,
        }

    def transcripts(self) -> list[Path]:
        """Every transcript of sessions and subagents below this home, the oldest first."""
        found = (self.path / ".claude" / "projects").glob("**/*.jsonl")
        return sorted(found, key=lambda path: path.stat().st_mtime)

    def close(self) -> None:
        """End everything that still runs with this home, and remove it."""
        _sweep(self.path)
        for folder in _sockets(self.path):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(self.root, ignore_errors=True)

    def __enter__(self) -> Home:
        """Return the home, which is ready."""
        return self

    def __exit__(
        self, kind: Optional[type[BaseException]], value: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        """Close the home, so that nothing stays behind."""
        self.close()


def kill_group(pid: int) -> None:
    """End a process group that this program started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(pid, number)
        except (ProcessLookupError, PermissionError):
            return
        time.sleep(0.1)


def _sockets(home: Path) -> set[str]:
    """The folders, outside the home, with the sockets of a daemon to which a client has moved a session."""
    roster = home / ".claude" / "daemon" / "roster.json"
    return set(re.findall(r'"(/[^"]*/cc-daemon-\d+/[0-9a-f]{8})/', roster.read_text())) if roster.is_file() else set()


def _sweep(home: Path) -> None:
    """Kill processes that left their group but still have this home in their environment (Linux only)."""
    needle = f"HOME={home}".encode()
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if needle in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
        except (OSError, ValueError):
            continue
