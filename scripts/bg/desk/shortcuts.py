"""Shortcuts: the literal `/bg` where the host has taken the name, and what to type until then.

The user's own command files win over the host's built-in commands, so a small one gives the name
back. It is the plugin's command without what only a plugin's file can say; it is written on request,
and no file that is not ours is ever touched.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from bg.host.versions import Host
from bg.ledger import place
from bg.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

Outcome = tuple[int, str, str]
ROOT = Path(__file__).resolve().parents[3]
NAMES = ("bg",)  # `/bg-status` and `/bg-answer` are nobody else's on any host
MARK = "<!-- A shortcut of the bg plugin. To remove it: bgctl shortcuts --remove, or delete this file. -->"
_ADVICE = "tell the user to run `${CLAUDE_PLUGIN_ROOT}/scripts/bgctl doctor`"
_OWN_ADVICE = (
    "tell the user that `claude plugin list` shows whether the bg plugin is installed and enabled, that settings can "
    "turn all hooks off, and that this shortcut is the file `{path}`, to be deleted where the plugin is gone"
)


class Shortcut(Record):
    """One command file of the user: where, what it should say, and what stands there."""

    path: Path
    wanted: str
    there: Optional[str]

    @property
    def state(self) -> str:
        """`absent`, `ours`, `old` (ours, with an earlier text) or `foreign`."""
        if self.there is None:
            return "absent"
        if MARK not in self.there:
            return "foreign"
        return "ours" if self.there == self.wanted else "old"


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl shortcuts` takes."""
    parser.description = (
        "Give the literal /bg back on hosts with a command of that name. Without an option: show what would be written."
    )
    parser.epilog = "Exit status: 0 done or nothing to do; 1 a file that is not ours, or cannot be written; 2 usage."
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--write", action="store_true", help="write the files")
    choice.add_argument("--remove", action="store_true", help="remove the files that this has written")
    parser.set_defaults(run=run)


def folder() -> Path:
    """Where the host looks for the user's own commands."""
    return Path(place.config_directory()) / "commands"


def all_of_them() -> list[Shortcut]:
    """Each shortcut with what stands in its place."""
    return [_shortcut(name) for name in NAMES]


def _shortcut(name: str) -> Shortcut:
    path = folder() / f"{name}.md"
    there: Optional[str] = None
    if path.exists() or path.is_symlink():
        there = ""
        with contextlib.suppress(OSError, ValueError):
            there = path.read_text(encoding="utf-8")
    return Shortcut(path, _text(name, path), there)


def _text(name: str, path: Path) -> str:
    """The plugin's own command with the advice of one that stands outside it."""
    command = (ROOT / "commands" / f"{name}.md").read_text(encoding="utf-8")
    head, body = command.split("\n---\n", 1)
    return f"{head}\n---\n{MARK}\n{body.replace(_ADVICE, _OWN_ADVICE.format(path=path))}"


def ours() -> bool:
    """The literal `/bg` is ours by a shortcut."""
    return _shortcut("bg").state in {"ours", "old"}


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    act = _write if given.write else _remove if given.remove else _show
    code, out, errors = 0, "", ""
    for found in all_of_them():
        if found.state == "foreign" and not given.remove:
            code = 1
            errors += f"bgctl: {found.path} is there and not ours; it stays as it is. /bg:bg works without it.\n"
            continue
        try:
            out += act(found)
        except OSError as error:
            code, errors = 1, f"{errors}bgctl: {found.path}: {error.strerror or error}\n"
    return code, out, errors


def _show(found: Shortcut) -> str:
    words = {
        "absent": "would be written with --write:",
        "old": "is ours, with an earlier text; --write renews it:",
        "ours": "is there and up to date; --remove takes it away:",
    }
    return f"{found.path} {words[found.state]}\n\n{found.wanted}"


def _write(found: Shortcut) -> str:
    if found.state == "ours":
        return f"{found.path} is there already.\n"
    found.path.parent.mkdir(parents=True, exist_ok=True)
    part = found.path.with_name(f".{found.path.name}.part")
    part.write_text(found.wanted, encoding="utf-8")
    part.replace(found.path)
    return f"{found.path} written. Type /bg <task> in a new session.\n"


def _remove(found: Shortcut) -> str:
    if found.state in {"absent", "foreign"}:
        why = "is not there" if found.state == "absent" else "is not ours and stays"
        return f"{found.path} {why}.\n"
    found.path.unlink()
    return f"{found.path} removed.\n"


def is_shadowed(host: Host) -> bool:
    """The host takes a typed `/bg` for a command of its own."""
    return host.has_its_own_bg and not ours()


def launch_command(host: Host) -> str:
    """What the user types to hand over a task: `/bg` where that is surely ours, else the form that always is."""
    return "/bg" if ours() or (host.version is not None and not host.has_its_own_bg) else "/bg:bg"


def first_words(directory: str, host: Host) -> list[str]:
    """Once for each version that has taken the name: what to type, and how to get `/bg`; none elsewhere."""
    if host.version is None or not is_shadowed(host):
        return []
    name = ".".join(map(str, host.version))
    said = Path(directory) / "said" / f"name-{name}"
    if said.exists():
        return []
    with contextlib.suppress(OSError):
        place.make_private(str(said.parent))
        said.touch(mode=0o600)
    words = f"bg: in Claude Code {name} a plain /bg is the host's own command. Type /bg:bg <task>; for the plain /bg"
    return [f'{words} run once: "{ROOT / "scripts" / "bgctl"}" shortcuts --write']
