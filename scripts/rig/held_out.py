#!/usr/bin/env python3
"""Plays four stories on any versions of the client, with and without an update in the middle, and prints a table.

    scripts/rig/held_out.py 2.1.163 2.1.300     these versions, fetched if they are not installed
    scripts/rig/held_out.py --drawn 4           four versions, drawn by the state of the files that speak to the client
    scripts/rig/held_out.py --remove 2.1.163    removes afterwards every version that it fetched

The stories are in tests/clients/test_held_out.py. Exit status: 0 if all held, 1 if one did not, 2 if a version cannot
be had.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    venv = ROOT / ".venv" / "bin" / "python"
    if sys.prefix != str(venv.parents[1]) and venv.exists():
        os.execv(venv, [str(venv), *sys.argv])  # noqa: S606 (pytest is there)
    sys.path[0] = str(ROOT / "scripts")

from rig import clients, draw, fetching  # noqa: E402 (the package is beside this folder, wherever it was started)
from rig.suite import REQUIRED  # noqa: E402

STORIES = ROOT / "tests" / "clients" / "test_held_out.py"
_ID = re.compile(r"\[(?P<version>[\d.]+)-(?P<story>\w+)-(?P<mode>\w+)-(?P<update>[^\]]+)\]")


class Table:
    """A pytest plugin that keeps how each story went on each version."""

    def __init__(self) -> None:
        self.cells: dict[tuple[str, str, str], dict[str, str]] = {}
        self.broken: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Keep the outcome of one story, which was played or could not be."""
        found = _ID.search(report.nodeid)
        if not found or (report.when != "call" and report.passed):
            return
        key = found["version"], found["mode"], found["update"]
        self.cells.setdefault(key, {})[found["story"]] = _outcome(report)
        if report.failed:
            self.broken.append(f"{' '.join(found.groups())}: {_reason(report)}")
            sys.stdout.write(f"\n{self.broken[-1]}\n")

    def text(self) -> str:
        """The table: a row for each version, mode and update; then the stories that broke."""
        stories = list(dict.fromkeys(story for row in self.cells.values() for story in row))
        head = ["version", "mode", "update", *stories]
        body = [
            [*key, *(row.get(story, "?") for story in stories)] for key, row in sorted(self.cells.items(), key=_order)
        ]
        wide = [max(len(row[place]) for row in [head, *body]) for place in range(len(head))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, wide)).rstrip() for row in [head, *body]]
        return "\n".join([*lines, *(["", *self.broken] if self.broken else [])]) + "\n"


def _order(item: tuple[tuple[str, str, str], Any]) -> tuple[Any, ...]:
    version, mode, update = item[0]
    return clients.numbers(version), mode != "default", update


def _outcome(report: Any) -> str:
    if report.skipped:
        return "-"
    return "BROKEN" if report.failed else dict(report.user_properties).get("how", "held")


def _reason(report: Any) -> str:
    crash = getattr(report.longrepr, "reprcrash", None)
    return " ".join(str(crash.message if crash else report.longrepr).split())[:300]


def main() -> int:
    """Fetch the versions, play the stories, print the table."""
    parser = argparse.ArgumentParser(prog="held_out.py", description="Four stories on any versions of Claude Code.")
    parser.add_argument("versions", nargs="*", metavar="VERSION", help="such as 2.1.163")
    parser.add_argument("--drawn", type=int, default=0, metavar="N", help="this many besides, drawn by the tree")
    parser.add_argument("-n", type=int, default=3, metavar="N", help="so many stories at once (3)")
    parser.add_argument("-k", default="", metavar="WORDS", help="only the stories that pytest's -k selects")
    parser.add_argument("--remove", action="store_true", help="remove afterwards what was fetched for this")
    given = parser.parse_args()
    os.environ["BG_HOSTS"] = str(clients.hosts())
    os.environ[REQUIRED] = "1"
    os.chdir(ROOT)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # so that even then the table so far is printed
    try:
        drawn = draw.pick(fetching.published(), draw.state(ROOT), given.drawn) if given.drawn else []
        versions = list(dict.fromkeys([*given.versions, *drawn]))
        before = [version for version in versions if clients.installed(version)]
        for version in [*versions, *clients.VERSIONS]:
            fetching.install(version)
    except clients.ClientError as error:
        sys.stderr.write(f"held_out: {error}\n")
        return 2
    os.environ[clients.GIVEN] = " ".join(versions)
    code, table = play([f"-n{given.n}", *(["-k", given.k] if given.k else [])])
    sys.stdout.write(f"\n{table.text()}")
    for version in versions if given.remove else []:
        if version not in before and version not in clients.VERSIONS:
            shutil.rmtree(clients.hosts() / version)
    return int(bool(code))


def play(options: list[str]) -> tuple[int, Table]:
    """Play the stories on the given versions; return pytest's exit status, and the table."""
    import pytest  # noqa: PLC0415 - late: the arguments are read without it

    table = Table()
    code = pytest.main([str(STORIES), "-q", "-p", "no:cacheprovider", "--no-summary", "--tb=line", *options], [table])
    return int(code), table


if __name__ == "__main__":
    raise SystemExit(main())
