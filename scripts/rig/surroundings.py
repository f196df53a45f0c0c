#!/usr/bin/env python3
"""Runs `scripts/test` in surroundings unlike a developer's machine, and prints a line for each: result, time, counts.

`scripts/rig/surroundings.py` plays all of them, `scripts/rig/surroundings.py kolkata user` these two. Arguments after
`--` go to `scripts/test`, as in `scripts/rig/surroundings.py user -- tests/house/test_house.py`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[0] = str(ROOT / "scripts")  # instead of this folder, whose modules would hide others of the same name

from rig import tree  # noqa: E402 (as above)

NOBODY = 65534


class Kind(NamedTuple):
    """One kind of surroundings: a name for people, and what is unusual in it."""

    about: str
    env: dict[str, str] = {}  # noqa: RUF012 (never written to)
    folder: str = "bg"
    umask: int = 0o022
    git: bool = True
    busy: int = 0
    user: int = -1
    python: str = ""


KINDS = {
    "plain": Kind("as it is"),
    "packages": Kind("a python3 on PATH that has PyYAML and jsonschema", python="with"),
    "none": Kind("a python3 on PATH that has no package", python="without"),
    "busy": Kind("two busy loops beside it", busy=2),
    "user": Kind("an ordinary user", user=NOBODY),
    "kolkata": Kind("TZ=Asia/Kolkata", {"TZ": "Asia/Kolkata"}),
    "c": Kind("LANG=C LC_ALL=C", {"LANG": "C", "LC_ALL": "C"}),
    "umask": Kind("umask 077", umask=0o077),
    "path": Kind("a path with spaces and umlauts", folder="Größe und Maß/bg für uns"),
    "archive": Kind("a source archive without .git", git=False),
}


def main(arguments: list[str]) -> int:
    """Play the named surroundings; return 0 if all are green."""
    split = arguments.index("--") if "--" in arguments else len(arguments)
    names, given = arguments[:split] or list(KINDS), arguments[split + 1 :]
    unknown = [name for name in names if name not in KINDS]
    if unknown:
        sys.stderr.write(f"surroundings: {', '.join(unknown)}? There are {', '.join(KINDS)}\n")
        return 2
    logs = Path(tempfile.mkdtemp(prefix="bg-surroundings-"))
    red = [name for name in names if not play(name, given, logs / f"{name}.txt")]
    sys.stdout.write(f"what was printed stands in {logs}\n")
    return 1 if red else 0


def play(name: str, given: list[str], log: Path) -> bool:
    """Run the tests in a copy of the repository, and print a line about them; return False if they are red."""
    kind = KINDS[name]
    if kind.user >= 0 and os.geteuid():
        return _line("left out", kind, 0, "only root can become another user")
    with tempfile.TemporaryDirectory(prefix="bg-sur-") as folder:
        Path(folder).chmod(0o755)
        before = os.umask(kind.umask)
        try:
            copy = _copy(Path(folder) / kind.folder, git=kind.git)
            env = {**os.environ, **kind.env, **_python(kind, Path(folder) / "python")}
            if kind.user < 0:
                (copy / ".venv").symlink_to(ROOT / ".venv")
            else:
                env = _own(kind, Path(folder), env)
            busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(kind.busy)]
            begun = time.monotonic()
            try:
                with log.open("wb") as out:
                    command = ["scripts/test", "-q", "-p", "no:cacheprovider", *given]
                    who = {"user": kind.user, "group": kind.user, "extra_groups": []} if kind.user >= 0 else {}
                    code = subprocess.run(
                        command, cwd=copy, env=env, stdout=out, stderr=out, stdin=subprocess.DEVNULL, check=False, **who
                    ).returncode
            finally:
                for process in busy:
                    process.kill()
                    process.wait()
        finally:
            os.umask(before)
    said = [line for line in log.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    counts = [line for line in said if re.search(r"\d+ (passed|failed|error)", line)]
    return _line("red" if code else "green", kind, time.monotonic() - begun, (counts or said or ["nothing"])[-1])


def _line(result: str, kind: Kind, seconds: float, words: str) -> bool:
    sys.stdout.write(f"{result:8}  {kind.about:50} {seconds:5.0f} s  {words.strip('= ')}\n")
    sys.stdout.flush()
    return result != "red"


def _copy(place: Path, *, git: bool) -> Path:
    """Copy the files as they are now, under the present umask, with a git repository of their own or without one."""
    for name in tree.files(ROOT):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        _copy_file(ROOT / name, place / name)
    if git:
        who = ["-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"]
        for words in (["init", "-q"], ["add", "-A"], [*who, "commit", "-qm", "as it is"]):
            subprocess.run(["git", "-C", str(place), *words], check=True, stdout=subprocess.DEVNULL)  # noqa: S607
    return place


def _copy_file(source: Path, target: Path) -> None:
    """Copy a file with the mode that a checkout would give it."""
    if source.is_symlink():
        target.symlink_to(source.readlink())
        return
    shutil.copyfile(source, target)
    if os.access(source, os.X_OK) and source.stat().st_mode & 0o100:
        mask = os.umask(0)
        os.umask(mask)
        target.chmod(0o777 & ~mask)


def _python(kind: Kind, folder: Path) -> dict[str, str]:
    """A PATH that begins with a python3 with the tests' packages or without any; empty if the kind asks for neither."""
    if not kind.python:
        return {}
    if kind.python == "without":
        subprocess.run([str(ROOT / ".venv/bin/python"), "-m", "venv", "--without-pip", str(folder)], check=True)
        first = folder / "bin"
    else:
        first = folder
        first.mkdir()
        (first / "python3").write_text(f"#!/bin/sh\nexec '{ROOT}/.venv/bin/python' \"$@\"\n", encoding="utf-8")
        (first / "python3").chmod(0o755)
    return {"PATH": f"{first}{os.pathsep}{os.environ['PATH']}"}


def _own(kind: Kind, folder: Path, env: dict[str, str]) -> dict[str, str]:
    """Give the folder to the kind's user; return an environment with a home in it, and without anything of root's."""
    home = folder / "home"
    home.mkdir()
    for place, inside, names in os.walk(folder):
        for name in ("", *inside, *names):
            os.chown(Path(place) / name, kind.user, kind.user, follow_symlinks=False)
    parts = [part for part in env["PATH"].split(os.pathsep) if not Path(part).is_relative_to(Path.home())]
    kept = {name: env[name] for name in ("LANG", "LC_ALL", "TERM", "HTTPS_PROXY", "HTTP_PROXY") if name in env}
    return {**kept, "HOME": str(home), "PATH": os.pathsep.join(parts), "TMPDIR": str(home)}


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
