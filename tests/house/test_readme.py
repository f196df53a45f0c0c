"""The documents for people: every command in them exists, and everything that exists stands in them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from bg import settings
from bg.desk import cli
from rig import clients

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "docs").glob("*.md"))
DEVELOPING = (".github/CONTRIBUTING.md", ".github/DEVELOPING.md")
DOCUMENTS = ("README.md", "CHANGELOG.md", "SECURITY.md", *DEVELOPING, *PAGES)


def all_of(*names: str) -> str:
    """These documents, one after the other."""
    return "\n".join((ROOT / name).read_text(encoding="utf-8") for name in names)


def spans(text: str) -> list[str]:
    """Everything that is marked as code, in a line or in a block."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    rest = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()] + re.findall(r"`([^`\n]+)`", rest)


def named_paths(text: str) -> set[str]:
    """The paths of this repository that a document names as code or as a link."""
    found = {
        match
        for span in spans(text)
        for match in re.findall(r"(?<![\w./~-])((?:scripts|tests|hooks|commands|\.ci|\.github)/[\w./-]+)", span)
    }
    return found | set(re.findall(r"\]\(([^)#:]+)\)", text))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_every_path_that_is_named_exists(name):
    here = (ROOT / name).parent
    text = (ROOT / name).read_text(encoding="utf-8")
    wanted = {path.rstrip("/.") for path in named_paths(text) if "*" not in path}
    missing = {path for path in wanted if not (ROOT / path).exists() and not (here / path).exists()}
    assert missing == set()


@pytest.mark.parametrize("command", ["demo", "test", "bgctl", "generate"])
def test_every_script_that_is_named_can_be_started(command):
    assert f"scripts/{command}" in all_of("README.md", *DEVELOPING)
    assert os.access(ROOT / "scripts" / command, os.X_OK)


@pytest.mark.parametrize("command", ["demo", "bgctl"])
def test_every_option_that_is_named_is_known(command):
    helped = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / command), "--help"], capture_output=True, text=True, check=True
    ).stdout
    lines = [span for span in spans(all_of(*DOCUMENTS)) if span.startswith(f"scripts/{command} --")]
    assert lines or command == "bgctl"
    assert all(re.findall(r"--[\w-]+", line)[0] in helped for line in lines)


def test_every_subcommand_of_bgctl_is_documented_and_no_other():
    listed = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8").partition("## In a shell")[2]
    assert set(cli.COMMANDS) == {span.split()[1] for span in spans(listed) if span.startswith("scripts/bgctl ")}
    named = {span.split()[1] for span in spans(all_of(*DOCUMENTS)) if span.startswith("scripts/bgctl ")}
    assert set(cli.COMMANDS) == named


def test_every_command_of_the_plugin_is_documented_in_both_forms_and_no_other():
    named = {match for span in spans(README) for match in re.findall(r"(?<![\w.])/((?:bg:)?bg(?:-\w+)?)\b", span)}
    commands = {path.stem for path in (ROOT / "commands").glob("*.md")}
    assert commands | {f"bg:{name}" for name in commands} == named


def test_every_page_is_linked():
    pages = {f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")}
    assert pages
    assert pages <= named_paths(README)


def test_every_setting_that_is_named_exists():
    named = {key for span in spans(README) if span.startswith("{") for key in json.loads(span)}
    assert named
    assert named <= set(settings.schema()["properties"])


def test_every_supported_version_is_named_and_no_older_one_promised():
    assert all(version in all_of("docs/old-hosts.md") for version in clients.VERSIONS)
    assert f"Claude Code {next(iter(clients.VERSIONS))} or newer" in README


def test_the_newest_version_is_pinned_in_one_place():
    """What was seen on it may name it; what means the newest one takes it from there, or adding one is many lines."""
    newest = clients.newest()
    pin = re.compile(rf"""["']{re.escape(newest)}["']|\({newest.replace(".", ", ")}\)""")
    pinned = [
        path.relative_to(ROOT).as_posix()
        for folder in ("scripts", "tests", "hooks")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if pin.search(path.read_text(encoding="utf-8"))
    ]
    assert pinned == ["scripts/bg/host/drift.py"]
    assert newest not in all_of(*DEVELOPING)


def test_the_readme_is_read_in_five_minutes():
    assert len(README.split()) <= 1_200


def test_the_first_screen_holds_what_a_newcomer_needs():
    first = "\n".join(README.splitlines()[:55])
    for needed in (
        "❯ /bg:bg ",
        "docs/demo-dark.svg",
        "docs/demo-light.svg",
        "scripts/demo ",
        "claude plugin marketplace add",
        "claude plugin install bg@bg",
    ):
        assert needed in first


def test_the_changelog_keeps_a_standing_unreleased():
    lines = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
    assert "## [Unreleased]" == next(line for line in lines if line.startswith("## "))
    entries = [line for line in lines if line.startswith("- ")]
    assert entries
    assert all(line.endswith(".") and ". " not in line for line in entries)


def test_contributing_stays_short_and_its_rules_are_twelve():
    lines = (ROOT / ".github/CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert [f"{number}" for number in range(1, 13)] == [
        match for line in lines for match in re.findall(r"^(\d+)\. ", line)
    ]


def test_the_icon_is_a_square_png_of_the_size_that_the_directory_wants():
    data = (ROOT / ".claude-plugin" / "icon.png").read_bytes()
    assert b"\x89PNG\r\n\x1a\n" == data[:8]
    width, height = (int.from_bytes(data[start : start + 4], "big") for start in (16, 20))
    assert width == height
    assert 512 <= width <= 2048
    assert len(data) < 2_000_000


@pytest.mark.parametrize("name", DOCUMENTS)
def test_no_machine_path_and_no_decoration(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert re.findall(r"/(?:root|home|Users|tmp|work)/\S*", text) == []
    assert re.findall("[\U0001f300-\U0001faff\u2600-\u26ff\u2705\u274c]|img\\.shields", text) == []


#: What WGL4 has beside ASCII, of what the picture uses: nearly every font does.
COMMON_SIGNS = "\xa0·“”•…›←→√│└□─"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_the_picture_shows_a_dialog_an_outcome_and_a_dispute_in_signs_that_every_font_has(theme):
    drawn = (ROOT / "docs" / f"demo-{theme}.svg").read_text(encoding="utf-8")
    said = " ".join(re.findall(r">([^<\n]+)</text>", drawn))
    for words in ("Enter to select", "bg-1 (audit the authentication code) Q1:", "done √ “Both files", "disputed"):
        assert words in said
    assert sorted({sign for sign in said if not sign.isascii()} - set(COMMON_SIGNS)) == []
    assert "blocked by hook" not in said
