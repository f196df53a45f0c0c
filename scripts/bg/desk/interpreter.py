"""Python: what is wrong with the one that the hooks run with."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bg import durations, machine
from bg.desk import packages
from bg.desk.findings import Finding
from bg.ledger import place


def noted() -> tuple[Path, str]:
    """Where the hooks' interpreter is noted, and which one that is."""
    note = Path(place.interpreter_note(place.directory_of_hooks()))
    return note, note.read_text(encoding="utf-8").strip() if note.is_file() else ""


def the_hooks_own() -> Iterator[Finding]:
    """Whether the interpreter that the hooks use starts, is new enough, and has the packages."""
    note, chosen = noted()
    if chosen and not os.access(chosen, os.X_OK):
        yield Finding("python", "wrong", f"the interpreter noted in {note} is gone: {chosen}", f"rm {note}")
        return
    if chosen and machine.python(chosen, "-S", "-c", "pass", seconds=durations.PROBING).code:
        why = f"the interpreter noted in {note} does not start: {chosen}; the next hook looks for another one"
        yield Finding("python", "wrong", why, f"rm {note}")
        return
    old = _too_old(chosen)
    if old:
        yield Finding("python", "wrong", f"bg needs Python 3.9 or newer; found {old} at {chosen}", f"rm {note}")
        return
    if packages.usable(chosen):
        yield Finding("python", "ok", f"{chosen} with PyYAML and jsonschema")
        return
    yield Finding(
        "python",
        "note",
        f"{chosen or 'the system python3'} lacks PyYAML or jsonschema; YAML and schemas are not checked",
        packages.REMEDY,
    )


def _too_old(interpreter: str) -> str:
    """The version of an interpreter that cannot run the hooks; empty for one that can, or that does not say."""
    ask = "import sys; sys.stdout.write('' if sys.version_info >= (3, 9) else '%d.%d' % tuple(sys.version_info[:2]))"
    if not interpreter:
        return ""
    return machine.python(interpreter, "-c", ask, seconds=durations.PROBING).out
