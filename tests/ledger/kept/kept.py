"""The kept ledgers: NNNN.sql is what the plugin of schema NNNN left of one flow, NNNN.jsonl what `bgctl export` says of it.

`python tests/ledger/kept/kept.py` keeps the ledger of the newest schema, once; a kept ledger is never written anew. Where
the export's form is meant to change, `--exports` writes the exports anew.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any
from unittest import mock

HERE = Path(__file__).resolve().parent
for folder in (HERE.parents[2] / "scripts", HERE.parents[1]):
    sys.path.insert(0, str(folder))

from bg import machine  # noqa: E402
from bg.desk import look  # noqa: E402
from bg.ledger.file import Ledger  # noqa: E402
from bg.ledger.migrations import FOLDER  # noqa: E402
from bg.ledger.place import directory  # noqa: E402
from drive import Drive, block  # noqa: E402

BEGAN = 1_700_000_000.0
NUMBERS = ("user_version", "application_id")
VERSION = "2.1.327"


def kept(number: int) -> Path:
    """Where the ledger of this schema is kept, whether or not it is."""
    return HERE / f"{number:04}.sql"


def rebuild(text: str, path: Path) -> None:
    """The ledger that a kept text describes, its numbers and table definitions as they were."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as book:
        book.executescript(text)


def export() -> list[dict[str, Any]]:
    """What `bgctl export` says, at one time for all."""
    with mock.patch.object(look, "Ledger", partial(Ledger, clock=lambda: BEGAN + 86400)):
        status, parts, problems = look.run_export(argparse.Namespace(task=""))
        said = "".join(parts)
    assert (status, problems) == (0, "")
    return [json.loads(line) for line in said.splitlines()]


def dump(path: Path, folder: Path) -> str:
    """A ledger as text, without what belongs to this machine."""
    with closing(sqlite3.connect(path)) as book:
        numbers = [f"PRAGMA {name}={book.execute(f'PRAGMA {name}').fetchone()[0]};" for name in NUMBERS]
        text = "\n".join([*book.iterdump(), *numbers]) + "\n"
    return text.replace(str(folder), "/home/user/project")


def message(drive: Drive, agent: str, call: str) -> None:
    """The parent wakes an agent with its answers, and the host does it."""
    sent = {"tool_name": "SendMessage", "tool_use_id": call}
    before = {**sent, "hook_event_name": "PreToolUse", "tool_input": {"to": agent, "message": "Go on."}}
    given = drive.send(before)["hookSpecificOutput"]["updatedInput"]
    after = {**sent, "hook_event_name": "PostToolUse", "tool_input": given}
    drive.send(after, tool_response={"success": True, "resumedAgentId": agent})


def play(drive: Drive) -> None:
    """Tasks in every state that an event can bring about; some of what is due is left unsaid."""
    tokens = {}
    for number, words in enumerate(("Audit it", "Count them", "Rename it", "Move it", "Try it", "Read it", "Wait"), 1):
        drive.prompt(f"/bg {words}")
        tokens[number] = drive.launch(words, f"a{number}")
        drive.stop()
    drive.prompt("/bg Never launched")
    drive.stop()
    two = [{"question_id": f"Q{n}", "text": f"Which {n}?", "context": "It decides.", "default": "none"} for n in (1, 2)]
    drive.ends("a1", block("CLARIFICATION_NEEDED", tokens[1], questions=two))
    drive.ends("a2", block("COMPLETION_REPORT", tokens[2], status="success"))
    drive.ends("a3", block("STOP_WORK", tokens[3]))
    drive.ends("a4", block("DELEGATE_WORK", tokens[4], independence="blocks_current_work"))
    drive.ends("a5", block("CLARIFICATION_NEEDED", tokens[5]))
    drive.stop()
    drive.prompt("What now?")
    drive.prompt("/bg-answer bg-1 Q1: “CSV”, naïvely")
    drive.prompt("/bg-answer bg-5 Q1: one")
    message(drive, "a5", "toolu_s1")
    drive.stop()
    drive.prompt("/bg-answer bg-4 D1: approve")
    tokens[9] = drive.launch("The delegated part", "a9")
    drive.stop()
    drive.ends("a6", "Only prose, and no block.")
    drive.ends("a6", "Prose again.", stop_hook_active=True)
    drive.ends("a9", block("COMPLETION_REPORT", tokens[9], status="failed"))
    drive.ends("a5", block("COMPLETION_REPORT", tokens[5], status="partial"))


@contextmanager
def steady(drive: Drive) -> Iterator[None]:
    """One clock, one process and one chance for every play."""
    ticks = count()
    drive.clock, drive.chance = lambda: BEGAN + next(ticks) / 10, random.Random(1).randbytes
    with (
        mock.patch.object(os, "getpid", return_value=4242),
        mock.patch.object(machine, "host", return_value=machine.Process(0, "")),
    ):
        yield


@contextmanager
def elsewhere(folder: Path) -> Iterator[Path]:
    """The place of a ledger in a home of its own."""
    own = {"HOME": str(folder), "BG_DATA": str(folder / "data"), "CLAUDE_CONFIG_DIR": str(folder / ".claude")}
    with mock.patch.dict(os.environ, own):
        yield Path(directory()) / "ledger.db"


def keep(number: int, folder: Path) -> None:
    """The ledger that this plugin leaves."""
    with elsewhere(folder) as path:
        drive = Drive(VERSION, folder)
        with steady(drive):
            play(drive)
        kept(number).write_text(dump(path, folder), encoding="utf-8")


def keep_export(number: int, folder: Path) -> None:
    """What this plugin says of a kept ledger."""
    with elsewhere(folder) as path:
        rebuild(kept(number).read_text(encoding="utf-8"), path)
        lines = [json.dumps(line, ensure_ascii=False) + "\n" for line in export()]
        kept(number).with_suffix(".jsonl").write_text("".join(lines), encoding="utf-8")


def main(arguments: list[str]) -> int:
    """Keep the newest, or the exports of all."""
    newest = max(int(path.stem) for path in Path(FOLDER).glob("*.sql"))
    numbers = range(1, newest + 1) if arguments == ["--exports"] else [newest]
    if not arguments and kept(newest).exists():
        sys.stdout.write(f"{kept(newest).name} is kept already\n")
        return 1
    with tempfile.TemporaryDirectory(prefix="bg-kept-") as name:
        folder = Path(name).resolve()
        if not arguments:
            keep(newest, folder / "play")
        for number in numbers:
            keep_export(number, folder / str(number))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
