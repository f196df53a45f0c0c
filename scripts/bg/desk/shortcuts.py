"""Shortcuts: the literal `/bg` on a host that has taken the name, and the advice to the user until then.

The file that gives the name back is the plugin's command with other advice, as only a plugin's file can name the
plugin's folder. It is written on request, and no file that is not ours is ever touched.
"""

from __future__ import annotations

import argparse
import contextlib
from pathlib import Path

from bg.host.versions import Host
from bg.ledger import place
from bg.record import Record
from bg.words import launch_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Optional

Outcome = tuple[int, str, str]
ROOT = Path(__file__).resolve().parents[3]
_ADVICE = "tell the user to run `${CLAUDE_PLUGIN_ROOT}/scripts/bgctl doctor`"
_OWN_ADVICE = (
    "tell the user that `claude plugin list` shows whether the bg plugin is installed and enabled, that settings can "
    "turn all hooks off, and that this shortcut is the file `{path}`, to be deleted where the plugin is gone"
)


class Shortcut(Record):
    """A command file of the user: its path, the text that it should have, and the text that is there now."""

    path: Path
    wanted: str
    there: Optional[str]

    @property
    def state(self) -> str:
        """`absent`, `ours`, `old` (ours, with an earlier text) or `foreign`."""
        if self.there is None:
            return "absent"
        if launch_command.MARK not in self.there:
            return "foreign"
        return "ours" if self.there == self.wanted else "old"


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl shortcuts`."""
    parser.description = (
        "Give the literal /bg back on hosts with a command of that name. Without an option: show what would be written."
    )
    parser.epilog = "Exit status: 0 done or nothing to do; 1 a file that is not ours, or cannot be written; 2 usage."
    choice = parser.add_mutually_exclusive_group()
    choice.add_argument("--write", action="store_true", help="write the files")
    choice.add_argument("--remove", action="store_true", help="remove the files that this has written")
    parser.set_defaults(run=run)


def shortcut() -> Shortcut:
    """The shortcut, with the text that is in its place now."""
    path = Path(launch_command.shortcut())
    there: Optional[str] = None
    if path.exists() or path.is_symlink():
        there = ""
        with contextlib.suppress(OSError, ValueError):
            there = path.read_text(encoding="utf-8")
    return Shortcut(path, _text(path), there)


def _text(path: Path) -> str:
    """The plugin's own command, with the advice for a file outside the plugin."""
    command = (ROOT / "commands" / path.name).read_text(encoding="utf-8")
    head, body = command.split("\n---\n", 1)
    return f"{head}\n---\n{launch_command.MARK}\n{body.replace(_ADVICE, _OWN_ADVICE.format(path=path))}"


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    act = _write if given.write else _remove if given.remove else _show
    found = shortcut()
    if found.state == "foreign" and not given.remove:
        said = f"bgctl: {found.path} is there and not ours; it stays as it is. /bg:bg works without it.\n"
        return 1, "", said
    try:
        return 0, act(found), ""
    except OSError as error:
        return 1, "", f"bgctl: {found.path}: {error.strerror or error}\n"


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


def first_words(directory: str, host: Host) -> list[str]:
    """The advice on `/bg`, as lines: once for each version that has taken the name, and none on other hosts."""
    if host.version is None or not launch_command.is_shadowed(host):
        return []
    name = ".".join(map(str, host.version))
    said = Path(directory) / "said" / f"name-{name}"
    if said.exists():
        return []
    with contextlib.suppress(OSError):
        place.make_private(str(said.parent))
        said.touch(mode=0o600)
    words = f"bg: in Claude Code {name} a plain /bg is Claude Code's own command. Type /bg:bg <task>; for the plain /bg"
    return [f'{words} run once: "{ROOT / "scripts" / "bgctl"}" shortcuts --write']
