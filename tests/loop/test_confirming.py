"""Words that no record proves are kept, and a code that only a terminal shows confirms them: no renamed field ends /bg."""

from __future__ import annotations

from pathlib import Path

import pytest
from bg.ledger import digests, proofs
from bg.ledger.place import directory
from bg.loop import scene
from drive import Drive, block, plain
from recordings import NEWEST, VERSIONS, recorded
from test_proof import APPROVE, denied, posted, say, sent, turn, typed, waiting, wake

NEW = [version for version in VERSIONS if version not in ("2.1.7", "2.1.38")]
#: What a host may call otherwise from some version on; the record is found by its words, or not at all.
RENAMED = (
    "origin",
    "kind",
    "turnOrigin",
    "promptSource",
    "entrypoint",
    "version",
    "promptId",
    "type",
    "message",
    "content",
)
WORDS = "/bg-answer bg-1 Q1: CSV Q2: no"


@pytest.fixture(params=NEW)
def drive(request, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(request.param, tmp_path)


@pytest.fixture
def newest(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(VERSIONS[-1], tmp_path)


def renamed(record: dict, name: str) -> dict:
    """The same record of a host that has another name for one thing."""
    found = {}
    for key, value in record.items():
        inner = renamed(value, name) if isinstance(value, dict) else value
        found[f"{key}Of" if key == name else key] = inner
    return found


def shown(drive: Drive) -> list[tuple[str, str]]:
    """The codes as `bgctl code` gives them out, each with its words."""
    book = drive.ledger()
    try:
        with book.transaction() as writing:
            return [(code, row.text) for code, row in proofs.give(writing, proofs.kept(book, 0.0, 9))]
    finally:
        book.close()


def judged(drive: Drive) -> None:
    """Hosts write it down late, or not at all: one more event, when nobody waits any longer."""
    drive.stop()
    drive.advance(60)
    drive.stop()


def says(drive: Drive, words: str, name: str) -> dict:
    return say(drive, words, renamed(typed(drive, words), name))


@pytest.mark.parametrize("name", RENAMED)
def test_a_person_answers_by_the_code_where_a_field_is_renamed(drive, name):
    waiting(drive, "CLARIFICATION_NEEDED")
    says(drive, WORDS, name)
    judged(drive)
    if drive.rows("SELECT 1 FROM proofs WHERE proof = 'keyboard' AND text = ?", WORDS):
        return  # this version does not have the field there, or does not need it
    assert drive.rows("SELECT 1 FROM answers") == []
    [(code, words)] = shown(drive)
    assert words == WORDS
    says(drive, f"/bg-answer code {code}", name)
    assert "A1: CSV" in sent(wake(drive))
    assert {row["proof"] for row in drive.rows("SELECT proof FROM proofs WHERE text LIKE '%Q1: CSV%'")} == {"code"}


def test_a_renamed_field_is_asked_about_where_it_decides(newest):
    """Else the test above could pass because nothing was renamed."""
    waiting(newest, "CLARIFICATION_NEEDED")
    for name in RENAMED:
        says(newest, f"/bg-answer bg-1 Q1: {name}", name)
        judged(newest)
    counted = {row["text"] for row in newest.rows("SELECT text FROM answers")}
    assert counted == {"promptId"}


@pytest.mark.parametrize("name", ["origin", "kind", "turnOrigin", "type"])
def test_a_person_launches_and_approves_by_the_code(newest, name):
    says(newest, "/bg:bg Audit the auth code", name)
    assert newest.launch("Audit.\nGoal: find holes", "a1", description="bg-1: audit") is None
    judged(newest)
    [(code, _)] = shown(newest)
    told = says(newest, f"/bg-answer code {code.upper()}", name)["hookSpecificOutput"]["additionalContext"]
    assert "> Audit the auth code" in told
    assert "label: bg-2" in told
    newest.calls = 20
    assert newest.launch("Audit.\nGoal: find holes", "a1", description="bg-2: audit")


@pytest.mark.parametrize("name", ["origin", "turnOrigin"])
def test_an_approval_by_the_code_opens_its_launch(newest, name):
    waiting(newest, "DELEGATE_WORK")
    says(newest, APPROVE, name)
    judged(newest)
    [(code, _)] = shown(newest)
    says(newest, f"/bg-answer code {code}", name)
    newest.calls = 50
    [label] = [row["label"] for row in newest.rows("SELECT label FROM windows WHERE closed IS NULL")]
    assert newest.launch("Measure.", "a2", description=f"{label}: measure")


def test_a_task_is_closed_by_the_code(newest):
    waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, "/bg-answer bg-1 close", "origin")
    judged(newest)
    assert newest.rows("SELECT 1 FROM tasks WHERE closed IS NOT NULL") == []
    [(code, _)] = shown(newest)
    says(newest, f"/bg-answer code {code}", "origin")
    assert newest.rows("SELECT label FROM tasks WHERE closed IS NOT NULL") == [{"label": "bg-1"}]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (
            "/bg-answer bg-1 Q1: CSV Q2: no",
            "bg-1 Q1 (Should the export be kept or deleted?) was not there, or waited for nothing",
        ),
        ("/bg-answer Q2: no", "bg-1 Q2 ("),
        ("/bg-answer bg-1 go", "bg-1 has asked Q1, Q2 since you typed `go`"),
    ],
)
def test_a_code_answers_nothing_that_was_asked_later(newest, words, told):
    """The ids begin anew with each run of an agent."""
    token = waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, words, "origin")
    judged(newest)
    [(code, _)] = shown(newest)
    newest.writes = True
    newest.prompt("/bg-answer bg-1 Q1: the first Q2: the second")
    given = wake(newest)["hookSpecificOutput"]["updatedInput"]
    after = {**recorded("2.1.327", "resume", "PostToolUse", "SendMessage"), "tool_use_id": "m1", "tool_input": given}
    newest.send(after, tool_response={"success": True, "resumedAgentId": "a1"})
    newest.stop()
    newest.ends("a1", block("CLARIFICATION_NEEDED", token).replace("CSV, XLSX, or both", "kept or deleted"))
    newest.announced("a1")
    said = newest.prompt(f"/bg-answer code {code}")
    assert told in said["reason"]
    assert newest.rows("SELECT text FROM answers WHERE sent IS NULL") == []
    newest.prompt("/bg-answer bg-1 Q1: staging Q2: yes")
    assert "A1: staging" in sent(wake(newest, "m2"))


def test_nobody_else_has_the_code(newest):
    """A scheduled prompt, another process and an agent that calls the hook may say what they like."""
    waiting(newest, "DELEGATE_WORK")
    scheduled = {"turnOrigin": "scheduled", "wakeupSource": "schedule_wakeup", "scheduledTaskId": "b3248dec"}
    unsigned = {key: value for key, value in typed(newest, APPROVE).items() if key != "origin"}
    say(newest, APPROVE, renamed({**unsigned, "turnOrigin": "scheduled"}, "turnOrigin"))
    judged(newest)
    say(newest, APPROVE, {**unsigned, **scheduled})
    judged(newest)
    say(newest, APPROVE, renamed(posted(APPROVE, turn(newest)), "kind"))
    judged(newest)
    say(newest, APPROVE)
    judged(newest)
    for guess in ("aaaaa-bbbbb", "ccccc-ddddd"):
        say(newest, f"/bg-answer code {guess}", {**typed(newest, f"/bg-answer code {guess}")})
        judged(newest)
    assert newest.rows("SELECT state FROM delegations") == [{"state": "waiting"}]
    assert newest.rows("SELECT 1 FROM answers") == []
    assert newest.rows("SELECT 1 FROM windows WHERE closed IS NULL") == []


def test_no_hook_says_a_code_and_no_file_has_one(newest):
    waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, WORDS, "origin")
    judged(newest)
    [(code, _)] = shown(newest)
    asked = ("Hello", "/bg-status", "/bg-status bg-1", "/bg-status doctor")
    said = [plain(newest.prompt(words).get("reason", "")) for words in asked]
    assert code not in " ".join(said)
    kept = [path for path in Path(directory()).rglob("*") if path.is_file()]
    assert kept
    for path in kept:
        for form in (code, code.replace("-", "")):
            assert form.encode() not in path.read_bytes(), path
    assert "“/bg-answer bg-1 Q1: CSV Q2: no” has no effect until you confirm it" in " ".join(said)


def test_a_code_cannot_be_worked_out_from_its_digest(newest, monkeypatch):
    """Fifty bits are a night's work for whoever has the digest of one round."""
    waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, WORDS, "origin")
    judged(newest)
    known, rounds, make = [], [], digests._sha256()

    def counted(data: bytes) -> object:
        rounds.append(data)
        return make(data)

    monkeypatch.setattr(digests, "_sha256", lambda: counted)
    monkeypatch.setattr(proofs, "_made", lambda _: "aaaaa-bbbbb")
    for _ in range(2):
        rounds.clear()
        [(code, _)] = shown(newest)
        assert len(rounds) >= 10_000
        [row] = newest.rows("SELECT value FROM meta WHERE key = 'codes'")
        known.append(row["value"])
    assert known[0] != known[1], "of the same code"
    says(newest, f"/bg-answer code {code}", "origin")
    assert "A1: CSV" in sent(wake(newest))


def test_a_code_counts_once_and_three_wrong_ones_end_it(newest):
    waiting(newest, "CLARIFICATION_NEEDED")
    for words in ("/bg-answer bg-1 Q1: CSV", "/bg-answer bg-1 Q2: no"):
        says(newest, words, "origin")
        judged(newest)
    (second, _), (first, words) = shown(newest)
    assert words == "/bg-answer bg-1 Q1: CSV"
    newest.prompt(f"/bg-answer code {first}")
    assert "That code confirms nothing" in newest.prompt(f"/bg-answer code {first}")["reason"]
    for _ in range(2):
        newest.prompt("/bg-answer code aaaaa-aaaaa")
    assert "That code confirms nothing" in newest.prompt(f"/bg-answer code {second}")["reason"]
    assert [row["text"] for row in newest.rows("SELECT text FROM answers")] == ["CSV"]
    [(again, _)] = shown(newest)
    newest.prompt(f"/bg-answer code {again}")
    assert "A2: no" in sent(wake(newest))


def test_a_code_launches_but_names_no_check(newest):
    """Between the typing and the code the words were in a file that any process of this user can write."""
    says(newest, "/bg:bg Audit\nVerify: true", "origin")
    judged(newest)
    [(code, _)] = shown(newest)
    says(newest, f"/bg-answer code {code}", "origin")
    newest.calls = 20
    assert newest.launch("Audit.", "a1", description="bg-2: audit")
    assert "bg-2: `Verify: true` does not count" in newest.started["systemMessage"]
    assert newest.rows("SELECT verify FROM tasks WHERE label = 'bg-2'") == [{"verify": None}]


def test_the_command_that_shows_the_code_can_be_copied(newest, monkeypatch):
    monkeypatch.setattr(scene, "ROOT", "/home/a b/plugin")
    waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, WORDS, "origin")
    said = [newest.stop()]
    newest.advance(60)
    said += [newest.stop(), newest.prompt("Hello")]
    told = " ".join(each.get("systemMessage", "") for each in said)
    assert "run `'/home/a b/plugin/scripts/bgctl' code` in a terminal" in told


@pytest.mark.parametrize("slip", ["abcd1-efghi", "abcde-fghi", "abcde-fghij.", "`abcde-fghij`", "abcde-fgh ij"])
def test_a_code_with_a_slip_is_no_answer(newest, slip):
    token = waiting(newest, "DELEGATE_WORK")
    says(newest, "/bg-answer bg-1 D1: deny", "origin")
    judged(newest)
    assert token
    assert shown(newest)
    newest.prompt("/bg:bg Count")
    other = newest.launch("Count.", "a9")
    newest.prompt("/bg-answer bg-1 D1: deny")
    one = [{"question_id": "Q1", "text": "Which?", "context": "", "default": "none"}]
    newest.ends("a9", block("CLARIFICATION_NEEDED", other, questions=one))
    newest.announced("a9")
    assert "That code confirms nothing" in newest.prompt(f"/bg-answer code {slip}")["reason"]
    assert newest.rows("SELECT text FROM answers WHERE text LIKE 'code%'") == []


def test_without_a_code_to_type_the_word_is_an_answer(newest):
    """Nobody was shown a code, so nobody means one."""
    newest.prompt("/bg:bg Count")
    token = newest.launch("Count.", "a9")
    one = [{"question_id": "Q1", "text": "Which?", "context": "", "default": "none"}]
    newest.ends("a9", block("CLARIFICATION_NEEDED", token, questions=one))
    newest.announced("a9")
    newest.prompt("/bg-answer code after tests")
    assert newest.rows("SELECT text FROM answers") == [{"text": "code after tests"}]


def test_the_doctor_names_the_shape(newest):
    waiting(newest, "CLARIFICATION_NEEDED")
    says(newest, WORDS, "turnOrigin")
    judged(newest)
    told = plain(newest.prompt("/bg-status doctor")["reason"])
    assert f"an unknown form of Claude Code {NEWEST} (a command; entrypoint=cli, origin={{'kind': 'human'}})" in told


def test_the_parent_hears_that_only_the_user_can_confirm(newest):
    waiting(newest, "DELEGATE_WORK")
    says(newest, APPROVE, "kind")
    newest.calls = 50
    assert newest.launch("Measure.", "a2", description="bg-2: measure") is None
    assert "is kept and has no effect yet" in newest.started["systemMessage"]
    payload = recorded(newest.version, newest.scene, "PreToolUse", newest.spawn)
    given = {**payload["tool_input"], "description": "bg-2: measure", "prompt": "Measure."}
    assert "which only the user can do" in denied(newest.send(payload, tool_use_id="x1", tool_input=given))
