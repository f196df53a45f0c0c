"""An honest agent through the real hooks: a noisy pass is one, a look is never disputed, and files have their authors."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from typing import Optional

import pytest
from bg.desk import detail
from bg.desk.page import Page
from bg.words import verdict
from drive import Drive, block, context
from recordings import VERSIONS
from test_disputed import calls, corrections, launched, made

NOISE = "Attempt 1 failed, retrying\n  ✓ locks after 3 failed attempts\nupload: 2 failed, 1 error\n"
# Each runner with the last lines that it prints itself, and one that no table knows.
RUNNERS = {
    "pytest -q": "18 passed in 0.10s",
    "npx jest": "Tests:       18 passed, 18 total",
    "npx vitest run": " Test Files  2 passed (2)\n      Tests  18 passed (18)",
    "npx mocha": "  18 passing (30ms)",
    "go test ./...": "ok  \tx/a\t0.1s",
    "cargo test": "test result: ok. 18 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
    "npm test": " Test Files  2 passed (2)\n      Tests  18 passed (18)",
    "mise run test": "18 passed",
}


@pytest.fixture(params=(VERSIONS[0], VERSIONS[-1]))
def version(request):
    return request.param


def reported(
    drive: Drive, listed: list[str], *called: tuple[str, dict, str, bool], changed: Optional[dict[str, int]] = None
) -> str:
    """The agent makes these calls, files change during some, and its report is taken as it is; the user's line."""
    token = launched(drive)
    for name, number in (changed or {}).items():
        made(drive, number, name)
    calls(drive, *called)
    evidence = "\n".join(f"- {line}" for line in listed)
    assert drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence=evidence)) == {}
    assert (drive.state(), corrections(drive)) == ("done", 0)
    said = drive.announced("a1")
    assert "Does not match" not in context(said)
    return str(said["systemMessage"])


def bash(command: str, result: str, *, failed: bool = False) -> tuple[str, dict, str, bool]:
    return ("Bash", {"command": command}, result, failed)


def edit(drive: Drive, name: str) -> tuple[str, dict, str, bool]:
    return ("Edit", {"file_path": str(drive.folder / name), "old_string": "a", "new_string": "b"}, "ok", False)


# What a runner sums up is a pass of its tests; of the others only the exit status is known.
SAID = {
    **dict.fromkeys(RUNNERS, "tests passed: “{}”"), "go test ./...": "“{}”: exit 0", "mise run test": "“{}”: exit 0",
}  # fmt: skip


@pytest.mark.parametrize("command", RUNNERS)
def test_a_noisy_run_with_an_exit_of_0_has_passed(drive, command):
    said = reported(drive, [f"ran `{command}` -> pass"], bash(command, NOISE + RUNNERS[command]))
    assert said.endswith(SAID[command].format(command.removeprefix("npx ")))


@pytest.mark.parametrize("command", [command for command in RUNNERS if command != "mise run test"])
def test_behind_a_pipe_the_runners_own_last_lines_decide(drive, command):
    said = reported(drive, [f"ran `{command}` -> pass"], bash(f"{command} 2>&1 | tail -9", NOISE + RUNNERS[command]))
    assert said.endswith(f"tests passed: “{command.removeprefix('npx ')}”")


def test_looks_are_never_disputed(drive):
    edited = (
        "Edit",
        {"file_path": str(drive.folder / "src" / "a.py"), "old_string": "a", "new_string": "b"},
        "ok",
        False,
    )
    reported(
        drive,
        [
            "ran `ls src` -> ok",
            "ran `find src -name '*.py'` -> 3 files",
            "ran `git log --oneline -1` -> abc1234 Fix the failing test",
            "ran `grep -rn TODO .` -> pass, no matches",
            "ran `cat notes.txt` -> ok",
        ],
        bash("ls src", "a.py"),
        bash(f"find {drive.folder}/src -name '*.py'", "a.py"),
        bash("git log --oneline -1", "abc1234 Fix the failing test"),
        bash("grep -rn TODO .", "a.md:1:TODO"),
        edited,
    )


@pytest.mark.parametrize(
    "line",
    [
        "ran `npm run e2e` -> not run, needs a browser",
        "ran `npm run e2e` -> not executed (no browser here)",
        "ran `npm run e2e`: could not be run, it needs a browser",
        "`npm run e2e` -> not run",
        "ran `npm run e2e` -> skipped: needs a browser",
    ],
)
def test_what_is_declared_as_not_run_is_no_claim(drive, line):
    reported(drive, [line], bash("ls", "package.json"))


def test_an_unknown_program_is_exit_0_after_the_last_edit_and_older_than_it_before(drive):
    run = bash("mise run test", "all is well")
    said = reported(
        drive, ["ran `mise run test` -> pass", "changed a.py"], run, edit(drive, "a.py"), run, changed={"a.py": 2}
    )
    assert said == "bg-1 done ✓ “The login has no rate limit.” · “mise run test”: exit 0"


def test_a_run_before_the_last_edit_is_asked_about(drive):
    token = launched(drive)
    made(drive, 2, "a.py")
    calls(drive, bash("mise run test", "all is well"), edit(drive, "a.py"))
    asked = drive.ends(
        "a1", block("COMPLETION_REPORT", token, status="success", evidence="- ran `mise run test` -> pass")
    )
    assert "“a.py” was edited after its last run" in asked["reason"]


@pytest.mark.parametrize(
    "command", ["python3 fix.py", "python3 - <<'E'\nopen('a.py', 'w').write('x = 1')\nE", "cat > a.py <<'E'\nx = 1\nE"]
)
def test_an_edit_by_a_command_after_the_tests_is_one(drive, command):
    said = reported(
        drive, ["changed a.py"], bash("npm test", RUNNERS["npm test"]), bash(command, ""), changed={"a.py": 2}
    )
    assert said == "bg-1 done ✓ “The login has no rate limit.” · tests passed: “npm test”"


def test_a_part_of_the_suite_does_not_overtake_its_failure(drive):
    failed = bash("npx vitest run", "Exit code 1\n      Tests  1 failed | 17 passed (18)", failed=True)
    part = bash("npx vitest run src/a.test.ts", "      Tests  3 passed (3)")
    said = reported(drive, ["ran `npx vitest run src/a.test.ts` -> pass"], failed, part)
    assert said.endswith("failed: “vitest run” · tests passed: “vitest run src/a.test.ts”")


def test_of_two_runs_of_one_command_the_last_one_counts(drive):
    token = launched(drive)
    calls(drive, bash("npm test", RUNNERS["npm test"]), bash("npm test", "Exit code 1\n1 failed", failed=True))
    asked = drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- ran `npm test` -> pass"))
    assert "its last run failed" in asked["reason"]


@pytest.mark.parametrize("folder", ["/tmp", "../elsewhere", ".claude/worktrees/other"])
def test_a_run_elsewhere_is_not_vouched_for_and_said(drive, folder):
    other = drive.folder / ".claude/worktrees/other"
    other.mkdir(parents=True)
    (other / ".git").write_text("gitdir: /x")
    run = bash(f"cd {folder} && npm test", RUNNERS["npm test"])
    said = reported(drive, ["ran `npm test` -> pass"], run)
    assert " in “/" in said.partition("tests passed: “npm test”")[2]
    [found] = json.loads(drive.rows("SELECT evidence FROM runs")[0]["evidence"])["findings"]
    assert (found["grade"], found["reason"]) == ("only said", "elsewhere")


def test_what_hides_a_status_still_hides_it(drive):
    token = launched(drive)
    calls(drive, bash("npm test || true", "Tests:       1 failed, 17 passed, 18 total"))
    asked = drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- ran `npm test` -> pass"))
    assert "its last run failed" in asked["reason"]


# Whose files: what a run is credited with.

OTHERS = [
    # what the agent called: it cannot have written anything
    [bash("sleep 8; echo built", "built")],
    [
        ("Read", {"file_path": "/x/a.py"}, "     1→x = 1", False),
        ("Grep", {"pattern": "x"}, "a.py", False),
        bash("git diff HEAD~1", "x"),
    ],
    [],
]


@pytest.mark.parametrize("made", OTHERS, ids=["only waited", "a reviewer", "no tool"])
def test_an_agent_is_not_credited_with_what_others_wrote(drive, made):
    token = launched(drive, "Deliverables: docs.md\n")
    (drive.folder / "docs.md").write_text("by another agent\n")
    calls(drive, *made)
    assert drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- not checked: all")) == {}
    said = drive.announced("a1")
    assert said["systemMessage"].startswith("bg-1 done: “The login has no rate limit.”")
    assert "docs.md" not in said["systemMessage"]
    assert "- changed meanwhile by others: “docs.md”" in context(said)
    assert "files that this run changed" not in context(said)
    book = drive.ledger()
    whole = detail.detail(book, Page(), "bg-1")
    book.close()
    assert "not seen: asked for: docs.md\n    it has changed, but no call of this run wrote it" in whole
    assert "changed meanwhile by others: “docs.md”" in whole


def test_what_changes_during_its_own_commands_is_its_own(drive):
    token = launched(drive, "Deliverables: out.md, docs.md\n")
    made(drive, 1, "a.py")
    made(drive, 2, "out.md")
    made(drive, 7, "docs.md")
    written = ("Write", {"file_path": str(drive.folder / "a.py")}, "ok", False)
    calls(drive, written, bash("python3 gen.py", ""))
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- wrote a.py"))
    said = drive.announced("a1")
    assert said["systemMessage"] == "bg-1 done ✓ “The login has no rate limit.”"
    assert "- files that this run changed: “a.py”, “out.md”\n- changed meanwhile by others: “docs.md”" in context(said)


# What was promised, and is not there.


def test_a_hollow_done_is_asked_about_once_and_never_green(drive):
    token = launched(drive, "Deliverables: docs/audit.md\n")
    calls(drive)
    report = block("COMPLETION_REPORT", token, status="success", evidence="- not checked: everything")
    asked = drive.ends("a1", report)
    assert "- “docs/audit.md” — the launch asked for it, and there is no such file" in asked["reason"]
    assert drive.ends("a1", report, stop_hook_active=True) == {}
    assert (drive.state(), corrections(drive)) == ("disputed", 1)
    said = drive.announced("a1")["systemMessage"]
    assert said == "bg-1 disputed: “docs/audit.md” was promised and is not there"


@pytest.mark.parametrize(
    ("second", "comes_to", "line"),
    [
        ({"status": "partial_success"}, "partial", "done in part: “The login has no rate limit.”"),
        (
            {"status": "success", "deliverables": "docs/audit.md is at notes/findings.md"},
            "done",
            "done, but not in its place: “docs/audit.md”",
        ),
        (
            {"status": "success", "evidence": "- not done: docs/audit.md, see notes/findings.md"},
            "partial",
            "done, but not there: “docs/audit.md”",
        ),
    ],
    ids=["partial", "elsewhere", "not done"],
)
def test_an_answer_that_says_where_it_is_or_that_it_is_not_is_taken(drive, second, comes_to, line):
    token = launched(drive, "Deliverables: docs/audit.md\n")
    made(drive, 1, "notes/findings.md")
    calls(drive, ("Write", {"file_path": str(drive.folder / "notes/findings.md")}, "ok", False))
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- wrote notes/findings.md"))
    given = {"evidence": "- wrote notes/findings.md", **second}
    assert drive.ends("a1", block("COMPLETION_REPORT", token, **given), stop_hook_active=True) == {}
    assert (drive.state(), corrections(drive)) == (comes_to, 1)
    assert drive.announced("a1")["systemMessage"].startswith(f"bg-1 {line}")


def test_a_list_that_declares_nothing_is_said_to_be_so_in_the_line(drive):
    said = reported(drive, ["not checked: everything"], bash("ls", "a.py"))
    assert said == "bg-1 done: “The login has no rate limit.” · not declared"


def test_tests_that_were_removed_or_skipped_are_noted(drive):
    for name in ("tests/test_a.py", "tests/test_b.py"):
        made(drive_before(drive), 0, name, text="def test_a():\n    assert 1\n")
    token = launched(drive)
    (drive.folder / "tests/test_b.py").unlink()
    made(drive, 2, "tests/test_a.py", text="import pytest\n@pytest.mark.skip\ndef test_a():\n    assert 1\n")
    calls(drive, bash("rm tests/test_b.py", ""), edit(drive, "tests/test_a.py"))
    assert (
        drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- changed tests/test_a.py"))
        == {}
    )
    text = context(drive.announced("a1"))
    assert "- a file of tests was removed: “tests/test_b.py”" in text
    assert "- tests are skipped that were not: “tests/test_a.py (+1)”" in text


def drive_before(drive: Drive) -> Drive:
    """The project before the launch."""
    drive.began = time.time() - 3600
    return drive


# Smaller ones: what must neither be vouched for nor doubted.

GO = "package a\n\nfunc f() {\n\tif err := g(); err != nil {\n\t}\n}\n"
PULLS = (
    bash("gh pr create --fill --head one", "https://example.org/x/y/pull/11"),
    bash("gh pr create --fill --head two", "https://example.org/x/y/pull/12"),
)
QUOTES = [
    # what was called, what is declared, the grade and reason
    (PULLS, "opened PR #11", "seen", "opened"),
    (PULLS, "opened PR #12", "seen", "opened"),
    (PULLS, "opened PR #13", "does not match", "other number"),
    ((bash("cat b.go", "if x {"),), 'saw made-up.go:3 "if x {"', "does not match", "not found"),
    ((bash("cat a.go", GO),), 'saw a.go:4 "if err := g(); err != nil {"', "seen", "quoted"),
    ((bash("cat a.go", GO),), 'saw a.go:4 "if err := g(); err == nil {"', "only said", "not word for word"),
    ((bash("cat a.go", GO),), 'saw a.go:4 "if err := h(); err != nil {"', "does not match", "other words"),
    ((bash("cat c.json", ""),), 'saw c.json:1 "{"a": "x", "b": 1}"', "seen", "quoted"),
    ((bash("cat c.json", ""),), 'saw c.json:1 "{"a": "x", "b": 2}"', "does not match", "other words"),
    ((bash("git commit --no-verify -qm x", ""),), "commit {head} (hooks passed)", "only said", "no hook ran"),
    ((bash("git commit --no-verify -qm x", ""),), "ran `pre-commit run` -> pass", "does not match", "not run"),
]


@pytest.mark.parametrize(
    ("called", "line", "grade", "reason"), QUOTES, ids=[f"{each[1]}, {each[3]}" for each in QUOTES]
)
def test_what_is_quoted_opened_or_committed(drive, called, line, grade, reason):
    drive_before(drive)
    made(drive, 0, "a.go", text=GO)
    made(drive, 0, "c.json", text='{"a": "x", "b": 1}\n')
    token = launched(drive)
    git = ["git", "-c", "user.name=t", "-c", "user.email=t@example.org", "-C", str(drive.folder)]
    subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", "x"], check=True)
    head = subprocess.run(
        [*git, "rev-parse", "--short", "HEAD"], check=True, capture_output=True, text=True
    ).stdout.strip()
    calls(drive, *called)
    drive.ends(
        "a1",
        block(
            "COMPLETION_REPORT",
            token,
            status="success",
            evidence=f"- {line.format(head=head)}" if "{head}" in line else f"- {line}",
        ),
    )
    [found] = json.loads(drive.rows("SELECT evidence FROM runs")[0]["evidence"])["findings"]
    assert (found["grade"], found["reason"]) == (grade, reason)


SHAPES = [
    "✓ npm test (18 passed)",
    "✅ `npm test`: 18 passed",
    "Ran npm test: 18 passed",
    "npm test -> pass, 18 passed",
    "| Command | Result |\n| --- | --- |\n| npm test | pass, 18 passed |",
    "Tests:\n  - `npm test` -> pass",
    "Commands run:\n- npm test -> 18 passed",
    "ran `npm test` ->\n  pass, 18 passed",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_line_counts_in_each_shape_that_models_write(drive, shape):
    token = launched(drive)
    calls(drive, bash("npm test", RUNNERS["npm test"]))
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence=shape))
    [found] = json.loads(drive.rows("SELECT evidence FROM runs")[0]["evidence"])["findings"]
    assert (found["grade"], found["subject"]) == ("seen", "npm test")


def test_what_is_not_understood_is_shown_as_undeclared(drive):
    reported(drive, ["the whole thing works now", "ran `ls` -> ok"], bash("ls", "a.py"))
    [found, _] = json.loads(drive.rows("SELECT evidence FROM runs")[0]["evidence"])["findings"]
    assert verdict.said_of(found) == "“the whole thing works now” — undeclared: it is not in the form that is checked"


def test_a_busy_machine_changes_no_verdict(drive, tmp_path, monkeypatch):
    """Every question to git takes a second here: what is found does not depend on the time that it takes."""
    git = shutil.which("git")
    slow = tmp_path / "slow" / "git"
    token = launched(drive)
    slow.parent.mkdir()
    slow.write_text(f"#!/bin/sh\nsleep 1\nexec '{git}' \"$@\"\n")
    slow.chmod(0o700)
    monkeypatch.setenv("PATH", f"{slow.parent}{os.pathsep}{os.environ['PATH']}")
    made(drive, 1, "a.py")
    calls(drive, edit(drive, "a.py"), bash("npm test", RUNNERS["npm test"]))
    listed = "- changed a.py\n- ran `npm test` -> pass, 18 passed"
    assert drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence=listed)) == {}
    kept = json.loads(drive.rows("SELECT evidence FROM runs")[0]["evidence"])
    assert [(found["grade"], found["reason"]) for found in kept["findings"]] == [
        ("seen", "changed"),
        ("seen", "passed"),
    ]
    assert kept["limits"] == []


def test_a_success_without_a_single_call_says_so_in_the_line(drive):
    assert reported(drive, ["not checked: everything"]) == (
        "bg-1 done: “The login has no rate limit.” · used no tool · not declared"
    )
