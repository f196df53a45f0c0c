"""Erasing: no byte of a task's texts is left in the data directory, whatever has written there; what lives stays."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from bg.desk import board, cli, doctor, forget, look, written
from bg.host import versions
from bg.ledger import erasing, forgetting, place, spool, sqlite3, tasks, typed
from bg.ledger.file import Ledger
from drive import Drive, block
from recordings import recorded

DAY = 24 * 3600
PARTS = (
    "task",
    "prompt",
    "why",
    "question",
    "answer",
    "wake",
    "report",
    "file",
    "name",
    "trace",
    "late",
    "doubt",
    "unassigned",
)
MARKS = {part: f"Zürich-{part}-kumquat" for part in PARTS}


def marked(drive: Drive, agent: str = "a1") -> str:
    """A task through prompt, launch, question, doubtful and given answer, resume, report, trace and log."""
    drive.prompt(f"/bg Audit {MARKS['task']}")
    token = drive.launch(f"Audit it: {MARKS['prompt']}", agent, MARKS["name"])
    drive.stop()
    question = {"question_id": "Q1", "question": f"Which one, {MARKS['question']}?", "context": MARKS["why"]}
    drive.ends(agent, block("CLARIFICATION_NEEDED", token, reason=MARKS["why"], questions=[question]))
    drive.announced(agent)
    label = token.rpartition("-")[0] if token else ""
    drive.prompt(f"/bg-answer Q7: {MARKS['doubt']}")
    drive.prompt(f"/bg-answer {label} Q1: {MARKS['answer']}")
    wake = {**recorded("2.1.327", "question", "PreToolUse", "AskUserQuestion"), "tool_name": "SendMessage"}
    drive.send(wake, tool_use_id=f"w-{agent}", tool_input={"to": agent, "message": MARKS["wake"]})
    words = {"summary": f"Found {MARKS['report']}. " * 400, "deliverables": f"{MARKS['file']}.md"}
    for _ in range(3):  # it insists on a file that is not there
        drive.ends(agent, block("COMPLETION_REPORT", token, status="success", **words))
    drive.announced(agent)
    drive.stop()
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("INSERT INTO errors (at, event, text) VALUES (?, 'Stop', ?)", book.now(), MARKS["trace"])
        writing.write("INSERT INTO meta VALUES (?, ?)", f"late:{drive.session}", MARKS["late"])
        typed.keep(writing, drive.session, "command", "", f"Q1 and Q2: {MARKS['unassigned']}")
    book.close()
    spool.log(place.directory(), "Stop", MARKS["trace"], time.time())
    return label


def shown() -> None:
    """Everything that a user can have written into the data directory."""
    board.run(argparse.Namespace(output="", open=False, all=True))
    for book in map(Ledger, place.existing()):
        for task in tasks.every(book):
            written.save(book, task.label)
        book.close()
    code, lines, _ = look.run_export(argparse.Namespace(task=""))
    assert code == 0
    (Path(place.directory()) / "bg-tasks.jsonl").write_text("".join(lines), encoding="utf-8")


def holding(folder: str | Path, words: list[str]) -> dict[str, set[str]]:
    """The files below a folder that hold one of these words, as it is, escaped or in UTF-16."""
    found: dict[str, set[str]] = {}
    for path in Path(folder).rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for word in words:
                shapes = {word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le")}
                if any(shape in data for shape in shapes):
                    found.setdefault(path.name, set()).add(word)
    return found


def everywhere() -> dict[str, set[str]]:
    return {
        name: words
        for folder in (place.directory(), *place.fallback_spools(place.directory()))
        for name, words in holding(folder, list(MARKS.values())).items()
    }


def erases(*labels: str, days: int | None = None) -> tuple[int, str, str]:
    code, out, said = forget.run(argparse.Namespace(labels=list(labels), ended_before=days, erase=True))
    return code, "".join(out), said


def forgets(*labels: str) -> None:
    assert forget.run(argparse.Namespace(labels=list(labels), ended_before=None, erase=False))[0] == 0


@pytest.fixture
def careless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Some builds of SQLite overwrite what is deleted anyway: not here, so that nothing is left to luck."""
    connect = sqlite3.connect

    def connected(*given: Any, **named: Any) -> sqlite3.Connection:
        connection = connect(*given, **named)
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    monkeypatch.setattr(sqlite3, "connect", connected)


@pytest.mark.usefixtures("careless")
@pytest.mark.parametrize("journal", ["WAL", "DELETE"])
def test_no_byte_of_a_task_is_left(drive: Drive, journal: str, monkeypatch: pytest.MonkeyPatch, tell: Any) -> None:
    monkeypatch.setenv("BG_JOURNAL_MODE", journal)
    label = marked(drive)
    shown()
    before = everywhere()
    assert set(MARKS.values()) == set().union(*before.values()), "each part has been written somewhere"
    code, out, said = erases(label)
    assert (code, said) == (0, "")
    assert out.splitlines() == [f"{label} is erased from {place.directory()}", forget.OUTSIDE]
    assert everywhere() == {}
    assert not (Path(place.directory()) / place.ERASING).exists()
    tell(f"{journal}: {len(before)} files held words of the task, none after it: {', '.join(sorted(before))}")


def test_the_marks_stay_where_nothing_is_erased(drive: Drive) -> None:
    """The search finds what a forgotten task leaves: the archive has all of it."""
    label = marked(drive)
    shown()
    forgets(label)
    assert "archive.jsonl" in everywhere()


@pytest.mark.usefixtures("careless")
def test_an_archived_task_is_erased_and_the_others_stay(drive: Drive) -> None:
    label = marked(drive)
    drive.prompt("/bg Count the lines")
    other = drive.launch("Count the lines", "a2")
    drive.ends("a2", block("COMPLETION_REPORT", other, status="success"))
    drive.announced("a2")
    drive.stop()
    forgets(label, "bg-2")
    path = Path(place.directory()) / place.ARCHIVE
    with path.open("a", encoding="utf-8") as file:
        file.write(f'{{"label": "bg-1", "task": "{MARKS["task"]}')  # cut by a full disk
    kept = [line for line in path.read_text(encoding="utf-8").splitlines(keepends=True) if '"bg-2"' in line]
    assert erases(label)[::2] == (0, "")
    assert kept == path.read_text(encoding="utf-8").splitlines(keepends=True)
    assert path.stat().st_mode & 0o777 == 0o600
    assert everywhere() == {}
    assert erases(label)[::2] == (1, f"bgctl: there is no task {label}\n")


def test_what_was_said_to_several_tasks_at_once(drive: Drive) -> None:
    """The other task keeps its answer, and loses the command that holds both."""
    for number in (1, 2):
        drive.prompt("/bg Audit")
        token = drive.launch("Audit", f"a{number}")
        drive.ends(f"a{number}", block("CLARIFICATION_NEEDED", token))
        drive.announced(f"a{number}")
    drive.prompt(f"/bg-answer bg-1 Q1: {MARKS['answer']} Q2: no")
    book = drive.ledger()
    with book.transaction() as writing:
        number = typed.keep(writing, drive.session, "command", "bg-2", f"bg-2 Q1: CSV bg-1 Q1: {MARKS['answer']}")
        writing.write("UPDATE answers SET typed = ? WHERE label = 'bg-1'", number)
        for label in ("bg-1", "bg-2"):
            writing.write(
                "INSERT INTO proofs (session, label, way, text, at, judged, proof) VALUES ('s', ?, 'prompt', ?, 7, 8, 'sdk')",
                label,
                MARKS["answer"],
            )
    book.close()
    drive.prompt("/bg-answer bg-2 Q1: CSV Q2: no")
    drive.prompt("/bg-answer bg-1 close")
    drive.stop()
    assert erases("bg-1")[0] == 0
    assert everywhere() == {}
    assert {"CSV", "no"} == {row["text"] for row in drive.rows("SELECT text FROM answers WHERE label = 'bg-2'")}


def test_what_lives_is_not_erased(drive: Drive) -> None:
    drive.prompt("/bg Audit")
    drive.launch("Audit", "a1")
    said = "bgctl: bg-1 has not ended; close it first: /bg-answer bg-1 close\nbgctl: there is no task bg-9\n"
    assert erases("bg-1", "bg-9") == (1, "", said)
    assert drive.rows("SELECT state FROM tasks") == [{"state": "working"}]


def test_the_tasks_beside_it_and_a_damaged_ledger_are_named(drive: Drive) -> None:
    label = marked(drive)
    book = drive.ledger()
    with book.transaction() as writing:
        tasks.create(writing, "bg-2", label, drive.session, str(drive.folder), MARKS["task"], "done")
    book.close()
    aside = Path(place.directory()) / "ledger.db.corrupt-20260101-000000-1"
    aside.write_text(MARKS["task"], encoding="utf-8")
    out = erases(label)[1].splitlines()
    assert forget.BESIDE.format(labels="bg-2") in out
    assert forget.DAMAGED.format(path=aside) in out
    assert {place.LEDGER, aside.name} == set(everywhere())


@pytest.mark.usefixtures("careless")
def test_while_another_process_reads_it_is_said_and_the_next_event_finishes(drive: Drive) -> None:
    label = marked(drive)
    with contextlib.closing(sqlite3.connect(Path(place.directory()) / place.LEDGER)) as reader:
        reader.execute("BEGIN")
        assert reader.execute("SELECT count(*) FROM tasks").fetchone() == (1,)
        code, out, said = erases(label)
        assert (code, said) == (1, f"bgctl: {label} is deleted, but not yet erased: another process reads the ledger\n")
        assert "The next event of a session with tasks finishes this" in out
        assert everywhere() != {}
        found = [each for each in doctor.examine(versions.host_of(())) if each.subject == "erasing"]
        assert [each.found for each in found] == [f"{label} is deleted, but not yet erased in {place.directory()}"]
        drive.prompt("And now?")
        assert everywhere() != {}
        assert (Path(place.directory()) / place.ERASING).exists()
    drive.prompt("And now?")
    assert everywhere() == {}
    assert not (Path(place.directory()) / place.ERASING).exists()


@pytest.mark.usefixtures("careless")
def test_a_hook_that_has_the_ledger_open_is_in_nobodys_way(drive: Drive) -> None:
    label = marked(drive)
    other = drive.ledger()
    assert tasks.count(other) == 1
    assert erases(label)[0] == 0
    assert tasks.count(other) == 0
    other.close()
    assert everywhere() == {}


@pytest.mark.usefixtures("careless")
def test_an_event_that_waits_is_taken_in_first(drive: Drive) -> None:
    label = marked(drive)
    event = {
        **recorded(drive.version, "background", "UserPromptSubmit"),
        "session_id": drive.session,
        "transcript_path": str(drive.transcript),
        "cwd": str(drive.folder),
        "prompt": f"/bg-answer {label} Q1: {MARKS['answer']}",
    }
    assert spool.keep(place.directory(), json.dumps(event), time.time())
    code, _, said = erases(label)
    assert code == 1
    assert said.endswith(": 1 events that may concern it wait to be taken in\n")
    drive.prompt("And now?")
    drive.prompt("And now?")
    assert everywhere() == {}


@pytest.mark.usefixtures("careless")
def test_a_kill_between_any_two_steps_leaves_a_trace(drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    label = marked(drive)
    with monkeypatch.context() as patched, contextlib.closing(drive.ledger()) as book:
        patched.setattr(erasing, "_delete", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            erasing.begin(book, label)
    assert erasing.due(place.directory())[label].names[0] == "a1"
    (Path(place.directory()) / place.ERASING / "of a file manager").touch()
    drive.prompt("And now?")
    assert everywhere() == {}
    assert not (Path(place.directory()) / place.ERASING).exists()


def test_what_is_named_after_its_tokens_goes_too(drive: Drive) -> None:
    label = marked(drive)
    book = drive.ledger()
    with book.transaction() as writing:
        sql = "INSERT INTO verifications (label, agent, run, token, output) VALUES (?, 'a1', 9, 'f00d', ?)"
        writing.write(sql, label, MARKS["report"])
    book.close()
    folder = Path(place.directory()) / "verify"
    folder.mkdir(exist_ok=True)
    for name in ("f00d.job", "f00d.result", "beef.result"):
        (folder / name).write_text(MARKS["report"])
    assert erases(label)[0] == 0
    assert everywhere() == {"beef.result": {MARKS["report"]}}


def ended(drive: Drive, label: str, days: float) -> None:
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("UPDATE tasks SET ended = ? WHERE label = ?", time.time() - days * DAY, label)
        writing.write("UPDATE deliveries SET seen = 1")
        writing.write("UPDATE questions SET state = 'answered'")
    book.close()


def begins(drive: Drive) -> None:
    book = drive.ledger()
    with book.transaction() as writing:
        writing.write("DELETE FROM meta WHERE key = 'swept'")
    book.close()
    drive.send(recorded(drive.version, "sessions", "SessionStart"), source="resume")


@pytest.mark.usefixtures("careless")
def test_erase_days_erases_what_is_older_in_the_ledger_and_in_the_archive(drive: Drive) -> None:
    config = Path(place.config_directory())
    config.mkdir(parents=True, exist_ok=True)
    (config / "bg.json").write_text('{"keep_days": 30, "erase_days": 90}')
    label = marked(drive)
    drive.prompt("/bg Something else")
    drive.launch("Something else", "a9")
    aside = Path(place.directory()) / "ledger.db.corrupt-20260101-000000-1"
    for days, left in ((20, {place.LEDGER}), (40, {place.ARCHIVE}), (100, set())):
        if days != 100:
            ended(drive, label, days)
        else:
            path = Path(place.directory()) / place.ARCHIVE
            lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
            path.write_text(
                "".join(
                    json.dumps({**line, **({"ended": time.time() - 100 * DAY} if "ended" in line else {})}) + "\n"
                    for line in lines
                ),
                encoding="utf-8",
            )
            for path in (aside, aside.with_name(f"{aside.name}-wal")):
                path.write_text(MARKS["task"], encoding="utf-8")
                os.utime(path, (1, 1))
            book = drive.ledger()
            with book.transaction() as writing:
                writing.write("UPDATE errors SET at = 1")
                writing.write("UPDATE typed SET at = 1")
            book.close()
        begins(drive)
        kept = set(everywhere())
        assert left <= kept
        assert left or not kept, days
    assert [row["label"] for row in drive.rows("SELECT label FROM tasks")] == ["bg-2"]


def test_a_project_causes_nothing_to_be_erased(drive: Drive) -> None:
    label = marked(drive)
    ended(drive, label, 400)
    (drive.folder / ".claude").mkdir()
    (drive.folder / ".claude" / "bg.json").write_text('{"erase_days": 1, "keep_days": 1}')
    begins(drive)
    assert [row["label"] for row in drive.rows("SELECT label FROM tasks")] == [label]


def test_the_command_says_what_it_does(drive: Drive, capsys: Any) -> None:
    label = marked(drive)
    assert cli.main(["forget", label, "--erase"]) == 0
    assert capsys.readouterr().out.splitlines() == [f"{label} is erased from {place.directory()}", forget.OUTSIDE]
    with contextlib.closing(Ledger(place.directory(), create=False)) as book:
        assert forgetting.forgettable(book, time.time(), -1) == []
