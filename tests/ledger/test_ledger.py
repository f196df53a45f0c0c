"""A ledger whose schema this version does not know is somebody's: left in place to the byte, and said so."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Callable

import pytest
from bg.desk import doctor
from bg.host.versions import host_of
from bg.ledger import migrations, place, spool
from bg.ledger.aside import kept_aside
from drive import block, plain
from recordings import VERSIONS

NEWEST = VERSIONS[-1]


def sql(text: str) -> Callable[[], None]:
    """What another program, or another version of the plugin, has done to the file."""

    def change() -> None:
        with closing(sqlite3.connect(Path(place.directory()) / "ledger.db")) as book:
            book.executescript(text)

    return change


def another_program() -> None:
    (Path(place.directory()) / "ledger.db").unlink()
    sql("CREATE TABLE tasks (id INTEGER, title TEXT); INSERT INTO tasks VALUES (1, 'buy milk')")()


def another_program_with_our_number() -> None:
    another_program()
    sql("PRAGMA user_version=1")()


UNKNOWN: dict[str, tuple[Callable[[], None], str]] = {
    "a newer one": (
        sql(f"PRAGMA user_version={migrations.NEWEST + 1}"),
        "was written by a newer version of the bg plugin",
    ),
    "a number below": (sql("PRAGMA user_version=-3"), "does not know (schema number -3)"),
    "no number": (sql("PRAGMA user_version=0"), "does not know (the tables of another program)"),
    "a table fewer": (sql("DROP TABLE scans"), "does not know (no table scans)"),
    "a column fewer": (sql("ALTER TABLE runs RENAME COLUMN asked TO requested"), "(no column asked in runs)"),
    "another program's": (another_program, "does not know (the tables of another program)"),
    "another program's, with our number": (another_program_with_our_number, "does not know (no table answers)"),
}


def content() -> dict[str, bytes]:
    """Every row, and the number, whatever file of the database they stand in."""
    with closing(sqlite3.connect(Path(place.directory()) / "ledger.db")) as book:
        return {"number": str(book.execute("PRAGMA user_version").fetchone()), "rows": "\n".join(book.iterdump())}


@pytest.mark.parametrize(("change", "words"), UNKNOWN.values(), ids=UNKNOWN.keys())
def test_a_ledger_of_an_unknown_schema_is_left_in_place(change, words, drive):
    """The user's line, /bg-status and the doctor name it with its remedy; what agents report waits."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    change()
    before = content()
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success"))
    assert len(spool.waiting(place.directory(), time.time())) == 1
    said = [plain(" ".join(map(str, drive.prompt(typed).values()))) for typed in ("/bg More", "/bg-status")]
    for told in said:
        assert words in told
        assert "is left as it is" in told
        assert "Update the plugin" in told
    [finding] = [one for one in doctor.examine(host_of(None)) if one.subject == "ledger"]
    assert (finding.state, words in finding.found) == ("wrong", True)
    assert finding.remedy.startswith("Update the plugin")
    assert kept_aside(place.directory()) == []
    assert content() == before


def test_a_table_that_another_version_added_is_in_nobodys_way(drive):
    """The number says what must be understood; what stands beside that stays."""
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    sql("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('theirs')")()
    assert "bg-1" in str(drive.prompt("/bg-status"))
    assert drive.rows("SELECT text FROM notes") == [{"text": "theirs"}]


def test_what_this_version_has_made_is_known_at_a_glance(drive, monkeypatch):
    """No hook pays for comparing columns where nothing was changed."""
    drive.prompt("/bg Audit")
    monkeypatch.setattr(migrations, "_columns", None)
    drive.ledger().close()
