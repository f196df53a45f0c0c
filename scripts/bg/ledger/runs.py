"""Runs: an agent is bound to its launch, its runs begin and end, and what was found of each is kept."""

from __future__ import annotations

import json

from bg.ledger import launches, tasks
from bg.ledger.file import ANY, Ledger, Record, Writing, first_of, unpacked
from bg.ledger.values import State
from bg.masking import masked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


class Run(Record):
    """One run of an agent, from its start or its waking to its end."""

    _table = "runs"
    agent: str
    run: int
    label: str
    began: float
    ended: Optional[float]
    corrections: int
    asked: Optional[float]
    cut: Optional[str]
    last_uuid: Optional[str]
    evidence: Optional[str]
    parked: Optional[str]

    @property
    def waits_for(self) -> list[str]:
        """The ids of the background commands for which its agent waits, its turn being over."""
        return (self.parked or "").split() if self.ended is None else []


def bind(book: Writing, token: str, agent: str) -> bool:
    """Tie the host's agent to the launch whose token it carries; return True if that is news."""
    if not agent:
        return False
    news = launches.set_agent(book, token, agent)
    launch = first_of(launches.find(book, token=token))
    if not launch or launch.agent != agent:
        return False
    if news:
        tasks.set_agent(book, launch.label, agent)
        begin_run(book, agent, launch.label, 1)
        task = tasks.get(book, launch.label)
        if task and task.state in (State.LAUNCHED, State.NOT_LAUNCHED, State.INTERRUPTED):
            tasks.set_state(book, launch.label, State.WORKING)
    return news


def begin_run(book: Writing, agent: str, label: str, number: int) -> None:
    """Start the run of this number, unless it exists."""
    book.write(
        "INSERT OR IGNORE INTO runs (agent, run, label, began) VALUES (?,?,?,?)", agent, number, label, book.now()
    )


def last_run(book: Ledger, agent: str) -> Optional[Run]:
    """The newest run of an agent."""
    return Run.one(book, "SELECT * FROM runs WHERE agent = ? ORDER BY run DESC LIMIT 1", agent)


def run_before(book: Ledger, run: Run) -> Optional[Run]:
    """The run of the same agent before this one."""
    sql = "SELECT * FROM runs WHERE agent = ? AND run < ? ORDER BY run DESC LIMIT 1"
    return Run.one(book, sql, run.agent, run.run)


def end_run(book: Writing, agent: str, run: int, cut: str = "") -> None:
    """Note the end of a run, and in `cut` what ended it early."""
    book.write(
        "UPDATE runs SET ended = coalesce(ended, ?), cut = coalesce(nullif(?, ''), cut) WHERE agent = ? AND run = ?",
        book.now(),
        cut,
        agent,
        run,
    )


def park(book: Writing, agent: str, run: int, commands: list[str]) -> None:
    """Note the commands that the agent waits for after its turn; with none, it works again."""
    book.write("UPDATE runs SET parked = ? WHERE agent = ? AND run = ?", " ".join(commands) or None, agent, run)


def worked(book: Ledger, agent: str) -> float:
    """The seconds that an agent's runs have taken until now, without the time between them."""
    return float(
        book.value("SELECT total(coalesce(ended, ?) - began) FROM runs WHERE agent = ?", book.now(), agent) or 0
    )


def running(book: Writing, agent: str, label: str) -> Run:
    """The open run of an agent; if the last one has ended, start the next."""
    found = last_run(book, agent)
    if found is None or found.ended is not None:
        begin_run(book, agent, label, found.run + 1 if found else 1)
        tasks.set_state(book, label, State.WORKING)
        found = last_run(book, agent)
    assert found is not None
    return found


def find(book: Ledger, *, label: str = ANY) -> list[Run]:
    """The runs with these values."""
    return Run.where(book, label=label)


def working_since(book: Ledger, agent: str, moment: float) -> list[tuple[str, str]]:
    """The other agents that work now, or had a run that ended after this moment: label and folder of each."""
    works = f"r.ended IS NULL AND t.state IN {tasks.marks(tasks.RUNNING_STATES)}"
    rows = book.all(
        "SELECT l.label, l.cwd FROM runs r JOIN launches l ON l.agent = r.agent JOIN tasks t ON t.label = r.label"
        f" WHERE r.agent <> ? AND (r.ended > ? OR ({works}))",
        agent,
        moment,
        *tasks.RUNNING_STATES,
    )
    return [(row["label"], row["cwd"] or "") for row in rows]


def began(book: Ledger, agent: str) -> Optional[float]:
    """When the agent's open run began; None if none is open."""
    found: Optional[float] = book.value("SELECT began FROM runs WHERE agent = ? AND ended IS NULL", agent)
    return found


def set_evidence(book: Writing, agent: str, run: int, found: dict[str, Any]) -> None:
    """Keep what was found when a run's report was checked against the host's records."""
    book.write(
        "UPDATE runs SET evidence = ? WHERE agent = ? AND run = ?",
        masked(json.dumps(found, ensure_ascii=False)),
        agent,
        run,
    )


def evidence(book: Ledger, agent: str, run: Optional[int] = None) -> dict[str, Any]:
    """What the check of a run's report found (of the last run, if none is given); empty if nothing was checked."""
    if run is None:
        found = book.value("SELECT evidence FROM runs WHERE agent = ? ORDER BY run DESC LIMIT 1", agent)
    else:
        found = book.value("SELECT evidence FROM runs WHERE agent = ? AND run = ?", agent, run)
    return unpacked(found)


def evidence_of(run: Run) -> dict[str, Any]:
    """The same for a run that is at hand."""
    return unpacked(run.evidence)


def corrections(book: Ledger, agent: str, run: int) -> int:
    """How often the agent was asked for its report again in this run."""
    return book.value("SELECT corrections FROM runs WHERE agent = ? AND run = ?", agent, run) or 0


def set_last_record(book: Writing, agent: str, run: int, uuid: str) -> None:
    """Note the record of the transcript that holds a run's last words; empty while it is unknown."""
    book.write("UPDATE runs SET last_uuid = ? WHERE agent = ? AND run = ?", uuid, agent, run)


def last_record(book: Ledger, agent: str) -> str:
    """The record with the last words of the agent's newest run that has one; empty if none has."""
    found = book.value(
        "SELECT last_uuid FROM runs WHERE agent = ? AND last_uuid <> '' ORDER BY run DESC LIMIT 1", agent
    )
    return found or ""


def is_last_record(book: Ledger, agent: str, uuid: str, run: int) -> bool:
    """Whether an earlier run of the agent ended with this record of the transcript."""
    return bool(book.value("SELECT 1 FROM runs WHERE agent = ? AND run < ? AND last_uuid = ?", agent, run, uuid))


def scanned(book: Ledger, agent: str) -> int:
    """The place in an agent's transcript up to which its records have been read."""
    return book.value("SELECT offset FROM scans WHERE agent = ?", agent) or 0


def set_scanned(book: Writing, agent: str, offset: int) -> None:
    """Note the place up to which the records of the transcript have been read."""
    book.write("INSERT OR REPLACE INTO scans VALUES (?, ?)", agent, offset)


def count_correction(book: Writing, agent: str, run: int) -> None:
    """Note that the agent is about to be asked for its report once more."""
    book.write(
        "UPDATE runs SET corrections = corrections + 1, asked = ? WHERE agent = ? AND run = ?", book.now(), agent, run
    )
