"""Launches: the calls that launch agents of ours. Each gives out a token, which ties the host's agent to the call."""

from __future__ import annotations

from bg.ledger.file import ANY, Ledger, Record, Writing, first_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

# How the agent got its identity. PROMPT: by its prompt. LOST: not yet, as another plugin's hook took it out of there.
# GIVEN: printed at the agent's start, and not yet known to have arrived. CONTEXT: printed at its start, and arrived.
# NOWHERE: it never arrived, and the user has been told.
PROMPT, LOST, GIVEN, CONTEXT, NOWHERE = "prompt", "lost", "given", "context", "nowhere"

_LETTERS = "abcdefghijklmnopqrstuvwxyz234567"


class Launch(Record):
    """One call that launches an agent of ours; `agent` is empty until the host's agent is known."""

    _table = "launches"
    tool_use: str
    label: str
    token: str
    agent: str
    agent_type: str
    name: str
    cwd: str
    head: Optional[str]
    made: float
    bound: Optional[float]
    failed: Optional[str]
    window: Optional[int]
    identity: str


def _new_token(book: Ledger, label: str) -> str:
    """A token that nobody outside this launch can guess."""
    return f"{label}-{''.join(_LETTERS[byte % 32] for byte in book.chance(10))}"


def note(book: Writing, tool_use: str, label: str, agent_type: str, name: str, cwd: str, head: str) -> str:
    """Note a launch of ours that is about to be made; return the token that its agent signs with."""
    known = book.value("SELECT token FROM launches WHERE tool_use = ?", tool_use)
    if known:
        return str(known)
    token = _new_token(book, label)
    book.write(
        # The newest window is noted too: by times alone, a clock set back would put the launch before its window.
        "INSERT INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made, window)"
        " VALUES (?,?,?,'',?,?,?,?,?, (SELECT max(id) FROM windows))",
        tool_use or token,
        label,
        token,
        agent_type,
        name,
        cwd,
        head,
        book.now(),
    )
    return token


def adopt(book: Writing, token: str, label: str, tool_use: str, agent_type: str, cwd: str, made: float) -> None:
    """Record a launch that an earlier, lost ledger had noted; the commit that its agent began on is unknown."""
    book.write(
        "INSERT OR IGNORE INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made, identity)"
        " VALUES (?,?,?,'',?,'',?,'',?,?)",
        tool_use,
        label,
        token,
        agent_type,
        cwd,
        made,
        PROMPT,
    )


def find(book: Ledger, *, tool_use: str = ANY, token: str = ANY, agent: str = ANY) -> list[Launch]:
    """The launches with these values."""
    return Launch.where(book, tool_use=tool_use, token=token, agent=agent)


def of_task(book: Ledger, label: str) -> list[Launch]:
    """The launches of a task whose agent is known, the oldest first."""
    return Launch.all(book, "SELECT * FROM launches WHERE label = ? AND agent <> '' ORDER BY made", label)


def unbound(book: Ledger, session: str) -> list[Launch]:
    """The launches of a session whose agent has not been seen yet."""
    return Launch.all(
        book,
        "SELECT l.* FROM launches l CROSS JOIN tasks t ON t.label = l.label"
        " WHERE l.agent = '' AND l.failed IS NULL AND t.session = ? ORDER BY +l.rowid",
        session,
    )


def in_doubt(book: Ledger, session: str) -> list[Launch]:
    """The launches of a session whose agent may not know its identity."""
    return Launch.all(
        book,
        "SELECT l.* FROM launches l CROSS JOIN tasks t ON t.label = l.label"
        f" WHERE l.identity IN ('{LOST}', '{GIVEN}') AND t.session = ?",
        session,
    )


def set_identity(book: Writing, token: str, identity: str) -> None:
    """Note how the agent of this launch got its identity."""
    book.write("UPDATE launches SET identity = ? WHERE token = ?", identity, token)


def token_of(book: Ledger, agent: str) -> str:
    """The token that an agent of ours signs with; empty for any other agent."""
    return book.value("SELECT token FROM launches WHERE agent = ?", agent) or ""


def set_agent(book: Writing, token: str, agent: str) -> bool:
    """Note which agent of the host has this token; return True if that is news."""
    return bool(
        book.write(
            "UPDATE launches SET agent = ?, bound = ?, failed = NULL WHERE token = ? AND agent = ''",
            agent,
            book.now(),
            token,
        )
    )


def set_made(book: Writing, tool_use: str, at: float) -> None:
    """Note when the call was really made: its event had to wait."""
    book.write("UPDATE launches SET made = ? WHERE tool_use = ?", at, tool_use)


def set_folder(book: Writing, agent: str, cwd: str) -> None:
    """Note the folder in which the agent really works."""
    book.write("UPDATE launches SET cwd = ? WHERE agent = ?", cwd, agent)


def share_folder(book: Ledger, agent: str, folder: str, since: float) -> bool:
    """Whether another agent of ours has worked in a folder since then; worktrees below it do not count."""
    query = (
        "SELECT 1 FROM launches l WHERE l.agent IN (SELECT agent FROM runs WHERE ended IS NULL"
        " UNION SELECT agent FROM tasks WHERE ended IS NULL UNION SELECT agent FROM tasks WHERE ended >= ?)"
        " AND l.agent NOT IN ('', ?) AND (l.cwd = ? OR (substr(l.cwd, 1, ?) = ?"
        " AND instr(substr(l.cwd, ?), '/.claude/worktrees/') = 0)) AND EXISTS (SELECT 1 FROM runs r"
        " WHERE r.agent = l.agent AND (r.ended IS NULL OR r.ended >= ?))"
    )
    length = len(folder)
    given = (since, agent, folder, length + 1, f"{folder}/", length + 1, since)
    return book.value(query, *given) is not None


def fail(book: Writing, tool_use: str, why: str) -> str:
    """Note that the host refused a launch; return its label, which is free again, or empty if the launch succeeded."""
    found = first_of(find(book, tool_use=tool_use))
    if found is None or found.agent:
        return ""
    book.write("UPDATE launches SET failed = ? WHERE tool_use = ?", why[:500] or "refused", tool_use)
    return found.label
