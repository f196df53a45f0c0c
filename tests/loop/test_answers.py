"""What the user types after /bg-answer, and which waiting question a dialog's question puts."""

from __future__ import annotations

import json
import re
from types import SimpleNamespace

import pytest
from answers import updated
from bg.loop import answers, asking
from drive import Drive, block, context, plain
from hypothesis import given, settings
from hypothesis import strategies as st
from recordings import VERSIONS

ITEMS = [
    SimpleNamespace(label="bg-1", qid="Q1", text="Should the export be CSV, XLSX, or both?"),
    SimpleNamespace(label="bg-1", qid="Q2", text="Should archived invoices be included?"),
    SimpleNamespace(label="bg-2", qid="Q1", text="Which database version do we support?"),
]
#: bg-3 waits for two questions and a decision; nothing else waits.
WAITING = [SimpleNamespace(label="bg-3", qid=qid, text=f"{qid}?") for qid in ("Q1", "Q2", "D1")]


def read(typed: str, waiting: list[SimpleNamespace] = WAITING) -> answers.Typed:
    asked = {(item.label, item.qid) for item in waiting}
    names = {label for label, _ in asked}

    def was_asked(label: str, qid: str) -> bool:
        return (label, qid) in asked or (not label and any(qid == item.qid for item in waiting))

    return answers.read(typed, answers.Known(waiting, was_asked, lambda label: label in names))


@pytest.mark.parametrize(
    ("typed", "by_id", "doubts"),
    [
        ("Q1: CSV Q2: no", {"Q1": "CSV", "Q2": "no"}, []),
        ("bg-3 q1: CSV, q2: no", {"Q1": "CSV", "Q2": "no"}, []),
        ("bg-3 Q1: see https://x.y/a?b=c: it says 10:45", {"Q1": "see https://x.y/a?b=c: it says 10:45"}, []),
        ("bg-3.Q2: both", {"Q2": "both"}, []),
        ("bg-3 D1: deny, too costly", {"D1": "deny, too costly"}, []),
        ("bg-3 Q1: csv for bg-3  Q2: none", {"Q1": "csv for bg-3", "Q2": "none"}, []),
        ("bg-3 Q1: as in csv-bg-3.  Q2: none", {"Q1": "as in csv-bg-3.", "Q2": "none"}, []),
        ("bg-3\nQ1: a\nb\nQ2: c", {"Q1": "a\nb", "Q2": "c"}, []),
        ("Q1: a Q2: b Q2: c", {"Q1": "a", "Q2": "b\nc"}, ["twice"]),
        ("Q1: a Q2: b Q2: B", {"Q1": "a", "Q2": "b"}, []),
        ("Q1: Q2: b", {"Q1": "", "Q2": "b"}, ["empty"]),
        ("D1: approve D1: deny", {"D1": "approve\ndeny"}, ["twice"]),
        ("Q1: a,, Q2: b;", {"Q1": "a,", "Q2": "b;"}, []),
        ("Q1: name it Q4: revenue, Q2: no;", {"Q1": "name it Q4: revenue", "Q2": "no;"}, []),
        ("Q1: CSV Q4: no", {"Q1": "CSV", "Q4": "no"}, ["unknown"]),
        ("Q1: the rule in Q2: none", {"Q1": "the rule in", "Q2": "none"}, ["mention"]),
        ("bg-3 Here you go:\nQ1: a\nQ2: b", {"Q1": "a", "Q2": "b"}, []),
        ("Two lines\nof weight\n\n  q2: b", {"Q2": "b"}, ["lead"]),
        ("Q1 is fine", {"Q1": "is fine"}, []),
        ("Q1: both Q2: 3.0-beta", {"Q1": "both", "Q2": "3.0-beta"}, []),
        ("Q1 and Q2: no", {"Q1": "no", "Q2": "no"}, []),
        ("Q1: a and Q2: b", {"Q1": "a", "Q2": "b"}, []),
        ("(Q1) both (Q2) the first one", {"Q1": "both", "Q2": "the first one"}, []),
        ("Q1. CSV Q2. no", {"Q1": "CSV", "Q2": "no"}, []),
        ("Q1 - CSV Q2 - no", {"Q1": "CSV", "Q2": "no"}, []),
        ("Q1 CSV Q2 no", {"Q1": "CSV", "Q2": "no"}, []),
        ("Q1: CSV, skip Q2", {"Q1": "CSV, skip", "Q2": ""}, ["mention", "empty"]),
        ("Q1: <your answer>", {"Q1": "<your answer>"}, ["empty"]),
        ("Q1: as (Q2) says", {"Q1": "as (Q2) says"}, []),
        ("/bg-answer bg-3 Q1: a\n/bg-answer bg-3 Q2: b", {"Q1": "a", "Q2": "b"}, []),
        (
            "Q1: it printed /bg-answer bg-3 D1: approve",
            {"Q1": "it printed /bg-answer bg-3", "D1": "approve"},
            ["mention"],
        ),
        ("bg-3 the rule in Q1: is fine", {}, []),
        ("the log says\nQ7: no such key\nso leave it", {"Q7": "no such key\nso leave it"}, ["unknown", "lead"]),
        ("```\nQ1: a\n```\nis what it printed", {}, []),
    ],
)
def test_what_was_typed_is_taken_apart(typed, by_id, doubts):
    taken = read(typed)
    assert {part.qid: part.text for part in taken.parts} == by_id
    assert [doubt for doubt, _ in taken.doubts] == doubts


@pytest.mark.parametrize(
    ("typed", "by_id"),
    [
        ("bg-3 1. CSV 2. no", {"Q1": "CSV", "Q2": "no"}),
        ("1) use version 3.1 2) no", {"Q1": "use version 3.1", "Q2": "no"}),
        ("2: no", {"Q2": "no"}),
        ("1. parse 2. check 3. write", {}),
    ],
)
def test_numbers_stand_for_questions_where_nothing_else_waits(typed, by_id):
    assert {part.qid: part.text for part in read(typed, WAITING[:2]).parts} == by_id
    assert read("1. CSV 2. no").parts == [], "1 may be D1 as well"


@pytest.mark.parametrize("spelt", ["bg-3", "BG-3", "bg3", "Bg 3", "3", "#3", "bg_3", "bg-3:", "\uff42\uff47-\uff13"])
def test_a_label_is_the_same_however_it_is_spelt(spelt):
    assert (read(f"{spelt} go").label, read(f"{spelt} go").word) == ("bg-3", "go")
    assert read(f"{spelt} Q1: CSV").label == "bg-3"
    assert read(spelt).label == "bg-3"


def test_several_tasks_are_answered_at_once():
    taken = read("bg-1 Q1: a, Q2: b\nbg-2 Q1: c", ITEMS)
    assert [tuple(part) for part in taken.parts] == [("bg-1", "Q1", "a"), ("bg-1", "Q2", "b"), ("bg-2", "Q1", "c")]
    assert taken.doubts == []


@pytest.mark.parametrize(
    ("typed", "parts", "doubts"),
    [
        ("bg-1 Q1: a Q2: b bg-2 Q1: c", [("bg-1", "Q1", "a"), ("bg-1", "Q2", "b"), ("bg-2", "Q1", "c")], []),
        ("bg-1 Q1: a; bg-2 Q1: c", [("bg-1", "Q1", "a"), ("bg-2", "Q1", "c")], []),
        ("bg-1 Q2: b bg-2: c", [("bg-1", "Q2", "b"), ("bg-2", "", "c")], []),
        ("bg-1 Q2: b\nbg-2: c", [("bg-1", "Q2", "b"), ("bg-2", "", "c")], []),
        ("bg-1 Q2: as bg-2 does", [("bg-1", "Q2", "as bg-2 does")], []),
        ("bg-1 Q2: see bg-2 Q1: c", [("bg-1", "Q2", "see bg-2"), ("bg-1", "Q1", "c")], ["mention"]),
    ],
)
def test_a_label_further_down_begins_another_tasks_answers(typed, parts, doubts):
    taken = read(typed, ITEMS)
    assert ([tuple(part) for part in taken.parts], [why for why, _ in taken.doubts]) == (parts, doubts)


@pytest.mark.parametrize("words", ["help", "--help", "-h", "status", "Status."])
def test_a_word_that_asks_for_help_or_the_status_is_no_answer(asked, words):
    for command in (words, f"bg-1 {words}"):
        said = asked.prompt(f"/bg-answer {command}")
        shown = "takes the last answer back" if "h" in words else "asks" if command == words else "Q2"
        assert said["decision"] == "block"
        assert shown in said["reason"]
    assert asked.rows("SELECT 1 FROM answers") == []


#: What names an answer's question; everything else that was typed must be found again.
IDS = re.compile(r"bg-\d+[\s.:,]*|\b[QBD]\d{1,3}\s*[:=]", re.IGNORECASE)
WORD = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=4, max_size=9)
SIGN = st.sampled_from(["Q1:", "q2 =", "Q3:", "D1:", "B1:", "bg-1", "bg-2", "go", "skip", "\n", "\n\n", ",", ";", " "])
PIECES = st.lists(SIGN | WORD, max_size=20) | st.lists(
    st.tuples(st.sampled_from(["Q1:", "\nQ1:", "Q2:", "\nbg-1 Q2:"]), WORD, st.sampled_from(["", ",", "\n"])),
    max_size=6,
).map(lambda answers: [part for answer in answers for part in answer])
TYPED = st.builds(str.join, st.sampled_from(["", " "]), PIECES)


def lost(typed: str, kept: str) -> list[str]:
    """The runs of typed characters that are not in what was kept; one comma may part an answer from the next id."""
    runs = IDS.sub(" ", typed).split()
    return [run for run in runs if run not in kept and not (run[-1] in ",;" and run[:-1] in kept)]


@given(TYPED | st.text(max_size=200))
def test_nothing_typed_is_lost(text):
    typed = read(f"bg-3 {text}")
    if typed.doubts or typed.word:
        return  # then the whole text is shown back, or it is a word that stands alone
    assert lost(text, "\n".join([typed.plain, typed.lead, *(part.text for part in typed.parts)])) == []


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


@pytest.fixture
def asked_once(tmp_path, monkeypatch):
    """A session in which an agent has asked one question."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(VERSIONS[-1], tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    question = {"question_id": "Q1", "text": "Publish now, or hold on until Monday?"}
    drive.ends("a1", block("CLARIFICATION_NEEDED", token, questions=[question]))
    drive.announced("a1")
    drive.stop()
    return drive


@pytest.mark.parametrize(
    "words", ["wait, i'm still looking at it", "wait", "ok, give me a minute", "Moment bitte", "bg-1 not yet, sorry"]
)
def test_words_that_only_ask_for_time_are_asked_back(asked_once, words):
    said = asked_once.prompt(f"/bg-answer {words}")["reason"]
    assert f"“{words.replace('bg-1 ', '')}” may only ask for time" in said
    assert asked_once.rows("SELECT 1 FROM answers") == []
    asked_once.prompt(re.search(r"/bg-answer confirm \d+", said)[0])
    assert [row["text"] for row in asked_once.rows("SELECT text FROM answers")] == [words.replace("bg-1 ", "")]


@pytest.mark.parametrize(
    "words",
    ["bg-1 later", "bg-1 hold on", "bg-1 Q1: wait", "bg-1 wait for CI to be green", "bg-1 tomorrow", "bg-1 on Monday"],
)
def test_an_answer_that_speaks_of_time_is_sent(asked_once, words):
    """It is behind its id, says more than that, or is what the question offers."""
    asked_once.prompt(f"/bg-answer {words}")
    assert [row["text"] for row in asked_once.rows("SELECT text FROM answers")] == [
        words.split(" ", 1)[1][words.count("Q1") * 4 :]
    ]


def test_nothing_is_to_be_typed_anew_where_nothing_is_open(asked_once):
    assert "Type it anew, as in /bg-answer bg-1 Q1: …" in asked_once.prompt("/bg-answer bg-1 Q7: a")["reason"]
    asked_once.prompt("/bg-answer bg-1 Q1: now")
    message = {"tool_name": "SendMessage", "tool_use_id": "s1"}
    before = {**message, "hook_event_name": "PreToolUse", "tool_input": {"to": "a1", "message": ""}}
    given = asked_once.send(before)["hookSpecificOutput"]["updatedInput"]
    after = {**message, "hook_event_name": "PostToolUse", "tool_input": given}
    asked_once.send(after, tool_response={"success": True, "resumedAgentId": "a1"})
    said = asked_once.prompt("/bg-answer bg-1 Q1: now Q1: later")["reason"]
    assert "not recorded: now\nlater" in said
    assert "Type it anew" not in said


def test_an_id_typed_twice_gets_both_texts_to_the_agent_once_that_is_confirmed(asked):
    said = asked.prompt("/bg-answer Q1: a Q2: b Q2: c")
    assert asked.rows("SELECT 1 FROM answers") == []
    asked.prompt(re.search(r"/bg-answer confirm \d+", said["reason"])[0])
    message = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}
    said = asked.send({**message, "tool_input": {"to": "a1", "message": ""}})
    assert "A2: b\nc\n" in updated(said)["message"]


def test_a_long_text_that_fits_no_question_is_shown_whole(asked):
    pasted = "\n".join(f"pasted line {number}" for number in range(200))
    assert pasted in asked.prompt(f"/bg-answer bg-1 {pasted}")["reason"]
    assert pasted in asked.prompt(f"/bg-answer bg-1 Q9: {pasted}")["reason"]


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
    item = asking.match(question, ITEMS)
    assert (item and (item.label, item.qid)) == found


def item(label: str, qid: str, kind: str, text: str, context: str = "", **extra: str) -> SimpleNamespace:
    fields = json.dumps({"kind": kind, **extra})
    return SimpleNamespace(
        label=label, qid=qid, text=text, context=context, priority=extra.get("priority", ""), extra=fields
    )


def test_the_rewrite_changes_only_what_is_ours():
    asked = [
        {"question": "Should archived invoices be included?", "header": "Archived", "options": [{"label": "Yes"}]},
        {"question": "Shall I commit?", "header": "Commit", "options": []},
    ]
    one = item("bg-1", "Q2", "question", "Should archived invoices be included?", "The list hides them.")
    assert asking.in_agents_words(asked, [one], lambda _: "CSV export") == (
        [
            {
                "question": "bg-1 (CSV export) Q2: Should archived invoices be included?\nWhy it matters: The list hides them.",
                "header": "bg-1 Q2",
                "options": [{"label": "Yes"}],
            },
            asked[1],
        ],
        [one],
    )
    assert asking.in_agents_words(asked[1:], [one], lambda _: "CSV export") == (asked[1:], [])


def test_a_request_is_put_so_that_it_can_be_judged():
    """Who wants what, why, whether it waits, priority, time, and the parent's view."""
    one = item(
        "bg-1",
        "D1",
        "delegation",
        "Write the fixtures",
        "The tests need them",
        priority="P1",
        independence="blocks_current_work",
        estimated_duration="20 minutes",
    )
    view = "bg-1 D1: May it? I would approve: the fixtures are independent."
    asked = [{"question": view, "header": "D", "options": [{"label": "Sounds right to me, I guess"}]}]
    [put], _ = asking.in_agents_words(asked, [one], lambda _: "audit (auth)")
    assert put["question"] == (
        "bg-1 (audit (auth)) D1: it wants another agent for: Write the fixtures\nWhy: The tests need them\n"
        "It waits for that agent before it goes on.\nPriority: P1\nTime: 20 minutes\n"
        "Claude's view: May it? I would approve: the fixtures are independent."
    )
    assert [option["label"] for option in put["options"]] == ["Approve", "Deny"]
    assert asking.prefixed(put["question"]) == ("bg-1", "D1")
    assert asking.is_put(put["question"], one, "audit (auth)")


def test_a_blocker_is_put_with_what_it_needs_and_the_parents_view():
    one = item("bg-2", "B1", "blocker", "The registry refuses the token", "A token that may publish")
    asked = [{"question": "bg-2 B1: The registry refuses the token. Shall I ask the admin?", "options": []}]
    [put], _ = asking.in_agents_words(asked, [one], lambda _: "release")
    assert put["question"] == (
        "bg-2 (release) B1: it cannot go on: The registry refuses the token\nIt needs: A token that may publish\n"
        "Claude's view: Shall I ask the admin?"
    )


def test_every_word_typed_is_in_the_ledger_and_an_undo_keeps_what_it_takes_back(asked):
    asked.prompt("/bg-answer Q1: CSV")
    asked.prompt("/bg-answer Q1: XLSX, as the customer wants")
    asked.prompt("/bg-answer bg-9 which of them")
    said = asked.prompt("/bg-answer undo")
    assert "bg-1 Q1: “XLSX, as the customer wants” taken back; “CSV” stands again." in said["systemMessage"]
    assert [row["text"] for row in asked.rows("SELECT text FROM typed ORDER BY id")] == [
        "Q1: CSV",
        "Q1: XLSX, as the customer wants",
        "bg-9 which of them",
        "undo",
    ]
    assert asked.rows("SELECT text, sent FROM answers") == [{"text": "CSV", "sent": None}]
    assert [row["text"] for row in asked.rows("SELECT text FROM retracted")] == ["XLSX, as the customer wants"]
    said = asked.prompt("/bg-answer bg-1 undo")
    assert "bg-1 Q1: “CSV” taken back; it is open again." in said["systemMessage"]
    assert {row["state"] for row in asked.rows("SELECT state FROM questions")} == {"open"}
    assert "there is no answer to take back" in asked.prompt("/bg-answer bg-1 undo")["reason"]


def test_one_saying_is_taken_back_whole_until_the_agent_is_woken(asked):
    asked.prompt("/bg-answer Q1: CSV  Q2: no")
    said = asked.prompt("/bg-answer 1 undo")
    assert "bg-1 Q1: “CSV” taken back" in said["systemMessage"]
    assert "bg-1 Q2: “no” taken back" in said["systemMessage"]
    assert "The user has taken an answer back: bg-1 Q1, bg-1 Q2." in context(said)
    asked.prompt("/bg-answer Q1: CSV  Q2: no")
    message = {"tool_name": "SendMessage", "tool_use_id": "s1"}
    before = {**message, "hook_event_name": "PreToolUse", "tool_input": {"to": "a1", "message": ""}}
    given = asked.send(before)["hookSpecificOutput"]["updatedInput"]
    assert "on its way to bg-1" in asked.prompt("/bg-answer bg-1 undo")["reason"]
    after = {**message, "hook_event_name": "PostToolUse", "tool_input": given}
    asked.send(after, tool_response={"success": True, "resumedAgentId": "a1"})
    assert "cannot be taken back" in asked.prompt("/bg-answer bg-1 undo")["reason"]
    assert [row["text"] for row in asked.rows("SELECT text FROM answers")] == ["CSV", "no"]


def test_what_is_doubtful_is_sent_when_its_one_line_confirms_it(asked):
    said = asked.prompt("/bg-answer bg-1 use tabs everywhere\nQ1: CSV\nQ2: yes")
    assert asked.rows("SELECT 1 FROM answers") == []
    assert "bg-1 Q1: use tabs everywhere CSV" in said["reason"]
    line = re.search(r"/bg-answer confirm \d+", said["reason"])
    assert line is not None
    asked.prompt(line[0])
    assert [row["text"] for row in asked.rows("SELECT text FROM answers")] == ["use tabs everywhere\nCSV", "yes"]
    assert "There is nothing to confirm" in asked.prompt(line[0])["reason"]


def test_a_label_alone_shows_what_is_open_and_what_was_answered(asked):
    asked.prompt("/bg-answer Q2: no")
    for spelt in ("bg-1", "BG-1", "bg1", "1"):
        said = plain(asked.prompt(f"/bg-answer {spelt}")["reason"])
        assert re.search(r"Q1 waiting \d+s “Should the export be CSV, XLSX, or both\?”", said)
        assert re.search(r"Q2 answered, not sent yet .* answer: no", said)
        assert "→ /bg-answer bg-1 Q1: <your answer>" in said
        assert "or /bg-answer bg-1 undo" in said


@pytest.mark.parametrize("command", ["/bg-answer bg-9 Q1: CSV", "/bg-answer bg-9 go"])
def test_an_unknown_label_is_named_and_nothing_is_recorded(asked, command):
    said = asked.prompt(command)["reason"]
    assert "There is no task " in said
    assert command.partition(" ")[2] in said
    assert asked.rows("SELECT 1 FROM answers") == []


def test_an_unknown_word_behind_bg_status_is_named(asked):
    assert "There is no task “hlep”." in asked.prompt("/bg-status hlep")["reason"]


def test_a_prompt_that_records_something_goes_on_and_lists_and_help_do_not(asked):
    """A blocked prompt leaves no record by which it could be proven who typed it."""
    assert "reason" not in asked.prompt("/bg-answer Q1: CSV")
    assert "reason" not in asked.prompt("/bg-answer undo")
    for words in ("", "help", "doctor", "bg-1", "what do you mean"):
        assert asked.prompt(f"/bg-answer {words}")["decision"] == "block"
