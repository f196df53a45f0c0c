"""Fetches Claude Code versions with npm: the registry is asked first, npm is watched, a version comes whole or not."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Callable

from rig import registry
from rig.clients import PACKAGE, ClientError, entry, hosts, installed
from rig.home import kill_group

STALLED = 20.0  # seconds without a byte, after which a download is given up

Say = Callable[[str], None]


class RegistryError(ClientError):
    """The registry itself is the trouble, so that asking it for another client would be useless."""


def install_all(versions: Iterable[str], say: Say = print) -> dict[str, str]:
    """Install these versions; return those that cannot be had, each with the reason."""
    missing: dict[str, str] = {}
    broken = ""
    for version in versions:
        try:
            if not broken or installed(version):
                install(version, say)
                continue
        except RegistryError as error:
            broken = str(error)
        except ClientError as error:
            missing[version] = str(error)
            continue
        missing[version] = broken
    for reason in dict.fromkeys(missing.values()):
        say(reason)
    return missing


def install(version: str, say: Say = print) -> list[str]:
    """Install this version with npm if it is not there, with a line every few seconds; return its argv."""
    if installed(version):
        return entry(version)
    npm = _npm(f"Claude Code {version} is not installed, and npm is not on PATH to fetch it")
    wanted = f"{PACKAGE}@{version}"
    cause = registry.ask([npm, "view", wanted, "version", *registry.NPM])
    if registry.NOT_THERE in cause:
        raise ClientError(f"Claude Code {version} cannot be fetched: the registry does not have it")
    if cause:
        raise RegistryError(f"Claude Code cannot be fetched with npm: {cause}")
    say(f"Claude Code {version}: fetching with npm (up to 180 MB)")
    started = time.monotonic()
    hosts().mkdir(parents=True, exist_ok=True)
    # A client comes to its final place only when it is whole, however the fetching ends.
    with tempfile.TemporaryDirectory(prefix=f".{version}-", dir=hosts()) as folder:
        made = Path(folder) / "made"
        made.mkdir()
        command = [npm, "install", "--prefix", str(made), "--no-audit", "--no-fund", "--no-save", wanted]
        trouble = _watched([*command, "--fetch-retries=1", "--fetch-retry-mintimeout=1000"], made, version, say)
        if trouble:
            raise ClientError(f"npm could not install Claude Code {version}: {trouble}")
        final = hosts() / version
        shutil.rmtree(final, ignore_errors=True)
        made.rename(final)
    if not installed(version):
        raise ClientError(f"npm installed Claude Code {version} without a program for this machine")
    say(f"Claude Code {version}: ready after {time.monotonic() - started:.0f} s")
    return entry(version)


def published() -> list[str]:
    """Every version that the registry has."""
    npm = _npm("npm is not on PATH to ask which versions of Claude Code there are")
    said, cause = registry.answer([npm, "view", PACKAGE, "versions", "--json", *registry.NPM])
    if cause:
        raise RegistryError(f"the versions of Claude Code cannot be listed with npm: {cause}")
    return re.findall(r'"(\d+\.\d+\.\d+)"', said)


def _npm(lacking: str) -> str:
    npm = shutil.which("npm")
    if not npm:
        raise ClientError(f"{lacking}; Node 18 or newer brings it: https://nodejs.org")
    return npm


def _watched(command: list[str], folder: Path, version: str, say: Say) -> str:
    """Run npm as long as something arrives; empty if it succeeded, else what went wrong."""
    log = folder / "install.log"
    started = grown = time.monotonic()
    size = -1
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True
        )
        try:
            while True:
                try:
                    code = process.wait(timeout=5)
                    break
                except subprocess.TimeoutExpired:
                    now, arrived = time.monotonic(), _bytes(folder)
                    size, grown = (arrived, now) if arrived != size else (size, grown)
                    if now - grown > STALLED:
                        return f"nothing has arrived for {STALLED:.0f} s"
                    say(f"Claude Code {version}: {arrived // 1_000_000} MB after {now - started:.0f} s")
        finally:
            if process.poll() is None:
                kill_group(process.pid)
                process.wait()
    said = log.read_text(encoding="utf-8", errors="replace")
    return registry.reason(said) if code else ""


def _bytes(folder: Path) -> int:
    """The bytes that have arrived so far; files may vanish while npm moves them."""
    total = 0
    for root, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(root) / name).lstat().st_size
            except OSError:
                continue
    return total
