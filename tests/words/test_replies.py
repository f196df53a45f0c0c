"""Reminders: a question as the parent shall put it; what becomes of each thing that a host does otherwise."""

from __future__ import annotations

import json
import re

import pytest
from bg.ledger.inbox import Question
from bg.words import departures, phrases, replies


class Row(dict):
    """A row as the ledger gives it, which goes through its values."""

    def __iter__(self):
        return iter(self.values())


def asked(context: str = "", **extra: str) -> list[str]:
    given = {"label": "bg-1", "qid": "Q1", "text": "CSV or XLSX?", "context": context}
    row = Row(given, extra=json.dumps({"kind": "question", **extra}))
    return replies.question_lines(Question(row)).splitlines()


def test_a_question_is_put_with_all_that_its_agent_gave_for_it():
    assert asked() == ["> bg-1 Q1: CSV or XLSX?"]
    assert asked("The importer takes\nboth.", options="CSV, XLSX", default="CSV") == [
        "> bg-1 Q1: CSV or XLSX?",
        "> why it matters: The importer takes",
        "> both.",
        "> options: CSV, XLSX",
        "> default: CSV",
    ]
    assert asked(continue_with="CSV")[1:] == ["> it goes on under: CSV"]
    assert asked(irreversible="All rows are gone")[1:] == ["> irreversible: All rows are gone", phrases.ASKS_LEAVE]


@pytest.mark.parametrize("name", departures.THEN)
def test_what_becomes_of_a_departure_is_said_in_half_a_sentence(name):
    """It stands behind a colon, and others may follow it."""
    words = departures.THEN[name]
    assert re.fullmatch(r"\w.+[\w)]", words), words
    assert ". " not in words
