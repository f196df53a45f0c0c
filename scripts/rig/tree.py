"""The files of this repository, as in a clone or a source archive; found without git, by .gitignore."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

_LONG_AGO = "1000000000 +0000"


def files(root: Path) -> Iterator[str]:
    """The paths, from the root, of all files and links that are not ignored."""
    ignored = [line.rstrip("/") for line in (root / ".gitignore").read_text(encoding="utf-8").split()] + [".git"]

    def kept(path: Path) -> bool:
        inside = str(path.relative_to(root))
        return not any(fnmatch(path.name, pattern) or inside == pattern for pattern in ignored)

    for folder, inside, names in os.walk(root):
        place = Path(folder)
        inside[:] = sorted(name for name in inside if kept(place / name))
        for name in sorted(names) + [name for name in inside if (place / name).is_symlink()]:
            if kept(place / name):
                yield str((place / name).relative_to(root))


def snapshot(root: Path, folder: Path) -> Path:
    """A repository with one commit of the files as they are; the same files always give the same commit."""
    for name in files(root):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(root / name, path, follow_symlinks=False)
    dates = {"GIT_AUTHOR_DATE": _LONG_AGO, "GIT_COMMITTER_DATE": _LONG_AGO}
    nobody = (["config", "user.name", "Nobody"], ["config", "user.email", "nobody@example.org"])
    for words in (
        ["init", "-q"],
        *nobody,
        ["add", "-A"],
        ["commit", "-qm", "As it is", "--no-verify", "--no-gpg-sign"],
    ):
        command = ["git", "-C", str(folder), *words]
        subprocess.run(command, check=True, capture_output=True, env={**os.environ, **dates})
    return folder
