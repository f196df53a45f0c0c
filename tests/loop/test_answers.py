"""What the user types after /bg-answer, and which waiting question a dialog's question puts."""

from __future__ import annotations

import re
from types import SimpleNamespace

import pytest
from answers import updated
from bg.loop import answers
from drive import Drive, block, context
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import VERSIONS


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
        ("Q1: a Q2: b Q2: c", "", {"Q1": "a", "Q2": "b\nc"}, "", False),
        ("Q2: b Q1: a, Q2: c", "", {"Q1": "a", "Q2": "b\nc"}, "", False),
        ("Q2: Q2: c", "", {"Q2": "c"}, "", False),
        ("Q1: Q2: b", "", {"Q1": "", "Q2": "b"}, "", False),
        ("D1: approve D1: deny", "", {"D1": "approve\ndeny"}, "", False),
        ("Q1: a,, Q2: b;", "", {"Q1": "a,", "Q2": "b;"}, "", False),
        ("Q1: ,,,Q2: b", "", {"Q1": ",,", "Q2": "b"}, "", False),
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


@pytest.mark.parametrize(
    ("typed", "lead", "by_id", "plain"),
    [
        ("bg-1 Here you go:\nQ1: a\nQ2: b", "Here you go:", {"Q1": "a", "Q2": "b"}, ""),
        ("Two lines\nof thanks\n\n  q2: b", "Two lines\nof thanks", {"Q2": "b"}, ""),
        ("Thanks! Q1: a\nQ2: b", "", {}, "Thanks! Q1: a\nQ2: b"),
        ("the log says\nQ7: no such key\nso leave it", "", {}, "the log says\nQ7: no such key\nso leave it"),
    ],
)
def test_what_stands_before_the_first_id_is_kept(typed, lead, by_id, plain):
    taken = answers.take_apart(typed, lambda _, qid: qid in ("Q1", "Q2"))
    assert (lead, by_id, plain) == (taken.lead, taken.by_id, taken.plain)


#: What names an answer's question; everything else that was typed must be found again.
IDS = re.compile(r"bg-\d+[\s.:,]*|\b[QBD]\d{1,3}\s*[:=]", re.IGNORECASE)
WORD = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=4, max_size=9)
SIGN = st.sampled_from(["Q1:", "q2 =", "Q3:", "D1:", "B1:", "bg-1", "bg-2", "go", "skip", "\n", "\n\n", ",", ";", " "])
PIECES = st.lists(SIGN | WORD, max_size=20) | st.lists(
    st.tuples(st.sampled_from(["Q1:", "\nQ1:", "Q2:", "\nbg-1 Q2:"]), WORD, st.sampled_from(["", ",", "\n"])), max_size=6
).map(lambda answers: [part for answer in answers for part in answer])
TYPED = st.builds(str.join, st.sampled_from(["", " "]), PIECES)


def lost(typed: str, kept: str) -> list[str]:
    """The runs of typed characters that are not in what was kept; one comma may part an answer from the next id."""
    runs = IDS.sub(" ", typed).split()
    return [run for run in runs if run not in kept and not (run[-1] in ",;" and run[:-1] in kept)]


@given(TYPED | st.text(max_size=200))
def test_nothing_typed_is_lost(text):
    typed = answers.take_apart(f"bg-3 {text}", lambda _, qid: qid in ("Q1", "Q2"))
    go = [text.strip()] if typed.go else []
    assert lost(text, "\n".join([typed.plain, typed.lead, typed.other, *typed.by_id.values(), *go])) == []


@given(TYPED)
@settings(max_examples=60)
def test_every_word_typed_is_recorded_or_shown_back(asked, text):
    said = asked.prompt(f"/bg-answer {text}")
    shown = [said.get("reason", ""), said.get("systemMessage", ""), context(said)]
    recorded = [row["text"] for row in asked.rows("SELECT text FROM answers")]
    assert lost(text, "\n".join([*shown, *recorded])) == []
    assert asked.rows("SELECT text FROM errors") == []


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """A session in which an agent has asked Q1 and Q2."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(VERSIONS[-1], tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.announced("a1")
    drive.stop()
    return drive


def test_an_id_typed_twice_gets_both_texts_to_the_agent(asked):
    asked.prompt("/bg-answer Q1: a Q2: b Q2: c")
    message = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}
    said = asked.send({**message, "tool_input": {"to": "a1", "message": ""}})
    assert "A2: b\nc\n" in updated(said)["message"]


def test_lines_before_the_first_id_are_shown_back(asked):
    said = asked.prompt("/bg-answer bg-1 Thanks,\nhere you go\nQ1: a")
    assert "bg-1 Q1 answered: a\nBefore the first id, part of no answer: Thanks,\nhere you go" in said["reason"]


def test_a_long_text_that_fits_no_question_is_shown_whole(asked):
    pasted = "\n".join(f"pasted line {number}" for number in range(200))
    assert pasted in asked.prompt(f"/bg-answer bg-1 {pasted}")["reason"]
    assert pasted in asked.prompt(f"/bg-answer bg-1 Q9: {pasted}")["reason"]


ITEMS = [
    SimpleNamespace(label="bg-1", qid="Q1", text="Should the export be CSV, XLSX, or both?"),
    SimpleNamespace(label="bg-1", qid="Q2", text="Should archived invoices be included?"),
    SimpleNamespace(label="bg-2", qid="Q1", text="Which database version do we support?"),
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
    assert (item and (item.label, item.qid)) == found


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
