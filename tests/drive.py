"""Drives the handlers with payloads recorded from the real hosts, changed only where the case needs its own words."""

from __future__ import annotations

import io
import json
import os
import re
import time
from pathlib import Path
from typing import Any, Optional

from answers import check_answer
from bg import hook
from bg.ledger.file import Ledger
from bg.ledger.place import config_directory, directory
from bg.protocol import signals
from recordings import recorded
from rig import conversation


class Drive:
    """One session on one host version: sends events, keeps the answers."""

    def __init__(self, version: str, tmp_path: Path) -> None:
        self.version = version
        self.scene = "background"
        self.folder = tmp_path
        self.spawn = "Task" if version in ("2.1.7", "2.1.38") else "Agent"
        self.session = recorded(version, self.scene, "UserPromptSubmit")["session_id"]
        # Where the host keeps it, by the folder of the test.
        projects = Path(config_directory()) / "projects"
        self.transcript = projects / re.sub(r"\W", "-", str(tmp_path)) / f"{self.session}.jsonl"
        self.transcript.parent.mkdir(parents=True)
        self.transcript.write_text(json.dumps({"type": "user", "version": version, "cwd": str(tmp_path)}) + "\n")
        self.calls = 0
        self.writes = True  # as every host does at once, unless it asks hooks about several messages first
        self.delivers = True  # what a message that wakes an agent says
        self.unwritten: list[tuple[dict[str, Any], dict[str, Any]]] = []
        self.clock, self.chance = time.time, os.urandom

    def send(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        """One event through the handlers, in this process; the answer has the shape that the host takes."""
        whole = {
            **payload,
            "session_id": self.session,
            "transcript_path": str(self.transcript),
            "cwd": str(self.folder),
            **changes,
        }
        response = whole.get("tool_response")
        woken = response.get("resumedAgentId") if isinstance(response, dict) else None
        agent = self.transcript.with_suffix("") / "subagents" / f"agent-{woken}.jsonl"
        if self.delivers:
            conversation.told(agent, self.version, whole)
        out = io.StringIO()
        assert hook.main(io.StringIO(json.dumps(whole)), out, clock=self.clock, chance=self.chance) == 0
        said = check_answer(whole["hook_event_name"], out.getvalue()) or {}
        if self.writes:
            self._record(whole, said)
        else:
            self.unwritten.append((whole, said))
        return said

    def write_down(self, *, blocked: bool = False) -> None:
        """From now on, the transcript has what was held back: as the hooks answered it, or blocked by another's hook."""
        for whole, said in self.unwritten:
            self._record(whole, {"decision": "block"} if blocked else said)
        self.unwritten, self.writes = [], True

    def _record(self, whole: dict[str, Any], said: dict[str, Any]) -> None:
        attended = os.environ.get("CLAUDE_CODE_ENTRYPOINT") == "cli"
        conversation.write(self.transcript, self.version, whole, said, attended=attended, at=self.clock())

    def advance(self, seconds: float) -> None:
        """From now on the hooks' clock is ahead by so much, behind where that is negative."""
        now = self.clock
        self.clock = lambda: now() + seconds

    def prompt(self, words: str, turn: str = "") -> dict[str, Any]:
        """A prompt; in the turn with that id, on the hosts that give one."""
        payload = recorded(self.version, self.scene, "UserPromptSubmit")
        return self.send(payload, prompt=words, **({"prompt_id": turn} if turn and "prompt_id" in payload else {}))

    def launch(self, words: str, agent: str, description: str = "audit", **extra: Any) -> Optional[str]:
        """The parent launches an agent and the host starts it; the token that the agent was given, if it is ours."""
        self.calls += 1
        call = f"toolu_{self.calls:04d}"
        before = recorded(self.version, self.scene, "PreToolUse", self.spawn)
        given = {**before["tool_input"], "description": description, "prompt": words, **extra}
        self.calls_made((call, given))
        said = self.send(before, tool_use_id=call, tool_input=given)
        taken = said.get("hookSpecificOutput", {}).get("updatedInput", given)
        after = recorded(self.version, self.scene, "PostToolUse", self.spawn)
        self.started = self.send(
            after,
            tool_use_id=call,
            tool_input=taken,
            tool_response={**after["tool_response"], "agentId": agent, "prompt": taken["prompt"]},
        )
        self.taken = taken
        found = re.search(r"You are (bg-\d+-[a-z2-7]{10})", taken["prompt"])
        return found[1] if found else None

    def calls_made(self, *calls: tuple[str, dict[str, Any]]) -> None:
        """The launches of one message."""
        conversation.called(self.transcript, self.spawn, *calls)

    def transcript_of(self, agent: str, text: str) -> Path:
        """The agent's own transcript, as this host writes it, with this as its last words."""
        folder = self.transcript.with_suffix("") / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"agent-{agent}.jsonl"
        line = {
            "type": "assistant",
            "uuid": f"u-{path.stat().st_size if path.exists() else 0}",
            "cwd": str(self.folder),
            "version": self.version,
            "message": {"role": "assistant", "stop_reason": "end_turn", "content": [{"type": "text", "text": text}]},
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")
        return path

    def moves(self, session: str, *running: str, records: bool = True) -> None:
        """The host moves the session into the background, under this id, with the agents that run; see `continued`."""
        old = self.transcript
        if records:
            self.continued(old, session)
        self.session, self.transcript = session, old.with_name(f"{session}.jsonl")
        folder = self.transcript.with_suffix("") / "subagents"
        folder.mkdir(parents=True)
        for agent in running:
            (folder / f"agent-{agent}.jsonl").symlink_to(old.with_suffix("") / "subagents" / f"agent-{agent}.jsonl")

    @staticmethod
    def continued(transcript: Path, session: str) -> None:
        """The host writes down which session goes on with this one."""
        record = {"type": "continued-in", "sessionId": transcript.stem, "continuedInSessionId": session}
        with transcript.open("a", encoding="utf-8") as file:
            file.write(json.dumps(record) + "\n")

    def ends(self, agent: str, text: str, **changes: Any) -> dict[str, Any]:
        """The agent's run ends with this text."""
        payload = recorded(self.version, self.scene, "SubagentStop")
        path = self.transcript_of(agent, text)
        words = {"last_assistant_message": text} if "last_assistant_message" in payload else {}
        return self.send(payload, agent_id=agent, agent_transcript_path=str(path), **words, **changes)

    def announced(
        self, agent: str, status: str = "completed", result: str = "…", summary: str = "finished", turn: str = ""
    ) -> dict[str, Any]:
        """The host tells the parent that the agent has ended."""
        return self.prompt(
            f"<task-notification>\n<task-id>{agent}</task-id>\n<status>{status}</status>\n"
            f'<summary>Agent "audit" {summary}</summary>'
            f"\n<result>{result}</result>\n</task-notification>",
            turn,
        )

    def stop(self, **changes: Any) -> dict[str, Any]:
        """The parent's turn ends; the hosts that say so list the agents that still run."""
        payload = recorded(self.version, self.scene, "Stop")
        if payload.get("background_tasks"):
            like = payload["background_tasks"][0]
            live = self.rows("SELECT agent FROM runs WHERE ended IS NULL")
            payload["background_tasks"] = [{**like, "id": row["agent"]} for row in live]
        return self.send(payload, **changes)

    @staticmethod
    def ledger() -> Ledger:
        return Ledger(directory(), create=False)

    def state(self, label: str = "bg-1") -> str:
        """How the ledger says that a task stands."""
        [row] = self.rows("SELECT state FROM tasks WHERE label = ?", label)
        return str(row["state"])

    def rows(self, sql: str, *values: Any) -> list[dict[str, Any]]:
        book = self.ledger()
        try:
            return [dict(row) for row in book.all(sql, *values)]
        finally:
            book.close()


#: A report that claims nothing of the disk, for the cases that are about something else.
PLAIN = {
    "deliverables": "The answer in the summary",
    "summary": "The login has no rate limit.",
    "metrics_achieved": "The question is answered",
    "issues_encountered": "None",
    "recommendations": "None",
}


def stamp(moment: float) -> str:
    """A moment as the host writes it."""
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(moment)) + f".{int(moment % 1 * 1000):03d}Z"


def block(marker: str, token: Optional[str], **fields: Any) -> str:
    """A valid block of this signal, signed with the token."""
    plain = PLAIN if marker == "COMPLETION_REPORT" else {}
    given = {**signals.schema(marker)["examples"][0], **plain, **fields, "agent_id": token}
    return f"Notes.\n\n{signals.render(marker, given)}"


def context(said: dict[str, Any]) -> str:
    return str(said.get("hookSpecificOutput", {}).get("additionalContext", ""))


def plain(text: str) -> str:
    """What a person reads of a page: without colour, and each gap one space."""
    return " ".join(re.sub(r"\x1b\[[0-9;]*m", "", text).split())
