"""Plugins of other people beside ours, written for one test: a hook an event, each a small Python program."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Optional

#: Reads the event as `event`, has `here` (a folder of its own) and `say` (one JSON answer), then runs the test's lines.
HEAD = """
import json, os, sys, time
event = json.loads(sys.stdin.read())
here = os.path.dirname(os.path.abspath(__file__))
def say(**answer):
    print(json.dumps(answer), flush=True)
def note(name, words=""):
    with open(os.path.join(here, name), "a") as file:
        file.write(words + "\\n")
prompt = event.get("prompt") or ""
machine = "<task-notification" in prompt or "<agent-message" in prompt
"""


def peer(
    folder: Path, name: str, hooks: dict[str, str], matchers: Optional[dict[str, str]] = None, *, timeout: int = 30
) -> Path:
    """A plugin with a hook for each of these events, which runs these lines of Python."""
    place = folder / name
    (place / ".claude-plugin").mkdir(parents=True)
    (place / "hooks").mkdir()
    manifest = {"name": name, "version": "1.0.0", "description": "Another plugin"}
    (place / ".claude-plugin" / "plugin.json").write_text(json.dumps(manifest), encoding="utf-8")
    entries = {}
    for event, lines in hooks.items():
        file = place / "hooks" / f"{event}.py"
        file.write_text(HEAD + lines, encoding="utf-8")
        command = {"type": "command", "command": f'"{sys.executable}" "{file}"', "timeout": timeout}
        entries[event] = [
            {**({"matcher": matchers[event]} if matchers and event in matchers else {}), "hooks": [command]}
        ]
    (place / "hooks" / "hooks.json").write_text(json.dumps({"hooks": entries}), encoding="utf-8")
    return place
