"""Reports far longer than a person reads: kept whole, known again, read at their end, forgotten with their task."""

from __future__ import annotations

import json
import random
from contextlib import closing

from bg.desk import cli
from bg.ledger import forgetting, reported
from bg.ledger.file import Ledger
from drive import Drive, block


def test_a_long_report_is_kept_whole_and_read_at_its_end(tmp_path, capsys):
    drive = Drive("2.1.327", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    words = random.Random(5)
    lines = "".join(f"{number} {words.random()} größer\n" for number in range(90_000))
    report = f"{lines}{block('COMPLETION_REPORT', token)}"
    assert len(report) > 2 * reported.LONGEST
    drive.ends("a1", report)
    drive.announced("a1", result=report)
    assert drive.rows("SELECT state FROM tasks") == [{"state": "partial"}]
    [row] = drive.rows("SELECT length(text) AS length FROM reports")
    assert row["length"] == reported.LONGEST
    with closing(drive.ledger()) as book:
        [kept] = reported.reports(book, "a1", 1)
        assert reported.whole(book, kept) == report
    assert _exported(capsys) == [report]
    with closing(drive.ledger()) as book:
        forgetting.forget(book, "bg-1")
    assert drive.rows("SELECT * FROM report_beginnings") == []


def _exported(capsys) -> list[str]:
    assert cli.main(["export"]) == 0
    return [one["text"] for line in capsys.readouterr().out.splitlines() for one in json.loads(line).get("reports", [])]


def test_texts_as_long_as_a_piece_or_two(tmp_path):
    book = Ledger(tmp_path)
    for number, length in enumerate((1, reported.LONGEST - 1, reported.LONGEST, reported.LONGEST + 1, 2 * reported.LONGEST)):
        text = "ab" * (length // 2) + "c" * (length % 2)
        assert reported.keep_report(book, "a1", number, "SubagentStop", text)
        assert not reported.keep_report(book, "a1", number, "SubagentStop", text)
        [kept] = reported.reports(book, "a1", number)
        assert reported.whole(book, kept) == text
    book.close()
