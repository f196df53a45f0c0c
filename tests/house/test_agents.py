"""The agents and the skill: what the host accepts in their frontmatter, and that their generated regions are fresh."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from bg.host import tools
from bg.protocol import signals
from bg.results import form
from rig import generated

yaml = pytest.importorskip("yaml")

ROOT = Path(__file__).parents[2]
AGENTS = sorted((ROOT / "agents").glob("*.md"))
SKILLS = sorted((ROOT / "skills").glob("*/SKILL.md"))
KEYS = {"agent": {"name", "description", "tools"}, "skill": {"name", "description"}}
KNOWN_TOOLS = frozenset(
    (
        "Read",
        "Grep",
        "Glob",
        "Bash",
        "Write",
        "Edit",
        "WebFetch",
        "WebSearch",
        *tools.SEARCH.names,
        *tools.MESSAGE.names,
    )
)


def front(path):
    _, matter, body = path.read_text(encoding="utf-8").split("---\n", 2)
    return yaml.safe_load(matter), body


def test_the_agents_are_the_workers_and_one_for_each_kind():
    assert {path.stem for path in AGENTS} == {"worker"} | {kind["agent"] for kind in form.KINDS.values()}
    assert [path.parent.name for path in SKILLS] == ["orchestrating"]


@pytest.mark.parametrize("path", AGENTS, ids=lambda path: path.stem)
def test_an_agents_frontmatter_has_only_known_keys_and_tools(path):
    matter, _ = front(path)
    assert {"name", "description"} <= set(matter) <= KEYS["agent"]
    assert matter["name"] == path.stem
    assert matter["description"].startswith("Use ")
    assert set(filter(None, matter.get("tools", "").split(", "))) <= KNOWN_TOOLS


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skills_frontmatter_and_length(path):
    matter, _ = front(path)
    assert set(matter) == KEYS["skill"]
    assert matter["name"] == path.parent.name
    assert matter["description"].startswith("Use when ")
    assert len(path.read_text(encoding="utf-8").split("\n")) < 120


@pytest.mark.parametrize("kind", form.KINDS)
def test_an_agents_generated_region_is_fresh_and_alone(kind):
    text = (ROOT / "agents" / f"{form.KINDS[kind]['agent']}.md").read_text(encoding="utf-8")
    assert generated.filled(text) == (text, [f"result-{kind}"])


@pytest.mark.parametrize("path", AGENTS + SKILLS, ids=str)
def test_no_protocol_text_and_no_shouting(path):
    text = path.read_text(encoding="utf-8")
    outside = text.split("<!-- begin")[0]
    assert not [marker for marker in signals.schemas() if marker in text]
    assert not {"MUST", "NEVER", "ALWAYS", "CRITICAL", "IMPORTANT"} & set(outside.split())
    assert all(ord(sign) < 0x2600 for sign in text)


def test_the_skill_holds_the_contracts_limits():
    text = SKILLS[0].read_text(encoding="utf-8")
    rows = ["| files | 3 |", "| lines per file | 200 |", "| lines in all | 300 |", "| time | 10 seconds |"]
    assert [row for row in rows if row not in text] == []
    assert [status for status in form.STATUSES if f"| {status} |" not in text] == []


@pytest.mark.parametrize("path", AGENTS, ids=lambda path: path.stem)
def test_an_agent_with_a_list_of_tools_can_find_and_call_the_one_for_messages(path):
    """Under every name that hosts have for them: a delegation that need not stop the agent goes that way."""
    listed = re.search(r"^tools: (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    if listed:
        assert {*tools.MESSAGE.names, *tools.SEARCH.names} <= set(listed[1].split(", "))
