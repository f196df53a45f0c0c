"""A file that the user's settings deny to agents, on the real clients: its report opens it as little as its agent can."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from directed import delivered
from generations import NEWEST
from loop import ROOT, block, launch, ledger, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, asked, call, parent
from rig.session import Headless, arguments
from test_loop import UNWOKEN, ended, later

HIDDEN = "xyzzy-4711-plugh"
TASK = "LOOK-TASK: look.\nGoal: look\nDeliverables: .env (schema: s.json)\nDone when: it is read"
EVIDENCE = """\
- saw .env:1 "TOKEN"
- saw .env:1 "NOPE"
- wrote .env contains "TOKEN"
- fits s.json: .env
- fits s.json: link.json"""
#: What the hosts say of the file itself, and of the link to it.
REFUSED = re.compile(r"denied by your permission settings|has been denied")
WHY = "not looked at: a permission rule denies it to the agent"


def project(folder: Path) -> None:
    """A file with a secret that git tracks, a link to it, a schema that it does not fit, and the rule against it."""
    (folder / ".env").write_text(f'{{"TOKEN": "{HIDDEN}"}}\n')
    (folder / "link.json").symlink_to(".env")
    (folder / "s.json").write_text('{"properties": {"TOKEN": {"const": 5}}}')
    (folder / ".claude").mkdir()
    (folder / ".claude" / "settings.json").write_text('{"permissions": {"deny": ["Read(./.env)"]}}')
    for words in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=t", "-c", "user.email=t@example.org", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def dumped(home: Home) -> str:
    book = ledger(home)
    try:
        return "\n".join(book.iterdump())
    finally:
        book.close()


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_report_opens_nothing_that_its_agent_is_denied(host: str) -> None:
    """The agent asks for both names itself and is refused; then its report claims all that a check could answer."""
    report = block("COMPLETION_REPORT", evidence=EVIDENCE, deliverables=".env (schema: s.json)", status="success")
    paths: list[Path] = []
    script = Script(
        ("agent", asked("LOOK-TASK"), [
            *(lambda _, name=name: call("Read", file_path=str(paths[0] / name)) for name in (".env", "link.json")),
            later(report), later(report),
        ]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )  # fmt: skip
    with Model(script) as model, Home(model.url) as home:
        paths.append(home.project)
        project(home.project)
        data = home.path / ".claude" / "bg"
        data.mkdir(parents=True)
        (data / "python").write_text(f"{sys.executable}\n")  # one that has the packages for schemas
        with Headless(home, host, arguments([ROOT]), env={"BG_DATA": str(data)}) as run:
            run.send("/bg:bg Look")
            ended(home, 1)
            if host in UNWOKEN:
                run.send("Anything new?")
            delivered(run, home, wakes=host not in UNWOKEN)
            run.finish()
        told = json.dumps([each.messages for each in model.requests] + run.events, ensure_ascii=False)
        assert len(set(REFUSED.findall(told))) == 2, told[-3000:]
        assert HIDDEN not in told
        assert HIDDEN not in dumped(home)
        assert WHY in model.by("parent")[-1].all_text()
        [row] = rows(home, "SELECT evidence FROM runs")
        kept = json.loads(row["evidence"])
        assert {"denied", "not asked"} == {each["reason"] for each in kept["findings"]}
