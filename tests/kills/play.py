"""The harness plays the host: recorded payloads with other ids, real hook processes, and what each of them said."""

from __future__ import annotations

import copy
import hashlib
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Optional

from bg.ledger.naming import TOKEN
from bg.protocol import signals
from hook import Machine
from recordings import Payload, events
from rig import conversation

CLEAN, BEFORE, MIDDLE, AFTER = "clean", "before the first durable write", "between write and exit", "after exit"
SEEING = ("PreToolUse", "PostToolUse", "PostToolUseFailure", "Stop")


class Said(NamedTuple):
    """One hook process: what it was told, how it ended, and what the host took from it."""

    number: int
    kind: str
    name: str
    fell: str
    context: str
    notice: str
    whole: Payload
    event: str

    @property
    def killed(self) -> bool:
        return self.fell in (BEFORE, MIDDLE)


@cache
def template(version: str, scene: str, wanted: str, number: int = 0) -> Payload:
    """One recorded payload: `PostToolUse Agent`, or `Stop`."""
    name, _, tool = wanted.partition(" ")
    found = [
        event
        for event in events(version, scene)
        if event["hook_event_name"] == name and (not tool or event.get("tool_name") == tool)
    ]
    return found[number]


def block(marker: str, token: str, **fields: Any) -> str:
    """A block with every required field, signed."""
    return signals.render(marker, {**signals.schema(marker)["examples"][0], **fields, "agent_id": token})


def questions(*texts: str) -> list[dict[str, str]]:
    """The questions of a clarification, Q1 and so on."""
    return [
        {"question_id": f"Q{number}", "text": text, "context": "It decides the work.", "default": "none"}
        for number, text in enumerate(texts, 1)
    ]


def notification(agent: str, result: str, status: str = "completed", tool_use: str = "toolu_unknown") -> str:
    """The host's word that an agent has ended, as 2.1.327 says it; it names the call that began the run."""
    event = template("2.1.327", "background", "UserPromptSubmit", 1)
    words = re.sub(r"<task-id>[^<]*", f"<task-id>{agent}", event["prompt"])
    words = re.sub(r"<tool-use-id>[^<]*", f"<tool-use-id>{tool_use}", words)
    words = re.sub(r"<status>[^<]*", f"<status>{status}", words)
    escaped = result.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"<result>.*</result>", lambda _: f"<result>{escaped}</result>", words, flags=re.DOTALL)


class Host(Machine):
    """A host with one data directory; its sessions and agents are plain ids, its transcripts are real files."""

    def __init__(self, root: Path, version: str = "2.1.327", **env: str) -> None:
        super().__init__(root, sys.executable, BG_HOST_PID=str(os.getpid()), **env)
        (self.home / ".claude").mkdir(exist_ok=True)
        self.version = version
        self.session = "11111111-aaaa-4bbb-8ccc-000000000001"
        self.said: list[Said] = []
        self.lengths: dict[str, list[float]] = {}

    # Processes

    def start(self, given: Any, **options: Any) -> subprocess.Popen[bytes]:
        """As a host: compact JSON, a process group of the hook's own."""
        if not isinstance(given, (bytes, str)):
            given = json.dumps(given, separators=(",", ":"), ensure_ascii=False)
        return super().start(given, start_new_session=True, **options)

    def hook(self, event: Payload, kind: str = "", kill_at: Optional[float] = None) -> Said:
        """One hook process, killed after that many seconds if it has not ended by then."""
        kind = kind or f"{event['hook_event_name']} {event.get('tool_name', '')}".strip()
        before = self.state() if kill_at is not None else ""
        began = time.monotonic()
        process = self.start(event)
        assert process.stdin
        process.stdin.write(process.data)  # type: ignore[attr-defined]
        process.stdin.close()
        process.stdin = None
        fell = CLEAN
        if kill_at is None:
            out, err = process.communicate(timeout=60)
            self.lengths.setdefault(kind, []).append(time.monotonic() - began)
            assert (process.returncode, err) == (0, b""), (kind, process.returncode, err.decode()[-2000:])
        else:
            time.sleep(max(0.0, began + kill_at - time.monotonic()))
            fell = AFTER
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                fell = ""
            out, err = process.communicate(timeout=60)
            # These kills are nobody's fault: what a step that ends hooks by itself comes to is played by test_fatal.
            shutil.rmtree(self.data / "attempts", ignore_errors=True)
            fell = fell or (MIDDLE if self.state() != before else BEFORE)
        return self.hear(event, kind, fell, out.decode("utf-8", "replace"))

    def hear(self, event: Payload, kind: str, fell: str, out: str) -> Said:
        """Complete JSON counts as said, from a killed hook too."""
        try:
            whole = json.loads(out) if out else {}
        except ValueError:
            whole = {}
        specific = whole.get("hookSpecificOutput") or {}
        context = specific.get("additionalContext") or ""
        if event["hook_event_name"] == "Stop":
            context = "\n\n".join(part for part in (context, whole.get("reason") or "") if part)
        notice = whole.get("systemMessage") or ""
        given = json.dumps(event)
        said = Said(len(self.said), kind, event["hook_event_name"], fell, context, notice, whole, given)
        self.said.append(said)
        return said

    # What is durable

    def state(self) -> str:
        """A digest of everything durable, read from a copy so that the ledger's own files stay as the kill left them."""
        # How often each shape of event was seen grows with every event, whatever else it does.
        lines = [line for line in self.dump() if "sightings" not in line]
        spooled = sorted(str(path) for path in self.spooled())
        return hashlib.sha256("\n".join([*lines, *spooled]).encode()).hexdigest()

    def spooled(self) -> list[Path]:
        """What lies in the spools."""
        return [path for place in self.data.parent.rglob("*spool*") if place.is_dir() for path in place.iterdir()]

    def dump(self) -> list[str]:
        if not (self.data / "ledger.db").is_file():
            return []
        with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
            for suffix in ("", "-wal", "-journal"):
                path = self.data / f"ledger.db{suffix}"
                if path.is_file():
                    shutil.copy(path, Path(folder) / f"ledger.db{suffix}")
            book = sqlite3.connect(str(Path(folder) / "ledger.db"))
            try:
                names = [
                    row[0] for row in book.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1")
                ]
                return [repr((name, row)) for name in names for row in book.execute(f"SELECT * FROM {name}")]
            finally:
                book.close()

    # Payloads

    def event(self, scene: str, wanted: str, number: int = 0, **changes: Any) -> Payload:
        """A recorded payload of this session."""
        found = copy.deepcopy(template(self.version, scene, wanted, number))
        found["session_id"] = self.session
        found["cwd"] = str(self.project)
        found["transcript_path"] = str(self.home / ".claude" / "projects" / "p" / f"{self.session}.jsonl")
        for key, value in changes.items():
            if key == "tool_input" and isinstance(found.get(key), dict):
                found[key] = {**found[key], **value}
            else:
                found[key] = value
        return found

    def prompt(self, words: str) -> Payload:
        return self.event("background", "UserPromptSubmit", prompt=words)

    def stop(self, last: str = "Noted.", running: tuple[str, ...] = (), again: bool = False) -> Payload:
        listed = [{"id": agent, "type": "subagent", "status": "running"} for agent in running]
        changes: dict[str, Any] = {"last_assistant_message": last, "stop_hook_active": again}
        if "background_tasks" in template(self.version, "background", "Stop"):
            changes["background_tasks"] = listed
        return self.event("background", "Stop", **changes)

    def begin(self, source: str = "startup") -> Payload:
        return self.event("background", "SessionStart", source=source)

    def launch(self, tool_use: str, description: str, prompt: str) -> Payload:
        given = {"description": description, "prompt": prompt, "run_in_background": True}
        event = self.event("background", "PreToolUse Agent", tool_use_id=tool_use, tool_input=given)
        conversation.begun(Path(event["transcript_path"]), event)
        return event

    def launched(self, tool_use: str, agent: str, given: Payload) -> Payload:
        event = self.event("background", "PostToolUse Agent", tool_use_id=tool_use, tool_input=given)
        event["tool_response"]["agentId"] = agent
        return event

    def ends(self, agent: str, words: str, again: bool = False) -> Payload:
        return self.event(
            "background",
            "SubagentStop",
            agent_id=agent,
            stop_hook_active=again,
            last_assistant_message=words,
            agent_transcript_path=str(
                self.home / ".claude" / "projects" / "p" / self.session / "subagents" / f"agent-{agent}.jsonl"
            ),
        )

    def asks(self, tool_use: str, texts: list[str]) -> Payload:
        listed = [
            {"question": text, "header": "H", "options": [{"label": "A", "description": "a"}], "multiSelect": False}
            for text in texts
        ]
        return self.event(
            "question", "PreToolUse AskUserQuestion", tool_use_id=tool_use, tool_input={"questions": listed}
        )

    def asked(self, asking: Payload, given: Payload, answers: dict[str, str]) -> Payload:
        event = self.event("question", "PostToolUse AskUserQuestion", tool_use_id=asking["tool_use_id"])
        event["tool_input"] = {**given, "answers": answers}
        event["tool_response"] = {"questions": given["questions"], "answers": answers, "annotations": {}}
        return event

    def sends(self, tool_use: str, to: str, message: str) -> Payload:
        given = {"to": to, "recipient": to, "message": message, "content": message}
        return self.event("resume", "PreToolUse SendMessage", tool_use_id=tool_use, tool_input=given)

    def sent(self, sending: Payload, given: Payload, *, woken: bool = True) -> Payload:
        to = given["to"]
        event = self.event("resume", "PostToolUse SendMessage", tool_use_id=sending["tool_use_id"], tool_input=given)
        event["tool_response"] = (
            {**event["tool_response"], "resumedAgentId": to, "revivedAgentId": to}
            if woken
            else {
                "success": False,
                "message": f'Agent "{to}" could not be resumed: No transcript found for agent ID: {to}',
            }
        )
        return event

    def agent_says(self, agent: str, *turns: tuple[str, str], reason: str = "end_turn") -> None:
        """An agent's transcript grows where 2.1.327 keeps it."""
        path = self.home / ".claude" / "projects" / "p" / self.session / "subagents" / f"agent-{agent}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as file:
            for kind, words in turns:
                message = {"role": kind, "content": [{"type": "text", "text": words}]}
                message |= {"stop_reason": reason} if reason and kind == "assistant" else {}
                line = {
                    "type": kind,
                    "uuid": f"{agent}-{file.tell()}",
                    "version": self.version,
                    "cwd": str(self.project),
                }
                file.write(json.dumps({**line, "message": message}) + "\n")


def heard_of(agent: str, words: str) -> int:
    """How often the word of an agent's report is said, beside the line on it where its group is taken together."""
    lines = [line for line in words.split("\n") if not re.match(r"> bg-\d+ \(", line)]
    return "\n".join(lines).count(f"word-{agent}-x")


def label_in(words: str) -> str:
    """The label that the hook gave to this turn."""
    found = re.findall(r"not from the user\] label: (bg-\d+)", words)
    return found[-1] if found else ""


def token_in(prompt: str) -> str:
    """The id that an agent finds in its prompt; empty where no hook has written one."""
    found = TOKEN.findall(prompt[:20000])
    return found[0] if found else ""


def sayings(said: list[Said], word: str) -> list[Said]:
    """The hooks whose output carries this word to the parent."""
    return [one for one in said if re.search(rf"\b{re.escape(word)}\b", one.context)]


def may_repeat(said: list[Said], first: Said, second: Said) -> bool:
    """A kill fell between the print of the first and the next event that could show the host went on.

    Or there was none such, and the conversation begins anew after a compaction.
    """
    if first.killed:
        return True
    for one in said[first.number + 1 : second.number]:
        if one.killed:
            return True
        if one.name in SEEING:
            return False
    return second.name == "SessionStart"


def says_more(first: Said, second: Said, word: str) -> bool:
    """The hook of a corrected report was killed, so that the words before it were told, and now the report itself is."""
    before, after = (
        next(part for part in one.context.split("[from the bg plugin, not from the user]") if word in part)
        for one in (first, second)
    )
    return "ended without a readable signal block" in before and "ended without a readable signal block" not in after


def check_delivered(host: Host, words: list[str]) -> tuple[int, int]:
    """Each word was said, once or with a reason to repeat it; how many were, and how many were repeated."""
    repeated = 0
    for word in words:
        found = sayings(host.said, word)
        assert found, f"{word} was never said"
        for first, second in zip(found, found[1:]):
            assert may_repeat(host.said, first, second) or says_more(first, second, word), (
                f"{word} was said again without a reason",
                [(one.number, one.kind, one.fell) for one in host.said[first.number : second.number + 1]],
                first.context,
                second.context,
            )
        repeated += len(found) > 1
    return len(words), repeated
