"""The interpreter that runs the hooks: found once, new enough, and whole again where its compiled modules are not."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
NONE = "bg needs Python 3.9 or newer"


class Machine:
    """A copy of the plugin that knows no interpreter but those that a test puts onto its PATH."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.plugin = root / "plugin"
        for name in ("hooks", "scripts"):
            shutil.copytree(ROOT / name, self.plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
        finder = self.plugin / "hooks" / "find-python"
        finder.write_text(re.sub(r"^system=.*$", f"system={root}/nowhere", finder.read_text(), flags=re.MULTILINE))
        self.bin = root / "a bin"
        self.bin.mkdir()
        for name in ("sh", "dd", "cat", "find", "mkdir", "mv", "rm", "tr"):
            (self.bin / name).symlink_to(shutil.which(name) or name)
        self.data = root / "data"
        self.started = root / "started"
        self.env = {"HOME": str(root), "PATH": str(self.bin), "BG_DATA": str(self.data)}

    def python(self, name: str, version: str, folder: str = "a bin") -> Path:
        """One that says it is of this version; it counts its starts and hands everything else to a real one."""
        place = self.root / folder
        place.mkdir(exist_ok=True)
        path = place / name
        new = tuple(map(int, version.split("."))) >= (3, 9)
        path.write_text(
            f"#!{shutil.which('sh')}\n"
            f"echo {version} >>'{self.started}'\n"
            f'case "$*" in *version_info*) printf "%s %s" {version} "{path}"; exit ;; esac\n'
            + (f'exec "{sys.executable}" "$@"\n' if new else "echo 'SyntaxError: invalid syntax' >&2; exit 1\n")
        )
        path.chmod(0o755)
        return path

    def starts(self) -> list[str]:
        found = self.started.read_text().split() if self.started.exists() else []
        self.started.unlink(missing_ok=True)
        return found

    def hook(self, name: str, **changes: Any) -> subprocess.CompletedProcess[str]:
        kept = str(self.root / ".claude" / "projects" / "p" / "s1.jsonl")
        event = {"session_id": "s1", "transcript_path": kept, "cwd": str(self.root), "hook_event_name": name, **changes}
        return subprocess.run(
            ["sh", str(self.plugin / "hooks" / "run")],
            input=json.dumps(event, separators=(",", ":")),
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def says(self, name: str, **changes: Any) -> dict[str, Any]:
        done = self.hook(name, **changes)
        assert (done.returncode, done.stderr) == (0, "")
        return dict(json.loads(done.stdout)) if done.stdout else {}

    def bgctl(self, python: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [str(python), str(self.plugin / "scripts" / "bgctl"), *arguments],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
        )


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_old_interpreter_is_passed_over_for_a_newer_one(machine):
    """It is looked for once, and noted; the quiet path, on which nothing is named like our commands, starts none."""
    machine.python("python3", "3.6")
    newer = machine.python("python3.12", "3.12")
    assert machine.says("Stop", cwd="/") == {}
    assert machine.starts() == []
    assert "[from the bg plugin, not from the user] label: bg-1" in str(
        machine.says("UserPromptSubmit", prompt="/bg Audit")
    )
    assert machine.starts() == ["3.6", "3.12", "3.12"]
    assert (machine.data / "python").read_text() == f"{newer}\n"
    assert machine.data.stat().st_mode & 0o777 == 0o700
    machine.says("UserPromptSubmit", prompt="/bg Audit")
    assert machine.starts() == ["3.12"]


def test_a_newer_one_further_down_the_path(machine):
    machine.python("python3", "3.8")
    machine.python("python3", "3.10", "another")
    machine.env["PATH"] = f"{machine.bin}:{machine.root / 'another'}"
    assert "[from the bg plugin, not from the user] label: bg-1" in str(
        machine.says("UserPromptSubmit", prompt="/bg Audit")
    )


LAUNCH = {"tool_name": "Agent", "tool_input": {"description": "bg-1: audit", "prompt": "Audit."}}


@pytest.mark.parametrize("old", ["3.8", "2.7", ""])
def test_where_there_is_none_one_line_says_so(old, machine):
    """At the session's begin and at our command, nowhere else; a launch of ours is refused with it."""
    found = f"{NONE}; found {old} at {machine.bin / 'python3'}" if old else f"{NONE}, and found none"
    if old:
        machine.python("python3", old)
    line = {"systemMessage": f"{found}: /bg will not work here."}
    assert machine.says("SessionStart", source="startup") == line
    assert machine.says("UserPromptSubmit", prompt="/bg Audit") == line
    assert machine.says("UserPromptSubmit", prompt="hello") == {}
    machine.data.mkdir()
    (machine.data / "sessions").mkdir()
    (machine.data / "sessions" / "s1").touch()
    assert machine.says("Stop") == {}
    said = machine.says("PreToolUse", **LAUNCH)["hookSpecificOutput"]
    assert said["permissionDecision"] == "deny"
    assert found in said["permissionDecisionReason"]
    assert machine.says("PreToolUse", tool_name="Agent", tool_input={"description": "look"}) == {}


def test_a_noted_interpreter_that_has_become_old_is_forgotten(machine):
    """The hook that finds out looks for another one, which takes over at once."""
    old = machine.python("python3.1", "3.8")
    old.write_text(
        f"#!{shutil.which('sh')}\nexec '{sys.executable}' -c "
        "'import runpy, sys; sys.version_info = (3, 8, 0); runpy.run_path(sys.argv[-1])' \"$@\"\n"
    )
    machine.python("python3", "3.11")
    machine.data.mkdir()
    (machine.data / "python").write_text(f"{old}\n")
    done = machine.hook("UserPromptSubmit", prompt="/bg Audit")
    assert done.returncode == 0
    assert "older than Python 3.9" in done.stderr
    said = json.loads(done.stdout)
    assert "[from the bg plugin, not from the user] label: bg-1" in str(said)
    assert f"{old} does not start or is too old" in said["systemMessage"]


def broken(machine: Machine) -> Path:
    """An interpreter that is there and does not start, as one whose libraries an update has taken away."""
    path = machine.bin / "python3.13"
    path.write_text(f"#!{shutil.which('sh')}\necho 'error while loading shared libraries' >&2\nexit 127\n")
    path.chmod(0o755)
    (machine.data / "sessions").mkdir(parents=True)
    (machine.data / "sessions" / "s1").touch()
    (machine.data / "python").write_text(f"{path}\n")
    return path


def test_where_the_noted_interpreter_does_not_start_the_next_one_takes_over(machine):
    """The event is not lost, and the user is told once which one is used now."""
    lost = broken(machine)
    newer = machine.python("python3", "3.11")
    done = machine.hook("UserPromptSubmit", prompt="/bg Audit")
    said = json.loads(done.stdout)
    assert "[from the bg plugin, not from the user] label: bg-1" in str(said)
    assert f"{lost} does not start" in said["systemMessage"]
    assert (machine.data / "python").read_text() == f"{newer}\n"
    assert "does not start" not in str(machine.says("UserPromptSubmit", prompt="/bg-status"))


@pytest.mark.parametrize("size", [2_000, 20_000, 2_000_000])
def test_an_event_of_any_length_outlives_the_interpreter(size, machine):
    """What the one that did not start has not read, the next one reads; more than a pipe holds, too."""
    lost = broken(machine)
    machine.python("python3", "3.11")
    said = json.loads(machine.hook("UserPromptSubmit", prompt=f"/bg Audit {'word ' * (size // 5)}").stdout)
    assert "label: bg-1" in str(said)
    assert f"{lost} does not start" in said["systemMessage"]
    (machine.data / "python").write_text(f"{lost}\n")
    call = {"description": "bg-1: audit", "prompt": "Audit. " * (size // 7), "subagent_type": "general-purpose"}
    said = json.loads(machine.hook("PreToolUse", tool_name="Agent", tool_use_id="toolu_1", tool_input=call).stdout)
    assert said["hookSpecificOutput"]["updatedInput"]["prompt"].count("Audit. ") >= size // 7


def test_bgctl_passes_an_old_interpreter_over(machine):
    """Where there is a newer one it runs on that, else it says so in one line."""
    pretending = machine.bin / "pretending"
    pretending.write_text(
        f"#!{shutil.which('sh')}\nexec '{sys.executable}' -c 'import runpy, sys; sys.argv = sys.argv[1:]; "
        'sys.version_info = (3, 8, 0); runpy.run_path(sys.argv[0], run_name="__main__")\' "$@"\n'
    )
    pretending.chmod(0o755)
    machine.python("python3", "3.8")
    without = machine.bgctl(pretending, "doctor")
    line = f"{NONE}; found 3.8 at {machine.bin / 'python3'}\n"
    assert (1, "", line) == (without.returncode, without.stdout, without.stderr)
    machine.python("python3.9", "3.9")
    done = machine.bgctl(pretending, "status")
    assert (0, "") == (done.returncode, done.stderr)
    assert "No ledger yet" in done.stdout


# At collection, while the home is still the real one.
OLD = {
    version: sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python")) for version in ("2.7", "3.6", "3.8")
}


@pytest.mark.parametrize("real", OLD)
def test_a_real_old_interpreter_reads_what_it_is_given(real, machine):
    """The one line, not a SyntaxError."""
    if not OLD[real]:
        pytest.skip(f"there is no Python {real} here")
    found = OLD[real][0]
    done = machine.bgctl(found, "doctor")
    assert (1, f"{NONE}, and found none\n") == (done.returncode, done.stderr)
    if real != "2.7":
        machine.data.mkdir()
        (machine.data / "python").write_text(f"{found}\n")
        assert "older than Python 3.9" in machine.hook("UserPromptSubmit", prompt="/bg Audit").stderr


@pytest.mark.parametrize("module", ["json/__init__", "bg/ledger/spool", "bg/loop/turns", "bg/words/texts"])
def test_half_a_compiled_module_stops_no_hook(module, machine):
    """As Python before 3.13.1 leaves it on a disk that fills up: thrown away, compiled again, and nobody notices."""
    machine.python("python3", "3.11")
    machine.says("UserPromptSubmit", prompt="/bg Audit")
    [compiled] = [path for path in (machine.data / "pycache").rglob("*.pyc") if f"/{module}." in str(path)]
    whole = compiled.read_bytes()
    os.truncate(compiled, len(whole) // 2)
    assert "[from the bg plugin, not from the user] label: bg-2" in str(
        machine.says("UserPromptSubmit", prompt="/bg Audit")
    )
    machine.says("UserPromptSubmit", prompt="/bg Audit")
    assert compiled.read_bytes() == whole


def test_a_module_is_found_as_python_finds_it(machine):
    """In fewer steps, but the same file, with the same compiled one."""
    machine.python("python3", "3.11")
    hook = machine.plugin / "hooks" / "hook.py"
    compares = """
import json
from bg.ledger import spool
both = spool.__spec__, PathFinder.find_spec("bg.ledger.spool", sys.modules["bg.ledger"].__path__)
names = ("name", "origin", "cached", "has_location", "parent", "submodule_search_locations")
print(json.dumps([[getattr(each, name) for name in names] for each in both]))
status = 0
"""
    hook.write_text(hook.read_text().replace("\nstatus = main(ends=True)\n", compares))
    ours, pythons = json.loads(machine.hook("UserPromptSubmit", prompt="/bg Audit").stdout)
    assert pythons == ours
    assert ours[1] == str(machine.plugin / "scripts" / "bg" / "ledger" / "spool.py")


def test_a_compiled_module_is_read_as_long_as_its_source_stays_as_it_is(machine):
    machine.python("python3", "3.11")
    for _ in range(3):
        machine.says("UserPromptSubmit", prompt="/bg Audit")
    hook = machine.plugin / "hooks" / "hook.py"
    hook.write_text(hook.read_text().replace("return super().get_code(name)", "sys.exit(name)"))
    assert "label: bg-4" in str(machine.says("UserPromptSubmit", prompt="/bg Audit"))
    turns = machine.plugin / "scripts" / "bg" / "loop" / "turns.py"
    os.utime(turns, (1, 1))
    assert "bg.loop.turns" in machine.hook("UserPromptSubmit", prompt="/bg Audit").stderr


def test_a_plain_bug_throws_nothing_away_and_starts_nothing_again(machine):
    """An AttributeError in a handler is traced; the compiled modules stay, and Python was started once."""
    machine.python("python3", "3.11")
    machine.says("UserPromptSubmit", prompt="/bg Audit")
    machine.starts()
    path = machine.plugin / "scripts" / "bg" / "loop" / "turns.py"
    path.write_text(path.read_text().replace("    event = scene.event\n", "    event = scene.events\n", 1))
    before = set((machine.data / "pycache").rglob("*.pyc"))
    done = machine.hook("UserPromptSubmit", prompt="/bg Audit")
    assert (done.returncode, done.stdout) == (0, "")
    assert machine.starts() == ["3.11"]
    assert before <= set((machine.data / "pycache").rglob("*.pyc"))


def test_an_event_reads_only_the_modules_that_it_needs(machine):
    """What no step of an event asks for is not even compiled; one that cannot be read is traced where it is needed."""
    machine.python("python3", "3.11")
    for name in ("delegating", "going"):
        (machine.plugin / "scripts" / "bg" / "loop" / f"{name}.py").write_text("def broken(:\n")
    assert "label: bg-1" in str(machine.says("UserPromptSubmit", prompt="/bg Audit"))
    compiled = {path.name.split(".")[0] for path in (machine.data / "pycache").rglob("bg/loop/*.pyc")}
    assert {"turns", "scene"} <= compiled
    assert not {"delegating", "checkpoints", "verdict"} & compiled
    said = str(machine.says("UserPromptSubmit", prompt="/bg-answer bg-1 go"))
    assert "/bg-answer could not be carried out" in said


def test_a_plain_bug_in_a_module_that_is_read_late_is_traced_as_what_it_is(machine):
    """Also where a name is imported from it, which Python would call missing."""
    machine.python("python3", "3.11")
    path = machine.plugin / "scripts" / "bg" / "loop" / "scene.py"
    path.write_text(path.read_text().replace("\n\nTYPE_CHECKING", "\n\nPLACE = notes.nowhere\nTYPE_CHECKING", 1))
    done = machine.hook("UserPromptSubmit", prompt="/bg Audit")
    assert done.returncode == 0
    assert "module 'bg.ledger.notes' has no attribute 'nowhere'" in done.stderr
    assert "cannot import name" not in done.stderr
