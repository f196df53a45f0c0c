"""What the user said to the items of the inbox, which answers were taken back, and which have reached the agent."""

from __future__ import annotations

from bg.ledger import inbox, projects, tasks
from bg.ledger.file import ANY, Ledger, Record, Writing, last_of
from bg.ledger.inbox import Question
from bg.ledger.values import Item, ItemState, State

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional


# How the user's words are taken: as an answer, word for word; as leave to work without an answer; or as consent to the
# assumption under which the agent works on. For a delegation: as yes or no.
ANSWER, SKIP, CONFIRMED = "answer", "skip", "confirmed"
APPROVED, DENIED = "approved", "denied"


# Consent to an agent's assumption need not be sent, unless the agent has ended its run with the question after all.
_TO_SEND = f"(a.kind <> '{CONFIRMED}' OR t.state = '{State.NEEDS_ANSWER}')"


class Words(Record):
    """The user's words to one item; `typed` refers to the whole message, which may have answered several items."""

    id: int
    label: str
    question: int
    kind: str
    text: str
    source: str
    at: float
    typed: Optional[int]
    proof: Optional[int]


class Answer(Words):
    """An answer that counts; `resume` is the message that carries it, `sent` is when that arrived."""

    _table = "answers"
    sent: Optional[float]
    resume: Optional[int]


class Retracted(Words):
    """An answer that no longer counts: taken back, or replaced by a later one before the agent had it."""

    _table = "retracted"
    gone: float
    replaced_by: Optional[int]
    undone_by: Optional[int]


class Answered(Question):
    """An item with its answer, which waits to be sent."""

    answer: int
    said: str
    how: str
    source: str
    answered: float
    proof: Optional[int]


def find(book: Ledger, *, question: int = ANY, proof: int = ANY, resume: int = ANY, sent: None = ANY) -> list[Answer]:
    """The answers that count, with these values."""
    return Answer.where(book, question=question, proof=proof, resume=resume, sent=sent)


def find_retracted(
    book: Ledger, *, question: int = ANY, proof: int = ANY, replaced_by: int = ANY, undone_by: int = ANY
) -> list[Retracted]:
    """The answers that no longer count, with these values."""
    return Retracted.where(book, question=question, proof=proof, replaced_by=replaced_by, undone_by=undone_by)


def items_of(book: Ledger, said: list[int]) -> frozenset[int]:
    """The items that these words, given by the numbers of their proofs, answered before they were taken back."""
    return frozenset(row.question for number in said for row in find_retracted(book, proof=number))


def given(book: Ledger, item: Question) -> Optional[Answer]:
    """The user's answer to this item that has not reached the agent."""
    return last_of(find(book, question=item.id, sent=None))


def answer(book: Writing, item: Question, text: str, source: str, how: str = ANSWER, typed: int = 0) -> str:
    """Record the user's answer; return a remark if one was there before, else empty."""
    if item.state in (ItemState.WITHDRAWN, ItemState.SENT):
        raise ValueError(f"{item.label} {item.qid} is no longer open")
    if (inbox.kind(item) == Item.DELEGATION) != (how in (APPROVED, DENIED)):
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
        book.now(),
        typed or None,
    )
    if earlier:
        _retract(book, earlier, fresh)
    book.write(
        f"UPDATE questions SET state = '{ItemState.ANSWERED}', shown = coalesce(shown, ?) WHERE id = ?",
        book.now(),
        item.id,
    )
    return f"it replaces “{earlier.text}”" if earlier else ""


def _next(book: Ledger) -> int:
    """The number of the next answer; SQLite would reuse that of a deleted row, which the retracted answer keeps."""
    rows = book.all("SELECT max(id) FROM answers UNION SELECT max(id) FROM retracted")
    return 1 + max(row[0] or 0 for row in rows)


def _retract(book: Writing, gone: Answer, replaced_by: Optional[int] = None) -> None:
    book.write(
        "INSERT INTO retracted (id, label, question, kind, text, source, at, typed, gone, replaced_by,"
        " proof) SELECT id, label, question, kind, text, source, at, typed, ?, ?, proof FROM answers WHERE id = ?",
        book.now(),
        replaced_by,
        gone.id,
    )
    book.write("DELETE FROM answers WHERE id = ?", gone.id)


def last_given(book: Ledger, label: str) -> list[Answer]:
    """The user's last answers to a task, if the agent does not have them; one message may answer several items."""
    waiting = Answer.all(
        book,
        "SELECT a.* FROM answers a JOIN questions q ON q.id = a.question"
        f" WHERE a.label = ? AND a.sent IS NULL AND q.state = '{ItemState.ANSWERED}' AND a.source <> 'settings'"
        " ORDER BY a.id",
        label,
    )
    last = waiting[-1:]
    return [row for row in waiting if row.typed == last[0].typed and row.typed] or last


def labels_unsent(book: Ledger, session: str) -> list[str]:
    """The tasks of a session whose agent has ended without having the user's words, by their number."""
    rows = book.all(
        "SELECT DISTINCT t.label, t.number FROM answers a CROSS JOIN questions q ON q.id = a.question"
        " CROSS JOIN tasks t ON t.label = q.label AND t.agent = q.agent"
        f" WHERE a.sent IS NULL AND q.state = '{ItemState.ANSWERED}' AND +t.session = ?"
        f" AND {_TO_SEND} AND t.state IN {tasks.marks(tasks.CONTINUABLE_STATES)} ORDER BY t.number",
        session,
        *tasks.CONTINUABLE_STATES,
    )
    return [row["label"] for row in rows]


def last_given_in(book: Ledger, project: str) -> str:
    """The task of a project with the user's newest words that have not reached it; empty if there is none."""
    found = book.value(
        "SELECT a.label FROM answers a CROSS JOIN questions q ON q.id = a.question"
        " CROSS JOIN tasks t ON t.label = a.label"
        f" WHERE a.sent IS NULL AND q.state = '{ItemState.ANSWERED}' AND a.source <> 'settings'"
        f" AND {projects.IN_PROJECT} ORDER BY a.id DESC LIMIT 1",
        projects.root_of(project),
        project,
    )
    return found or ""


def take_back(book: Writing, gone: Answer) -> str:
    """Take an answer back; the answer that it had replaced counts again, and its words are returned."""
    _retract(book, gone)
    earlier = Retracted.one(
        book,
        "SELECT * FROM retracted WHERE replaced_by = ? AND kind NOT IN (?, ?) ORDER BY id DESC LIMIT 1",
        gone.id,
        APPROVED,
        DENIED,
    )
    if earlier is None:
        item = inbox.get(book, gone.question)
        if item is not None and inbox.kind(item) == Item.UNASKED:
            inbox.withdraw(book, item)
        else:
            book.write(f"UPDATE questions SET state = '{ItemState.OPEN}' WHERE id = ?", gone.question)
        return ""
    stand_again(book, earlier)
    return earlier.text


def stand_again(book: Writing, gone: Retracted) -> None:
    """Make a retracted answer count again."""
    book.write(
        "INSERT INTO answers (id, label, question, kind, text, source, at, typed, proof)"
        " SELECT id, label, question, kind, text, source, at, typed, proof FROM retracted WHERE id = ?",
        gone.id,
    )
    book.write("DELETE FROM retracted WHERE id = ?", gone.id)
    book.write(
        f"UPDATE questions SET state = '{ItemState.ANSWERED}' WHERE id = ? AND state = '{ItemState.OPEN}'",
        gone.question,
    )


def unsent(book: Ledger, agent: str) -> list[Answered]:
    """The answers that have not reached the agent, with their items, in the order of asking."""
    return Answered.all(
        book,
        "SELECT q.*, a.id AS answer, a.text AS said, a.kind AS how, a.source AS source, a.at AS answered,"
        " a.proof AS proof FROM answers a JOIN questions q ON q.id = a.question JOIN tasks t ON t.label = q.label"
        f" WHERE q.agent = ? AND a.sent IS NULL AND q.state = '{ItemState.ANSWERED}' AND {_TO_SEND} ORDER BY q.id",
        agent,
    )


def mark_sent(book: Writing, agent: str, resume: int) -> None:
    """Note that the answers carried by a proven resume have arrived."""
    now = book.now()
    for carried in find(book, resume=resume, sent=None):
        book.write("UPDATE answers SET sent = ? WHERE id = ?", now, carried.id)
        book.write(
            f"UPDATE questions SET state = '{ItemState.SENT}' WHERE id = ? AND agent = ?", carried.question, agent
        )


def give_back(book: Writing, resume: int) -> None:
    """Let the answers that this message carried wait again: its agent ended before it arrived."""
    for lost in find(book, resume=resume):
        book.write("UPDATE answers SET sent = NULL, resume = NULL WHERE id = ?", lost.id)
        book.write(
            f"UPDATE questions SET state = '{ItemState.ANSWERED}' WHERE id = ? AND state = '{ItemState.SENT}'",
            lost.question,
        )


def on_their_way(book: Ledger, resume: int) -> list[str]:
    """The ids of the items whose answers this message carries."""
    sql = "SELECT q.qid FROM answers a JOIN questions q ON q.id = a.question WHERE a.resume = ? ORDER BY q.id"
    return [row["qid"] for row in book.all(sql, resume)]


def attach(book: Writing, answers: list[int], resume: int) -> None:
    """Note that a resume which is about to be sent carries these answers."""
    for identifier in answers:
        book.write("UPDATE answers SET resume = ? WHERE id = ?", resume, identifier)


def detach(book: Writing, resume: int) -> bool:
    """Note that a resume went out without the answers that it was to carry; return whether there were any."""
    return bool(book.write("UPDATE answers SET resume = NULL WHERE resume = ? AND sent IS NULL", resume))
