"""Your own figures, for `bgctl truth`: how tasks ended, and how many of the facts that agents declared were seen."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple, Optional

from bg import durations
from bg.desk import look, page
from bg.desk.page import Cell, Page, pad, width_of
from bg.ledger import figures
from bg.ledger.file import Ledger, unpacked
from bg.ledger.values import Item
from bg.signals import kinds
from bg.words import outcome, verdict
from bg.words.quoting import inline
from bg.words.times import age

Outcome = tuple[int, str, str]
GRADES = (verdict.SEEN, verdict.MISMATCH, verdict.SAID)
ITEMS = (Item.QUESTION, Item.BLOCKER, Item.DELEGATION)
RUNS = ("ended", "said done", "did not match", "without a signal", "asked again", "right after that")


class Figures(NamedTuple):
    """The figures of `bgctl truth`; the names are the keys of its JSON."""

    since: Optional[float]
    tasks: dict[str, int]
    runs: dict[str, int]
    facts: dict[str, int]
    reasons: dict[str, int]
    asked: dict[str, int]
    answered: int
    median_wait: Optional[float]
    kinds: dict[str, dict[str, int]]


def arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `bgctl truth`."""
    parser.description = "Your own figures: how your tasks ended, and how much of what agents declared was so."
    parser.epilog = "Exit status: 0, also where there is nothing; 1 a ledger that cannot be read; 2 usage."
    parser.add_argument("--days", type=_days, metavar="N", help="only tasks begun in the last N days")
    parser.add_argument("--json", action="store_true", help="print the figures as a JSON object")
    parser.set_defaults(run=run)


def _days(typed: str) -> float:
    number = float(typed)
    if not 0 < number < 1e6:
        raise argparse.ArgumentTypeError(f"{typed!r} is no number of days")
    return number


def run(given: argparse.Namespace) -> Outcome:
    """The exit status, the standard output and the standard error."""
    since = time.time() - given.days * durations.DAY if given.days else 0.0
    with look.ledgers() as (books, said):
        found = count(books, since)
    as_json = json.dumps(found._asdict(), ensure_ascii=False, indent=2)
    return int(bool(said)), f"{as_json if given.json else told(page.of_stream(sys.stdout), found)}\n", said


def count(books: Iterable[Ledger], since: float = 0.0) -> Figures:
    """The figures over all ledgers, of the tasks begun since then."""
    states: Counter[str] = Counter()
    facts: Counter[str] = Counter(dict.fromkeys(GRADES, 0))
    reasons: Counter[str] = Counter()
    runs: Counter[str] = Counter(dict.fromkeys(RUNS, 0))
    asked: Counter[str] = Counter(dict.fromkeys(ITEMS, 0))
    kinds: dict[str, Counter[str]] = {}
    waits: list[float] = []
    first: Optional[float] = None
    for book in books:
        states.update(figures.states(book, since))
        first = min((each for each in (first, figures.first(book, since)) if each is not None), default=None)
        for row in figures.ended(book, since):
            _add(row, runs, facts, reasons, kinds.setdefault(inline(row.kind, 40) or "unknown", Counter()))
        for item in figures.asked(book, since):
            kind = unpacked(item.extra).get("kind")
            asked[kind if kind in ITEMS else Item.QUESTION] += 1
            if item.answered is not None:
                waits.append(item.answered - item.asked)
    return Figures(
        since=first,
        tasks=dict(states),
        runs=dict(runs),
        facts=dict(facts),
        reasons=dict(reasons.most_common()),
        asked=dict(asked),
        answered=len(waits),
        median_wait=sorted(waits)[len(waits) // 2] if waits else None,
        kinds={name: dict(found) for name, found in sorted(kinds.items(), key=lambda each: -each[1]["runs"])},
    )


def _add(
    row: figures.Ended, runs: Counter[str], facts: Counter[str], reasons: Counter[str], kind: Counter[str]
) -> None:
    evidence = unpacked(row.evidence)
    payload = unpacked(row.body).get("payload")
    status = payload.get("status") if isinstance(payload, dict) else None
    wrong = verdict.mismatches(evidence)
    facts.update(found["grade"] for found in evidence.get("findings", []) if found.get("grade") in GRADES)
    reasons.update(str(found.get("reason")) for found in wrong)
    done = status == "success"
    runs["ended"] += 1
    runs["said done"] += done
    runs["did not match"] += done and bool(wrong)
    runs["without a signal"] += not row.marker
    kind["runs"] += 1
    kind["said done"] += done
    kind["did not match"] += done and bool(wrong)
    if row.corrections:
        runs["asked again"] += 1
        runs["right after that"] += bool(row.marker) and not wrong


def told(sheet: Page, found: Figures) -> str:
    """The figures for people."""
    number = sum(found.tasks.values())
    if not number:
        return "\n".join(sheet.wrapped("No tasks yet: there is nothing to count."))
    begun = time.strftime("%Y-%m-%d", time.localtime(found.since))
    lines = sheet.wrapped(f"{_many(number, 'task')} since {begun}, in every ledger of this user", "quiet")
    for heading, part in (
        ("How the tasks stand", _standing(sheet, found)),
        ("What the reports declared", _declared(sheet, found)),
        ("What you were asked", _questions(sheet, found)),
        ("By kind of agent", _by_kind(sheet, found)),
    ):
        if part:
            lines += ["", *sheet.wrapped(heading, "heading"), *part]
    return "\n".join(lines)


def _standing(sheet: Page, found: Figures) -> list[str]:
    order = sorted(found.tasks.items(), key=lambda each: -each[1])
    return _columns(sheet, [(outcome.in_a_word(state), number, outcome.style_of(state)) for state, number in order])


def _declared(sheet: Page, found: Figures) -> list[str]:
    facts, runs = found.facts, found.runs
    if not runs["ended"]:
        return []
    styles = {verdict.SEEN: "good", verdict.MISMATCH: "bad", verdict.SAID: "quiet"}
    lines = _columns(sheet, [(grade, facts[grade], styles[grade]) for grade in GRADES])
    said = []
    if runs["said done"]:
        said.append(
            f"{_many(runs['said done'], 'report')} said that the work was done; in {runs['did not match']} of them"
            " something declared was refuted to the end."
        )
    if found.reasons:
        why = ", ".join(f"{inline(reason, 40)} {number}" for reason, number in list(found.reasons.items())[:6])
        said.append(f"What did not match: {why}.")
    if runs["asked again"]:
        said.append(
            f"In {_many(runs['asked again'], 'run')} the report was asked for again; {runs['right after that']} then"
            " ended with a report in which nothing was refuted."
        )
    if runs["without a signal"]:
        said.append(f"{_many(runs['without a signal'], 'run')} ended without a signal: prose, or cut off.")
    return lines + [line for sentence in said for line in sheet.wrapped(sentence, indent=2)]


def _questions(sheet: Page, found: Figures) -> list[str]:
    total = sum(found.asked.values())
    if not total:
        return []
    names = {kind: kinds.kind_asking_for(kind).counted for kind in ITEMS}
    lines = _columns(sheet, [(names[kind][number != 1], number, "") for kind, number in found.asked.items()])
    half = f", half of them within {age(found.median_wait)}" if found.median_wait is not None else ""
    return lines + sheet.wrapped(f"{found.answered} of {total} answered{half}.", indent=2)


def _by_kind(sheet: Page, found: Figures) -> list[str]:
    lines = []
    for name, each in found.kinds.items():
        said = f"{_many(each['runs'], 'run')}, {each['said done']} said done, {each['did not match']} did not match"
        lines += sheet.wrapped(f"{name}: {said}", indent=4, first=2)
    return lines


def _columns(sheet: Page, rows: list[tuple[str, int, str]]) -> list[str]:
    rows = [row for row in rows if row[1]]
    wide = max((width_of(name) for name, _, _ in rows), default=0)
    most = max((len(str(number)) for _, number, _ in rows), default=0)
    return [
        sheet.line(Cell(f"{pad(name, wide)}  ", style), Cell(str(number).rjust(most)), indent=2)
        for name, number, style in rows
    ]


def _many(number: int, name: str) -> str:
    return f"{number} {name}{'' if number == 1 else 's'}"
