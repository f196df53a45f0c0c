"""The doctor: everything that is wrong with this installation, each finding with its remedy.

It looks at Claude Code, its settings and the plugin, and asks the host for its view; then at Python, with which it
tries one real hook; then at the folder of the ledger.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import functools
import json
import os
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Union

from bg import durations, foreign, machine, settings
from bg.desk import drifts, packages, page, shortcuts
from bg.desk.findings import Finding, told
from bg.host import agents, permissions, tools, transcripts, versions
from bg.host.versions import Host
from bg.ledger import aside, attempts, erasing, notes, place, proofs, sessions, spool, tasks
from bg.ledger.aside import kept_aside
from bg.ledger.file import Ledger, Unavailable
from bg.ledger.opening import UPDATE
from bg.words import launch_command, phrases
from bg.words.quoting import inline

Outcome = tuple[int, str, str]
ROOT = Path(__file__).resolve().parents[3]
BGCTL = ROOT / "scripts" / "bgctl"
LOW_SPACE = 20 * 1024 * 1024
LARGEST = 4 * 1024 * 1024  # bytes of a settings file
MOST_KEPT = 9
AGAIN = (
    "claude plugin update bg@bg, or install it again: claude plugin uninstall bg@bg --keep-data, "
    "then claude plugin install bg@bg"
)
AFTER_A_DAY = "nothing to do: it is forgotten when it comes to an end, or after a day"
_EVENT = {"session_id": "doctor", "transcript_path": "", "hook_event_name": "UserPromptSubmit", "prompt": "/bg-status"}
_SKILLS = re.compile(r"(?:bg:)?bg(?:-status|-answer)?(?::?\*)?$|\*$|bg:\*$")  # the plugin's skills, as rules name them


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl doctor`."""
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
    """The exit status, the standard output and the standard error."""
    if given.trial:
        machine.become(sys.executable, str(ROOT / "scripts" / "demo"), "--try")
    findings = list(examine(_client()))
    bad = any(finding.state == "wrong" for finding in findings)
    if given.json:
        listed = [finding._asdict() for finding in findings]
        return int(bad), json.dumps(listed, ensure_ascii=False, indent=2) + "\n", ""
    return int(bad), told(findings, page.of_stream(sys.stdout)) + "\n", ""


def examine(host: Host) -> Iterator[Finding]:
    """Every finding, in the order in which a person would look."""
    yield from _claude_code(host)
    departures, seen = drifts.lately()
    yield from drifts.examine(host, departures, seen)
    yield from _hooks()
    yield from _plugin(host)
    yield from _command(host)
    yield from _words(host)
    python = list(_python())
    yield from python
    if not any(finding.state == "wrong" for finding in python):
        yield from _trial(_noted()[1], drifts.keys_of_last_prompt(seen))
    yield from _data()
    yield from _settings()
    yield _node()


# Claude Code


def _client() -> Host:
    """The version and abilities of the `claude` in PATH."""
    found = machine.find("claude")
    shown = machine.run_program([found, "--version"], 20).out if found else ""
    return versions.host_of(versions.version_of(shown.split(" ")[0].strip()))


def _claude_code(host: Host) -> Iterator[Finding]:
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
    who = (
        f"this session, which is not offered {tools.MESSAGE.called(host.version)},"
        if host.lacks_its_way
        else "this version"
    )
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


# Its hooks


def _hooks() -> Iterator[Finding]:
    off = _setting("disableAllHooks", _settings_files())
    managed = _setting("allowManagedHooksOnly", _managed_files())
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
        yield Finding("hooks", "ok", f"{len(events)} events; last call {_last_hook_time()}")


def _setting(name: str, files: list[Path]) -> list[Path]:
    """The files that set this to true."""
    return [path for path in files if _read(path).get(name) is True]


def _last_hook_time() -> str:
    """The time at which a hook last noted a session."""
    newest = max(
        (
            found.st_mtime
            for folder in map(Path, place.directories())
            for name in foreign.names(folder / "sessions")
            if (found := foreign.stat_of(folder / "sessions" / name))
        ),
        default=0.0,
    )
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(newest)) if newest else "none yet"


# The plugin, and the settings that stop it


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
    found = [*_unreadable(), *_disabled(names), *_moved(names, host), *_denied(), *_data_in_one_place()]
    yield from found
    if host.version is not None and not any(finding.subject == "plugin" for finding in found):
        yield from _host_view()


def _installed() -> list[str]:
    """The plugin's names in the host's own record; several marketplaces may have brought it."""
    found = _read(Path(place.config_directory()) / "plugins" / "installed_plugins.json").get("plugins", {})
    return sorted(name for name in found if str(name).split("@")[0] == "bg") if isinstance(found, dict) else []


def _unreadable() -> Iterator[Finding]:
    for path in _settings_files():
        if not path.is_file():
            continue
        try:
            value = foreign.loads(foreign.whole(path, LARGEST))
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


def _disabled(names: list[str]) -> Iterator[Finding]:
    for name in names:
        said = [(path, _part(path, "enabledPlugins").get(name)) for path in _settings_files()]
        path, enabled = next((each for each in reversed(said) if each[1] is not None), (_settings_files()[0], True))
        if enabled is False:
            remedy = f"claude plugin enable {name}" if path == _settings_files()[0] else f"take its line out of {path}"
            yield Finding("plugin", "wrong", f"{name} is installed but disabled in {path}", remedy)


def _moved(names: list[str], host: Host) -> Iterator[Finding]:
    """Find each marketplace whose folder is gone; the host reads it from that folder, and new hosts the plugin too."""
    config = Path(place.config_directory())
    known = _read(config / "plugins" / "known_marketplaces.json")
    is_clone = config not in ROOT.parents and (ROOT / ".claude-plugin" / "marketplace.json").is_file()
    where_now = f'"{ROOT}"' if is_clone else "<where it is now>"
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
                # On this host, removing the marketplace first would delete the tasks with it.
                add
                if host.deletes_data
                else f"claude plugin marketplace remove {market}, then {add} and claude plugin install bg@{market}",
            )


def _denied() -> Iterator[Finding]:
    for path in _settings_files():
        rules = _part(path, "permissions").get("deny")
        for rule in rules if isinstance(rules, list) else []:
            what = _stopped_by(str(rule))
            if what:
                remedy = f"take {rule} out of permissions.deny there"
                yield Finding("permissions", "wrong", f"{path} denies {rule}: {what}", remedy)


def _stopped_by(rule: str) -> str:
    """The part of the plugin that a rule stops by denying a tool, in words; empty if it stops none."""
    tool, _, inside = rule.partition("(")
    inside = inside.rstrip(")").strip()
    if tool in tools.SKILL.names and (not inside or _SKILLS.match(inside)):
        return "the commands cannot run"
    is_ours = inside in ("", "*") or inside.startswith("bg:")
    return (
        "no agent can be launched or answered" if is_ours and tool in tools.LAUNCH.names + tools.MESSAGE.names else ""
    )


def _data_in_one_place() -> Iterator[Finding]:
    """Whether the hooks, by the settings, and bgctl, by this shell, use the same ledger."""
    given = [(path, _part(path, "env")["BG_DATA"]) for path in _settings_files() if "BG_DATA" in _part(path, "env")]
    here = os.environ.get("BG_DATA", "")
    path, there = given[-1] if given else (_settings_files()[0], "")
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


def _host_view() -> Iterator[Finding]:
    """The errors of the plugin that `claude plugin list` names."""
    for entry in _listed():
        name, errors = str(entry.get("id", "")), entry.get("errors")
        if name.partition("@")[0] == "bg" and isinstance(errors, list):
            for error in errors:
                yield Finding("plugin", "wrong", f"Claude Code says of {name}: {inline(str(error), 300)}", AGAIN)


def _listed() -> list[dict[str, Any]]:
    """The plugins that `claude plugin list` names; none if the host does not have this command."""
    program = machine.find("claude")
    asked = machine.run_program([program, "plugin", "list", "--json"], durations.TRIAL) if program else None
    if asked is None or asked.code != 0:
        return []
    try:
        listed = foreign.loads(asked.out)
    except ValueError:
        return []
    return [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []


# The commands that the user types


def _command(host: Host) -> Iterator[Finding]:
    write = f'"{BGCTL}" shortcuts'
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
    """How this version shows that the user has typed something."""
    if host.version is None:
        return
    if host.names_who_typed:
        found = "this version writes down who typed a prompt or a command"
    elif host.names_starters:
        found = "a command's record does not name who typed it, so a prompt by a way that leaves no mark would count"
    else:
        found = "no record names who typed, so a program that resumes your session is not told apart from you"
    yield Finding("your words", "ok", found)


# Python


def _python() -> Iterator[Finding]:
    """Whether the interpreter that the hooks use starts, is new enough, and has the packages."""
    note, chosen = _noted()
    if chosen and not os.access(chosen, os.X_OK):
        yield Finding("python", "wrong", f"the interpreter noted in {note} is gone: {chosen}", f"rm {note}")
        return
    if chosen and machine.python(chosen, "-S", "-c", "pass", seconds=durations.PROBING).code:
        why = f"the interpreter noted in {note} does not start: {chosen}; the next hook looks for another one"
        yield Finding("python", "wrong", why, f"rm {note}")
        return
    old = _too_old(chosen)
    if old:
        yield Finding("python", "wrong", f"bg needs Python 3.9 or newer; found {old} at {chosen}", f"rm {note}")
        return
    if packages.usable(chosen):
        yield Finding("python", "ok", f"{chosen} with PyYAML and jsonschema")
        return
    yield Finding(
        "python",
        "note",
        f"{chosen or 'the system python3'} lacks PyYAML or jsonschema; YAML and schemas are not checked",
        packages.REMEDY,
    )


def _noted() -> tuple[Path, str]:
    """The file that notes the hooks' interpreter, and the interpreter that it names, if any."""
    note = Path(place.interpreter_note(place.directory_of_hooks()))
    return note, note.read_text(encoding="utf-8").strip() if note.is_file() else ""


def _too_old(interpreter: str) -> str:
    """The version of an interpreter that cannot run the hooks; empty for one that can, or that does not say."""
    ask = "import sys; sys.stdout.write('' if sys.version_info >= (3, 9) else '%d.%d' % tuple(sys.version_info[:2]))"
    if not interpreter:
        return ""
    return machine.python(interpreter, "-c", ask, seconds=durations.PROBING).out


# A hook, tried


def _trial(interpreter: str, keys: str) -> Iterator[Finding]:
    """Play one prompt through hooks/run, as the host would send it, with a data directory of its own.

    `keys` are those of the last prompt that the host has really handed over: the prompt that is played has just these.
    """
    like = " with the keys of your last prompt" if keys else ""
    with tempfile.TemporaryDirectory(prefix="bg-doctor-") as folder:
        data = Path(folder)
        if interpreter:
            (data / "python").write_text(f"{interpreter}\n", encoding="utf-8")
        # BG_DATA comes before every other place, so the user's own data are left alone.
        told = {"BG_DATA": folder, "CLAUDE_PLUGIN_DATA": "", "CLAUDE_CODE_ENTRYPOINT": "cli", "NO_COLOR": "1"}
        known = {**_EVENT, "cwd": folder}
        event = {key: known.get(key, "/bg-status") for key in keys.split()} if keys else known
        payload = json.dumps(event, separators=(",", ":")).encode()
        done = machine.run_program(["/bin/sh", str(ROOT / "hooks" / "run")], durations.TRIAL, payload, told)
        out, said = done.out, done.said[len(done.out) :]
        for log in map(Path, spool.log_files(folder)):
            with contextlib.suppress(OSError):
                said += log.read_text(encoding="utf-8", errors="replace")
        wrong = _judged(out, said)
    if wrong:
        yield Finding(
            "trial", "wrong", f"a hook that was tried{like} did not answer as it must: {wrong}", _remedy(wrong)
        )
    else:
        yield Finding("trial", "ok", f"a hook was tried{like}, and answered as it must")


def _judged(out: str, said: str) -> str:
    """The fault in a hook's answer to /bg-status in an empty ledger; empty if it has none."""
    answer = _object(out)
    if "No background tasks here" in str(answer.get("reason")):
        return ""
    words = answer.get("reason") or answer.get("systemMessage") or said or out or "it said nothing"
    lines = [line.strip() for line in str(words).splitlines() if line.strip()]
    where = [line.strip() for line in said.splitlines() if line.strip().startswith("File ")][-1:]
    return inline(" ".join([*lines[-1:], *where]), 400)


def _remedy(wrong: str) -> str:
    if "Python 3.9" in wrong:
        return "install Python 3.9 or newer, so that it is the python3 in PATH"
    return AGAIN


# Where the ledger is kept


def _data() -> Iterator[Finding]:
    """Look at the folder of the ledger, at the events that wait in it, and at each ledger."""
    folder = Path(place.directory_of_hooks())
    for unused, why in place.passed_over().items():
        remedy = f"look at what is in it, make it yours alone with an absolute path, or take it away; {folder} is used"
        yield Finding("data", "wrong", f"{unused} is not used: {why}", remedy)
    try:
        place.make_private(str(folder))
        trial = folder / f".doctor-{os.getpid()}"
        trial.write_bytes(b"x" * 4096)
        trial.unlink()
    except OSError as error:
        full = error.errno in {errno.ENOSPC, errno.EDQUOT}
        yield Finding(
            "data",
            "wrong",
            f"{folder} cannot be written: {error.strerror}",
            "free some space on that disk"
            if full
            else f"make {folder} writable, or set BG_DATA to a directory that is",
        )
        yield from _put_off(folder, "they are taken in as soon as the ledger can be written")
        return
    yield from _open_to_others(folder)
    free = shutil.disk_usage(folder).free
    if free < LOW_SPACE:
        yield Finding(
            "data", "wrong", f"only {free // 1024} KB are left on the disk of {folder}", "free some space on that disk"
        )
    yield from _put_off(folder, "they are taken in by the next hook")
    for path in (Path(each) / place.LEDGER for each in place.directories()):
        if path.is_dir():
            yield Finding(
                "ledger", "wrong", f"{path} is a folder, so no ledger can be kept there", f'mv "{path}" "{path}.aside"'
            )
    ledgers = place.existing()
    if not ledgers:
        yield Finding("ledger", "ok", f"none yet; it will stand in {folder}")
    for found in ledgers:
        yield from _ledger(Path(found))


def _open_to_others(folder: Path) -> Iterator[Finding]:
    """Find files that others can write: `hooks/run` executes nothing from there, although it uses the ledger."""
    for path in (folder, Path(place.interpreter_note(str(folder)))):
        with contextlib.suppress(OSError):
            mode = path.stat().st_mode
            if mode & 0o022:
                who = "every user" if mode & 0o002 else "its group"
                found = f"{path} can be written by {who}, so no interpreter is noted there and each event looks for one"
                yield Finding("data", "note", found, f'chmod go-w "{path}"')


def _put_off(folder: Path, remedy: str) -> Iterator[Finding]:
    """Find the events that hooks could not write into the ledger and that wait, and the reasons."""
    waiting = spool.waiting(str(folder), time.time())
    if waiting:
        yield Finding("spool", "note", f"{len(waiting)} events wait to be taken in", remedy)
    for what in attempts.passed_over(str(folder), time.time(), transcripts.is_interrupted):
        yield Finding("hook error", "wrong", f"{inline(what, 200)}: {phrases.HAS_ENDED_HOOKS}", AFTER_A_DAY)
    for path in map(Path, spool.log_files(str(folder))):
        with contextlib.suppress(OSError):
            lines = path.read_text(encoding="utf-8", errors="replace").strip().splitlines()
            if lines and time.time() - path.stat().st_mtime < durations.DAY:
                yield Finding("hook error", "note", f"the last: {inline(lines[-1], 300)}", f"all of them: {path}")


def _ledger(folder: Path) -> Iterator[Finding]:
    for path in kept_aside(str(folder)):
        yield Finding(
            "ledger", "note", f"an unreadable ledger was kept at {path}", "delete it when you no longer need it"
        )
    damage = aside.damage(str(folder))
    if damage:
        yield Finding(
            "ledger",
            "wrong",
            f"{folder / place.LEDGER} is damaged: {damage}",
            "nothing to do: the next hook keeps it aside and begins a new one",
        )
        return
    try:
        book = Ledger(folder, create=False)
    except Unavailable as error:
        remedy = error.remedy or "run this again when no other process holds it"
        yield Finding("ledger", "wrong", error.reason, remedy)
        return
    for label in erasing.due(str(folder)):
        yield Finding(
            "erasing",
            "note",
            f"{label} is deleted, but not yet erased in {folder}",
            f"the next event of a session with tasks finishes it, or bgctl forget {label} --erase, which says why",
        )
    with contextlib.closing(book):
        yield from _in_ledger(book)


def _in_ledger(book: Ledger) -> Iterator[Finding]:
    """Find the contents of the ledger that somebody should know about."""
    count = tasks.count(book)
    yield Finding("ledger", "ok", f"{book.path}: {count} tasks")
    if book.is_newer:
        found = "a newer version of the bg plugin has brought it up to date; this one can still write it"
        yield Finding("ledger", "note", found, UPDATE)
    for row in notes.errors(book, book.now() - durations.DAY)[:3]:
        when = time.strftime("%H:%M", time.localtime(row.at))
        yield Finding(
            "hook error",
            "wrong",
            f"{when} in {row.event}: {row.text.strip().splitlines()[-1][:200]}",
            f"the whole trace: {notes.whole_trace(book, row)}",
        )
    for origin in sorted({row.origin for row in proofs.kept(book, book.now() - durations.DAY, MOST_KEPT)}):
        found = f"what was typed is kept and has no effect yet: {origin}"
        yield Finding("your words", "wrong", found, f'in a terminal of your own: "{BGCTL}" code')
    for task in tasks.with_open_agent(book):
        spoken = sessions.transcript(book, task.session)
        path = agents.of_agent(spoken, task.agent)
        risk = versions.near_limit(path, functools.partial(versions.of_session, spoken))
        if risk:
            yield Finding(
                "resume",
                "note",
                f"{task.label}: {risk}",
                "answer it soon, or let it be relaunched with its state",
            )


# Settings files and node


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


# The files of settings


def _settings_files() -> list[Path]:
    """Every file that the host reads settings from, the stronger ones later; the managed ones are the strongest."""
    here = Path.cwd() / ".claude"
    user = Path(place.config_directory()) / "settings.json"
    return [user, here / "settings.json", here / "settings.local.json", *_managed_files()]


def _managed_files() -> list[Path]:
    """The files that only an administrator writes."""
    return [Path(folder, "managed-settings.json") for folder in permissions.MANAGED]


def _part(path: Path, name: str) -> dict[str, Any]:
    found = _read(path).get(name)
    return found if isinstance(found, dict) else {}


def _read(path: Path) -> dict[str, Any]:
    """The JSON object in a file; empty if none can be read."""
    try:
        return _object(foreign.whole(path, LARGEST))
    except (OSError, ValueError):
        return {}


def _object(text: Union[str, bytes]) -> dict[str, Any]:
    """The JSON object in a text; empty if the text is none."""
    try:
        data = foreign.loads(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
