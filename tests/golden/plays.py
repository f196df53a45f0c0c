"""Golden plays: every recorded scene of every version through hooks/run, and each answer that was given.

A scene is played as it was recorded, but that its first prompt hands the work to us; what the hooks rewrote is what the
later events of the scene carry. A play differs from another of the same scene in what the agent says last.

`python tests/golden/plays.py --write` writes the kept answers anew, packed: `xz -dc tests/golden/kept.json.xz` prints them.
"""

from __future__ import annotations

import copy
import hashlib
import html
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any, Optional

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
for folder in (ROOT / "scripts", ROOT / "tests"):
    sys.path.insert(0, str(folder))

from bg.protocol import signals  # noqa: E402
from recordings import VERSIONS, Payload, events, scenes  # noqa: E402
from rig import conversation  # noqa: E402

TOKEN = re.compile(r"\bbg-\d+-[a-z2-7]{10}\b")
MACHINE = re.compile(r"\s*(<system-reminder>|<task-notification>|<agent-message|Another Claude session sent)")
BEGAN = 1_700_000_000
LONG = 200
KEPT = HERE / "kept.json.xz"

LOOPS = ("background", "handback", "resume")
WHOLE = ("2.1.7", "2.1.197", "2.1.327")

#: What the agent says last: as it was recorded, or a signal of ours.
ENDINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "asks": ("CLARIFICATION_NEEDED", {}),
    "stops": ("STOP_WORK", {}),
    "delegates": ("DELEGATE_WORK", {"blocks_current_work": "true"}),
    "completes": ("COMPLETION_REPORT", {"deliverables": "The answer in the summary", "metrics_achieved": "It is read"}),
    "fails": ("COMPLETION_REPORT", {"status": "failed"}),
    "breaks": ("STOP_WORK", {"stop_reason": ""}),
}


def plays(version: str) -> list[tuple[str, str]]:
    """Every scene as it was recorded; those that hold the whole loop with endings of ours, on three versions with all."""
    ours = ENDINGS if version in WHOLE else ("asks", "completes")
    return [(scene, ending) for scene in scenes(version) for ending in ("prose", *(ours if scene in LOOPS else ()))]


def registered() -> dict[str, re.Pattern[str]]:
    """The events, and of the tools those, that hooks.json hands to us."""
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    return {
        name: re.compile("|".join(entry.get("matcher", ".*") for entry in entries)) for name, entries in hooks.items()
    }


class Play:
    """One scene with one ending, in a home of its own; `awake`: no session is ever idle, each event starts Python."""

    def __init__(self, version: str, scene: str, ending: str, root: Path, *, awake: bool = False) -> None:
        self.version, self.scene, self.ending, self.root = version, scene, ending, root
        self.awake = awake
        self.data, self.project = root / "data", root / "project"
        self.projects = root / "home" / ".claude" / "projects" / "-project"
        for folder in (self.data, self.project, self.projects):
            folder.mkdir(parents=True)
        self.python = root / "python"
        self.python.write_text(
            "#!/bin/sh\n# hooks/run ends its arguments with the script\n"
            'for last in "$@"; do :; done\n'
            f'exec "{sys.executable}" -I -X utf8 "{HERE / "seeded.py"}" "$GOLDEN_AT" "$GOLDEN_SEED" "$last"\n'
        )
        self.python.chmod(0o700)
        (self.data / "python").write_text(f"{self.python}\n", encoding="utf-8")
        self.kept: list[dict[str, Any]] = []
        self.given: dict[str, Payload] = {}
        self.tokens: dict[str, str] = {}
        self.unbound: list[str] = []
        self.ours = registered()
        self.clock = BEGAN

    def run(self) -> list[dict[str, Any]]:
        """Every answer, then what the ledger holds."""
        recorded = [self.moved(event) for event in events(self.version, self.scene)]
        self.session = recorded[0]["session_id"]
        self.transcript().write_text(
            json.dumps({"type": "user", "version": self.version, "cwd": str(self.project)}) + "\n"
        )
        asked = False
        for event in recorded:
            if event["hook_event_name"] == "UserPromptSubmit" and not asked and not MACHINE.match(event["prompt"]):
                if not event["prompt"].startswith("/"):
                    event["prompt"] = "/bg:bg Look at the code"
                asked = True
            self.send(event)
        if self.scene in LOOPS:
            self.afterwards(recorded)
        self.kept.append({"export": self.export()})
        return self.kept

    def afterwards(self, recorded: list[Payload]) -> None:
        """What a person does next: looks, answers, lets the agent go on, comes back another day."""
        like = next(event for event in recorded if event["hook_event_name"] == "UserPromptSubmit")
        begin = next((event for event in recorded if event["hook_event_name"] == "SessionStart"), None)
        for words in (
            "/bg-status",
            "/bg-answer",
            "/bg-answer bg-1 Q1: CSV\nQ2: no, #12 & `x`",
            "/bg-answer bg-1 D1: approve",
        ):
            self.send({**like, "prompt": words})
        agent = next(iter(self.tokens), "")
        if agent and self.ending != "prose":
            self.wake(like, agent)
        self.send({**like, "prompt": "/bg-status bg-1"})
        if begin:
            self.send({**begin, "source": "compact"})
            self.send({**begin, "source": "resume"})
        self.send({**like, "prompt": "What now?"})

    def wake(self, like: Payload, agent: str) -> None:
        """The parent wakes the agent with its answers, which ends with a completion."""
        try:
            scene = [self.moved(event) for event in events(self.version, "resume")]
        except (AssertionError, KeyError):
            return
        now = {key: like[key] for key in ("session_id", "transcript_path", "cwd")}
        for event in scene:
            key = {"SendMessage": "to", "Task": "resume", "Agent": "resume"}.get(event.get("tool_name", ""), "")
            if event["hook_event_name"] in ("PreToolUse", "PostToolUse") and key in event["tool_input"]:
                old = event["tool_input"][key]
                self.send(json.loads(json.dumps({**event, **now}).replace(old, agent)))
        ends = next((event for event in scene if event["hook_event_name"] == "SubagentStop"), None)
        if ends:
            path = (
                ends["agent_transcript_path"].replace(ends["agent_id"], agent)
                if "agent_transcript_path" in ends
                else ""
            )
            self.ending = "completes"
            self.send({**ends, **now, "agent_id": agent, "agent_transcript_path": path})

    # One event

    def send(self, event: Payload) -> None:
        """One event through hooks/run, carrying what the hooks rewrote before it."""
        event = copy.deepcopy(event)
        name, tool = event["hook_event_name"], event.get("tool_name", "")
        agent = event.get("agent_id", "")
        if name in ("PostToolUse", "PostToolUseFailure") and event.get("tool_use_id") in self.given:
            event["tool_input"] = self.given[event["tool_use_id"]]
            response = event.get("tool_response")
            if isinstance(response, dict) and "prompt" in response and "prompt" in event["tool_input"]:
                response["prompt"] = event["tool_input"]["prompt"]
            self.bind(event)
        if name == "SubagentStart" and agent not in self.tokens and self.unbound:
            self.begin(agent, self.unbound.pop(0))
        if name == "SubagentStop" and agent in self.tokens:
            self.end(event, agent)
        if tool == "SubagentHandback" and name == "PreToolUse" and agent in self.tokens and self.ending != "prose":
            event["tool_input"]["message"] = self.last_words(agent)
        if name == "UserPromptSubmit":
            event["prompt"] = self.announced(event["prompt"])
        if name not in self.ours or (tool and not self.ours[name].fullmatch(tool)):
            return
        out = self.hook(event)
        wanted = (json.loads(out) if out else {}).get("hookSpecificOutput", {}).get("updatedInput")
        if name == "PreToolUse" and isinstance(wanted, dict):
            self.given[event["tool_use_id"]] = wanted
            if tool in ("Agent", "Task") and "resume" not in wanted:
                self.unbound += TOKEN.findall(wanted["prompt"])[:1]
        said = json.loads(out) if out else {}
        conversation.write(self.transcript(), self.version, event, said, attended=True, at=self.clock)
        self.kept.append({"event": f"{name} {tool}".strip(), "said": json.loads(self.plain(out)) if out else {}})

    def bind(self, event: Payload) -> None:
        """The host names the agent that a launch of ours has started; one that a message woke has that by then."""
        conversation.told(self.agent_file(str(event["tool_input"].get("to"))), self.version, event)
        response = event.get("tool_response")
        agent = response.get("agentId", "") if isinstance(response, dict) else ""
        found = TOKEN.findall(str(event["tool_input"].get("prompt", "")))
        if agent and found and agent not in self.tokens:
            if found[0] in self.unbound:
                self.unbound.remove(found[0])
            self.begin(agent, found[0])

    def begin(self, agent: str, token: str) -> None:
        self.tokens[agent] = token
        prompt = next((given["prompt"] for given in self.given.values() if token in given.get("prompt", "")), token)
        self.write(agent, "user", prompt)

    def end(self, event: Payload, agent: str) -> None:
        """The agent's last words, where this host hands them over, and in its transcript."""
        recorded_text = event.get("last_assistant_message")
        text = (recorded_text or "All read.") if self.ending == "prose" else self.last_words(agent)
        if recorded_text is not None:
            event["last_assistant_message"] = text
        self.write(agent, "assistant", text)
        if event.get("agent_transcript_path"):
            path = Path(event["agent_transcript_path"])
            path.parent.mkdir(parents=True, exist_ok=True)
            if path != self.agent_file(agent):
                path.write_bytes(self.agent_file(agent).read_bytes())

    def last_words(self, agent: str) -> str:
        marker, changes = ENDINGS[self.ending]
        fields = {**signals.schema(marker)["examples"][0], **changes, "agent_id": self.tokens[agent]}
        return f"Notes on the way.\n\n{signals.render(marker, fields)}"

    def announced(self, prompt: str) -> str:
        """The notification of an agent of ours brings what that agent said."""
        for agent in self.tokens:
            if f"<task-id>{agent}</task-id>" in prompt and "<result>" in prompt and self.ending != "prose":
                words = html.escape(self.last_words(agent), quote=False)
                prompt = re.sub(
                    r"<result>.*</result>", lambda _, told=words: f"<result>{told}</result>", prompt, flags=re.DOTALL
                )
        return prompt

    def hook(self, event: Payload) -> str:
        self.clock += 7
        for idle in (self.data / "sessions").glob("*.idle") if self.awake else ():
            idle.unlink()
        conversation.begun(self.transcript(), event)
        done = subprocess.run(
            ["sh", str(ROOT / "hooks" / "run")],
            input=json.dumps(event, separators=(",", ":"), ensure_ascii=False).encode(),
            capture_output=True,
            cwd=self.project,
            timeout=60,
            env={
                "HOME": str(self.root / "home"),
                "PATH": "/usr/bin:/bin",
                "BG_DATA": str(self.data),
                "CLAUDE_PROJECT_DIR": str(self.project),
                "CLAUDE_CODE_ENTRYPOINT": "cli",
                "TMPDIR": str(self.root),
                "GOLDEN_AT": str(self.clock),
                "GOLDEN_SEED": f"{self.version} {self.scene} {self.clock}",
            },
        )
        assert (done.returncode, done.stderr) == (0, b""), done.stderr.decode("utf-8", "replace")[-2000:]
        return done.stdout.decode("utf-8")

    # Files

    def moved(self, event: Payload) -> Payload:
        """The recorded paths, below this play's own root."""
        text = json.dumps(event, ensure_ascii=False)
        text = text.replace("/home/user/.claude", str(self.root / "home" / ".claude"))
        return json.loads(re.sub(r'"/project(?=["/])', f'"{self.project}', text))

    def plain(self, text: str) -> str:
        """The same without what belongs to this machine or run."""
        text = text.replace(str(self.root), "/ROOT").replace(str(ROOT), "/PLUGIN").replace(self.session, "SESSION")
        for number, agent in enumerate(self.tokens, 1):
            text = re.sub(rf"\b{agent}\b", f"AGENT{number}", text)
        text = re.sub(r"20\d\d-\d\d-\d\dT[\d:.+]+Z?", "TIME", text)
        return TOKEN.sub(lambda found: found[0].rpartition("-")[0] + "-TOKEN", text)

    def transcript(self) -> Path:
        return self.projects / f"{self.session}.jsonl"

    def agent_file(self, agent: str) -> Path:
        folder = self.projects / self.session / "subagents"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"agent-{agent}.jsonl"

    def write(self, agent: str, kind: str, text: str) -> None:
        message: dict[str, Any] = {"role": kind, "content": [{"type": "text", "text": text}]}
        if kind == "assistant":
            message["stop_reason"] = "end_turn"
        path = self.agent_file(agent)
        number = len(path.read_text().splitlines()) if path.exists() else 0
        line = {
            "type": kind,
            "uuid": f"{agent}-{number}",
            "version": self.version,
            "cwd": str(self.project),
            "message": message,
        }
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def export(self) -> list[Payload]:
        """The ledger as `bgctl export` prints it."""
        done = subprocess.run(
            [sys.executable, str(ROOT / "scripts" / "bgctl"), "export"],
            capture_output=True,
            text=True,
            cwd=self.project,
            timeout=60,
            env={"HOME": str(self.root / "home"), "PATH": os.environ["PATH"], "BG_DATA": str(self.data)},
        )
        return [json.loads(line) for line in self.plain(done.stdout).splitlines() if line.strip()]


def played(version: str, scene: str, ending: str, *, awake: bool = False) -> list[dict[str, Any]]:
    """The answers of one play."""
    with tempfile.TemporaryDirectory(prefix="bg-golden-") as folder:
        return Play(version, scene, ending, Path(folder).resolve(), awake=awake).run()


class Shelf:
    """The texts of every version's answers, each kept once under its digest, so that versions and plays share them."""

    def __init__(self, texts: Optional[dict[str, str]] = None) -> None:
        self.texts: dict[str, str] = texts if texts is not None else {}

    def put(self, value: Any) -> Any:
        """The value with its long texts on the shelf."""
        if isinstance(value, dict):
            value = {key: self.put(item) for key, item in value.items()}
        elif isinstance(value, list):
            value = [self.put(item) for item in value]
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        if len(text) < LONG:
            return value
        key = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]
        self.texts[key] = value
        return {"text": key}


def answers_of(
    version: str, shelf: Shelf, names: Sequence[tuple[str, str]] = (), *, awake: bool = False
) -> list[dict[str, Any]]:
    """What is kept of each answer of each play, the plays in order."""
    names = names or plays(version)
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda name: played(version, *name, awake=awake), names))
    found = []
    for (scene, ending), answers in zip(names, results):
        for number, answer in enumerate(answers):
            if answer.get("said") != {}:
                found.append(
                    {"at": f"{scene}/{ending}/{number}", **{key: shelf.put(item) for key, item in answer.items()}}
                )
    return found


@cache
def kept() -> dict[str, Any]:
    """What is kept: `answers` by version, in order, and the `texts` that stand in them; packed, as most is said often."""
    return dict(json.loads(lzma.decompress(KEPT.read_bytes()))) if KEPT.exists() else {"answers": {}, "texts": {}}


def shelf() -> Shelf:
    """The texts as they are kept."""
    return Shelf(dict(kept()["texts"]))


def main(arguments: list[str]) -> int:
    """Write the kept answers anew."""
    if arguments != ["--write"]:
        sys.stderr.write(f"{__doc__}\n")
        return 2
    texts = Shelf()
    answers = {}
    for version in VERSIONS:
        answers[version] = answers_of(version, texts)
        sys.stdout.write(f"{version}: {len(answers[version])} answers\n")
    whole = {"answers": answers, "texts": texts.texts}
    text = json.dumps(whole, ensure_ascii=False, indent=0, sort_keys=True) + "\n"
    KEPT.write_bytes(lzma.compress(text.encode(), preset=9))
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
