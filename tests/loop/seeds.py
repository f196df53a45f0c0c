"""The play of the first description's own examples: each, each reply to it, on each kind of host, with each kind of parent.

The parent does what the hooks tell it and nothing else, so a sentence that names no step leads to none. All that the
user, the parent and an agent read is kept in order. `python tests/loop/seeds.py FILE [NAME ...]` writes it out, whole.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parents[1] / "scripts"), str(HERE.parent)]

from drive import Drive, block  # noqa: E402
from recordings import VERSIONS, events, recorded  # noqa: E402
from rig import conversation  # noqa: E402

NEWEST = VERSIONS[-1]
HEAD = "#" * 20 + " "
USER, PARENT, DIALOGS, HOST = "the user", "the parent", "the dialog", "the host, to the parent"
ASK = "AskUserQuestion"
DIALOG, TYPED, BY_PARENT = "picks: ", "", "parent: "


QUEUED = {"success": True, "message": "Message queued for delivery to a1 at its next tool round."}
AFTERWARDS = "(says And now?)"
KEPT = {
    "questions": "SELECT label, qid, text, state FROM questions ORDER BY id",
    "tasks": "SELECT label, state FROM tasks ORDER BY label",
    "errors": "SELECT text FROM errors",
    "resumes": "SELECT message FROM resumes ORDER BY id",
}


class Example(NamedTuple):
    """What an agent of the description writes, under the name that it has here."""

    name: str
    task: str
    text: str

    @property
    def marker(self) -> str:
        return re.findall(r"^\[(\w+)\]$", self.text, re.MULTILINE)[0]


class Host(NamedTuple):
    """A version, how its agents report, and what their parent does meanwhile."""

    version: str
    hands_back: bool
    parent: str


IDLE, POLLS, WRITES = "idle", "polls", "writes"
HOSTS = (
    *(Host(version, False, parent) for version in ("2.1.7", "2.1.197") for parent in (IDLE, POLLS, WRITES)),
    *(Host(NEWEST, handed, parent) for handed in (False, True) for parent in (IDLE, WRITES)),
)


def examples() -> list[Example]:
    """As the description has them; what its diagrams only sketch stands in its own words in the form."""
    found = []
    for part in HERE.joinpath("seeds.txt").read_text(encoding="utf-8").split(HEAD)[1:]:
        head, _, text = part.partition("\n")
        name, _, task = head.partition(": ")
        found.append(Example(name, task, text.strip()))
    return found


_STOPPED = (
    "resolved",
    "retry",
    "skip",
    "hand over",
    "reduce",
    "restart",
    "continue",
    "go",
    "resolved: I have put it right myself",
    "retry: with twice the memory",
    "skip the part that fails",
    "hand over: the part that fails, to a specialist",
    "reduce: leave out the tests",
    "restart: with the new configuration",
    "continue: at night",
    "install what is missing, then go on with the second part",
    *(f"{DIALOG}{number}" for number in range(4)),
    f"{BY_PARENT}resolved: I ran npm install",
    f"{BY_PARENT}The user wants you to leave the second part out.",
    BY_PARENT,
)
REPLIES = {
    "CLARIFICATION_NEEDED": (
        "Q1: Analyze both\nQ2: Assume 3.0-beta",
        "Q1: Analyze both",
        "Q1: Analyze both\nQ2: skip",
        "go",
        f"{DIALOG}Analyze both",
        f"{BY_PARENT}Both strategies, deep dive.",
    ),
    "STOP_WORK": _STOPPED,
    "DELEGATE_WORK": (
        "D1: approve",
        "D1: approve: but without the mock server",
        "D1: deny",
        "D1: deny: not before the analysis is complete",
        "go",
        f"{DIALOG}Approve",
        f"{DIALOG}Deny",
    ),
    "COMPLETION_REPORT": ("", "run the scan once more"),
}


class Play(Drive):
    """One session in which a parent does what it is told; `heard` is all that anybody reads, in order."""

    def __init__(self, host: Host, folder: Path) -> None:
        super().__init__(host.version, folder)
        self.host = host
        self.scene = "handback" if host.hands_back else "background"
        self.chance = bytes
        self.heard: list[tuple[str, str]] = []
        self.sent: list[str] = []  # what reached an agent that had run before
        self.ledger_has: dict[str, list[dict[str, Any]]] = {}
        self.tokens: dict[str, str] = {}
        self.live: list[str] = []
        self.uses = self.turns = 0

    # What is read

    def send(self, payload: dict[str, Any], **changes: Any) -> dict[str, Any]:
        name = payload["hook_event_name"]
        self.turns += name == "UserPromptSubmit"
        turn = {"prompt_id": f"turn-{self.turns}"} if "prompt_id" in payload else {}
        said = super().send(payload, **{**turn, **changes})
        inner = said.get("hookSpecificOutput", {})
        blocked = said.get("reason", "") if said.get("decision") == "block" else ""
        self._hear(USER, str(said.get("systemMessage", "")))
        self._hear(USER if name == "UserPromptSubmit" else self._by(changes), str(blocked))
        self._hear(PARENT, str(inner.get("additionalContext", "")))
        if inner.get("permissionDecision") == "deny":
            self._hear(self._by(changes), str(inner.get("permissionDecisionReason", "")))
        return said

    @staticmethod
    def _by(changes: dict[str, Any]) -> str:
        return f"agent {changes['agent_id']}" if changes.get("agent_id") else PARENT

    def _hear(self, who: str, text: str) -> None:
        if text.strip():
            self.heard.append((who, text))

    def told(self, who: str) -> str:
        """All that somebody has read, one after the other."""
        return "\n\n".join(text for each, text in self.heard if each == who)

    # The agents

    def report(self, agent: str, text: str) -> None:
        """An agent's run ends with this text, and the parent comes to know of it as this host has it."""
        writes = self.host.parent == WRITES
        if writes:
            self.follow(self.prompt("Write the release notes"))
        self._ended(agent, text)
        if writes:
            self.advance(10)
            self.follow(self.stop())
        if self.host.parent == POLLS:
            self.follow(self.prompt("How is it going?"))
            payload = recorded(self.version, "taskoutput", "PostToolUse", "TaskOutput")
            task = {**payload["tool_response"]["task"], "task_id": agent, "status": "completed", "output": text}
            response = {**payload["tool_response"], "task": task}
            given = {**payload["tool_input"], "task_id": agent}
            self.follow(self.send(payload, tool_input=given, tool_response=response))
            self.follow(self.stop())
        self._hear(HOST, text)
        if self.host.hands_back:
            self.follow(self.prompt(f'<agent-message from="{agent}">\n{text}\n</agent-message>'))
        elif self.host.parent != POLLS or self.version == "2.1.7":
            self.follow(self.announced(agent, result=text))
        self.follow(self.stop())

    def _ended(self, agent: str, text: str) -> None:
        """Where the hooks ask for the report once more, it is given once more, as it is."""
        self.live.remove(agent)
        if not self.host.hands_back:
            if self.ends(agent, text).get("decision") == "block":
                self.ends(agent, text, stop_hook_active=True)
            return
        call = recorded(self.version, "handback", "PreToolUse", "SubagentHandback")
        for use in ("handed", "handed again"):
            path = self.transcript_of(agent, "I hand it over.")
            conversation.called(path, call["tool_name"], (use, {"message": text}))
            if not self.send(call, agent_id=agent, tool_use_id=use, tool_input={"message": text}):
                break
        self.send(recorded(self.version, "handback", "SubagentStop"), agent_id=agent, agent_transcript_path=str(path))

    # The parent

    def follow(self, said: dict[str, Any]) -> None:
        """The parent does what it has just been told: it launches and wakes, and does nothing else."""
        blocked = said.get("reason", "") if said.get("decision") == "block" else ""
        text = str(said.get("hookSpecificOutput", {}).get("additionalContext", "")) + str(blocked)
        for label in re.findall(r"label: (bg-\d+) for ", text):
            if not any(token.startswith(f"{label}-") for token in self.tokens.values()):
                self.start(label)
        for agent in re.findall(r'Resume it now: call \w+ with (?:to|resume): "(\w+)"', text) + re.findall(
            r'Now resume it with \w+(?:, resume:| to) "(\w+)"', text
        ):
            if agent not in self.live:
                self.follow(self.wake(agent))
        passed = re.search(r'Pass it on now.*?call \w+ with to: "(\w+)"', text, re.DOTALL)
        if passed and passed[1] in self.live:
            self.wake(passed[1], queued=True)

    def start(self, label: str, words: str = "Do it") -> None:
        agent = f"a{label[3:]}"
        self.tokens[agent] = str(self.launch(words, agent, description=f"{label}: the work"))
        self.live.append(agent)
        prompt = str(self.taken["prompt"])
        at = prompt.find("## Where this task comes from")
        if at >= 0:
            self._hear(f"agent {agent}", prompt[at:])

    def wake(self, agent: str, words: str = "", *, queued: bool = False) -> dict[str, Any]:
        """The parent writes to an agent, which that wakes or reaches at its work; what the hooks say to that."""
        self.uses += 1
        tool = "Task" if self.version == "2.1.7" else "SendMessage"
        before, after = (recorded(self.version, "resume", name, tool) for name in ("PreToolUse", "PostToolUse"))
        if tool == "Task":
            before = next(_resumes(self.version))
            given = {**before["tool_input"], "resume": agent, "prompt": words}
            answer = {**after["tool_response"], "agentId": agent}
        else:
            given = {"to": agent, "message": words}
            answer = {**after["tool_response"], "resumedAgentId": agent} if not queued else QUEUED
        use = f"woken{self.uses}"
        conversation.called(self.transcript, tool, (use, given))
        out = self.send(before, tool_use_id=use, tool_input=given)
        given = out.get("hookSpecificOutput", {}).get("updatedInput")
        if given is None:
            return out
        message = str(given["prompt" if tool == "Task" else "message"])
        self._hear(f"agent {agent}", message)
        self.sent.append(message)
        self.live += [] if queued else [agent]
        return self.send(after, tool_use_id=use, tool_input=given, tool_response=answer)

    def dialog(self, answer: str) -> None:
        """The parent asks all that waits, and the user picks: an option by its number, or these words."""
        for name in [f"{row['label']} {row['qid']}" for row in self.open()]:
            payload = recorded(self.version, "question", "PreToolUse", ASK)
            like = payload["tool_input"]["questions"][0]
            asked = {**like, "question": f"{name}: what now?", "options": [{"label": "Wait", "description": "Wait"}]}
            out = self.send(payload, tool_use_id=f"ask {name}", tool_input={"questions": [asked]})
            [put] = out["hookSpecificOutput"]["updatedInput"]["questions"]
            self._hear(DIALOGS, "\n".join([put["question"], *(f"- {_option(each)}" for each in put["options"])]))
            titles = [each["label"] for each in put["options"]]
            if answer.isdigit() and int(answer) >= len(titles):
                return
            picked = titles[int(answer)] if answer.isdigit() else answer
            self.heard.append((USER, f"(picks {picked})"))
            given = {"questions": [put], "answers": {put["question"]: picked}}
            after = recorded(self.version, "question", "PostToolUse", ASK)
            self.follow(self.send(after, tool_use_id=f"ask {name}", tool_input=given, tool_response=given))
        self.follow(self.stop())

    def open(self) -> list[dict[str, Any]]:
        return self.rows("SELECT label, qid FROM questions WHERE state = 'open' ORDER BY id")


def _option(each: dict[str, Any]) -> str:
    return f"{each['label']}: {each['description']}" if each.get("description") else str(each["label"])


def _resumes(version: str) -> Iterator[dict[str, Any]]:
    for event in events(version, "resume"):
        if event["hook_event_name"] == "PreToolUse" and event["tool_input"].get("resume"):
            yield event


def play(example: Example, reply: str, host: Host, folder: Path) -> Play:
    """The example is written, the reply is given, and everybody does what is left to do."""
    one = Play(host, folder)
    one.prompt(f"/bg {example.task}")
    one.start("bg-1", example.task)
    one.follow(one.stop())
    text = re.sub(r'(agent_id"?: ?"?)[\w-]+', rf"\g<1>{one.tokens['a1']}", example.text)
    one.report("a1", f"Notes.\n\n{text}")
    if reply.startswith(DIALOG):
        one.dialog(reply[len(DIALOG) :])
    elif reply.startswith(BY_PARENT):
        one.follow(one.wake("a1", reply[len(BY_PARENT) :]))
        one.follow(one.stop())
    elif reply:
        one.heard.append((USER, f"(types /bg-answer bg-1 {reply})"))
        one.follow(one.prompt(f"/bg-answer bg-1 {reply}"))
        one.follow(one.stop())
    while one.live:
        agent = one.live[0]
        one.heard.append((PARENT, f"({agent} ends)"))
        one.report(agent, block("COMPLETION_REPORT", one.tokens[agent], status="success", summary=f"Did {agent}."))
    one.heard.append((USER, AFTERWARDS))
    one.follow(one.prompt("And now?"))
    one.ledger_has = {name: one.rows(sql) for name, sql in KEPT.items()}
    return one


def cast(example: Example, reply: str, host: Host) -> Play:
    """The same in a home of its own."""
    with tempfile.TemporaryDirectory() as folder:
        home = {"HOME": folder, "CLAUDE_CONFIG_DIR": f"{folder}/.claude", "BG_DATA": f"{folder}/bg-data"}
        with mock.patch.dict(os.environ, {**home, "CLAUDE_CODE_ENTRYPOINT": "cli"}):
            project = Path(folder, "shop")
            project.mkdir()
            return play(example, reply, host, project)


def main(arguments: list[str]) -> int:
    """Write out what is read in the plays of these names, of all without one."""
    file, *names = arguments
    hosts = [HOSTS[0], HOSTS[-2]] if names else HOSTS
    with Path(file).open("w", encoding="utf-8") as out:
        for example in examples():
            for reply in REPLIES[example.marker] if not names or example.name in names else ():
                for host in hosts:
                    out.write(f"\n{HEAD}{example.name}: {reply!r} on {host}\n")
                    out.writelines(f"\n--- {who}\n{text}\n" for who, text in cast(example, reply, host).heard)
    return 0


if __name__ == "__main__":
    if not sys.argv[1:]:
        sys.exit(__doc__)
    raise SystemExit(main(sys.argv[1:]))
