"""A ledger on a network home: no shared memory is used there, and an older ledger that used it keeps every row."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from bg.ledger import opening
from disks import Sick

HOOKS = 20
MOUNTS = """\
/dev/sda1 / ext4 rw,relatime 0 0
proc /proc proc rw 0 0
auto.home /home autofs rw,fd=6 0 0
filer:/home/ann /home/ann nfs4 rw,vers=4.2 0 0
filer:/old /home/bob nfs rw 0 0
//smb/team /mnt/team\\040drive cifs rw 0 0
//smb/other /mnt/tab\\011and\\134back smb3 rw 0 0
me@box:/ /mnt/box fuse.sshfs rw 0 0
share /mnt/shared virtiofs rw 0 0
drvfs /mnt/c 9p rw,aname=drvfs 0 0
/dev/sdb1 /home/ann/scratch xfs rw 0 0
/dev/sdc1 /home/ann/scratch/deep btrfs rw 0 0
filer:/late /srv nfs rw 0 0
/dev/sdd1 /srv ext4 rw 0 0
half a-line
"""
PLACES = {
    "/root/.claude/bg": ("ext4", "WAL"),
    "/home/ann/.claude/bg": ("nfs4", "DELETE"),
    "/home/ann": ("nfs4", "DELETE"),
    "/home/anna/.claude": ("autofs", "DELETE"),
    "/home/bob/.claude/bg": ("nfs", "DELETE"),
    "/home/ann/scratch/bg": ("xfs", "WAL"),
    "/home/ann/scratch/deep/bg": ("btrfs", "WAL"),
    "/home/ann/scratchy/bg": ("nfs4", "DELETE"),
    "/mnt/team drive/bg": ("cifs", "DELETE"),
    "/mnt/team": ("ext4", "WAL"),
    "/mnt/tab\tand\\back/bg": ("smb3", "DELETE"),
    "/mnt/box/bg": ("fuse.sshfs", "DELETE"),
    "/mnt/shared/bg": ("virtiofs", "DELETE"),
    "/mnt/c/Users/ann/bg": ("9p", "DELETE"),
    "/srv/bg": ("ext4", "WAL"),
}


@pytest.mark.parametrize("place", PLACES)
def test_the_mount_that_lies_deepest_decides(place, tmp_path, monkeypatch):
    monkeypatch.delenv("BG_JOURNAL_MODE", raising=False)
    table = tmp_path / "mounts"
    table.write_text(MOUNTS)
    assert (opening.filesystem(Path(place), table), opening.journal_mode(Path(place), table)) == PLACES[place]


def test_a_machine_without_a_table_of_mounts(tmp_path, monkeypatch):
    """macOS has none, and its users' homes are local."""
    assert opening.journal_mode(tmp_path, tmp_path / "none") == "WAL"
    monkeypatch.setenv("BG_JOURNAL_MODE", "delete")
    assert opening.journal_mode(tmp_path, tmp_path / "none") == "DELETE"
    monkeypatch.setenv("BG_JOURNAL_MODE", "memory")
    assert opening.journal_mode(tmp_path, tmp_path / "none") == "WAL"


def test_the_disk_below_this_test_is_told_from_its_mounts(tmp_path):
    """Against what the kernel itself says of the place."""
    at = tmp_path.stat()
    device = f"{os.major(at.st_dev)}:{os.minor(at.st_dev)}"
    lines = Path("/proc/self/mountinfo").read_text().splitlines() if Path("/proc/self/mountinfo").exists() else []
    kinds = {line.split(" - ")[1].split()[0] for line in lines if line.split()[2] == device}
    if not kinds:
        pytest.skip("this machine does not tell")
    assert opening.filesystem(tmp_path) in kinds


def mode(host: Sick) -> str:
    with closing(sqlite3.connect(host.data / "ledger.db")) as book:
        return str(book.execute("PRAGMA journal_mode").fetchone()[0])


def rows_of(host: Sick) -> list[str]:
    """Every row; of the host's events only their shapes, as each hook counts its own."""
    counted = ["version", "event", "tool", "form", "lacks"]
    shapes = host.rows(f"SELECT {', '.join(counted)} FROM sightings ORDER BY {', '.join(counted)}")
    return [row for row in host.dump() if not row.startswith("('sightings'")] + [repr(shape) for shape in shapes]


def end_at_once(host: Sick, tokens: dict[str, str]) -> None:
    """All these agents end in the same moment."""
    hooks = [host.start(host.reports(agent, token)) for agent, token in tokens.items()]
    for hook in hooks:
        hook.stdin.write(hook.data)
        hook.stdin.close()
        hook.stdin = None
    for hook, (out, err) in [(hook, hook.communicate(timeout=60)) for hook in hooks]:
        assert (hook.returncode, out) == (0, b"")
        assert err == b"" or b"database is locked" in err, "who waits too long leaves it to the next hook"


def test_twenty_agents_end_at_once(tmp_path):
    """On a ledger that was made in the other mode: no row is lost, each end is recorded and told once."""
    host = Sick(tmp_path, BG_JOURNAL_MODE="wal")
    agents = [f"n{number}" for number in range(HOOKS)]
    tokens = host.launches(*agents)
    rows = rows_of(host)
    assert mode(host) == "wal"
    host.env["BG_JOURNAL_MODE"] = "delete"
    host.hook(host.stop(running=tuple(agents)))
    assert mode(host) == "delete"
    assert rows_of(host) == rows
    end_at_once(host, tokens)
    assert host.told(*agents) == dict.fromkeys(agents, 1)
    assert host.rows("SELECT count(*) AS n FROM reports") == [{"n": HOOKS}]
    assert mode(host) == "delete"
    assert [path for path in host.waiting() if not path.endswith("errors.log")] == []
    assert [path.name for path in host.data.glob("ledger.db*")] == ["ledger.db"]


def test_a_new_ledger_on_a_network_home(tmp_path):
    host = Sick(tmp_path, BG_JOURNAL_MODE="delete")
    host.hook(host.prompt("/bg Look"))
    assert mode(host) == "delete", "the hook that makes it, not a later one"
    token = host.launches("a1")["a1"]
    host.hook(host.reports("a1", token))
    assert host.told("a1") == {"a1": 1}
    assert [path.name for path in host.data.glob("ledger.db*")] == ["ledger.db"]


def test_a_ledger_in_use_is_turned_when_it_is_let_go(tmp_path):
    """Another hook has it open in the old mode: nobody waits long for that, and nothing is lost."""
    host = Sick(tmp_path, BG_JOURNAL_MODE="wal")
    tokens = host.launches("a1", "a2")
    host.env["BG_JOURNAL_MODE"] = "delete"
    with closing(sqlite3.connect(host.data / "ledger.db")) as book:
        assert book.execute("SELECT count(*) FROM tasks").fetchone() == (2,)
        host.hook(host.reports("a1", tokens["a1"]))
        assert mode(host) == "wal"
    host.hook(host.reports("a2", tokens["a2"]))
    assert mode(host) == "delete"
    assert host.told("a1", "a2") == {"a1": 1, "a2": 1}
