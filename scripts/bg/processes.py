"""Processes: which one is the host, and whether it still lives.

Unknown counts as alive: a task is never called dead on a guess.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple, Optional

_SHELLS = {"sh", "bash", "dash", "zsh", "ksh", "busybox"}


class Process(NamedTuple):
    """A process, told from a later one of the same number by when it started."""

    pid: int
    started: str


def host() -> Optional[Process]:
    """The host that called `hooks/run`, past the shells between."""
    try:
        pid = int(os.environ.get("BG_HOST_PID") or os.getppid())
    except ValueError:
        return None
    for _ in range(4):
        found = _look(pid)
        if found is None:
            return None
        parent, name, started = found
        if Path(name).name.lstrip("-") not in _SHELLS:
            return Process(pid, started)
        pid = parent
    return None


def alive(process: Optional[Process]) -> bool:
    """False only for a process that is known to be gone."""
    if process is None or process.pid <= 0:
        return True
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    found = _look(process.pid)
    return found is None or not process.started or found[2] == process.started


def _look(pid: int) -> Optional[tuple[int, str, str]]:
    """A process's parent, name and start, None where the machine does not tell."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        name = stat[stat.index("(") + 1 : stat.rindex(")")]
        fields = stat[stat.rindex(")") + 2 :].split()
        return int(fields[1]), name, fields[19]
    except (OSError, ValueError, IndexError):
        pass
    # Late: only a machine without /proc needs it.
    import subprocess  # noqa: PLC0415

    try:
        shown = subprocess.run(
            ["/bin/ps", "-o", "ppid=,lstart=,comm=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=2,
            check=True,
        ).stdout.split()
        return int(shown[0]), " ".join(shown[6:]), " ".join(shown[1:6])
    except (OSError, ValueError, IndexError, subprocess.SubprocessError):
        return None
