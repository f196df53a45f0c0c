"""Nothing in a directory is executed before it is known to be this user's alone; the next place is used then."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Callable, Optional

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHELLS = [name for name in ("dash", "bash", "sh") if shutil.which(name)]
OTHER = 54321
EVENT = {"session_id": "s1", "transcript_path": "", "hook_event_name": "UserPromptSubmit", "prompt": "/bg Audit"}


class Place:
    """A home in which one directory has an interpreter of somebody else's noted, beside a ledger."""

    def __init__(self, root: Path) -> None:
        self.home, self.project = root / "home", root / "project"
        self.config = self.home / ".claude"
        self.trap, self.sprung = root / "trap", root / "sprung"
        for folder in (self.config, self.project):
            folder.mkdir(parents=True)
        self.trap.write_text(f"#!/bin/sh\necho started >{self.sprung}\ncat >/dev/null\n")
        self.trap.chmod(0o755)

    def holds(self, folder: Path) -> Path:
        folder.mkdir(parents=True)
        (folder / "ledger.db").touch()
        (folder / "python").write_text(f"{self.trap}\n")
        return folder

    def send(self, shell: str, env: dict[str, str], event: Optional[dict[str, str]] = None) -> str:
        """What the hook answers to an event of a session in the project."""
        done = subprocess.run(
            [shell, str(ROOT / "hooks" / "run")],
            input=json.dumps({**(event or EVENT), "cwd": str(self.project)}, separators=(",", ":")),
            text=True,
            capture_output=True,
            timeout=60,
            check=False,
            cwd=self.project,
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin", **env},
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout


def relative_data(here: Place) -> dict[str, str]:
    here.holds(here.project / "data")
    return {"BG_DATA": "data"}


def relative_config(here: Place) -> dict[str, str]:
    here.holds(here.project / "config" / "bg")
    return {"CLAUDE_CONFIG_DIR": "config"}


def relative_plugin_data(here: Place) -> dict[str, str]:
    here.holds(here.project / "data")
    return {"CLAUDE_PLUGIN_DATA": "./data"}


def of_another_user(here: Place) -> dict[str, str]:
    folder = here.holds(here.home.parent / "bg-data")
    os.chown(folder, OTHER, OTHER)
    return {"BG_DATA": str(folder)}


def config_of_another_user(here: Place) -> dict[str, str]:
    folder = here.holds(here.config / "plugins" / "data" / "bg-market")
    os.chown(folder, OTHER, OTHER)
    return {"CLAUDE_PLUGIN_DATA": str(folder)}


def noted_by_another_user(here: Place) -> dict[str, str]:
    folder = here.holds(here.home.parent / "bg-data")
    os.chown(folder / "python", OTHER, OTHER)
    return {"BG_DATA": str(folder)}


def open_to_all(here: Place) -> dict[str, str]:
    folder = here.holds(here.home.parent / "bg-data")
    folder.chmod(0o777)
    return {"BG_DATA": str(folder)}


def note_open_to_all(here: Place) -> dict[str, str]:
    folder = here.holds(here.home.parent / "bg-data")
    (folder / "python").chmod(0o666)
    return {"BG_DATA": str(folder)}


def of_another_plugin(here: Place) -> dict[str, str]:
    here.holds(here.config / "plugins" / "data" / "bg-tools-of-somebody")
    return {}


def beside_another_plugin(here: Place) -> dict[str, str]:
    here.holds(here.config / "plugins" / "data" / "bg-tools-of-somebody")
    return {"CLAUDE_PLUGIN_DATA": str(here.config / "plugins" / "data" / "bg-market")}


def behind_a_link(here: Place) -> dict[str, str]:
    folder = here.holds(here.home.parent / "elsewhere")
    os.chown(folder, OTHER, OTHER)
    (here.home.parent / "bg-data").symlink_to(folder)
    return {"BG_DATA": str(here.home.parent / "bg-data")}


FOREIGN = [
    relative_data, relative_config, relative_plugin_data, of_another_user, config_of_another_user,
    noted_by_another_user, open_to_all, note_open_to_all, of_another_plugin, beside_another_plugin, behind_a_link,
]  # fmt: skip
CHOWNED = (of_another_user, config_of_another_user, noted_by_another_user, behind_a_link)


@pytest.fixture
def here(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("foreign", FOREIGN)
def test_no_foreign_interpreter_is_started(foreign: Callable[[Place], dict[str, str]], shell: str, here: Place) -> None:
    if foreign in CHOWNED and os.getuid():
        pytest.skip("only root can give a directory to another user")
    env = foreign(here)
    said = here.send(shell, env)
    assert not here.sprung.exists()
    assert "label: bg-1" in said, "the next place is used"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_note_in_ones_own_directory_is_followed(shell: str, here: Place) -> None:
    """Else the test above could pass because nothing is ever started."""
    here.send(shell, {"BG_DATA": str(here.holds(here.home.parent / "bg-data"))})
    assert here.sprung.exists()


def test_what_is_named_twice_is_one_place(here: Place) -> None:
    """The directory that the host names is found by its pattern as well; an idle session stays one."""
    folder = here.holds(here.config / "plugins" / "data" / "bg-market")
    (folder / "sessions").mkdir()
    for name in ("s1", "s1.idle"):
        (folder / "sessions" / name).touch()
    os.utime(folder / "sessions" / "s1", (1, 1))
    stop = {"session_id": "s1", "transcript_path": "", "hook_event_name": "Stop"}
    here.send("sh", {"CLAUDE_PLUGIN_DATA": str(folder)}, stop)
    assert not here.sprung.exists()
    os.utime(folder / "sessions" / "s1.idle", (1, 1))
    here.send("sh", {"CLAUDE_PLUGIN_DATA": str(folder)}, stop)
    assert here.sprung.exists()


def test_no_code_is_read_from_what_others_can_write(here: Place) -> None:
    """The interpreter is the system's own, and what it would import is theirs."""
    folder = here.holds(here.home.parent / "bg-data")
    (folder / "python").write_text(f"{sys.executable}\n")
    here.send("sh", {"BG_DATA": str(folder)})
    assert (folder / "pycache").is_dir()
    shutil.rmtree(folder / "pycache")
    folder.chmod(0o777)
    here.send("sh", {"BG_DATA": str(folder)})
    assert not (folder / "pycache").exists()


def test_the_later_events_of_such_a_session_arrive_too(here: Place) -> None:
    """The quiet path looks for the session in the place that is used."""
    env = open_to_all(here)
    here.send("sh", env)
    stop = {"session_id": "s1", "transcript_path": "", "hook_event_name": "Stop"}
    here.send("sh", env, stop)
    assert (
        "not_launched"
        in subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "bgctl"), "status", "--json"],
            env={"HOME": str(here.home), "PATH": os.environ["PATH"], **env},
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        ).stdout
    )


@pytest.mark.parametrize(
    ("foreign", "why"),
    [(relative_data, "its path is not absolute"), (open_to_all, "every user may write into it"),
     (relative_config, "its path is not absolute"), (of_another_user, "it belongs to another user")],
)  # fmt: skip
def test_the_doctor_says_what_is_not_used(foreign: Callable[[Place], dict[str, str]], why: str, here: Place) -> None:
    if foreign in CHOWNED and os.getuid():
        pytest.skip("only root can give a directory to another user")
    found = doctor(here, foreign(here))
    assert any(f"is not used: {why}" in words for words in found), found


@pytest.mark.parametrize("note", [False, True])
def test_the_doctor_says_why_each_event_looks_for_python_anew(here: Place, note: bool) -> None:
    """A directory that somebody has named keeps its mode, and the note in it is not followed."""
    folder = here.holds(here.home.parent / "named")
    (folder / "ledger.db").unlink()
    opened = folder / "python" if note else folder
    opened.chmod(0o775)
    env = {"BG_DATA": str(folder)}
    here.send("sh", env)
    assert (folder / "python").read_text() == f"{here.trap}\n", "not followed and not replaced"
    assert not here.sprung.exists()
    found = doctor(here, env)
    assert (
        f"{opened} can be written by its group, so no interpreter is noted there and each event looks for one" in found
    )


def doctor(here: Place, env: dict[str, str]) -> list[str]:
    """What the doctor finds of the data directory."""
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "bgctl"), "doctor", "--json"],
        env={"HOME": str(here.home), "PATH": os.environ["PATH"], **env},
        cwd=here.project,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return [item["found"] for item in json.loads(done.stdout) if item["subject"] == "data"]
