"""What a user gets: the host copies the whole repository into its plugin cache, so its size is held here."""

from __future__ import annotations

import fnmatch
import os
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_FILES = 700
MOST_BYTES = 4_500_000
BLOCK = 4096  # most file systems give each file whole blocks of this size; what that comes to is printed too
NEVER_SHIPPED = {".git"}


def ignored(path: Path) -> bool:
    """Whether .gitignore names this path below the root: each of its lines is a name or a path, none an exception."""
    lines = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not any(line.startswith(("!", "/")) for line in lines)
    names = [path.name, str(path.relative_to(ROOT))]
    return any(fnmatch.fnmatch(name, line.rstrip("/")) for line in lines for name in names)


def found(folder: Path) -> list[Path]:
    """The files of the tree, without what is made in it."""
    files = []
    for path in sorted(folder.iterdir()):
        if path.name in NEVER_SHIPPED or ignored(path):
            continue
        files += found(path) if path.is_dir() and not path.is_symlink() else [path]
    return files


def shipped() -> list[Path]:
    """The tracked files; in an archive, which has no .git, all that are there."""
    if (ROOT / ".git").exists() and shutil.which("git"):
        done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
        if done.returncode == 0:  # git may refuse a checkout that belongs to another user
            names = [os.fsdecode(name) for name in done.stdout.split(b"\0") if name]
            return [ROOT / name for name in names if (ROOT / name).exists()]
    return found(ROOT)


def test_what_lands_in_a_users_cache_is_small(tell):
    sizes = [path.lstat().st_size for path in shipped()]
    disk = sum(-(-size // BLOCK) * BLOCK for size in sizes)
    tell(f"{len(sizes)} files of {sum(sizes) / 1e6:.2f} MB, which take {disk / 1e6:.2f} MB on disk")
    assert len(sizes) <= MOST_FILES
    assert sum(sizes) <= MOST_BYTES


def test_an_archive_is_counted_like_a_checkout():
    """Whatever is tracked is found without git, too; what a checkout holds beside it is none of the plugin's."""
    assert set(shipped()) <= set(found(ROOT))
