"""How much users get. Nothing here grows unless one of these numbers is changed, where everybody can see it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from bg.host import versions
from bg.loop import adopting
from bg.words.texts import fill
from drive import block
from generations import NEWEST
from rig import clients, package, tree
from rig.home import Home

#: The package. The goal is 200 files and 1,000,000 bytes; scripts/bg alone has 219 files.
FILES = 273
BYTES = 2_055_000
#: What the plugin adds to every session, by Claude Code's own estimate.
ALWAYS_ON_TOKENS = 298
#: What is added to an agent's task.
AGENT_CONTEXT = 4_430
#: What the plugin shows of a task that asks nothing and does what it says.
TASK_LINES = 1


def test_the_package_has_not_grown(packaged, tell):
    sizes = [path.stat().st_size for path in packaged.rglob("*") if path.is_file()]
    whole = [(package.ROOT / name).lstat().st_size for name in tree.files(package.ROOT)]
    tell(f"repository: {package.size_of(whole)}")
    tell(f"package: {package.size_of(sizes)}")
    assert len(sizes) <= FILES
    assert sum(sizes) <= BYTES
    assert (len(sizes) > FILES - 10, sum(sizes) > BYTES - 50_000) == (True, True), "it has shrunk: lower the numbers"


@pytest.mark.versions(NEWEST)
def test_what_every_session_carries_has_not_grown(host: str, packaged: Path, tell: Any) -> None:
    with Home("http://127.0.0.1:9") as home:
        command = [*clients.entry(host), "--plugin-dir", str(packaged), "plugin", "details", "bg"]
        done = subprocess.run(command, env=home.env(), cwd=home.project, capture_output=True, text=True, timeout=90)
    [tokens] = re.findall(r"Always-on: +~(\d+) tok", done.stdout)
    tell(f"{tokens} tokens in every session")
    assert int(tokens) <= ALWAYS_ON_TOKENS


def test_what_an_agent_is_told_beside_its_task_has_not_grown(tell):
    """With names as long as they come."""
    token, path = "bg-1000-klmnopqrst", f"/home/somebody/{'folder/' * 15}{'0' * 36}.jsonl"
    hosts = [versions.host_of(clients.numbers(version)) for version in clients.VERSIONS]
    told = [
        adopting.identity(token, path, host, label="bg-1000", description="word " * 30, handback=host.has_handback)
        for host in hosts
    ]
    most = max(map(len, told)) + len(fill("contract", agent_id=token))
    tell(f"{most} characters in an agent's context")
    assert most <= AGENT_CONTEXT


def test_what_a_plain_task_prints_has_not_grown(drive, tell):
    said = [drive.prompt("/bg Audit")]
    token = drive.launch("Audit", "a1", description="bg-1: audit")
    said += [
        drive.started,
        drive.ends("a1", block("COMPLETION_REPORT", token, status="success")),
        drive.announced("a1"),
        drive.stop(),
    ]
    lines = [line for each in said for line in str(each.get("systemMessage", "")).splitlines()]
    tell("\n  ".join(lines))
    assert len(lines) == TASK_LINES
