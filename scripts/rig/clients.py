"""The Claude Code versions that this plugin supports: where each is on this machine, and the client on PATH."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Optional

from bg.host import drift

from rig.home import Home

PACKAGE = "@anthropic-ai/claude-code"

NEWEST = ".".join(map(str, drift.TRIED))

#: version -> tier: a "core" version must play the loop and lose nothing, a "full" one must pass everything.
VERSIONS: dict[str, str] = {
    "2.1.7": "core",
    "2.1.38": "core",
    "2.1.100": "core",
    "2.1.197": "full",
    "2.1.258": "full",
    "2.1.327": "full",
    NEWEST: "full",
}

#: A `claude` on PATH of another version is good enough for the loop if it is newer than this.
STEADY = (2, 1, 197)
IN_PLACE = "BG_CLIENT_IN_PLACE"
GIVEN, DRAWN = "BG_CLIENT", "BG_DRAWN"


class ClientError(Exception):
    """A client is missing and cannot be had; the message says what was tried."""


class Found(NamedTuple):
    """A client at a path that the rig can run, with its version and the supported version that it stands for."""

    path: str
    version: str
    counts_as: str


def newest() -> str:
    """The newest supported version."""
    return NEWEST


def numbers(version: str) -> tuple[int, ...]:
    """`2.1.38` as numbers, which can be compared."""
    return tuple(int(part) for part in version.split("."))


def hosts() -> Path:
    """The folder that holds one installed client per version."""
    named = os.environ.get("BG_HOSTS")
    if named:
        return Path(named)
    cache = os.environ.get("XDG_CACHE_HOME")
    return Path(cache) / "bg-hosts" if cache else Path.home() / ".cache" / "bg-hosts"


def installed(version: str) -> bool:
    """Whether this version is installed, so that `entry` finds it."""
    try:
        entry(version)
    except ClientError:
        return False
    return True


def entry(version: str) -> list[str]:
    """The argv that starts this version: node and cli.js for an old one, the platform's native binary for a new one."""
    in_place = _in_place()
    if in_place and in_place.counts_as == version:
        return [in_place.path]
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


def running(version: str) -> str:
    """The version that really runs in place of this one: the client on PATH may be newer."""
    in_place = _in_place()
    return in_place.version if in_place and in_place.counts_as == version else version


def given() -> list[str]:
    """The versions that a run was told to play, in place of those its tests are for; empty if it was told none."""
    return os.environ.get(GIVEN, "").split()


def drawn() -> list[str]:
    """The versions besides those of the table that were drawn for this run, to play the loop on them."""
    return os.environ.get(DRAWN, "").split()


def give(named: str) -> str:
    """Run the tests of clients, here and in child processes, on this version or on the client at this path."""
    version = named
    if not _is_version(named):
        version = _asked(named)
        if not version:
            raise ClientError(f"{named} is neither a version, such as {newest()}, nor a Claude Code that runs here")
        use_in_place(Found(str(Path(named).absolute()), version, version))
    os.environ[GIVEN] = version
    return version


def on_path() -> Optional[Found]:
    """The `claude` on PATH, if it runs in a temporary home and its version is one that must play the loop."""
    found = own()
    counts_as = standing_for(found.version) if found else ""
    return found._replace(counts_as=counts_as) if found and counts_as else None


def own() -> Optional[Found]:
    """The `claude` on PATH in any version, if it runs in a temporary home; it stands for no other version."""
    path = shutil.which("claude")
    version = _asked(path) if path else ""
    return Found(str(Path(path).absolute()), version, version) if path and version else None


def _asked(path: str) -> str:
    """The version that a client says it is; empty if it does not run, or says something else."""
    with Home() as home:
        try:
            shown = subprocess.run(
                [path, "--version"],
                env=home.env(),
                cwd=home.project,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=20,
                check=False,
            ).stdout.split()
        except (OSError, subprocess.SubprocessError):
            return ""
    return shown[0] if shown and _is_version(shown[0]) else ""


def _is_version(text: str) -> bool:
    return bool(re.fullmatch(r"\d+(\.\d+)+", text))


def standing_for(version: str) -> str:
    """The supported version whose abilities this one has at least; empty if this one need not play the loop."""
    if version in VERSIONS:
        return version
    if not _is_version(version) or numbers(version) <= STEADY:
        return ""
    return [known for known in VERSIONS if numbers(known) <= numbers(version)][-1]


def use_in_place(found: Found) -> None:
    """Run this client, here and in child processes, wherever the version that it stands for is asked for."""
    os.environ[IN_PLACE] = f"{found.counts_as}={found.version}={found.path}"


def _in_place() -> Optional[Found]:
    counts_as, _, rest = os.environ.get(IN_PLACE, "").partition("=")
    version, _, path = rest.partition("=")
    return Found(path, version, counts_as) if path else None


def _platforms() -> list[str]:
    """The suffixes of the platform packages to look for, the likelier first."""
    arm = platform.machine().lower() in ("arm64", "aarch64")
    cpu = "arm64" if arm else "x64"
    if sys.platform == "darwin":
        return [f"darwin-{cpu}"]
    # npm installs only the package for the right C library, so the installed one is the one to run.
    return [f"linux-{cpu}", f"linux-{cpu}-musl"]
