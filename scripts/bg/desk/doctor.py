"""The doctor: what is wrong with this installation, each finding with its remedy."""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from bg import foreign, machine, settings
from bg.desk import drifts, host_settings, interpreter, page, shortcuts, storage, trials
from bg.desk.findings import Finding, told
from bg.host import tools, versions
from bg.host.versions import Host
from bg.ledger import place
from bg.words import launch_command

Outcome = tuple[int, str, str]
ROOT = Path(__file__).resolve().parents[3]


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl doctor` takes."""
    parser.description = "What is wrong with this installation, and the remedy."
    parser.epilog = "Exit status: 0 nothing is wrong, 1 something is, 2 usage."
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--json", action="store_true", help="print the findings as a JSON list")
    ways.add_argument(
        "--try",
        dest="trial",
        action="store_true",
        help="play launch, question, answer and report on your claude with a scripted model, in a temporary home",
    )
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    if given.trial:
        machine.become(sys.executable, str(ROOT / "scripts" / "demo"), "--try")
    findings = list(examine(client()))
    bad = any(finding.state == "wrong" for finding in findings)
    if given.json:
        return (
            int(bad),
            json.dumps([finding._asdict() for finding in findings], ensure_ascii=False, indent=2) + "\n",
            "",
        )
    return int(bad), told(findings, page.of_stream(sys.stdout)) + "\n", ""


def examine(host: Host) -> Iterator[Finding]:
    """Every finding, in the order in which one would look."""
    yield from _client(host)
    departures, seen = drifts.lately()
    yield from drifts.examine(host, departures, seen)
    yield from _hooks()
    yield from _plugin(host)
    yield from _command(host)
    yield from _words(host)
    python = list(interpreter.the_hooks_own())
    yield from python
    if not any(finding.state == "wrong" for finding in python):
        yield from trials.fire(ROOT, interpreter.noted()[1], drifts.keys_of_last_prompt(seen))
    yield from storage.where_it_is_kept()
    yield from _settings()
    yield _node()


def client() -> Host:
    """What the `claude` in PATH can do."""
    found = machine.find("claude")
    shown = machine.ask([found, "--version"], 20).out if found else ""
    return versions.host_of(versions.version_of(shown.split(" ")[0].strip()))


def _client(host: Host) -> Iterator[Finding]:
    if host.version is None:
        yield Finding(
            "Claude Code",
            "note",
            "no `claude` in PATH, so its version is unknown here",
            "install it, or run this in the shell in which you start it",
        )
        return
    name = ".".join(map(str, host.version))
    if host.version < versions.OLDEST:
        yield Finding(
            "Claude Code",
            "wrong",
            f"{name} is older than 2.1.7, the oldest that the plugin was tried on",
            "claude update",
        )
        return
    who = f"this session, which is not offered {tools.MESSAGE}," if host.lacks_its_way else "this version"
    ways = {
        versions.BY_MESSAGE: f"answers go to the same agent ({tools.MESSAGE.called(host.version)})",
        versions.BY_LAUNCH: f"answers go to the same agent ({tools.resuming(host.version)} resume)",
        versions.NO_WAY: f"{who} cannot wake an ended agent: "
        "a new agent goes on with your answer and the old one's state",
    }
    yield Finding(
        "Claude Code",
        "ok",
        f"{name}; {ways[host.resume_way]}; "
        "questions come as a dialog in a terminal; "
        + (f"reports through {tools.HANDBACK} in auto mode" if host.has_handback else "reports as text"),
    )


def _hooks() -> Iterator[Finding]:
    off = [path for path in host_settings.files() if host_settings.read(path).get("disableAllHooks") is True]
    only = "allowManagedHooksOnly"
    managed = [path for path in host_settings.managed() if host_settings.read(path).get(only) is True]
    for path in off:
        yield Finding(
            "hooks",
            "wrong",
            f"all hooks are disabled by disableAllHooks in {path}",
            f"remove that line from {path}, then restart Claude Code",
        )
    for path in managed:
        yield Finding(
            "hooks", "wrong", f"only managed hooks are allowed by {path}", "ask who manages it to allow this plugin"
        )
    try:
        events = sorted(json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"])
        broken = "" if os.access(ROOT / "hooks" / "run", os.R_OK) else "hooks/run cannot be read"
    except (OSError, ValueError, KeyError, TypeError) as error:
        events, broken = [], f"hooks/hooks.json cannot be read: {error}"
    if broken:
        yield Finding("hooks", "wrong", broken, "install the plugin again")
    elif not off and not managed:
        yield Finding("hooks", "ok", f"{len(events)} events; last call {_last_call()}")


def _last_call() -> str:
    newest = max(
        (
            found.st_mtime
            for folder in map(Path, place.directories())
            for name in foreign.names(folder / "sessions")
            if (found := foreign.about(folder / "sessions" / name))
        ),
        default=0.0,
    )
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(newest)) if newest else "none yet"


def _installed() -> list[str]:
    """The plugin as the host's own record names it; several marketplaces may have brought it."""
    found = host_settings.read(Path(place.config_directory()) / "plugins" / "installed_plugins.json").get("plugins", {})
    return sorted(name for name in found if str(name).split("@")[0] == "bg") if isinstance(found, dict) else []


def _plugin(host: Host) -> Iterator[Finding]:
    names = _installed()
    if len(names) > 1:
        yield Finding(
            "plugin",
            "wrong",
            f"it is installed {len(names)} times, and each copy answers every event: {', '.join(names)}",
            f"keep one: claude plugin uninstall {names[-1]}{' --keep-data' if host.deletes_data else ''}",
        )
    elif names:
        yield Finding("plugin", "ok", f"{names[0]} is installed; this is {ROOT}")
    elif os.environ.get("CLAUDE_PLUGIN_ROOT"):
        yield Finding("plugin", "ok", f"loaded for this session from {ROOT}")
    else:
        yield Finding(
            "plugin",
            "note",
            f"it is not installed in {place.config_directory()}; only --plugin-dir would load it",
            f'claude plugin marketplace add "{ROOT}", then claude plugin install bg@bg',
        )
    found = list(host_settings.examine(names, host, ROOT))
    yield from found
    if host.version is not None and not any(finding.subject == "plugin" for finding in found):
        yield from trials.host_view()


def _command(host: Host) -> Iterator[Finding]:
    write = f'"{ROOT / "scripts" / "bgctl"}" shortcuts'
    shortcut = shortcuts.shortcut()
    if shortcut.state == "foreign":
        yield Finding("/bg", "note", f"{shortcut.path} is yours, so /bg is that", "type /bg:bg <task>")
    elif shortcut.state in {"ours", "old"} and not _installed() and not os.environ.get("CLAUDE_PLUGIN_ROOT"):
        yield Finding(
            "/bg",
            "wrong",
            f"the shortcut {shortcut.path} is there, and the plugin is not: /bg will only say so",
            f"install the plugin, or take the shortcut away: {write} --remove",
        )
    elif shortcut.state == "old":
        yield Finding("/bg", "note", f"the shortcut {shortcut.path} has an earlier text", f"{write} --write")
    elif shortcut.state == "ours":
        yield Finding("/bg", "ok", f"{shortcut.path} gives the literal /bg")
    elif launch_command.is_shadowed(host):
        yield Finding(
            "/bg",
            "note",
            "this version has a /bg of its own, which sends the session to the background",
            f"type /bg:bg <task>; for the plain /bg run once: {write} --write",
        )
    elif host.version is not None and host.version >= versions.OLDEST:
        yield Finding("/bg", "ok", "a plain /bg is the plugin's here")


def _words(host: Host) -> Iterator[Finding]:
    """How what the user types is known to be the user's."""
    if host.version is None:
        return
    if host.names_who_typed:
        found = "this version writes down who typed a prompt or a command"
    elif host.names_starters:
        found = "a command's record does not name who typed it, so a prompt by a way that leaves no mark would count"
    else:
        found = "no record names who typed, so a program that resumes your session is not told apart from you"
    yield Finding("your words", "ok", found)


def _settings() -> Iterator[Finding]:
    for problem in settings.read(str(Path.cwd()))[1]:
        yield Finding("bg.json", "wrong", problem, "correct that line; the other settings hold (docs/settings.md)")


def _node() -> Finding:
    found = machine.find("node")
    if found:
        return Finding("node", "ok", f"{found} (scripts/demo needs it)")
    return Finding(
        "node", "note", "there is no node; only scripts/demo and scripts/test need it", "install Node.js 18 or newer"
    )
