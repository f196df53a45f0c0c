"""Phrases written by others, without a look at the code: what they mean, and what the readers make of them.

typed/phrases-dev.json and phrases-more-dev.json were read to find faults; each heldout was measured once, when the
readers were done. typed/README.md has what these looks showed.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from bg.loop import answers, decisions

FOLDER = Path(__file__).with_name("typed")
SETS = {
    half: json.loads((FOLDER / f"phrases-{half}.json").read_text(encoding="utf-8"))
    for half in ("dev", "heldout", "more-dev", "more-heldout", "own", "blind", "last")
}
# Decisions that are asked back, at most; and typed texts that arrive as other words than their author expects.
MOST_ASKED_BACK = {"dev": 0, "heldout": 2, "more-dev": 1, "more-heldout": 4, "own": 105, "blind": 1, "last": 8}
ELSEWHERE = {
    "dev": {
        "bg-1 show",
        "bg-1 cancel",
        "is not working for me, how do i answer bg-1?",
        "bg-1 Q1 should be csv, Q2 is a no",
    },
    "heldout": {
        "bg-1 Q1: csv. Q2: no.",
        "bg-1 Q1: revenue Q1, revenue Q2 and total. Q2: xlsx. Q3: no",
        "bg-1 1) patch",
    },
}


def interval(count: int, of: int) -> str:
    """The share with its 95 % interval (Wilson)."""
    z, share = 1.96, count / of
    middle, width = share + z * z / 2 / of, z * math.sqrt(share * (1 - share) / of + z * z / 4 / of / of)
    low, high = ((middle + sign * width) / (1 + z * z / of) for sign in (-1, 1))
    return f"{count} of {of} ({max(low, 0):.1%} to {high:.1%})"


def verdict(words: str) -> str:
    found = decisions.read(words)
    return found.verdict if found else "neither"


@pytest.mark.parametrize("half", SETS)
def test_no_words_that_do_not_consent_launch_anything(half: str, tell: Any) -> None:
    phrases = SETS[half]["decisions"]
    neither = [each["words"] for each in phrases if each["meaning"] == "neither"]
    launched = [words for words in neither if verdict(words) == decisions.YES]
    honest = {each["words"]: each["meaning"] for each in phrases if each["meaning"] != "neither" and each["clear"]}
    other = {words: verdict(words) for words, meaning in honest.items() if verdict(words) != meaning}
    tell(f"{half}: launches on words that do not consent: {interval(len(launched), len(neither))}")
    tell(f"{half}: honest decisions asked back: {interval(len(other), len(honest))}: {', '.join(sorted(other))}")
    assert launched == []
    assert set(other.values()) <= {"neither"}, "a decision is turned round"
    assert len(other) <= MOST_ASKED_BACK[half]


def taken(case: dict[str, Any]) -> Any:
    """The answers by task and id, None where nothing is sent."""
    items = [
        SimpleNamespace(label=label, qid=qid, text=text, extra="{}")
        for label, asked in case["open"].items()
        for qid, text in asked.items()
    ]
    only = next(iter(case["open"])) if len(case["open"]) == 1 else ""
    asked = {(item.label, item.qid) for item in items} | {("", item.qid) for item in items}
    known = answers.Known(items, lambda label, qid: (label or only, qid) in asked, case["open"].__contains__)
    read = answers.read(
        case["typed"].replace("/bg-answer", "", 1) if case["typed"][:1] == "/" else case["typed"], known
    )
    found: dict[str, dict[str, str]] = {}
    for part in read.parts or [answers.Part("", "", read.plain)]:
        label = part.label or read.label or only
        mine = known.items(label)
        if read.doubts or read.word or not label or not (part.qid or len(mine) == 1):
            return None
        found.setdefault(label, {})[part.qid or mine[0].qid] = part.text
    return found


@pytest.mark.parametrize("half", ELSEWHERE)
def test_typed_answers_of_others(half: str, tell: Any) -> None:
    cases = SETS[half]["typed"]
    came = [(case, taken(case)) for case in cases]
    elsewhere = [case["typed"] for case, found in came if found not in (None, case["meant"])]
    back = [case["typed"] for case, found in came if found is None and case["meant"]]
    wanted = sum(bool(case["meant"]) for case in cases)
    tell(f"{half}: answers asked back: {interval(len(back), wanted)}: {'; '.join(back)!r}")
    tell(f"{half}: other words than expected: {interval(len(elsewhere), len(cases))}: {'; '.join(elsewhere)!r}")
    assert set(elsewhere) == ELSEWHERE[half]
    assert len(back) <= 9
