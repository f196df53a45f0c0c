"""`bgctl merge FILE… [--json] [--weight TYPE=NUMBER]`: the results and findings of several agents as one account.

It exits with 0 when everything was read, 1 when something was unreadable (a file, a line, a text without the contract's
form), 2 for wrong usage. Conflicts are results, not failures.
"""

from __future__ import annotations

import argparse
import json
import math

from bg.results import account, intake
from bg.results.merge import merge


def arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of `bgctl merge`."""
    parser.description = "Combine results and JSONL findings of several agents."
    parser.epilog = "Exit status: 0 merged; 1 a file that cannot be read; 2 usage."
    parser.add_argument("files", nargs="+", metavar="FILE", help="a result or JSONL findings; - reads standard input")
    parser.add_argument("--json", action="store_true", help="the whole account as one JSON object")
    weight_help = "the weight of an agent type's confidence (1 unless given)"
    parser.add_argument("--weight", action="append", default=[], type=_weight, metavar="TYPE=NUMBER", help=weight_help)
    parser.set_defaults(run=run)


def run(given: argparse.Namespace) -> tuple[int, str, str]:
    """Exit status, output and errors."""
    merged = merge(intake.read(given.files), dict(given.weight))
    shown = json.dumps(account.document(merged), indent=2) + "\n" if given.json else account.text(merged)
    return int(bool(merged.unreadable)), shown, ""


def _weight(stated: str) -> tuple[str, float]:
    name, _, value = stated.partition("=")
    weight = float(value)
    if not name or not math.isfinite(weight) or weight < 0:
        raise argparse.ArgumentTypeError(stated)
    return name, weight
