"""What a report declares decides its task's state: asked about once, insisted on, disputed; the honest are let be."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from bg.desk import detail, look, table
from bg.desk.page import Page
from bg.ledger import place
from bg.loop import judging
from drive import Drive, block, context, stamp
from recordings import VERSIONS

PROSE = "All read, nothing found. See AUDIT.md:3."


@pytest.fixture(params=(VERSIONS[0], VERSIONS[-1]))
def version(request):
    return request.param


def launched(drive: Drive, brief: str = "") -> str:
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(drive.folder)]
    (drive.folder / ".gitignore").write_text("projects/\n")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    drive.prompt("/bg Audit")
    drive.began = time.time()
    token = drive.launch(f"Audit the code.\n{brief}", "a1")
    drive.stop()
    return token


def calls(drive: Drive, *made: tuple[str, dict, str, bool]) -> None:
    """The agent's tool calls, in its own transcript, ten seconds one after the other."""
    path = drive.transcript_of("a1", "I begin.")
    with path.open("a", encoding="utf-8") as file:
        for number, (name, given, result, failed) in enumerate(made):
            use = {"type": "tool_use", "id": f"t{number}", "name": name, "input": given}
            answer = {"type": "tool_result", "tool_use_id": f"t{number}", "content": result, "is_error": failed}
            for later, kind, part in ((0, "assistant", use), (1, "user", answer)):
                line = {"type": kind, "uuid": f"c{number}{kind}", "message": {"content": [part]}}
                line["timestamp"] = stamp(drive.began + 10 * (number + 1) + later)
                file.write(json.dumps({**line, "cwd": str(drive.folder)}) + "\n")


def made(drive: Drive, number: int, *names: str, text: str = "x = 1\n") -> None:
    """Files change during this call, the first being 1."""
    for name in names:
        path = drive.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        moment = drive.began + 10 * number + 0.5
        os.utime(path, (moment, moment))


def corrections(drive: Drive) -> int:
    [row] = drive.rows("SELECT corrections FROM runs")
    return row["corrections"]


def test_what_does_not_match_is_asked_about_once_and_then_disputed(drive):
    token = launched(drive)
    report = block("COMPLETION_REPORT", token, status="success", evidence="- wrote docs/api.md\n- not done: b")
    asked = drive.ends("a1", report)
    assert asked["decision"] == "block"
    assert "- “wrote docs/api.md” — there is no such file in the project" in asked["reason"]
    assert "say what is so, or that it is not done" in asked["reason"]
    assert "Do what is missing" not in asked["reason"]
    assert drive.ends("a1", report, stop_hook_active=True) == {}
    assert (drive.state(), corrections(drive)) == ("disputed", 1)
    said = drive.announced("a1")
    assert said["systemMessage"] == "bg-1 disputed: “docs/api.md” is not there"
    text = context(said)
    assert "reports success, and is disputed" in text
    assert "Does not match:\n- “wrote docs/api.md” — there is no such file in the project\n" in text
    assert "Left open, as it says:\n- “not done: b”\n" in text
    assert "first what does not match" in text
    assert "have it go on, reduce the task, hand the rest to another agent, or take it as it is" in text


def test_disputed_stands_in_the_table_in_json_and_in_the_export(drive):
    token = launched(drive)
    report = block("COMPLETION_REPORT", token, status="success", evidence="- wrote docs/api.md")
    drive.ends("a1", report)
    drive.ends("a1", report, stop_hook_active=True)
    book = drive.ledger()
    page = Page()
    shown, whole = table.table(book, page), detail.detail(book, page, "bg-1")
    [task] = json.loads(look.run_status(_given(label="", json=True, all=True))[1])
    exported = "".join(look.run_export(_given(task=""))[1])
    book.close()
    assert "disputed" in shown
    assert "“docs/api.md” is not there" in shown
    assert "does not match: wrote docs/api.md" in whole
    assert "there is no such file in the project" in whole
    assert (task["state"], task["evidence"]["findings"][0]["grade"]) == ("disputed", "does not match")
    assert '"disputed"' in exported
    assert "refutes the report; see its evidence and checks" in exported


def _given(**values):
    return type("Given", (), values)()


def test_a_second_report_that_says_what_is_so_is_taken(drive):
    token = launched(drive)
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- wrote docs/api.md"))
    honest = block("COMPLETION_REPORT", token, status="partial_success", evidence="- not done: docs/api.md")
    assert drive.ends("a1", honest, stop_hook_active=True) == {}
    assert drive.state() == "partial"
    assert drive.announced("a1")["systemMessage"].startswith("bg-1 done in part")


def test_something_else_that_does_not_match_is_asked_about_too_and_no_more(drive):
    token = launched(drive)
    texts = [
        block("COMPLETION_REPORT", token, status="success", evidence=f"- wrote docs/{name}.md")
        for name in ("a", "bb", "ccc")
    ]
    assert [bool(drive.ends("a1", text, stop_hook_active=True)) for text in texts] == [True, True, False]
    assert drive.state() == "disputed"
    assert drive.announced("a1")["systemMessage"] == "bg-1 disputed: “docs/ccc.md” is not there"


def test_it_is_never_done_where_nobody_may_be_asked(drive):
    Path(place.config_directory()).mkdir(parents=True, exist_ok=True)
    (Path(place.config_directory()) / "bg.json").write_text('{"max_corrections": 0}')
    token = launched(drive)
    report = block("COMPLETION_REPORT", token, status="success", evidence="- wrote docs/api.md")
    assert drive.ends("a1", report) == {}
    assert drive.state() == "disputed"
    assert drive.announced("a1")["systemMessage"] == "bg-1 disputed: “docs/api.md” is not there"


def test_an_honest_list_is_not_touched(drive):
    token = launched(drive)
    made(drive, 2, "a.py")
    calls(
        drive,
        ("Bash", {"command": "ruff check ."}, "Found 1 error.", True),
        ("Edit", {"file_path": str(drive.folder / "a.py")}, "ok", False),
        ("Bash", {"command": "ruff check ."}, "All checks passed!", False),
        ("Bash", {"command": "pytest -q 2>&1 | tail -5"}, "3 passed in 0.1s", False),
    )
    listed = "- changed a.py\n- ran `ruff check .` -> fail, then pass\n- ran `pytest -q` -> pass, 3 passed\n- not checked: Windows"
    assert drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence=listed)) == {}
    assert (drive.state(), corrections(drive)) == ("done", 0)
    said = drive.announced("a1")
    assert said["systemMessage"] == "bg-1 done ✓ “The login has no rate limit.” · tests passed: “pytest -q”"
    assert "Does not match" not in context(said)


def test_a_valid_block_without_a_list_is_delivered_at_once_with_the_hosts_facts(drive):
    token = launched(drive, "Deliverables: a.py\n")
    made(drive, 1, "a.py")
    edited = ("Edit", {"file_path": str(drive.folder / "a.py")}, "ok", False)
    calls(drive, edited, ("Bash", {"command": "pytest -q"}, "1 failed in 0.1s", True))
    without = re.sub(r"evidence: \|\n(?:  .*\n)+", "", block("COMPLETION_REPORT", token, status="success"))
    assert "evidence" not in without
    assert drive.ends("a1", without) == {}
    assert (drive.state(), corrections(drive)) == ("done", 0)
    said = drive.announced("a1")
    assert said["systemMessage"] == "bg-1 done: “The login has no rate limit.” · failed: “pytest -q” · not declared"
    text = context(said)
    assert "it is only said" in text
    assert "- files that this run changed: “a.py”" in text
    assert "- “pytest -q”: failed" in text


def test_prose_is_asked_for_its_block_with_the_facts_and_then_delivered_with_notes(drive):
    launched(drive)
    (drive.folder / "a.py").write_text("x = 1\n")
    asked = drive.ends("a1", PROSE)
    assert "no signal block that can be read" in asked["reason"]
    assert (
        "For `evidence`, this is what was seen of your run:\n- changed meanwhile by others: “a.py”" in asked["reason"]
    )
    assert drive.ends("a1", PROSE, stop_hook_active=True) == {}
    assert drive.state() == "unreported"
    text = context(drive.announced("a1"))
    assert "- no tool was used in this run\n" in text
    assert "Does not match" not in text


def test_what_was_not_looked_at_reaches_the_person_and_the_parent(drive, monkeypatch):
    monkeypatch.setattr(judging, "_transcript", lambda *_: "")
    token = launched(drive)
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- ran `pytest` -> pass"))
    assert drive.state() == "done"
    text = context(drive.announced("a1"))
    assert "what the agent called could not be seen whole" in text
    assert "Not looked at:\n- what the agent called could not be read whole" in text
    book = drive.ledger()
    assert "not looked at: what the agent called could not be read whole" in detail.detail(book, Page(), "bg-1")
    book.close()
