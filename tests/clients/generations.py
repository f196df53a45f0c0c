"""The tested clients by generation: whom a test is for, by what its clients can do."""

from __future__ import annotations

from bg.host import versions
from rig import clients

NEWEST = clients.newest()


def _able(what: str) -> tuple[str, ...]:
    played = dict.fromkeys([*clients.VERSIONS, *clients.given()])
    return tuple(each for each in played if getattr(versions.host_of(versions.version_of(each)), what))


#: A report goes through a tool of its own in auto mode, where their terminal sessions begin.
HAND_BACK = _able("has_handback")
#: A plain `/bg` typed in a terminal is the client's own; other processes can write to its sessions, too.
SHADOWED = _able("has_its_own_bg")
