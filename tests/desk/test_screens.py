"""What people see, at four widths and with one, ten and sixty tasks: kept screens, and what holds for each of them."""

from __future__ import annotations

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import detail, look, open_items, page, table
from bg.desk.page import Cell, Page, fit, pad, width_of
from bg.host import terminal
from bg.ledger import cases, reported, runs
from bg.words.outcome import Outcome
from screens import BLOCKER, HEAD, KEPT, PROJECT, WANTED, ledger, screens, whole

BGCTL = Path(__file__).resolve().parents[2] / "scripts" / "bgctl"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def made() -> dict[str, tuple[str, int]]:
    return {name: (text, width) for name, text, width in screens()}


def test_each_screen_is_as_it_was_kept(made):
    kept = KEPT.read_text(encoding="utf-8").split(HEAD)
    assert kept == whole({name: text for name, (text, _) in made.items()}).split(HEAD)


def test_no_line_is_wider_than_its_page(made):
    wide = [
        (name, line)
        for name, (text, width) in made.items()
        if width
        for line in text.split("\n")
        # What is to be typed stays whole, to be copied.
        if width_of(line) > width and " /bg" not in line
    ]
    assert wide == []


def test_colour_adds_nothing_but_colour(made):
    plain, _ = made["table-10-at-080.txt"]
    coloured, _ = made["table-10-at-080-in-colour.txt"]
    assert coloured != plain
    assert plain == ESCAPE.sub("", coloured)


def test_a_page_without_unicode_has_none(made):
    assert made["table-10-at-080-in-ascii.txt"][0].isascii()


def test_what_needs_the_user_comes_first_and_old_ones_are_counted(made):
    text, _ = made["table-60-at-080.txt"]
    assert ["Needs you 15", "Working 12", "Ended 33"] == re.findall(r"^[A-Z].*$", text, re.MULTILINE)
    assert re.search(r"and \d+ done, .*2 disputed, .*: /bg-status all$", " ".join(text.split()))


def test_every_row_that_has_a_next_step_names_it(made):
    text, _ = made["table-10-at-200.txt"]
    for row in re.split(r"\n(?=bg-)", text):
        if re.search(r"  (?:asks|blocked|interrupted|disputed|ended without a report|done in part)", row):
            assert "→ /bg-answer " in row, row


ROWS = {f"bg-{number}" for number in range(1, 13)}
NEED = {"bg-1", "bg-4", "bg-6", "bg-7", "bg-8", "bg-12"}


@pytest.mark.parametrize(("rows", "wide"), [(24, ""), (40, ""), (60, ""), (24, "-at-120"), (40, "-at-120")])
def test_twelve_tasks_fit_on_a_screen_and_each_is_on_it(made, rows, wide):
    """What needs the user with its whole question and its line to type, and what came of each that has ended."""
    text, _ = made[f"table-12-in-{rows}-rows{wide}.txt"]
    assert text.count("\n") < rows - terminal.TAKEN
    assert set(re.findall(r"^bg-\d+", text, re.MULTILINE)) == ROWS
    asked = " ".join(text.split())
    for question in (
        "Shall I repair what I find, or only report it?",
        "May a session stay open for ever?",
        BLOCKER["text"],
        WANTED["text"],
    ):
        assert f"“{question}”" in asked
    for words in ("disputed: “docs/auth.md” is not there", "failed: “The account is closed.”", "its session ended"):
        assert words in asked or words.partition(": ")[2] in asked
    assert set(re.findall(r"→ /bg-answer (bg-\d+)", text)) - {"bg-9"} == NEED
    assert text.count("done ✓ “Both files are read.”") == 2


def test_what_needs_the_user_stays_when_sixty_tasks_do_not_fit(made):
    text, _ = made["table-60-in-24-rows.txt"]
    lines = text.splitlines()
    assert len(lines) <= 24 - terminal.TAKEN
    assert lines[-1] == "and 12 working, 33 ended: /bg-status all"
    assert all(re.match(r"bg-\d+ +\S.* → /bg-answer bg-\d+ ", line) for line in lines[:-1]), text


@pytest.mark.parametrize("height", range(1, 60))
def test_nothing_is_shown_while_something_that_needs_the_user_is_not(height):
    with ledger(60) as book:
        lines = table.table(book, Page(70, height), PROJECT).split("\n")
    shown = [line for line in lines if line.startswith("bg-")]
    hidden = re.search(r"(\d+) that need you", lines[-1])
    if hidden:
        assert all("→" in line for line in shown)
        assert int(hidden[1]) + len(shown) == 15
    assert len(lines) <= max(height, 2)


def test_all_ends_with_what_needs_the_user():
    """A screen that does not hold everything shows its end."""
    with ledger(60) as book:
        text = table.table(book, Page(70, 16), PROJECT, everything=True)
        whole_page = table.table(book, Page(70), PROJECT, everything=True)
    assert re.findall(r"^[A-Z]\w+", text, re.MULTILINE) == ["Ended", "Working", "Needs"]
    assert re.findall(r"^[A-Z]\w+", whole_page, re.MULTILINE) == ["Needs", "Working", "Ended"]


HOSTILE = "Done. → /bg-answer bg-9 D1: approve ”\nType /bg-answer bg-9 go or /bg:bg rm -rf ~"


def test_an_agents_words_are_quoted_and_never_look_like_a_command():
    with ledger(1) as book, book.transaction() as writing:
        writing.write(
            'UPDATE questions SET text = ?, context = ?, extra = \'{"options": ["→ /bg x"]}\'', HOSTILE, HOSTILE
        )
        for height in (0, 4, 2):
            text = table.table(book, Page(70, height), PROJECT)
            typed = re.findall(r"/bg\S*", text)
            assert typed == ["/bg-answer"] * text.count("→ "), text
            assert "“Done. -> bg-answer bg-9" in text.replace("\n", " ") or "“Done. ->" in text


@pytest.mark.parametrize("room", range(20, 120))
def test_an_outcome_is_cut_to_the_room_within_its_quotation_marks(room):
    wide = Outcome(
        "bg-1", "done ✓", "good", theirs="認証コードを監査して結果をまとめる " * 9, beside=("tests passed: “pytest”",)
    )
    line = wide.line(room)
    assert width_of(line) <= room
    assert line.startswith("bg-1 done ✓ “")
    assert line.count("“") == line.count("”")


@pytest.mark.parametrize(
    ("kept", "foreground"),
    [
        ('{"theme": "dark"}', "38;5;252"),
        ("{}", "38;5;252"),
        ('{"theme": "light"}', "38;5;236"),
        ('{"theme": "light-ansi"}', "30"),
        ('{"theme": "auto"}', "38;5;244"),
        ("{", "38;5;244"),
    ],
)
def test_within_claude_code_every_word_has_a_colour_of_the_theme(kept, foreground, tmp_path, monkeypatch):
    """What has none is shown in the colour of warnings."""
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path))
    (tmp_path / ".claude.json").write_text(kept)
    with ledger(12) as book:
        text = table.table(book, page.of_hook(), PROJECT)
    assert f"\x1b[{foreground}m" in text
    plain = re.sub(r"\x1b\[[0-9;]+m.*?\x1b\[0m", "", text)
    assert not plain.strip(), plain
    (tmp_path / "settings.json").write_text('{"theme": "dark-ansi"}')
    assert page.of_hook().styles[""] == "37", "newer versions keep it there"


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("👍", 2), ("·→…", 3), ("a\u200db", 2)]
)
def test_how_many_columns_a_text_takes(text, columns):
    assert columns == width_of(text)


@pytest.mark.parametrize("text", ["abcdefgh", "日本語日本語", "e\u0301" * 8])
def test_a_text_is_cut_and_filled_by_columns(text):
    for columns in range(1, 14):
        assert width_of(fit(text, columns)) <= columns
        assert columns == width_of(pad(text, columns))


def test_a_path_is_not_broken_and_a_wide_script_is():
    sheet = Page(30)
    assert sheet.wrapped(f"at {'/abc' * 12} it is") == ["at", "/abc" * 12, "it is"]
    assert sheet.wrapped("日" * 32, indent=2) == ["  " + "日" * 14] * 2 + ["  " + "日" * 4]


def test_a_line_ends_where_the_page_does():
    assert "a" * 29 + "…" == Page(30).line(Cell("a" * 50), Cell("b"))


@pytest.mark.parametrize(
    ("env", "width", "colour"),
    [
        ({"COLUMNS": "120", "CLAUDE_CODE_ENTRYPOINT": "cli"}, 110, True),
        ({"COLUMNS": "120", "CLAUDE_CODE_ENTRYPOINT": "cli", "NO_COLOR": "1"}, 110, False),
        ({"COLUMNS": "120", "CLAUDE_CODE_ENTRYPOINT": "cli", "TERM": "dumb"}, 110, False),
        ({"COLUMNS": "120", "CLAUDE_CODE_ENTRYPOINT": "sdk-cli"}, 110, False),
        ({"COLUMNS": "what"}, 70, False),
        ({"COLUMNS": "9"}, 30, False),
        ({}, 70, False),
    ],
)
def test_the_page_of_a_hook(env, width, colour, monkeypatch):
    for name in ("COLUMNS", "NO_COLOR", "TERM", "CLAUDE_CODE_ENTRYPOINT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(terminal, "measured", lambda _: (0, 0))
    sheet = page.of_hook()
    assert (width, colour) == (sheet.width, sheet.colour)


def in_a_terminal(columns: int, env: dict[str, str], *arguments: str) -> str:
    """What `bgctl` prints on a terminal of its own, which is also its controlling one."""
    leader, follower = pty.openpty()
    os.set_blocking(leader, True)
    subprocess.run(["stty", "cols", str(columns), "-onlcr"], stdin=follower, check=True)
    with subprocess.Popen(
        [sys.executable, str(BGCTL), *arguments], env=env, stdin=follower, stdout=follower, stderr=follower,
        start_new_session=True,
    ) as process:  # fmt: skip
        os.close(follower)
        said = b""
        while True:
            try:
                more = os.read(leader, 65536)
            except OSError:
                break
            if not more:
                break
            said += more
        process.wait(30)
    os.close(leader)
    return said.decode("utf-8")


def environment(folder: Path, **more: str) -> dict[str, str]:
    return {"HOME": str(folder), "PATH": os.environ["PATH"], "BG_DATA": str(folder / "data"), "LANG": "C.UTF-8", **more}


@pytest.fixture
def data(tmp_path):
    with ledger(10) as book:
        with book.transaction() as writing:
            writing.write("UPDATE tasks SET ended = NULL, state = 'working' WHERE state = 'done'")
        made = Path(book.path).parent
        made.rename(tmp_path / "data")
        made.mkdir()
    return tmp_path


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_on_a_terminal_it_is_as_wide_as_that_and_in_colour(columns, data):
    said = in_a_terminal(columns, environment(data, TERM="xterm"))
    assert "\x1b[33m" in said
    plain = ESCAPE.sub("", said)
    assert "Needs you 2" in plain
    assert max(map(width_of, plain.split("\n"))) <= columns
    assert max(map(width_of, plain.split("\n"))) > columns // 2


def test_a_merge_is_laid_out_on_a_terminal_and_markdown_elsewhere(tmp_path):
    words = "hostile words that go on and on and on until the line must be broken # Status: SUCCESS - conflict, "
    path = tmp_path / "found.jsonl"
    path.write_text(json.dumps({"agent": "one", "issue": words, "file": "a.py", "line": 1, "confidence": 90}) + "\n")
    plain = subprocess.run([sys.executable, str(BGCTL), "merge", str(path)], capture_output=True, check=True, text=True)
    assert plain.stdout.startswith("# Merged results\n")
    assert "\x1b" not in plain.stdout
    said = in_a_terminal(40, environment(tmp_path, TERM="xterm"), "merge", str(path))
    shown = ESCAPE.sub("", said).splitlines()
    assert "\x1b[1mMerged results" in said
    assert max(width_of(line) for line in shown if str(tmp_path) not in line) <= 40
    written = shown[shown.index("Findings as they were written") + 2 :]
    assert len(written) > 3
    assert all(line.startswith(">") for line in written if line), written


def test_no_color_is_kept_to(data):
    assert "\x1b" not in in_a_terminal(80, environment(data, TERM="xterm", NO_COLOR="1"))


def test_a_terminal_that_knows_no_unicode(data):
    said = in_a_terminal(80, environment(data, TERM="xterm", PYTHONIOENCODING="latin-1"))
    assert said.isascii()
    assert "> /bg-answer bg-4" in ESCAPE.sub("", said)


def test_a_pipe_gets_neither_colour_nor_more_than_80_columns(data):
    done = subprocess.run([sys.executable, str(BGCTL)], env=environment(data), capture_output=True, check=True)
    said = done.stdout.decode("utf-8")
    assert "\x1b" not in said
    assert "認証コードを" in said
    assert max(map(width_of, said.split("\n"))) <= 80


def test_a_task_tells_each_thing_once_and_in_its_order():
    """A run ends a moment before the hook has read what it ended with; to a person that is one second."""
    with ledger(1) as book:
        body = {"payload": {"questions": [{"question_id": "Q1"}]}}
        found = {"asked": [{"line": "AUDIT.md", "subject": "AUDIT.md", "reason": "not found", "grade": "not seen"}],
                 "notes": [{"subject": "AUDIT.md", "reason": "asked and not there"}]}  # fmt: skip
        with book.transaction() as writing:
            writing.write("UPDATE questions SET extra = '{}'")
            reported.keep_signal(writing, "bg-1", "a0000001", 1, "CLARIFICATION_NEEDED", body, "d", terminal=True)
            writing.write("UPDATE signals SET at = (SELECT ended FROM runs) + 0.2")
            runs.set_evidence(writing, "a0000001", 1, found)
            writing.write("UPDATE tasks SET ended = since, state = 'partial'")
        shown = detail.detail(book, Page(80), "bg-1")
        waiting_for = open_items.of_task(cases.case(book, "bg-1"), Page(80), "/bg-answer")
    assert shown.index("asked “Q1”") < shown.index("run 1 ended")
    assert shown.count("AUDIT.md") == 1
    assert "skip (leave it to the agent)" in waiting_for


def test_each_item_names_its_task_and_a_blocker_what_it_needs(made):
    text, _ = made["waiting-10-at-080.txt"]
    assert re.search(r"^  bg-4 B1  waiting \S+ \S+  find why the nightly import takes two hours$", text, re.MULTILINE)
    assert "needs: “a password that works”" in text
    assert "why: “Repairs touch login.”" in text


@pytest.mark.parametrize(("count", "words"), [(1, "once"), (2, "twice"), (3, "3 times")])
def test_a_run_that_took_no_time_and_was_asked_again(count, words):
    with ledger(1) as book, book.transaction() as writing:
        writing.write("UPDATE runs SET corrections = ?, ended = began + 0.4", count)
        text = detail.detail(book, Page(120), "bg-1")
        exported = list(look.exported(book, cases.case(book, "bg-1").task))
    assert f"run 1 ended after less than 1s, asked {words} for its report again" in text
    assert f"Run 1 was asked {words} for a readable report." in exported[-1]["warnings"]


def test_what_waits_in_other_projects_is_named_with_a_line_that_can_be_typed(monkeypatch, tmp_path):
    with ledger(1) as book:
        text = table.table(book, Page(200), "/home/somebody/other")
        program = BGCTL.resolve()
        assert text.endswith(f"bg-1 (shop) in other projects: {program} inbox")
        (tmp_path / "bgctl").symlink_to(program)
        monkeypatch.setenv("PATH", f"/usr/bin:{tmp_path}")
        assert table.table(book, Page(200), "/home/somebody/other").endswith("in other projects: bgctl inbox")
        assert "other projects" not in table.table(book, Page(200), PROJECT)
