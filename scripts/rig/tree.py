"""The files of this repository, as a clone or a source archive has them: git is not asked, .gitignore is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path


def files(root: Path) -> Iterator[str]:
    """Every file and link that is not ignored, by its path from the root."""
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
