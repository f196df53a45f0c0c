"""The pages in docs/: short, every link leads somewhere, every command that they tell is one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bg import settings
from bg.desk import cli
from bg.host.event import typed_command

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "docs").glob("*.md"))


def test_there_are_pages_and_the_readme_leads_to_each():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(PAGES) >= 7
    for page in PAGES:
        assert f"docs/{page.name}" in readme


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_is_short_and_names_only_what_there_is(page):
    text = page.read_text(encoding="utf-8")
    # To be read in one go; the table of requirements is there to look things up in.
    assert len(text.splitlines()) < (60 if page.stem != "requirements" else 200)
    assert text.startswith("# ")
    for target in re.findall(r"\]\(([^)#\s]+)", text):
        assert target.startswith("http") or (page.parent / target).exists(), target
    for name in re.findall(r"bgctl\"? ([a-z-]+)", text):
        assert name in cli.COMMANDS, name
    for script in re.findall(r"(?<![\w/])scripts/([a-z]+)(?= |`|$)", text, re.MULTILINE):
        assert (ROOT / "scripts" / script).is_file(), script
    for typed in re.findall(r"(?:^|`)(/bg[\w:-]*)", text, re.MULTILINE):
        assert typed_command(typed)[0], typed
    for key in re.findall(r'`"?(\w+)"?` in \[bg\.json\]', text):
        assert key in settings.schema()["properties"], key
