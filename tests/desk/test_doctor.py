"""The doctor on broken set-ups, each really broken: it names the cause and the remedy, and nothing else."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any, Callable, Optional

import pytest
from bg.ledger.aside import kept_aside
from bg.ledger.file import Ledger
from bg.words import launch_command
from drive import Drive, plain

ROOT = Path(__file__).resolve().parents[2]
BGCTL = ROOT / "scripts" / "bgctl"


class Patient:
    """A machine in which nothing is wrong, to be broken in one place."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "home"
        self.config = self.home / ".claude"
        self.data = self.config / "plugins" / "data" / "bg-bg"
        self.bin = root / "bin"
        self.project = root / "project"
        for folder in (self.data, self.bin, self.project):
            folder.mkdir(parents=True)
        self.env = {"HOME": str(self.home), "PATH": str(self.bin), "TMPDIR": str(root), "LANG": "C.UTF-8"}
        self.program("node", "echo v22.0.0")
        self.program("claude", "echo '2.1.197 (Claude Code)'")
        for name in ("cat", "dd", "sh", "tr"):
            (self.bin / name).symlink_to(str(shutil.which(name)))
        self.installed("bg@bg")
        self.interpreter(Path(sys.executable))

    def program(self, name: str, script: str) -> None:
        path = self.bin / name
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)

    def installed(self, *names: str) -> None:
        entries = {name: [{"scope": "user", "installPath": f"/cache/{name}", "version": "0.1.0"}] for name in names}
        (self.config / "plugins" / "installed_plugins.json").write_text(json.dumps({"version": 2, "plugins": entries}))

    def interpreter(self, python: Path) -> None:
        (self.data / "python").write_text(f"{python}\n")

    def bgctl(self, *arguments: str, prefix: Optional[list[str]] = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*(prefix or []), sys.executable, str(BGCTL), *arguments],
            env=self.env,
            cwd=self.project,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def findings(self) -> list[dict[str, Any]]:
        """What the doctor says that is not fine; its exit status and its words for people must agree with that."""
        done = self.bgctl("doctor", "--json")
        assert done.stderr == ""
        found = json.loads(done.stdout)
        assert done.returncode == int(any(item["state"] == "wrong" for item in found))
        shown = self.bgctl("doctor").stdout
        bad = [item for item in found if item["state"] != "ok"]
        for item in bad:
            assert item["remedy"], item
            assert item["found"] in " ".join(shown.split())
            assert f"remedy: {item['remedy']}" in shown
        return bad


@pytest.fixture
def patient(tmp_path: Path) -> Patient:
    return Patient(tmp_path)


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An interpreter without the two packages."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    return folder / "bin" / "python3"


def only(patient: Patient, subject: str, state: str, found: str, remedy: str) -> None:
    bad = patient.findings()
    assert [(item["subject"], item["state"]) for item in bad] == [(subject, state)], bad
    assert re.search(found, bad[0]["found"]), bad
    assert re.search(remedy, bad[0]["remedy"]), bad


def test_an_interpreter_that_is_too_old(patient: Patient) -> None:
    old = patient.root / "old python"
    old.write_text("#!/bin/sh\nprintf 3.8\n")
    old.chmod(0o755)
    patient.interpreter(old)
    only(patient, "python", "wrong", r"bg needs Python 3\.9 or newer; found 3\.8 at .*/old python$", "^rm .*/python$")


def test_a_healthy_machine(patient: Patient) -> None:
    assert patient.findings() == []
    assert patient.bgctl("doctor").returncode == 0


def test_no_packages(patient: Patient, bare: Path) -> None:
    patient.interpreter(bare)
    only(patient, "python", "note", "lacks PyYAML or jsonschema", "pip install PyYAML jsonschema")


def attempt(patient: Patient, python: Path) -> tuple[int, str]:
    """What `bgctl install-packages` answers where no interpreter of the machine will do."""
    code = "from bg.desk import packages, cli; packages.SYSTEM = (); raise SystemExit(cli.main(['install-packages']))"
    env = {
        **patient.env,
        "BG_DATA": str(patient.data),
        "PIP_RETRIES": "1",
        "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }
    code = f"import sys; sys.path.insert(0, {str(ROOT / 'scripts')!r}); {code}"
    done = subprocess.run(
        [str(python), "-c", code], env=env, cwd=patient.project, capture_output=True, text=True, timeout=120
    )
    assert done.stdout == ""
    return done.returncode, done.stderr


def test_no_ensurepip(patient: Patient, tmp_path: Path) -> None:
    """As on Debian: a Python whose standard library has everything but ensurepip."""
    base = Path(os.path.realpath(sys.executable))
    real = Path(sysconfig.get_path("stdlib"))
    library = tmp_path / "python" / sys.platlibdir / real.name
    library.mkdir(parents=True)
    for entry in real.iterdir():
        if entry.name not in {"ensurepip", "site-packages", "__pycache__", "dist-packages"}:
            (library / entry.name).symlink_to(entry)
    python = tmp_path / "python" / "bin" / base.name
    python.parent.mkdir()
    shutil.copy2(base, python)
    shown = subprocess.run([str(python), "-c", "import os, sys; print(sys.prefix)"], capture_output=True, text=True)
    if shown.stdout.strip() != str(tmp_path / "python"):
        pytest.skip(f"this Python cannot be copied: {shown.stderr[-200:]}")
    code, said = attempt(patient, python)
    assert code == 1
    assert said.startswith("bgctl: the packages could not be installed: this Python has no ensurepip\nremedy: ")
    assert "python3-venv package" in said


def test_no_network(patient: Patient, bare: Path) -> None:
    code, said = attempt(patient, bare)
    assert code == 1
    assert said.startswith("bgctl: the packages could not be installed: there was no network\nremedy: ")
    assert not (patient.data / "venv").exists()
    assert not (patient.data / "packages").exists()


def test_an_interpreter_that_has_them_is_noted(patient: Patient) -> None:
    (patient.data / "python").unlink()
    done = patient.bgctl("install-packages")
    assert (done.returncode, done.stderr) == (0, "")
    assert "has both packages" in done.stdout
    assert patient.findings() == []


def test_hooks_disabled(patient: Patient) -> None:
    file = patient.project / ".claude" / "settings.local.json"
    file.parent.mkdir()
    file.write_text('{"disableAllHooks": true}')
    only(patient, "hooks", "wrong", f"disableAllHooks in {file}", f"remove that line from {file}")


def test_unwritable_data(patient: Patient) -> None:
    (patient.root / "file").write_text("")
    patient.env["BG_DATA"] = str(patient.root / "file" / "data")
    bad = {item["subject"]: item for item in patient.findings()}
    assert bad["data"]["state"] == "wrong"
    assert bad["data"]["found"] == f"{patient.env['BG_DATA']} cannot be written: Not a directory"
    assert "set BG_DATA to a directory that is" in bad["data"]["remedy"]


def test_a_host_that_is_too_old_is_named(patient: Patient) -> None:
    patient.program("claude", "echo '2.0.76 (Claude Code)'")
    only(patient, "Claude Code", "wrong", r"2\.0\.76 is older than 2\.1\.7", "claude update")


def test_a_host_that_took_the_name(patient: Patient) -> None:
    patient.program("claude", "echo '2.1.327 (Claude Code)'")
    only(patient, "/bg", "note", "has a /bg of its own", r"type /bg:bg <task>.* shortcuts --write$")
    assert patient.bgctl("shortcuts", "--write").returncode == 0
    assert patient.findings() == []


def test_a_shortcut_without_the_plugin(patient: Patient) -> None:
    patient.bgctl("shortcuts", "--write")
    patient.installed()
    bad = {item["subject"]: item for item in patient.findings()}
    assert bad["/bg"]["state"] == "wrong"
    assert re.search(r"the shortcut .*bg\.md is there, and the plugin is not", bad["/bg"]["found"])
    assert bad["/bg"]["remedy"].endswith("shortcuts --remove")
    assert bad["plugin"]["remedy"].endswith("claude plugin install bg@bg")


def test_a_corrupt_ledger(patient: Patient) -> None:
    Ledger(patient.data).close()
    path = patient.data / "ledger.db"
    path.write_bytes(b"this is no database, whatever its name says\n" * 200)
    only(patient, "ledger", "wrong", f"{path} is damaged", "the next hook keeps it aside and begins a new one")
    assert kept_aside(str(patient.data)) == []


def test_a_ledger_whose_log_alone_is_left(patient: Patient) -> None:
    """The doctor only looks: a hook sets it aside, with the log."""
    Ledger(patient.data).close()
    path = patient.data / "ledger.db"
    path.with_name("ledger.db-wal").write_bytes(path.read_bytes())
    path.write_bytes(b"")
    log = path.with_name("ledger.db-wal").read_bytes()
    only(patient, "ledger", "wrong", f"{path} is damaged: it is empty, and its log is not", "the next hook keeps it")
    assert (path.read_bytes(), path.with_name("ledger.db-wal").read_bytes()) == (b"", log)
    assert kept_aside(str(patient.data)) == []


def test_two_copies_of_the_plugin_are_named_with_the_way_to_remove_one(patient: Patient) -> None:
    patient.installed("bg@bg", "bg@elsewhere", "other@bg")
    only(patient, "plugin", "wrong", "installed 2 times.*: bg@bg, bg@elsewhere", "claude plugin uninstall bg@elsewhere")


def test_installed_and_disabled(patient: Patient) -> None:
    (patient.config / "settings.json").write_text('{"enabledPlugins": {"bg@bg": false}}')
    only(patient, "plugin", "wrong", "installed but disabled", "claude plugin enable bg@bg")


def test_missing_node(patient: Patient) -> None:
    (patient.bin / "node").unlink()
    only(patient, "node", "note", "there is no node; only scripts/demo", "install Node.js")


@pytest.mark.skipif(sys.platform != "linux", reason="a small disk is made with unshare and tmpfs")
def test_a_full_disk(patient: Patient) -> None:
    place = patient.root / "small"
    place.mkdir()
    patient.env["BG_DATA"] = str(place)
    patient.env["PATH"] += ":/usr/sbin:/usr/bin:/sbin:/bin"
    fill = f'mount -t tmpfs -o size=64k,mode=0700 none "{place}" && head -c 1M /dev/zero > "{place}/big" 2>/dev/null; exec "$@"'
    prefix = ["unshare", "-rm", "sh", "-c", fill, "sh"]
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode:
        pytest.skip("this machine allows no mount of one's own")
    done = patient.bgctl("doctor", "--json", prefix=prefix)
    bad = [item for item in json.loads(done.stdout) if item["subject"] == "data"]
    assert bad == [
        {
            "subject": "data",
            "state": "wrong",
            "found": f"{place} cannot be written: No space left on device",
            "remedy": "free some space on that disk",
        }
    ]
    assert done.returncode == 1


def test_a_wrong_setting_is_named_with_its_line(patient: Patient) -> None:
    (patient.config / "bg.json").write_text('{\n  "gate": "off"\n}')
    only(patient, "bg.json", "wrong", r'bg\.json:2: gate must be "on" or "observe"', "correct that line")


def test_a_file_of_the_users_own(patient: Patient) -> None:
    path = patient.config / "commands" / "bg.md"
    path.parent.mkdir()
    path.write_text("mine")
    only(patient, "/bg", "note", f"{path} is yours", "type /bg:bg <task>")


def test_a_shortcut_with_an_earlier_text(patient: Patient) -> None:
    path = patient.config / "commands" / "bg.md"
    path.parent.mkdir()
    path.write_text(f"{launch_command.MARK}\nearlier")
    only(patient, "/bg", "note", "has an earlier text", "--write$")


def settings(patient: Patient, name: str, **values: Any) -> Path:
    """A settings file of the host: the user's, or one of the project's."""
    folder = patient.config if name == "user" else patient.project / ".claude"
    folder.mkdir(exist_ok=True)
    path = folder / ("settings.json" if name == "user" else name)
    path.write_text(json.dumps(values))
    return path


@pytest.mark.parametrize("name", ["settings.json", "settings.local.json"])
def test_disabled_in_the_project(name: str, patient: Patient) -> None:
    settings(patient, "user", enabledPlugins={"bg@bg": True})
    path = settings(patient, name, enabledPlugins={"bg@bg": False})
    only(patient, "plugin", "wrong", f"disabled in {path}$", f"take its line out of {path}$")
    settings(patient, "settings.local.json", enabledPlugins={"bg@bg": True})
    assert patient.findings() == []


@pytest.mark.parametrize(
    ("version", "remedy"),
    # Removing it deletes the tasks with it from 2.1.78 on, and is needed before that.
    [("2.1.38", f'^claude plugin marketplace remove bg, then claude plugin marketplace add "{ROOT}" and .* install bg@bg$'),
     ("2.1.197", f'^claude plugin marketplace add "{ROOT}"$')],
)  # fmt: skip
def test_a_marketplace_whose_folder_has_moved(version: str, remedy: str, patient: Patient) -> None:
    patient.program("claude", f"[ \"$1\" = plugin ] || echo '{version} (Claude Code)'")
    gone = patient.root / "gone"
    source = {"source": "directory", "path": str(gone)}
    known = patient.config / "plugins" / "known_marketplaces.json"
    known.write_text(json.dumps({"bg": {"source": source, "installLocation": str(gone)}}))
    only(patient, "plugin", "wrong", f"the marketplace bg was the folder {gone}, which is gone", remedy)
    gone.mkdir()
    assert patient.findings() == []


def test_what_the_host_says_of_its_plugins(patient: Patient) -> None:
    listed = [{"id": "bg@bg", "errors": ["Hook load failed: JSON Parse error"]}, {"id": "x@y", "errors": ["other"]}]
    answer = json.dumps(listed)
    patient.program("claude", f"[ \"$1\" = plugin ] && echo '{answer}' || echo '2.1.197 (Claude Code)'")
    only(patient, "plugin", "wrong", "Claude Code says of bg@bg: Hook load failed", "claude plugin update bg@bg")


def broken_copy(patient: Patient, name: str, change: Callable[[str], str]) -> Path:
    """A copy of the plugin with one file changed; its bgctl."""
    copy = patient.root / "copy"
    for part in ("scripts", "hooks", "commands", ".claude-plugin"):
        shutil.copytree(ROOT / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    path = copy / name
    path.write_text(change(path.read_text()))
    return copy / "scripts" / "bgctl"


def test_a_syntax_error_in_what_only_the_hooks_load(patient: Patient) -> None:
    """The doctor itself can be loaded: it fires a hook, which says where the fault is."""
    bgctl = broken_copy(patient, "scripts/bg/loop/turns.py", lambda text: text + "\ndef broken(:\n")
    done = subprocess.run(
        [sys.executable, str(bgctl), "doctor", "--json"],
        env=patient.env, cwd=patient.project, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    bad = [item for item in json.loads(done.stdout) if item["state"] != "ok"]
    assert ["trial"] == [item["subject"] for item in bad]
    assert re.search("SyntaxError.*turns.py", bad[0]["found"]), bad
    assert "install it again" in bad[0]["remedy"]
    assert done.returncode == 1


def test_a_syntax_error_in_what_the_doctor_loads_too(patient: Patient) -> None:
    bgctl = broken_copy(patient, "scripts/bg/ledger/tasks.py", lambda text: text + "\ndef broken(:\n")
    done = subprocess.run(
        [sys.executable, str(bgctl), "doctor"],
        env=patient.env, cwd=patient.project, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    assert re.fullmatch(
        r"bgctl: this copy of bg is broken: .*tasks\.py, line \d+.*\nremedy: claude plugin update bg@bg, .*\n",
        done.stderr,
    ), done.stderr


def test_a_machine_whose_only_python_is_too_old(patient: Patient) -> None:
    """Nothing is noted yet: hooks/run looks by itself, and says what it found."""
    (patient.data / "python").unlink()
    finder = "echo 'bg needs Python 3.9 or newer; found 3.8 at /usr/bin/python3'; exit 1"
    bgctl = broken_copy(patient, "hooks/find-python", lambda _: f"#!/bin/sh\n{finder}\n")
    done = subprocess.run(
        [sys.executable, str(bgctl), "doctor", "--json"],
        env=patient.env, cwd=patient.project, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    [bad] = [item for item in json.loads(done.stdout) if item["subject"] == "trial"]
    assert bad["state"] == "wrong"
    assert "found 3.8 at /usr/bin/python3" in bad["found"]
    assert bad["remedy"].startswith("install Python 3.9 or newer")


def test_settings_that_are_no_json(patient: Patient) -> None:
    path = settings(patient, "settings.json")
    path.write_text('{"enabledPlugins": {"bg@bg": true},\n}')
    only(patient, "settings", "wrong", f"{path} is not JSON, so .*line 2", "correct that line")


def test_a_folder_where_the_ledger_should_be(patient: Patient) -> None:
    path = patient.data / "ledger.db"
    path.mkdir()
    only(patient, "ledger", "wrong", f"{path} is a folder", f'^mv "{path}" ')


def test_a_truncated_ledger(patient: Patient) -> None:
    Ledger(patient.data).close()
    path = patient.data / "ledger.db"
    for left in patient.data.glob("ledger.db-*"):
        left.unlink()
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    only(patient, "ledger", "wrong", f"{path} is damaged: ", "the next hook keeps it aside")


@pytest.mark.parametrize(
    ("rule", "means"),
    [("Agent", "no agent can be"), ("Task", "no agent"), ("Agent(bg:worker)", "no agent"), ("SendMessage", "no agent"),
     ("Skill", "the commands"), ("Skill(bg:bg)", "the commands"), ("Skill(bg:*)", "the commands")],
)  # fmt: skip
def test_a_permission_that_denies_what_bg_needs(rule: str, means: str, patient: Patient) -> None:
    path = settings(patient, "user", permissions={"deny": ["WebFetch", rule]})
    only(patient, "permissions", "wrong", f"{re.escape(f'{path} denies {rule}')}: {means}", "permissions.deny")


@pytest.mark.parametrize("rule", ["Agent(Explore)", "Bash(rm:*)", "Skill(other:thing)", "Skill(bgx)"])
def test_a_permission_that_denies_something_else(rule: str, patient: Patient) -> None:
    settings(patient, "user", permissions={"deny": [rule]})
    assert patient.findings() == []


def test_bg_data_in_the_hosts_settings_only(patient: Patient) -> None:
    path = settings(patient, "user", env={"BG_DATA": "/somewhere"})
    only(
        patient,
        "BG_DATA",
        "wrong",
        f"{path} gives the hooks BG_DATA=/somewhere; here it is not set",
        "^export BG_DATA=",
    )


def test_bg_data_in_this_shell_only(patient: Patient) -> None:
    patient.env["BG_DATA"] = str(patient.data)
    only(patient, "BG_DATA", "note", "in this shell", f'put it into "env" in {patient.config}/settings.json')
    settings(patient, "user", env={"BG_DATA": str(patient.data)})
    assert patient.findings() == []


def test_a_setting_that_does_not_exist(patient: Patient) -> None:
    (patient.config / "bg.json").write_text('{\n  "gates": "on"\n}')
    only(patient, "bg.json", "wrong", r"bg\.json:2: .*gates", "correct that line")


def test_a_settings_file_of_ours_that_is_no_json(patient: Patient) -> None:
    (patient.config / "bg.json").write_text('{"gate": on}')
    only(patient, "bg.json", "wrong", r"bg\.json", "correct that line")


@pytest.mark.parametrize("version", ["2.1.7", "2.1.197", "2.1.327"])
def test_the_hook_answers_it_without_a_request(version: str, drive: Drive, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    monkeypatch.setenv("CLAUDE_PLUGIN_ROOT", str(ROOT))
    said = drive.prompt("/bg-status doctor")
    assert said["decision"] == "block"
    assert f"ok Claude Code {version}; answers go to the same agent" in plain(said["reason"])
    assert "hooks" in said["reason"]
    assert ("has a /bg of its own" in said["reason"]) is (version == "2.1.327")
    assert drive.rows("SELECT * FROM errors") == []
