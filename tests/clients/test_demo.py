"""The demo on the newest client: it shows the loop, and it fails where the plugin does not carry it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEWEST = "2.1.327"


def demo(*arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    """The demo as a user starts it, without a terminal."""
    command = [sys.executable, str(ROOT / "scripts" / "demo"), *arguments]
    environment = {key: value for key, value in os.environ.items() if key != "BG_DATA"} | env
    environment.pop("CLAUDE_CONFIG_DIR", None)
    return subprocess.run(command, capture_output=True, text=True, timeout=240, check=False, env=environment)


@pytest.mark.versions(NEWEST)
def test_the_demo_shows_the_whole_loop(host):
    shown = demo("--version", host, COLUMNS="80")
    assert (0, "") == (shown.returncode, shown.stderr), shown.stdout
    assert max(len(line) for line in shown.stdout.splitlines()) <= 80
    assert "\033" not in shown.stdout
    for line in (
        "You           /bg:bg Audit the authentication code",
        "  hook        UserPromptSubmit tells Claude:",
        "              | [from the bg plugin, not from the user] label: bg-1",
        "  hook        PreToolUse:Agent puts ",
        "  you see     bg-1 started: audit the authentication code",
        "  you see     bg-1 asks 2 questions",
        "You           /bg-status",
        "UserPromptSubmit answers by itself; the model is not asked:",
        "              | ## CLARIFICATION RESPONSE",
        "              | A1: Only report. Change no code.",
        "agent bg-1    calls Write: AUTH-AUDIT.md",
        "  seen      resume: the same agent went on with both answers",
        "  seen      end: 0 hook errors",
    ):
        assert line in shown.stdout, shown.stdout
    assert "NOT SEEN" not in shown.stdout


@pytest.mark.versions(NEWEST)
def test_the_demo_fails_without_the_plugins_hooks(host, tmp_path):
    plugin = tmp_path / "plugin"
    for name in (".claude-plugin", "commands", "hooks", "scripts"):
        shutil.copytree(ROOT / name, plugin / name, ignore=shutil.ignore_patterns("__pycache__"))
    (plugin / "hooks" / "hooks.json").write_text(json.dumps({"hooks": {}}), encoding="utf-8")
    shown = demo("--version", host, "--plugin", str(plugin))
    assert 1 == shown.returncode, shown.stdout
    assert "NOT SEEN  launch: no label reached Claude" in shown.stdout
    assert "The loop is broken: " in shown.stdout


def test_the_demo_says_what_it_needs(tmp_path):
    nothing = demo(BG_HOSTS=str(tmp_path), PATH="")
    assert 2 == nothing.returncode
    assert "npm is not on PATH" in nothing.stderr
    live = demo("--live", PATH=str(tmp_path))
    assert 2 == live.returncode
    assert "there is no `claude` on PATH" in live.stderr
