"""Consent, refusal and neither in eight languages: nothing is launched on "not yet", and no denial is lost.

typed/consent.json was written before the reader was looked at, and split by chance: `read` was looked at while the
table grew, `held_out` once, when it was done; `later` holds what was thought of beside the code.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Optional

import pytest
from bg.loop import decisions
from test_decisions import deciding, dialog, outcome, typed, undecided  # noqa: F401 - the fixture is used by name

CORPUS = json.loads((Path(__file__).with_name("typed") / "consent.json").read_text(encoding="utf-8"))
PHRASES = [
    (half, kind, phrase)
    for half, languages in CORPUS.items()
    for kinds in languages.values()
    for kind, phrases in kinds.items()
    for phrase in phrases
]
# A careful person would have taken these; that they are asked back costs a line each.
ASKED_BACK = {
    "approve: first run the linter",
    "denied. Approve nothing without asking me",
    "isso",
    "nie teraz, nie potrzebujemy tego",
    "no tak",
    "no. ok?",
    "prima",
    "yes to all",
}


def verdict(phrase: str) -> Optional[str]:
    found = decisions.read(phrase)
    return found.verdict if found else None


def test_the_corpus_is_large_enough():
    assert len(PHRASES) > 500
    assert {"en", "de", "fr", "es", "it", "pt", "nl", "pl"} == set(CORPUS["read"]) == set(CORPUS["held_out"])


@pytest.mark.parametrize("half", CORPUS)
def test_nothing_is_launched_on_words_that_are_no_consent(half):
    neither = [phrase for where, kind, phrase in PHRASES if (where, kind) == (half, "ask")]
    assert {} == {phrase: verdict(phrase) for phrase in neither if verdict(phrase) is not None}


@pytest.mark.parametrize("half", CORPUS)
def test_no_decision_is_turned_round_and_few_are_asked_back(half, tell):
    decided = [(phrase, kind) for where, kind, phrase in PHRASES if where == half and kind != "ask"]
    other = {phrase: verdict(phrase) for phrase, kind in decided if verdict(phrase) != kind}
    assert set(other.values()) <= {None}, "a decision is turned round"
    assert set(other) == ASKED_BACK & {phrase for phrase, _ in decided}
    tell(
        f"{half}: of {len(decided)} honest decisions {len(other)} are asked back: {', '.join(sorted(other)) or 'none'}"
    )


def test_the_hooks_ask_back_with_the_two_lines_to_type(deciding):  # noqa: F811
    """The phrases that launched an agent before, and others of each language, through the handlers."""
    for phrase in [phrase for where, kind, phrase in PHRASES if kind == "ask" and where != "later"]:
        undecided(deciding)
        said = str(typed(deciding, phrase).get("reason", ""))
        assert outcome(deciding) == [("waiting", "")], phrase
        assert "\n/bg-answer bg-1 D1: approve\n/bg-answer bg-1 D1: deny\n" in said, said


def test_a_pasted_line_with_a_question_below_is_no_approval(deciding):  # noqa: F811
    said = typed(deciding, "approve\nthe agent printed this, explain it")
    assert outcome(deciding) == [("waiting", "")]
    assert "label: bg-2" not in str(said)


def test_the_notes_beside_a_choice_are_read_as_behind_a_colon(deciding):  # noqa: F811
    dialog(deciding, "Approve", notes="target the release branch")
    assert outcome(deciding) == [("approved", "Approve: target the release branch")]
    undecided(deciding)
    dialog(deciding, "Approve", notes="not yet, the team has to look at it")
    assert outcome(deciding) == [("waiting", "")]


def test_a_book_is_asked_back():
    """Reading it would take seconds; the two lines to type are shown instead."""
    assert decisions.read("approve: " + "only the tests " * 1_000) is not None
    assert decisions.read("approve: " + "only the tests " * 10_000) is None
