"""A long history costs an event no more than a short one: on a ledger of 10,000 tasks no statement reads a whole table."""

from __future__ import annotations

import re
import time
from contextlib import closing
from pathlib import Path

import pytest
from bg.ledger import sqlite3
from bg.ledger.place import config_directory, directory
from drive import Drive, block
from recordings import VERSIONS, recorded

# A hook does not wait for the runner of a check; here it goes on living.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")

NEWEST = VERSIONS[-1]
MANY = 10_000
#: Bounded: the last hundred errors are kept, and four hundred shapes of the host's events.
SHORT = {"errors", "sightings"}
#: One row, and the few of the schema.
AT_OPENING = {
    "SELECT 1 FROM tasks LIMIT 1",
    "SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
}

#: Each row of one finished task, once more for each of the others; every second one is another session's.
HISTORY = """
CREATE TEMP TABLE n AS WITH RECURSIVE up (i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM up WHERE i < {most}) SELECT i FROM up;
INSERT INTO sessions (id, project, transcript, version) SELECT 's' || i, '{project}', '', '' FROM n WHERE i % 2;
INSERT INTO tasks (label, number, grp, session, project, text, description, prompt, state, since, created, ended, agent,
  note, root, closed) SELECT 'bg-' || i, i, 'bg-' || i, CASE i % 2 WHEN 0 THEN session ELSE 's' || i END, project, text,
  description, prompt, state, since, created, ended, 'old' || i, note, root, closed FROM n, tasks WHERE label = 'bg-1';
INSERT INTO launches (tool_use, label, token, agent, agent_type, name, cwd, head, made, bound, failed, window,
  identity) SELECT 'old' || i, 'bg-' || i, 'bg-' || i || '-t', 'old' || i, agent_type, 'name' || i, cwd, head, made,
  bound, failed, window, identity FROM n, launches WHERE label = 'bg-1';
INSERT INTO windows (session, kind, label, text, opened, closed) SELECT session, kind, 'bg-' || i, text, opened, closed
  FROM n, windows WHERE label = 'bg-1';
INSERT INTO runs (agent, run, label, began, ended, corrections, asked, cut, last_uuid, evidence, parked)
  SELECT 'old' || i, run, 'bg-' || i, began, ended, corrections, asked, cut, last_uuid, evidence, parked
  FROM n, runs WHERE label = 'bg-1';
INSERT INTO reports (agent, run, source, text, digest, at) SELECT 'old' || i, run, source, text, digest, at
  FROM n, reports WHERE agent = 'a1';
INSERT INTO signals (label, agent, run, marker, body, digest, at, terminal)
  SELECT 'bg-' || i, 'old' || i, run, marker, body, digest, at, terminal FROM n, signals WHERE label = 'bg-1';
INSERT INTO questions (label, agent, run, qid, text, context, extra, priority, digest, state, asked, shown)
  SELECT 'bg-' || i, 'old' || i, run, qid, text, context, extra, priority, digest, state, asked, shown
  FROM n, questions WHERE label = 'bg-1';
INSERT INTO answers (label, question, kind, text, source, at, sent, resume)
  SELECT q.label, q.id, a.kind, a.text, a.source, a.at, a.sent, a.resume FROM questions q, answers a WHERE q.label <> a.label;
INSERT INTO resumes (label, agent, tool_use, kind, typed, message, at, proven)
  SELECT 'bg-' || i, 'old' || i, 'again' || i, kind, typed, message, at, at FROM n, resumes WHERE label = 'bg-1';
INSERT INTO delegations (label, signal, blocking, handed_over, state) SELECT label, id, 0, 0, 'denied' FROM signals;
INSERT INTO deliveries (label, kind, subject, run, mark, answered_in, again, made, surfaced, said, seen, session, event, turn)
  SELECT 'bg-' || i, kind, 'old' || i, run, mark, answered_in, again, made, surfaced, said, seen, session, event, turn
  FROM n, deliveries WHERE label = 'bg-1';
INSERT INTO verifications (label, agent, run, command, source, token, folder, made, begun, ended, outcome, code)
  SELECT 'bg-' || i, 'old' || i, run, command, source, token, folder, made, begun, ended, outcome, code
  FROM n, verifications WHERE label = 'bg-1';
INSERT INTO scans SELECT 'old' || i, 0 FROM n;
INSERT OR REPLACE INTO meta VALUES ('last_number', '{most}');
"""


def message(drive: Drive, agent: str, call: str) -> None:
    sent = {"tool_name": "SendMessage", "tool_use_id": call}
    before = {**sent, "hook_event_name": "PreToolUse", "tool_input": {"to": agent, "message": "Go on."}}
    given = drive.send(before)["hookSpecificOutput"]["updatedInput"]
    after = {**sent, "hook_event_name": "PostToolUse", "tool_input": given}
    drive.send(after, tool_response={"success": True, "resumedAgentId": agent})


def over() -> None:
    """The check that the user named has ended."""
    until = time.monotonic() + 30
    while not list((Path(directory()) / "verify").glob("*.result")):
        assert time.monotonic() < until
        time.sleep(0.02)


def life(drive: Drive, agent: str, label: str) -> None:
    """One agent's: it asks, is answered, reports, and is checked as the user wants."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", agent)
    drive.stop()
    drive.ends(agent, block("CLARIFICATION_NEEDED", token))
    drive.announced(agent)
    drive.prompt(f"/bg-answer {label} Q1: one Q2: two")
    message(drive, agent, f"toolu_{agent}")
    drive.stop()
    drive.ends(agent, block("COMPLETION_REPORT", token, status="success"))
    over()
    drive.announced(agent)
    drive.prompt("What now?")
    drive.stop()


@pytest.fixture
def long_history(tmp_path: Path) -> Drive:
    config = Path(config_directory())
    config.mkdir(exist_ok=True)
    (config / "bg.json").write_text('{"verify": "exit 1"}')
    drive = Drive(NEWEST, tmp_path)
    life(drive, "a1", "bg-1")
    with closing(sqlite3.connect(Path(directory()) / "ledger.db")) as book:
        book.executescript(HISTORY.format(most=99 + MANY, project=tmp_path))
        assert book.execute("SELECT count(*) FROM tasks").fetchone()[0] == MANY + 1
    return drive


def scanned(book: sqlite3.Connection, statement: str) -> set[str]:
    """The tables that SQLite would read from end to end; an index of what is still open is short."""
    open_ones = {
        row[0] for row in book.execute("SELECT name FROM sqlite_master WHERE type = 'index' AND sql LIKE '% WHERE %'")
    }
    tables = {row[0] for row in book.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    plan = [row[3] for row in book.execute(f"EXPLAIN QUERY PLAN {statement}")]
    found = set()
    for line in plan:
        scan = re.match(r"SCAN (?:TABLE )?(\w+)(?: AS \w+)?(?: USING (?:COVERING )?INDEX (\w+))?", line)
        if scan and scan[2] not in open_ones:
            alias = re.search(rf"\b(\w+) (?:AS )?{scan[1]}\b", statement)
            found.add(alias[1] if alias and len(scan[1]) < 3 else scan[1])
    return found & tables  # what a statement has put together itself is short


def test_no_event_reads_a_whole_table(long_history, monkeypatch):
    drive, said = long_history, []
    connect = sqlite3.connect

    def traced(*given, **named):
        connection = connect(*given, **named)
        connection.set_trace_callback(said.append)
        return connection

    with monkeypatch.context() as patched:
        patched.setattr(sqlite3, "connect", traced)
        drive.prompt("Nothing of ours.")
        life(drive, "b1", f"bg-{MANY + 100}")
        drive.send(recorded(NEWEST, "background", "SessionStart"), source="resume")
        drive.prompt("And now?")
    asked = {one for one in said if re.match(r"SELECT|INSERT|UPDATE|DELETE", one) and one not in AT_OPENING}
    assert len(asked) > 100
    with closing(sqlite3.connect(Path(directory()) / "ledger.db")) as book:
        found = {one: scanned(book, one) - SHORT for one in asked}
    assert {one: tables for one, tables in found.items() if tables} == {}
