"""Two versions of the plugin on one ledger, as while an update comes and agents run: nothing of either is lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from answers import check_answer
from bg.ledger import migrations, spool
from bg.ledger.opening import UPDATE
from bg.ledger.place import directory
from drive import Drive, block, context
from recordings import VERSIONS
from rig import conversation

ROOT = Path(__file__).resolve().parents[2]
NEXT = migrations.NEWEST + 1
ADDS = "ALTER TABLE delegations ADD COLUMN reason TEXT;\nCREATE TABLE later (at REAL);\n"
CHANGES = "ALTER TABLE strangers RENAME COLUMN label TO task;\n"


def copy(folder: Path, newest: int, more: str = "") -> Path:
    """The plugin with the schema files up to this number; `more` is the last one's text."""
    for name in ("hooks", "scripts/bg", ".claude-plugin", "commands", "agents"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "scripts" / "bgctl", folder / "scripts" / "bgctl")
    schemas = folder / "scripts" / "bg" / "ledger" / "schema"
    for path in schemas.glob("*.sql"):
        if int(path.stem) > newest:
            path.unlink()
    if more:
        (schemas / f"{newest:04}.sql").write_text(more, encoding="utf-8")
    module = schemas.with_name("migrations.py")
    text = module.read_text(encoding="utf-8")
    assert (schemas / f"{newest:04}.sql").is_file()
    module.write_text(re.sub(r"(?m)^NEWEST = \d+$", f"NEWEST = {newest}", text), encoding="utf-8")
    return folder


class Beside(Drive):
    """A session whose events go to whichever copy is named, by its own hooks/run."""

    plugin = ROOT

    def send(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        own = {"session_id": self.session, "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        whole = {**payload, **own, **changes}
        done = subprocess.run(
            ["sh", str(self.plugin / "hooks" / "run")],
            input=json.dumps(whole, separators=(",", ":")),
            env={**os.environ, "TMPDIR": str(self.folder)},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr
        self.errors = done.stderr
        said = check_answer(whole["hook_event_name"], done.stdout) or {}
        conversation.write(self.transcript, self.version, whole, said)
        return said

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        """Whatever schema it has."""
        with closing(sqlite3.connect(Path(directory()) / "ledger.db")) as book:
            book.row_factory = sqlite3.Row
            return [dict(row) for row in book.execute(sql, values)]

    def whole(self) -> list[str]:
        """All that stands in the ledger."""
        with closing(sqlite3.connect(Path(directory()) / "ledger.db")) as book:
            return [
                *book.iterdump(),
                *(str(book.execute(f"PRAGMA {name}").fetchone()) for name in ("user_version", "application_id")),
            ]

    def doctor(self) -> list[dict[str, str]]:
        done = subprocess.run(
            [sys.executable, str(self.plugin / "scripts" / "bgctl"), "doctor", "--json"],
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stderr == ""
        return [item for item in json.loads(done.stdout) if item["subject"] == "ledger"]


@pytest.fixture
def drive(tmp_path: Path) -> Beside:
    Path(directory()).mkdir(parents=True)
    (Path(directory()) / "python").write_text(f"{sys.executable}\n")
    return Beside(VERSIONS[-1], tmp_path)


def test_after_an_update_that_adds_both_go_on(drive, tmp_path):
    """Every event goes to the other one, and what both together know is whole."""
    both = ROOT, copy(tmp_path / "newer", NEXT, f"{ADDS}PRAGMA user_version = {NEXT - 1};\n")
    turns = [0]
    send = drive.send

    def by_turns(payload, **changes):
        drive.plugin = both[turns[0] % 2]
        turns[0] += 1
        said = send(payload, **changes)
        assert (drive.errors, "newer version" in str(said)) == ("", False)
        return said

    drive.send = by_turns
    tokens = {}
    for agent in ("a1", "a2", "a3"):
        drive.prompt(f"/bg Audit {agent}")
        tokens[agent] = drive.launch("Audit", agent)
        drive.stop()
    turns[0] += 1  # so that the other one does what the first did before
    drive.ends("a1", block("CLARIFICATION_NEEDED", tokens["a1"]))
    drive.ends("a2", block("DELEGATE_WORK", tokens["a2"], independence="blocks_current_work"))
    drive.ends("a3", block("COMPLETION_REPORT", tokens["a3"], status="success"))
    told = context(drive.prompt("What now?"))
    assert all(label in told for label in ("bg-1", "bg-2", "bg-3"))
    drive.stop()
    assert "Resume it now" in context(drive.prompt("/bg-answer bg-1 Q1: one Q2: two"))
    drive.prompt("/bg-answer bg-2 D1: deny: out of scope")
    assert [("bg-1", "needs_answer"), ("bg-2", "blocked"), ("bg-3", "done")] == [
        (row["label"], row["state"]) for row in drive.rows("SELECT label, state FROM tasks ORDER BY number")
    ]
    assert {"a1": 1, "a2": 1, "a3": 1} == {
        row["agent"]: row["n"] for row in drive.rows("SELECT agent, count(*) AS n FROM reports GROUP BY agent")
    }
    assert [2, 1] == [row["n"] for row in drive.rows("SELECT count(*) AS n FROM answers GROUP BY label ORDER BY label")]
    assert drive.rows("SELECT * FROM errors") == []
    assert spool.waiting(directory(), time.time()) == []
    newest = int(max((both[1] / "scripts" / "bg" / "ledger" / "schema").glob("*.sql")).stem)
    assert drive.rows("PRAGMA application_id") == [{"application_id": newest}]
    drive.plugin = both[0]
    assert [("ok", ""), ("note", UPDATE)] == [(item["state"], item["remedy"]) for item in drive.doctor()]
    drive.plugin = both[1]
    assert ["ok"] == [item["state"] for item in drive.doctor()]


def test_after_an_update_that_changes_the_older_one_leaves_it_and_says_so_once(drive, tmp_path):
    """What came meanwhile waits in the spool, and the newer one takes it in."""
    newer = copy(tmp_path / "newer", NEXT, f"{CHANGES}PRAGMA user_version = {NEXT};\n")
    drive.prompt("/bg Audit")
    tokens = {"a1": drive.launch("Audit", "a1")}
    drive.prompt("/bg Count")
    tokens["a2"] = drive.launch("Count", "a2")
    drive.stop()
    drive.plugin = newer
    drive.prompt("Hello")
    assert drive.rows("PRAGMA user_version") == [{"user_version": NEXT}]
    before = drive.whole()
    drive.plugin = ROOT
    assert drive.ends("a1", block("COMPLETION_REPORT", tokens["a1"], status="success")) == {}
    said = [drive.prompt("Hm?") for _ in range(2)]
    assert ["was written by a newer version" in str(one) and UPDATE in str(one) for one in said] == [True, False]
    assert "What agents report is kept" in str(said[0])
    assert "Nothing was handed over" in str(drive.prompt("/bg More"))
    refused = drive.launch("[bg-3] More", "a3", description="bg-3: more")
    assert refused is None
    assert [("wrong", UPDATE)] == [(item["state"], item["remedy"]) for item in drive.doctor()]
    assert drive.whole() == before
    assert len(spool.waiting(directory(), time.time())) >= 1
    drive.plugin = newer
    told = context(drive.prompt("What now?"))
    assert "bg-1" in told
    assert spool.waiting(directory(), time.time()) == []
    assert drive.rows("SELECT agent, count(*) AS n FROM reports GROUP BY agent") == [{"agent": "a1", "n": 1}]
    drive.ends("a2", block("COMPLETION_REPORT", tokens["a2"], status="success"))
    assert ["done", "done"] == [row["state"] for row in drive.rows("SELECT state FROM tasks WHERE number < 3")]
