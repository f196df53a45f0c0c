"""A decision is yes, no, or asked back: the same for what is typed and for what a dialog brings."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from answers import updated
from bg.loop import decisions
from drive import Drive, block, context
from hypothesis import given
from hypothesis import strategies as st
from recordings import VERSIONS, recorded

TABLE = json.loads(Path(__file__).with_name("decisions.json").read_text(encoding="utf-8"))
PHRASES = [(phrase, kind) for kind, phrases in TABLE.items() for phrase in phrases]
STATES = {"yes": "approved", "yes, on a condition": "approved", "no": "denied", "no, for a reason": "denied"}
ASKED_BACK = (
    "bg-1 D1: neither a clear yes nor a clear no, so nothing was decided. "
    "Type one of these; a condition goes behind `approve:`.\n"
    "/bg-answer bg-1 D1: approve\n/bg-answer bg-1 D1: deny\nYou said: "
)


@pytest.fixture
def deciding(tmp_path, monkeypatch):
    """A session in which an agent waits for a decision."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = Drive(VERSIONS[-1], tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("DELEGATE_WORK", token, independence="blocks_current_work"))
    drive.announced("a1")
    drive.stop()
    return drive


def dialog(drive: Drive, said: str, notes: str = "") -> dict[str, Any]:
    """The parent asks about D1 in a dialog, and the user says this."""
    before = recorded(drive.version, "question", "PreToolUse", "AskUserQuestion")
    listed = [{**before["tool_input"]["questions"][0], "question": "bg-1 D1: may it?"}]
    asked = updated(drive.send(before, tool_use_id="q1", tool_input={"questions": listed}))
    shown = asked["questions"][0]["question"]
    whole = {**asked, "answers": {shown: said}, "annotations": {shown: {"notes": notes}} if notes else {}}
    after = recorded(drive.version, "question", "PostToolUse", "AskUserQuestion")
    return drive.send(after, tool_use_id="q1", tool_input=whole, tool_response=whole)


def typed(drive: Drive, said: str) -> dict[str, Any]:
    return drive.prompt(f"/bg-answer bg-1 D1: {said}")


def outcome(drive: Drive) -> list[tuple[str, str]]:
    """What is decided, and in whose words."""
    return [(row["state"], row["words"] or "") for row in drive.rows("SELECT state, words FROM delegations")]


def wake(drive: Drive, message: str = "") -> str:
    """The parent sends the agent this; what the hook makes of it."""
    payload = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}
    said = drive.send({**payload, "tool_input": {"to": "a1", "message": message}})
    return str(said["hookSpecificOutput"]["updatedInput"]["message"])


def test_the_table_is_large_enough_and_says_each_phrase_once():
    assert len(PHRASES) >= 80
    assert len({phrase for phrase, _ in PHRASES}) == len(PHRASES)


@pytest.mark.parametrize("kind", TABLE)
def test_each_phrase_is_read(kind):
    names = {("yes", False): "yes", ("yes", True): "yes, on a condition", ("no", False): "no"}
    names["no", True] = "no, for a reason"
    read = {phrase: decisions.read(phrase) for phrase in TABLE[kind]}
    assert {} == {phrase: found for phrase, found in read.items() if kind != (names[found] if found else "asked back")}


def undecided(drive: Drive) -> None:
    """The ledger as it was before anything was said to D1."""
    book = drive.ledger()
    with contextlib.closing(book), book.transaction() as writing:
        writing.write("DELETE FROM answers")
        writing.write("UPDATE questions SET state = 'open'")
        writing.write("UPDATE delegations SET state = 'waiting', words = NULL, worker = NULL")
        writing.write("UPDATE windows SET closed = 1")


@pytest.mark.parametrize("kind", TABLE)
@pytest.mark.parametrize("say", [typed, dialog], ids=["typed", "by dialog"])
def test_what_the_user_says_decides_or_is_asked_back(deciding, kind, say):
    wrong = []
    for phrase in TABLE[kind]:
        undecided(deciding)
        said = say(deciding, phrase)
        shown = f"{said.get('reason', '')}{said.get('systemMessage', '')}"
        asked_back = f"{ASKED_BACK}{phrase}" in shown
        if kind in STATES:
            expected = ([(STATES[kind], phrase)], [{"kind": STATES[kind], "text": phrase}], "answered", False)
        else:
            expected = ([("waiting", "")], [], "open", True)
        answers = deciding.rows("SELECT kind, text FROM answers")
        state = deciding.rows("SELECT state FROM questions")[0]["state"]
        launches = "[from the bg plugin, not from the user] label: " in context(said)
        if (outcome(deciding), answers, state, asked_back) != expected or launches != (expected[0][0][0] == "approved"):
            wrong.append((phrase, outcome(deciding), shown))
    assert wrong == []
    assert deciding.rows("SELECT text FROM errors") == []


@pytest.mark.parametrize("say", [typed, dialog], ids=["typed", "by dialog"])
def test_a_condition_reaches_the_parent_and_the_agent_word_for_word(deciding, say):
    words = "approve, but only the  fixtures & `src`"
    said = say(deciding, words)
    order = "The user set a condition, which the hook also writes into the new agent's prompt:"
    assert f"{order}\n{words}" in context(said)
    assert "bg-1 D1: approved: approve, but only the fixtures & `src`" in said["systemMessage"]
    assert f"The user's words: {words}" in wake(deciding)


def test_a_plain_approval_sets_no_condition(deciding):
    assert "condition" not in context(deciding.prompt("/bg-answer bg-1 sure"))


def test_a_reason_reaches_the_agent_word_for_word(deciding):
    said = deciding.prompt("/bg-answer bg-1 D1: no, use the existing one")
    assert "bg-1 D1: denied: no, use the existing one" in said["systemMessage"]
    assert wake(deciding).startswith(
        "## DELEGATION DENIED\n\nReason (the user's words): no, use the existing one\nAlternative:"
    )


def test_what_is_asked_back_can_then_be_decided(deciding):
    assert deciding.prompt("/bg-answer bg-1 aprvoe")["reason"] == f"{ASKED_BACK}aprvoe"
    assert "[from the bg plugin, not from the user] label: bg-2" in context(
        deciding.prompt("/bg-answer bg-1 D1: approve")
    )
    assert outcome(deciding) == [("approved", "approve")]


def test_an_unclear_word_leaves_an_earlier_decision_as_it_is(deciding):
    deciding.prompt("/bg-answer bg-1 D1: deny, too costly")
    said = str(deciding.prompt("/bg-answer bg-1 D1: hm, deny or approve"))
    assert "bg-1 D1: neither a clear yes nor a clear no, so “deny, too costly” stands. " in said
    assert "You said: hm, deny or approve" in said
    assert outcome(deciding) == [("denied", "deny, too costly")]


def test_an_approval_given_twice_contradicts_nothing(deciding):
    said = deciding.prompt("/bg-answer bg-1 D1: approve D1: approve")
    assert context(said).count("[from the bg plugin, not from the user] label: bg-2") == 1
    assert outcome(deciding) == [("approved", "approve")]


@pytest.mark.parametrize(
    "words", ["too expensive, no", "that is out of scope. no thanks", "zu teuer, nein", "trop cher - non"]
)
def test_a_reason_may_come_before_the_no(words):
    assert decisions.Decision(decisions.NO, qualified=True) == decisions.read(words)


@pytest.mark.parametrize(
    "words",
    ["should it? no", "the agent said: no", "it may start, no", "let me think, no", "yes, no", "not sure, no idea"],
)
def test_a_no_at_the_end_of_something_else_is_asked_back(words):
    assert decisions.read(words) is None


@pytest.mark.parametrize("words", ["approve", "sure, the user says go ahead", "deny it"])
def test_what_the_parent_passes_on_decides_nothing(deciding, words):
    assert "The parent agent's own words, not the user's:\n\n> " + words in wake(deciding, words)
    assert outcome(deciding) == [("waiting", "")]
    assert deciding.rows("SELECT 1 FROM answers") == []


def test_the_notes_that_the_user_adds_to_a_choice_are_part_of_it(deciding):
    """2.1.327 brings them beside the answers, by the question."""
    dialog(deciding, "Approve", notes="only the fixtures")
    assert outcome(deciding) == [("approved", "Approve: only the fixtures")]


def test_a_long_text_that_decides_nothing_is_shown_whole(deciding):
    words = "\n".join(f"line {number} of what was pasted" for number in range(200))
    assert words in deciding.prompt(f"/bg-answer bg-1 D1: {words}")["reason"]
    said = dialog(deciding, words)
    assert words in said["systemMessage"]
    assert len(context(said)) < 4000


@given(st.text(max_size=200))
def test_no_text_makes_the_reader_fail_and_a_question_never_approves(text):
    decisions.read(text)
    found = decisions.read(f"{text}?")
    assert found is None or found.verdict == decisions.NO
