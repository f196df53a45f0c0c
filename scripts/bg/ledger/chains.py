"""Chains: hash chains by which the module in a client proves that words are its own.

The module keeps a secret. As it begins, it hands over a commitment, which is the secret hashed many times; with each
word it hands over a link one step nearer to the secret, which nobody can compute from earlier links. The commitment
that is kept here is no secret: knowing it proves nothing.
"""

from __future__ import annotations

import contextlib
import hashlib
import os

from bg import foreign, machine
from bg.ledger import notes, place
from bg.ledger.file import Writing
from bg.machine import Process
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Optional

FOLDER = "modules"
LINKS = 500
_LINK = pattern(r"[0-9a-f]{64}\Z")
_NAME = pattern(r"([0-9]{1,10})-(.+)\Z")


def begin(client: Process, commitment: Any) -> bool:
    """Keep the commitment of a client's process, unless it has one already; return whether this one counts."""
    if not isinstance(commitment, str) or not _LINK.match(commitment):
        return False
    known = committed(client)
    if known is not None:
        return known == commitment
    folder = os.path.join(place.directory_of_hooks(), FOLDER)
    place.make_private(os.path.dirname(folder))
    place.make_private(folder)
    _forget_the_dead(folder)
    with contextlib.suppress(FileExistsError):
        file = os.open(os.path.join(folder, _name(client)), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with open(file, "w", encoding="ascii") as written:
            written.write(commitment)
    return committed(client) == commitment


def committed(client: Process) -> Optional[str]:
    """The commitment of this process's module; empty if two places hold different ones, None if none holds any."""
    found = {words for words in (_read(folder, client) for folder in place.directories()) if words is not None}
    return None if not found else found.pop() if len(found) == 1 else ""


def proves(writing: Writing, client: Process, proof: Any) -> bool:
    """Whether the link is of this process's chain, and nearer to the secret than all before; if so, note its use."""
    used, link = (proof.get("used"), proof.get("link")) if isinstance(proof, dict) else (0, "")
    if type(used) is not int or not 0 < used <= LINKS or not isinstance(link, str) or not _LINK.match(link):
        return False
    if used <= notes.links_used(writing, _name(client)) or _hashed(link, used) != committed(client):
        return False
    notes.set_links_used(writing, _name(client), used)
    return True


def _hashed(link: str, times: int) -> str:
    data = bytes.fromhex(link)
    for _ in range(times):
        data = hashlib.sha256(data).digest()
    return data.hex()


def _name(client: Process) -> str:
    return f"{client.pid}-{place.safe_name(client.started)}"


def _read(folder: str, client: Process) -> Optional[str]:
    try:
        return foreign.whole(os.path.join(folder, FOLDER, _name(client)), 100).decode("ascii", "replace")
    except (OSError, ValueError):
        return None


def _forget_the_dead(folder: str) -> None:
    for name in foreign.names(folder):
        found = _NAME.match(name)
        if found and not machine.alive(Process(int(found[1]), "")):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
