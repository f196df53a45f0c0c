"""The inbox: what agents wait for (questions, blockers, delegations) and what the user said to it.

An item is keyed by agent, run, question id and content, so that an answer can end at one place only.
"""

from __future__ import annotations

import json
import time

from bg.ledger import projects
from bg.ledger.digests import digest
from bg.ledger.file import Ledger
from bg.ledger.record import Record, unpacked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


QUESTION, BLOCKER, DELEGATION = "question", "blocker", "delegation"
# How the user's words are taken: word for word, or as leave to do without them; for a delegation as yes or no.
ANSWER, SKIP = "answer", "skip"
APPROVED, DENIED = "approved", "denied"
_ORDER = (
    "CASE WHEN upper(coalesce(priority, '')) LIKE 'P0%' OR lower(priority) IN ('critical', 'high') THEN 0"
    " WHEN upper(coalesce(priority, '')) LIKE 'P2%' OR lower(priority) = 'low' THEN 2 ELSE 1 END, asked, id"
)


class Question(Record):
    """One item; `qid` is the agent's own id for it, `shown` when the user was first shown it."""

    id: int
    label: str
    agent: str
    run: int
    qid: str
    text: str
    context: str
    extra: str
    priority: str
    digest: str
    state: str
    asked: float
    shown: Optional[float]


class Answer(Record):
    """The user's words to one item; `resume` is the message that carries them, `sent` when it arrived.

    `typed` is what the user said, which may have answered several items.
    """

    id: int
    label: str
    question: int
    kind: str
    text: str
    source: str
    at: float
    sent: Optional[float]
    resume: Optional[int]
    typed: Optional[int]
    proof: Optional[int]


class Retracted(Record):
    """An answer that counts no longer: taken back, or replaced by a later one before the agent had it."""

    id: int
    label: str
    question: int
    kind: str
    text: str
    source: str
    at: float
    typed: Optional[int]
    gone: float
    replaced_by: Optional[int]
    proof: Optional[int]
    undone_by: Optional[int]


class Answered(Question):
    """An item with the answer that waits to be sent."""

    answer: int
    said: str
    how: str
    source: str
    answered: float
    proof: Optional[int]


def ask(book: Ledger, label: str, agent: str, run: int, kind: str, qid: str, item: dict[str, Any]) -> int:
    """Put an item into the inbox; its id, 0 where the same one had come by another path."""
    text = str(item.get("text") or "")
    extra = {key: value for key, value in item.items() if key not in {"text", "context", "question_id"}}
    extra["kind"] = kind
    key = digest(text)
    fresh = book.insert(
        "INSERT OR IGNORE INTO questions (label, agent, run, qid, text, context, extra, priority, digest, state, asked)"
        " VALUES (?,?,?,?,?,?,?,?,?,'open',?)",
        label,
        agent,
        run,
        qid,
        text,
        str(item.get("context") or ""),
        json.dumps(extra, ensure_ascii=False),
        str(item.get("priority") or ""),
        key,
        time.time(),
    )
    carried = Answer.one(
        book,
        "SELECT a.* FROM answers a JOIN questions q ON q.id = a.question WHERE q.agent = ? AND q.digest = ?"
        " AND q.run < ? AND a.sent IS NULL AND q.state = 'answered' ORDER BY a.id DESC LIMIT 1",
        agent,
        key,
        run,
    )
    if fresh and carried:
        book.write("UPDATE answers SET question = ? WHERE id = ?", fresh, carried.id)
        book.write("UPDATE questions SET state = 'answered' WHERE id = ?", fresh)
    return fresh


def kind(item: Question) -> str:
    """Whether the item is a question, a blocker or a delegation."""
    found = extra(item).get("kind")
    return found if found in (BLOCKER, DELEGATION) else QUESTION


def extra(item: Question) -> dict[str, Any]:
    """What the agent gave besides text and context, such as options and a default."""
    return unpacked(item.extra)


def asks_leave(item: Question) -> bool:
    """The agent asks before it does what cannot be undone: only the user says yes to that, and no default does."""
    return kind(item) == QUESTION and bool(str(extra(item).get("irreversible") or "").strip())


def waiting(book: Ledger, label: str = "", project: str = "", session: str = "") -> list[Question]:
    """The open items, by priority, then age."""
    sql = "SELECT q.* FROM questions q JOIN tasks t ON t.label = q.label WHERE q.state = 'open'"
    values: list[Any] = []
    if project:
        sql += " AND (t.root = ? OR (t.root IS NULL AND t.project = ?))"
        values += [projects.root_of(project), project]
    for column, value in (("q.label", label), ("t.session", session)):
        if value:
            sql += f" AND {column} = ?"
            values.append(value)
    return Question.all(book, f"{sql} ORDER BY {_ORDER}", *values)


def items(book: Ledger, agent: str, run: Optional[int] = None) -> list[Question]:
    """Every item of an agent, or of one of its runs, in the order of asking."""
    if run is None:
        return Question.all(book, "SELECT * FROM questions WHERE agent = ? ORDER BY id", agent)
    return Question.all(book, "SELECT * FROM questions WHERE agent = ? AND run = ? ORDER BY id", agent, run)


def of_task(book: Ledger, label: str) -> list[Question]:
    """Every item of a task, in the order of asking."""
    return Question.all(book, "SELECT * FROM questions WHERE label = ? ORDER BY id", label)


def ever(book: Ledger, label: str, qid: str) -> list[Question]:
    """Everything that this task has asked by this id, the newest first."""
    return Question.all(
        book, "SELECT * FROM questions WHERE label = ? AND upper(qid) = ? ORDER BY id DESC", label, qid.upper()
    )


def get(book: Ledger, identifier: Optional[int]) -> Optional[Question]:
    """The item of this id."""
    return Question.one(book, "SELECT * FROM questions WHERE id = ?", identifier or 0)


def open_before(book: Ledger, label: str, agent: str, run: int) -> list[Question]:
    """What waits that a task asked before this run of this agent."""
    return Question.all(
        book,
        "SELECT * FROM questions WHERE label = ? AND state = 'open' AND (agent <> ? OR run < ?)",
        label,
        agent,
        run,
    )


def withdraw(book: Ledger, item: Question) -> None:
    """The agent no longer waits for this."""
    book.write("UPDATE questions SET state = 'withdrawn' WHERE id = ?", item.id)


def answers_to(book: Ledger, item: Question) -> list[Answer]:
    """Every answer to an item, in order."""
    return Answer.all(book, "SELECT * FROM answers WHERE question = ? ORDER BY id", item.id)


def given(book: Ledger, item: Question) -> Optional[Answer]:
    """The user's answer to this item that has not reached the agent."""
    return Answer.one(
        book, "SELECT * FROM answers WHERE question = ? AND sent IS NULL ORDER BY id DESC LIMIT 1", item.id
    )


def answer(book: Ledger, item: Question, text: str, source: str, how: str = ANSWER, typed: int = 0) -> str:
    """Record the user's answer; a word on what it replaced, empty for a first answer."""
    if item.state in {"withdrawn", "sent"}:
        raise ValueError(f"{item.label} {item.qid} is no longer open")
    if (kind(item) == DELEGATION) != (how in (APPROVED, DENIED)):
        raise ValueError(f"{item.label} {item.qid}: a delegation is decided, everything else is answered")
    earlier = given(book, item)
    if earlier and (earlier.text, earlier.kind) == (text, how):
        return "the same answer was there already"
    fresh = book.insert(
        "INSERT INTO answers (id, label, question, kind, text, source, at, typed) VALUES (?,?,?,?,?,?,?,?)",
        _next(book),
        item.label,
        item.id,
        how,
        text,
        source,
        time.time(),
        typed or None,
    )
    if earlier:
        _retract(book, earlier, fresh)
    book.write("UPDATE questions SET state = 'answered', shown = coalesce(shown, ?) WHERE id = ?", time.time(), item.id)
    return f"it replaces “{earlier.text}”" if earlier else ""


def _next(book: Ledger) -> int:
    """SQLite gives the number of a deleted row out again, and a retracted answer keeps its own."""
    tables = ("answers", "retracted")
    return 1 + max(int(book.value(f"SELECT coalesce(max(id), 0) FROM {table}")) for table in tables)


def _retract(book: Ledger, gone: Answer, replaced_by: Optional[int] = None) -> None:
    book.write(
        "INSERT INTO retracted (id, label, question, kind, text, source, at, typed, gone, replaced_by,"
        " proof) SELECT id, label, question, kind, text, source, at, typed, ?, ?, proof FROM answers WHERE id = ?",
        time.time(),
        replaced_by,
        gone.id,
    )
    book.write("DELETE FROM answers WHERE id = ?", gone.id)


def last_given(book: Ledger, label: str) -> list[Answer]:
    """What the user said last to a task and the agent has not got: one saying may answer several items."""
    waiting = Answer.all(
        book,
        "SELECT a.* FROM answers a JOIN questions q ON q.id = a.question"
        " WHERE a.label = ? AND a.sent IS NULL AND q.state = 'answered' AND a.source <> 'settings' ORDER BY a.id",
        label,
    )
    last = waiting[-1:]
    return [row for row in waiting if row.typed == last[0].typed and row.typed] or last


def take_back(book: Ledger, gone: Answer) -> str:
    """An answer counts no longer, and the one that it had replaced stands again; the words of that one."""
    _retract(book, gone)
    earlier = Retracted.one(
        book,
        "SELECT * FROM retracted WHERE replaced_by = ? AND kind NOT IN (?, ?) ORDER BY id DESC LIMIT 1",
        gone.id,
        APPROVED,
        DENIED,
    )
    if earlier is None:
        book.write("UPDATE questions SET state = 'open' WHERE id = ?", gone.question)
        return ""
    stand_again(book, earlier)
    return earlier.text


def stand_again(book: Ledger, gone: Retracted) -> None:
    """An answer counts again."""
    book.write(
        "INSERT INTO answers (id, label, question, kind, text, source, at, typed, proof)"
        " SELECT id, label, question, kind, text, source, at, typed, proof FROM retracted WHERE id = ?",
        gone.id,
    )
    book.write("DELETE FROM retracted WHERE id = ?", gone.id)
    book.write("UPDATE questions SET state = 'answered' WHERE id = ? AND state = 'open'", gone.question)


def of_proof(book: Ledger, proof: int) -> list[Answer]:
    """The answers that hang on this proof and have not reached an agent."""
    return Answer.all(book, "SELECT * FROM answers WHERE proof = ? AND sent IS NULL ORDER BY id", proof)


def replaced(book: Ledger, answer: int) -> Optional[Retracted]:
    """The decision that this one has replaced."""
    return Retracted.one(book, "SELECT * FROM retracted WHERE replaced_by = ? ORDER BY id DESC LIMIT 1", answer)


def of_id(book: Ledger, identifier: int) -> Optional[Question]:
    """The item of this number."""
    return Question.one(book, "SELECT * FROM questions WHERE id = ?", identifier)


def retracted(book: Ledger, item: Question) -> list[Retracted]:
    """The answers to an item that count no longer, in order."""
    return Retracted.all(book, "SELECT * FROM retracted WHERE question = ? ORDER BY id", item.id)


def unsent(book: Ledger, agent: str) -> list[Answered]:
    """Answers that have not reached the agent, with their questions, in the order of asking."""
    return Answered.all(
        book,
        "SELECT q.*, a.id AS answer, a.text AS said, a.kind AS how, a.source AS source, a.at AS answered,"
        " a.proof AS proof FROM answers a JOIN questions q ON q.id = a.question"
        " WHERE q.agent = ? AND a.sent IS NULL AND q.state = 'answered' ORDER BY q.id",
        agent,
    )


def mark_sent(book: Ledger, agent: str, resume: int) -> None:
    """A proven resume has carried these answers."""
    now = time.time()
    for carried in Answer.all(book, "SELECT * FROM answers WHERE resume = ? AND sent IS NULL", resume):
        book.write("UPDATE answers SET sent = ? WHERE id = ?", now, carried.id)
        book.write("UPDATE questions SET state = 'sent' WHERE id = ? AND agent = ?", carried.question, agent)


def attach(book: Ledger, answers: list[int], resume: int) -> None:
    """A resume that is about to be sent carries these answers."""
    for identifier in answers:
        book.write("UPDATE answers SET resume = ? WHERE id = ?", resume, identifier)


def detach(book: Ledger, resume: int) -> bool:
    """A resume went out without the answers that it was to carry; whether there were any."""
    return bool(book.write("UPDATE answers SET resume = NULL WHERE resume = ? AND sent IS NULL", resume))


def mark_shown(book: Ledger, ids: list[int]) -> None:
    """The user has been shown these."""
    for identifier in ids:
        book.write("UPDATE questions SET shown = coalesce(shown, ?) WHERE id = ?", time.time(), identifier)
