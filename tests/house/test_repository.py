"""The commit of a checkout is what git says it is, however the repository keeps it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from bg.repository import head

IDENTITY = ["-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]


def git(folder: Path, *arguments: str) -> str:
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *IDENTITY, "-C", str(folder), *arguments], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    git(folder, "init", "-q")
    for name in ("one", "two"):
        (folder / "src" / name).write_text(name)
        git(folder, "add", ".")
        git(folder, "commit", "-q", "-m", name)
    return folder


def beside(repository: Path) -> Path:
    git(repository, "worktree", "add", "-q", "-b", "other", str(repository.parent / "beside"), "HEAD~1")
    return repository.parent / "beside"


def detached(repository: Path) -> Path:
    git(repository, "checkout", "-q", "--detach", "HEAD~1")
    return repository


def packed(repository: Path) -> Path:
    git(repository, "pack-refs", "--all")
    assert not (repository / ".git" / "refs" / "heads" / "main").exists()
    return repository


def packed_beside(repository: Path) -> Path:
    folder = beside(repository)
    git(repository, "pack-refs", "--all")
    return folder


def slashed(repository: Path) -> Path:
    git(repository, "checkout", "-q", "-b", "topic/of+some.kind")
    return repository


WAYS = [
    lambda repository: repository,
    lambda repository: repository / "src",
    beside,
    detached,
    packed,
    packed_beside,
    slashed,
]


@pytest.mark.parametrize("way", WAYS)
def test_it_is_what_git_says(way, repository):
    folder = way(repository)
    said = git(folder, "rev-parse", "HEAD")
    assert len(said) == 40
    assert said == head(str(folder))


def test_where_there_is_no_commit_there_is_none(tmp_path):
    assert head("") == head(str(tmp_path / "nowhere")) == ""
    git(tmp_path, "init", "-q")
    assert head(str(tmp_path)) == ""


@pytest.mark.parametrize("said", ["ref: refs/../../secret", "ref: /etc/passwd", "deadbeef", "", "ref: refs/heads/none"])
def test_a_head_that_points_elsewhere_is_not_followed(said, repository):
    (repository / ".git" / "HEAD").write_text(said)
    (repository / "secret").write_text("a" * 40)
    assert head(str(repository)) == ""


def test_a_pipe_holds_nothing_up(repository):
    (repository / ".git" / "HEAD").unlink()
    os.mkfifo(repository / ".git" / "HEAD")
    assert head(str(repository)) == ""
