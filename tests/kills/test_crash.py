"""Hooks killed at any instant: what was durable is delivered, and nothing is said twice without a reason."""

from __future__ import annotations

import os
import re
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Callable

import pytest
from crash import IN_THE_MIDDLE, Campaign
from play import AFTER, BEFORE, CLEAN, MIDDLE, check_delivered
from replayed import Replayed

pytestmark = pytest.mark.long

SEED = int(os.environ.get("BG_SEED", "1"))
REPLAYED = int(os.environ.get("BG_SEEDS", "4"))


@pytest.mark.patient
def test_hooks_killed_at_any_instant_lose_nothing(tmp_path: Path, tell: Callable[[str], None]) -> None:
    """Complete JSON counts as said, from a killed hook too; a repeat needs a kill between the print and the next event."""
    check(Campaign(tmp_path, seed=SEED), tell)


@pytest.mark.parametrize("seed", range(SEED, SEED + REPLAYED))
def test_hooks_killed_behind_each_write_lose_nothing(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tell: Callable[[str], None]
) -> None:
    """The same in this process, where a seed is played again in seconds."""
    check(Replayed(tmp_path, seed, monkeypatch), tell)


def check(campaign: Campaign, tell: Callable[[str], None]) -> None:
    """Play it to its end, and look at everything that was durable."""
    campaign.play()
    fell = Counter(one.fell for one in campaign.said)
    killed = [one for one in campaign.said if one.fell != CLEAN]
    kinds = ", ".join(f"{kind} {count}" for kind, count in sorted(Counter(one.kind for one in killed).items()))
    tell(
        f"crash campaign: {len(campaign.said)} hooks, {len(killed)} of them with a kill: {fell[BEFORE]} {BEFORE}, "
        f"{fell[MIDDLE]} {MIDDLE}, {fell[AFTER]} {AFTER}; {kinds}"
    )
    assert len(killed) >= campaign.most_killed
    assert fell[MIDDLE] >= IN_THE_MIDDLE
    reports = sorted(word for word in campaign.durable if word.startswith("REPORT"))
    said, repeated = check_delivered(campaign, reports)
    with closing(sqlite3.connect(str(campaign.data / "ledger.db"))) as book:
        at_rest(campaign, book)
        answers, twice = check_answers(campaign, book)
    tell(
        f"{said} reports and signals were durable and all were delivered, {repeated} of them twice where a kill allows it; "
        f"{answers} answers were durable and all reached their agent, {twice} of them twice"
    )


def at_rest(campaign: Campaign, book: sqlite3.Connection) -> None:
    """The database opens clean, nothing is left in a spool, nothing is owed, nobody counts as running."""
    assert book.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert book.execute("SELECT event, text FROM errors").fetchall() == []
    assert [str(path) for path in campaign.spooled()] == []
    assert book.execute("SELECT label, subject, run, mark FROM deliveries WHERE seen IS NULL").fetchall() == []
    assert book.execute("SELECT label, state FROM tasks WHERE state IN ('launched', 'working')").fetchall() == []


def check_answers(campaign: Campaign, book: sqlite3.Connection) -> tuple[int, int]:
    """Each durable answer reached the one agent that had asked; how many there were, and how many came twice."""
    answers = sorted(word for word in campaign.durable if word.startswith("ANSWER"))
    assert answers
    twice = 0
    for word in answers:
        agents = [
            agent for agent in campaign.agents.values() for text in agent.received if re.search(rf"\b{word}\b", text)
        ]
        owner = book.execute(
            "SELECT q.agent FROM answers a JOIN questions q ON q.id = a.question WHERE a.text = ?", (word,)
        ).fetchone()
        if owner is None:
            assert is_replaced(campaign, word), f"{word} was lost"
            continue
        assert {agent.name for agent in agents} == {owner[0]}, (word, [agent.name for agent in agents], owner[0])
        assert len(agents) == 1 or agents[0].disturbed, f"{word} was sent twice without a reason"
        twice += len(agents) > 1
    return len(answers), twice


def is_replaced(campaign: Campaign, word: str) -> bool:
    """The user has answered the same question again before its agent was woken: by what was typed, or in a dialog."""
    question, _, place = word.rpartition("n")
    given = re.compile(rf"\b{question}n(?!{place}\b)\d+\b")
    first = min(one.number for one in campaign.said if word in one.event)
    return any(given.search(one.event) for one in campaign.said[first + 1 :])
