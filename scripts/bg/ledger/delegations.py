"""Delegations: work that an agent asked to hand on, the user's decision, the task that does it, and its progress.

The decision is kept here; the progress is read from the tasks that do the work, so that the two cannot disagree.
"""

from __future__ import annotations

from bg.ledger import projects, tasks
from bg.ledger.file import ANY, Ledger, Record, Writing
from bg.ledger.tasks import Task
from bg.ledger.values import Decision, Standing, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

OVER = (Standing.ENDED, Standing.LOST)
UNDER_WAY = (Standing.LAUNCHING, Standing.WORKING, Standing.WAITING)
_TO_STANDING = {
    Decision.WAITING: Standing.ASKED,
    Decision.APPROVED: Standing.APPROVED,
    Decision.DENIED: Standing.DENIED,
}


class Delegation(Record):
    """One request; `worker` is the label under which the work is, or will be, launched, empty before it is approved.

    A request that is `handed_over` is for work that a stopped agent could not do, all or in part; its `qid` is the
    blocker's.
    """

    _table = "delegations"
    id: int
    label: str
    signal: int
    blocking: int
    handed_over: int
    state: str
    words: Optional[str]
    decided: Optional[float]
    worker: str
    qid: str
    question: Optional[int]
    released: Optional[float]
    resume: Optional[int]
    told: Optional[float]


def next_qid(book: Ledger, label: str) -> str:
    """The id of the next request of a task: no two of its requests share one."""
    count = book.value("SELECT count(*) FROM delegations WHERE label = ? AND NOT handed_over", label)
    return f"D{int(count) + 1}"


def note(
    book: Writing,
    label: str,
    signal: int,
    qid: str,
    question: Optional[int],
    *,
    blocking: bool,
    handed_over: bool,
) -> None:
    """Note a request of a task, made by this signal and this item; the task waits for the end of a blocking one."""
    book.write(
        "INSERT OR IGNORE INTO delegations (label, signal, blocking, handed_over, state, qid, question)"
        f" VALUES (?,?,?,?,'{Decision.WAITING}',?,?)",
        label,
        signal,
        int(blocking),
        int(handed_over),
        qid,
        question,
    )


def find(
    book: Ledger, *, label: str = ANY, signal: int = ANY, question: int = ANY, worker: str = ANY
) -> list[Delegation]:
    """The requests with these values."""
    return Delegation.where(book, label=label, signal=signal, question=question, worker=worker)


def last_of_run(book: Ledger, agent: str, run: int) -> list[Delegation]:
    """The requests of a run."""
    return Delegation.all(
        book,
        "SELECT d.* FROM signals s CROSS JOIN delegations d ON d.signal = s.id"
        " WHERE s.agent = ? AND s.run = ? ORDER BY d.id",
        agent,
        run,
    )


def unlaunched(book: Ledger, project: str) -> list[Delegation]:
    """The requests of a project that wait for a decision or are approved, and that nobody works on."""
    return Delegation.all(
        book,
        "SELECT d.* FROM delegations d JOIN tasks t ON t.label = d.label"
        f" WHERE d.state IN ('{Decision.WAITING}', '{Decision.APPROVED}') AND t.project = ? ORDER BY d.id",
        project,
    )


def before(book: Ledger, one: Delegation, project: str, most: int) -> list[Delegation]:
    """The requests of the project among the `most` before this one, the newest first."""
    return Delegation.all(
        book,
        "SELECT d.* FROM (SELECT * FROM delegations WHERE id < ? ORDER BY id DESC LIMIT ?) d"
        f" CROSS JOIN tasks t ON t.label = d.label WHERE {projects.IN_PROJECT} ORDER BY d.id DESC",
        one.id,
        most,
        projects.root_of(project),
        project,
    )


def approve(book: Writing, one: Delegation, words: str, window: str) -> None:
    """Note that the user has approved it; its agent gets the label of this window."""
    _decide(book, one, Decision.APPROVED, words, window)


def deny(book: Writing, one: Delegation, words: str) -> None:
    """Note that it is denied, in these words."""
    _decide(book, one, Decision.DENIED, words, "")


def _decide(book: Writing, one: Delegation, state: str, words: str, worker: str) -> None:
    book.write(
        "UPDATE delegations SET state = ?, words = ?, worker = ?, decided = ?"
        f" WHERE id = ? AND state <> '{Decision.LAUNCHED}'",
        state,
        words,
        worker,
        book.now(),
        one.id,
    )


def release(book: Writing, one: Delegation) -> None:
    """Note that the task that asked no longer waits for it."""
    book.write("UPDATE delegations SET released = coalesce(released, ?) WHERE id = ?", book.now(), one.id)


def is_decided_by(book: Ledger, agent: str, run: int, digest: str, words: str) -> bool:
    """Whether exactly these words have decided the request that this signal made."""
    return bool(
        book.value(
            "SELECT 1 FROM delegations d JOIN signals s ON s.id = d.signal WHERE s.agent = ? AND s.run = ?"
            " AND s.digest = ? AND d.words = ?",
            agent,
            run,
            digest,
            words,
        )
    )


def await_launch(book: Writing, signal: int, window: str) -> None:
    """Note that the task launched in this window works for the request, which nobody was asked to approve."""
    sql = f"UPDATE delegations SET worker = ? WHERE signal = ? AND state = '{Decision.WAITING}'"
    book.write(f"{sql} AND coalesce(worker, '') = ''", window, signal)


def note_launch(book: Writing, window: str, label: str) -> None:
    """Note that a task was launched in the window of this label; if a request waits for that, the task works for it."""
    book.write(
        f"UPDATE delegations SET worker = ?, state = '{Decision.LAUNCHED}'"
        f" WHERE state IN ('{Decision.APPROVED}', '{Decision.WAITING}') AND worker = ?",
        label,
        window,
    )


def workers(book: Ledger, one: Delegation) -> list[Task]:
    """The tasks that do the work: the first that was launched for it, and those launched in the same group."""
    if one.state != Decision.LAUNCHED or not one.worker:
        return []
    first = tasks.get(book, one.worker)
    beside = [task for task in tasks.members(book, one.worker) if task.label != one.worker]
    return [task for task in [first, *beside] if task is not None and task.state != State.NOT_LAUNCHED]


def standing(book: Ledger, one: Delegation) -> str:
    """The standing of a request: the decision, or the progress of the work."""
    if one.state != Decision.LAUNCHED:
        return _TO_STANDING.get(one.state, one.state)
    states = {task.state for task in workers(book, one)}
    if not states:
        return Standing.APPROVED  # the host refused the launch
    if all(state in tasks.ENDED_STATES for state in states):
        return Standing.LOST if State.INTERRUPTED in states else Standing.ENDED
    if State.WORKING in states:
        return Standing.WORKING
    return Standing.LAUNCHING if State.LAUNCHED in states else Standing.WAITING


def ended_and_untold(book: Ledger, label: str) -> list[Delegation]:
    """The requests of a task that are over without the task having been told."""
    return [one for one in find(book, label=label) if one.told is None and standing(book, one) in OVER]


def attach(book: Writing, requests: list[int], resume: int) -> None:
    """Note that the resume, which is about to be sent, tells how these requests ended."""
    for identifier in requests:
        book.write("UPDATE delegations SET resume = ? WHERE id = ?", resume, identifier)


def mark_told(book: Writing, resume: int) -> None:
    """Note that a proven resume has told the task how its requests ended."""
    book.write("UPDATE delegations SET told = ? WHERE resume = ? AND told IS NULL", book.now(), resume)


def untell(book: Writing, resume: int) -> None:
    """Note that this message has told nothing: its agent ended before it arrived."""
    book.write("UPDATE delegations SET told = NULL, resume = NULL WHERE resume = ?", resume)


def reopen(book: Writing, one: Delegation) -> None:
    """Let a request wait for a decision again: the last one was taken back."""
    book.write(
        f"UPDATE delegations SET state = '{Decision.WAITING}', words = NULL, worker = '', decided = NULL WHERE id = ?"
        f" AND state IN ('{Decision.APPROVED}', '{Decision.DENIED}')",
        one.id,
    )
