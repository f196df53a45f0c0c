"""State files: 0600 in 0700, also where the host or an older version left them open; another user's are refused."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from bg.ledger import place
from bg.ledger.file import Ledger, Unavailable
from drive import Drive, block
from rig import conversation

sys.path.append(str(Path(__file__).resolve().parents[1] / "clients"))
from hook import Machine


def open_to_others(folder: Path) -> list[str]:
    every = [folder, *folder.rglob("*")]
    return [
        f"{path}: {stat.S_IMODE(path.lstat().st_mode):o}"
        for path in every
        if not path.is_symlink() and path.stat().st_mode & 0o077
    ]


def test_whatever_a_session_makes_is_the_users_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Through hooks/run, with the widest umask, in a directory that the host has made."""
    folder = tmp_path / "plugins" / "bg-market"
    config = os.environ["CLAUDE_CONFIG_DIR"]
    machine = Machine(tmp_path / "machine", sys.executable, BG_DATA=str(folder), CLAUDE_CONFIG_DIR=config)
    folder.mkdir(parents=True, mode=0o755)
    (folder / "python").write_text(f"{sys.executable}\n")
    (folder / "python").chmod(0o600)
    monkeypatch.setenv("BG_DATA", str(folder))
    drive = Drive("2.1.327", tmp_path / "session")

    def send(payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        place = {"session_id": drive.session, "transcript_path": str(drive.transcript), "cwd": str(tmp_path)}
        whole = {**payload, **place, **changes}
        said = machine.tell(whole) or {}
        conversation.write(drive.transcript, drive.version, whole, said)
        return said

    monkeypatch.setattr(drive, "send", send)
    before = os.umask(0)
    try:
        drive.prompt("/bg Audit")
        drive.ends("a1", block("COMPLETION_REPORT", drive.launch("Audit.", "a1")))
        drive.announced("a1")
        drive.stop(last_assistant_message="ok")
    finally:
        os.umask(before)
    assert (folder / "ledger.db").exists()
    assert open_to_others(folder) == []


def test_what_was_left_open_is_closed(tmp_path: Path) -> None:
    folder = tmp_path / "bg-data"
    Ledger(folder).close()
    folder.chmod(0o755)
    (folder / "ledger.db").chmod(0o644)
    Ledger(folder).close()
    assert open_to_others(folder) == []


def test_a_directory_that_is_somebodys_for_other_things_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "home"
    folder.mkdir()
    folder.chmod(0o755)
    place.make_private(str(folder))
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755


def test_a_place_that_every_user_may_write_into_is_passed_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """If that is so of every place, the last one is named, as there must be one."""
    monkeypatch.delenv("BG_DATA")
    given, own = tmp_path / "given", Path(os.environ["CLAUDE_CONFIG_DIR"]) / "bg"
    monkeypatch.setenv("CLAUDE_PLUGIN_DATA", str(given))
    for folder in (given, own):
        folder.mkdir(parents=True, mode=0o700)
    assert place.directories() == [str(given), str(own)]
    given.chmod(0o777)
    assert place.directories() == [str(own)]
    assert place.passed_over() == {str(given): "every user may write into it"}
    own.chmod(0o777)
    assert place.directories() == [str(own)]


@pytest.mark.parametrize("what", ["directory", "ledger"])
def test_another_users_is_refused(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "bg-data"
    Ledger(folder).close()
    other = 54321
    if os.getuid() == 0:
        os.chown(folder if what == "directory" else folder / "ledger.db", other, other)
        monkeypatch.setattr(os, "getuid", lambda: 1000)
        if what == "ledger":
            os.chown(folder, 1000, 1000)
    else:
        real = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: real + 1)
    with pytest.raises(Unavailable, match="belongs to another user"):
        Ledger(folder)
