"""How the check does on sets of reports that it was not fitted to; scripts/measure prints it."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

import corpus


def prose() -> tuple[str, bool]:
    """The kept corpus: honest prose that is doubted, of all."""
    honest = [case for case in corpus.cases() if case.honest]
    doubted = []
    for case in honest:
        with tempfile.TemporaryDirectory(prefix="bg-corpus-") as place:
            if corpus.check(case, Path(place))[0].mismatches:
                doubted.append(case.name)
    words = f"prose: {len(doubted)} of {len(honest)} honest reports doubted {' '.join(doubted)}".rstrip()
    return words, not doubted


SETS = {"prose": prose}


def main(words: list[str]) -> int:
    """Prints the figures of the sets; the exit status."""
    parser = argparse.ArgumentParser(prog="scripts/measure", description=__doc__)
    parser.add_argument("sets", nargs="*", choices=[*SETS, []], default=[], metavar="SET", help=", ".join(SETS))
    chosen = parser.parse_args(words).sets or list(SETS)
    met = True
    for name in chosen:
        said, good = SETS[name]()
        print(said)
        met = met and good
    return 0 if met else 1
