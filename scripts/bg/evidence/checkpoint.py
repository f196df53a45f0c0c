"""The checkpoint of an agent that was cut: files changed since its launch, its last call, and the step left open."""

from __future__ import annotations

import os
from pathlib import Path

from bg.evidence import calls
from bg.evidence.calls import Call
from bg.host import transcripts
from bg.record import Record

MOST_FILES = 60
MOST_LOOKED_AT = 20_000
SLACK = 1.0
_PASSED_OVER = {".git", ".hg", ".svn", "node_modules", ".venv", "venv", "__pycache__", ".mypy_cache", ".pytest_cache"}


class Checkpoint(Record):
    """The facts known without the agent, with the first of `in_all` files; `whole` is False if the disk was too large.

    `stopped` means that the host ended the run during its last call, and answered that call itself.
    """

    files: tuple[str, ...]
    last: str
    step: str
    folder: str
    whole: bool
    stopped: bool
    in_all: int


def of(transcript: str, folder: str, since: float) -> Checkpoint:
    """The checkpoint, from the agent's transcript and the files below its working directory changed since then."""
    done = calls.read(transcript).calls
    folder = transcripts.field(transcript, "cwd") or folder
    writing = [call for call in done if call.name in calls.WRITING and call.path and not call.failed]
    written = [_named(call.path, folder) for call in writing]
    found, whole = _changed(folder, since)
    files = tuple(dict.fromkeys([*written, *found]))
    stopped = bool(done) and transcripts.is_stopped(transcript, transcripts.STOPPED_IN_A_CALL)
    step = _gist(done[-1]) if stopped else _step(transcript, done)
    return Checkpoint(
        files[:MOST_FILES], _last_call_in_words(done, stopped=stopped), step, folder, whole, stopped, len(files)
    )


def _named(path: str, folder: str) -> str:
    inside = folder and path.startswith(folder.rstrip("/") + "/")
    return os.path.relpath(path, folder) if inside else path


def _changed(folder: str, since: float) -> tuple[list[str], bool]:
    """The files below a folder that are newer than this moment, and whether all were looked at."""
    found: list[str] = []
    left = MOST_LOOKED_AT
    for place, folders, names in os.walk(folder) if folder and since else ():
        folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
        for name in sorted(names):
            left -= 1
            path = Path(place, name)
            try:
                about = os.lstat(path)
            except OSError:
                continue
            if max(about.st_mtime, about.st_ctime) >= since - SLACK:
                found.append(os.path.relpath(path, folder))
        if left < 0:
            return found, False
    return found, True


def _gist(call: Call) -> str:
    words = call.command or call.path or next((str(value) for value in call.given.values() if value), "")
    return f"{call.name}: {' '.join(words.split())}"[:300]


def _last_call_in_words(done: list[Call], *, stopped: bool) -> str:
    """The last call, and its outcome."""
    if not done:
        return ""
    call = done[-1]
    came = ("it failed" if call.failed else "it returned") if call.answered else "no result of it was seen"
    return f"{_gist(call)} ({'it was stopped before it came back' if stopped else came})"


def _step(transcript: str, done: list[Call]) -> str:
    """The open step: a call without a result, else the entry in progress on the agent's list, else its last words."""
    if done and not done[-1].answered:
        return _gist(done[-1])
    step = next((each for each in map(_in_progress, reversed(done)) if each), "")
    if step:
        return step
    # If the API fails, the host writes a record in the agent's place: no words of the agent.
    own = [record for record in transcripts.tail(transcript) if not record.get("isApiErrorMessage")]
    spoken = transcripts.last_assistant(own).text.strip()
    return " ".join(spoken.splitlines()[-1].split())[:300] if spoken else ""


def _in_progress(call: Call) -> str:
    """The entry in progress on the list that a call wrote."""
    entries = call.given.get("todos")
    found = [each for each in (entries if isinstance(entries, list) else []) if isinstance(each, dict)]
    return next((str(each.get("content") or "") for each in found if each.get("status") == "in_progress"), "")
