"""The subcommands of bgctl, in one table, and how their answers are printed."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, Optional

from bg import foreign
from bg.masking import masked
from bg.words.quoting import spelled


class Command(NamedTuple):
    """A subcommand: the module and its function that adds the arguments to a parser and sets `run`, and a summary.

    `run` answers with the exit status, the output and the errors.
    """

    module: str
    function: str
    summary: str


# Only the command that was typed is imported: the host runs `statusline` several times a minute.
COMMANDS: dict[str, Command] = {
    "status": Command("desk.look", "status_arguments", "every task, or one; what `bgctl` alone shows"),
    "report": Command("desk.paging", "arguments", "everything about one task, in a pager"),
    "find": Command("desk.find", "arguments", "the tasks and reports with these words"),
    "inbox": Command("desk.look", "inbox_arguments", "what waits for you, over all projects"),
    "code": Command("desk.code", "arguments", "confirm what was typed, where no record shows that you typed it"),
    "board": Command("desk.board", "arguments", "one page to look at in a browser: every project's tasks"),
    "truth": Command("desk.truth", "arguments", "your own figures: how tasks ended, and what reports were worth"),
    "doctor": Command("desk.doctor", "arguments", "what is wrong with this installation, and the remedy"),
    "check": Command("desk.check", "arguments", "read the signals in a text, or check a file against a schema"),
    "export": Command("desk.look", "export_arguments", "the ledger as JSON lines"),
    "forget": Command("desk.forget", "arguments", "delete tasks that have ended; they are exported first"),
    "merge": Command("desk.merging", "arguments", "combine the results of several agents"),
    "shortcuts": Command("desk.shortcuts", "arguments", "the plain /bg, where Claude Code has taken the name"),
    "statusline": Command("desk.statusline", "arguments", "a segment for Claude Code's statusline"),
    "install-packages": Command("desk.packages", "arguments", "find or fetch PyYAML and jsonschema"),
}
PROGRAM = "bgctl"


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run one subcommand; 2 for wrong usage."""
    words = list(sys.argv[1:] if argv is None else argv) or ["status"]
    parser = _parser(words[0])
    try:
        given = parser.parse_args(words)
    except SystemExit as refused:
        return int(refused.code or 0)
    if sys.stdin is None:  # the process that started this has closed it
        sys.stdin = Path(os.devnull).open(encoding="utf-8")  # noqa: SIM115 - open until the end
    code, out, said = given.run(given)
    is_told = _write(sys.stderr, said)
    is_shown = all(_write(sys.stdout, text) for text in ([out] if isinstance(out, str) else out))
    return int(code) if is_told and is_shown else int(code) or 1


def _parser(first: str) -> argparse.ArgumentParser:
    """The parser of the subcommand that is typed, or of all if none is, as for `--help`."""
    parser = argparse.ArgumentParser(
        prog=PROGRAM,
        description="The bg plugin outside Claude Code. Without a command it shows the table of tasks.",
        epilog=f"`{PROGRAM} COMMAND --help` says more of each.",
    )
    parser.add_argument("--version", action="version", version=_version())
    subparsers = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    if first not in COMMANDS:
        for name, command in COMMANDS.items():
            subparsers.add_parser(name, help=command.summary)
        return parser
    typed = COMMANDS[first]
    module = importlib.import_module(f"bg.{typed.module}")
    getattr(module, typed.function)(subparsers.add_parser(first, help=typed.summary))
    return parser


def _version() -> str:
    """The plugin's version and the folder of this copy: there may be several."""
    root = Path(__file__).resolve().parents[3]
    try:
        manifest = foreign.loads(foreign.whole(root / ".claude-plugin" / "plugin.json", 65536))
    except (OSError, ValueError):
        manifest = None
    number = manifest.get("version") if isinstance(manifest, dict) else None
    return f"bg {number or 'of an unknown version'} in {root}"


def _write(stream: Optional[object], text: str) -> bool:
    """Print in UTF-8 in any locale, and tell whether that succeeded; a reader that has gone away is no error."""
    if stream is None or not text:  # the stream was closed before this began
        return True
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        print(spelled(masked(text)), end="", file=stream, flush=True)  # type: ignore[call-overload]
    except OSError as error:
        _silence(stream)
        if isinstance(error, BrokenPipeError):
            return True
        if stream is not sys.stderr:
            _write(sys.stderr, f"{PROGRAM}: what it has to say could not be written: {error.strerror}\n")
        return False
    return True


def _silence(stream: object) -> None:
    """Send the unwritten rest of a broken stream to nowhere: Python would try to write it again when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())  # type: ignore[attr-defined]
    os.close(nowhere)
