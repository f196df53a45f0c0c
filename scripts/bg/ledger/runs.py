"""Runs: an agent is bound to its launch, its runs begin and end, and the raw text of each is kept."""

from __future__ import annotations

import time

from bg.ledger import tasks
from bg.ledger.file import Ledger
from bg.ledger.tasks import Row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


def bind(book: Ledger, token: str, agent: str) -> bool:
    """Tie the host's agent to the launch whose token it carries; True when that is news."""
    if not agent:
        return False
    news = book.write(
        "UPDATE launches SET agent = ?, bound = ?, failed = NULL WHERE token = ? AND agent = ''",
        agent,
        time.time(),
        token,
    )
    launch = tasks.of_token(book, token)
    if not launch or launch["agent"] != agent:
        return False
    if news:
        book.write("UPDATE tasks SET agent = ? WHERE label = ?", agent, launch["label"])
        begin_run(book, agent, launch["label"], 1)
        task = tasks.get(book, launch["label"])
        if task and task["state"] in ("launched", "not_launched", "interrupted"):
            tasks.set_state(book, launch["label"], "working")
    return bool(news)


def begin_run(book: Ledger, agent: str, label: str, number: int) -> None:
    """A run begins, unless it has."""
    book.write(
        "INSERT OR IGNORE INTO runs (agent, run, label, began) VALUES (?,?,?,?)", agent, number, label, time.time()
    )


def last_run(book: Ledger, agent: str) -> Optional[Row]:
    """The newest run of an agent."""
    return book.one("SELECT * FROM runs WHERE agent = ? ORDER BY run DESC LIMIT 1", agent)


def end_run(book: Ledger, agent: str, run: int, cut: str = "") -> None:
    """A run ends; what ended it early is kept."""
    book.write(
        "UPDATE runs SET ended = coalesce(ended, ?), cut = coalesce(nullif(?, ''), cut) WHERE agent = ? AND run = ?",
        time.time(),
        cut,
        agent,
        run,
    )


def running(book: Ledger, agent: str, label: str) -> Row:
    """The run that goes on now; an ended one is followed by the next."""
    row = last_run(book, agent)
    if row is None or row["ended"] is not None:
        begin_run(book, agent, label, row["run"] + 1 if row else 1)
        tasks.set_state(book, label, "working")
        row = last_run(book, agent)
    assert row is not None
    return row


def keep_report(book: Ledger, agent: str, run: int, source: str, text: str) -> bool:
    """Make a raw text durable; True when it was not there yet."""
    return bool(
        book.write(
            "INSERT OR IGNORE INTO reports (agent, run, source, text, digest, at) VALUES (?,?,?,?,?,?)",
            agent,
            run,
            source,
            text,
            tasks.digest(text),
            time.time(),
        )
    )


def reports(book: Ledger, agent: str, run: int) -> list[Row]:
    """The raw texts of a run that may be its report, the oldest first."""
    return book.all("SELECT * FROM reports WHERE agent = ? AND run = ? AND source <> 'message' ORDER BY id", agent, run)


def count_correction(book: Ledger, agent: str, run: int) -> None:
    """One more correction is about to be asked."""
    book.write(
        "UPDATE runs SET corrections = corrections + 1, asked = ? WHERE agent = ? AND run = ?", time.time(), agent, run
    )
