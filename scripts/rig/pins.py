"""The packages that the tests need: as pinned in pyproject.toml, else as this machine has them."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Callable

from rig import registry

ROOT = Path(__file__).resolve().parents[2]
#: The packages that the tests import; the other pins are for the further checks of `.ci/run`.
IMPORTED = ("pytest", "hypothesis", "yaml", "jsonschema")

Say = Callable[[str], None]


def provide(say: Say) -> str:
    """Install the development group exactly as pinned; return why that failed, or empty."""
    wanted = [pin for pin in pins((ROOT / "pyproject.toml").read_text(encoding="utf-8")) if not _has(pin)]
    if not wanted:
        return ""
    pip = [sys.executable, "-m", "pip"]
    first = next((pin for pin in wanted if pin.startswith("pytest==")), wanted[0])
    with tempfile.TemporaryDirectory() as folder:
        cause = registry.ask([*pip, "download", "--no-deps", "--dest", folder, *registry.PIP, first])
    if cause:
        return f"pip cannot fetch {first}: {cause}"
    say(f"installing {', '.join(wanted)} (up to 40 MB)")
    quiet = ["--quiet", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
    if subprocess.run([*pip, "install", *quiet, *wanted], check=False).returncode:
        return f"pip could not install {', '.join(pin for pin in wanted if not _has(pin))}"
    return ""


def usable() -> bool:
    """Whether this interpreter has the packages that the tests import, in any version."""
    return all(importlib.util.find_spec(name) for name in IMPORTED)


def another() -> str:
    """An interpreter outside the virtual environment that has the packages that the tests import; empty if none has."""
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    outside = os.pathsep.join(part for part in parts if Path(part) != Path(sys.executable).parent)
    probe = f"import sys, {', '.join(IMPORTED)}; sys.exit(sys.version_info < (3, 10))"
    for candidate in (shutil.which("python3", path=outside), "/usr/bin/python3"):
        if candidate and Path(candidate).is_file():
            done = subprocess.run([candidate, "-c", probe], capture_output=True, cwd="/", check=False)
            if done.returncode == 0:
                return candidate
    return ""


def pins(text: str) -> list[str]:
    """The pins of the development group; read as lines, because Python 3.10 has no TOML reader."""
    group = text.partition("[dependency-groups]")[2].partition("\n[")[0]
    found = re.findall(r'^\s*"([\w.-]+==[\w.]+)"', group, re.MULTILINE)
    if not found:
        raise SystemExit("test: pyproject.toml has no dependency group with pins")
    return found


def _has(pin: str) -> bool:
    name, _, version = pin.partition("==")
    try:
        return importlib.metadata.version(name) == version
    except importlib.metadata.PackageNotFoundError:
        return False
