"""Checks the signal blocks of a text for `bgctl check`; imports signals only."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bg.protocol import signals

Outcome = tuple[int, str, str]


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl check` takes."""
    parser.description = "Find, decode and validate the signal blocks of a text."
    parser.epilog = "Exit status: 0 all valid, 1 problems or no signal found, 2 usage."
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the text; - or nothing is standard input")
    parser.add_argument("--json", action="store_true", help="print the signals as a JSON list")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    try:
        raw = sys.stdin.buffer.read() if given.file == "-" else Path(given.file).read_bytes()
    except (OSError, ValueError) as error:
        return 2, "", f"bgctl check: cannot read {given.file}: {getattr(error, 'strerror', None) or error}\n"
    said = ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", errors="replace")
        said = f"bgctl check: the input is not UTF-8 (byte {error.start}); unreadable bytes were replaced\n"
    reading = signals.read(text)
    said += "".join(f"bgctl check: {note}\n" for note in reading.notes)
    if not reading.signals:
        said += "bgctl check: no signal found\n"
    if given.json:
        out = json.dumps([signals.to_json(signal) for signal in reading.signals], ensure_ascii=False, indent=2) + "\n"
    else:
        out = "".join(map(described, reading.signals))
    valid = bool(reading.signals) and all(signal.valid for signal in reading.signals)
    return (0 if valid else 1), out, said


def described(signal: signals.Signal) -> str:
    """A signal's verdict for people, one line for each thing to know."""
    verdict = "valid" if signal.valid else f"{len(signal.problems)} problem{'s' * (len(signal.problems) > 1)}"
    lines = [f"{signal.marker}, line {signal.line}, from {signal.agent_id or 'nobody'}: {verdict}"]
    lines += [f"  problem: {problem.text}" for problem in signal.problems]
    lines += [f"  repaired: {repair}" for repair in signal.repairs]
    lines += [f"  note: {note}" for note in signal.notes]
    return "\n".join(lines) + "\n"
