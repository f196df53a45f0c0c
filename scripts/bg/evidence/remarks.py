"""What words beside a declared fact make of it, in the languages that models answer in most; remarks.json has them."""

from __future__ import annotations

import json
import re
from pathlib import Path

from bg.pattern import pattern

_WORDS = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))


def _any(*names: str) -> re.Pattern[str]:
    return pattern("|".join(word for name in names for word in _WORDS[name]), re.IGNORECASE)


BEFORE = _any("before")  # of an earlier state: what was edited later does not speak against it
RESTORED = _any("restored")
TAKEN_BACK = _any("restored", "taken_back")
EXPECTED = _any("expected")  # an exit that is not 0 is what was wanted
NO_TESTS = _any("no_tests")
EMPTY = _any("empty")  # a file has nothing in it, and should
SKIPPED = _any("skipped")  # a count holds tests that were not run
