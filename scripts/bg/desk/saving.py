"""Saving: a page for people as a file, whole or not at all, readable by its owner only."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


def save(path: Path, text: str) -> None:
    """Write the file; what was there before stays until all of it is written."""
    number, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    part = Path(name)
    try:
        with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
