"""`bgctl merge`: the results of several agents as one account, laid out on a terminal, else as markdown.

It exits with 0 when everything was read, 1 when something was unreadable (a file, a line, a text without the contract's
form), 2 for wrong usage. Conflicts are results, not failures.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
from collections.abc import Iterator

from bg.desk import page
from bg.desk.page import Page
from bg.results import account, intake
from bg.results.merge import merge

_BULLET = re.compile(r" *- ")
_STATUSES = {"Status: SUCCESS": "good", "Status: PARTIAL": "needs", "Status: FAILED": "bad"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl merge`."""
    parser.description = "Combine results and JSONL findings of several agents."
    parser.epilog = "Exit status: 0 merged; 1 a file that cannot be read; 2 usage."
    parser.add_argument("files", nargs="+", metavar="FILE", help="a result or JSONL findings; - reads standard input")
    parser.add_argument("--json", action="store_true", help="the whole account as one JSON object")
    weight_help = "the weight of an agent type's confidence (1 unless given)"
    parser.add_argument("--weight", action="append", default=[], type=_weight, metavar="TYPE=NUMBER", help=weight_help)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> tuple[int, str, str]:
    """The exit status, the standard output and the standard error."""
    merged = merge(intake.read(given.files), dict(given.weight))
    if given.json:
        shown = json.dumps(account.document(merged), indent=2) + "\n"
    else:
        shown = account.text(merged)
        if page.is_terminal(sys.stdout):
            shown = laid_out(page.of_stream(sys.stdout), shown)
    return int(bool(merged.unreadable)), shown, ""


def laid_out(sheet: Page, text: str) -> str:
    """The account with its lines wrapped to the page; the agents' words stay framed in every line."""
    return "".join(f"{line}\n" for row in text.splitlines() for line in _lines(sheet, row))


def _lines(sheet: Page, row: str) -> Iterator[str]:
    bullet = _BULLET.match(row)
    if row.startswith(">"):
        yield from sheet.framed(row[1:].removeprefix(" "), "quiet")
    elif bullet:
        style = "bad" if row.startswith("conflict, ", bullet.end()) else ""
        yield from sheet.wrapped(row.lstrip(), style, indent=bullet.end(), first=bullet.end() - 2)
    elif row.startswith("#"):
        yield from sheet.wrapped(row.lstrip("# "), "heading")
    else:
        yield from sheet.wrapped(row, next((_STATUSES[each] for each in _STATUSES if row.startswith(each)), ""))


def _weight(stated: str) -> tuple[str, float]:
    name, _, value = stated.partition("=")
    weight = float(value)
    if not name or not math.isfinite(weight) or weight < 0:
        raise argparse.ArgumentTypeError(stated)
    return name, weight
