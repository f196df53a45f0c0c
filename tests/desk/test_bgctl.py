"""bgctl as it is typed: each command explained, labels in any spelling, projects named, and an output that fails."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import cli
from bg.ledger import proofs
from bg.ledger.file import Ledger
from bg.ledger.naming import label_of
from drive import plain
from screens import PROJECT, ledger

ROOT = Path(__file__).resolve().parents[2]
BGCTL = ROOT / "scripts" / "bgctl"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    with ledger(10) as book:
        with book.transaction() as writing:
            writing.write(
                "UPDATE tasks SET project = '/home/somebody/other', root = '/home/somebody/other' WHERE number > 7"
            )
        made = Path(book.path).parent
        made.rename(tmp_path / "data")
        made.mkdir()
    return tmp_path


def bgctl(folder: Path, *arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    env = {"HOME": str(folder), "PATH": os.environ["PATH"], "BG_DATA": str(folder / "data"), "LANG": "C.UTF-8"}
    given = {"stdout": subprocess.PIPE, "cwd": folder, **options}
    return subprocess.run(
        [sys.executable, str(BGCTL), *arguments], env=env, stderr=subprocess.PIPE, text=True, timeout=60, **given
    )


def test_help_explains_every_command(tmp_path):
    said = bgctl(tmp_path, "--help").stdout
    for name, command in cli.COMMANDS.items():
        assert f"    {name}" in said
        assert " ".join(command.summary.split()) in " ".join(said.split())


@pytest.mark.parametrize("name", list(cli.COMMANDS))
def test_each_command_explains_itself(name, tmp_path):
    done = bgctl(tmp_path, name, "--help")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Exit status" in done.stdout


def test_the_version_is_that_of_the_manifest(tmp_path):
    manifest = json.loads((ROOT / ".claude-plugin" / "plugin.json").read_text())
    assert f"bg {manifest['version']} in {ROOT}\n" == bgctl(tmp_path, "--version").stdout


def test_alone_it_is_the_table(data):
    assert bgctl(data, "status").stdout == bgctl(data).stdout


@pytest.mark.parametrize(
    ("typed", "label"),
    [("bg-3", "bg-3"), ("BG-3", "bg-3"), ("bg3", "bg-3"), ("3", "bg-3"), ("#3", "bg-3"), ("bg_03", "bg-3"),
     ("bg 3", "bg-3"), ("bg-3?", "bg-3"), ("all", ""), ("doctor", ""), ("", ""), ("v2", "")],
)  # fmt: skip
def test_a_label_in_any_spelling(typed, label):
    assert label == label_of(typed)


@pytest.mark.parametrize("typed", ["bg-3", "BG3", "3"])
def test_one_task_is_shown_however_it_is_named(typed, data):
    done = bgctl(data, "status", typed)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("bg-3  done for ")
    assert ["bg-3"] == [task["label"] for task in json.loads(bgctl(data, "status", typed, "--json").stdout)]
    lines = bgctl(data, "export", "--task", typed).stdout.splitlines()
    assert {"bg-3"} == {json.loads(line).get("label") or json.loads(line)["task"] for line in lines}


@pytest.mark.parametrize("typed", ["bg-77", "nothing"])
def test_a_task_that_is_not_there(typed, data):
    done = bgctl(data, "status", typed)
    assert (done.returncode, done.stdout, done.stderr) == (1, "", f"bgctl: there is no task {typed}\n")


def test_outside_a_project_each_table_names_its_project(data):
    said = bgctl(data).stdout
    assert said.startswith("/home/somebody/other\n\n")
    assert f"\n{PROJECT}\n\nNeeds you 2\n" in said


def test_in_a_project_it_is_that_project_and_how_to_see_the_others(data):
    here = data / "work"
    here.mkdir()
    with contextlib.closing(Ledger(data / "data")) as book, book.transaction() as writing:
        writing.write("UPDATE tasks SET project = ?, root = ? WHERE number > 7", str(here), str(here))
    said = bgctl(data, cwd=here).stdout
    assert "bg-10" in said
    assert "\nbg-4" not in said
    assert "Also waiting for you: bg-1 (shop), bg-4 (shop) in other projects" in " ".join(said.split())
    assert said.endswith(f"\nand tasks in other projects (shop): {BGCTL.resolve()} status --all\n")


def test_the_inbox_lists_what_waits_in_every_project(data):
    said = bgctl(data, "inbox").stdout
    assert f"In {PROJECT}\n" in said
    assert "bg-1 Q1" in said
    assert "bg-4 B1" in said
    assert "→ /bg-answer bg-1 Q1: <your answer>" in said


def test_an_empty_inbox(tmp_path):
    assert "Nothing waits for you in any project.\n" == bgctl(tmp_path, "inbox").stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_disk_that_is_full_is_one_line(data):
    with Path("/dev/full").open("w") as full:
        done = bgctl(data, "status", stdout=full)
    said = "bgctl: what it has to say could not be written: No space left on device\n"
    assert (done.returncode, done.stderr) == (1, said)


def test_a_reader_that_went_away_is_no_error(data):
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as pipe:
        done = bgctl(data, "export", stdout=pipe)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("command", ["status", "inbox", "doctor", "statusline", "check"])
def test_streams_that_are_closed(command, data):
    line = f'exec "$@" <&- >&- 2>"{data}/errors"'
    subprocess.run(
        ["sh", "-c", line, "sh", sys.executable, str(BGCTL), command],
        env={"HOME": str(data), "PATH": os.environ["PATH"], "BG_DATA": str(data / "data")},
        check=False,
        timeout=60,
    )
    assert "Traceback" not in (data / "errors").read_text()


def test_words_that_are_not_yours_are_counted_where_not_all_are_shown(data):
    """However many somebody sends, the first ones are not forgotten."""
    with contextlib.closing(Ledger(data / "data")) as book, book.transaction() as writing:
        writing.write("UPDATE tasks SET project = '/home/somebody/other', root = '/home/somebody/other'")
        for number in range(5):
            writing.write(
                "INSERT INTO proofs (session, label, way, text, at, proof, judged) VALUES ('s', 'bg-1', 'prompt', ?, ?, ?, ?)",
                f"approve {number}", book.now(), proofs.UNPROVEN, book.now(),
            )  # fmt: skip
            writing.write("INSERT INTO strangers (at, agent, label) VALUES (?, ?, 'bg-1')", book.now(), f"a{number}")
    shown = plain(bgctl(data, "status").stdout)
    assert shown.count("” had no effect:") == shown.count("signed a report as bg-1") == 3
    assert "2 more of such words had no effect either: " in shown
    assert "2 more such reports were ignored." in shown
