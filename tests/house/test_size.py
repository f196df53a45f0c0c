"""What a user gets: the host copies the whole repository into its plugin cache, so its size is held here."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from rig import tree

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 780
MOST_BYTES = 5_000_000
BLOCK = 4096  # most file systems give each file whole blocks of this size; what that comes to is printed too


def shipped() -> list[Path]:
    """The tracked files; in an archive, which has no .git, all that are there."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
        if done.returncode == 0:  # git may refuse a checkout that belongs to another user
            names = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
            return [ROOT / name for name in names if (ROOT / name).exists()]
    return found()


def found() -> list[Path]:
    """The files of the tree, without what is made in it."""
    return [ROOT / name for name in tree.files(ROOT)]


def test_what_lands_in_a_users_cache_is_small(tell):
    sizes = [path.lstat().st_size for path in shipped()]
    disk = sum(-(-size // BLOCK) * BLOCK for size in sizes)
    tell(f"{len(sizes)} files of {sum(sizes) / 1e6:.2f} MB, which take {disk / 1e6:.2f} MB on disk")
    assert len(sizes) <= MOST_FILES
    assert sum(sizes) <= MOST_BYTES


def test_an_archive_is_counted_like_a_checkout():
    """Whatever is tracked is found without git, too; what a checkout holds beside it is none of the plugin's."""
    assert set(shipped()) <= set(found())
