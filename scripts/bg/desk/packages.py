"""The interpreter that the hooks use, and the two packages: found or fetched if the user types it, never by a hook."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from pathlib import Path

from bg import durations, foreign, machine
from bg.ledger import place

Outcome = tuple[int, str, str]
#: One version of each package, with the hashes of its wheels; pip builds nothing and takes nothing else.
REQUIREMENTS = Path(__file__).with_name("requirements.txt")
SYSTEM = ("/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3")
_FETCH = ("pip", "install", "--quiet", "--require-hashes", "--only-binary", ":all:", "-r", str(REQUIREMENTS))
_AGAIN = f'"{Path(__file__).resolve().parents[2] / "bgctl"}" install-packages'
REMEDY = f"run {_AGAIN}, or python3 -m pip install PyYAML jsonschema"
# Each known cause of a failure: a pattern for the words of pip and venv, and the remedy.
CAUSES = {
    "the disk is full": ("No space left on device", f"free some space on that disk, then run {_AGAIN}"),
    "this Python has no ensurepip": (
        "ensurepip|No module named .?venv",
        f"install your system's python3-venv package, then run {_AGAIN}",
    ),
    "there was no network": (
        "connection|name resolution|timed out|ProxyError|Max retries",
        f"run {_AGAIN} when there is a network",
    ),
    "pip was offered no wheel whose hash is known here": (
        "DO NOT MATCH THE HASHES|No matching distribution",
        (
            "on Linux or macOS with Python 3.9 to 3.14, on x86_64 or arm64, do not trust where pip looks for packages; "
            "elsewhere, run python3 -m pip install PyYAML jsonschema, which checks no hashes"
        ),
    ),
}
PROBE = (
    "import importlib.util as u, sys;"
    " sys.exit(not all(map(u.find_spec, ('yaml', 'jsonschema'))) or sys.version_info < (3, 9))"
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl install-packages`: none."""
    parser.description = "Find a Python with PyYAML and jsonschema, or fetch them into the plugin's data directory."
    parser.epilog = "Exit status: 0 the hooks have them, 1 they could not be had."
    parser.set_defaults(run=lambda _: install(Path(place.directory_of_hooks())))


def packages_folder(directory: Path) -> Path:
    """The folder of packages that were installed without a virtual environment."""
    return directory / "packages"


def choose(directory: Path, interpreter: str) -> None:
    """Write the note of the interpreter that `hooks/run` uses, whole or not at all."""
    place.make_private(str(directory))
    temporary = directory / f"python.{os.getpid()}"
    temporary.write_text(f"{interpreter}\n", encoding="utf-8")
    temporary.replace(place.interpreter_note(str(directory)))


def install(directory: Path) -> Outcome:
    """Find an interpreter with both packages, or give the plugin its own; the outcome, or the cause and the remedy."""
    for candidate in dict.fromkeys([*SYSTEM, machine.find("python3"), sys.executable]):
        if candidate and Path(candidate).is_file() and _works(candidate):
            choose(directory, _real(candidate))
            return 0, f"{candidate} has both packages\n", ""
    place.make_private(str(directory))
    environment, target = directory / "venv", packages_folder(directory)
    python = str(environment / "bin" / "python3")
    made = _start(sys.executable, "venv", str(environment))
    filled = _start(python, *_FETCH) if made.code == 0 else made
    if filled.code == 0 and _works(python):
        choose(directory, python)
        return 0, f"a virtual environment was built in {environment}\n", ""
    put = _start(sys.executable, *_FETCH, "--target", str(target))
    if put.code == 0:
        choose(directory, _real(sys.executable))
        return 0, f"the packages were installed in {target}\n", ""
    for left in (environment, target):
        shutil.rmtree(left, ignore_errors=True)
    why, help_ = cause(made.said + filled.said + put.said)
    return 1, "", f"bgctl: the packages could not be installed: {why}\nremedy: {help_}\n"


def usable(interpreter: str) -> bool:
    """Whether the interpreter that the hooks use finds both packages."""
    return bool(interpreter) and (packages_folder(Path(place.directory_of_hooks())).is_dir() or _works(interpreter))


def sources() -> list[tuple[str, list[str]]]:
    """The places to look for the packages: interpreters, this one first, then that of the hooks, with their folders."""
    directory = place.directory_of_hooks()
    try:
        noted = foreign.whole(place.interpreter_note(directory), 4096).decode("utf-8", "replace").strip()
    except OSError:
        noted = ""
    usable = [each for each in dict.fromkeys((sys.executable, noted)) if each and os.access(each, os.X_OK)]
    return [(each, [str(packages_folder(Path(directory)))]) for each in usable]


def cause(said: str) -> tuple[str, str]:
    """The cause of a failure, in our words if the output shows a known one, and the remedy."""
    lines = said.strip().splitlines()[-60:]
    for words, (wanted, help_) in CAUSES.items():
        if any(re.search(wanted, line, re.IGNORECASE) for line in lines):
            return words, help_
    telling = [line for line in lines if "error" in line.lower()]
    return (telling or lines or ["nothing was said"])[-1].strip()[:200], REMEDY


def _start(interpreter: str, module: str, *words: str) -> machine.Done:
    return machine.python(interpreter, "-m", module, *words, seconds=durations.FETCHING)


def _works(interpreter: str) -> bool:
    return machine.python(interpreter, "-c", PROBE, seconds=durations.PROBING).code == 0


def _real(interpreter: str) -> str:
    """The interpreter behind a version manager's shim, whose own start would cost every hook time."""
    done = machine.python(interpreter, "-c", "import sys; print(sys.executable)", seconds=durations.PROBING)
    return (done.out.strip() if done.code == 0 else "") or interpreter
