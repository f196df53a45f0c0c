"""What is checked may be made to crash, to crawl or to run something: it is not checked then, and nothing runs."""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from bg import durations
from bg.evidence import baseline, schemas
from bg.words import reasons, verdict
from world import World

DEEP = {
    "flow.yaml": "[" * 120_000,
    "maps.yaml": "{a: " * 60_000,
    "block.yaml": "".join(f"{' ' * number}a:\n" for number in range(700)),
    "aliases.yaml": "a: &a [x]\n" + "".join(f"b{number}: &b{number} [*a,*a]\n" for number in range(9_000)),
    "deep.json": "[" * 120_000,
}


@pytest.mark.parametrize("name", DEEP)
def test_a_file_that_breaks_its_parser_costs_no_hook(name: str, tell: Any) -> None:
    begun = time.monotonic()
    assert "not valid" in schemas.fault_of(name, DEEP[name]) or schemas.fault_of(name, DEEP[name]) == ""
    taken = time.monotonic() - begun
    tell(f"{name}: {len(DEEP[name]) // 1024} kB, {taken:.2f} s")
    assert taken < 6 * durations.SCHEMA


def test_what_does_not_parse_is_said_by_its_line() -> None:
    assert schemas.fault_of("a.json", '{"a": 1,\n"b": }') == "it is not valid JSON (line 2)"
    assert schemas.fault_of("a.json", '{"a": 1}') == schemas.fault_of("a.json", '// {"a": 1,') == ""
    pytest.importorskip("yaml")
    assert schemas.fault_of("a.yaml", "a: [1\nb: 2\n").startswith("it is not valid YAML (line ")
    assert schemas.fault_of("a.yaml", "a: [1]\n") == schemas.fault_of("a.yaml", "a: {{ x\n") == ""


# What a repository's own configuration can name that git would run or fetch.
TRAPS = {
    "core.sshCommand": "{run}", "core.fsmonitor": "{run}", "core.hooksPath": "{hooks}", "core.pager": "{run}",
    "core.editor": "{run}", "core.askPass": "{run}", "core.gitProxy": "{run}", "core.alternateRefsCommand": "{run}",
    "credential.helper": "!{run}", "diff.external": "{run}", "diff.x.textconv": "{run}", "diff.x.command": "{run}",
    "filter.x.clean": "{run}", "filter.x.smudge": "{run}", "filter.x.process": "{run}", "merge.x.driver": "{run}",
    "gpg.program": "{run}", "alias.ls-tree": "!{run}", "alias.cat-file": "!{run}", "pager.ls-tree": "{run}",
    "pager.cat-file": "{run}", "uploadpack.packObjectsHook": "{run}", "remote.origin.uploadpack": "{run}",
    "protocol.ext.allow": "always", "include.path": "{include}", "trace2.eventTarget": "{leak}", "log.showSignature": "true",
    "sequence.editor": "{run}", "interactive.diffFilter": "{run}", "man.x.cmd": "{run}",
}  # fmt: skip


def trapped(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, knows: bool) -> tuple[Path, str, Path]:
    """A clone full of traps, of which one file is missing; its commit, and what is there once one has gone off."""
    git = shutil.which("git")
    assert git
    ran = tmp_path / "ran"
    run = tmp_path / "run"
    run.write_text(f"#!/bin/sh\necho \"$0 $@\" >>'{ran}'\nexit 1\n")
    run.chmod(0o700)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "pre-commit", "reference-transaction"):
        shutil.copy(run, hooks / name)
    place = tmp_path / "clone"
    place.mkdir()

    def ask(*words: str) -> str:
        own = [git, "-C", str(place), "-c", "user.name=x", "-c", "user.email=x@example.org", *words]
        return subprocess.run(own, check=True, capture_output=True, text=True).stdout.strip()

    ask("init", "-q")
    (place / "kept").write_text("kept")
    (place / "gone").write_text("gone")
    (place / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    ask("add", ".")
    ask("commit", "-q", "-m", "x")
    head, gone = ask("rev-parse", "HEAD"), ask("rev-parse", "HEAD:gone")
    (tmp_path / "include").write_text(f"[core]\n\tsshCommand = {run}\n")
    named = {
        "run": str(run),
        "hooks": str(hooks),
        "include": str(tmp_path / "include"),
        "leak": str(tmp_path / "leak"),
        "tmp": str(tmp_path),
    }
    traps = {key: value.format(**named) for key, value in TRAPS.items()}
    origin = {"url": url.format(**named), "promisor": "true", "partialclonefilter": "blob:none"}
    for key, value in {**traps, **{f"remote.origin.{key}": value for key, value in origin.items()}}.items():
        ask("config", key, value)
    ask("config", "core.repositoryformatversion", "1")
    ask("config", "extensions.partialClone", "origin")
    (place / ".git" / "objects" / gone[:2] / gone[2:]).unlink()
    if not knows:
        # The variable is what the older one does not know.
        older = tmp_path / "bin" / "git"
        older.parent.mkdir()
        older.write_text(f"#!/bin/sh\nunset GIT_NO_LAZY_FETCH\nexec '{git}' \"$@\"\n")
        older.chmod(0o700)
        monkeypatch.setenv("PATH", f"{older.parent}{os.pathsep}{os.environ['PATH']}")
    ran.unlink(missing_ok=True)
    return place, head, ran


@pytest.mark.parametrize(
    "url", ["ssh://nobody@localhost/x", "ext::{run}", "{tmp}/elsewhere", "git://127.0.0.1:1/x", "x::y"]
)
@pytest.mark.parametrize("knows", [True, False], ids=["this git", "a git before 2.45.1"])
def test_git_runs_and_fetches_nothing_that_a_clone_names(
    url: str, knows: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, head, ran = trapped(url, tmp_path, monkeypatch, knows=knows)
    known = baseline.Baseline(place, head)
    assert known.known
    assert known.content("kept") == b"kept"
    assert known.content("gone") is None
    assert not ran.exists(), ran.read_text()
    assert not (tmp_path / "leak").exists()


def test_the_trap_goes_off_where_git_is_not_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The positive control: with that variable alone, as it was, an older git runs the clone's program."""
    place, head, ran = trapped("ssh://nobody@localhost/x", tmp_path, monkeypatch, knows=False)
    monkeypatch.setattr(baseline, "CLOSED", {"GIT_NO_LAZY_FETCH": "1"})
    monkeypatch.setattr(baseline, "SAFE", baseline.SAFE[:7])
    assert baseline.Baseline(place, head).content("gone") is None
    assert ran.exists()


def test_what_is_too_large_is_named_to_everybody(tmp_path: Path) -> None:
    """In the parent's list, in the task's details, and in a word in the user's line."""
    world = World(tmp_path)
    for name, text in {
        "huge.txt": "x" * (8 * 1024 * 1024 + 1),
    }.items():
        world.edited(name, text)
    lines = [
        'wrote huge.txt contains "yyy"',
        *(f"said {number}" for number in range(250)),
    ]
    fields = {"status": "success", "evidence": "\n".join(f"- {line}" for line in lines)}
    found = world.examine("", fields).to_json()
    told = verdict.limits(found)
    assert "“huge.txt” is too large to be read" in told
    assert "the declared lines behind the first 200" in told
    assert all(each in verdict.lists(found) for each in told)
    assert "not all checked" in verdict.beside(found)


@pytest.mark.parametrize(
    ("limits", "words"),
    [([], ""), (["calls"], ""), (["time"], "not all checked"), ([reasons.PASSED_OVER], "not checked")],
)
def test_the_line_says_whether_all_was_checked(limits: list[str], words: str) -> None:
    assert tuple(filter(None, [words])) == verdict.beside({"limits": limits})


def test_what_is_more_than_is_looked_at_or_shown_is_counted(tmp_path: Path) -> None:
    """Files with a schema, what the launch asks for, what was delivered, and the host's own facts."""
    world = World(tmp_path)
    (world.root / "src").rename(world.place / "src")
    for number in range(45):
        world.write(f"old/{number}.txt", "old", -3600)
    world.head = world.commit("many")
    for number in range(45):
        (world.root / "old" / f"{number}.txt").unlink()
        world.edited(f"new/{number}.json", "{}")
        world.write(f"other/{number}.txt", "x")
    world.bash("rm -r old")
    for number in range(14):
        world.bash(f"pytest tests/test_{number}.py", "1 passed")
    for number in range(12):
        world.commit(f"part {number}")
    names = [f"new/{number}.json" for number in range(45)]
    asked = "\n".join(f"- {name} (schema: s.json)" for name in names)
    fields = {"status": "success", "deliverables": "\n".join(names), "evidence": "said it"}
    found = world.examine(
        "", fields, deliverables=asked + " " * 4000, done_when=" ".join(f"`make a{number}`" for number in range(30))
    )
    whole = found.to_json()
    told = verdict.limits(whole)
    assert [
        "what the launch asks for behind the first 4000 characters of a line",
        "what the launch asks for behind the first 20 files, or commands",
        "whether the files behind the first 20 fit their schemas",
        "whether the delivered files behind the first 20 are there",
    ] == [each for each in told if "first" in each]
    facts = verdict.facts(whole).split("\n")
    assert "and 40 more" in facts[0], "files changed"
    assert "and 40 more" in facts[1], "files removed"
    assert "and 40 more" in facts[2], "files changed by others"
    assert facts[-2:] == ["- and 9 more runs", "- and 7 more commits"]


def test_every_commit_of_a_line_is_judged(tmp_path: Path) -> None:
    world = World(tmp_path)
    made = [world.commit(f"part {number}")[:10] for number in range(12)]
    assert [grade for grade, _, _ in world.declared(f"commit {', '.join(made)}")] == ["seen"] * 12


def test_an_agent_is_told_how_many_more_points_do_not_match(tmp_path: Path) -> None:
    lines = "\n".join(f"- wrote none/{number}.txt" for number in range(13))
    found = World(tmp_path).examine("", {"status": "success", "evidence": lines}).to_json()
    assert verdict.mismatch_lines(found).split("\n")[10:] == ["- and 3 more"]
