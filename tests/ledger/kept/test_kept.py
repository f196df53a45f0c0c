"""A ledger of every schema so far opens with all that stands in it, and the work goes on."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import kept
import pytest
from bg.ledger import migrations
from bg.ledger.file import Ledger
from bg.ledger.place import directory
from drive import Drive, context

KEPT = sorted(int(path.stem) for path in kept.HERE.glob("*.sql"))
SCHEMAS = sorted(int(path.stem) for path in Path(migrations.FOLDER).glob("*.sql"))


#: The columns that a later schema has taken apart or renamed; `test_migrations` says what has become of them.
TAKEN_APART = {("deliveries", "key"), ("deliveries", "via"), ("delegations", "child")}


def opened(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None)
    connection.row_factory = sqlite3.Row
    return connection


def content(path: Path) -> dict[str, list[dict[str, object]]]:
    """Every row of every table."""
    with closing(opened(path)) as book:
        return {
            table: [dict(row) for row in book.execute(f"SELECT * FROM {table}")]
            for table in sorted(migrations.tables(book))
        }


def definitions(book: sqlite3.Connection) -> set[tuple[str, ...]]:
    return {tuple(row) for row in book.execute("SELECT type, name, sql FROM sqlite_master WHERE sql <> ''")}


def made_anew(number: int) -> sqlite3.Connection:
    """An empty ledger as the schema files make it."""
    book = sqlite3.connect(":memory:", isolation_level=None)
    for each in range(1, number + 1):
        migrations._apply(book, each)
    return book


def test_the_numbers_in_the_code_are_those_of_the_folder():
    """No event lists the folder, so it is compared here."""
    assert list(range(1, migrations.NEWEST + 1)) == SCHEMAS
    with closing(made_anew(migrations.NEWEST)) as book:
        assert migrations.DIGEST == migrations.digest(book)


def test_a_ledger_of_every_schema_is_kept():
    """Where this fails, run tests/ledger/kept/kept.py before anything more is changed."""
    assert SCHEMAS == KEPT
    assert [kept.kept(number).with_suffix(".jsonl").is_file() for number in KEPT] == [True] * len(KEPT)


@pytest.mark.parametrize("number", SCHEMAS)
def test_a_schema_file_says_which_plugins_go_on_writing(number):
    with closing(made_anew(number)) as book, closing(made_anew(number - 1)) as before:
        assert migrations.writer(before) <= migrations.writer(book) <= number
        assert migrations.writer(book) >= 1
    text = (Path(migrations.FOLDER) / f"{number:04}.sql").read_text(encoding="utf-8")
    assert text.count("PRAGMA user_version =") == 1


@pytest.mark.parametrize("number", KEPT)
def test_a_released_schema_is_never_changed(number, tmp_path):
    """What is out there was made by the file as it was."""
    kept.rebuild(kept.kept(number).read_text(encoding="utf-8"), tmp_path / "old.db")
    with closing(opened(tmp_path / "old.db")) as old, closing(made_anew(number)) as ours:
        assert definitions(ours) == definitions(old)
        assert (migrations.schema(ours), migrations.writer(ours)) == (number, migrations.writer(old))
        assert migrations.schema(old) == number


@pytest.fixture(params=KEPT)
def old(request) -> int:
    """The number of a kept ledger, which lies where the hooks look."""
    kept.rebuild(kept.kept(request.param).read_text(encoding="utf-8"), Path(directory()) / "ledger.db")
    return request.param


def test_it_opens_with_everything(old):
    path = Path(directory()) / "ledger.db"
    before = content(path)
    assert {row["state"] for row in before["tasks"]} >= {"needs_answer", "done", "blocked", "working", "not_launched"}
    Ledger(directory(), create=False).close()
    after = content(path)
    for table, rows in before.items():
        gone = (
            {name for where, name in TAKEN_APART if where == table and name not in after[table][0]} if rows else set()
        )
        stay = [{key: value for key, value in row.items() if key not in gone} for row in rows]
        assert stay == [{key: row[key] for key in was} for was, row in zip(stay, after[table])], table
        assert len(rows) == len(after[table]), table
    with closing(opened(path)) as book, closing(made_anew(migrations.NEWEST)) as ours:
        assert migrations.NEWEST == migrations.schema(book)
        assert definitions(ours) == definitions(book)
        assert [("ok",)] == [tuple(row) for row in book.execute("PRAGMA integrity_check")]


def test_its_export_is_what_its_own_plugin_said(old):
    text = kept.kept(old).with_suffix(".jsonl").read_text(encoding="utf-8")
    assert [json.loads(line) for line in text.splitlines()] == kept.export()


def test_the_work_goes_on(old, tmp_path):
    """What was due is said, what was open can be answered, and what works may end."""
    drive = Drive(kept.VERSION, tmp_path)
    unsaid = drive.rows("SELECT DISTINCT label FROM deliveries WHERE seen IS NULL AND said IS NULL ORDER BY label")
    due = [row["label"] for row in unsaid]
    assert {"bg-6", "bg-9"} <= set(due)
    said = context(drive.prompt("What now?")) + context(drive.prompt("What else?"))  # more than one event may carry
    assert [label for label in due if label in said] == due
    assert "Resume it now" in context(drive.prompt("/bg-answer bg-1 Q2: all"))
    drive.ends("a7", "Only prose, and no block.")
    drive.ends("a7", "Prose again.", stop_hook_active=True)
    assert drive.rows("SELECT state FROM tasks WHERE label = 'bg-7'") == [{"state": "unreported"}]
    assert "label: bg-10" in context(drive.prompt("/bg More"))
