"""The subcommands of bgctl: one table; prints what they answer."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Optional

# The module and its function that adds the arguments to a parser and sets `run`, which answers (exit status,
# output, errors). Only the command that was typed is imported: the host runs `statusline` several times a minute.
COMMANDS: dict[str, tuple[str, str]] = {
    "status": ("desk.look", "status_arguments"),
    "check": ("desk.check", "arguments"),
    "export": ("desk.look", "export_arguments"),
    "merge": ("results.account", "arguments"),
    "doctor": ("desk.doctor", "arguments"),
    "shortcuts": ("desk.shortcuts", "arguments"),
    "statusline": ("desk.statusline", "arguments"),
    "install-packages": ("desk.packages", "arguments"),
}


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Runs one subcommand; 2 for wrong usage."""
    parser = argparse.ArgumentParser(prog="bgctl", description="The bg plugin outside Claude Code.")
    subparsers = parser.add_subparsers(dest="command", required=True)
    words = list(sys.argv[1:] if argv is None else argv)
    for name in words[:1] if words[:1] and words[0] in COMMANDS else COMMANDS:
        module, function = COMMANDS[name]
        getattr(importlib.import_module(f"bg.{module}"), function)(subparsers.add_parser(name))
    try:
        given = parser.parse_args(words)
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
