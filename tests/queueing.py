"""One scene for several tests: the parent sends the user's answer to an agent that works."""

from __future__ import annotations

import json
from typing import Any

from drive import Drive, block, context
from recordings import recorded

SENT = "2026-11-19T10:00:00.000Z"
LATER = "2026-11-19T10:00:05.000Z"


class Asking:
    """An agent has asked during its run, the user has answered, and the parent sends the answer while it works."""

    def __init__(self, drive: Drive, host_says: str) -> None:
        self.drive = drive
        self.drive.prompt("/bg Audit the code")
        self.token = self.drive.launch("Audit it", "a1")
        asks = block("CLARIFICATION_NEEDED", self.token, questions="Q1: CSV or XLSX?")
        call = recorded(drive.version, "to-main", "PreToolUse", "SendMessage")
        self.drive.send(call, agent_id="a1", tool_input={"to": "main", "message": asks, "summary": "a question"})
        self.drive.prompt("/bg-answer bg-1 Q1: both of them")
        self.message = self.sends("s1", {"success": True, "message": host_says})
        self.drive.stop()

    def sends(self, call: str, response: dict[str, Any]) -> str:
        """The parent writes to the agent; the message as our hook has made it."""
        given = {"to": "a1", "message": "Here.", "summary": "answers"}
        before = recorded(self.drive.version, "send-running", "PreToolUse", "SendMessage")
        said = self.drive.send({**before, "agent_id": None}, tool_use_id=call, tool_input=given)
        taken = said.get("hookSpecificOutput", {}).get("updatedInput", given)
        after = recorded(self.drive.version, "send-running", "PostToolUse", "SendMessage")
        self.drive.writes = False
        self.drive.send({**after, "agent_id": None}, tool_use_id=call, tool_input=taken, tool_response=response)
        self.drive.unwritten, self.drive.writes = [], True
        spoken = {"type": "tool_use", "id": call, "name": "SendMessage", "input": given}
        result = {
            "type": "tool_result",
            "tool_use_id": call,
            "content": [{"type": "text", "text": json.dumps(response)}],
        }
        self.write(self.drive.transcript, {"type": "assistant", "message": {"content": [spoken]}})
        self.write(self.drive.transcript, {"type": "user", "timestamp": SENT, "message": {"content": [result]}})
        return str(taken["message"])

    @staticmethod
    def write(path: Any, record: dict[str, Any]) -> None:
        with path.open("a") as file:
            file.write(json.dumps(record) + "\n")

    @property
    def agent(self) -> Any:
        folder = self.drive.transcript.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / "agent-a1.jsonl"

    def has_a_round(self, moment: str = LATER) -> None:
        result = {"type": "tool_result", "tool_use_id": "b1", "content": "Done."}
        self.write(self.agent, {"type": "user", "timestamp": moment, "message": {"content": [result]}})

    def ends(self, **fields: Any) -> str:
        """The agent's run ends; what the parent is told."""
        self.drive.ends("a1", block("COMPLETION_REPORT", self.token, status="success", **fields))
        said = self.drive.announced("a1")
        self.notice = said.get("systemMessage", "")
        return context(said)

    def answers(self) -> list[tuple[bool, bool]]:
        """Of each answer, whether it has been sent, and whether its message is proven."""
        sql = "SELECT a.sent, r.proven FROM answers a LEFT JOIN resumes r ON r.id = a.resume"
        return [(bool(row["sent"]), bool(row["proven"])) for row in self.drive.rows(sql)]
