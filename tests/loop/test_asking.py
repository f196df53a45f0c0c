"""A dialog of the parent's own: beside the agent's question stands another one, or behind it the message with answers."""

from __future__ import annotations

import json

import pytest
from bg.ledger import inbox
from bg.loop import asking
from drive import block
from recordings import recorded


def test_only_the_agents_question_is_put_in_its_own_words(newest):
    newest.prompt("/bg Audit")
    question = [{"question_id": "Q1", "text": "Shall the export be CSV or XLSX?"}]
    newest.ends("a1", block("CLARIFICATION_NEEDED", newest.launch("Audit", "a1"), questions=question))
    book = newest.ledger()
    items = inbox.waiting(book)
    own = {"question": "Which colour shall the button have?", "options": [{"label": "red"}, {"label": "blue"}]}
    theirs = {"question": "bg-1 Q1: Shall the export be CSV or XLSX?", "options": [{"label": "CSV"}, {"label": "XLSX"}]}
    put, asked = asking.in_agents_words([own, theirs], items, lambda _: "audit")
    book.close()
    assert put[0] == own
    assert "Shall the export be CSV or XLSX?" in put[1]["question"]
    assert asked == items


@pytest.mark.parametrize("answered", [True, False])
def test_the_message_behind_a_dialog_is_sent_if_the_user_has_answered_in_it(newest, answered):
    """The parent makes both calls at once, before it can know the answer."""
    newest.prompt("/bg Audit")
    newest.ends("a1", block("CLARIFICATION_NEEDED", newest.launch("Audit", "a1"), questions="Q1: CSV or XLSX?"))
    newest.announced("a1")
    before = recorded(newest.version, "question", "PreToolUse", "AskUserQuestion")
    after = recorded(newest.version, "question", "PostToolUse", "AskUserQuestion")
    asks = {"questions": [{**before["tool_input"]["questions"][0], "question": "bg-1 Q1: CSV or XLSX?"}]}
    sends = {"to": "a1", "message": "Go on.", "summary": "answers"}
    with newest.transcript.open("a") as file:
        for call, tool, given in (("q1", "AskUserQuestion", asks), ("s1", "SendMessage", sends)):
            part = {"type": "tool_use", "id": call, "name": tool, "input": given}
            message = {"id": "m1", "role": "assistant", "content": [part]}
            file.write(json.dumps({"type": "assistant", "message": message}) + "\n")
    put = newest.send(before, tool_use_id="q1", tool_input=asks)["hookSpecificOutput"]["updatedInput"]
    answers = {put["questions"][0]["question"]: "XLSX"} if answered else {}
    newest.send(after, tool_use_id="q1", tool_input=put, tool_response={**put, "answers": answers})
    message = recorded(newest.version, "send-running", "PreToolUse", "SendMessage")
    said = newest.send({**message, "agent_id": None}, tool_use_id="s1", tool_input=sends)["hookSpecificOutput"]
    if answered:
        assert "permissionDecisionReason" not in said
        assert "A1: XLSX" in said["updatedInput"]["message"].splitlines()
    else:
        assert "The user has not answered Q1 of bg-1, so nothing was sent." in said["permissionDecisionReason"]
        assert newest.rows("SELECT 1 FROM resumes") == []
