"""Ledgers that are none, or no longer whole: kept aside byte for byte, told once, and the work goes on in a new one."""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Callable

import pytest
from bg.ledger import migrations
from disks import Sick
from hook import Payload
from play import label_in, notification

PAGE = 4096
TOLD = "bg: the ledger could not be read. It is kept at"


def random_header(path: Path) -> None:
    """Something wrote over the beginning of the file."""
    with path.open("r+b") as file:
        file.write(os.urandom(200))


def torn_page(path: Path) -> None:
    """The file opens, and the pages that hold the runs and the reports are not what they were."""
    with closing(sqlite3.connect(path)) as book:
        pages = [
            row[0] for row in book.execute("SELECT rootpage FROM sqlite_master WHERE tbl_name IN ('runs', 'reports')")
        ]
    with path.open("r+b") as file:
        for page in pages:
            file.seek((page - 1) * PAGE)
            file.write(os.urandom(PAGE))


def truncated(path: Path) -> None:
    """The disk was full, or the machine stopped, while the file was copied."""
    os.truncate(path, 3 * PAGE + 100)


def no_database(path: Path) -> None:
    """A text in its place."""
    path.write_text("see the other disk\n" * 50)


def directory(path: Path) -> None:
    """A folder in its place, with something in it."""
    path.unlink()
    path.mkdir()
    (path / "mine.txt").write_text("mine")


def cut_to_nothing(path: Path) -> None:
    """An empty file beside a log that holds everything."""
    log = Path(f"{path}-wal")
    log.write_bytes(os.urandom(PAGE))
    os.truncate(path, 0)


WAYS: list[Callable[[Path], None]] = [
    random_header,
    torn_page,
    truncated,
    no_database,
    directory,
    cut_to_nothing,
]


def content(path: Path) -> dict[str, bytes]:
    """Every byte of a file, or of the files in a folder, and of a log beside it."""
    if path.is_dir():
        return {item.name: item.read_bytes() for item in path.iterdir()}
    log = Path(f"{path}-wal")
    return {"": path.read_bytes(), **({"-wal": log.read_bytes()} if log.exists() else {})}


def asides(host: Sick) -> list[Path]:
    return [path for path in sorted(host.data.glob("ledger.db.corrupt-*")) if path.name[-1].isdigit()]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_what_is_no_ledger_is_kept_aside(way, tmp_path):
    """The event that finds it is answered as nothing, the user is told once where it is, and the next /bg works."""
    host = Sick(tmp_path)
    token = host.launches("a1")["a1"]
    path = host.data / "ledger.db"
    way(path)
    before = content(path)
    assert host.bear(host.reports("a1", token)).whole == {}
    [aside] = asides(host)
    assert content(aside) == before
    assert not aside.is_dir() or aside.stat().st_mode & 0o777 == 0o700
    heard = [host.bear(event).notice for event in (host.prompt("What now?"), host.stop(), host.prompt("And now?"))]
    assert heard == [f"{TOLD} {aside}; a new one was begun.", "", ""]
    again = host.launches("b1")["b1"]
    host.hook(host.reports("b1", again))
    assert host.told("b1") == {"b1": 1}
    assert host.waiting() == [] or host.waiting()[0].endswith("errors.log")
    assert {"ledger"} == {item["subject"] for item in host.doctor() if item["subject"] in {"ledger", "data", "spool"}}
    assert str(aside) in host.hook(host.prompt("/bg-status")).whole["reason"]


def test_the_agents_text_stays_where_it_was(tmp_path):
    """A report found the ledger broken: the host's own notification goes through, and nobody is asked to repeat it."""
    host = Sick(tmp_path)
    token = host.launches("a1")["a1"]
    random_header(host.data / "ledger.db")
    assert host.bear(host.ends("a1", "Only prose, without a block.")).whole == {}
    said = host.bear(host.prompt(notification("a1", token)))
    assert (said.context, said.whole.get("decision")) == ("", None)


def test_twice_in_a_row(tmp_path):
    host = Sick(tmp_path)
    kept = []
    for number in (1, 2):
        host.launches(f"a{number}")
        random_header(host.data / "ledger.db")
        kept.append((host.data / "ledger.db").read_bytes())
        notice = host.bear(host.prompt("What now?")).notice
        assert len(asides(host)) == number
        assert f"{TOLD} {asides(host)[-1]}; a new one was begun." in notice
    assert [path.read_bytes() for path in asides(host)] == kept
    assert len([item for item in host.doctor() if item["subject"] == "ledger"]) == 2


def test_many_hooks_find_it_at_once(tmp_path):
    """One of them moves it aside; a new ledger that is only busy is not taken for a broken one."""
    host = Sick(tmp_path)
    agents = [f"n{number}" for number in range(12)]
    host.launches(*agents)
    random_header(host.data / "ledger.db")
    before = (host.data / "ledger.db").read_bytes()
    hooks = [host.start(host.prompt(f"/bg Number {number}")) for number in range(12)]
    for hook in hooks:
        hook.stdin.write(hook.data)
        hook.stdin.close()
        hook.stdin = None
    labels = [label_in(hook.communicate(timeout=60)[0].decode()) for hook in hooks]
    assert [path.read_bytes() for path in asides(host)] == [before]
    given = [label for label in labels if label]
    assert len(set(given)) == len(given) >= 10, labels


def test_a_new_ledger_that_is_only_busy_is_not_moved(tmp_path):
    """While a hook waited for its turn to move the broken one, another has begun a new one and writes into it."""
    host = Sick(tmp_path, BG_JOURNAL_MODE="delete")
    host.launches("a1")
    path = host.data / "ledger.db"
    good = path.read_bytes()
    random_header(path)
    with (host.data / "making.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        hook = host.start(host.prompt("/bg Again"))
        hook.stdin.write(hook.data)
        hook.stdin.close()
        hook.stdin = None
        time.sleep(1.5)
        path.write_bytes(good)
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            fcntl.flock(lock, fcntl.LOCK_UN)
            out = hook.communicate(timeout=60)[0].decode()
    assert "database is locked" in out, out
    assert asides(host) == []
    assert path.read_bytes() == good


def test_a_hook_that_was_killed_after_moving_it(tmp_path):
    """Nobody wrote down where it is: what lies there tells it."""
    host = Sick(tmp_path)
    host.launches("a1")
    aside = host.data / "ledger.db.corrupt-20261118-120000-77"
    (host.data / "ledger.db").rename(aside)
    assert f"{TOLD} {aside};" in host.bear(host.prompt("/bg Again")).notice
    assert TOLD not in host.bear(host.prompt("And now?")).notice


def test_an_empty_file_becomes_the_ledger(tmp_path):
    """There is nothing to keep: it becomes the ledger."""
    host = Sick(tmp_path)
    host.launches("a1")
    host.folds()
    os.truncate(host.data / "ledger.db", 0)
    assert label_in(host.hook(host.prompt("/bg Again")).context) == "bg-1"
    assert asides(host) == []


def with_a_report(root: Path) -> tuple[Sick, Payload]:
    """A ledger in which one report waits to be told, and the end of another agent, still to come."""
    host = Sick(root)
    tokens = host.launches("a1", "a2")
    host.hook(host.reports("a1", tokens["a1"]))
    return host, host.reports("a2", tokens["a2"])


def test_garbage_in_the_log_beside_a_good_ledger(tmp_path):
    """The ledger is good, so it stays, and every row with it."""
    host, coming = with_a_report(tmp_path)
    host.folds()
    rows = host.dump()
    (host.data / "ledger.db-wal").write_bytes(os.urandom(3 * PAGE))
    assert host.bear(coming).whole == {}
    assert asides(host) == []
    assert set(rows) & set(host.dump()) >= {row for row in rows if row.startswith("('reports'")}
    assert host.told("a1", "a2") == {"a1": 1, "a2": 1}


@pytest.mark.parametrize("damage", [lambda log: log.unlink(), lambda log: log.write_bytes(os.urandom(3 * PAGE))])
def test_a_log_that_somebody_destroys(damage, tmp_path):
    """What stood only in it is lost, nothing else: the ledger goes on, and what an agent says next is told once."""
    host, coming = with_a_report(tmp_path)
    host.folds()
    host.hook(host.prompt("/bg One more"))
    assert (host.data / "ledger.db-wal").stat().st_size > 0
    damage(host.data / "ledger.db-wal")
    assert host.bear(coming).whole == {}
    assert asides(host) == []
    assert host.told("a1", "a2") == {"a1": 1, "a2": 1}


def test_a_newer_versions_ledger_is_left_as_it_is(tmp_path):
    """The user is told once what to do; what comes meanwhile waits, and the newer version finds it."""
    host, coming = with_a_report(tmp_path)
    path = host.data / "ledger.db"
    with closing(sqlite3.connect(path)) as book:
        book.execute(f"PRAGMA user_version={migrations.NEWEST + 1}")
    before = path.read_bytes()
    said = [host.bear(event) for event in (coming, host.prompt("Hm?"), host.prompt("Hm?"))]
    words = (
        f"bg: the ledger at {path} was written by a newer version of the bg plugin, and is left as it is."
        " Update the plugin (claude plugin update bg), then restart Claude Code."
        " What agents report is kept, and read as soon as the ledger can be used. /bg-status doctor says more."
    )
    assert [one.whole for one in said] == [{}, {"systemMessage": words}, {}]
    assert "Nothing was handed over; type it again after that." in host.bear(host.prompt("/bg More")).notice
    [finding] = [item for item in host.doctor() if item["subject"] == "ledger"]
    assert (finding["state"], finding["remedy"][:17]) == ("wrong", "Update the plugin")
    assert (path.read_bytes(), asides(host)) == (before, [])
    with closing(sqlite3.connect(path)) as book:
        book.execute("PRAGMA user_version=1")
    assert host.told("a1", "a2") == {"a1": 1, "a2": 1}
