"""What the golden plays start in the interpreter's place: the hook, with its clock and its tokens handed in.

Arguments: an event's time in seconds, a seed, then what hooks/run gives to Python.
"""

from __future__ import annotations

import os
import random
import runpy
import sys
import time


def main(arguments: list[str]) -> None:
    """Fix what no two runs have in common, then run the hook as hooks/run would."""
    at, seed, script, *rest = arguments
    moment = float(at)
    time.time = lambda: moment
    os.urandom = random.Random(seed).randbytes
    sys.argv = [script, *rest]
    runpy.run_path(script, run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
