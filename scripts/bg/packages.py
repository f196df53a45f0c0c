"""The interpreter that the hooks use, and the two packages: found or built in the background, never waited for."""

from __future__ import annotations

import argparse
import contextlib
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Optional

from bg import settings, state

NAMES = ("yaml", "jsonschema")
REQUIREMENTS = ("PyYAML>=6,<7", "jsonschema>=4,<5")
SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
RETRY_AFTER = 24 * 3600
_AGAIN = f'"{Path(__file__).resolve().parents[1] / "bgctl"}" install-packages'
# What went wrong: what the log says of it, and the remedy.
CAUSES = {
    "installing packages is turned off in bg.json": (
        "turned off in bg.json",
        'set "install_packages": true in bg.json, or install PyYAML and jsonschema yourself',
    ),
    "the disk is full": ("No space left on device", f"free some space on that disk, then run {_AGAIN}"),
    "this Python has no ensurepip": (
        "ensurepip|No module named .?venv",
        f"install your system's python3-venv package, then run {_AGAIN}",
    ),
    "there was no network": (
        "connection|name resolution|timed out|ProxyError|Max retries",
        f"run {_AGAIN} when there is a network; the plugin tries again by itself once a day",
    ),
}
PROBE = (
    "import importlib.util as u, sys;"
    " sys.exit(not all(map(u.find_spec, ('yaml', 'jsonschema'))) or sys.version_info < (3, 9))"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl install-packages` takes: nothing."""
    parser.description = "Find an interpreter with PyYAML and jsonschema, or give the plugin its own."
    parser.set_defaults(run=lambda _: (0, install(state.directory_of_hooks()) + "\n", ""))


def present() -> bool:
    """Both packages can be imported here."""
    return all(importlib.util.find_spec(name) for name in NAMES)


def folder(place: Path) -> Path:
    """Where packages stand that were installed without a virtual environment."""
    return place / "packages"


def prepare(place: Path) -> None:
    """Note the interpreter if this one will do; else look for a better one in the background."""
    note = state.interpreter_note(place)
    with contextlib.suppress(OSError):
        if present():
            if not note.is_file() and not folder(place).is_dir():
                choose(place, sys.executable)
            return
        attempt = place / "packages.attempt"
        if attempt.is_file() and time.time() - attempt.stat().st_mtime < RETRY_AFTER:
            return
        state.make_private(place)
        attempt.touch(mode=0o600)
        script = Path(__file__).resolve().parents[1] / "bgctl"
        with (place / "packages.log").open("ab") as log:
            subprocess.Popen(
                [sys.executable, str(script), "install-packages"],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                env={**os.environ, "BG_DATA": str(place)},
            )


def choose(place: Path, interpreter: str) -> None:
    """Write down which interpreter `hooks/run` uses, whole or not at all."""
    state.make_private(place)
    temporary = place / f"python.{os.getpid()}"
    temporary.write_text(f"{interpreter}\n", encoding="utf-8")
    temporary.replace(state.interpreter_note(place))


def install(place: Path, *, may_install: Optional[bool] = None) -> str:
    """Find an interpreter with both packages, or give the plugin its own; what was done, in a sentence."""
    for candidate in dict.fromkeys([*SYSTEM, shutil.which("python3") or "", sys.executable]):
        if candidate and Path(candidate).is_file() and _works(candidate):
            choose(place, _real(candidate))
            return f"{candidate} has both packages"
    if not (settings.load(str(Path.cwd())).install_packages if may_install is None else may_install):
        return "installing packages is turned off in bg.json"
    state.make_private(place)
    environment = place / "venv"
    python = environment / "bin" / "python3"
    made = _run([sys.executable, "-m", "venv", str(environment)])
    if made and _run([str(python), "-m", "pip", "install", "--quiet", *REQUIREMENTS]) and _works(str(python)):
        choose(place, str(python))
        return f"a virtual environment was built in {environment}"
    shutil.rmtree(environment, ignore_errors=True)
    target = folder(place)
    if _run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), *REQUIREMENTS]):
        choose(place, _real(sys.executable))
        return f"the packages were installed in {target}"
    shutil.rmtree(target, ignore_errors=True)
    return "the packages could not be installed; signals are read without them and marked unchecked"


def usable(interpreter: str) -> bool:
    """The interpreter that the hooks use finds both packages."""
    if interpreter and folder(state.directory_of_hooks()).is_dir():
        return True
    return bool(interpreter) and _works(interpreter)


def why_not(place: Path) -> str:
    """Why the last attempt failed, in our words where its log has a known cause; empty where none was made."""
    try:
        lines = (place / "packages.log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-60:]
    except OSError:
        return ""
    for words, (wanted, _) in CAUSES.items():
        if any(re.search(wanted, line, re.IGNORECASE) for line in lines):
            return words
    telling = [line for line in lines if "error" in line.lower()]
    return (telling or lines or [""])[-1].strip()[:200]


def remedy(why: str) -> str:
    """What to type, given why the last attempt failed."""
    known = CAUSES.get(why)
    return known[1] if known else f"python3 -m pip install PyYAML jsonschema, or run {_AGAIN}"


def _works(interpreter: str) -> bool:
    return _run([interpreter, "-c", PROBE])


def _real(interpreter: str) -> str:
    """The interpreter behind a version manager's shim, which would cost every hook its start."""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        shown = subprocess.run(
            [interpreter, "-c", "import sys; print(sys.executable)"],
            capture_output=True,
            text=True,
            timeout=20,
            check=True,
        )
        return shown.stdout.strip() or interpreter
    return interpreter


def _run(command: list[str]) -> bool:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, timeout=300, check=False).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return False
