"""The doctor beside the real client: a plugin that the client installed itself is broken in one place after another.

Each break is named with its remedy and nothing else is; the remedy, done as it says, mends it and loses no task.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Callable

import pytest
from bg.ledger import tasks
from bg.ledger.file import Ledger
from generations import HAND_BACK, NEWEST
from rig import clients
from rig.home import Home
from test_install import Machine

pytestmark = pytest.mark.versions("2.1.7", "2.1.100", "2.1.197", NEWEST)
Break = Callable[["Patient"], Callable[[], object]]


class Patient:
    """A machine with a real client and the plugin installed by it, with one task in its ledger."""

    def __init__(self, home: Home, host: str, packaged: Path) -> None:
        self.machine = Machine(home, host, packaged)
        self.home = home
        self.config = home.path / ".claude"
        self.has_data = host not in ("2.1.7", "2.1.38")
        self.data = self.config / "plugins" / "data" / "bg-bg" if self.has_data else self.config / "bg"
        folder = home.root / "bin"
        folder.mkdir()
        program = folder / "claude"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(clients.entry(host))} "$@"\n')
        program.chmod(0o755)
        self.env = {**home.env(), "PATH": f"{folder}:{os.environ['PATH']}"}
        self.machine.plugin("marketplace add")
        self.machine.plugin("install")
        self.data.mkdir(parents=True, exist_ok=True)
        (self.data / "python").write_text(f"{sys.executable}\n")
        book = Ledger(self.data)
        with book.transaction() as writing:
            tasks.create(writing, "bg-1", "bg-1", "s", str(home.project), "Audit the code", "working")
        book.close()

    def bgctl(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        copies = [self.machine.installed() if self.is_installed() else self.machine.source, self.machine.source]
        root = next(copy for copy in copies if copy.is_dir())
        return subprocess.run(
            [str(root / "scripts" / "bgctl"), *arguments],
            env=self.env, cwd=self.home.project, capture_output=True, text=True, timeout=120,
        )  # fmt: skip

    def is_installed(self) -> bool:
        record = json.loads((self.config / "plugins" / "installed_plugins.json").read_text())
        return "bg@bg" in record["plugins"]

    def findings(self) -> list[dict[str, Any]]:
        """What is wrong; notes are of the client's version, not of a break."""
        done = self.bgctl("doctor", "--json")
        assert done.stderr == ""
        found = [item for item in json.loads(done.stdout) if item["state"] == "wrong"]
        assert done.returncode == int(bool(found))
        return found

    def type(self, remedy: str) -> None:
        """The commands of a remedy, as a user would paste them."""
        for line in re.split(r",? then | and (?=claude )", remedy):
            done = subprocess.run(
                ["sh", "-c", line], env=self.env, cwd=self.home.project, capture_output=True, text=True, timeout=90
            )
            assert done.returncode == 0, (line, done.stdout, done.stderr)

    def tasks(self) -> int:
        return len(json.loads(self.bgctl("status", "--json", "--all").stdout))


def written(path: Path, text: str) -> Callable[[], object]:
    """A file with this text instead of its own; the way back."""
    before = path.read_bytes() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path.unlink if before is None else lambda: path.write_bytes(before)


def settings(patient: Patient, **values: Any) -> Callable[[], object]:
    return written(patient.home.project / ".claude" / "settings.local.json", json.dumps(values))


def syntax_error(patient: Patient) -> Callable[[], object]:
    path = patient.machine.installed() / "scripts/bg/loop/turns.py"
    return written(path, path.read_text() + "\ndef broken(:\n")


def ledger_folder(patient: Patient) -> Callable[[], object]:
    path, aside = patient.data / "ledger.db", patient.data / "kept"
    path.rename(aside)
    path.mkdir()

    def back() -> None:
        path.rmdir()
        aside.rename(path)

    return back


def truncated(patient: Patient) -> Callable[[], object]:
    path = patient.data / "ledger.db"
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    return lambda: path.write_bytes(whole)


BREAKS: dict[str, tuple[Break, str, str, str]] = {
    "hooks disabled": (lambda p: settings(p, disableAllHooks=True), "hooks", "disableAllHooks", "remove that line"),
    "disabled in the project": (
        lambda p: settings(p, enabledPlugins={"bg@bg": False}), "plugin", "installed but disabled in", "take its line out",
    ),
    "syntax error in the code": (syntax_error, "trial", r"SyntaxError.*turns\.py", "install it again"),
    "settings not JSON": (
        lambda p: written(p.home.project / ".claude/settings.local.json", '{"a": 1,\n}'),
        "settings", "is not JSON", "correct that line",
    ),
    "ledger.db a folder": (ledger_folder, "ledger", "is a folder", "^mv "),
    "Agent denied": (lambda p: settings(p, permissions={"deny": ["Agent"]}), "permissions", "denies Agent", "take Agent"),
    "the skill denied": (
        lambda p: settings(p, permissions={"deny": ["Skill(bg:bg)"]}), "permissions", "commands cannot run", "take Skill",
    ),
    "BG_DATA in one place": (
        lambda p: settings(p, env={"BG_DATA": "/somewhere"}), "BG_DATA", "here it is not set", "^export BG_DATA=",
    ),
    "wrong key": (lambda p: written(p.config / "bg.json", '{"gates": "on"}'), "bg.json", "gates", "correct that line"),
    "bg.json not JSON": (lambda p: written(p.config / "bg.json", '{"gate": on}'), "bg.json", "JSON", "correct that line"),
    "truncated ledger": (truncated, "ledger", "is damaged", "the next hook keeps it aside"),
    "noted Python gone": (lambda p: written(p.data / "python", "/gone/python3\n"), "python", "is gone", "^rm "),
}  # fmt: skip


def test_each_break_is_named_with_its_remedy_and_nothing_else_is(
    host: str, packaged: Path, tell: Callable[[str], None]
) -> None:
    with Home("http://127.0.0.1:9") as home:
        patient = Patient(home, host, packaged)
        assert patient.findings() == []
        missed = {}
        for name, (breaking, subject, found, remedy) in BREAKS.items():
            back = breaking(patient)
            wrong = patient.findings()
            is_right = [item["subject"] for item in wrong] == [subject]
            if not (is_right and re.search(found, wrong[0]["found"]) and re.search(remedy, wrong[0]["remedy"])):
                missed[name] = wrong
            back()
        assert missed == {}
        assert patient.findings() == []
        tell(f"{host}: {len(BREAKS)} of {len(BREAKS)} breaks named with their remedy")


def test_a_moved_clone_is_added_again_without_losing_a_task(host: str, packaged: Path) -> None:
    """From 2.1.78 on, removing a marketplace deletes what its plugins have kept."""
    with Home("http://127.0.0.1:9") as home:
        patient = Patient(home, host, packaged)
        elsewhere = patient.machine.source.with_name("moved plugin")
        shutil.move(patient.machine.source, elsewhere)
        patient.machine.source = elsewhere
        if host in HAND_BACK:  # it runs the plugin from the clone, so that its user has only that copy's bgctl
            patient.machine.installed = lambda: elsewhere  # type: ignore[method-assign]
        [wrong] = patient.findings()
        assert re.search("the marketplace bg was the folder .*/bg plugin, which is gone", wrong["found"])
        patient.type(wrong["remedy"].replace("<where it is now>", f'"{elsewhere}"'))
        assert patient.findings() == []
        assert patient.tasks() == 1


def test_a_plugin_that_was_turned_off_is_turned_on_by_its_remedy(host: str, packaged: Path) -> None:
    with Home("http://127.0.0.1:9") as home:
        patient = Patient(home, host, packaged)
        patient.machine.claude("plugin", "disable", "bg@bg")
        [wrong] = patient.findings()
        assert "installed but disabled in" in wrong["found"]
        patient.type(wrong["remedy"])
        assert patient.findings() == []
        assert patient.tasks() == 1


def test_of_two_copies_one_goes_and_no_task_with_it(host: str, packaged: Path) -> None:
    """The ledger stands beside the copy that is taken away."""
    with Home("http://127.0.0.1:9") as home:
        patient = Patient(home, host, packaged)
        manifest = patient.machine.source / ".claude-plugin" / "marketplace.json"
        twin = home.root / "twin"
        shutil.copytree(patient.machine.source, twin)
        (twin / ".claude-plugin" / "marketplace.json").write_text(
            json.dumps({**json.loads(manifest.read_text()), "name": "twin"})
        )
        patient.machine.claude("plugin", "marketplace", "add", str(twin))
        patient.machine.claude("plugin", "install", "bg@twin")
        if patient.has_data:
            patient.data.rename(patient.data.with_name("bg-twin"))
        [wrong] = patient.findings()
        assert "installed 2 times" in wrong["found"]
        patient.type(wrong["remedy"].partition(": ")[2])
        assert patient.findings() == []
        assert patient.tasks() == 1
