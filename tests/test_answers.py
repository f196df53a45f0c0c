"""What the user types after /bg-answer, and which waiting question a dialog's question puts."""

from __future__ import annotations

import pytest
from bg import answers
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("typed", "label", "by_id", "plain", "go"),
    [
        ("", "", {}, "", False),
        ("bg-3", "bg-3", {}, "", False),
        ("bg-3 go", "bg-3", {}, "", True),
        ("go", "", {}, "", True),
        ("bg-3 use the second one", "bg-3", {}, "use the second one", False),
        ("Q1: CSV Q2: no", "", {"Q1": "CSV", "Q2": "no"}, "", False),
        ("bg-3 q1: CSV, q2: no", "bg-3", {"Q1": "CSV", "Q2": "no"}, "", False),
        (
            "bg-3 Q1: see https://x.y/a?b=c: it says 10:45",
            "bg-3",
            {"Q1": "see https://x.y/a?b=c: it says 10:45"},
            "",
            False,
        ),
        ("bg-3.Q2: both", "bg-3", {"Q2": "both"}, "", False),
        ("bg-3 D1: deny, too costly", "bg-3", {"D1": "deny, too costly"}, "", False),
        ("bg-3 the rule in Q1: is fine", "bg-3", {}, "the rule in Q1: is fine", False),
        ("bg-1 Q1: csv for bg-1  Q2: none", "bg-1", {"Q1": "csv for bg-1", "Q2": "none"}, "", False),
        ("bg-3\nQ1: a\nb\nQ2: c", "bg-3", {"Q1": "a\nb", "Q2": "c"}, "", False),
    ],
)
def test_what_was_typed_is_taken_apart(typed, label, by_id, plain, go):
    assert answers.take_apart(typed) == answers.Typed(label, by_id, plain, go)


def test_two_tasks_at_once_are_told_apart():
    typed = answers.take_apart("bg-1 Q1: a\nbg-2 Q1: b")
    assert (typed.label, typed.other) == ("bg-1", "bg-2")


def test_an_answer_may_hold_what_looks_like_an_id():
    taken = answers.take_apart("bg-1 Q1: name it Q4: revenue, Q2: no;", lambda _, qid: qid in ("Q1", "Q2"))
    assert taken.by_id == {"Q1": "name it Q4: revenue", "Q2": "no;"}


@given(st.text(max_size=200))
def test_nothing_typed_is_lost(text):
    typed = answers.take_apart(f"bg-3 {text}")
    kept = "".join([typed.plain, *typed.by_id, *typed.by_id.values(), answers.GO if typed.go else ""])
    assert {character for character in text if character.isalnum()} <= set(kept.upper()) | set(kept) | set(kept.lower())


ITEMS = [
    {"label": "bg-1", "qid": "Q1", "text": "Should the export be CSV, XLSX, or both?"},
    {"label": "bg-1", "qid": "Q2", "text": "Should archived invoices be included?"},
    {"label": "bg-2", "qid": "Q1", "text": "Which database version do we support?"},
]


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("bg-1 Q2: whatever the words are", ("bg-1", "Q2")),
        ("**bg-2 Q1** - which database?", ("bg-2", "Q1")),
        ("Should archived invoices be included?", ("bg-1", "Q2")),
        ("Should the archived invoices be included too?", ("bg-1", "Q2")),
        ("Which database version do we support", ("bg-2", "Q1")),
        ("bg-7 Q1: nobody asked this", None),
        ("Shall I commit my own work now?", None),
        ("", None),
    ],
)
def test_a_dialogs_question_is_matched_or_left_alone(question, found):
    item = answers.match(question, ITEMS)
    assert (item and (item["label"], item["qid"])) == found


def test_the_rewrite_changes_only_what_is_ours():
    asked = [
        {"question": "Should archived invoices be included?", "header": "Archived", "options": [{"label": "Yes"}]},
        {"question": "Shall I commit?", "header": "Commit", "options": []},
    ]
    assert answers.rewrite(asked, ITEMS) == [
        {
            "question": "bg-1 Q2: Should archived invoices be included?",
            "header": "bg-1 Q2",
            "options": [{"label": "Yes"}],
        },
        asked[1],
    ]
    assert answers.rewrite(asked[1:], ITEMS) is None
