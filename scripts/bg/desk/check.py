"""Checks the signal blocks of a text, or a JSON or YAML file against a JSON Schema, for `bgctl check`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from bg import durations, foreign
from bg.desk import packages
from bg.evidence import schemas
from bg.protocol import signals

Outcome = tuple[int, str, str]
MOST = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `bgctl check` takes."""
    parser.description = (
        "Find, decode and validate the signal blocks of a text; with --schema, check a JSON or YAML file against it."
    )
    parser.epilog = "Exit status: 0 all valid, 1 problems or no signal found, 2 usage, or it could not be checked."
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the text; - or nothing is standard input")
    parser.add_argument("--schema", metavar="S", help="a JSON Schema, in JSON or YAML, that the file shall fit")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, what goes to standard output and what to standard error."""
    if given.schema is not None:
        return _against(given.file, given.schema, as_json=given.json)
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


def _against(file: str, schema: str, *, as_json: bool) -> Outcome:
    """A file against a schema; the packages are looked for where the hooks look for them too."""
    texts: list[str] = []
    for name in (file, schema):
        try:
            data = sys.stdin.buffer.read(schemas.LARGEST + 1) if name == "-" else foreign.whole(name, schemas.LARGEST)
            if len(data) > schemas.LARGEST:
                return 2, "", f"bgctl check: cannot read {name}: Larger than {schemas.LARGEST} bytes\n"
            texts.append(data.decode("utf-8-sig"))
        except (OSError, ValueError) as error:
            return 2, "", f"bgctl check: cannot read {name}: {getattr(error, 'strerror', None) or error}\n"
    fit = schemas.Fit(why="jsonschema is missing", missing=True)
    for python, folders in packages.sources():
        if fit.missing:
            names, seconds = (file, schema), durations.SCHEMA
            fit = schemas.check(texts[0], texts[1], names, python, folders, seconds=seconds, most=MOST, values=True)
    problems = [schemas.Problem(fit.line, "", fit.why)] if fit.line else list(fit.problems)
    if fit.why and not fit.line:
        remedy = f"\nremedy: {packages.REMEDY}" if fit.missing else ""
        return 2, "", f"bgctl check: {file} was not checked: {fit.why}{remedy}\n"
    if as_json:
        listed = [each._asdict() for each in problems]
        told = {"file": file, "schema": schema, "valid": not listed, "problems": listed}
        return int(bool(problems)), json.dumps(told, ensure_ascii=False, indent=2) + "\n", ""
    lines = [": ".join(filter(None, (f"{file}:{each.line or 1}", each.path, each.text))) for each in problems]
    lines += [f"{file}: and {fit.total - MOST} more"] if fit.total > MOST else []
    return int(bool(problems)), "\n".join(lines or [f"{file}: fits {schema}"]) + "\n", ""


def described(signal: signals.Signal) -> str:
    """A signal's verdict for people, one line for each thing to know."""
    verdict = "valid" if signal.valid else f"{len(signal.problems)} problem{'s' * (len(signal.problems) > 1)}"
    lines = [f"{signal.marker}, line {signal.line}, from {signal.agent_id or 'nobody'}: {verdict}"]
    lines += [f"  problem: {problem.text}" for problem in signal.problems]
    lines += [f"  repaired: {repair}" for repair in signal.repairs]
    lines += [f"  note: {note}" for note in signal.notes]
    return "\n".join(lines) + "\n"
