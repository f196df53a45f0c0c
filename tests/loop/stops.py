"""The kept messages: all that anybody reads of a stop and the reply to it. `python tests/loop/stops.py --write` keeps them anew.

Read the difference before you commit it, each message from its first word to its last: would you know what to do?
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE.parent)]

from bg.protocol import signals  # noqa: E402
from drive import Drive, context  # noqa: E402
from recordings import VERSIONS  # noqa: E402

STOPS, KEPT = HERE / "stops.json", HERE / "stops.txt"
HEAD = "#" * 20 + " "
PAYLOAD = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}


def stopped(drive: Drive, task: str, fields: dict[str, Any]) -> str:
    """An agent has stopped with these fields; what its parent was told."""
    drive.prompt(f"/bg {task}")
    token = drive.launch(task, "a1")
    drive.stop()
    drive.ends("a1", signals.render("STOP_WORK", {"agent_id": token, **fields}))
    told = context(drive.announced("a1"))
    drive.stop()
    return told


def wake(drive: Drive, message: str = "", *, proven: bool = False) -> str:
    """The parent wakes the agent; what the agent gets."""
    given = drive.send({**PAYLOAD, "tool_input": {"to": "a1", "message": message}})["hookSpecificOutput"][
        "updatedInput"
    ]
    if proven:
        after = {**PAYLOAD, "hook_event_name": "PostToolUse", "tool_input": given}
        drive.send(after, tool_response={"success": True, "resumedAgentId": "a1"})
    return str(given["message"])


def read(drive: Drive, reply: str) -> Iterator[tuple[str, str]]:
    """What the user, the parent, the specialist and the agent read of a reply, each by its name."""
    if reply.startswith("parent: "):
        yield "the agent", wake(drive, reply[len("parent: ") :])
        return
    said = drive.prompt(f"/bg-answer bg-1 {reply}")
    yield "the user", str(said.get("systemMessage") or said.get("reason"))
    if "reason" in said:
        return
    yield "the parent", context(said)
    if "label: bg-2" in context(said):
        drive.launch("Do it", "a2", description="bg-2: what is handed over")
        prompt = str(drive.taken["prompt"])
        yield "the new agent", prompt[prompt.index("## Where this task comes from") :]
    yield "the agent", wake(drive)


def pages(stops: list[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Each stop as its parent is told of it, and each reply to it, under their names."""
    for stop in stops:
        for number, reply in enumerate(["", *stop["replies"]]):
            with tempfile.TemporaryDirectory() as folder:
                home = {"HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/.claude", "BG_DATA": f"{folder}/bg-data"}
                with mock.patch.dict(os.environ, {**home, "CLAUDE_CODE_ENTRYPOINT": "cli"}):
                    drive = Drive(VERSIONS[-1], Path(folder, "shop"))
                    drive.folder.mkdir()
                    drive.chance = bytes
                    told = stopped(drive, stop["task"], stop["stop"])
                    found = list(read(drive, reply)) if number else [("the parent", told)]
            for who, text in found:
                yield f"{stop['name']}: {reply or 'stopped'} / {who}", text


def whole() -> str:
    """All messages in one text, each under its name."""
    stops = json.loads(STOPS.read_text(encoding="utf-8"))
    return "".join(f"{HEAD}{name}\n{text.rstrip()}\n\n" for name, text in pages(stops))


def main() -> int:
    """Keep the messages anew."""
    KEPT.write_text(whole(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit(__doc__)
    raise SystemExit(main())
