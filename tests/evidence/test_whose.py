"""Whose a change is: what the run's own calls name is its own, the rest is others' or nobody knows whose."""

from __future__ import annotations

import os

import pytest
from world import World


@pytest.fixture
def world(tmp_path):
    made = World(tmp_path)
    made.call("Glob", "README.md", pattern="*.md")
    return made


def changed(world: World, **more) -> tuple[list[str], list[str], str]:
    facts = world.examine("Done.", **more).facts
    return [*facts["changed"], *facts["removed"]], facts.get("meanwhile", []), facts.get("by", "")


COMMANDS = [
    "sed -i s/1/2/ src/a.py",
    "cd src && python gen.py",
    "python3 - <<'E'\nopen('src/a.py', 'w').write('x')\nE",
    "git checkout HEAD~1 -- src",
    "ruff check --fix .",
    "make x",
]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_changes_during_a_command_is_the_runs_own_and_nothing_else_is(world, command):
    world.bash(command)
    world.made("src/a.py", "x\n")
    world.write("docs/index.md", "x\n")
    assert changed(world) == (["src/a.py"], ["docs/index.md"], "others")


def test_what_is_only_named_by_a_command_is_not_its_own(world):
    world.bash("pytest tests src/a.py && cat docs/index.md")
    for name in ("src/a.py", "docs/index.md"):
        world.write(name, "x\n")
    assert changed(world) == ([], ["docs/index.md", "src/a.py"], "others")


def test_what_changes_while_a_command_only_looks_is_others(world):
    world.bash("sleep 8; echo built")
    world.made("src/a.py", "x\n")
    assert changed(world) == ([], ["src/a.py"], "others")


def test_while_others_work_there_only_what_a_call_writes_is_the_runs_own(world):
    world.edited("src/a.py", "x\n")
    world.bash("make x")
    world.made("docs/index.md", "x\n")
    assert changed(world, shared=True) == (["src/a.py"], ["docs/index.md"], "unknown")


def test_what_is_still_running_may_have_written(world):
    world.bash("npm run watch", "Command running in background with ID: b1", run_in_background=True)
    world.write("src/a.py", "x\n")
    assert changed(world) == ([], ["src/a.py"], "unknown")


def test_without_times_nobody_can_tell(world):
    world.bash("make x")
    for line in world.lines:
        line.pop("timestamp", None)
    world.write("src/a.py", "x\n")
    assert changed(world) == ([], ["src/a.py"], "unknown")


def test_a_file_of_the_same_name_elsewhere_is_another_one(world):
    for name in ("src/util.py", "lib/util.py"):
        world.write(name, "X = 3\n")
    world.call("Edit", "ok", file_path=str(world.root / "src/util.py"), old_string="1", new_string="3")
    world.call("Write", "denied", failed=True, file_path=str(world.root / "lib/util.py"), content="X = 3\n")
    assert changed(world) == (["src/util.py"], ["lib/util.py"], "others")


def test_what_was_removed_has_an_author_too(world):
    for name in ("docs/index.md", "src/a.py"):
        (world.root / name).unlink()
    world.bash("rm docs/index.md")
    assert changed(world) == (["docs/index.md"], ["src/a.py"], "others")


def test_calls_that_cannot_be_read_leave_it_open(world):
    world.edited("src/a.py", "x\n")
    assert changed(world, transcript=False) == ([], ["src/a.py"], "unknown")


def test_another_agent_of_its_own_may_have_written(world):
    world.write("src/a.py", "x\n")
    world.call("Task", "done", prompt="write it")
    assert changed(world) == ([], ["src/a.py"], "unknown")


@pytest.mark.parametrize(
    ("command", "shared", "expected"),
    [
        ("make x", False, (["src/a.py"], [], "")),
        ("make x", True, ([], ["src/a.py"], "unknown")),
        ("cat README.md", False, ([], ["src/a.py"], "others")),
    ],
)
def test_a_tree_of_its_own_is_the_runs_while_nobody_else_works_there(world, command, shared, expected):
    tree = world.root / ".claude" / "worktrees" / "w"
    world.git("worktree", "add", "-q", "--detach", str(tree), "HEAD")
    (tree / "src/a.py").write_text("x = 1\n")
    os.utime(tree / "src/a.py", (world.at + 5, world.at + 5))
    world.bash(command)
    assert changed(world, cwd=".claude/worktrees/w", shared=shared) == expected


def test_what_was_asked_for_and_came_from_others_is_no_work_of_the_run(world):
    world.write("docs/api.md", "x\n")
    [found] = world.examine("Done.", deliverables="docs/api.md").asked
    assert (found.reason, found.grade) == ("by another hand", "only said")
    [found] = world.examine("Done.", deliverables="docs/api.md", transcript=False).asked
    assert (found.reason, found.grade) == ("by somebody", "only said")
    world.edited("docs/api.md", "x\n")
    [found] = world.examine("Done.", deliverables="docs/api.md").asked
    assert (found.reason, found.grade) == ("changed", "seen")


def test_what_was_asked_for_outside_the_runs_own_tree_is_its_own_only_by_its_calls(world):
    world.git("worktree", "add", "-q", "--detach", str(world.root / ".claude/worktrees/w"), "HEAD")

    def reason() -> str:
        [found] = world.examine("Done.", deliverables=str(world.root / "x.md"), cwd=".claude/worktrees/w").asked
        return found.reason

    world.write("x.md", "x\n")
    assert reason() == "by another hand"
    world.edited("x.md", "x\n")
    assert reason() == "changed"
    world.lines.clear()
    world.bash("make x")
    assert reason() == "by somebody"
