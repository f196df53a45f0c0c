"""Mounts: what kind of file system lies below a directory, and how a database there keeps its journal."""

from __future__ import annotations

import contextlib
import os
import re

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
