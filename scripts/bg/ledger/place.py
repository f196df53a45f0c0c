"""Where the plugin keeps what it knows: the data directory, the session markers, the interpreter note.

Hooks and `bgctl` ask the same functions. `hooks/run` repeats `directories` in sh, because the
quiet path may not start Python; a test holds the two equal.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from bg import foreign

LEDGER = "ledger.db"


def config_directory() -> Path:
    """The host's configuration directory."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return Path(named) if named else Path(os.environ.get("HOME") or Path.home()) / ".claude"


def directories() -> list[Path]:
    """Every place where a data directory may stand, the preferred one first."""
    named = os.environ.get("BG_DATA")
    if named:
        return [Path(named)]
    config = config_directory()
    given = os.environ.get("CLAUDE_PLUGIN_DATA")
    places = [Path(given)] if given else []
    data = config / "plugins" / "data"
    places += [data / name for name in foreign.names(data) if name.startswith("bg-")]
    places.append(config / "bg")
    return list(dict.fromkeys(places))


def existing() -> list[Path]:
    """The places that hold a ledger."""
    return [place for place in directories() if (place / LEDGER).is_file()]


def directory() -> Path:
    """The data directory in use: an older ledger is adopted where the preferred place has none."""
    found = existing()
    if found:
        return found[0]
    places = directories()
    given = os.environ.get("BG_DATA") or os.environ.get("CLAUDE_PLUGIN_DATA")
    return places[0] if given else places[-1]


def directory_of_hooks() -> Path:
    """The directory that the hooks use, as far as a command outside the host can tell: it has no ledger at first."""
    used = directory()
    made = [place for place in directories()[:-1] if place.is_dir()]
    return made[0] if made and not used.is_dir() else used


def make_private(place: Path) -> None:
    """The directory, its parents where they are missing, readable by its owner only."""
    place.mkdir(mode=0o700, parents=True, exist_ok=True)


def fallback_spools(place: Path) -> list[Path]:
    """Where events are kept when this data directory cannot be written: of its own, for no other ledger."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    name = re.sub(r"[^A-Za-z0-9_-]", "-", str(place))[-80:]
    places = (os.environ.get("TMPDIR"), "/tmp", "/var/tmp")  # noqa: S108 - as tempfile, which costs more than this hook
    found = dict.fromkeys(each for each in places if each and os.path.isdir(each))  # noqa: PTH112 - a quarter of the cost
    return [Path(each) / f"bg-spool-{owner}-{name}" for each in found]


def safe_name(text: str) -> str:
    """A session id made safe as a file name, and bounded."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)[:80] or "none"


def marker(place: Path, session: str) -> Path:
    """The file whose presence tells `hooks/run` that this session has something of ours."""
    return place / "sessions" / safe_name(session)


def mark(place: Path, session: str) -> None:
    """Let the hooks of this session start Python from now on."""
    path = marker(place, session)
    make_private(path.parent)
    path.touch(mode=0o600)


def interpreter_note(place: Path) -> Path:
    """The file that names the interpreter which `hooks/run` uses."""
    return place / "python"
