"""What the host's own views call an agent that was woken: they go by the description of the last call."""

from __future__ import annotations

from pathlib import Path

from drive import Drive, block
from recordings import recorded


def test_a_woken_agent_keeps_its_label_and_its_task(tmp_path: Path) -> None:
    """Seen on 2.1.7: `Agent "go on" completed`, as the parent had called the resume."""
    drive = Drive("2.1.7", tmp_path)
    drive.prompt("/bg Audit the code")
    token = drive.launch("Audit", "a1", "bg-1: audit the auth code")
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    drive.prompt("/bg-answer bg-1 Q1: CSV Q2: no")
    before = recorded("2.1.7", "resume", "PreToolUse", "Task")
    given = {**before["tool_input"], "resume": "a1", "description": "go on", "prompt": "Go on."}
    said = drive.send(before, tool_use_id="r1", tool_input=given)
    assert "bg-1: audit the auth code" == said["hookSpecificOutput"]["updatedInput"]["description"]
