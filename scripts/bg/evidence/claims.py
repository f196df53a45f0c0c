"""Holds the numbers that a line says of a run against those that its output shows."""

from __future__ import annotations

import re

from bg.evidence import matching, pieces, purposes, remarks, summaries
from bg.evidence.form import Item
from bg.evidence.matching import Run
from bg.pattern import pattern

_ENDS = r"(?=\s*(?:$|[,.;:()–—]|and\b|und\b|et\b|y\b|due\b|because\b|for\b|as\b|wegen\b))"
_SKIPPED = pattern(
    r"(?<![\w./])(?<!of )(?<!von )(\d{1,6}|no|zero|none|keine?|sin|aucun)\s+(?:tests? |were |was )?"
    r"(?:skipped|skips?|ignored|pending|übersprungen\w*|ignorée?s?|omitid[oa]s?)" + _ENDS,
    re.IGNORECASE,
)
_NO_WARNINGS = pattern(
    r"(?<![\w./])(?:0|no|zero|without|keine?|sans|sin|aucun)\s+(?:warnings?|Warnungen|avertissements?|avisos)" + _ENDS,
    re.IGNORECASE,
)
_WARNINGS = pattern(r"(?<![\w.])([1-9]\d*) warnings?(?!\w)", re.IGNORECASE)


def is_counted(item: Item, summary: summaries.Summary) -> bool:
    """Whether an output shows the declared number: of passed tests, or of all where skipped ones are spoken of."""
    skipped = remarks.SKIPPED.search(item.remark) and _skipped(item) != 0
    total = skipped or not pieces.PASS_COUNT.search(item.remark)
    return item.number in (summary.counts if total else summary.passed)


def other_count(item: Item, run: Run, summary: summaries.Summary) -> tuple[str, bool]:
    """What the output counts where that is not what is said, and whether it is so."""
    same = run.relation == matching.SAME
    if same and item.number and summary.counts and not is_counted(item, summary):
        return ", ".join(map(str, sorted(summary.passed - {0})[-3:])) or "0", True
    others = _left_out(item, run, summary) or _warned(item, run) if same else ""
    shown = _shown_instead(item, run) or others
    return shown, bool(shown)


def unseen_percent(item: Item, run: Run) -> tuple[str, bool]:
    """A percentage that is said, and whether the output does not show it."""
    said = re.search(r"(?<![\w.])(\d{1,3})(?:[.,]\d+)?\s?%", item.remark)
    if not said or not any(purposes.is_test(part) for part in run.steps[run.at].parts):
        return "", False
    output = re.sub(r"\[\s*\d+%\]", " ", run.call.result)
    shown = [float(each) for each in re.findall(r"(?<![\w.])(\d{1,3}(?:\.\d+)?)\s*(?:%|\|)", output)]
    return said[0], not any(abs(each - int(said[1])) <= 1 for each in shown)


def _shown_instead(item: Item, run: Run) -> str:
    """The one number that was printed, where another one is said."""
    result = run.call.result.strip()
    said = re.search(r"(?<!exit )(?<!code )(?<!status )(?<![\w.,])(\d{1,9})(?:\s+[^\W\d_]+)?\s*\)?\s*$", item.remark)
    numbers = {int(each) for each in re.findall(r"\d{1,9}", item.remark)}
    one = len(run.steps) == 1 and re.fullmatch(r"\d{1,9}", result)
    return result if one and said and int(result) not in numbers else ""


def _skipped(item: Item) -> int:
    """How many tests are said to have been skipped, -1 where nothing is said."""
    said = _SKIPPED.search(item.remark)
    return (int(said[1]) if said[1].isdigit() else 0) if said else -1


def _left_out(item: Item, run: Run, summary: summaries.Summary) -> str:
    """How many tests were skipped, where another number of them is said."""
    said = _skipped(item)
    if said < 0 or not summary.skipped - {0} or sum(any(map(purposes.is_test, step.parts)) for step in run.steps) > 1:
        return ""
    return "" if said in summary.skipped and said else f"{max(summary.skipped)} skipped"


def _warned(item: Item, run: Run) -> str:
    """How many warnings an output counts that is said to have none."""
    alone = len(run.steps) == 1 and _NO_WARNINGS.search(item.remark)
    own = "\n".join(line for _, line in summaries.own_lines(run.call.result)) if alone else ""
    counted = _WARNINGS.findall(own)
    return f"{max(map(int, counted))} warnings" if counted else ""
