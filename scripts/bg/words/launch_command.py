"""How the user types our launch command: `/bg`, or `/bg:bg` on a host that has taken the short name.

The user's own command files win over the host's built-in commands, so a small command file, which `bgctl shortcuts`
writes, gives the short name back.
"""

from __future__ import annotations

import contextlib
import os

from bg import foreign
from bg.host.versions import Host
from bg.ledger import place

NAME = "bg"  # no host has its own `/bg-status` or `/bg-answer`, so these need no shortcut
MARK = "<!-- A shortcut of the bg plugin. To remove it: bgctl shortcuts --remove, or delete this file. -->"
MOST = 1024 * 1024


def shortcut() -> str:
    """The path of the user's own command file of that name, which need not exist."""
    return os.path.join(place.config_directory(), "commands", f"{NAME}.md")


def _has_shortcut() -> bool:
    """Whether the user's own command with this plugin's short name is the shortcut that the plugin writes."""
    with contextlib.suppress(OSError):
        return MARK.encode() in foreign.whole(shortcut(), MOST)
    return False


def is_shadowed(host: Host) -> bool:
    """Whether the host takes a typed `/bg` for a command of its own."""
    return host.has_its_own_bg and not _has_shortcut()


def spelled(host: Host) -> str:
    """`/bg` if that is surely ours, else `/bg:bg`, which always is."""
    return "/bg" if _has_shortcut() or (host.version is not None and not host.has_its_own_bg) else "/bg:bg"
