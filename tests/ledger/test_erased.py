"""Erasing a task: what it shared with others is emptied in their rows too."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from bg.ledger import erasing, proofs, tasks
from bg.ledger.file import Ledger


def test_words_said_to_several_tasks_at_once_are_emptied_for_all_and_no_code_confirms_them(tmp_path: Path) -> None:
    both, other = "Q1: both of them bg-2 Q1: the same", "Q2: yes"
    moment = 1.0
    with closing(Ledger(tmp_path, clock=lambda: moment)) as book:
        with book.transaction() as writing:
            for label in ("bg-1", "bg-2"):
                tasks.create(writing, label, label, "s1", "/p", "Audit", "done")
                proofs.note(writing, "s1", label, both, "c1", proofs.KEPT, "an unknown form")
            moment = 2.0
            proofs.note(writing, "s1", "bg-2", other, "c2", proofs.KEPT, "an unknown form")
        erasing.begin(book, "bg-1")
        assert [row.text for row in proofs.kept(book, 0, 10)] == [other]
        assert [(row.label, row.text, row.proof) for row in proofs.find(book, way=proofs.PASSED_ON)] == [
            ("bg-2", "", proofs.UNPROVEN),
            ("bg-2", other, proofs.KEPT),
        ]
