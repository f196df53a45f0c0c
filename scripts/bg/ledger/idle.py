"""Idle sessions: nothing in the ledger waits for their events, now or later, so Python need not start for these."""

from __future__ import annotations

import contextlib

from bg.ledger import place, tasks
from bg.ledger.file import Ledger
from bg.ledger.values import Decision, ItemState, State

# Everything that a prompt or the end of a turn would act on: any row keeps the session awake.
# CROSS makes SQLite begin with the open rows, which are few, and not with all tasks of the session.
_DUE = """
SELECT 1 FROM windows WHERE session = ? AND closed IS NULL
UNION ALL SELECT 1 FROM meta WHERE key = 'late:' || ?
UNION ALL SELECT 1 FROM meta WHERE key = 'fork:' || ?
UNION ALL SELECT 1 FROM meta WHERE key = 'rebuilt:' || ?
UNION ALL SELECT 1 FROM proofs WHERE proof IS NULL AND session = ?
UNION ALL SELECT 1 FROM meta WHERE key = 'kept_aside'
  AND value <> coalesce((SELECT value FROM meta WHERE key = 'kept_aside_told'), '')
UNION ALL SELECT 1 FROM tasks WHERE session = ? AND state IN ({living})
UNION ALL SELECT 1 FROM runs r CROSS JOIN tasks t ON t.label = r.label AND t.agent = r.agent
  WHERE r.ended IS NULL AND +t.session = ?
UNION ALL SELECT 1 FROM deliveries d CROSS JOIN tasks t ON t.label = d.label
  WHERE d.seen IS NULL AND ? IN (d.session, t.session)
UNION ALL SELECT 1 FROM verifications v CROSS JOIN tasks t ON t.label = v.label
  WHERE v.ended IS NULL AND +t.session = ?
UNION ALL SELECT 1 FROM tasks t CROSS JOIN delegations d ON d.worker = t.label
  WHERE t.session = ? AND t.state = '{unlaunched}' AND d.state = '{approved}'
UNION ALL SELECT 1 FROM launches l CROSS JOIN tasks t ON t.label = l.label
  WHERE l.agent = '' AND l.failed IS NULL AND +t.session = ?
UNION ALL SELECT 1 FROM resumes r CROSS JOIN tasks t ON t.label = r.label
  WHERE r.proven IS NULL AND r.failed IS NULL AND +t.session = ?
UNION ALL SELECT 1 FROM questions q CROSS JOIN tasks t ON t.label = q.label
  WHERE q.state = '{open}' AND q.shown IS NULL AND +t.session = ?
LIMIT 1
""".format(
    living=", ".join(f"'{state}'" for state in tasks.OPEN_STATES),
    unlaunched=State.NOT_LAUNCHED,
    approved=Decision.APPROVED,
    open=ItemState.OPEN,
)


def note(book: Ledger, session: str) -> None:
    """Mark the session as idle if it is, in a transaction: a hook that makes something due waits until it is marked."""
    values = [session] * _DUE.count("?")
    if book.value(_DUE, *values):
        place.clear_idle(book.place, session)
        return
    with contextlib.suppress(OSError), book.transaction():
        if not book.value(_DUE, *values):
            place.touch(place.idle(book.place, session))
