"""Judges paths that lead out of the project: never read, refuted where a result was put there unasked."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

from bg.evidence.disk import SLACK
from bg.evidence.reader import Statement
from bg.evidence.stance import Stance


def judged(path: str, brief: str, at: float, stance: Stance, statement: Statement) -> tuple[str, str, str]:
    """Kind, grade and reason for a path outside; one that the launch names is looked at, not into."""
    real = Path(os.path.expanduser(path))  # noqa: PTH111  as the report spells it
    if path in brief or str(real) in brief:
        return ("deliverable", *_asked_for(real, path, at))
    scratch = real.parent == Path(tempfile.gettempdir()) and statement.field != "deliverables"
    claimed = stance.level == 2 and stance.kind in {"made", "changed", "listed"}
    if claimed and statement.kind != "fence" and not scratch:
        return "deliverable", "refuted", f"{path} lies outside the project, and nobody asked for it there."
    return "reference", "claimed", f"{path} lies outside the project and was not looked at."


def _asked_for(real: Path, path: str, at: float) -> tuple[str, str]:
    try:
        about = real.lstat()
    except (OSError, ValueError):
        return "claimed", f"{path} is outside the project, where it was asked for; nothing was seen there."
    if not stat.S_ISREG(about.st_mode) or not about.st_size:
        return "claimed", f"{path} is outside the project, where it was asked for; it was not read."
    if about.st_mtime < at - SLACK:
        return "claimed", f"{path} was there before the launch."
    return "verified", f"{path} is where it was asked for, new since the launch and not empty."
