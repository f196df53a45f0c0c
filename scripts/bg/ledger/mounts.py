"""Mounts: what kind of file system lies below a directory, and how a database there keeps its journal."""

from __future__ import annotations

import contextlib
import os
import re

from bg import durations
from bg.ledger import sqlite3
from bg.pattern import pattern

MOUNTS = "/proc/self/mounts"
# Where shared memory does not work, or works within one machine only; `autofs` stands for what it will mount, and
# below `fuse` anything may lie.
NETWORK_FILESYSTEMS = pattern(
    "nfs4?|cifs|smb[23]?|smbfs|9p|afs|afpfs|webdav|autofs|ncpfs|ceph|lustre|gfs2?|ocfs2|gpfs|virtiofs|vboxsf|prl_fs|fuse.*"
)


def filesystem(place: str, mounts: str = MOUNTS) -> str:
    """The kind of file system below a directory, empty where the machine does not tell."""
    best, kind = "", ""
    with contextlib.suppress(OSError), open(mounts, encoding="utf-8", errors="replace") as listing:
        where = os.path.realpath(place)
        for line in listing:
            fields = line.split()
            if len(fields) < 3:
                continue
            mount = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[1])
            inside = where == mount or where.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best):
                best, kind = mount, fields[2]
    return kind


def journal_mode(place: str, mounts: str = MOUNTS) -> str:
    """WAL, except where its shared memory does not work: a home on the network."""
    asked = os.environ.get("BG_JOURNAL_MODE", "").upper()
    if asked in {"WAL", "DELETE"}:
        return asked
    return "DELETE" if NETWORK_FILESYSTEMS.fullmatch(filesystem(place, mounts)) else "WAL"


def leave_wal(path: str) -> None:
    """A ledger that came onto a network home in WAL is turned, without shared memory, once no other hook has it."""
    with contextlib.suppress(OSError):
        with open(path, "rb") as file:
            header = file.read(20)
        # A disk of this machine's own has a device number; asking costs less than reading the mounts.
        near = os.major(os.stat(path).st_dev) and not os.environ.get("BG_JOURNAL_MODE")
        if header[18:20] != b"\2\2" or near or journal_mode(os.path.dirname(path)) == "WAL":
            return
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(path, timeout=durations.LOCK_ALONE, isolation_level=None)) as alone,
        ):
            alone.execute("PRAGMA locking_mode=EXCLUSIVE")
            alone.execute("PRAGMA journal_mode=DELETE")
