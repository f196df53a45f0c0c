"""The inbox: the items that agents ask of the user (questions, blockers, delegations), and the user's unasked words.

An item is keyed by agent, run, question id and content, so that an answer belongs to exactly one.
"""

from __future__ import annotations

import json

from bg.ledger import projects
from bg.ledger.digests import digest
from bg.ledger.file import ANY, Ledger, Record, Writing, unpacked
from bg.ledger.values import Item, ItemState

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional


_ORDER = (
    "CASE WHEN upper(coalesce(priority, '')) LIKE 'P0%' OR lower(priority) IN ('critical', 'high') THEN 0"
    " WHEN upper(coalesce(priority, '')) LIKE 'P2%' OR lower(priority) = 'low' THEN 2 ELSE 1 END, asked, id"
)


class Question(Record):
    """One item; `qid` is the agent's own id for it, `shown` when the user was first shown it."""

    _table = "questions"
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


def ask(book: Writing, label: str, agent: str, run: int, kind: str, qid: str, item: dict[str, Any]) -> int:
    """Put an item into the inbox; return its id, or 0 if the same item came earlier by another path."""
    text = str(item.get("text") or "")
    extra = {key: value for key, value in item.items() if key not in {"text", "context", "question_id"}}
    extra["kind"] = kind
    key = digest(text)
    fresh = book.insert(
        "INSERT OR IGNORE INTO questions (label, agent, run, qid, text, context, extra, priority, digest, state, asked)"
        f" VALUES (?,?,?,?,?,?,?,?,?,'{ItemState.OPEN}',?)",
        label,
        agent,
        run,
        qid,
        text,
        str(item.get("context") or ""),
        json.dumps(extra, ensure_ascii=False),
        str(item.get("priority") or ""),
        key,
        book.now(),
    )
    carried = book.value(
        "SELECT a.id FROM answers a JOIN questions q ON q.id = a.question WHERE q.agent = ? AND q.digest = ?"
        f" AND q.run < ? AND a.sent IS NULL AND q.state = '{ItemState.ANSWERED}' ORDER BY a.id DESC LIMIT 1",
        agent,
        key,
        run,
    )
    if fresh and carried:
        book.write("UPDATE answers SET question = ? WHERE id = ?", fresh, carried)
        book.write(f"UPDATE questions SET state = '{ItemState.ANSWERED}' WHERE id = ?", fresh)
    return fresh


def unasked(book: Writing, label: str, agent: str, run: int, words: str, *, stops: bool) -> Question:
    """Make an item for the user's words to a task that asked for nothing, or that is to stop."""
    qid = f"W{1 + sum(kind(item) == Item.UNASKED for item in find(book, label=label))}"
    ask(book, label, agent, run, Item.UNASKED, qid, {"text": words, "stops": stops})
    return ever(book, label, qid)[0]


def kind(item: Question) -> str:
    """Whether the item is a question, a blocker, a delegation, or words of the user."""
    found = extra(item).get("kind")
    return found if found in (Item.BLOCKER, Item.DELEGATION, Item.UNASKED) else Item.QUESTION


def extra(item: Question) -> dict[str, Any]:
    """The fields of an item besides its text and context, such as options and a default."""
    return unpacked(item.extra)


def asks_leave(item: Question) -> bool:
    """Whether the agent asks for leave to do something irreversible, which only the user, and no default, can give."""
    return kind(item) == Item.QUESTION and bool(str(extra(item).get("irreversible") or "").strip())


def assumed(item: Question) -> str:
    """The assumption under which the agent works on without the answer; empty if it waits."""
    return str(extra(item).get("continue_with") or "").strip() if kind(item) == Item.QUESTION else ""


def waiting(book: Ledger, label: str = "", project: str = "", session: str = "") -> list[Question]:
    """The open items, by priority, then age."""
    sql = f"SELECT q.* FROM questions q JOIN tasks t ON t.label = q.label WHERE q.state = '{ItemState.OPEN}'"
    values: list[Any] = []
    if project:
        sql += " AND (t.root = ? OR (t.root IS NULL AND t.project = ?))"
        values += [projects.root_of(project), project]
    for column, value in (("q.label", label), ("t.session", session)):
        if value:
            sql += f" AND {column} = ?"
            values.append(value)
    return Question.all(book, f"{sql} ORDER BY {_ORDER}", *values)


def find(book: Ledger, *, label: str = ANY, agent: str = ANY, run: int = ANY) -> list[Question]:
    """The items with these values, open or not."""
    return Question.where(book, label=label, agent=agent, run=run)


def ever(book: Ledger, label: str, qid: str) -> list[Question]:
    """All items that this task has asked under this id, the newest first."""
    return Question.all(
        book, "SELECT * FROM questions WHERE label = ? AND upper(qid) = ? ORDER BY id DESC", label, qid.upper()
    )


def get(book: Ledger, identifier: Optional[int]) -> Optional[Question]:
    """The item of this id."""
    return Question.one(book, "SELECT * FROM questions WHERE id = ?", identifier or 0)


def open_before(book: Ledger, label: str, agent: str, run: int) -> list[Question]:
    """The open items that a task asked before this run of this agent."""
    return Question.all(
        book,
        f"SELECT * FROM questions WHERE label = ? AND state = '{ItemState.OPEN}' AND (agent <> ? OR run < ?)",
        label,
        agent,
        run,
    )


def withdraw(book: Writing, item: Question) -> None:
    """Note that the agent no longer waits for this item."""
    book.write(f"UPDATE questions SET state = '{ItemState.WITHDRAWN}' WHERE id = ?", item.id)


def pass_on(book: Writing, item: Question) -> None:
    """Note that the agent has the answer to this item from its parent."""
    book.write(f"UPDATE questions SET state = '{ItemState.SENT}' WHERE id = ?", item.id)


def mark_shown(book: Writing, ids: list[int]) -> None:
    """Note that the user has been shown these items."""
    for identifier in ids:
        book.write("UPDATE questions SET shown = coalesce(shown, ?) WHERE id = ?", book.now(), identifier)
