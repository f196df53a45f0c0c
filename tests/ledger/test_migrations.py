"""Migrations: whole or not at all, by whichever event comes first, and for nothing once they are done."""

from __future__ import annotations

import fcntl
import hashlib
import os
import signal
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from bg.ledger import migrations, notes, opening, sqlite3
from bg.ledger.file import Ledger, Unavailable
from bg.ledger.opening import LOG_PAGES
from bg.ledger.place import directory

HERE = Path(__file__).resolve().parent
OLD = (HERE / "kept" / "0001.sql").read_text(encoding="utf-8")
PATHS = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "scripts")}

#: The SHA-256 of each schema file: ledgers have been brought up by exactly these statements.
LANDED = {
    "0001.sql": "5302296aeee7eebb5bfd5ee4b95f805526b426da83ea53c482658dd2e728648e",
    "0002.sql": "620584d27508c4665b8dc81709c6d24bf9ca83e36ec37b3bef20695da4e4e8af",
    "0003.sql": "084fd1a2147ab5376d4da7e25ddb2728b583b9b529e1aae047d4ae5f1daa36f4",
    "0004.sql": "96eca8756c9dfdb78c34c6df14e6adb402ea82a8f6de66e724864d36056f3cd7",
    "0005.sql": "1cf0619676267c31780894680e81608e2941c28345c34ae1ed9445507f41f29a",
    "0006.sql": "5dcb827dceae7c3a5d60b59a9eb236622f68104cb7bfd654a7b9f29f6be689b9",
    "0007.sql": "347e486c47525699bb09c3aeec17401f01d1aac365cc69c68c7963993caea862",
}

#: Opens the ledger of BG_DATA, and is killed at that instruction of SQLite's, or ends by itself.
KILLED = """
import os, signal, sys
from pathlib import Path
from bg.ledger import file, sqlite3
connect, left = sqlite3.connect, [int(sys.argv[1])]
def step():
    left[0] -= 1
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
def killing(name, **named):
    connection = connect(name, **named)
    if name != ":memory:":
        connection.set_progress_handler(step, 1)
    return connection
sqlite3.connect = killing
file.Ledger(Path(os.environ["BG_DATA"])).close()
print(int(sys.argv[1]) - left[0])
"""
OPENS = "import os; from pathlib import Path; from bg.ledger.file import Ledger; Ledger(Path(os.environ['BG_DATA'])).close()"


def test_no_landed_schema_file_is_edited() -> None:
    """A new number gets a line of its own here; an existing line is never changed."""
    folder = Path(migrations.__file__).parent / "schema"
    assert {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()} == LANDED


def old_ledger(place: Path) -> Path:
    """A ledger of the first schema."""
    place.mkdir(parents=True, exist_ok=True)
    for name in ("ledger.db", "ledger.db-wal", "ledger.db-shm", "ledger.db-journal"):
        (place / name).unlink(missing_ok=True)
    with closing(sqlite3.connect(place / "ledger.db")) as book:
        book.executescript(OLD)
        book.execute("PRAGMA journal_mode=WAL")
    return place


def state(place: Path) -> tuple[int, int, int]:
    """The schema, the number of indexes and of tasks."""
    with closing(sqlite3.connect(place / "ledger.db")) as book:
        assert book.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
        indexes = book.execute("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql <> ''").fetchone()[0]
        tasks = book.execute("SELECT count(*) FROM sqlite_master WHERE name = 'tasks'").fetchone()[0]
        tasks = tasks and book.execute("SELECT count(*) FROM tasks").fetchone()[0]
        return migrations.schema(book), indexes, tasks


def run(place: Path, script: str, *given: str) -> subprocess.CompletedProcess[str]:
    env = {**PATHS, "BG_DATA": str(place)}
    return subprocess.run([sys.executable, "-c", script, *given], env=env, capture_output=True, text=True, timeout=60)


def versions(tasks: int) -> set[tuple[int, int, int]]:
    """What `state` says of each schema that a ledger may stop at on its way."""
    found = set()
    with closing(sqlite3.connect(":memory:")) as book:
        for number in range(1, migrations.NEWEST + 1):
            migrations._apply(book, number)
            count = book.execute("SELECT count(*) FROM sqlite_master WHERE type = 'index' AND sql <> ''").fetchone()[0]
            found.add((number, count, tasks))
    return found


@pytest.mark.parametrize("begin", [old_ledger, lambda place: place], ids=["the first schema", "no ledger"])
def test_a_hook_killed_at_any_instruction_leaves_a_whole_version(begin, tmp_path):
    place = tmp_path / "data"
    begin(place)
    tasks = state(place)[2] if place.exists() else 0
    whole = {(0, 0, 0), *versions(tasks)}
    done = run(place, KILLED, "0")
    assert done.returncode == 0, done.stderr
    last = -int(done.stdout)
    instructions = abs(last)
    assert instructions > 500
    assert state(place) in whole
    seen = set()
    for at in [*range(1, instructions, instructions // 16), instructions - 1]:
        for path in place.glob("ledger.db*"):
            path.unlink()
        begin(place)
        done = run(place, KILLED, str(at))
        assert done.returncode == -signal.SIGKILL, (at, done.stderr)
        found = state(place)
        seen.add(found)
        assert found[0] in range(migrations.NEWEST + 1)
        assert found[2] == tasks
        assert found in whole, (at, found)
        Ledger(place).close()
        assert state(place) in whole, at
        assert migrations.NEWEST == state(place)[0]
    assert len(seen) > 1, "a kill came before, and one after"


def test_many_hooks_at_once_bring_it_up_once(tmp_path):
    place = old_ledger(tmp_path / "data")
    env = {**PATHS, "BG_DATA": str(place)}
    hooks = [subprocess.Popen([sys.executable, "-c", OPENS], env=env, stderr=subprocess.PIPE) for _ in range(8)]
    assert [hook.communicate(timeout=60)[1] for hook in hooks] == [b""] * 8
    assert state(place)[0] == migrations.NEWEST
    assert list(place.glob("*corrupt*")) == []


def test_where_the_disk_knows_no_file_locks_the_second_hook_does_nothing(tmp_path, monkeypatch):
    """It has read the old number, waited for its turn to write, and finds the work done."""
    place = old_ledger(tmp_path / "data")
    bring_up = migrations.bring_up

    def late(connection, begun):
        with closing(sqlite3.connect(place / "ledger.db", isolation_level=None)) as other:
            bring_up(other, lambda: None)
        # What it asked before the other one was done.
        answers = iter([1])
        asked = migrations.schema
        with monkeypatch.context() as patched:
            patched.setattr(migrations, "schema", lambda book: next(answers, None) or asked(book))
            bring_up(connection, begun)

    monkeypatch.setattr(migrations, "bring_up", late)
    monkeypatch.setattr(fcntl, "flock", lambda *_: (_ for _ in ()).throw(OSError("no locks here")))
    Ledger(place).close()
    assert state(place)[0] == migrations.NEWEST


def test_a_migration_that_fails_leaves_what_was_there(tmp_path, monkeypatch):
    place = old_ledger(tmp_path / "data")
    before = state(place)
    folder = tmp_path / "schema"
    folder.mkdir()
    for path in Path(migrations.FOLDER).glob("*.sql"):
        (folder / path.name).write_text(path.read_text(encoding="utf-8"))
    with (folder / f"{migrations.NEWEST:04}.sql").open("a") as newest:
        newest.write("CREATE TABLE late (at REAL);\nINSERT INTO nowhere VALUES (1);\n")
    with monkeypatch.context() as patched:
        patched.setattr(migrations, "FOLDER", folder)
        with pytest.raises(Unavailable, match="no such table: nowhere"):
            Ledger(place)
    assert state(place) in versions(before[2])
    assert state(place)[0] == migrations.NEWEST - 1
    Ledger(place).close()
    assert state(place)[0] == migrations.NEWEST


def test_no_event_reads_a_schema_file_once_it_is_done(tmp_path, monkeypatch):
    """The head of the file and the table definitions are enough."""
    place = tmp_path / "data"
    Ledger(place).close()
    monkeypatch.setattr(migrations, "FOLDER", tmp_path / "none")
    said: list[str] = []
    connect = sqlite3.connect

    def traced(*given, **named):
        connection = connect(*given, **named)
        connection.set_trace_callback(said.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    Ledger(place).close()
    assert [
        "PRAGMA user_version",
        "PRAGMA application_id",
        "SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name",
        "SELECT 1 FROM tasks LIMIT 1",
        "PRAGMA journal_mode",
        "PRAGMA synchronous=NORMAL",
        f"PRAGMA wal_autocheckpoint={LOG_PAGES}",
    ] == said


def test_a_ledger_that_a_newer_plugin_brought_up_meanwhile_is_not_written():
    """The hook opened it before, and writes after: what it brings must wait in the spool."""
    words = "was written by a newer version"
    with closing(Ledger(directory())) as book, closing(sqlite3.connect(book.path)) as newer:
        newer.execute(f"PRAGMA user_version={migrations.NEWEST + 1}")
        with pytest.raises(Unavailable, match=words) as caught:
            notes.trace(book, "Stop", "It would fit into the table.")
        assert caught.value.remedy == opening.UPDATE
        assert newer.execute("SELECT count(*) FROM errors").fetchone()[0] == 0
        newer.execute("ALTER TABLE errors RENAME TO faults")
        with pytest.raises(Unavailable, match=words):
            book.all("SELECT * FROM errors")


def test_a_mistake_of_our_own_stays_one():
    with closing(Ledger(directory())) as book:
        with pytest.raises(sqlite3.OperationalError, match="no such table: missing"):
            book.all("SELECT * FROM missing")
        with pytest.raises(sqlite3.OperationalError, match="no such table: missing"), book.transaction() as writing:
            writing.write("DELETE FROM missing")


#: How the third schema glued the facts of a delivery, and its columns since: the key, who has printed it, what they say.
END, SIGNAL, ANSWERED = "ended", "message", "answered"
GLUED = [
    (END, "a:b-1:2:end", None, ("a:b-1", 2, "end", None, None), (None, None, None, None)),
    (SIGNAL, "a1:1:0f0f", "Stop 4242", ("a1", 1, "0f0f", None, None), ("Stop", None, 4242, None)),
    (
        "group",
        "bg-4:1:group",
        "Stop t-1 Thu_Nov__2 77",
        ("bg-4", 1, "group", None, None),
        ("Stop", "t-1", 77, "Thu Nov  2"),
    ),
    (ANSWERED, "bg-2:0:s-1 12", "Stop  Thu_2 77", ("bg-2", 0, None, "s-1", 0), ("Stop", "", 77, "Thu 2")),
    (ANSWERED, "bg-2:0:s-2 13 again", "Stop   77", ("bg-2", 0, None, "s-2", 1), ("Stop", "", 77, "")),
]


def third(place: Path) -> sqlite3.Connection:
    """An empty ledger of the third schema."""
    place.mkdir(parents=True)
    book = sqlite3.connect(place / "ledger.db", isolation_level=None)
    for number in (1, 2, 3):
        migrations._apply(book, number)
    return book


def test_what_a_deliverys_key_held_has_columns_of_its_own(tmp_path):
    place = tmp_path / "data"
    with closing(third(place)) as old:
        for number, (kind, key, via, _, _) in enumerate(GLUED, 1):
            sql = "INSERT INTO deliveries (id, label, kind, key, made, via, words, missed) VALUES (?,'bg-1',?,?,1.5,?,'w',2)"
            old.execute(sql, (number, kind, key, via))
        old.execute("INSERT INTO deliveries (id, label, kind, key) VALUES (9, 'bg-1', 'ended', 'damaged')")
    with closing(Ledger(place)) as book:
        rows = book.all("SELECT subject, run, mark, answered_in, again, event, turn, pid, started FROM deliveries")
        assert [(*about, *printed) for _, _, _, about, printed in GLUED] == [tuple(row) for row in rows][:-1]
        assert ("", 0, "damaged") == tuple(rows[-1])[:3]
        assert {("bg-1", 1.5, "w", 2)} == set(
            map(tuple, book.all("SELECT label, made, words, missed FROM deliveries WHERE id < 9"))
        )
        assert [1, 2, 3, 4, 5, 9] == [row["id"] for row in book.all("SELECT id FROM deliveries ORDER BY id")]


def test_what_a_delegations_child_and_id_held_has_columns_of_its_own(tmp_path):
    place = tmp_path / "data"
    glued = [
        ("approved", "window:bg-3", "D1"),
        ("launched", "bg-4", "B1"),
        ("denied", "", "D2"),
        ("waiting", None, "D3"),
    ]
    with closing(third(place)) as old:
        for number, (state, child, qid) in enumerate(glued, 1):
            sql = "INSERT INTO delegations (label, signal, state, child, qid, told) VALUES ('bg-1', ?, ?, ?, ?, 2.5)"
            old.execute(sql, (number, state, child, qid))
    with closing(Ledger(place)) as book:
        assert [
            ("approved", "bg-3", 0, 2.5), ("launched", "bg-4", 1, 2.5), ("denied", "", 0, 2.5), ("waiting", None, 0, 2.5),
        ] == [tuple(row) for row in book.all("SELECT state, worker, handed_over, told FROM delegations ORDER BY id")]  # fmt: skip


def test_where_a_repository_is_kept_has_a_table_of_its_own(tmp_path):
    place = tmp_path / "data"
    with closing(third(place)) as old:
        old.execute("INSERT INTO meta VALUES ('root:/home/a:b', 'c0ffee'), ('rooted', '1'), ('quiet:bg-1', '5')")
    with closing(Ledger(place)) as book:
        assert (notes.root_mark(book, "/home/a:b"), notes.roots_marked(book, "c0ffee")) == ("c0ffee", ["/home/a:b"])
        assert ["quiet:bg-1", "rooted"] == [row["key"] for row in book.all("SELECT key FROM meta ORDER BY key")]
