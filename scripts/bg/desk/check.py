"""Checks, for `bgctl check`: the signal blocks of a text, or a JSON or YAML file against a JSON Schema."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path

from bg import durations, foreign
from bg.desk import packages
from bg.evidence import schemas
from bg.protocol import signals

Outcome = tuple[int, str, str]
MOST = 100


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl check`."""
    parser.description = (
        "Find, decode and validate the signal blocks of a text; with --schema, check a JSON or YAML file against it."
    )
    parser.epilog = "Exit status: 0 all valid, 1 problems or no signal found, 2 usage, or it could not be checked."
    parser.add_argument("file", metavar="FILE", nargs="?", default="-", help="the text; - or nothing is standard input")
    parser.add_argument("--schema", metavar="S", help="a JSON Schema, in JSON or YAML, that the file shall fit")
    parser.add_argument("--json", action="store_true", help="print what was found as JSON")
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    try:
        if given.schema is not None:
            return _against(given.file, given.schema, as_json=given.json)
        return _of_signals(given.file, as_json=given.json)
    except _UnreadableError as error:
        return 2, "", f"bgctl check: cannot read {error}\n"


class _UnreadableError(Exception):
    """A file that cannot be read, and why."""


@contextlib.contextmanager
def _reading(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError) as error:
        raise _UnreadableError(f"{name}: {getattr(error, 'strerror', None) or error}") from error


def _of_signals(file: str, *, as_json: bool) -> Outcome:
    """Check the signals of a text."""
    with _reading(file):
        raw = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    said = ""
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        text = raw.decode("utf-8", errors="replace")
        said = f"bgctl check: the input is not UTF-8 (byte {error.start}); unreadable bytes were replaced\n"
    reading = signals.read(text)
    said += "".join(f"bgctl check: {note}\n" for note in reading.notes)
    if not reading.signals:
        return 1, "[]\n" if as_json else "", f"{said}bgctl check: no signal found\n"
    code = int(not all(signal.valid for signal in reading.signals))
    if as_json:
        return (
            code,
            json.dumps(list(map(signals.as_json_object, reading.signals)), ensure_ascii=False, indent=2) + "\n",
            said,
        )
    return code, "".join(map(described, reading.signals)), said


def described(signal: signals.Signal) -> str:
    """The verdict on a signal, for people: one line for each thing to know."""
    verdict = "valid" if signal.valid else f"{len(signal.problems)} problem{'s' * (len(signal.problems) > 1)}"
    lines = [f"{signal.marker}, line {signal.line}, from {signal.agent_id or 'nobody'}: {verdict}"]
    lines += [f"  problem: {problem.text}" for problem in signal.problems]
    lines += [f"  repaired: {repair}" for repair in signal.repairs]
    lines += [f"  note: {note}" for note in signal.notes]
    return "\n".join(lines) + "\n"


def _against(file: str, schema: str, *, as_json: bool) -> Outcome:
    """Check a file against a schema."""
    fit = _fit(file, schema)
    if fit.why and not fit.line:
        remedy = f"\nremedy: {packages.REMEDY}" if fit.missing else ""
        return 2, "", f"bgctl check: {file} was not checked: {fit.why}{remedy}\n"
    problems = [schemas.Problem(fit.line, "", fit.why)] if fit.line else list(fit.problems)
    code = int(bool(problems))
    if as_json:
        listed = [each._asdict() for each in problems]
        told = {"file": file, "schema": schema, "valid": not listed, "problems": listed}
        return code, json.dumps(told, ensure_ascii=False, indent=2) + "\n", ""
    lines = [": ".join(filter(None, (f"{file}:{each.line or 1}", each.path, each.text))) for each in problems]
    lines += [f"{file}: and {fit.total - MOST} more"] if fit.total > MOST else []
    return code, "\n".join(lines or [f"{file}: fits {schema}"]) + "\n", ""


def _fit(file: str, schema: str) -> schemas.Fit:
    """Whether the file fits; the packages are looked for where the hooks look for them too."""
    text, against = _text(file), _text(schema)
    fit = schemas.Fit(why="jsonschema is missing", missing=True)
    for python, folders in packages.sources():
        names, seconds = (file, schema), durations.SCHEMA
        fit = schemas.check(text, against, names, python, folders, seconds=seconds, most=MOST, values=True)
        if not fit.missing:
            break
    return fit


def _text(name: str) -> str:
    """The text of a file, or of standard input, that is not too large to be checked."""
    with _reading(name):
        data = sys.stdin.buffer.read(schemas.LARGEST + 1) if name == "-" else foreign.whole(name, schemas.LARGEST)
        if len(data) > schemas.LARGEST:
            raise ValueError(f"Larger than {schemas.LARGEST} bytes")
        return data.decode("utf-8-sig")
