"""Trials: what the doctor does instead of reading: it fires one real hook, and asks the host for its view."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from bg import durations, foreign, machine
from bg.desk.findings import Finding
from bg.ledger import spool
from bg.words.quoting import inline

AGAIN = (
    "claude plugin update bg@bg, or install it again: claude plugin uninstall bg@bg --keep-data, "
    "then claude plugin install bg@bg"
)
_EVENT = {"session_id": "doctor", "transcript_path": "", "hook_event_name": "UserPromptSubmit", "prompt": "/bg-status"}


def fire(root: Path, interpreter: str, keys: str = "") -> Iterator[Finding]:
    """One event through hooks/run, as the host would send it, with a data directory of its own.

    `keys` are those of the last prompt that the host has really handed over: it is played again with just these.
    """
    like = " with the keys of your last prompt" if keys else ""
    with tempfile.TemporaryDirectory(prefix="bg-doctor-") as folder:
        data = Path(folder)
        if interpreter:
            (data / "python").write_text(f"{interpreter}\n", encoding="utf-8")
        # BG_DATA comes before every other place, so the user's own data are left alone.
        told = {"BG_DATA": folder, "CLAUDE_PLUGIN_DATA": "", "CLAUDE_CODE_ENTRYPOINT": "cli", "NO_COLOR": "1"}
        known = {**_EVENT, "cwd": folder}
        event = {key: known.get(key, "/bg-status") for key in keys.split()} if keys else known
        payload = json.dumps(event, separators=(",", ":")).encode()
        done = machine.ask(["/bin/sh", str(root / "hooks" / "run")], durations.TRIAL, payload, told)
        out, said = done.out, done.said[len(done.out) :]
        for log in map(Path, spool.logs(folder)):
            with contextlib.suppress(OSError):
                said += log.read_text(encoding="utf-8", errors="replace")
        wrong = _judged(out, said)
    if wrong:
        yield Finding(
            "trial", "wrong", f"a hook that was tried{like} did not answer as it must: {wrong}", _remedy(wrong)
        )
    else:
        yield Finding("trial", "ok", f"a hook was tried{like}, and answered as it must")


def _judged(out: str, said: str) -> str:
    """What is wrong with a hook's answer to /bg-status in an empty ledger; empty where nothing is."""
    try:
        found = foreign.loads(out) if out.strip() else None
    except ValueError:
        found = None
    answer = found if isinstance(found, dict) else {}
    if "No background tasks here" in str(answer.get("reason")):
        return ""
    words = answer.get("reason") or answer.get("systemMessage") or said or out or "it said nothing"
    lines = [line.strip() for line in str(words).splitlines() if line.strip()]
    where = [line.strip() for line in said.splitlines() if line.strip().startswith("File ")][-1:]
    return inline(" ".join([*lines[-1:], *where]), 400)


def _remedy(wrong: str) -> str:
    if "Python 3.9" in wrong:
        return "install Python 3.9 or newer, so that it is the python3 in PATH"
    return AGAIN


def host_view() -> Iterator[Finding]:
    """What `claude plugin list` says is wrong with the plugin; hosts before that command exist say nothing."""
    program = machine.find("claude")
    asked = machine.ask([program, "plugin", "list", "--json"], durations.TRIAL) if program else None
    if asked is None or asked.code != 0:
        return
    try:
        listed = foreign.loads(asked.out)
    except ValueError:
        return
    for entry in listed if isinstance(listed, list) else []:
        name = str(entry.get("id", "")) if isinstance(entry, dict) else ""
        errors = entry.get("errors") if isinstance(entry, dict) else None
        if name.partition("@")[0] == "bg" and isinstance(errors, list):
            for error in errors:
                yield Finding("plugin", "wrong", f"Claude Code says of {name}: {inline(str(error), 300)}", AGAIN)
