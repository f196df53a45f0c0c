"""Installed as the ecosystem does it: from an empty home, with the lines of the README, from a path with spaces."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import time
from pathlib import Path
from typing import Optional

import pytest
from bg.host import versions
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, has_ledger, launch, one, reacting, reminders, rows, wake
from rig import clients
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, parent, text
from rig.session import Headless, arguments
from test_loop import TASK, later, reminded

WANTED = ("marketplace add", "install", "marketplace update", "update", "uninstall")


def from_the_readme() -> dict[str, list[str]]:
    """The plugin commands that the documentation tells a user to type."""
    pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
    found: dict[str, list[str]] = {}
    for page in pages:
        for line in re.findall(r"(?:^|`)\s*claude plugin ([^\n#`]+)", page.read_text(encoding="utf-8"), re.MULTILINE):
            words = shlex.split(line)
            name = " ".join(words[:2]) if words[0] == "marketplace" else words[0]
            found.setdefault(name, words)
    return found


class Machine:
    """A home with nothing in it, and a copy of the package that the plugin is installed from."""

    def __init__(self, home: Home, host: str, packaged: Path) -> None:
        self.home, self.host = home, host
        # Where a host gives a plugin a data directory, it removes that with the plugin.
        self.deletes_data = versions.host_of(clients.numbers(host)).deletes_data
        self.source = home.root / "with spaces" / "bg plugin"
        shutil.copytree(packaged, self.source)
        self.git("init", "-q")
        self.commit("as it is")

    def git(self, *words: str) -> str:
        who = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org", "-c", "commit.gpgsign=false"]
        done = subprocess.run(["git", "-C", str(self.source), *who, *words], capture_output=True, text=True, check=True)
        return done.stdout

    def commit(self, words: str) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", words)

    def claude(self, *words: str, cwd: Optional[Path] = None) -> str:
        """One command of the client's, which must succeed."""
        done = subprocess.run(
            [*clients.entry(self.host), *words],
            env=self.home.env(),
            cwd=cwd or self.home.project,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=90,
        )
        assert done.returncode == 0, (words, done.stdout[-1500:], done.stderr[-1500:])
        return done.stdout

    def plugin(self, name: str, *more: str) -> str:
        """What the documentation says for this step, with the copy's path for where the plugin comes from."""
        words = from_the_readme()[name]
        if name == "marketplace add":
            words = [*words[:2], str(self.source)]
        return self.claude("plugin", *words, *more)

    def installed(self) -> Path:
        """Where the host keeps the copy that it runs, or reads it from."""
        record = json.loads((self.home.path / ".claude/plugins/installed_plugins.json").read_text())
        return Path(record["plugins"]["bg@bg"][0]["installPath"])

    def release(self, version: str) -> None:
        path = self.source / ".claude-plugin" / "plugin.json"
        manifest = json.loads(path.read_text())
        path.write_text(json.dumps({**manifest, "version": version}, indent=2) + "\n")
        self.commit(version)

    def data(self) -> Path:
        below = self.home.path / ".claude"
        return below / "plugins" / "data" / "bg-bg" if self.deletes_data else below / "bg"


def test_the_documentation_has_every_line() -> None:
    found = from_the_readme()
    assert set(WANTED) <= set(found)
    assert {found[name][-1] for name in ("install", "update", "uninstall")} == {"bg@bg"}


def files(folder: Path) -> set[str]:
    """The files of a plugin, without what git and the host keep beside them."""
    found = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {name for name in found if not name.startswith((".git/", ".in_use", ".orphaned"))}


def whole_loop(machine: Machine, command: str) -> None:
    """A task that asks, a look at the table, an answer, a report: all with the installed plugin."""
    script = Script(
        ("agent", asked("AUDIT-TASK"), [later(block("CLARIFICATION_NEEDED")), later(block("COMPLETION_REPORT"))]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)), ("Resume it now", wake))),
    )
    done = len(rows(machine.home, "SELECT 1 FROM runs")) if has_ledger(machine.home) else 0
    with Model(script) as model:
        machine.home.base_url = model.url
        with Headless(machine.home, machine.host, arguments([])) as run:
            run.send(f"{command} Audit the authentication code")
            reminded(run, model, machine.home, "needs answers", done + 1, machine.host)
            time.sleep(1)
            run.send("/bg-status")
            run.wait_for(lambda event: event.get("type") == "result" and shows_table(event, model))
            run.send("/bg-answer Q1: CSV Q2: no")
            reminded(run, model, machine.home, "reports partial success", done + 2, machine.host)
            time.sleep(0.5)
            run.finish()
        assert one(machine.home, "SELECT state FROM tasks ORDER BY number DESC") == {"state": "partial"}
        assert rows(machine.home, "SELECT * FROM errors") == []


def shows_table(event: dict[str, object], model: Model) -> bool:
    """The table reached the user as the result, or on the oldest hosts the model, which shows it."""
    table = r"bg-\d+ +\d+\S+ +asks +audit the auth code"
    return bool(re.search(table, str(event.get("result")))) or any(
        re.search(table, request.all_text()) for request in model.by("parent")
    )


@pytest.mark.versions("2.1.7", "2.1.100", "2.1.197", NEWEST)
def test_from_an_empty_home_to_an_uninstalled_plugin(host: str, packaged: Path) -> None:
    with Home("http://127.0.0.1:9") as home:
        machine = Machine(home, host, packaged)
        assert not (home.path / ".claude" / "plugins").exists()
        machine.plugin("marketplace add")
        machine.plugin("install")
        assert not has_ledger(home)
        assert files(machine.installed()) == files(packaged)

        whole_loop(machine, "/bg:bg" if host in HAND_BACK else "/bg")
        assert (machine.data() / "ledger.db").is_file()
        assert rows(home, "SELECT label, state FROM tasks") == [{"label": "bg-1", "state": "partial"}]

        if host in HAND_BACK:
            bgctl = machine.installed() / "scripts" / "bgctl"
            subprocess.run([str(bgctl), "shortcuts", "--write"], env=home.env(), check=True, capture_output=True)
            whole_loop(machine, "/bg")

        machine.release("9.9.9")
        machine.plugin("marketplace update")
        assert "9.9.9" in machine.plugin("update")
        assert machine.installed().name == "9.9.9"
        whole_loop(machine, "/bg:bg")
        labels = ["bg-1", "bg-2", "bg-3"] if host in HAND_BACK else ["bg-1", "bg-2"]
        assert [row["label"] for row in rows(home, "SELECT label FROM tasks ORDER BY number")] == labels

        keep = ["--keep-data"] if host == "2.1.197" else []
        machine.plugin("uninstall", *keep)
        assert (machine.data() / "ledger.db").is_file() is bool(keep or not machine.deletes_data)
        nothing_is_launched(machine, "/bg" if host in HAND_BACK else "Hello")


def nothing_is_launched(machine: Machine, words: str) -> None:
    """After the plugin is gone, what is left of it says so to the model, and no hook of ours answers."""

    def answer(request: Request):
        assert "[from the bg plugin, not from the user] label:" not in request.all_text().replace(
            "`[from the bg plugin, not from the user] label:`", ""
        )
        return text("The plugin's hooks are not running.")

    with Model(Script(("parent", parent, [answer] * 4))) as model:
        machine.home.base_url = model.url
        with Headless(machine.home, machine.host, arguments([]), prompt=f"{words} Audit the code") as run:
            run.finish()
        assert model.by("parent")
        for request in model.by("parent"):
            assert reminders(request) == []
        if words == "/bg":
            assert "and launch nothing" in model.by("parent")[0].all_text()
            assert "`claude plugin list` shows" in model.by("parent")[0].all_text()


@pytest.mark.versions(NEWEST)
def test_the_strictest_public_check_is_clean(host: str, packaged: Path) -> None:
    with Home() as home:
        machine = Machine(home, host, packaged)
        said = machine.claude("plugin", "validate", "--strict", "--profile", "directory", str(machine.source))
        assert "These checks found nothing to report" in said
        assert "warning" not in said.lower().replace("passed with warnings", "")


#: It reads modules, and knows the events of an earlier draft of them; it loads none.
DRAFTED = "2.1.258"


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.100", "2.1.197", DRAFTED, NEWEST)
def test_every_host_finds_the_manifests_in_order(host: str, packaged: Path) -> None:
    with Home() as home:
        machine = Machine(home, host, packaged)
        if host == DRAFTED:
            table = machine.source / "hooks" / "hooks.json"
            known = json.loads(table.read_text(encoding="utf-8"))
            table.write_text(json.dumps({**known, "modules": []}), encoding="utf-8")
        for part in ("plugin.json", "marketplace.json"):
            said = machine.claude("plugin", "validate", str(machine.source / ".claude-plugin" / part))
            assert "Validation passed" in said
            assert "warning" not in said.lower()


@pytest.mark.versions(NEWEST)
def test_a_release_can_be_tagged(host: str, packaged: Path) -> None:
    with Home() as home:
        machine = Machine(home, host, packaged)
        version = json.loads((machine.source / ".claude-plugin" / "plugin.json").read_text())["version"]
        assert f"bg--v{version}" in machine.claude("plugin", "tag", "--dry-run", cwd=machine.source)
        assert machine.git("tag") == ""
