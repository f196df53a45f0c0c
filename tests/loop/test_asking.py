"""A dialog of the parent's own, in which an agent's question stands beside another one."""

from __future__ import annotations

from bg.ledger import inbox
from bg.loop import asking
from drive import block


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
