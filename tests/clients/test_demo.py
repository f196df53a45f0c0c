"""The demo on the newest client: it shows the loop, and it fails where the plugin does not carry it."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from rig import clients

ROOT = Path(__file__).resolve().parents[2]
NEWEST = clients.newest()


def demo(plugin: Path, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The demo of a package as a user starts it, without a terminal."""
    command = [sys.executable, str(plugin / "scripts" / "demo"), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "BG_DATA"} | env
    environment.pop("CLAUDE_CONFIG_DIR", None)
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)


@pytest.mark.versions(NEWEST)
def test_the_demo_shows_the_whole_loop(host, packaged):
    shown = demo(packaged, "--version", host, "--full", COLUMNS="80")
    assert (0, "") == (shown.returncode, shown.stderr), shown.stdout
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80
    assert "\033" not in shown.stdout
    for line in (
        "You           /bg:bg Audit the authentication code",
        "  hook        UserPromptSubmit tells Claude:",
        "              | [from the bg plugin, not from the user] label: bg-1",
        "  hook        PreToolUse:Agent puts ",
        "  you see     bg-1 asks: “Should I fix",
        "You           /bg-status",
        "UserPromptSubmit answers by itself; the model is not asked:",
        "              | ## CLARIFICATION RESPONSE",
        "              | A1: Only report. Change no code.",
        "agent bg-1    calls Write: AUTH-AUDIT.md",
        "  seen      resume: the same agent went on with both answers",
        "  seen      refuted: a file that nobody wrote was claimed",
        "  seen      end: 0 hook errors",
        "  you see     bg-1 done ✓ “Both files in auth/ are read.",
    ):
        assert line in shown.stdout, shown.stdout
    assert "NOT SEEN" not in shown.stdout


@pytest.mark.versions(NEWEST)
def test_without_full_it_is_a_page_of_what_a_user_sees(host, packaged):
    shown = demo(packaged, "--version", host, COLUMNS="80")
    assert (0, "") == (shown.returncode, shown.stderr), shown.stdout
    lines = shown.stdout.splitlines()
    assert len(lines) <= 30
    assert max(len(line) for line in lines) <= 80
    for line in (
        f"Claude Code {clients.running(host)}, the real client",
        "You           /bg:bg Audit the authentication code",
        "agent bg-1    ends its run with two questions",
        "  you see     bg-1 asks: “Should I fix",
        "  hook        sends it back: “wrote auth/THREATS.md” — there is no such file",
        "agent bg-1    ends its run once more",
        "  you see     bg-1 done ✓ “Both files in auth/ are read.",
        "13 of 13 steps were seen",
    ):
        assert line in shown.stdout, shown.stdout


@pytest.mark.versions(NEWEST)
def test_the_demo_fails_without_the_plugins_hooks(host, tmp_path, packaged):
    plugin = tmp_path / "plugin"
    for name in (".claude-plugin", "commands", "hooks", "scripts"):
        shutil.copytree(packaged / name, plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
    (plugin / "hooks" / "hooks.json").write_text(json.dumps({"hooks": {}}), encoding="utf-8")
    shown = demo(packaged, "--version", host, "--plugin", str(plugin))
    assert 1 == shown.returncode, shown.stdout
    assert "NOT SEEN  launch: no label reached Claude" in shown.stdout
    assert "The loop is broken: " in shown.stdout


def tools(folder: Path, *names: str) -> str:
    """A folder for PATH that holds these programs only."""
    folder.mkdir()
    for name in names:
        (folder / name).symlink_to(str(shutil.which(name)))
    return str(folder)


HOOKS_NEED = ("sh", "cat", "dd", "tr", "mkdir", "mv", "rm")


def complete(shown: subprocess.CompletedProcess[str]) -> bool:
    """Every step was seen."""
    assert (0, "") == (shown.returncode, shown.stderr), shown.stdout + shown.stderr
    assert "NOT SEEN" not in shown.stdout
    assert shown.stdout.count("  seen      ") == 13
    return True


def test_without_a_client_the_recorded_events_go_through_the_real_hooks(tmp_path, packaged):
    path = tools(tmp_path / "bin", *HOOKS_NEED)
    shown = demo(packaged, "--full", BG_HOSTS=str(tmp_path / "hosts"), PATH=path, COLUMNS="80")
    assert complete(shown)
    assert "No Claude Code to run: " in shown.stdout
    assert "npm is not on PATH" in " ".join(shown.stdout.split())
    assert "Claude Code itself is not run: the plugin's real hooks get events" in shown.stdout
    assert "  → /bg-answer bg-1 Q1: <answer>\n" in shown.stdout
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80
    assert "auth/THREATS.md" in shown.stdout


def test_a_closed_registry_is_named_and_the_recorded_events_are_played(tmp_path, packaged):
    if not shutil.which("npm"):
        pytest.skip("there is no npm to ask")
    began = time.monotonic()
    path = tools(tmp_path / "bin", *HOOKS_NEED, "npm", "node")
    shown = demo(
        packaged, "--full", BG_HOSTS=str(tmp_path / "hosts"), PATH=path, npm_config_registry="http://127.0.0.1:9/"
    )
    assert complete(shown)
    assert "the registry 127.0.0.1:9 refuses the connection" in " ".join(shown.stdout.split())
    assert time.monotonic() - began < 60


def test_the_recorded_demo_fails_without_the_plugins_hooks(tmp_path, packaged):
    plugin = tmp_path / "plugin"
    for name in ("hooks", "scripts"):
        shutil.copytree(packaged / name, plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
    (plugin / "hooks" / "run").write_text("exit 0\n", encoding="utf-8")
    shown = demo(packaged, "--recorded", "--plugin", str(plugin))
    assert 1 == shown.returncode, shown.stdout
    assert "NOT SEEN  launch: no label reached Claude" in shown.stdout


@pytest.mark.versions(NEWEST)
def test_the_claude_on_path_is_taken_where_the_loop_is_held_on_it(host, tmp_path, packaged):
    program = clients.entry(host)
    assert len(program) == 1
    path = tools(tmp_path / "bin", *HOOKS_NEED)
    (tmp_path / "bin" / "claude").symlink_to(program[0])
    shown = demo(packaged, "--full", BG_HOSTS=str(tmp_path / "hosts"), PATH=f"{path}:/usr/bin:/bin")
    assert complete(shown)
    assert f"The claude on your PATH is {host}" in shown.stdout
    assert "the real client, with the bg plugin" in shown.stdout


CANNOT = {
    "2.1.7": ["wake Claude with -p", "show the plugin's screens with -p"],
    "2.1.100": ["wake an ended agent: a new agent went on", "show the plugin's screens with -p"],
    "2.1.197": [],
    NEWEST: [],
}


@pytest.fixture
def plugin(tmp_path, packaged):
    """A copy of the package; what bgctl runs from, Python adds its own files to."""
    return shutil.copytree(packaged, tmp_path / "plugin")


def tried(plugin: Path, path: str) -> subprocess.CompletedProcess[str]:
    """`bgctl doctor --try` with a home of its own."""
    home = plugin.with_name("home")
    home.mkdir()
    command = [sys.executable, str(plugin / "scripts" / "bgctl"), "doctor", "--try"]
    env = {"HOME": str(home), "PATH": path, "COLUMNS": "80"}
    shown = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=env, cwd=home)
    assert not list(home.iterdir())
    return shown


def with_client(host: str, folder: Path) -> str:
    """A PATH whose `claude` is this one."""
    path = tools(folder / "bin", *HOOKS_NEED)
    program = folder / "bin" / "claude"
    program.write_text(f'#!/bin/sh\nexec {shlex.join(clients.entry(host))} "$@"\n')
    program.chmod(0o755)
    return f"{path}:{Path(shutil.which('node') or '/usr/bin/node').parent}:/usr/bin:/bin"


@pytest.mark.versions(*CANNOT)
def test_the_doctor_plays_the_loop_on_the_users_own_client(host, tmp_path, plugin):
    shown = tried(plugin, with_client(host, tmp_path))
    assert (0, "") == (shown.returncode, shown.stderr), shown.stdout
    assert "reminder: 2 of 2 questions reached Claude, in the agent's words\n" in shown.stdout
    assert "report: the completion reached Claude; the task is done\n" in shown.stdout
    limits = [line.split(maxsplit=1)[1] for line in shown.stdout.splitlines() if line.startswith("  cannot ")]
    assert len(CANNOT[host]) == len(limits), shown.stdout
    assert all(limit.startswith(begin) for begin, limit in zip(CANNOT[host], limits)), shown.stdout
    last = f"The loop works on Claude Code {host}: launch, question, answer and report."
    assert last == shown.stdout.splitlines()[-1]


@pytest.mark.versions(NEWEST)
def test_the_doctor_says_that_the_loop_is_broken_where_it_is(host, tmp_path, plugin):
    (plugin / "hooks" / "hooks.json").write_text(json.dumps({"hooks": {}}), encoding="utf-8")
    shown = tried(plugin, with_client(host, tmp_path))
    assert 1 == shown.returncode, shown.stdout + shown.stderr
    assert "NOT SEEN  launch: no label reached Claude" in shown.stdout
    last = " ".join(shown.stdout.rpartition("\n\n")[2].split())
    assert re.fullmatch(rf"The loop is broken on Claude Code {re.escape(host)}: launch, .* not seen\.", last)


def test_without_a_client_the_doctor_has_nothing_to_try(tmp_path, plugin):
    shown = tried(plugin, str(tmp_path))
    assert (2, "") == (shown.returncode, shown.stdout)
    assert "no `claude` on PATH tells its version" in shown.stderr


def test_the_demo_says_what_it_needs(tmp_path, packaged):
    nothing = demo(packaged, "--version", NEWEST, BG_HOSTS=str(tmp_path), PATH="")
    assert 2 == nothing.returncode
    assert "npm is not on PATH" in nothing.stderr
    live = demo(packaged, "--live", PATH=str(tmp_path))
    assert 2 == live.returncode
    assert "there is no `claude` on PATH" in live.stderr
