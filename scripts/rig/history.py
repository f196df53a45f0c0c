"""A long history for a ledger, for the bench and the tests: its first task's rows are copied for many other tasks.

Most of these tasks are done, the others have ended in other ways, half of them within a day. Nothing about them is
left to say or to answer, and their sessions are over.
"""

from __future__ import annotations

import contextlib
import sqlite3
from pathlib import Path

from rig import clients

FIRST = 1000  # the number of the first copy; lower numbers are for tasks that are played
DAY = 24 * 3600

_COPIES = """
CREATE TEMP TABLE n AS WITH RECURSIVE up (i) AS (SELECT {first} UNION ALL SELECT i + 1 FROM up WHERE i < {last})
  SELECT i, 'old-session-' || (i / 10) AS session, CASE i % 10 WHEN 1 THEN 'failed' WHEN 2 THEN 'interrupted'
  WHEN 3 THEN 'stopped' WHEN 4 THEN 'unreported' WHEN 5 THEN 'partial' ELSE 'done' END AS state,
  {now} - CASE WHEN i % 10 = 2 OR i % 2 THEN 2 * {day} + (i % 1000) ELSE 60 + (i % 1000) END AS at FROM up;
INSERT INTO sessions (id, project, transcript, version, first_seen, last_seen, ended, root)
  SELECT DISTINCT n.session, '{project}', '', '{version}', {now} - {day}, {now} - 60, {now} - 60, t.root
  FROM n, tasks t WHERE t.label = 'bg-1';
INSERT INTO tasks (label, number, grp, session, project, text, description, prompt, state, since, created, ended, agent,
  note, root) SELECT 'bg-' || i, i, 'bg-' || i, n.session, project, text, description, prompt, n.state, at, at, at,
  'old' || i, note, root FROM n, tasks WHERE label = 'bg-1';
INSERT INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made, bound, failed, window,
  identity) SELECT 'old' || i, 'bg-' || i, 'bg-' || i || '-t', 'old' || i, agent_type, 'name' || i, cwd, head, at,
  at, failed, window, identity FROM n, launches WHERE label = 'bg-1';
INSERT INTO windows (session, kind, label, text, opened, closed) SELECT n.session, kind, 'bg-' || i, text, at, at
  FROM n, windows WHERE label = 'bg-1';
INSERT INTO runs (agent, run, label, began, ended, corrections, asked, cut, last_uuid, evidence)
  SELECT 'old' || i, run, 'bg-' || i, at, at, corrections, asked, cut, last_uuid, evidence
  FROM n, runs WHERE label = 'bg-1';
INSERT INTO reports (agent, run, source, text, digest, at) SELECT 'old' || i, run, source, text, digest, n.at
  FROM n, reports WHERE agent = (SELECT agent FROM tasks WHERE label = 'bg-1');
INSERT INTO signals (label, agent, run, marker, body, digest, at, terminal)
  SELECT 'bg-' || i, 'old' || i, run, marker, body, digest, n.at, terminal FROM n, signals WHERE label = 'bg-1';
INSERT INTO questions (label, agent, run, qid, text, context, extra, priority, digest, state, asked, shown)
  SELECT 'bg-' || i, 'old' || i, run, qid, text, context, extra, priority, digest, q.state, asked, shown
  FROM n, questions q WHERE label = 'bg-1';
INSERT INTO answers (label, question, kind, text, source, at, sent, resume, typed, proof)
  SELECT q.label, q.id, a.kind, a.text, a.source, a.at, a.sent, a.resume, a.typed, a.proof
  FROM questions q JOIN questions f ON f.label = 'bg-1' AND f.qid = q.qid AND f.run = q.run
  JOIN answers a ON a.question = f.id WHERE q.agent LIKE 'old%';
INSERT INTO resumes (label, agent, tool_use, kind, typed, message, at, proven)
  SELECT 'bg-' || i, 'old' || i, 'again' || i, kind, typed, message, n.at, n.at FROM n, resumes WHERE label = 'bg-1';
INSERT INTO delegations (label, signal, blocking, handed_over, state, qid) SELECT label, id, 0, 0, 'denied', 'D1'
  FROM signals WHERE agent LIKE 'old%';
INSERT INTO deliveries (label, kind, subject, run, mark, answered_in, again, made, surfaced, said, seen, session,
  event, turn) SELECT 'bg-' || i, kind, 'old' || i, run, mark, answered_in, again, made, surfaced, said, seen,
  n.session, event, turn FROM n, deliveries WHERE label = 'bg-1';
INSERT INTO typed (session, at, via, label, text, outcome) SELECT n.session, n.at, via, 'bg-' || i, text, outcome
  FROM n, typed WHERE label = 'bg-1';
INSERT INTO proofs (session, label, way, text, at, transcript, place, turn, call, looks, proof, origin, judged)
  SELECT n.session, 'bg-' || i, way, text, n.at, '', place, turn, call, looks, proof, origin, judged
  FROM n, proofs WHERE label = 'bg-1';
INSERT INTO scans SELECT 'old' || i, 0 FROM n;
INSERT OR REPLACE INTO meta VALUES ('last_number', '{last}');
"""


def lengthen(ledger: Path, count: int, project: Path, now: float) -> None:
    """Add `count` copies of this project's task `bg-1`, which must have ended and been heard in full."""
    with contextlib.closing(sqlite3.connect(ledger)) as book:
        last = FIRST + count - 1
        book.executescript(
            "BEGIN;"
            + _COPIES.format(first=FIRST, last=last, project=project, now=now, day=DAY, version=clients.newest())
            + "COMMIT; PRAGMA wal_checkpoint;"
        )
