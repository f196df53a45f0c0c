"""`bgctl check` as a process and as a function."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bg.desk import cli
from bg.protocol import signals
from cases import cases

BGCTL = Path(__file__).resolve().parents[2] / "scripts" / "bgctl"
CASES = cases("protocol/signals")


def works(python):
    """A launcher of that name may stand in for a version that is not there."""
    return python is not None and subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


PYTHONS = [sys.executable, *filter(works, [shutil.which("python3.9")])]


def run(*command, text=None, **more):
    return subprocess.run([*map(str, command)], input=text, capture_output=True, check=False, **more)


def written(folder, name):
    """A case as the file that is checked."""
    [case] = [case for case in CASES if (case["file"], case["name"]) == ("stop_work", name)]
    path = folder / f"{name}.txt"
    path.write_bytes(case["text"].encode())
    return path


@pytest.fixture
def good(tmp_path):
    return written(tmp_path, "seed_resource_limit")


@pytest.fixture
def bad(tmp_path):
    return written(tmp_path, "unknown_blocker")


def test_valid_is_0(good, capsys):
    assert 0 == cli.main(["check", str(good)])
    assert ("STOP_WORK, line 1, from bg-task-ghi789: valid\n", "") == capsys.readouterr()


def test_problems_are_1_and_listed(bad, capsys):
    assert 1 == cli.main(["check", str(bad)])
    out, err = capsys.readouterr()
    assert "" == err
    kinds = "missing_info, external_dependency, error, resource_limit"
    assert [
        "STOP_WORK, line 1, from bg-4-90de: 1 problem",
        f"  problem: STOP_WORK, line 5: blocker_type is 'the weather'; expected one of {kinds}.",
    ] == out.splitlines()


def test_nothing_found_is_1(tmp_path, capsys):
    (tmp_path / "prose").write_text("All done.")
    assert 1 == cli.main(["check", "--json", str(tmp_path / "prose")])
    assert ("[]\n", "bgctl check: no signal found\n") == capsys.readouterr()


@pytest.mark.parametrize("name", ["absent", ".", "nul\0byte"])
def test_what_cannot_be_read_is_2(tmp_path, name, capsys):
    assert 2 == cli.main(["check", f"{tmp_path}/{name}"])
    out, err = capsys.readouterr()
    assert "" == out
    assert err.startswith("bgctl check: cannot read ")


@pytest.mark.parametrize("argv", [["nonsense"], ["check", "a", "b"], ["check", "--what"]])
def test_wrong_usage_is_2(argv, capsys):
    assert 2 == cli.main(argv)
    assert "usage: bgctl" in capsys.readouterr().err


def test_help_is_0(capsys):
    assert 0 == cli.main(["check", "--help"])
    assert "0 all valid, 1 problems or no signal found, 2 usage" in " ".join(capsys.readouterr().out.split())


def test_every_command_is_documented_in_the_help(capsys):
    assert 0 == cli.main(["--help"])
    out = capsys.readouterr().out
    assert all(name in out for name in cli.COMMANDS)


def test_json_is_the_protocols_form(bad):
    done = run(BGCTL, "check", "--json", "-", text=bad.read_bytes())
    [signal] = json.loads(done.stdout)
    assert 1 == done.returncode
    assert ["signal_type", "agent_id", "timestamp", "payload", "problems", "repairs", "notes"] == list(signal)[:7]
    assert ["blocker_type"] == [each["field"] for each in signal["problems"]]


def test_bytes_that_are_no_text_are_said_and_survived(good):
    done = run(BGCTL, "check", text=b"\xff\xfe" + good.read_bytes())
    assert b"not UTF-8 (byte 0)" in done.stderr
    assert done.returncode in (0, 1)


def test_empty_input_is_1():
    assert 1 == run(BGCTL, "check", text=b"").returncode


def test_runs_from_anywhere_through_a_link_and_in_any_locale(good, tmp_path):
    link = tmp_path / "bgctl"
    link.symlink_to(BGCTL)
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONIOENCODING": "ascii"}
    done = run(link, "check", "--json", good, cwd=tmp_path, env=environment)
    assert (0, b"") == (done.returncode, done.stderr)
    assert "✓" in done.stdout.decode("utf-8")


@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: Path(python).name)
def test_a_bare_python_gives_the_same_verdict(python):
    text = "\n\n".join(case["text"] for case in CASES)
    # -S leaves out site-packages: a Python with neither package.
    done = run(python, "-S", BGCTL, "check", "--json", text=text.encode())
    expected = [signals.as_json_object(signal) for signal in signals.read(text).signals]
    assert len(CASES) == len(expected)
    assert expected == json.loads(done.stdout)
    assert 1 == done.returncode
