"""The path of one event: the modules that it calls into, the calls between them, and its queries to the ledger.

`python scripts/rig/paths.py [TREE]` prints the table for this tree, or for another checkout of the project.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "scripts"))

from bg.ledger.file import tables_of  # noqa: E402 - the path comes first

from rig import clients, conversation  # noqa: E402 - as above

VERSION = clients.newest()
# Runs hooks/hook.py unchanged, and records the calls between modules of the plugin and every SQL statement.
WATCH = """
import json, os, sys, _sqlite3 as sqlite3
sys.argv = sys.argv[1:]
modules, calls, asked = set(), [0], []
def watch(frame, what, _):
    if what == "call":
        here = frame.f_globals.get("__name__", "")
        if here.startswith("bg.") and frame.f_code.co_name != "<module>":
            modules.add(here)
            there = frame.f_back.f_globals.get("__name__", "") if frame.f_back else ""
            calls[0] += there.startswith("bg.") and there != here
connect = sqlite3.connect
class Watched(sqlite3.Connection):
    def execute(self, sql, values=()):
        words = " ".join(sql.split())
        if words.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            asked.append([words, repr(tuple(values))])
        return super().execute(sql, values)
sqlite3.connect = lambda *given, **named: connect(*given, **{**named, "factory": Watched})
end = os._exit
def leave(status):
    sys.setprofile(None)
    with open(sys.argv[1], "w") as out:
        json.dump({"modules": sorted(modules), "calls": calls[0], "statements": asked}, out)
    end(status)
os._exit = leave
code = compile(open(sys.argv[0]).read(), sys.argv[0], "exec")
sys.setprofile(watch)
exec(code, {"__name__": "__main__", "__file__": sys.argv[0]})
"""


class Passed(NamedTuple):
    """The path of one event."""

    modules: list[str]
    calls: int
    statements: list[list[str]]  # each with its values

    @property
    def selects(self) -> list[list[str]]:
        """The queries to the ledger."""
        return [one for one in self.statements if one[0].startswith("SELECT")]

    @property
    def twice(self) -> list[list[str]]:
        """The repeated queries to the ledger, each as often as it was repeated."""
        return [one for place, one in enumerate(self.selects) if one in self.selects[:place]]

    @property
    def needless(self) -> list[list[str]]:
        """The queries that were repeated although the event had written to none of their tables in between."""
        found = []
        for place, one in enumerate(self.statements):
            before = [each for each in range(place) if self.statements[each] == one]
            since = self.statements[before[-1] + 1 : place] if before else []
            written = {tables_of(sql)[0] for sql, _ in since if not sql.startswith("SELECT")}
            if one[0].startswith("SELECT") and before and not written & set(tables_of(one[0])):
                found.append(one)
        return found


class Session:
    """One session of a host, played through hooks/hook.py of a tree."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.tree, self.folder = tree, folder
        self.transcript = folder / ".claude" / "projects" / "p" / "s1.jsonl"
        self.transcript.parent.mkdir(parents=True)
        record = {"type": "user", "version": VERSION, "cwd": str(folder)}
        self.transcript.write_text(json.dumps(record) + "\n", encoding="utf-8")

    def send(self, name: str, **event: Any) -> tuple[dict[str, Any], Passed]:
        """Send one event; return the answer, and the event's path."""
        seen, data = self.folder / "seen.json", self.folder / "data"
        whole = {"session_id": "s1", "transcript_path": str(self.transcript), "cwd": str(self.folder)}
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-X", "utf8", "-c", WATCH, str(self.tree / "hooks" / "hook.py"), str(seen)],
            input=json.dumps({**whole, "hook_event_name": name, **event}).encode(),
            capture_output=True,
            env={
                "HOME": str(self.folder),
                "BG_PLACE": str(data),
                "BG_DATA": str(data),
                "CLAUDE_CODE_ENTRYPOINT": "cli",
            },
            check=True,
        )
        said = json.loads(done.stdout) if done.stdout else {}
        conversation.write(self.transcript, VERSION, {"hook_event_name": name, **event}, said, attended=True)
        return said, Passed(**json.loads(seen.read_text(encoding="utf-8")))


def played(tree: Path) -> dict[str, Passed]:
    """The paths of five events: a run's end with a question, its reminder, a turn's end, a typed answer, a status."""
    found = {}
    with tempfile.TemporaryDirectory(prefix="paths-") as name:
        session = Session(tree, Path(name))
        given = {"description": "look", "prompt": "Look.", "run_in_background": True}
        call = {"tool_name": "Agent", "tool_use_id": "toolu_1"}
        session.send("SessionStart", source="startup")
        session.send("UserPromptSubmit", prompt="/bg:bg Look")
        said, _ = session.send("PreToolUse", **call, tool_input=given)
        taken = said["hookSpecificOutput"]["updatedInput"]
        token = re.search(r"bg-1-\w+", taken["prompt"])
        response = {"status": "async_launched", "agentId": "a1"}
        session.send("PostToolUse", **call, tool_input=taken, tool_response=response)
        session.send("Stop", background_tasks=[{"id": "a1", "type": "subagent", "status": "running"}])
        report = (
            f"[CLARIFICATION_NEEDED]\nagent_id: {token[0] if token else ''}\nblocked_at: the format\n"
            "reason: it is not said\nquestions:\n  - question_id: Q1\n    text: CSV or JSON?\n    context: the export\n"
            "current_state: read\ncan_resume_with: a format\n[/CLARIFICATION_NEEDED]"
        )
        found["a run's end with a question"] = session.send(
            "SubagentStop", agent_id="a1", last_assistant_message=report
        )[1]
        words = "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n<result>x</result>"
        notification = f"{words}\n</task-notification>"
        found["its reminder"] = session.send("UserPromptSubmit", prompt=notification)[1]
        found["a turn's end"] = session.send("Stop", background_tasks=[])[1]
        found["a typed answer"] = session.send("UserPromptSubmit", prompt="/bg-answer bg-1 Q1: CSV")[1]
        found["a status"] = session.send("UserPromptSubmit", prompt="/bg-status")[1]
    return found


def main(arguments: list[str]) -> int:
    """Print the table."""
    tree = Path(arguments[0]).resolve() if arguments else ROOT
    rows = ["| Event | Modules | Calls between them | SELECTs | of these distinct |", "| --- | --- | --- | --- | --- |"]
    for event, path in played(tree).items():
        distinct = len(path.selects) - len(path.twice)
        rows.append(f"| {event} | {len(path.modules)} | {path.calls} | {len(path.selects)} | {distinct} |")
    sys.stdout.write("\n".join(rows) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
