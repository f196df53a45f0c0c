"""The subcommands of bgctl: one table; prints what they answer."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from typing import Callable, Optional

from bg import account, check, doctor, look, packages, shortcuts, statusline

# Each entry adds its arguments to a parser and sets `run`, which answers (exit status, output, errors).
COMMANDS: dict[str, Callable[[argparse.ArgumentParser], None]] = {
    "status": look.status_arguments,
    "check": check.arguments,
    "export": look.export_arguments,
    "merge": account.arguments,
    "doctor": doctor.arguments,
    "shortcuts": shortcuts.arguments,
    "statusline": statusline.arguments,
    "install-packages": packages.arguments,
}


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs one subcommand; 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="bgctl", description="The bg plugin outside Claude Code.")
    subparsers = parser.add_subparsers(dest="command", required=True)
    for name, add in COMMANDS.items():
        add(subparsers.add_parser(name))
    try:
        given = parser.parse_args(argv)
    except SystemExit as refused:
        return int(refused.code or 0)
    code, out, said = given.run(given)
    _write(sys.stderr, said)
    _write(sys.stdout, out)
    return int(code)


def _write(stream: object, text: str) -> None:
    """Prints in UTF-8 whatever the locale says; a reader that went away is no error."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        print(text, end="", file=stream, flush=True)  # type: ignore[call-overload]
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
