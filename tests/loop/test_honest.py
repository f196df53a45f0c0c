"""An honest agent through the real hooks: a noisy pass is one, a look is never disputed, and files have their authors."""

from __future__ import annotations

import pytest
from bg.desk import detail
from bg.desk.page import Page
from drive import Drive, block, context
from recordings import VERSIONS
from test_disputed import calls, corrections, launched, state

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
def drive(request, tmp_path):
    return Drive(request.param, tmp_path)


def reported(drive: Drive, listed: list[str], *made: tuple[str, dict, str, bool], changed: str = "") -> str:
    """The agent makes these calls, a file changes, and its report is taken as it is; the user's line."""
    token = launched(drive)
    if changed:
        (drive.folder / changed).write_text("x = 1\n")
    calls(drive, *made)
    evidence = "\n".join(f"- {line}" for line in listed)
    assert drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence=evidence)) == {}
    assert (state(drive), corrections(drive)) == ("done", 0)
    said = drive.announced("a1")
    assert "Does not match" not in context(said)
    return str(said["systemMessage"])


def bash(command: str, result: str, *, failed: bool = False) -> tuple[str, dict, str, bool]:
    return ("Bash", {"command": command}, result, failed)


@pytest.mark.parametrize("command", RUNNERS)
def test_a_noisy_run_with_an_exit_of_0_has_passed(drive, command):
    said = reported(drive, [f"ran `{command}` -> pass"], bash(command, NOISE + RUNNERS[command]))
    assert said.endswith(
        "nothing changed on disk" if command == "mise run test" else "tests passed, nothing edited since"
    )


@pytest.mark.parametrize("command", [command for command in RUNNERS if command != "mise run test"])
def test_behind_a_pipe_the_runners_own_last_lines_decide(drive, command):
    said = reported(drive, [f"ran `{command}` -> pass"], bash(f"{command} 2>&1 | tail -9", NOISE + RUNNERS[command]))
    assert said.endswith("tests passed, nothing edited since")


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


def test_an_unknown_program_that_passed_after_the_last_edit_is_not_older_than_it(drive):
    edited = ("Edit", {"file_path": str(drive.folder / "a.py"), "old_string": "a", "new_string": "b"}, "ok", False)
    said = reported(
        drive,
        ["ran `mise run test` -> pass", "ran `pytest -q` -> fail"],
        bash("pytest -q", "Exit code 1\n1 failed in 0.1s", failed=True),
        edited,
        bash("mise run test", "18 passed"),
        changed="a.py",
    )
    assert said == "bg-1 says it is done · 1 file changed"


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
    assert said["systemMessage"].startswith("bg-1 says it is done · 1 file changed meanwhile by others")
    assert "- changed meanwhile by others: “docs.md”" in context(said)
    assert "files that this run changed" not in context(said)
    book = drive.ledger()
    whole = detail.detail(book, Page(), "bg-1")
    book.close()
    assert "not seen: asked for: docs.md\n      it has changed, but no call of this run wrote it" in whole
    assert "changed meanwhile by others: “docs.md”" in whole


def test_what_nobody_can_tell_is_said_to_be_so(drive):
    token = launched(drive, "Deliverables: out.md, docs.md\n")
    for name in ("out.md", "docs.md", "a.py"):
        (drive.folder / name).write_text("x\n")
    calls(drive, ("Write", {"file_path": str(drive.folder / "a.py")}, "ok", False), bash("python3 gen.py > out.md", ""))
    drive.ends("a1", block("COMPLETION_REPORT", token, status="success", evidence="- wrote a.py"))
    said = drive.announced("a1")
    assert said["systemMessage"].startswith(
        "bg-1 says it is done · 2 files changed · 1 more changed, by whom is not known"
    )
    assert "- files that this run changed: “a.py”, “out.md”\n- changed, by whom is not known: “docs.md”" in context(
        said
    )
    book = drive.ledger()
    whole = detail.detail(book, Page(), "bg-1")
    book.close()
    assert "seen: asked for: out.md\n      new or changed on disk since the launch" in whole
    assert "not seen: asked for: docs.md\n      new or changed since the launch, and by whom is not known" in whole
