"""What runs have said: their raw texts, and the signals found in them."""

from __future__ import annotations

import json

from bg.ledger import digests
from bg.ledger.file import ANY, Ledger, Record, Writing, unpacked
from bg.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


MESSAGE = "message"  # the source of a text that an agent sent during its run, which is no report
LONGEST = 1_000_000


class Report(Record):
    """A raw text of a run, or the end of a long one; `source` is the event that brought it, `digest` the whole's."""

    id: int
    agent: str
    run: int
    source: str
    text: str
    digest: str
    at: float


class Signal(Record):
    """One signal; `body` is its JSON, `terminal` says whether it ended its run."""

    _table = "signals"
    id: int
    label: str
    agent: str
    run: int
    marker: str
    body: str
    digest: str
    at: float
    terminal: int


def keep_report(book: Writing, agent: str, run: int, source: str, text: str) -> bool:
    """Keep a raw text; return True if it is new."""
    digest, text = digests.digest(text), masked(text)
    is_new = book.write(
        "INSERT OR IGNORE INTO reports (agent, run, source, text, digest, at) VALUES (?,?,?,?,?,?)",
        agent,
        run,
        source,
        text[-LONGEST:],
        digest,
        book.now(),
    )
    for place, begin in enumerate(range(0, len(text) - LONGEST, LONGEST) if is_new else ()):
        piece = text[begin : min(begin + LONGEST, len(text) - LONGEST)]
        book.write("INSERT INTO report_beginnings VALUES (?,?,?,?,?)", agent, run, digest, place, piece)
    return bool(is_new)


def whole(book: Ledger, report: Report) -> str:
    """The whole text of a report."""
    sql = "SELECT text FROM report_beginnings WHERE agent = ? AND run = ? AND digest = ? ORDER BY place"
    pieces = [row[0] for row in book.all(sql, report.agent, report.run, report.digest)]
    return "".join([*pieces, report.text])


def reports(book: Ledger, agent: str, run: int) -> list[Report]:
    """The raw texts of a run that may be its report, the oldest first."""
    return Report.all(
        book, f"SELECT * FROM reports WHERE agent = ? AND run = ? AND source <> '{MESSAGE}' ORDER BY id", agent, run
    )


def reports_of_task(book: Ledger, label: str) -> list[Report]:
    """Every raw text of a task's agents, the oldest first."""
    return Report.all(
        book, "SELECT r.* FROM reports r JOIN launches l ON l.agent = r.agent WHERE l.label = ? ORDER BY r.id", label
    )


def is_reported(book: Ledger, agent: str, text: str, run: Optional[int] = None) -> bool:
    """Whether a report with this text is kept for the agent, or for this run of it."""
    sql, values = "SELECT 1 FROM reports WHERE agent = ? AND digest = ?", [agent, digests.digest(text)]
    return bool(book.value(sql, *values) if run is None else book.value(f"{sql} AND run = ?", *values, run))


def was_reported(book: Ledger, agent: str, text: str, run: int) -> bool:
    """Whether a report with this text is kept for an earlier run of the agent."""
    return bool(
        book.value("SELECT 1 FROM reports WHERE agent = ? AND run < ? AND digest = ?", agent, run, digests.digest(text))
    )


def keep_signal(
    book: Writing, label: str, agent: str, run: int, marker: str, body: dict[str, Any], digest: str, *, terminal: bool
) -> int:
    """Record one signal; return its id, or 0 if it was recorded before."""
    return book.insert(
        "INSERT OR IGNORE INTO signals (label, agent, run, marker, body, digest, at, terminal)"
        " VALUES (?,?,?,?,?,?,?,?)",
        label,
        agent,
        run,
        marker,
        json.dumps(body, ensure_ascii=False),
        digest,
        book.now(),
        int(terminal),
    )


def end_with(book: Writing, signal: int) -> None:
    """Note that the run has ended with this signal, which was recorded earlier."""
    book.write("UPDATE signals SET terminal = 1 WHERE id = ?", signal)


def signal_of(book: Ledger, identifier: int) -> dict[str, Any]:
    """The content of the signal with this id; empty if there is none."""
    found = book.value("SELECT body FROM signals WHERE id = ?", identifier)
    return dict(json.loads(found)) if found else {}


def signal_id(book: Ledger, agent: str, run: int, digest: str) -> int:
    """The id of a run's signal with this digest, 0 if there is none."""
    return book.value("SELECT id FROM signals WHERE agent = ? AND run = ? AND digest = ?", agent, run, digest) or 0


def signal_body(book: Ledger, agent: str, run: int, digest: str) -> dict[str, Any]:
    """The content of a run's signal with this digest; empty if there is none."""
    found = book.value("SELECT body FROM signals WHERE agent = ? AND run = ? AND digest = ?", agent, run, digest)
    return dict(json.loads(found)) if found else {}  # a damaged one raises, and its delivery gets the error


def ended_with_signal(book: Ledger, agent: str, run: int) -> bool:
    """Whether the run ended with a signal."""
    return bool(book.value("SELECT 1 FROM signals WHERE agent = ? AND run = ? AND terminal = 1", agent, run))


def last_of_marker(book: Ledger, agent: str, run: int, marker: str) -> int:
    """The id of the last signal of this kind in a run, 0 if there is none."""
    sql = "SELECT id FROM signals WHERE agent = ? AND run = ? AND marker = ? ORDER BY id DESC"
    return book.value(sql, agent, run, marker) or 0


def last_signal(book: Ledger, agent: str) -> dict[str, Any]:
    """The last signal that ended a run of the agent, as `signals.to_json` gives it."""
    found = book.value("SELECT body FROM signals WHERE agent = ? AND terminal = 1 ORDER BY id DESC LIMIT 1", agent)
    return unpacked(found)


def find_signals(book: Ledger, *, label: str = ANY) -> list[Signal]:
    """The signals with these values."""
    return Signal.where(book, label=label)
