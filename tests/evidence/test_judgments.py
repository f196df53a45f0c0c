"""What is seen of a declared fact: each reason with what leads to it, and what must never count as proof or as doubt."""

from __future__ import annotations

import os
import subprocess

import pytest
from bg.evidence.finding import REASONS
from bg.words import reasons
from world import GIT, World


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.call("Glob", "README.md", pattern="*.md")
    return made


def test_every_reason_has_its_sentence():
    assert set(REASONS) == set(reasons.REASONS)
    assert all(bool(brief) == (REASONS[reason] == "does not match") for reason, (_, brief) in reasons.REASONS.items())


# Files.


def test_files_that_were_written(world):
    world.edited("docs/new.md", "# New\n\nGET /users\n")
    world.edited("src/a.py", "def total(items):\n    return sum(items) or 0\n")
    assert world.declared(
        "wrote docs/new.md",
        'wrote ./docs/new.md contains "GET /users"',
        f"changed {world.root}/src/a.py",
        "changed src/a.py contains `return sum(items)  or 0`",
        'changed src/a.py contains "def total … or 0"',
        "wrote docs/",
        "wrote docs/*.md",
        "wrote docs/*.rst",
    ) == [
        ("seen", "changed", ""),
        ("seen", "contains", ""),
        ("seen", "changed", ""),
        ("seen", "contains", ""),
        ("seen", "contains", ""),
        ("seen", "changed", ""),
        ("only said", "several files", "several"),
        ("only said", "several files", "several"),
    ]


def test_files_that_were_not(world):
    world.edited("docs/new.md", "# New\n")
    world.edited("docs/empty.md", "\n")
    assert world.declared(
        "wrote docs/other.md",
        "changed src/b.py",
        'wrote docs/new.md contains "GET /users"',
        "wrote docs/empty.md",
        "removed src/b.py",
        "moved src/a.py -> src/c.py",
        "moved src/a.py -> docs/new.md",
    ) == [
        ("does not match", "not found", ""),
        ("does not match", "unchanged", ""),
        ("does not match", "lacks the text", "GET /users"),
        ("does not match", "empty", ""),
        ("does not match", "still there", ""),
        ("does not match", "not found", "src/c.py"),
        ("does not match", "still there", "src/a.py"),
    ]


def test_what_was_removed_or_moved_is_looked_for_on_disk(world):
    world.write("src/c.py", "def total(items):\n    return sum(items)\n")
    (world.root / "src/a.py").unlink()
    (world.root / "docs/index.md").unlink()
    world.bash("git mv src/a.py src/c.py; rm docs/index.md")
    assert world.declared(
        "moved src/a.py -> src/c.py",
        "moved src/a.py -> c.py",
        "removed docs/index.md",
        "removed index.md",
        "removed x/never.md",
    ) == [
        ("seen", "moved", "src/c.py"),
        ("seen", "moved", "c.py"),
        ("seen", "gone", ""),
        ("seen", "gone", ""),
        ("only said", "never seen", ""),
    ]


def test_what_cannot_be_decided_is_no_doubt(world, tmp_path):
    """A short name of several files, an edit that was taken back, a path outside, a change that no call made."""
    world.call("Edit", "ok", file_path=str(world.root / "src/a.py"), old_string="sum", new_string="max")
    world.call("Edit", "ok", file_path=str(world.root / "src/a.py"), old_string="max", new_string="sum")
    assert world.reason("changed src/a.py") == "equal after an edit"
    assert world.reason("changed util.py") == "several files"
    assert world.reason(f"wrote {tmp_path}/elsewhere.md") == "outside"
    assert world.reason("wrote ../elsewhere.md") == "outside"
    world.edited("lib/util.py", "X = 3\n")
    assert world.declared("changed util.py") == [("seen", "changed", "lib/util.py")]


def test_another_hand_is_not_the_agents(world):
    world.write("README.md", "# Shop, rewritten\n")
    assert world.reason("changed README.md") == "by another hand"
    world.bash("python tools/rewrite.py")
    assert world.reason("changed README.md") == "changed"


def test_without_calls_or_commit_less_is_certain(world, tmp_path):
    assert world.reason("ran `pytest` -> pass", transcript=False) == "calls unknown"
    plain = World(tmp_path / "plain", git=False)
    plain.edited("docs/new.md", "x\n")
    assert plain.declared("wrote docs/new.md", "changed README.md", "commit 1a2b3c4") == [
        ("seen", "changed", ""),
        ("does not match", "unchanged", ""),
        ("only said", "no repository", ""),
    ]


def test_a_worktree_counts_before_the_project(world):
    tree = world.root / ".claude" / "worktrees" / "w"
    world.git("worktree", "add", "-q", "--detach", str(tree), "HEAD")
    (tree / "src/a.py").write_text("x = 1\n")
    os.utime(tree / "src/a.py", (world.at + 5, world.at + 5))
    world.bash("make x")
    found = world.declared("changed src/a.py", "changed src/b.py", cwd=".claude/worktrees/w")
    assert [reason for _, reason, _ in found] == ["changed", "unchanged"]


# Lines and quotes.


def test_a_quoted_line_is_compared_with_the_file(world):
    world.call("Read", "     1→export const JWT_TTL = '12h';", file_path=str(world.root / "src/api/auth.ts"))
    assert [
        reason
        for _, reason, _ in world.declared(
            "saw src/api/auth.ts:3",
            "saw src/api/auth.ts:3-4",
            'saw src/api/auth.ts:3 "export function login() {"',
            "saw src/api/auth.ts:3 `export   function login()` (no check)",
            "saw src/api/auth.ts:1 \"export const … '12h'\"",
            'saw src/api/auth.ts:4 "return 1; // always"',
            "saw src/api/auth.ts:40",
            'saw src/api/auth.ts:3 "export function logout() {"',
            'saw src/nowhere.ts:1 "x = 1"',
        )
    ] == [
        "has the line",
        "has the line",
        *["quoted"] * 3,
        "other words",
        "no such line",
        "other words",
        "not found",
    ]


def test_a_quote_from_before_the_edit_or_from_a_result_is_one(world):
    world.edited("src/b.py", "POOL = 4\n")
    world.bash("grep -rn ttl vendor", "vendor/x.go:9: const ttl = 12")
    assert [
        reason for _, reason, _ in world.declared('saw src/b.py:3 "POOL = 3"', 'saw vendor/x.go:9 "const ttl = 12"')
    ] == [
        "stood there",
        "in a result",
    ]


def test_a_quote_that_stands_elsewhere_is_not_a_false_one(world):
    world.edited("src/long.py", "".join(f"line = {number}\n" for number in range(100)))
    assert world.declared('saw src/long.py:10 "line = 80"') == [("only said", "line elsewhere", "81")]


# Runs: that command, its end, its count, and that it still holds.

PASSES = "..\n3 passed in 0.10s"
ENDINGS = [
    # what was called, what came back, whether it failed; what is declared, the reason
    ("pytest -q", PASSES, False, "ran `pytest -q` -> pass, 3 passed", "passed"),
    ("pytest -q", PASSES, False, "ran `pytest` -> pass", "passed"),
    ("python -m pytest -q", PASSES, False, "ran `pytest` -> pass", "passed"),
    ("cd tests && CI=1 uv run pytest -q --tb=short", PASSES, False, "ran `pytest` -> pass", "passed"),
    ("cd /x && pytest -q", PASSES, False, "ran `pytest` -> pass", "elsewhere"),
    ("bash -c 'pytest -q'", PASSES, False, "ran `pytest -q` -> pass", "passed"),
    ("docker compose run --rm app pytest -q", PASSES, False, "ran `pytest -q` -> pass", "perhaps within"),
    ("pytest", PASSES, False, "ran `pytest tests/test_a.py` -> pass", "perhaps another"),
    ("npm run test", "Tests: 3 passed, 3 total", False, "ran `npm test` -> pass, 3/3", "passed"),
    ("go test ./...", "ok  \tx/a\t0.1s", False, "ran `go test ./...` -> pass", "passed"),
    ("pytest -q", PASSES, False, "ran `pytest -q`", "was run"),
    ("pytest -q", "1 failed, 2 passed in 0.1s", True, "ran `pytest -q` -> fail", "failed as said"),
    ("pytest -q", "Exit code 1\n1 failed, 2 passed in 0.1s", True, "ran `pytest -q` -> pass", "failed"),
    ("pytest -q", PASSES, False, "ran `pytest -q` -> fail", "passed instead"),
    # hidden ends: only the output can tell
    ("pytest -q | tail -3", PASSES, False, "ran `pytest -q` -> pass", "by its summary"),
    ("pytest -q 2>&1 | tail -3", "1 failed, 2 passed in 0.1s", False, "ran `pytest -q` -> pass", "failed"),
    ("pytest -q | grep passed", "3 passed in 0.1s", False, "ran `pytest -q` -> pass", "by its summary"),
    ("go test ./... | grep ok", "ok  \tx/a\t0.1s", False, "ran `go test ./...` -> pass", "end unseen"),
    ("npm test | grep -E '^# (pass|fail)'", "# pass 3\n# fail 0", False, "ran `npm test` -> pass", "by its summary"),
    ("npm test | grep '^# pass'", "# pass 3", False, "ran `npm test` -> pass", "end unseen"),
    ("npm test | sed -n '/^# tests/,$p'", "# tests 3\n# pass 3\n# fail 0", False, "ran `npm test` -> pass", "by its summary"),
    ("npm test | grep '^# [tpf]'", "# tests 3\n# pass 2\n# fail 1", False, "ran `npm test` -> pass", "failed"),
    ("npm test | tail -9", "# tests 3\n# pass 2\n# fail 0\n# cancelled 1", False, "ran `npm test` -> pass", "failed"),
    ("cargo test | grep 'test result'", "test result: ok. 3 passed; 0 failed", False, "ran `cargo test` -> pass", "by its summary"),
    ("cargo test | grep 'result: ok'", "test result: ok. 3 passed; 0 failed", False, "ran `cargo test` -> pass", "end unseen"),
    ("npx mocha | grep 'passing\\|failing'", "  3 passing (3ms)", False, "ran `npx mocha` -> pass", "by its summary"),
    ("npx mocha | grep passing", "  3 passing (3ms)", False, "ran `npx mocha` -> pass", "end unseen"),
    ("npx mocha | grep -v npm", "  3 passing (3ms)", False, "ran `npx mocha` -> pass", "by its summary"),
    ("bats t | grep -E '^(not )?ok'", "ok 1 a\nok 2 b", False, "ran `bats t` -> pass", "by its summary"),
    ("bats t | tail -2", "ok 4 a\nok 5 b", False, "ran `bats t` -> pass", "end unseen"),
    ("prove t | tail -2", "Files=2, Tests=12,  0 wallclock secs\nResult: FAIL", False, "ran `prove t` -> pass", "failed"),
    ("python -m unittest 2>&1 | grep Ran", "Ran 2 tests in 0.1s", False, "ran `python -m unittest` -> pass", "end unseen"),
    ("npm test || true", "", False, "ran `npm test` -> pass", "end unseen"),
    ("npm test || true", "Tests: 1 failed, 2 passed, 3 total", False, "ran `npm test` -> pass", "failed"),
    ("npm test; true", "> jest", False, "ran `npm test` -> pass", "end unseen"),
    ("npm test; echo done", "done", False, "ran `npm test` -> pass", "end unseen"),
    ("npm test > out.log; echo $?", "0", False, "ran `npm test` -> pass", "passed"),
    ('npm test > out.log; echo "exit $?"', "exit 1", False, "ran `npm test` -> pass", "failed"),
    ("npm test | tail -2; echo $?", "x\n0", False, "ran `npm test` -> pass", "end unseen"),
    ("npm test | tail -2; echo ${PIPESTATUS[0]}", "x\n0", False, "ran `npm test` -> pass", "passed"),
    ("set -o pipefail; npm test | tail -2", "x", False, "ran `npm test` -> pass", "passed"),
    ("ruff check . && pytest -q | tail -3", PASSES, False, "ran `ruff check .` -> pass", "passed"),
    ("npm test -- --run", "      Tests  3 passed (3)", False, "ran `npm test` -> pass, 3 passed", "passed"),
    ("npm test || exit 1", "x", False, "ran `npm test` -> pass", "passed"),
    ("bash -c 'npm test || true'", "x", False, "ran `npm test` -> pass", "end unseen"),
    ("npm run build && npm test", "Exit code 1", True, "ran `npm test` -> pass", "failed"),
    ("npm run build && npm test", "Exit code 1", True, "ran `npm run build` -> pass", "end unseen"),
    ("ruff check . && pytest -q", "All checks passed!\n" + PASSES, False, "ran `ruff check .` -> pass", "passed"),
    # nothing ran, or not what was counted
    ("pytest -q", "no tests ran in 0.01s", False, "ran `pytest -q` -> pass", "nothing was run"),
    ("npx jest", "No tests found, exiting with code 0", False, "ran `npx jest` -> pass", "nothing was run"),
    ("go test ./...", "?   \tx/a\t[no test files]", False, "ran `go test ./...` -> pass", "nothing was run"),
    ("cargo test", "running 0 tests\n\ntest result: ok. 0 passed; 0 failed; 0 ignored", False, "ran `cargo test` -> pass", "nothing was run"),
    ("pytest -q", PASSES, False, "ran `pytest -q` -> pass, 18 passed", "other count"),
    ("pytest -q", "16 passed, 2 skipped in 1s", False, "ran `pytest -q` -> pass, 18 tests", "passed"),
    ("make check", "ok", False, "ran `make check` -> pass, 18 passed", "count unseen"),
    ("cargo test", "test result: ok. 4 passed; 0 failed\ntest result: ok. 3 passed; 0 failed", False, "ran `cargo test` -> pass, 7 passed", "passed"),
    ("python -m unittest", "Ran 12 tests in 0.1s\n\nOK (skipped=2)", False, "ran `python -m unittest` -> pass, 10 passed", "passed"),
    ("mvn test", "Tests run: 12, Failures: 0, Errors: 0, Skipped: 1\nBUILD SUCCESS", False, "ran `mvn test` -> pass, 12 passed", "count unseen"),
    ("npx vitest run", " Test Files  2 passed (2)\n      Tests  9 passed (9)", False, "ran `npx vitest` -> pass, 9 passed", "passed"),
    # another command
    ("pytest tests/test_a.py", PASSES, False, "ran `pytest` -> pass", "perhaps another"),
    ("pytest -k total", PASSES, False, "ran `pytest` -> pass", "perhaps another"),
    ("pytest tests/test_a.py::test_a", PASSES, False, "ran `pytest tests/test_a.py` -> pass", "perhaps another"),
    ("go test ./x", "ok  \tx\t0.1s", False, "ran `go test ./...` -> pass", "perhaps another"),
    ("npm test -- --grep x", "3 passing", False, "ran `npm test` -> pass", "perhaps another"),
    ("echo pytest -q: 3 passed", "pytest -q: 3 passed", False, "ran `pytest -q` -> pass", "not run"),
    ("cat pytest.ini", "", False, "ran `pytest -q` -> pass", "not run"),
    ("npm run build", "built in 3s", False, "ran `npm test` -> pass", "perhaps within"),
    ("go build ./...", "", False, "ran `go test ./...` -> pass", "not run"),
    ("npm install", "", False, "ran `npm test` -> pass", "not run"),
    ("pytest --collect-only", "3 tests collected", False, "ran `pytest` -> pass", "not run"),
    ("make check", "pytest -q\n" + PASSES, False, "ran `pytest` -> pass", "perhaps within"),
    ("./ci.sh", PASSES, False, "ran `pytest` -> pass", "perhaps within"),
    ("make check", "pytest -q\n" + PASSES, False, "ran `make check` -> pass", "passed"),
    ("ruff check src", "All checks passed!", False, "ran `mypy` -> pass", "not run"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("command", "result", "failed", "line", "reason"), ENDINGS, ids=[f"{each[0]}, {each[3]}" for each in ENDINGS]
)
def test_a_run_is_judged_by_how_it_ended(world, command, result, failed, line, reason):
    world.bash(command, result, failed=failed)
    assert world.reason(line) == reason


def test_a_run_that_failed_first_and_passed_after_the_fix(world):
    world.bash("ruff check .", "Found 2 errors.", failed=True)
    world.edited("src/a.py", "x = 1\n")
    world.bash("ruff check .", "All checks passed!")
    assert [reason for _, reason, _ in world.declared("ran `ruff check .` -> fail", "ran `ruff check .` -> pass")] == [
        "failed as said",
        "passed",
    ]


AFTER = [
    ("src/a.py", "ran `pytest -q` -> pass", "stale"),
    ("tests/test_b.py", "ran `pytest -q` -> pass", "stale"),
    ("CHANGELOG.md", "ran `pytest -q` -> pass", "exit 0"),
    ("src/app.ts", "ran `pytest -q` -> pass", "exit 0"),
    ("conf/limits.json", "ran `pytest -q` -> pass", "exit 0"),
    ("src/a.py", "ran `pytest -q` -> fail", "passed instead"),
]


@pytest.mark.parametrize(("edited", "line", "reason"), AFTER, ids=[f"{each[0]}, {each[1]}" for each in AFTER])
def test_what_was_edited_after_a_run(world, edited, line, reason):
    world.bash("pytest -q", PASSES)
    world.edited(edited, "x = 1\n")
    assert world.reason(line) == reason


def test_a_script_that_passed_before_an_edit_is_not_vouched_for(world):
    """What it is about is not known, so an edit of prose says nothing, and one of code leaves it only said."""
    world.bash("bash scripts/ci.sh", "CI OK")
    world.edited("CHANGELOG.md", "x\n")
    assert world.reason("ran `bash scripts/ci.sh` -> pass") == "exit 0"
    world.edited("src/a.py", "x = 1\n")
    assert world.declared("ran `bash scripts/ci.sh` on the final code -> pass, CI OK") == [
        ("only said", "edited after", "src/a.py")
    ]


@pytest.mark.parametrize("where", ["in src", "(in `src/`)", "at the root", "in the project's root"])
def test_a_run_in_another_folder_than_the_line_names(world, where):
    world.bash("cd lib && npm test", "Tests: 2 passed, 2 total")
    assert world.reason(f"ran `npm test` {where} -> pass, 2 passed") == "elsewhere"
    world.bash(f"cd {'.' if 'root' in where else 'src'} && npm test", "Tests: 2 passed, 2 total")
    assert world.reason(f"ran `npm test` {where} -> pass, 2 passed") == "passed"


def test_a_look_is_seen_where_the_line_gives_all_that_it_printed(world):
    world.bash("grep -c x src/a.py || echo 'no tabs'", "no tabs")
    world.bash("grep -rn days src", "Exit code 1", failed=True)
    world.bash("git log --oneline -2", "1a2b3c4 Fix it\n2b3c4d5 Begin")
    assert [
        reason
        for _, reason, _ in world.declared(
            "looked: `grep -c x src/a.py || echo 'no tabs'` prints no tabs",
            "- grep -rn days src: none left",
            "ran `git log --oneline -2` -> two commits",
            "ran `grep -rn days src` -> three matches",
        )
    ] == ["was run", "was run", "a look", "a look"]


def test_what_is_read_from_a_sentence_is_never_doubted(world):
    world.bash("./do all", "2 passed")
    assert world.reason("the suite was started with `./do all`, which passed") == "exit 0"
    assert world.reason("the suite was started with `./do all`, which failed on the old host") == "prose"


@pytest.mark.parametrize("command", ["sed -i s/1/2/ src/a.py", "cat > src/a.py <<EOF\nx\nEOF", "echo x | tee src/a.py"])
def test_the_shell_edits_too(world, command):
    world.bash("pytest -q", PASSES)
    world.bash(command)
    world.made("src/a.py", "x = 2\n")
    assert world.declared("ran `pytest -q` -> pass") == [("does not match", "stale", "src/a.py")]


def test_a_check_of_one_file_speaks_for_no_other(world):
    world.bash("ruff check src/a.py", "All checks passed!")
    world.edited("src/b.py", "x = 1\n")
    assert world.reason("ran `ruff check src/a.py` -> pass") == "exit 0"
    world.edited("src/a.py", "x = 1\n")
    assert world.reason("ran `ruff check src/a.py` -> pass") == "stale"


def test_a_run_in_the_background(world):
    world.bash("npm test", "Command running in background with ID: bash_1", run_in_background=True)
    assert world.reason("ran `npm test` -> pass") == "unread"
    world.call("BashOutput", "Tests: 3 passed, 3 total", bash_id="bash_1")
    assert world.reason("ran `npm test` -> pass, 3 passed") == "by its summary"
    world.bash("npm run e2e", "Command running in background with ID: bash_2", run_in_background=True)
    world.told("Background command bash_2 completed (exit code 0)")
    assert world.reason("ran `npm run e2e` -> pass") == "exit 0"


def test_another_agent_may_have_done_it(world):
    world.call("Task", "done", prompt="run the tests")
    assert world.reason("ran `pytest` -> pass") == "calls unknown"
    assert world.reason("pushed") == "calls unknown"


# Commits, pushes, pull requests.


def test_a_commit_is_found_by_its_id_or_its_subject(world):
    first = world.commit("Fix the total")
    world.bash("git commit -m x")
    assert world.declared(
        f"commit {first[:7]}",
        f"commit {first}",
        'commit "Fix the total"',
        "committed",
        "commit 0123456",
        f"commit {world.head[:8]}",
    ) == [
        ("seen", "committed", ""),
        ("seen", "committed", ""),
        ("seen", "committed", first[:10]),
        ("seen", "committed", first[:10]),
        ("does not match", "no such commit", ""),
        ("only said", "older commit", ""),
    ]
    world.git("reset", "-q", "--hard", world.head)
    assert world.declared(f"commit {first[:7]}", "committed") == [
        ("only said", "loose commit", ""),
        ("does not match", "no commit", ""),
    ]


def test_no_program_that_the_repository_configures_is_started(world):
    """A repository may name programs for signatures, hooks, file systems and differences; none of them runs."""
    bait, seen = world.place / "bait.sh", world.place / "seen"
    bait.write_text(f"#!/bin/sh\ntouch {seen}\n")
    bait.chmod(0o755)
    first = world.commit("Fix")
    for name in (
        "gpg.program",
        "core.fsmonitor",
        "diff.external",
        "core.sshCommand",
        "core.pager",
        "credential.helper",
    ):
        world.git("config", name, str(bait))
    for name in ("log.showSignature", "commit.gpgSign"):
        world.git("config", name, "true")
    world.edited("docs/new.md", "x\n")
    assert world.declared(f"commit {first[:7]}", "wrote docs/new.md")[0][1] == "committed"
    assert not seen.exists()


PUBLISHED = [
    ("git push", "   1a2b3c4..2b3c4d5  main -> main", False, "pushed", "pushed"),
    ("git push origin x 2>&1 | tail -2", " * [new branch]      x -> x", False, "pushed", "pushed"),
    ("git push", "! [rejected] main -> main (fetch first)", True, "pushed", "push failed"),
    ("git push || true", "fatal: unable to access", False, "pushed", "push failed"),
    ("git status", "", False, "pushed", "no push"),
    ("git push > /dev/null 2>&1; echo", "", False, "pushed", "result unseen"),
    ("gh pr create --fill", "https://example.org/x/y/pull/12", False, "opened PR #12", "opened"),
    ("gh pr create --fill", "https://example.org/x/y/pull/12", False, "opened PR #13", "other number"),
    ("gh pr create --fill", "could not create", True, "opened PR", "opening failed"),
    ("gh pr list", "none", False, "opened PR", "not opened"),
]


@pytest.mark.parametrize(
    ("command", "result", "failed", "line", "reason"), PUBLISHED, ids=[f"{each[0]}, {each[3]}" for each in PUBLISHED]
)
def test_what_was_published_is_judged_by_its_command(world, command, result, failed, line, reason):
    world.bash(command, result, failed=failed)
    assert world.reason(line) == reason


# What the host sees by itself, what was asked for, and notes.


def test_the_hosts_own_facts(world):
    world.bash("pytest -q", PASSES)
    world.edited("src/a.py", "x = 1\n")
    world.edited("docs/new.md", "x\n")
    (world.root / "src/b.py").unlink()
    world.bash("rm src/b.py")
    world.bash("npm run lint | tail -1", "x")
    facts = world.examine("Done.").facts
    assert (facts["changed"], facts["changed_count"], facts["removed"]) == (
        ["docs/new.md", "src/a.py"],
        2,
        ["src/b.py"],
    )
    assert [(run["command"], run["end"], run["edited"].rpartition("/")[2]) for run in facts["runs"]] == [
        ("pytest -q", "passed", "a.py"),
        ("npm run lint", "unseen", ""),
    ]
    assert [(run["command"], run["end"], run["since"]) for run in facts["tested"]] == [("pytest -q", "passed", "stale")]
    first = world.commit("Fix the total")
    assert world.examine("Done.").facts["commits"] == [{"hash": first[:10], "subject": "Fix the total"}]
    assert world.examine("Done.").facts["changed"] == ["docs/new.md", "src/a.py"]


def test_what_git_ignores_is_no_change_of_the_agents(world):
    world.write(".gitignore", "build/\n", -3600)
    world.head = world.commit("ignore")
    world.write(".gitignore", "build/\n", -3600)
    world.write("build/x.js", "x\n")
    world.write("new.js", "x\n")
    assert world.examine("Done.").facts["meanwhile"] == ["new.js"]


def test_what_the_launch_asked_for(world):
    world.bash("pytest -q", PASSES)
    world.edited("docs/api.md", "x\n")
    evidence = world.examine(
        "Done.", deliverables="docs/api.md, docs/cli.md", done_when="`pytest -q` passes and npm test is green"
    )
    assert [(found.subject, found.reason) for found in evidence.asked] == [
        ("docs/api.md", "changed"), ("docs/cli.md", "not found"), ("pytest -q", "exit 0"), ("npm test", "not run"),
    ]  # fmt: skip
    assert evidence.mismatches == []  # it does not say that it is done


NOTES = [
    ("I read src/a.py:99 and all 12 tests passed.", set()),
    ("Tests should pass. See src/a.py:2 and src/api/auth.ts:1.", set()),
    ("Not run: the tests. 0 tests failed.", set()),
    ("See https://example.org/a.py:99 and 10:30.", set()),
    ("Der Test läuft. docs/nie.md ist geschrieben.", set()),
]


@pytest.mark.parametrize(("report", "reasons"), NOTES, ids=[report for report, _ in NOTES])
def test_prose_gives_notes_and_nothing_else(world, report, reasons):
    evidence = world.examine(report, {"status": "success", "summary": report, "deliverables": "none"})
    assert (evidence.findings, evidence.mismatches) == ([], [])
    assert {reason for reason, _ in evidence.notes} == reasons


def test_a_failed_write_and_a_file_that_does_not_parse_are_noted(world):
    world.call("Write", "disk full", failed=True, file_path=str(world.root / "docs/x.md"), content="x")
    world.edited("conf/a.json", "{'a': 1}")
    fields = {"status": "success", "evidence": "- wrote conf/a.json"}
    evidence = world.examine("docs/x.md", fields, deliverables="conf/a.json")
    assert sorted(reason for reason, _ in evidence.notes) == ["does not parse", "write failed"]
    assert world.examine("docs/x.md", fields).notes == [("write failed", "x.md")]
    idle = World(world.place / "idle")
    idle.told("go")
    assert ("no tool used", "") in idle.examine("I fixed it.", {"status": "success"}).notes
    assert idle.examine("Could not.", {"status": "failed"}).notes == []


def test_nothing_is_declared_in_prose(world):
    evidence = world.examine("wrote docs/never.md\n- ran `pytest` -> pass", None)
    assert (evidence.declared, evidence.findings) == (False, [])
    evidence = world.examine(
        "", {"status": "success", "deliverables": "- wrote docs/never.md", "evidence": "All of it is done."}
    )
    assert evidence.declared is False
    assert [found.reason for found in evidence.findings] == ["prose", "named and absent"]


def test_a_commit_elsewhere_is_not_asked_for(tmp_path):
    """A project without any commit: nothing of the repository is known, and nothing is doubted."""
    made = World(tmp_path, git=False)
    subprocess.run([*GIT, "-C", str(made.root), "init", "-q"], check=True)
    assert made.declared("committed", "commit 1a2b3c4") == [("only said", "no repository", "")] * 2


# What reports that were written blind have shown (the half that was looked at).


def test_a_dry_run_is_no_push_and_no_run_unless_it_says_so(world):
    world.bash("git push --dry-run", "To example.org:x\n   1..2  main -> main")
    assert world.reason("pushed to origin/main") == "no push"
    world.bash("helm upgrade web ./chart --dry-run", "ok")
    assert world.reason("ran `helm upgrade web ./chart --dry-run` -> pass") == "exit 0"
    assert world.reason("ran `helm upgrade web ./chart` -> pass") == "not run"


def test_a_run_elsewhere_is_another_one(world):
    world.bash("cd tools && pytest -q", PASSES)
    assert world.reason("ran `cd lib && pytest -q` -> pass") == "elsewhere"
    assert (
        world.declared("ran `cd tools && pytest -q` -> pass", "ran `pytest -q` -> pass")
        == [("seen", "passed", "pytest -q (in tools)")] * 2
    )


def test_a_folder_of_which_something_is_left_is_still_there(world):
    (world.root / "src/a.py").unlink()
    world.bash("rm src/a.py")
    assert world.reason("removed src/") == "still there"


def test_another_branch_than_the_one_that_was_pushed(world):
    world.bash("git push origin fix", " * [new branch]      fix -> fix")
    assert world.reason("pushed fix/other to origin") == "other branch"
    assert world.reason("pushed") == "pushed"


def test_a_file_in_a_worktree_that_the_agent_made(world):
    world.git("worktree", "add", "-q", "--detach", ".wt/fix", "HEAD")
    world.write(".wt/fix/src/a.py", "x = 1\n")
    world.bash("git worktree add .wt/fix")
    assert world.declared('changed src/a.py contains "x = 1"') == [("seen", "contains", ".wt/fix/src/a.py")]


def test_a_line_behind_the_end_of_the_file_is_none(world):
    assert world.reason('saw src/b.py:40 "POOL = 3"') == "no such line"


# What the transcripts of another checker have shown.


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("npm test", "npm ERR! Test failed. See above for more details."),
        (
            "pytest -q",
            "Traceback (most recent call last):\n  as the log of a test\n1 failed, retrying\n3 passed in 0.10s",
        ),
        ("go test ./...", "--- FAIL: said by what was tested\nok  \tx/a\t0.1s"),
        ("ruff check .", "src/a.py:12:1: F401 'os' imported but unused"),
        ("npx eslint .", "src/a.js\n  4:1  warning  Unexpected console statement"),
        ("mise run test", "2 failed"),
    ],
)
def test_an_exit_of_0_is_a_pass_whatever_the_output_says(world, command, result):
    world.bash(command, result)
    assert world.reason(f"ran `{command}` -> pass") == "passed"
    assert world.reason(f"ran `{command}` -> fail") == "passed instead"


PIPED = [
    ("pytest -q", "2 failed\nupload: 1 failed, 3 passed\n3 passed in 0.10s", "by its summary"),
    (
        "pytest -q",
        "1 failed, 2 passed in 0.05s\n3 passed in 0.10s",
        "by its summary",
    ),  # the first is quoted by a test of a plugin
    ("pytest -q", "3 passed in 0.10s\n1 failed, 2 passed in 0.05s", "failed"),
    ("pytest -q", "2 failed", "end unseen"),
    ("npm test", "all 18 tests passed, says the log", "end unseen"),
    ("npm test", "  ✓ locks after 3 failed attempts\nTests:       3 passed, 3 total", "by its summary"),
    ("npx playwright test", "  1 failed\n    a.spec.ts:3:1 › cart\n  2 passed (3s)", "failed"),
    (
        "cargo test",
        "test result: FAILED. 3 passed; 1 failed; 0 ignored\ntest result: ok. 3 passed; 0 failed; 0 ignored",
        "failed",
    ),
    ("pnpm -r test", "a test:      Tests  1 failed | 4 passed (5)\nb test:      Tests  7 passed (7)", "failed"),
    ("make deploy", "Error: retrying (1 of 3)\ndone", "end unseen"),
]


@pytest.mark.parametrize(("command", "result", "reason"), PIPED)
def test_behind_a_pipe_only_a_runners_own_summary_is_read(world, command, result, reason):
    world.bash(f"{command} 2>&1 | tail -9", result)
    assert world.reason(f"ran `{command}` -> pass") == reason


def test_of_several_test_runs_in_a_line_no_later_one_hides_a_failure(world):
    world.bash("pytest tests/a; pytest tests/b", "3 failed, 2 passed in 0.1s\n10 passed in 0.1s")
    assert world.reason("ran `pytest tests/a` -> pass") == "end unseen"


def test_looks_are_not_judged_beyond_their_being_run(world):
    world.bash("ls src", "a.py")
    world.bash("grep -rn 'http://' docs", "docs/c.md:1:http://c.example")
    world.bash("git log --oneline -1", "abc1234 Fix the failing test")
    world.bash("grep -q x README.md", "Exit code 1", failed=True)
    world.edited("src/a.py", "x = 2\n")
    lines = {
        "ran `ls src` -> ok": "was run",
        "ran `git log --oneline -1` -> pass (exit 0)": "was run",
        "ran `git log --oneline -1` -> Fix the failing test": "a look",
        "ran `git log --oneline -1` -> two commits": "a look",
        "ran `grep -rn 'http://' docs` -> pass (no match)": "a look",
        f"ran `find {world.root} -name a.py` -> ok": "a look",
        "ran `cat nowhere.txt` -> ok": "a look",
        "ran `grep -q x README.md` -> pass": "an answer",
    }
    assert [reason for _, reason, _ in world.declared(*lines)] == list(lines.values())


def test_what_was_left_out_is_no_claim(world):
    lines = [
        "ran `npm run e2e` -> not run, needs a browser", "ran `npm run e2e`: could not be run (no browser)", "ran `npm run e2e` -> skipped",
        "ran `npm run e2e` -> n/a", "ran `npm run e2e` -> wasn't run", "`npm run e2e` → not executed", "ran `npm run e2e` (not run)",
    ]  # fmt: skip
    assert {(grade, reason) for grade, reason, _ in world.declared(*lines)} == {("only said", "open")}
    world.bash("pytest -q", PASSES)
    assert world.reason("ran `pytest -q` -> pass, 3 passed, skipped: none") == "passed"


def test_what_claims_a_result_was_not_left_out(world):
    world.bash("pytest -q", PASSES)
    assert world.reason("ran `pytest -q` -> skipped tests need a GPU; 3 passed") == "passed"
    for why in (
        "needs a clean base",
        "no browser; unit tests: 3 passed",
        "unit tests pass",
        "CI says whether they pass",
    ):
        assert world.reason(f"ran `npm run e2e` -> not run, {why}") == "open"
    world.lines.clear()
    world.bash("pytest -q", "Exit code 1\n3 failed, 12 passed in 0.1s", failed=True)
    for result in ("12 passed", "all 12 tests pass", "all green"):
        assert world.reason(f"ran `pytest -q` -> not possible to break it any more, {result}") == "failed"


def test_an_unknown_program_is_run_and_exit_0_and_nothing_more(world):
    world.edited("src/a.py", "x = 2\n")
    world.bash("mise run test", "all is well")
    assert world.reason("ran `mise run test` -> pass") == "passed"
    world.bash("rtk go vet", "ok")
    assert world.reason("ran `rtk go vet` -> pass") == "passed"
    world.bash("./deploy", "ok")
    world.edited("src/a.py", "x = 3\n")
    assert world.reason("ran `./deploy` -> pass") == "exit 0"
    assert world.reason("ran `mise run test` -> pass") == "stale"


def test_what_a_lint_of_an_unknown_program_looks_at_is_not_known(world):
    world.bash("./do lint", "no errors")
    world.edited("src/a.py", "x = 3\n")
    assert world.reason("ran `./do lint` -> pass") == "edited after"


def test_what_a_command_changed_after_the_tests_of_an_unknown_program_is_only_said(world):
    world.bash("mise run test", "4 ok")
    world.bash("mise run fmt", "")
    world.made("src/a.py", "x = 3\n")
    assert world.reason("ran `mise run test` -> pass") == "edited after"


def test_a_pass_is_no_failure_for_what_its_log_is_said_to_hold(world):
    world.bash("npm test", "attempt 1 failed: ECONNRESET\nTests:       2 passed, 2 total")
    line = 'Ran npm test: 2 passed, 0 failed. The lines "attempt 1 failed" come from the retries under test.'
    assert world.reason(line) == "was run"
    assert world.reason("ran `npm test` -> fail") == "passed instead"


def test_an_edit_beside_a_look_of_git_is_an_edit(world):
    world.bash("pytest -q", "2 passed in 0.01s")
    world.bash("sed -i 's/1/2/' src/a.py && git diff --stat", " src/a.py | 2 +-")
    world.made("src/a.py", "x = 2\n")
    assert world.reason("ran `pytest -q` -> pass") == "stale"


def test_a_log_that_speaks_of_the_background_is_none(world):
    world.bash("npm test", "  ✓ the job is running in the background\nTests:       3 passed, 3 total")
    assert world.reason("ran `npm test` -> pass") == "passed"
    world.bash(
        "npm run e2e",
        "starting\nCommand was manually backgrounded by user with ID: b1x2y. Output is being written to: /x/b1x2y.output.",
    )
    world.call("Read", "1 failed, says a source", file_path=str(world.root / "src/a.py"))
    assert world.reason("ran `npm run e2e` -> pass") == "unread"
    world.told('Background command "rerun what failed" (b1x2y) completed (exit code 0)')
    assert world.reason("ran `npm run e2e` -> pass") == "exit 0"


def test_what_printed_nothing_is_masked_where_its_status_is_thrown_away(world):
    world.bash("mypy src > /dev/null 2>&1 || true", "(Bash completed with no output)")
    assert world.reason("ran `mypy src` -> pass") == "masked"


def test_a_fixing_run_is_not_the_plain_one(world):
    world.bash("ruff check --fix .", "All checks passed!")
    assert world.reason("ran `ruff check .` -> pass") == "perhaps another"
    assert world.reason("ran `ruff check --fix .` -> pass") == "passed"


@pytest.mark.parametrize(
    ("command", "reason"),
    [
        ("git stash pop", "perhaps stale"),
        ("git reset --hard HEAD~1", "perhaps stale"),
        ("git pull", "perhaps stale"),
        ("git add -A && git commit -qm x", "passed"),
        ("git status", "passed"),
    ],
)
def test_git_moves_the_tree_under_a_run_and_leaves_no_time(world, command, reason):
    world.bash("pytest -q", PASSES)
    world.bash(command, "ok")
    assert world.reason("ran `pytest -q` -> pass") == reason


# What the other half of the blind reports has shown, when it was looked at.


def test_of_two_runs_of_one_command_the_last_counts(world):
    world.bash("pytest -q", PASSES)
    world.bash("pytest -q", "Exit code 1\n1 failed, 2 passed in 0.1s", failed=True)
    assert world.reason("ran `pytest -q` -> pass") == "failed"
    world.bash("pytest -q", PASSES)
    assert world.reason("ran `pytest -q` -> pass") == "passed"


def test_a_log_of_the_background_that_is_read_later(world):
    world.bash("pytest -q > /tmp/int.log 2>&1", "Command running in background with ID: b1", run_in_background=True)
    world.bash("cat /tmp/int.log", PASSES)
    assert world.reason("ran `pytest -q` -> pass, 3 passed") == "by its summary"


def test_thousands_and_options_that_were_not_given(world):
    world.bash("pytest", "1204 passed in 9.1s")
    assert world.reason("ran `pytest` -> pass, 1,204 passed") == "passed"
    assert world.reason("ran `pytest --cov=tax` -> pass") == "perhaps another"
    assert world.reason("ran `pytest -q` -> pass") == "passed"


def test_an_expression_that_would_take_long_to_try_decides_nothing(world):
    slow = "(([a-z ]+)*)*#"
    world.bash(f"cargo test 2>&1 | grep -E '{slow}'", "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured")
    assert world.reason("ran `cargo test` -> pass") == "end unseen"
