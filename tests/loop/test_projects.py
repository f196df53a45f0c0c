"""A project is its repository: a subdirectory, a worktree and a renamed folder show and go on with the same tasks."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bg import machine
from drive import Drive, block, context
from recordings import VERSIONS, recorded

HERE = machine.Process(os.getpid(), machine._look(os.getpid())[2])


@pytest.fixture(params=["2.1.100", VERSIONS[-1]])
def drive(request, tmp_path, monkeypatch):
    """A session in a repository, whose agent has asked; then its process is gone."""
    found = Drive(request.param, tmp_path)
    found.folder = tmp_path / "project"
    repository(found.folder)
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    monkeypatch.setattr(machine, "host", lambda: machine.Process(done.pid, "1"))
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    found.prompt("/bg Audit the code")
    token = found.launch("Audit it", "a1")
    found.stop()
    found.ends("a1", block("CLARIFICATION_NEEDED", token))
    found.announced("a1")
    found.stop(stop_hook_active=True)
    monkeypatch.setattr(machine, "host", lambda: HERE)
    return found


def repository(folder: Path) -> None:
    (folder / ".git").mkdir(parents=True)
    (folder / "src").mkdir()
    (folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (folder / ".git" / "description").write_text("Unnamed repository\n")


def worktree(folder: Path, tree: Path) -> None:
    kept = folder / ".git" / "worktrees" / "tree"
    kept.mkdir(parents=True)
    (kept / "commondir").write_text("../..\n")
    tree.mkdir()
    (tree / ".git").write_text(f"gitdir: {kept}\n")


def another(drive: Drive, folder: Path, source: str = "startup") -> str:
    """A new session in that folder; what it is told."""
    drive.folder = folder
    if source == "startup":
        drive.session = "another"
        drive.transcript = drive.transcript.with_name("another.jsonl")
        drive.transcript.write_text(f'{{"type": "user", "version": "{drive.version}"}}\n')
    return context(drive.send(recorded(drive.version, "sessions", "SessionStart"), source=source))


def goes_on(drive: Drive, description: str = "bg-1: go on") -> str:
    """The user answers, and the parent launches an agent; what that agent is told."""
    drive.prompt("/bg-answer bg-1 Q1: one Q2: two")
    drive.launch("Go on.", "a2", description)
    return str(drive.taken["prompt"])


def places(drive: Drive) -> list[dict[str, Any]]:
    return drive.rows("SELECT project, session FROM tasks")


@pytest.mark.parametrize("where", ["src", "tree", "renamed"])
def test_another_folder_of_the_same_repository_has_its_tasks(drive, where, tmp_path):
    project = tmp_path / "project"
    folder = {"src": project / "src", "tree": tmp_path / "tree", "renamed": tmp_path / "renamed"}[where]
    if where == "tree":
        worktree(project, folder)
    if where == "renamed":
        project.rename(folder)
    assert "bg-1 Q1 waits for the user" in another(drive, folder)
    given = goes_on(drive)
    assert "## CONTINUATION" in given
    assert "A1: one" in given
    assert [row["session"] for row in places(drive)] == ["another"]
    if where == "renamed":
        assert [row["project"] for row in places(drive)] == [str(folder)]


def test_a_session_that_is_resumed_in_a_renamed_folder_takes_its_tasks_along(drive, tmp_path):
    (tmp_path / "project" / ".git" / "description").unlink()
    (tmp_path / "project").rename(tmp_path / "renamed")
    assert "bg-1 Q1 waits for the user" in another(drive, tmp_path / "renamed", "resume")
    assert [row["project"] for row in places(drive)] == [str(tmp_path / "renamed")]


def test_a_folder_that_becomes_a_repository_keeps_its_tasks(tmp_path, monkeypatch, newest):
    monkeypatch.delenv("CLAUDE_PROJECT_DIR", raising=False)
    newest.folder = tmp_path / "project"
    newest.folder.mkdir()
    newest.prompt("/bg Audit the code")
    token = newest.launch("Audit it", "a1")
    newest.stop()
    newest.ends("a1", block("CLARIFICATION_NEEDED", token))
    newest.send(recorded(newest.version, "sessions", "SessionEnd"))
    repository(newest.folder)
    assert "bg-1 Q1 waits for the user" in another(newest, newest.folder)
    assert "bg-1" in newest.prompt("/bg-status")["reason"]


def test_another_repository_has_nothing_of_it(drive, tmp_path):
    repository(tmp_path / "other")
    assert "bg-1" not in another(drive, tmp_path / "other")
    assert [row["project"] for row in places(drive)] == [str(tmp_path / "project")]


def test_a_label_is_gone_on_with_from_anywhere(drive, tmp_path):
    repository(tmp_path / "other")
    another(drive, tmp_path / "other")
    assert "A1: one" in goes_on(drive)
    assert [row["project"] for row in places(drive)] == [str(tmp_path / "other")]


def test_where_an_agent_cannot_be_woken_a_launch_without_the_label_continues_it(drive, tmp_path):
    another(drive, tmp_path / "project", "resume")
    given = goes_on(drive, "go on with the audit")
    assert ("A1: one" in given) == (drive.version == "2.1.100")


def test_a_copy_of_a_repository_is_another_project(drive, tmp_path):
    subprocess.run(["cp", "-a", str(tmp_path / "project"), str(tmp_path / "copy")], check=True)
    assert "bg-1" not in another(drive, tmp_path / "copy")
