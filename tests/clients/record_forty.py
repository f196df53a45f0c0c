"""Records a run of forty calls on a real client: `python tests/clients/record_forty.py` writes forty.jsonl.xz."""

from __future__ import annotations

import json
import lzma
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
for folder in (HERE.parents[1] / "scripts", HERE.parent, HERE):
    sys.path.insert(0, str(folder))

from loop import ROOT, block, has_ledger, launch, reacting, rows  # noqa: E402
from rig.home import Home  # noqa: E402
from rig.model import Model  # noqa: E402
from rig.request import Request  # noqa: E402
from rig.script import Reply, Script, asked, call, parent, text  # noqa: E402
from rig.session import Headless, arguments  # noqa: E402

OUT = HERE.parent / "evidence" / "forty.jsonl.xz"
VERSION = "2.1.327"
CALLS = 40


def steps(project: Path) -> list[Reply]:
    """Ten rounds: a file is written, one is made by a command, the first is read and changed."""
    found = []
    for number in range(1, CALLS // 4 + 1):
        path = str(project / f"part-{number}.txt")
        found += [
            text(f"Now part {number}.") + call("Write", file_path=path, content=f"part {number}\n"),
            call("Bash", command=f"printf '{number}\\n' > count-{number}.txt", description="Count"),
            call("Read", file_path=path),
            call("Edit", file_path=path, old_string="part", new_string="Part"),
        ]
    return found


def slim(record: dict[str, Any]) -> dict[str, Any]:
    """What a record says, without what the client keeps for itself, and without the task, which is long."""
    if record.get("type") not in ("assistant", "user"):
        return {}
    message = {key: record["message"][key] for key in ("role", "content", "stop_reason") if key in record["message"]}
    if isinstance(message["content"], str):
        message["content"] = "The task."
    return {**{key: record[key] for key in ("type", "uuid", "cwd") if key in record}, "message": message}


def main() -> int:
    """Play the run, and keep the agent's transcript without the paths of this machine."""
    script = Script(("agent", asked("FORTY-TASK"), []), ("parent", parent, []))
    with Model(script) as model, Home(model.url) as home:
        given = steps(home.project)

        def finish(request: Request) -> Reply:
            return block("COMPLETION_REPORT", status="success")(request)

        script.actors[0].steps[:] = [*given, finish]
        script.actors[1].steps[:] = reacting((r"label: bg-1 for this task", launch("FORTY-TASK")))
        options = [*arguments([ROOT], tools="Agent Task SendMessage Bash Write Edit Read")]
        with Headless(home, VERSION, options) as run:
            run.send("/bg:bg Make the parts")
            until = time.monotonic() + 90
            while time.monotonic() < until and not (
                has_ledger(home) and rows(home, "SELECT 1 FROM runs WHERE ended > 0")
            ):
                time.sleep(0.3)
            run.finish()
        [path] = [each for each in home.transcripts() if each.name.startswith("agent-")]
        lines = [slim(json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines()]
        kept = "".join(json.dumps(line) + "\n" for line in lines if line).replace(str(home.project), "/ROOT")
        kept = kept.replace(str(home.root), "/HOME")
        OUT.write_bytes(lzma.compress(kept.encode("utf-8"), preset=9))
    print(f"{OUT}: {kept.count(chr(10))} lines, {kept.count(chr(34) + 'tool_use' + chr(34))} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
