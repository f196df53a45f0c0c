"""A resume whose hooks are killed in every combination: what the agent reports next is told once, and nothing runs on."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from bg import durations
from drive import Drive, block, context
from recordings import recorded
from test_former_runs import hears

CALL = "toolu_woken"
STEPS = ("before", "after", "end", "stop", "announced")
ORDERS = (("before", "after", "end"), ("before", "end", "after"))
HOSTS = ("2.1.7", "2.1.327")


class Resume:
    """An agent that asked, was answered and is woken; `lost` names the hooks that leave nothing behind."""

    def __init__(self, version: str, folder: Path, lost: tuple[str, ...]) -> None:
        self.drive = Drive(version, folder)
        self.lost = lost
        self.heard: list[str] = []
        self.drive.prompt("/bg Audit")
        self.token = self.drive.launch("Audit", "a1")
        self.drive.ends("a1", block("CLARIFICATION_NEEDED", self.token))
        self.drive.stop()
        self.drive.prompt("/bg-answer Q1: one Q2: two")
        self.report = block("COMPLETION_REPORT", self.token, status="success", summary="The second word.")
        tool = "Task" if version == "2.1.7" else "SendMessage"
        self.call, self.answer = (recorded(version, "resume", name, tool) for name in ("PreToolUse", "PostToolUse"))
        whom = {"resume": "a1", "prompt": "Go on."} if tool == "Task" else {"to": "a1", "message": "Go on."}
        self.sent = {**self.call["tool_input"], **whom}

    def play(self, order: tuple[str, ...]) -> None:
        for step in (*order, "stop", "announced"):
            getattr(self, step)()
        self.lost = ()
        for _ in range(3):
            self.hear("plain", self.drive.prompt, "Anything new?")
            self.stop()

    def hear(self, step: str, event: Any, *given: Any, **changes: Any) -> dict[str, Any]:
        if step in self.lost:
            return {}
        said: dict[str, Any] = event(*given, **changes)
        self.heard.append(context(said) + str(said.get("reason", "")))
        return said

    def before(self) -> None:
        said = self.hear("before", self.drive.send, self.call, tool_use_id=CALL, tool_input=self.sent)
        self.sent = said.get("hookSpecificOutput", {}).get("updatedInput", self.sent)
        hears(self.drive, self.sent.get("message") or self.sent["prompt"])

    def after(self) -> None:
        named = {"resumedAgentId": "a1"} if self.drive.version != "2.1.7" else {"agentId": "a1"}
        response = {**self.answer["tool_response"], **named}
        self.hear("after", self.drive.send, self.answer, tool_use_id=CALL, tool_input=self.sent, tool_response=response)

    def end(self) -> None:
        if "end" in self.lost:
            self.drive.transcript_of("a1", self.report)
        self.hear("end", self.drive.ends, "a1", self.report)

    def stop(self) -> None:
        listed = {} if self.drive.version == "2.1.7" else {"background_tasks": []}
        self.hear("stop", self.drive.stop, **listed)

    def announced(self) -> None:
        named = f"<tool-use-id>{CALL}</tool-use-id>\n" if self.drive.version != "2.1.7" else ""
        self.hear(
            "announced",
            self.drive.prompt,
            f"<task-notification>\n<task-id>a1</task-id>\n{named}<status>completed</status>\n"
            f'<summary>Agent "audit" finished</summary>\n<result>{self.report}</result>\n</task-notification>',
        )


LOST = [
    lost
    for count in range(len(STEPS))
    for lost in itertools.combinations(STEPS, count)
    if not {"before", "after", "end", "announced"} <= set(lost)  # then no hook knows of the run
]


@pytest.mark.parametrize("order", ORDERS, ids="-".join)
@pytest.mark.parametrize("lost", LOST, ids=lambda lost: "+".join(lost) or "none")
@pytest.mark.parametrize("version", HOSTS)
def test_whatever_hooks_are_lost(
    version: str, lost: tuple[str, ...], order: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The parent hears the next report once, in a run of its own that ends."""
    monkeypatch.setattr(durations, "GRACE", 0.0)
    monkeypatch.setattr(durations, "SILENCE", 0.0)
    resume = Resume(version, tmp_path, lost)
    resume.play(order)
    told = [words for words in resume.heard if "reports success" in words]
    runs = resume.drive.rows("SELECT run, ended IS NOT NULL AS over FROM runs ORDER BY run")
    assert (len(told), runs) == (1, [{"run": 1, "over": 1}, {"run": 2, "over": 1}]), resume.heard
    assert resume.drive.rows("SELECT state FROM tasks") == [{"state": "done"}]
