"""What people type behind /bg-answer and into dialogs, through the real handlers: nothing lost, nothing turned round.

typed/README.md has what the author of typed/blind.json.xz was given, who had seen neither scripts/ nor tests/, what was
hard to judge, and what the one look at its second half showed. typed/own.json holds the cases of those who wrote the
reader. What a case expects is as it was written; where this plugin does otherwise on purpose, typed/disagreed.json says
why.
"""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from answers import updated
from drive import Drive, block, context
from recordings import VERSIONS, recorded

FOLDER = Path(__file__).with_name("typed")


def read(name: str) -> Any:
    data = (FOLDER / name).read_bytes()
    return json.loads(lzma.decompress(data) if name.endswith(".xz") else data)


CASES = [*read("blind.json.xz"), *read("own.json")]
DISAGREED = read("disagreed.json")


def waiting(tmp_path: Path, tasks: dict[str, dict[str, str]]) -> Drive:
    """A session in which these tasks wait for these items."""
    drive = Drive(VERSIONS[-1], tmp_path)
    wanted = {int(label[3:]): items for label, items in tasks.items()}
    for number in range(1, max(wanted) + 1):
        drive.prompt("/bg Work")
        token = drive.launch("Work", f"a{number}", description="work")
        drive.stop()
        items = wanted.get(number, {})
        questions = [{"question_id": qid, "text": text} for qid, text in items.items() if qid[0] == "Q"]
        # Requests that do not end the run first, then what ends it.
        reports = [
            block("DELEGATE_WORK", token, new_task_description=text, independence="can_proceed_parallel")
            for qid, text in items.items()
            if qid[0] == "D"
        ]
        if questions:
            reports.append(block("CLARIFICATION_NEEDED", token, questions=questions))
        blockers = [text for qid, text in items.items() if qid[0] == "B"]
        if blockers and questions:
            reports.pop()
        reports += [block("STOP_WORK", token, details=text) for text in blockers]
        if number not in wanted:
            reports = [block("COMPLETION_REPORT", token, status="success")]
        drive.ends(f"a{number}", "\n\n".join(reports))
        drive.announced(f"a{number}")
        drive.stop()
        if blockers and questions:
            _ask_besides(drive, f"bg-{number}", questions)
    return drive


def _ask_besides(drive: Drive, label: str, questions: list[dict[str, str]]) -> None:
    """No agent ends a run with questions and a blocker at once; that both wait is written into the ledger."""
    book = drive.ledger()
    try:
        with book.transaction() as writing:
            for question in questions:
                writing.write(
                    "INSERT INTO questions (label, agent, run, qid, text, context, extra, digest, state, asked)"
                    " SELECT label, agent, run, ?, ?, '', '{}', ?, 'open', asked FROM questions WHERE label = ? LIMIT 1",
                    question["question_id"],
                    question["text"],
                    question["text"],
                    label,
                )
    finally:
        book.close()


def say(drive: Drive, case: dict[str, Any]) -> dict[str, Any]:
    """What the user does; the hook's answer."""
    if case["via"] == "typed":
        return drive.prompt(f"/bg-answer {case['text']}")
    before = recorded(drive.version, "question", "PreToolUse", "AskUserQuestion")
    options = [{"label": option, "description": ""} for option in case["options"] or ["One", "Another"]]
    listed = [{**before["tool_input"]["questions"][0], "question": f"{case['item']}: ?", "options": options}]
    asked = updated(drive.send(before, tool_use_id="q1", tool_input={"questions": listed}))
    whole = {**asked, "answers": {asked["questions"][0]["question"]: case["text"]}}
    after = recorded(drive.version, "question", "PostToolUse", "AskUserQuestion")
    return drive.send(after, tool_use_id="q1", tool_input=whole, tool_response=whole)


def shown(said: dict[str, Any]) -> str:
    return f"{said.get('reason', '')}\n{said.get('systemMessage', '')}\n{context(said)}"


def came_of(drive: Drive, case: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    """What the handlers made of it, in the case's form."""
    given = drive.rows(
        "SELECT a.label || ' ' || q.qid AS item, a.kind AS kind, a.text AS text FROM answers a"
        " JOIN questions q ON q.id = a.question ORDER BY a.id"
    )
    said_so = {name: any(each in shown(said) for each in words) for name, words in COMMANDS.items()}
    command = next((name for name, found in said_so.items() if found), None)
    recorded_one = bool(given)
    return {
        "answers": {row["item"]: row["text"] for row in given if row["kind"] not in ("approved", "denied", "skip")},
        "decisions": {
            row["item"]: "yes" if row["kind"] == "approved" else "no"
            for row in given
            if row["kind"] in ("approved", "denied")
        },
        "skipped": sorted(row["item"] for row in given if row["kind"] == "skip") if command != "go" else [],
        "command": command,
        "asked_back": not recorded_one and command is None,
    }


#: What each command says to the user.
COMMANDS = {
    "help": ("takes the last answer back, until",),
    "go": ("goes on with what there is",),
    "undo": ("there is no answer to take back",),
    "doctor": ("Claude Code",),
    "list": ("  waiting ", "Nothing waits for an answer."),
}


def expected(case: dict[str, Any]) -> dict[str, Any]:
    wanted = case["expect"]
    return {
        "answers": dict(wanted["answers"] or {}),
        "decisions": dict(wanted["decisions"] or {}),
        "skipped": sorted(wanted["skipped"] or []),
        "command": wanted["command"] or None,
        "asked_back": wanted["asked_back"],
    }


def lost(drive: Drive, case: dict[str, Any]) -> str:
    """The words that stand nowhere in the ledger, character for character."""
    kept = [row["text"] for row in drive.rows("SELECT text FROM typed")]
    words = case["text"].strip()
    return "" if not words or any(words == text.strip() for text in kept) else words


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_what_people_type_is_taken_as_they_mean_it(case, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    drive = waiting(tmp_path, case["open"])
    said = say(drive, case)
    found, wanted = came_of(drive, case, said), expected(case)
    names = [qid for items in case["open"].values() for qid in items]
    if found["command"] == "list" and wanted["asked_back"] and all(qid in shown(said) for qid in names):
        found.update(command=None, asked_back=True)  # what is asked back names what waits
    if case["name"] in DISAGREED:
        assert found != wanted, "no longer disagreed"
        assert found["decisions"].items() <= wanted["decisions"].items(), "a decision turned round"
    else:
        assert found == wanted, shown(said)
    if wanted["command"] not in ("list", "help", "doctor"):
        assert lost(drive, case) == ""
    conditions = {} if case["name"] in DISAGREED else case["expect"].get("conditions") or {}
    for item, words in conditions.items():
        if wanted["decisions"].get(item) == "yes":
            assert words in context(said), "the condition reaches the parent, which launches"
        assert any(words in row["text"] for row in drive.rows("SELECT text FROM answers"))
    assert drive.rows("SELECT text FROM errors") == []
