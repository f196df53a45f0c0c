"""The measurements of the bench: the rows of its table, the events behind each, and the figure to stay under."""

from __future__ import annotations

import json
import re
import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bg.ledger import naming
from bg.protocol import signals

from rig import bench_growth, clients

if TYPE_CHECKING:
    from rig.bench import Cost, Stage

ROOT = Path(__file__).resolve().parents[2]
FEW, MANY = 10, 10_000
MEGABYTE = 1_000_000
MOST_MEMORY = 80
CUT = "(cut)"
EVERYDAY = ("Bash", "Read", "Edit", "Write", "Grep", "Glob", "WebFetch", "TodoWrite", "mcp__files__read")

NONE = "tool call that has nothing to do with background agents"
QUIET = "event in a session without tasks"
PLAIN = "plain prompt in a session with tasks, nothing due"
QUESTION = "a run's end with a question"
COMPLETION = "a run's end with a completion, evidence looked at"
FOREIGN = "the end of an agent that is not ours, in a session with tasks"
LIFE = "the eight events of one agent's life, summed"
LIFE_AMONG_MANY = "the same in a ledger of 10,000 tasks"
GOALS = {QUIET: 0.3, PLAIN: 1.0, QUESTION: 4.5, COMPLETION: 7.0, FOREIGN: 3.5, LIFE: 22.0}
MOST_GROWTH = 1.3
SHARE = "what counting the shape of such an end takes of it, in %"
MOST_SHARE = 2
PAIRS = 6  # in each round, as the difference is small
_NOT_COUNTED = "\n\ndef _nothing(self, writing):\n    self.is_counted = True\n\n\nScene.count = _nothing\n"
_COMPLETION = 5  # among the events of a life


class Rows:
    """The rows, measured in turn on a stage with few tasks and on one with many."""

    def __init__(self, few: Stage, many: Stage, scale: float) -> None:
        self.few, self.many, self.scale = few, many, scale
        self.count = 0
        self.uncounted = _uncounted(few.folder / "uncounted")
        bench_growth.lengthened(self, few, FEW)
        bench_growth.lengthened(self, many, int(MANY * scale))
        self.life(few, "plain")
        few.hook("plain", "Stop", background_tasks=[])
        self.foreign(self.uncounted)  # so that the copy is compiled

    def round(self) -> Iterator[tuple[str, float]]:
        """Measure each row once."""
        self.count += 1
        yield QUIET, self.few.hook("another", "Stop").seconds
        yield PLAIN, self.few.hook("plain", "UserPromptSubmit", prompt="What does the parser do?").seconds
        agent, token, _ = self.launch(self.few, f"question-{self.count}")
        fields = {**signals.schema("CLARIFICATION_NEEDED")["examples"][0], "agent_id": token}
        yield QUESTION, self.end(self.few, agent, signals.render("CLARIFICATION_NEEDED", fields)).seconds
        life = self.life(self.few, f"life-{self.count}")
        yield COMPLETION, life[_COMPLETION]
        yield LIFE, sum(life)
        yield LIFE_AMONG_MANY, sum(self.life(self.many, f"life-{self.count}"))
        pairs = [(self.foreign(ROOT), self.foreign(self.uncounted)) for _ in range(PAIRS)]
        yield FOREIGN, statistics.median(counted for counted, _ in pairs)
        yield SHARE, statistics.median(counted - uncounted for counted, uncounted in pairs)

    def foreign(self, plugin: Path) -> float:
        """The cost, with this copy of the plugin, of the end of an agent that somebody else has launched."""
        path = _own_transcript(self.few, "plain", "foreign")
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            said = {"type": "user", "message": {"role": "user", "content": "Look around."}}
            path.write_text(json.dumps({"version": clients.newest(), **said}) + "\n", encoding="utf-8")
        self.few.plugin = plugin
        given = {"agent_id": "foreign", "agent_type": "Explore", "agent_transcript_path": str(path)}
        more = {"stop_hook_active": False, "last_assistant_message": "Nothing.", "background_tasks": []}
        cost = self.few.hook("plain", "SubagentStop", permission_mode="default", **given, **more)
        self.few.plugin = ROOT
        return cost.seconds

    def launch(self, stage: Stage, session: str) -> tuple[str, str, list[float]]:
        """Launch an agent of ours; return its id, its token, and the costs of the launch's events."""
        call, agent = f"toolu_{session}", f"a-{session}"
        first = stage.hook(session, "UserPromptSubmit", prompt="/bg Look at the notes")
        given = {"description": "look", "prompt": "Look at the notes.", "subagent_type": "general-purpose"}
        before = stage.hook(session, "PreToolUse", tool_name="Agent", tool_use_id=call, tool_input=given)
        taken = before.answer["hookSpecificOutput"]["updatedInput"]
        found = naming.TOKEN.search(taken["prompt"])
        assert found  # noqa: S101 - else nothing that follows would be measured
        response = {"status": "async_launched", "agentId": agent}
        after = stage.hook(
            session, "PostToolUse", tool_name="Agent", tool_use_id=call, tool_input=taken, tool_response=response
        )
        self._write_transcript(stage, session, agent, taken["prompt"])
        return agent, found[0], [first.seconds, before.seconds, after.seconds]

    def end(self, stage: Stage, agent: str, text: str | None) -> Cost:
        """End the agent's run with this text, or with the last text of its transcript."""
        session = agent[2:]
        path = str(_own_transcript(stage, session, agent))
        words = {} if text is None else {"last_assistant_message": text}
        return stage.hook(session, "SubagentStop", agent_id=agent, agent_transcript_path=path, **words)

    def life(self, stage: Stage, session: str) -> list[float]:
        """The costs of the events of an agent's life.

        The events: the prompt, the launch before and after, the agent's start, the end of that turn, the agent's end,
        its announcement, and the end of the turn that this begins.
        """
        agent, token, costs = self.launch(stage, session)
        costs.append(stage.hook(session, "SubagentStart", agent_id=agent, agent_type="general-purpose").seconds)
        works = {"id": agent, "type": "subagent", "status": "running", "description": "look"}
        costs.append(stage.hook(session, "Stop", background_tasks=[works]).seconds)
        (stage.project / f"{session}.md").write_text("The notes say nothing.\n", encoding="utf-8")
        end = self.end(stage, agent, _report(token, session))
        assert not end.answer, end.answer  # noqa: S101 - a report that is sent back would be looked at twice
        costs.append(end.seconds)
        costs.append(stage.hook(session, "UserPromptSubmit", prompt=self.notification(agent)).seconds)
        return [*costs, stage.hook(session, "Stop", background_tasks=[]).seconds]

    @staticmethod
    def notification(agent: str) -> str:
        """The host's message to the parent when an agent has ended."""
        words = f"<task-notification>\n<task-id>{agent}</task-id>\n<status>completed</status>\n<summary>look</summary>"
        return f"{words}\n<result>done</result>\n</task-notification>"

    @staticmethod
    def _write_transcript(stage: Stage, session: str, agent: str, prompt: str) -> None:
        path = _own_transcript(stage, session, agent)
        path.parent.mkdir(parents=True)
        written = {"file_path": str(stage.project / f"{session}.md"), "content": "The notes say nothing.\n"}
        call = {"type": "tool_use", "id": "toolu_w", "name": "Write", "input": written}
        result = {"type": "tool_result", "tool_use_id": "toolu_w", "content": "File created successfully"}
        said = [
            {"type": "user", "message": {"role": "user", "content": prompt}},
            {"type": "assistant", "message": {"role": "assistant", "content": [call]}},
            {"type": "user", "message": {"role": "user", "content": [result]}},
        ]
        lines = [json.dumps({"cwd": str(stage.project), "version": clients.newest(), **each}) for each in said]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def large(self) -> Iterator[tuple[str, str, str]]:
        """The rows on very large inputs: their cost against smaller ones, with the memory, and the goals."""
        base = int(5 * MEGABYTE * self.scale)
        small, large = (self._large_report(f"report-{times}", times * base) for times in (1, 4))
        what = f"a report of {4 * base / MEGABYTE:g} MB against one of {base / MEGABYTE:g} MB"
        yield what, f"{large.seconds / small.seconds:.1f}, {large.memory:.0f} MB", f"4 (linear), {MOST_MEMORY} MB"
        size = int(1000 * MEGABYTE * self.scale)
        small, large = (self._large_transcript(f"transcript-{each}", each) for each in (0, size))
        what = f"a transcript of {size / MEGABYTE:g} MB, of which the end is wanted, against one of 2 kB"
        yield what, f"{large.seconds / small.seconds:.1f}, {large.memory:.0f} MB", f"1, {MOST_MEMORY} MB"

    def _large_report(self, session: str, size: int) -> Cost:
        """The cost of a report of this size.

        Its event is written in pieces: a started program's peak memory includes that of the program that starts it.
        """
        agent, token, _ = self.launch(self.few, session)
        text = f"{CUT}{_report(token, session)}"
        event = self.few.event(session, "SubagentStop", agent_id=agent, last_assistant_message=text)
        head, _, tail = event.partition(CUT)
        lines = "One line of a long report.\\n" * 1000
        given = self.few.folder / "large.json"
        with given.open("w", encoding="utf-8") as file:
            file.write(head)
            for _ in range(size // len(lines)):
                file.write(lines)
            file.write(tail)
        return self.few.hand_over(given)

    def _large_transcript(self, session: str, size: int) -> Cost:
        """The cost of a transcript of this size, most of which is a hole that takes no room on the disk."""
        agent, token, _ = self.launch(self.few, session)
        content = [{"type": "text", "text": _report(token, session)}]
        message = {"role": "assistant", "stop_reason": "end_turn", "content": content}
        last = {"type": "assistant", "uuid": "u", "cwd": str(self.few.project), "message": message}
        with _own_transcript(self.few, session, agent).open("ab") as file:
            file.truncate(max(size, file.tell()))
            file.seek(0, 2)
            file.write(b"\n" + json.dumps(last).encode() + b"\n")
        return self.end(self.few, agent, None)

    def table(self, bare: float, medians: dict[str, float]) -> list[str]:
        """The lines of the table, each with its goal."""
        lines = [(NONE, "no process" if _is_left_alone() else "a process", "no process")]
        for what, goal in GOALS.items():
            lines.append((what, f"{medians[what] / bare:.2f}", f"{goal:g}"))
        lines.append((LIFE_AMONG_MANY, f"{medians[LIFE_AMONG_MANY] / medians[LIFE]:.2f}", f"{MOST_GROWTH:g}"))
        lines.append((SHARE, f"{100 * medians[SHARE] / medians[FOREIGN]:.1f}", f"{MOST_SHARE}"))
        return [f"| {' | '.join(line)} |" for line in [*lines, *self.large()]]


def _uncounted(folder: Path) -> Path:
    """A copy of the plugin that does not count the shapes of events."""
    for part in ("hooks", "scripts/bg"):
        shutil.copytree(ROOT / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    with (folder / "scripts" / "bg" / "loop" / "scene.py").open("a", encoding="utf-8") as file:
        file.write(_NOT_COUNTED)
    return folder


def _is_left_alone() -> bool:
    """Whether no matcher of ours fits a tool of everyday work, so that the host starts nothing for them."""
    hooks = json.loads((ROOT / "hooks" / "hooks.json").read_text(encoding="utf-8"))["hooks"]
    matchers = [entry.get("matcher", "") for name in hooks if "ToolUse" in name for entry in hooks[name]]
    return not any(re.fullmatch(each or ".*", tool) for each in matchers for tool in EVERYDAY)


def _own_transcript(stage: Stage, session: str, agent: str) -> Path:
    """The path of this agent's transcript."""
    return stage.transcripts / session / "subagents" / f"agent-{agent}.jsonl"


def _report(token: str, name: str) -> str:
    """A completion that names a file, as most do."""
    fields = signals.schema("COMPLETION_REPORT")["examples"][0]
    named = {"status": "success", "deliverables": f"{name}.md", "summary": f"Wrote {name}.md."}
    named |= {"metrics_achieved": "The notes are read", "issues_encountered": "None", "recommendations": "None"}
    return "Read the notes.\n\n" + signals.render("COMPLETION_REPORT", {**fields, **named, "agent_id": token})
