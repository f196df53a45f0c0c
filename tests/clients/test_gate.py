"""The check on real clients: a false declaration is asked about once and disputed; the honest are not touched."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from bg.protocol import signals
from drive import PLAIN
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, launch, news, one, prose, reacting, reminders, report, rows, token
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, call, parent
from rig.session import TOOLS, Headless, allow_by_hook, arguments
from test_loop import TASK, ended, later

FALSE = {"status": "success", "summary": "Four fixes.", "evidence": "- wrote FIXES.md\n- not checked: Windows"}
MODES = pytest.mark.parametrize("mode", ["text", "handback"])
THREE = pytest.mark.versions("2.1.197", "2.1.258", NEWEST)


def run_it(home: Home, model: Model, host: str, mode: str) -> tuple[Request, list[str]]:
    """One task to its end: what the parent was told of it, and what the agent was told on the way."""
    auto = ["--permission-mode", "auto", "--settings", allow_by_hook("Agent|SendMessage|Bash")]
    options = arguments([ROOT], f"{TOOLS} Write Read Edit Bash") + (auto if mode == "handback" else [])
    with Headless(home, host, options) as run:
        run.send("/bg:bg Audit the authentication code")
        ended(home, 1)
        told = model.wait_for(lambda request: request.actor == "parent" and bool(reminders(request, "bg-1 (")))
        run.finish()
    assert rows(home, "SELECT * FROM errors") == []
    return told, [news(request) for request in model.requests if request.actor == "agent"]


def played(host: str, mode: str, steps: Any, task: str = TASK) -> tuple[Request, list[str], dict[str, Any]]:
    """The same with an agent that takes these steps; `steps` is given the home."""
    if mode == "handback" and host not in HAND_BACK:
        pytest.skip("this client has no SubagentHandback")
    with Home() as home:
        script = Script(
            ("agent", asked("AUDIT-TASK"), steps(home)),
            ("parent", parent, reacting((r"not from the user\] label", launch(task)))),
        )
        with Model(script) as model:
            home.base_url = model.url
            told, heard = run_it(home, model, host, mode)
        return told, heard, {**one(home, "SELECT state FROM tasks"), **one(home, "SELECT corrections FROM runs")}


@THREE
@MODES
def test_a_false_declaration_is_asked_about_once_and_ends_disputed(host: str, mode: str) -> None:
    """The agent insists; the parent is told what does not match, and that the user decides how to go on."""
    told, heard, after = played(
        host, mode, lambda _: [later(block("COMPLETION_REPORT", **FALSE), 0.3), block("COMPLETION_REPORT", **FALSE)]
    )
    assert "- “wrote FIXES.md” — there is no such file in the project" in heard[1]
    assert len([words for words in heard if "does not match what is seen" in words]) == 1
    assert after == {"state": "disputed", "corrections": 1}
    text = told.all_text()
    assert "reports success, and is disputed" in text
    assert "Does not match:\n- “wrote FIXES.md”" in text
    assert "take it as it is" in text


@THREE
@MODES
def test_a_hollow_success_is_asked_about_once_and_ends_disputed(host: str, mode: str) -> None:
    """No tool is used, nothing is declared, and the file that was asked for is not there."""
    hollow = {"status": "success", "evidence": "- not checked: everything"}
    steps = [later(block("COMPLETION_REPORT", **hollow), 0.3), block("COMPLETION_REPORT", **hollow)]
    task = TASK.replace("a list of the holes", "AUDIT.md")
    told, heard, after = played(host, mode, lambda _: steps, task)
    assert "- “AUDIT.md” — the launch asked for it, and there is no such file" in heard[1]
    assert after == {"state": "disputed", "corrections": 1}
    assert "Does not match:\n- “AUDIT.md”" in told.all_text()


@THREE
@MODES
def test_one_that_does_what_it_declared_after_all_is_done(host: str, mode: str) -> None:
    def steps(home: Home) -> list[Any]:
        path = str(Path(home.project) / "FIXES.md")
        write = lambda _: call("Write", file_path=path, content="# Fixes\n\nFour of them.\n")  # noqa: E731
        return [later(block("COMPLETION_REPORT", **FALSE), 0.3), write, block("COMPLETION_REPORT", **FALSE)]

    told, _, after = played(host, mode, steps)
    assert after == {"state": "done", "corrections": 1}
    assert "Does not match" not in told.all_text()
    text = told.all_text()
    assert "“wrote FIXES.md” — new or changed on disk since the launch" in text, text[text.find("FIXES.md") - 800 :][
        :2500
    ]


HONEST = """- wrote calc.py contains "return a + b"
- ran `sh lint.sh` -> fail, then pass
- ran `sh tests.sh` -> pass, 3 passed
- commit {hash}
- saw calc.py:2 "return a + b"
- not checked: Windows"""


@THREE
@MODES
def test_an_honest_one_is_not_touched(host: str, mode: str) -> None:
    """A check that fails before it passes, a pipe, a commit: nothing is asked, and the work is done."""

    def steps(home: Home) -> list[Any]:
        project = Path(home.project)
        git = "git -c user.name=t -c user.email=t@example.org"

        def bash(command: str) -> Any:
            return lambda _: call("Bash", command=command, description="do it")

        def write(name: str, text: str) -> Any:
            return lambda _: call("Write", file_path=str(project / name), content=text)

        def finish(request: Request) -> Any:
            found = re.findall(r"COMMIT=([0-9a-f]{40})", request.all_text())[-1]
            example = {**signals.schema("COMPLETION_REPORT")["examples"][0], **PLAIN, "status": "success"}
            given = {**example, "evidence": HONEST.format(hash=found[:9]), "agent_id": token(request)}
            return report(request, signals.render("COMPLETION_REPORT", given))

        return [
            write("lint.sh", "grep -q 'a + b' calc.py\n"),
            write("tests.sh", "echo '3 passed in 0.01s'\n"),
            write("calc.py", "def add(a, b):\n    return a - b\n"),
            bash("sh lint.sh"),
            lambda _: call("Edit", file_path=str(project / "calc.py"), old_string="a - b", new_string="a + b"),
            bash("sh lint.sh"),
            bash("sh tests.sh 2>&1 | tail -5"),
            bash(f"git init -q; {git} add -A && {git} commit -qm 'Add calc' && echo COMMIT=$(git rev-parse HEAD)"),
            finish,
        ]

    told, heard, after = played(host, mode, steps)
    assert after == {"state": "done", "corrections": 0}
    assert not [words for words in heard if "does not match" in words]
    text = told.all_text()
    assert "Does not match" not in text
    assert "Seen by the host:" in text


NOISY = """- ran `sh suite.sh` -> pass, 18 passed
- ran `ls` -> ok
- ran `git log --oneline -1` -> abc1234 Fix the failing test
- ran `npm run e2e` -> not run, needs a browser
- changed calc.py"""


@THREE
@MODES
def test_a_noisy_honest_one_is_not_touched(host: str, mode: str) -> None:
    """The suite ends with an exit of 0, and its log speaks of failures; looks, and what was left out, are declared too."""

    def steps(home: Home) -> list[Any]:
        project = Path(home.project)
        noise = (
            "echo 'Attempt 1 failed, retrying'\necho '2 failed, 1 error'\necho '  ✓ locks after 3 failed attempts'\n"
        )
        suite = call(
            "Write", file_path=str(project / "suite.sh"), content=f"{noise}echo '      Tests  18 passed (18)'\n"
        )
        calc = call("Write", file_path=str(project / "calc.py"), content="x = 1\n")
        runs = [call("Bash", command=command, description="do it") for command in ("sh suite.sh", "ls")]
        return [
            *(lambda _, each=each: each for each in (suite, calc, *runs)),
            block("COMPLETION_REPORT", status="success", evidence=NOISY),
        ]

    told, heard, after = played(host, mode, steps)
    assert after == {"state": "done", "corrections": 0}
    assert not [words for words in heard if "does not match" in words]
    text = told.all_text()
    assert "Does not match" not in text
    assert "“ran `sh suite.sh` -> pass, 18 passed” — “sh suite.sh” ended with exit 0" in text


@THREE
@MODES
def test_an_agent_is_not_credited_with_what_was_written_beside_it(host: str, mode: str) -> None:
    """It waits, and somebody else writes a file meanwhile: neither the line nor the lists call that its work."""

    def steps(home: Home) -> list[Any]:
        def beside(_: Request) -> Any:
            (Path(home.project) / "docs.md").write_text("by somebody else\n", encoding="utf-8")
            return call("Bash", command="sleep 0.1; echo built", description="wait")

        return [beside, block("COMPLETION_REPORT", status="success", evidence="- not checked: everything")]

    told, _, after = played(host, mode, steps)
    assert after == {"state": "done", "corrections": 0}
    text = told.all_text()
    assert "changed meanwhile by others: “docs.md”" in text
    assert "files that this run changed" not in text


@THREE
@MODES
def test_a_valid_block_without_a_list_comes_at_once_with_the_hosts_facts(host: str, mode: str) -> None:
    def steps(home: Home) -> list[Any]:
        path = str(Path(home.project) / "NOTES.md")

        def finish(request: Request) -> Any:
            example = {**signals.schema("COMPLETION_REPORT")["examples"][0], **PLAIN, "status": "success"}
            given = {key: text for key, text in example.items() if key != "evidence"}
            return report(request, signals.render("COMPLETION_REPORT", {**given, "agent_id": token(request)}))

        return [lambda _: call("Write", file_path=path, content="x\n"), finish]

    told, _, after = played(host, mode, steps)
    assert after == {"state": "done", "corrections": 0}
    text = told.all_text()
    assert "it is only said" in text
    assert re.search(r"files that this run changed: [^\n]*NOTES\.md", text)


@THREE
@MODES
def test_prose_is_delivered_with_notes(host: str, mode: str) -> None:
    """Asked once for its block, with what was seen; it stays prose, and arrives with what was not seen."""
    words = "I found a hole in auth/login.py:99, and that is all."
    told, heard, after = played(host, mode, lambda _: [later(prose(words), 0.3), prose(words), prose(words)])
    assert after["state"] == "unreported"
    assert any("no signal block that can be read" in each for each in heard)
    text = told.all_text()
    assert "a hole in auth/login.py:99" in text
    assert "no tool was used in this run" in text
    assert "Does not match" not in text
