"""The Claude Code versions that this plugin supports: where they live on this machine and how they get there."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable

PACKAGE = "@anthropic-ai/claude-code"

#: version -> tier: "core" is held to the loop and to losing nothing, "full" to everything.
VERSIONS: dict[str, str] = {
    "2.1.7": "core",
    "2.1.38": "core",
    "2.1.100": "core",
    "2.1.197": "full",
    "2.1.258": "full",
    "2.1.327": "full",
}

Say = Callable[[str], None]


class ClientError(Exception):
    """A client that is not there and cannot be had; says what was tried."""


def newest() -> str:
    """The newest supported version."""
    return list(VERSIONS)[-1]


def numbers(version: str) -> tuple[int, ...]:
    """`2.1.38` as something that can be compared."""
    return tuple(int(part) for part in version.split("."))


def hosts() -> Path:
    """The folder that holds one installed client per version."""
    named = os.environ.get("BG_HOSTS")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME")
    return Path(cache) / "bg-hosts" if cache else Path.home() / ".cache" / "bg-hosts"


def installed(version: str) -> bool:
    """Whether `entry` would succeed."""
    try:
        entry(version)
    except ClientError:
        return False
    return True


def entry(version: str) -> list[str]:
    """The argv that starts this version: node and cli.js for old ones, the platform's native binary for new ones."""
    modules = hosts() / version / "node_modules"
    script = modules / PACKAGE / "cli.js"
    if script.is_file():
        node = shutil.which("node")
        if not node:
            raise ClientError(f"Claude Code {version} needs node, which is not on PATH")
        return [node, str(script)]
    # The package's own wrapper needs a post-install step that may not have run: call the binary it would link to.
    for name in _platforms():
        binary = modules / f"{PACKAGE}-{name}" / "claude"
        if binary.is_file():
            return [str(binary)]
    raise ClientError(f"Claude Code {version} is not installed below {hosts()}")


def install(version: str, say: Say = print) -> list[str]:
    """Install this version with npm if it is not there, with a line every few seconds; return its argv."""
    if installed(version):
        return entry(version)
    npm = shutil.which("npm")
    if not npm:
        raise ClientError(f"Claude Code {version} is not installed, and npm is not on PATH to fetch it")
    folder = hosts() / version
    folder.mkdir(parents=True, exist_ok=True)
    log = folder / "install.log"
    command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--no-save", f"{PACKAGE}@{version}"]
    say(f"Claude Code {version}: fetching with npm (up to 250 MB)")
    started = time.monotonic()
    with log.open("wb") as out:
        process = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        while True:
            try:
                code = process.wait(timeout=5)
                break
            except subprocess.TimeoutExpired:
                say(f"Claude Code {version}: {_megabytes(folder)} MB after {time.monotonic() - started:.0f} s")
    if code != 0 or not installed(version):
        tail = log.read_text(errors="replace").strip().splitlines()[-5:]
        raise ClientError(f"npm could not install Claude Code {version} (exit {code}): " + " / ".join(tail))
    say(f"Claude Code {version}: ready after {time.monotonic() - started:.0f} s")
    return entry(version)


def _platforms() -> list[str]:
    """Suffixes of the platform packages to look for, the likelier first."""
    arm = platform.machine().lower() in ("arm64", "aarch64")
    cpu = "arm64" if arm else "x64"
    if sys.platform == "darwin":
        return [f"darwin-{cpu}"]
    # npm installs the package of the right C library only, so whichever is there is the one to run.
    return [f"linux-{cpu}", f"linux-{cpu}-musl"]


def _megabytes(folder: Path) -> int:
    """What has arrived so far; files may vanish while npm moves them."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).lstat().st_size
            except OSError:
                continue
    return total // 1_000_000
