"""The inbox: what agents wait for (questions, blockers, delegations) and what the user said to it.

An item is keyed by agent, run, question id and content, so that an answer can end at one place only.
"""

from __future__ import annotations

import json
import time

from bg.ledger.file import Ledger
from bg.ledger.tasks import Row, digest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

QUESTION, BLOCKER, DELEGATION = "question", "blocker", "delegation"
SKIP = "skip"
APPROVED, DENIED = "approved", "denied"
_ORDER = (
    "CASE WHEN upper(coalesce(priority, '')) LIKE 'P0%' OR lower(priority) IN ('critical', 'high') THEN 0"
    " WHEN upper(coalesce(priority, '')) LIKE 'P2%' OR lower(priority) = 'low' THEN 2 ELSE 1 END, asked, id"
)


def ask(book: Ledger, label: str, agent: str, run: int, kind: str, qid: str, item: dict[str, Any]) -> None:
    """Put an item into the inbox; the same one by another path is the same item."""
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
    carried = book.one(
        "SELECT a.id FROM answers a JOIN questions q ON q.id = a.question WHERE q.agent = ? AND q.digest = ?"
        " AND q.run < ? AND a.sent IS NULL AND q.state = 'answered' ORDER BY a.id DESC LIMIT 1",
        agent,
        key,
        run,
    )
    if fresh and carried:
        book.write("UPDATE answers SET question = ? WHERE id = ?", fresh, carried["id"])
        book.write("UPDATE questions SET state = 'answered' WHERE id = ?", fresh)


def kind(item: Row) -> str:
    """Whether the item is a question, a blocker or a delegation."""
    return str(extra(item).get("kind") or QUESTION)


def extra(item: Row) -> dict[str, Any]:
    """What the agent gave besides text and context, such as options and a default."""
    found = json.loads(item["extra"] or "{}")
    return found if isinstance(found, dict) else {}


def waiting(book: Ledger, label: str = "", project: str = "", session: str = "") -> list[Row]:
    """The open items, by priority, then age."""
    sql = "SELECT q.* FROM questions q JOIN tasks t ON t.label = q.label WHERE q.state = 'open'"
    values: list[Any] = []
    for column, value in (("q.label", label), ("t.project", project), ("t.session", session)):
        if value:
            sql += f" AND {column} = ?"
            values.append(value)
    return book.all(f"{sql} ORDER BY {_ORDER}", *values)


def items(book: Ledger, agent: str, run: Optional[int] = None) -> list[Row]:
    """Every item of an agent, or of one of its runs, in the order of asking."""
    if run is None:
        return book.all("SELECT * FROM questions WHERE agent = ? ORDER BY id", agent)
    return book.all("SELECT * FROM questions WHERE agent = ? AND run = ? ORDER BY id", agent, run)


def given(book: Ledger, item: Row) -> Optional[Row]:
    """The user's answer to this item that has not reached the agent."""
    return book.one("SELECT * FROM answers WHERE question = ? AND sent IS NULL ORDER BY id DESC LIMIT 1", item["id"])


def _how(item: Row, text: str, decided: str) -> str:
    """How the words are taken; what a delegation's words decide is read once, by whoever records them."""
    if kind(item) != DELEGATION:
        return "skip" if text.strip().lower() == SKIP else "answer"
    if decided not in (APPROVED, DENIED):
        raise ValueError(f"{item['label']} {item['qid']}: neither yes nor no")
    return decided


def answer(book: Ledger, item: Row, text: str, source: str, decided: str = "") -> str:
    """Record the user's answer; a word on what it replaced, empty for a first answer."""
    if item["state"] in {"withdrawn", "sent"}:
        raise ValueError(f"{item['label']} {item['qid']} is no longer open")
    how = _how(item, text, decided)
    earlier = given(book, item)
    if earlier and earlier["text"] == text:
        return "the same answer was there already"
    if earlier:
        book.write("DELETE FROM answers WHERE id = ?", earlier["id"])
    book.write(
        "INSERT INTO answers (label, question, kind, text, source, at) VALUES (?,?,?,?,?,?)",
        item["label"],
        item["id"],
        how,
        text,
        source,
        time.time(),
    )
    book.write(
        "UPDATE questions SET state = 'answered', shown = coalesce(shown, ?) WHERE id = ?", time.time(), item["id"]
    )
    return f"it replaces “{earlier['text']}”" if earlier else ""


def unsent(book: Ledger, agent: str) -> list[Row]:
    """Answers that have not reached the agent, with their questions, in the order of asking."""
    return book.all(
        "SELECT q.*, a.id AS answer, a.text AS said, a.kind AS how, a.source AS source, a.at AS answered FROM answers a"
        " JOIN questions q ON q.id = a.question"
        " WHERE q.agent = ? AND a.sent IS NULL AND q.state = 'answered' ORDER BY q.id",
        agent,
    )


def mark_sent(book: Ledger, agent: str, resume: int) -> None:
    """A proven resume has carried these answers."""
    now = time.time()
    for row in book.all("SELECT id, question FROM answers WHERE resume = ? AND sent IS NULL", resume):
        book.write("UPDATE answers SET sent = ? WHERE id = ?", now, row["id"])
        book.write("UPDATE questions SET state = 'sent' WHERE id = ? AND agent = ?", row["question"], agent)


def mark_shown(book: Ledger, ids: list[int]) -> None:
    """The user has been shown these."""
    for identifier in ids:
        book.write("UPDATE questions SET shown = coalesce(shown, ?) WHERE id = ?", time.time(), identifier)
