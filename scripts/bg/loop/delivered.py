"""Delivered: the result files that a report names, read in its agent's folder, and their breaches of the contract."""

from __future__ import annotations

import errno
import json
import os
import re

from bg import foreign
from bg.host import agents
from bg.ledger import cases, launches, place
from bg.ledger.file import Ledger, first_of
from bg.ledger.launches import Launch
from bg.ledger.tasks import Task
from bg.loop import reports
from bg.pattern import pattern
from bg.words import phrases
from bg.words.quoting import cited

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from bg.evidence import Look

MOST_BYTES = 1_000_000
MOST_FILES = 20
MOST_PLACES = 200
SHOWN = 3
RESULT_FILES = re.compile(r"[\w./-]{1,200}\.(?:md|jsonl)\b")
# Every result has a section with such a name: a text with none of them does not need the reader of results.
TELLING = pattern("status|confidence|references|refs|files", re.IGNORECASE)


def of_task(book: Ledger, task: Task, transcript: str) -> tuple[list[tuple[str, bytes]], list[str]]:
    """A task's last report and the result files that it names, each with its name; a line for each file not read."""
    who = cases.agent(book, task.agent)
    launch = first_of(launches.find(book, agent=task.agent))
    if who.run is None:
        return [], []
    text, reading = reports.best(who.texts, who.token)
    found = [("", text.encode("utf-8", "replace"))]
    named = _names(reading.deciding.fields if reading.deciding else {})
    if launch is None or not launch.cwd or not named:
        return found, []
    read, unread = _read(named, launch.cwd, _look(task, launch, agents.of_agent(transcript, task.agent)))
    lines = [phrases.RESULT_NOT_READ.format(label=task.label, name=cited(name, 120), why=why) for name, why in unread]
    more = max(0, len(lines) - SHOWN) + max(0, len(named) - MOST_FILES)
    told = phrases.MORE_RESULT_FILES.format(label=task.label, count=more)
    return [*found, *read], [*lines[:SHOWN], told] if more else lines


def notes(task: Task, launch: Launch, transcript: str, text: str, fields: dict[str, Any]) -> list[dict[str, Any]]:
    """The breaches of the contract by the results in a report, and in the files that it names."""
    named = _names(fields)
    look = _look(task, launch, transcript) if named or "confidence" in text.lower() else None
    if look is None:
        return []
    files = [(name, data.decode("utf-8-sig", "replace")) for name, data in _read(named, launch.cwd, look)[0]]
    return _lacking(look, [each for each in [("", text), *files] if is_telling(each[1])])


def is_telling(text: str) -> bool:
    """Whether a text may hold a result by the contract; a cheap look that spares loading the reader of results."""
    return any(
        TELLING.search(line)
        for line in text.splitlines()
        if "#" in line or line.startswith(("**", "__", "Status", "Confidence"))
    )


def _lacking(look: Look, texts: list[tuple[str, str]]) -> list[dict[str, Any]]:
    if not texts:
        return []
    from bg.results import conformance, contract  # noqa: PLC0415 - late: few reports have any

    found = []
    for name, words in texts:
        for result in contract.parse_all(words):
            lacking = [*_missing(look, conformance.cited(result)), *conformance.check(result)]
            found += [{"source": name or result.agent, **each._asdict()} for each in lacking]
    return found


def _missing(look: Look, cited: list[Any]) -> list[Any]:
    """The places that a result names and that are known not to exist."""
    from bg.evidence import MISSING  # noqa: PLC0415 - late, as in `_look`
    from bg.results.conformance import Note  # noqa: PLC0415 - late, as in `notes`

    why = {str(each): look.at(each.file, each.line) for each in cited[:MOST_PLACES]}
    found = {reason: tuple(name for name, its in why.items() if its == reason) for reason in MISSING}
    return [Note(reason, names) for reason, names in found.items() if names]


def _names(fields: dict[str, Any]) -> list[str]:
    named = fields.get("deliverables") or ""
    return list(dict.fromkeys(RESULT_FILES.findall(named if isinstance(named, str) else json.dumps(named))))


def _look(task: Task, launch: Launch, transcript: str) -> Look:
    # Imported late: `evidence` is the largest part of the package, and is needed only where results are read.
    from pathlib import Path  # noqa: PLC0415

    from bg import evidence  # noqa: PLC0415

    folders = (Path(task.project or launch.cwd), Path(launch.cwd))
    begun = evidence.Launch(*folders, launch.head or "", launch.made, config=place.config_directory())
    return evidence.Look(begun, transcript)


def _read(named: list[str], folder: str, look: Look) -> tuple[list[tuple[str, bytes]], list[tuple[str, str]]]:
    """Name and content of the files that can be read, name and reason of those that cannot."""
    read, unread = [], []
    for name in named[:MOST_FILES] if folder else []:
        data, why = _inside(folder, name, look)
        if data:
            read.append((name, data))
        elif why:
            unread.append((name, why))
    return read, unread


def _inside(folder: str, name: str, look: Look) -> tuple[bytes, str]:
    """A file's content, or the reason why it was not read; neither if there is no such file."""
    from pathlib import Path  # noqa: PLC0415 - late, as in `_look`

    try:
        root = os.path.realpath(folder)
        spelled = os.path.normpath(os.path.join(root, name))
        path = os.path.realpath(spelled)
        if not path.startswith(os.path.join(root, "")):
            return b"", phrases.RESULT_OUTSIDE if os.path.isfile(path) else ""
        closed = look.closed(Path(spelled)) if os.path.isfile(path) else ""
        if closed:
            return b"", phrases.RESULT_CLOSED[closed]
        return foreign.whole(path, MOST_BYTES), ""
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return b"", ""
    except OSError as error:
        if error.errno == errno.EFBIG:
            return b"", phrases.RESULT_TOO_LARGE.format(most=MOST_BYTES // 1_000_000)
        return b"", phrases.RESULT_UNREADABLE.format(why=error.strerror)
