"""Records the hook payloads of the real hosts as fixtures: python tests/clients/record.py --version V [--scene S].

Each scene of each version becomes a file below tests/recorded with one line per event, in the order in which the
hooks started. Payloads are kept as they came, but for machine paths. --keep DIR also keeps all other evidence:
the requests that the model received, what the client printed, screens and transcripts.
Exit codes: 0 all scenes recorded, 1 a scene failed, 2 usage.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import traceback
from pathlib import Path
from typing import Callable, Optional

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent), str(HERE.parent.parent / "scripts")]

import recordings  # noqa: E402
import scenes  # noqa: E402
import scenes_more as more  # noqa: E402
import scenes_rare as rare  # noqa: E402
from bg.host import versions  # noqa: E402
from rig import clients, fetching  # noqa: E402
from stage import Stage  # noqa: E402

ALL = set(clients.VERSIONS)
MODERN = {version for version in ALL if scenes.modern(version)}
AUTO = {version for version in ALL if clients.numbers(version) >= (2, 1, 258)}
POLLS = {version for version in ALL if clients.numbers(version) < (2, 1, 277)}
HANDS_BACK = {version for version in ALL if versions.host_of(versions.version_of(version)).has_handback}

SCENES: dict[str, tuple[Callable[[str], scenes.Scene], set[str]]] = {
    "background": (scenes.background, ALL),
    "midturn": (scenes.midturn, ALL),
    "foreground": (scenes.foreground, ALL),
    "taskoutput": (scenes.taskoutput, POLLS),
    "resume": (scenes.resume, ALL - {"2.1.100"}),
    "handback": (scenes.handback, AUTO),
    "to-main": (scenes.to_main, MODERN),
    "two": (more.two, ALL),
    "two-at-once": (more.two_at_once, ALL),
    "explore": (more.explore, ALL),
    "cut-turns": (scenes.cut_turns, ALL),
    "cut-tokens": (scenes.cut_tokens, ALL),
    "cut-error": (scenes.cut_error, ALL),
    "stopped": (scenes.stopped, ALL),
    "question": (more.question, ALL),
    "question-print": (more.question_print, {"2.1.38", "2.1.100"}),
    "command": (more.command, ALL),
    "sessions": (more.sessions, ALL),
    "send-unknown": (more.send_unknown, MODERN),
    "denied": (more.denied, ALL),
    "nested": (more.nested, MODERN),
    "fork": (more.fork, AUTO),
    "blocked": (rare.blocked, ALL),
    "handback-denied": (rare.handback_denied, HANDS_BACK),
    "handback-text": (rare.handback_text, HANDS_BACK),
    "handback-foreground": (rare.handback_foreground, HANDS_BACK),
    "handback-midturn": (rare.handback_midturn, HANDS_BACK),
    "to-main-midturn": (rare.to_main_midturn, MODERN),
    "send-running": (rare.send_running, MODERN),
    "nested-busy": (rare.nested_busy, MODERN),
    "parked": (rare.parked, MODERN),
    "worktree": (rare.worktree, MODERN),
    "question-refused": (rare.question_refused, ALL),
    "question-typed": (rare.question_typed, ALL),
    "permission": (rare.permission, MODERN),
    "moved": (rare.moved, HANDS_BACK),
}


def placeholders(stage: Stage) -> list[tuple[str, str]]:
    """What stands for this machine's paths, the longest first."""
    root = str(stage.home.root)
    encoded = re.sub(r"[^A-Za-z0-9]", "-", str(stage.home.project))
    return [
        (f"/claude-{os.getuid()}/", "/claude-1000/"),
        (str(stage.home.path), "/home/user"),
        (str(stage.home.project), "/project"),
        (encoded, "-project"),
        (root, "/tmp/rig"),
        (str(HERE / "probe"), "/plugins/probe"),
    ]


def write(stage: Stage, file: Path) -> int:
    """One line per event; an older recording is replaced."""
    notes = stage.notes()
    whole = recordings.written([note["event"] for note in notes])
    for path, stands_for in placeholders(stage):
        whole = whole.replace(path, stands_for)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(whole, encoding="utf-8")
    return len(notes)


def record(version: str, name: str, keep: Optional[Path]) -> bool:
    """Play one scene on one host and write its fixtures; says what came of it."""
    scene = SCENES[name][0](version)
    problem = ""
    with Stage(version, scene.script, keep / version / name if keep else None) as stage:
        try:
            scene.play(stage)
        except (TimeoutError, LookupError, RuntimeError) as error:
            problem = traceback.format_exc() if keep else str(error)
        count = write(stage, recordings.FOLDER / version / f"{name}.jsonl") if not problem else len(stage.notes())
    print(f"{version} {name}: {count} events" + (f" NOT WRITTEN: {problem}" if problem else ""), flush=True)
    return not problem


def main(argv: Optional[list[str]] = None) -> int:
    """Record what was asked for."""
    parser = argparse.ArgumentParser(description="Record the hook payloads of the real hosts.")
    parser.add_argument("--version", action="append", choices=list(clients.VERSIONS), help="default: all")
    parser.add_argument("--scene", action="append", choices=list(SCENES), help="default: all")
    parser.add_argument("--keep", type=Path, help="keep the other evidence here")
    given = parser.parse_args(argv)
    fine = True
    for version in given.version or clients.VERSIONS:
        fetching.install(version)
        for name in given.scene or SCENES:
            if version in SCENES[name][1]:
                fine = record(version, name, given.keep) and fine
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
