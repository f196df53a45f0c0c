"""A stand-in for the client if there is none: it gives the real hooks the newest recorded events.

The words in the events are the demo's play; their shape, their order and every other field are those of a recorded
session. The speakers are the same script that plays Claude's part for a real client.
"""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any, Optional

from rig import clients
from rig.home import Home
from rig.request import Request
from rig.script import Reply, Script

VERSION = clients.newest()
#: The first payload of each event, and of each event with a tool, in one recorded scene; scripts/generate writes it.
EVENTS = Path(__file__).with_name("demo_events.json")
SPAWN, SEND, SEARCH = "Agent", "SendMessage", "ToolSearch"
_SCHEMAS = {SPAWN: ("description", "prompt", "subagent_type", "run_in_background"), "AskUserQuestion": (), SEARCH: ()}


class Ended:
    """In place of a process: it ends with the play."""

    def __init__(self) -> None:
        self.returncode: Optional[int] = None

    def poll(self) -> Optional[int]:
        """The exit status; None until the play has ended."""
        return self.returncode


class StandIn:
    """A client and its model in one: `requests` are those to the model, `events` those that a client would stream."""

    def __init__(self, home: Home, plugin: Path, script: Script, terminal: dict[str, str]) -> None:
        self.home, self.plugin, self.script, self._terminal = home, plugin, script, terminal
        self.events: list[dict[str, Any]] = []
        self.requests: list[Request] = []
        self.stderr = ""
        self.process = Ended()
        self._recorded = json.loads(EVENTS.read_text(encoding="utf-8"))
        self.session = str(self._recorded["Stop"]["session_id"])
        self.agent = str(self._recorded["SubagentStop"]["agent_id"])
        self.transcript = home.path / ".claude" / "projects" / "-project" / f"{self.session}.jsonl"
        self._agents_file = self.transcript.with_suffix("") / "subagents" / f"agent-{self.agent}.jsonl"
        self._said: dict[str, list[dict[str, Any]]] = {"parent": [], "agent": []}
        self._description = ""

    @property
    def results(self) -> list[dict[str, Any]]:
        """The events at the ends of the parent's turns."""
        return [event for event in self.events if event["type"] == "result"]

    def by(self, actor: str) -> list[Request]:
        """The requests that one actor answered."""
        return [request for request in self.requests if request.actor == actor]

    def finish(self) -> int:
        """Close the session."""
        self._hook("SessionEnd", reason="other")
        self.process.returncode = 0
        return 0

    def send(self, words: str) -> None:
        """Say something as the user, and play everything that follows from it."""
        self._turn(words)
        while self._woken:
            self._run_of_agent(self._woken.pop())

    # The parent

    _woken: list[str]

    def _turn(self, words: str, *, machine: bool = False) -> None:
        self._woken = [] if not machine else self._woken
        answer = self._hook("UserPromptSubmit", prompt=words)
        if answer.get("decision") == "block":
            self._stream({"type": "result"})
            return
        told = [words, *_added_by(answer)]
        self._said["parent"].append(_user_says("\n\n".join(told)))
        for _ in range(12):
            reply = self._ask("parent")
            if not _calls_in(reply):
                if not self._goes_on(reply):
                    break
                continue
            results = [self._parents_call(block) for block in _calls_in(reply)]
            self._said["parent"].append({"role": "user", "content": results})
        self._stream({"type": "result"})

    def _goes_on(self, reply: Reply) -> bool:
        """Whether a hook at Stop adds words that keep the turn going."""
        answer = self._hook("Stop", last_assistant_message=_text_of(reply), background_tasks=self._running())
        more = _added_by(answer)
        if more:
            self._said["parent"].append(_user_says("\n\n".join(more)))
        return bool(more)

    def _parents_call(self, block: dict[str, Any]) -> dict[str, Any]:
        name, given, call = block["name"], dict(block["input"]), block["id"]
        if name == SEARCH:
            self._tools = True
            return _result_of(call, "Tool loaded.")
        before = self._hook("PreToolUse", name, tool_name=name, tool_input=given, tool_use_id=call)
        special = before.get("hookSpecificOutput") or {}
        if special.get("permissionDecision") == "deny":
            return _result_of(call, str(special.get("permissionDecisionReason")))
        given = special.get("updatedInput") or given
        if name == SPAWN:
            self._description = str(given["description"])
            self._begin(str(given["prompt"]))
            response = {**self._recorded[f"PostToolUse {SPAWN}"]["tool_response"], "agentId": self.agent}
            response.update(description=self._description, prompt=given["prompt"])
            words = f"Async agent launched successfully. agentId: {self.agent}"
        else:
            self._hear(str(given["message"]))
            response = {**self._recorded[f"PostToolUse {SEND}"]["tool_response"], "resumedAgentId": self.agent}
            words = f"Resuming agent {self.agent[:7]}"
        self._woken.append(call)
        after = self._hook(
            "PostToolUse", name, tool_name=name, tool_input=given, tool_use_id=call, tool_response=response
        )
        return _result_of(call, "\n\n".join([words, *_added_by(after)]))

    _tools = False

    def _running(self) -> list[dict[str, Any]]:
        like = self._recorded["Stop"]["background_tasks"][0]
        return [{**like, "id": self.agent, "description": self._description}] if self._woken else []

    # The agent

    def _begin(self, prompt: str) -> None:
        self._said["agent"] = []
        self._hear(prompt)
        self._hook("SubagentStart", agent_id=self.agent)

    def _hear(self, words: str) -> None:
        self._said["agent"].append(_user_says(words))
        self._note({"type": "user", "message": _user_says(words)})

    def _run_of_agent(self, call: str) -> None:
        """Play the agent until its hook lets it end; then tell the parent, as the host does."""
        began, again = time.monotonic(), False
        while True:
            reply = self._ask("agent", call)
            if _calls_in(reply):
                results = [_work(block) for block in _calls_in(reply)]
                self._said["agent"].append({"role": "user", "content": results})
                self._note({"type": "user", "message": {"role": "user", "content": results}})
                continue
            words = _text_of(reply)
            answer = self._hook(
                "SubagentStop",
                agent_id=self.agent,
                agent_transcript_path=str(self._agents_file),
                last_assistant_message=words,
                stop_hook_active=again,
                background_tasks=[],
            )
            if answer.get("decision") != "block":
                break
            again = True
            self._hear(str(answer["reason"]))
        self._stream({"type": "system", "subtype": "task_notification", "status": "completed"})
        self._turn(self._notification(call, words, time.monotonic() - began), machine=True)

    def _notification(self, call: str, words: str, seconds: float) -> str:
        safe = words.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return (
            f"<task-notification>\n<task-id>{self.agent}</task-id>\n<tool-use-id>{call}</tool-use-id>\n"
            f'<status>completed</status>\n<summary>Agent "{self._description}" finished</summary>\n'
            f"<result>{safe}</result>\n<usage><duration_ms>{seconds * 1000:.0f}</duration_ms></usage>\n"
            "</task-notification>"
        )

    def _note(self, record: dict[str, Any]) -> None:
        """Append a line to the agent's own transcript, which the plugin's checks read."""
        self._agents_file.parent.mkdir(parents=True, exist_ok=True)
        line = {
            "uuid": f"u{time.monotonic_ns()}",
            "cwd": str(self.home.project),
            "version": VERSION,
            **record,
        }
        with self._agents_file.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    # Both

    def _ask(self, actor: str, call: str = "") -> Reply:
        """Send one request to the scripted model; its reply becomes an event, as the client would stream it."""
        names = ["Read", "Write", "Bash"] if actor == "agent" else [*_SCHEMAS, *([SEND] if self._tools else [])]
        schemas = [
            {"name": name, "input_schema": {"properties": {key: {} for key in _SCHEMAS.get(name, ())}}}
            for name in names
        ]
        body = {"messages": [dict(each) for each in self._said[actor]], "tools": schemas}
        request = Request(body=body, number=len(self.requests), time=time.time())
        reply = self.script.decide(request)
        request.reply, request.answered = reply, time.time()
        self.requests.append(request)
        message = {"role": "assistant", "content": list(reply.blocks), "stop_reason": reply.stop_reason}
        self._said[actor].append(message)
        if actor == "agent":
            self._note({"type": "assistant", "message": message})
        self._stream({"type": "assistant", "parent_tool_use_id": call or None, "message": message})
        return reply

    def _stream(self, event: dict[str, Any]) -> None:
        self.events.append({**event, "at": time.time(), "session_id": self.session})

    def _hook(self, name: str, tool: str = "", **words: Any) -> dict[str, Any]:
        """Send one event through hooks/run, as the client would; return its answer."""
        like = self._recorded.get(f"{name} {tool}".strip()) or self._recorded["SubagentStart"]
        place = {"transcript_path": str(self.transcript), "cwd": str(self.home.project)}
        payload = {**like, "hook_event_name": name, **place, **words}
        env = self.home.env(
            CLAUDE_PLUGIN_ROOT=str(self.plugin),
            CLAUDE_PROJECT_DIR=str(self.home.project),
            CLAUDE_PLUGIN_DATA=str(self.home.path / ".claude" / "plugins" / "data" / "bg-inline"),
            CLAUDE_CODE_ENTRYPOINT="sdk-cli",
            **self._terminal,
            AI_AGENT=f"claude-code_{VERSION.replace('.', '-')}_agent",
            BG_HOST_PID=str(os.getpid()),
        )
        done = subprocess.run(
            ["/bin/sh", str(self.plugin / "hooks" / "run")],
            input=json.dumps(payload, ensure_ascii=False, separators=(",", ":")).encode(),
            env=env,
            cwd=self.home.project,
            capture_output=True,
            check=False,
            timeout=60,
        )
        said, wrong = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
        told = {"hook_name": f"{name}:{tool}".rstrip(":"), "stdout": said, "stderr": wrong}
        self._stream({"type": "system", "subtype": "hook_response", "exit_code": done.returncode, **told})
        try:
            answer = json.loads(said) if said.strip() else {}
        except ValueError:
            answer = {}
        return answer if isinstance(answer, dict) else {}


def _user_says(words: str) -> dict[str, Any]:
    """A message of the user."""
    return {"role": "user", "content": [{"type": "text", "text": words}]}


def _added_by(answer: dict[str, Any]) -> list[str]:
    """The words that a hook's answer adds to the conversation."""
    found = (answer.get("hookSpecificOutput") or {}).get("additionalContext")
    return [str(found)] if found else []


def _calls_in(reply: Reply) -> list[dict[str, Any]]:
    """The tool calls of a reply."""
    return [block for block in reply.blocks if block["type"] == "tool_use"]


def _text_of(reply: Reply) -> str:
    """The text of a reply."""
    return "\n".join(str(block["text"]) for block in reply.blocks if block["type"] == "text")


def _result_of(call: str, words: str) -> dict[str, Any]:
    """The result of a tool call."""
    return {"type": "tool_result", "tool_use_id": call, "content": [{"type": "text", "text": words}]}


def _work(block: dict[str, Any]) -> dict[str, Any]:
    """Carry out a call of the agent for real, in the temporary project; return its result."""
    path = Path(str(block["input"].get("file_path")))
    if block["name"] == "Write":
        path.write_text(str(block["input"]["content"]), encoding="utf-8")
        return _result_of(block["id"], f"File created successfully at: {path}")
    return _result_of(block["id"], path.read_text(encoding="utf-8"))
