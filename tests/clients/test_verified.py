"""The check that the user names, on real clients: it passes, fails, hangs, is missing, and ends with its session."""

from __future__ import annotations

import json
import os
import re
import signal
import time
from pathlib import Path
from typing import Any

import pytest
from generations import NEWEST
from loop import ROOT, block, has_ledger, launch, reacting, rows
from rig.home import PATIENCE, Home
from rig.model import Model
from rig.script import Script, asked, parent
from rig.session import TOOLS, Headless, arguments, auto_mode
from rig.terminal import Interactive
from test_loop import TASK, ended, later

CLIENTS = ("2.1.197", "2.1.258", NEWEST)
SIGNED = ("2.1.258", NEWEST)
# Each command, the line that the user and the parent are told, and the state of the task.
ENDS = {
    "exit 0": ("verified: exit 0, exit 0", "done"),
    "echo 2 of 9 tests failed; exit 1": ("verify failed: echo 2 of 9 tests failed; exit 1, exit 1", "disputed"),
    "sleep 5711": ("verify not known: sleep 5711, still running after 2s (verify_seconds), so it was ended", "done"),
    "no-such-checker": (
        "verify not known: no-such-checker, exit 127: the shell could not find or run a command",
        "done",
    ),
}


def script() -> Script:
    done = later(block("COMPLETION_REPORT", status="success"))
    return Script(
        ("agent", asked("AUDIT-TASK"), [done] * len(ENDS)),
        ("parent", parent, reacting(*[(r"not from the user\] label", launch(TASK))] * len(ENDS))),
    )


def own_settings(home: Home, **given: Any) -> None:
    (home.path / ".claude" / "bg.json").write_text(json.dumps(given))


def processes(home: Home) -> list[str]:
    """The command lines of what runs with this home, but for the client itself."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            environment = (folder / "environ").read_bytes().split(b"\0")
            words = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"HOME={home.path}".encode() in environment and re.search(r"runner\.py|sleep 57", words):
            found.append(words)
    return found


def until(done: Any, what: str) -> Any:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        found = done()
        if found:
            return found
        time.sleep(0.05)
    raise AssertionError(f"{what} never came")


def over(home: Home, count: int) -> None:
    """So many runs have ended, and so many checks; what has written its result is taken in at the next event."""

    def done() -> bool:
        known = rows(home, "SELECT ended FROM verifications")
        left = [row for row in known if row["ended"] is None]
        results = list(home.path.glob(".claude/**/verify/*.result"))
        return len(known) == count and len(left) == len(results)

    ended(home, count)
    until(done, f"the end of check {count}")


def is_told(line: str) -> Any:
    return lambda request: request.actor == "parent" and line in request.all_text()


@pytest.mark.versions(*CLIENTS)
def test_every_end_of_a_check_is_told(host: str) -> None:
    with Model(script()) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT])) as run:
            for number, (command, (line, state)) in enumerate(ENDS.items(), 1):
                own_settings(home, verify=command, verify_seconds=2)
                run.send("/bg:bg Audit the authentication code")
                over(home, number)
                run.send("Anything new?")
                model.wait_for(is_told(line))
                [row] = rows(home, "SELECT state FROM tasks WHERE label = ?", f"bg-{number}")
                assert row["state"] == state
            told = model.wait_for(is_told("2 of 9 tests failed")).all_text()
            assert "> 2 of 9 tests failed" in told
            assert rows(home, "SELECT * FROM errors") == []
        until(lambda: not processes(home), "the end of every process")


def in_terminal(home: Home, host: str) -> Interactive:
    """Auto mode is where the newest client starts; the older ones ask for each tool unless it is allowed."""
    options = auto_mode() if host == NEWEST else ["--allowedTools", TOOLS]
    return Interactive(home, host, [ROOT], options)


@pytest.mark.versions(*SIGNED)
def test_what_is_typed_in_a_terminal_counts(host: str) -> None:
    with Model(script()) as model, Home(model.url) as home:
        with in_terminal(home, host) as term:
            term.say("/bg:bg Audit the code Verify: echo wrong; exit 4")
            term.wait_for(r"bg-1 will be verified after its report: echo wrong; exit 4")
            over(home, 1)
            term.say("Anything new?")
            term.wait_for(r"bg-1 verify failed: echo wrong; exit 4, exit 4 · disputed")
            model.wait_for(is_told("verify failed: echo wrong; exit 4, exit 4"))
            term.say("/bg-status")
            term.wait_for(r"bg-1 +\S+ +disputed")
        assert rows(home, "SELECT source, outcome FROM verifications") == [{"source": "typed", "outcome": "failed"}]
        until(lambda: not processes(home), "the end of every process")


@pytest.mark.versions("2.1.197")
def test_where_the_record_does_not_say_who_typed_it_the_user_is_told(host: str) -> None:
    with Model(script()) as model, Home(model.url) as home, in_terminal(home, host) as term:
        term.say("/bg:bg Audit the code Verify: exit 4")
        term.wait_for(r"bg-1: `Verify: exit 4` does not count")
        ended(home, 1)
        assert rows(home, "SELECT * FROM verifications") == []


@pytest.mark.versions(*CLIENTS)
@pytest.mark.parametrize("killed", [True, False], ids=["killed", "ended"])
def test_a_check_ends_with_its_session_and_the_next_one_says_so(host: str, killed: bool) -> None:
    line = "verify not known: sleep 5712, the session ended first, and the check with it"
    with Model(script()) as model, Home(model.url) as home:
        own_settings(home, verify="sleep 5712")
        with Headless(home, host, arguments([ROOT])) as run:
            run.send("/bg:bg Audit the authentication code")
            session = run.session_id
            until(lambda: has_ledger(home) and processes(home) and _sleeps(home), "the check")
            if killed:
                os.kill(run.process.pid, signal.SIGKILL)
                run.process.wait()
            else:
                run.finish()
        until(lambda: not processes(home), "the end of the check")
        with Headless(home, host, [*arguments([ROOT]), "--resume", session]) as run:
            run.send("Anything new?")
            model.wait_for(is_told(line))
        assert rows(home, "SELECT state FROM tasks") == [{"state": "done"}]
        assert rows(home, "SELECT outcome, why FROM verifications") == [{"outcome": "unknown", "why": "session ended"}]


def _sleeps(home: Home) -> bool:
    return any(words.startswith("sleep 5712") for words in processes(home))
