"""Draws published versions by the state of the files that speak to the client: only a change of these draws others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from rig import clients, fetching, tree

COUNT = 3
#: The folders that decide how the plugin and a client understand each other.
SPEAKS = ("hooks/", "scripts/bg/host/")


def drawn(root: Path) -> list[str]:
    """Versions that nobody has chosen, the oldest first; a ClientError if the registry does not list its versions."""
    return pick(fetching.published(), state(root))


def state(root: Path) -> str:
    """A digest of the files that the draw depends on."""
    found = hashlib.sha256()
    for name in sorted(name for name in tree.files(root) if name.startswith(SPEAKS)):
        path = root / name
        if path.is_file():
            found.update(f"{name}\0{hashlib.sha256(path.read_bytes()).hexdigest()}\n".encode())
    return found.hexdigest()


def pick(published: Iterable[str], by: str, count: int = COUNT) -> list[str]:
    """The drawn versions, which are between the oldest and the newest that are tested anyway.

    Each version has a rank of its own, so that a version that comes or goes leaves the others drawn.
    """
    first, last = clients.numbers(next(iter(clients.VERSIONS))), clients.numbers(clients.newest())
    others = [each for each in published if each not in clients.VERSIONS and first < clients.numbers(each) < last]
    ranked = sorted(others, key=lambda each: hashlib.sha256(f"{by} {each}".encode()).hexdigest())
    return sorted(ranked[:count], key=clients.numbers)
