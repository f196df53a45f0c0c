"""One check in a process of its own: one at a time in a tree, on whatever disk, and which files define it."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from bg import machine
from bg.evidence import verify

# Whoever starts a runner does not wait for it.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    found = tmp_path / "verify"
    found.mkdir()
    return found


def job(folder: Path, command: str = "true", name: str = "t1", **given: Any) -> verify.Job:
    me = machine.this_process()
    whole = {
        "token": name,
        "command": command,
        "folder": str(folder),
        "seconds": 20,
        "umask": 0o22,
        "host": me.pid,
        "host_started": me.started,
        "commit": "",
        "made": 0.0,
        "defines": [],
        **given,
    }
    return verify.Job(**whole)


def result(place: Path, name: str = "t1") -> verify.Result:
    until = time.monotonic() + 30
    while True:
        found = verify.take(place, name)
        if found is not None:
            return found
        assert time.monotonic() < until
        time.sleep(0.02)


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("npm test", ["package.json"]),
        ("cd web && make check", ["Makefile", "makefile", "GNUmakefile"]),
        ("sh ./ci/test.sh --config=ci/a.toml", ["./ci/test.sh", "ci/a.toml"]),
        ("./gradlew test", ["build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts", "./gradlew"]),
        ("echo \"it's", []),
        ("true", []),
    ],
)
def test_the_files_that_define_a_check_are_those_of_its_programs_and_those_it_names(command, files):
    assert verify.defining(command) == files


def test_a_check_is_started_once_in_a_tree(place, tmp_path):
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    first, second = job(tmp_path, f"cat {gate}"), job(tmp_path, name="t2")
    assert verify.start(place, first, lambda: True) == verify.STARTED
    assert verify.start(place, second, lambda: True) == verify.BUSY
    assert verify.is_running(place, "t1", str(tmp_path))
    assert not verify.is_running(place, "t2", str(tmp_path))
    gate.write_text("out")
    assert result(place).output == "out"


def test_what_has_run_or_is_no_longer_due_is_not_started_again(place, tmp_path):
    assert verify.start(place, job(tmp_path, "echo one >>ran"), lambda: True) == verify.STARTED
    result(place)
    while verify.is_running(place, "t1", str(tmp_path)):
        time.sleep(0.02)
    assert verify.start(place, job(tmp_path, "echo one >>ran"), lambda: True) == verify.STARTED
    verify.forget(place, "t1")
    assert verify.start(place, job(tmp_path, "echo one >>ran"), lambda: False) == verify.STARTED
    assert not verify.is_running(place, "t1", str(tmp_path))
    assert (tmp_path / "ran").read_text() == "one\n"


def test_on_a_disk_without_locks_the_runner_that_has_signed_counts(place, tmp_path, monkeypatch):
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    assert verify.start(place, job(tmp_path, f"cat {gate}"), lambda: True) == verify.STARTED
    [lock] = place.glob("*.lock")
    while not json.loads(lock.read_text() or "[0, 0]")[1]:
        time.sleep(0.02)
    assert verify.start(place, job(tmp_path, name="t2"), lambda: True) == verify.BUSY
    gate.write_text("")
    result(place)


def test_what_is_taken_back_before_it_began_never_runs(place, tmp_path):
    kept = job(tmp_path, "touch ran")
    verify.write(place / "t1.job", kept._asdict())
    verify.cancel(place, "t1", str(tmp_path))
    assert verify.read_job(place / "t1.job") is None


WRONG = [json.dumps({**verify.nothing("killed")._asdict(), key: [["x"]]}) for key in verify.Result._fields]
WRONG.append(json.dumps({**verify.nothing("")._asdict(), "code": 10**30}))


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"code": "0"}', "{" * 1000, *WRONG])
def test_a_file_that_is_no_result_is_none(place, content):
    """An agent can write this user's files: what is not of a result's form may not keep a session from its end."""
    (place / "t1.result").write_text(content)
    assert verify.take(place, "t1") is None


def test_its_files_are_private_and_its_output_is_the_end_of_it(place, tmp_path):
    verify.start(place, job(tmp_path, "seq 1 100000; exit 5"), lambda: True)
    found = result(place)
    assert found.code == 5
    assert found.output.endswith("\n99999\n100000\n")
    assert len(found.output) == 16000
    assert {path.stat().st_mode & 0o777 for path in place.iterdir()} == {0o600}


def test_one_that_prints_without_end_is_ended_in_time(place, tmp_path):
    verify.start(place, job(tmp_path, "yes", seconds=1), lambda: True)
    found = result(place)
    assert (found.code, found.why) == (None, verify.TOO_LONG)
    assert 1 <= found.seconds < 10


@pytest.mark.parametrize("command", ["kill -9 0", "kill -9 $PPID; sleep 20"])
def test_a_check_that_kills_its_own_shell_says_nothing(place, tmp_path, command):
    verify.start(place, job(tmp_path, command), lambda: True)
    found = result(place)
    assert (found.code, found.why) == (None, verify.KILLED)
