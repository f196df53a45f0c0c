"""Groups of tasks: when the last has ended, one account, of their states first, of their results second."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re

from bg import foreign
from bg.host import agents
from bg.ledger import cases, delegations, launches, place, reported, tasks
from bg.ledger.file import Ledger, first_of
from bg.ledger.launches import Launch
from bg.ledger.tasks import Task
from bg.ledger.values import State
from bg.loop import reports
from bg.record import Record
from bg.results import account, intake, merge
from bg.results.records import Source
from bg.signals import kinds
from bg.words import phrases
from bg.words.quoting import cited, inline, quote
from bg.words.texts import fill

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

MOST_BYTES = 1_000_000
MOST_FILES = 20
SHOWN = 3
RESULT_FILES = re.compile(r"[\w./-]{1,200}\.(?:md|jsonl)\b")


class Together(Record):
    """What the parent hears of a finished group, and the user's line."""

    text: str
    notice: str


def told(book: Ledger, group: str, bgctl: Callable[[str], str], transcript: str) -> Together:
    """The account of tasks that were launched together and have ended; `transcript` is their session's."""
    rows = tasks.members(book, group)
    return Together(
        fill("group", count=str(len(rows)), tasks=_states(rows), body=_body(book, rows, bgctl, transcript, [])),
        phrases.GROUP_ENDED.format(count=len(rows), states=_states(rows)),
    )


def joint(book: Ledger, label: str, bgctl: Callable[[str], str], transcript: str) -> Together:
    """The account of a task and the agents that it asked for, all of which have ended."""
    asker = cases.of(book, label)
    asked = asker.asked if asker else []
    rows = [asker.task] if asker else []
    rows += [row for one in asked for row in delegations.workers(book, one)]
    said = [reported.signal_of(book, one.signal).get("payload", {}).get("coordination") for one in asked]
    agreed = [phrases.AGREED.format(words=quote(str(words), 400)) for words in said if words]
    body = _body(book, rows, bgctl, transcript, agreed)
    others = ", ".join(row.label for row in rows[1:])
    return Together(
        fill("joint", label=label, others=others, tasks=_states(rows), body=body),
        phrases.JOINT_ENDED.format(label=label, others=others, states=_states(rows)),
    )


def _states(rows: list[Task]) -> str:
    return ", ".join(f"{row.label} {row.state.replace('_', ' ')}" for row in rows)


def _body(book: Ledger, rows: list[Task], bgctl: Callable[[str], str], transcript: str, agreed: list[str]) -> str:
    """Who did not finish comes first; then each task's line, what was agreed, and what the result files say."""
    found = [_sources(book, row, transcript) for row in rows]
    sources = [source for read, _ in found for source in read]
    taken = intake.take(sources)
    merged = merge.merge(taken)
    open_work = [row for row in rows if row.state != State.DONE]
    lines = [_unfinished(open_work)] if open_work else []
    lines += [*(_line(book, row) for row in rows), *agreed]
    if taken.results or taken.reports:
        files = " ".join(source.name.partition(" ")[2] for source in sources if " " in source.name)
        how = bgctl(f"merge {files}".strip())
        lines.append(quote(account.brief(merged, how=how, status=not open_work), 2000))
    else:
        lines.append(phrases.NO_RESULTS)
    return "\n".join([*lines, *(line for _, unread in found for line in unread)])


def _unfinished(rows: list[Task]) -> str:
    listed = ", ".join(f"{row.label} {row.state.replace('_', ' ')}" for row in rows)
    return phrases.NOT_COMPLETE.format(tasks=listed)


def _said(book: Ledger, row: Task) -> str:
    signal = reported.last_signal(book, row.agent) if row.agent else {}
    if signal.get("signal_type") == kinds.REPORT:
        return str(signal["payload"].get("summary") or "")
    kept = reported.reports_of_task(book, row.label)
    return kept[-1].text if kept else ""


def _line(book: Ledger, row: Task) -> str:
    words = ""
    with contextlib.suppress(ValueError):  # one damaged record does not cost the others their account
        words = _said(book, row)
    named = f"> {row.label} ({inline(row.description or row.text, 60)}): {row.state.replace('_', ' ')}"
    return f"{named}: {inline(words, 200)}" if words else named


def _sources(book: Ledger, task: Task, transcript: str) -> tuple[list[Source], list[str]]:
    """A task's last report, and the result files that it names, read from where its agent worked; those not read."""
    agent = task.agent
    who = cases.agent(book, agent)
    if who.run is None:
        return [], []
    text, reading = reports.best(who.texts, who.token)
    found = [Source(task.label, text.encode("utf-8", "replace"))]
    fields: dict[str, Any] = reading.deciding.fields if reading.deciding else {}
    launch = first_of(launches.find(book, agent=agent))
    folder = launch.cwd if launch else ""
    named = fields.get("deliverables") or ""
    names = list(dict.fromkeys(RESULT_FILES.findall(named if isinstance(named, str) else json.dumps(named))))
    unread = []
    closed = _closed(task, launch, agents.of_agent(transcript, agent)) if launch and names else str
    for name in names[:MOST_FILES] if folder else []:
        data, why = _inside(folder, name, closed)
        if data:
            found.append(Source(f"{task.label} {name}", data))
        elif why:
            unread.append(phrases.RESULT_NOT_READ.format(label=task.label, name=cited(name, 120), why=why))
    more = max(0, len(unread) - SHOWN) + max(0, len(names) - MOST_FILES)
    told = phrases.MORE_RESULT_FILES.format(label=task.label, count=more)
    return found, [*unread[:SHOWN], told] if more else unread


def _closed(task: Task, launch: Launch, transcript: str) -> Callable[[str], str]:
    """Why a file may not be opened for a task's agent, asked by its path; empty where it may."""
    # Late: only the account of several tasks needs it, and it is the largest part of the package.
    from pathlib import Path  # noqa: PLC0415

    from bg import evidence  # noqa: PLC0415

    folders = (Path(task.project or launch.cwd), Path(launch.cwd))
    begun = evidence.Launch(*folders, launch.head or "", launch.made, config=place.config_directory())
    closed = evidence.closed(begun, transcript)
    return lambda path: closed(Path(path))


def _inside(folder: str, name: str, closed: Callable[[str], str]) -> tuple[bytes, str]:
    """A file's content, or why it was not read; neither where there is no such file."""
    try:
        root = os.path.realpath(folder)
        spelled = os.path.normpath(os.path.join(root, name))
        path = os.path.realpath(spelled)
        if not path.startswith(os.path.join(root, "")):
            return b"", phrases.RESULT_OUTSIDE if os.path.isfile(path) else ""
        if os.path.isfile(path) and closed(spelled):
            return b"", phrases.RESULT_CLOSED[closed(spelled)]
        return foreign.whole(path, MOST_BYTES), ""
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return b"", ""
    except OSError as error:
        if error.errno == errno.EFBIG:
            return b"", phrases.RESULT_TOO_LARGE.format(most=MOST_BYTES // 1_000_000)
        return b"", phrases.RESULT_UNREADABLE.format(why=error.strerror)
