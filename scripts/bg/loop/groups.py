"""Tasks launched together: when the last of them has ended, their results are merged into one account."""

from __future__ import annotations

import json
import os
import re

from bg import foreign
from bg.ledger import launches, runs, tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Task
from bg.loop import reports
from bg.record import Record
from bg.results import account, intake, merge
from bg.results.records import Source
from bg.words import phrases
from bg.words.quoting import quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

MOST_BYTES = 1_000_000
RESULT_FILES = re.compile(r"[\w./-]{1,200}\.(?:md|jsonl)\b")
KEY = "group"


class Together(Record):
    """What the parent hears of a finished group, and the user's line."""

    text: str
    notice: str


def told(book: Ledger, group: str) -> Together:
    """The account of a group that has ended."""
    rows = tasks.members(book, group)
    sources = [source for row in rows for source in _sources(book, row)]
    states = ", ".join(f"{row.label} {row.state.replace('_', ' ')}" for row in rows)
    taken = intake.take(sources)
    body = account.brief(merge.merge(taken)) if taken.results or taken.reports else ""
    body = quote(body, 2000) if body else phrases.NO_RESULTS
    return Together(
        fill("group", count=str(len(rows)), tasks=states, body=body),
        phrases.GROUP_ENDED.format(count=len(rows), states=states),
    )


def _sources(book: Ledger, task: Task) -> list[Source]:
    """A task's last report, and the result files that it names, read from where its agent worked."""
    agent = task.agent
    run = runs.last_run(book, agent)
    if run is None:
        return []
    text, reading = reports.best(runs.reports(book, agent, run.run), launches.token_of(book, agent))
    found = [Source(task.label, text.encode("utf-8", "replace"))]
    fields: dict[str, Any] = reading.deciding.fields if reading.deciding else {}
    launch = launches.of_agent(book, agent)
    folder = launch.cwd if launch else ""
    named = fields.get("deliverables") or ""
    names = dict.fromkeys(RESULT_FILES.findall(named if isinstance(named, str) else json.dumps(named)))
    for name in list(names)[:20] if folder else []:
        data = _inside(folder, name)
        if data:
            found.append(Source(f"{task.label} {name}", data))
    return found


def _inside(folder: str, name: str) -> bytes:
    """A file's content, nothing where it lies outside the folder or is none."""
    try:
        root = os.path.realpath(folder)
        path = os.path.realpath(os.path.join(root, name))
        return foreign.whole(path, MOST_BYTES) if path.startswith(os.path.join(root, "")) else b""
    except (OSError, ValueError):
        return b""
