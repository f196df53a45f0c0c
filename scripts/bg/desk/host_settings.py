"""Host settings: which files there are, whether they can be read, and what in them stops the plugin."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bg import foreign
from bg.desk.findings import Finding
from bg.host import permissions, tools
from bg.host.versions import Host
from bg.ledger import place

MOST = 4 * 1024 * 1024
_SKILLS = re.compile(r"(?:bg:)?bg(?:-status|-answer)?(?::?\*)?$|\*$|bg:\*$")


def files() -> list[Path]:
    """Every file that the host reads settings from, what is stronger later; the managed ones are the strongest."""
    here = Path.cwd() / ".claude"
    user = Path(place.config_directory()) / "settings.json"
    return [user, here / "settings.json", here / "settings.local.json", *managed()]


def managed() -> list[Path]:
    """The files that only an administrator writes."""
    return [Path(folder, "managed-settings.json") for folder in permissions.MANAGED]


def read(path: Path) -> dict[str, Any]:
    """The object in a file, empty where there is none that can be read."""
    try:
        data = foreign.loads(foreign.whole(path, MOST))
    except (OSError, ValueError):
        return {}
    return data if isinstance(data, dict) else {}


def examine(names: list[str], host: Host, root: Path) -> Iterator[Finding]:
    """What in these files stops the plugin, which the host knows by these names; `root` is where this copy stands."""
    yield from _unreadable()
    yield from _disabled(names)
    yield from _moved(names, host, root)
    yield from _denied()
    yield from _data_in_one_place()


def _unreadable() -> Iterator[Finding]:
    for path in files():
        if not path.is_file():
            continue
        try:
            value = foreign.loads(foreign.whole(path, MOST))
            wrong = "" if isinstance(value, dict) else "it holds no object"
        except (OSError, ValueError) as error:
            wrong = str(error)
        if wrong:
            yield Finding(
                "settings",
                "wrong",
                f"{path} is not JSON, so Claude Code ignores all of it: {wrong}",
                "correct that line",
            )


def _part(path: Path, name: str) -> dict[str, Any]:
    found = read(path).get(name)
    return found if isinstance(found, dict) else {}


def _disabled(names: list[str]) -> Iterator[Finding]:
    for name in names:
        said = [(path, _part(path, "enabledPlugins").get(name)) for path in files()]
        path, enabled = next((each for each in reversed(said) if each[1] is not None), (files()[0], True))
        if enabled is False:
            remedy = f"claude plugin enable {name}" if path == files()[0] else f"take its line out of {path}"
            yield Finding("plugin", "wrong", f"{name} is installed but disabled in {path}", remedy)


def _moved(names: list[str], host: Host, root: Path) -> Iterator[Finding]:
    """A marketplace that is a folder is read from there; on new hosts the plugin is too."""
    config = Path(place.config_directory())
    known = read(config / "plugins" / "known_marketplaces.json")
    is_clone = config not in root.parents and (root / ".claude-plugin" / "marketplace.json").is_file()
    where_now = f'"{root}"' if is_clone else "<where it is now>"
    add = f"claude plugin marketplace add {where_now}"
    for market in dict.fromkeys(name.partition("@")[2] for name in names):
        entry = known.get(market)
        source = entry.get("source") if isinstance(entry, dict) else None
        where = source.get("path") if isinstance(source, dict) and source.get("source") == "directory" else None
        if isinstance(where, str) and not Path(where).is_dir():
            yield Finding(
                "plugin",
                "wrong",
                f"the marketplace {market} was the folder {where}, which is gone",
                # To remove it first would delete the tasks with it, where the host keeps them.
                add
                if host.deletes_data
                else f"claude plugin marketplace remove {market}, then {add} and claude plugin install bg@{market}",
            )


def _denied() -> Iterator[Finding]:
    calls = {name for tool in (tools.LAUNCH, tools.MESSAGE) for name in tool.names}
    for path in files():
        rules = _part(path, "permissions").get("deny")
        for rule in rules if isinstance(rules, list) else []:
            tool, _, inside = str(rule).partition("(")
            inside = inside.rstrip(")").strip()
            ours = tool in calls and (not inside or inside == "*" or inside.startswith("bg:"))
            skill = tool in tools.SKILL.names and (not inside or bool(_SKILLS.match(inside)))
            if ours or skill:
                what = "the commands cannot run" if skill else "no agent can be launched or answered"
                remedy = f"take {rule} out of permissions.deny there"
                yield Finding("permissions", "wrong", f"{path} denies {rule}: {what}", remedy)


def _data_in_one_place() -> Iterator[Finding]:
    """What Claude Code gives its hooks stands in its settings; what this shell has, bgctl takes."""
    given = [(path, _part(path, "env")["BG_DATA"]) for path in files() if "BG_DATA" in _part(path, "env")]
    here = os.environ.get("BG_DATA", "")
    path, there = given[-1] if given else (files()[0], "")
    if there and here != there:
        yield Finding(
            "BG_DATA",
            "wrong",
            f"{path} gives the hooks BG_DATA={there}; {f'here it is {here}' if here else 'here it is not set'}, "
            "so this looks into another ledger",
            f'export BG_DATA="{there}"',
        )
    elif here and not there and not os.environ.get("CLAUDE_PLUGIN_ROOT"):
        yield Finding(
            "BG_DATA",
            "note",
            f"it is {here} in this shell; a Claude Code that another shell has started uses another ledger",
            f'put it into "env" in {path}',
        )
