"""What a peer's hook or the user keeps from the parent is said again, on the real clients; what arrived is not."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import Any

import pytest
from bg.words.phrases import SENDER
from directed import delivered, until
from generations import HAND_BACK, NEWEST
from loop import ROOT, block, launch, reacting, reminders, rows
from peers import peer
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Script, asked, parent
from rig.session import TOOLS, Headless, arguments
from rig.terminal import Interactive
from test_loop import TASK, ended, later

REPORTS = "reports partial success"
SHOWN = "bg-1 done in part"
#: Blocks the host's own messages about agents, as a peer does that lets nothing pass but what a person has typed.
BLOCKS = 'if machine:\n    note("blocked")\n    say(decision="block", reason="not a person")\n'
#: Blocks whatever is said while a file tells it to.
REFUSES = (
    'if os.path.exists(os.path.join(here, "refuse")):\n    note("blocked")\n    say(decision="block", reason="no")\n'
)
#: Takes its time over the host's own messages.
SLOW = 'if machine:\n    note("slow")\n    time.sleep(20)\n'
#: Where the host writes its own messages into the conversation without asking a hook, nobody can block them.
WAKES = ("2.1.100", "2.1.197", "2.1.258", *HAND_BACK)


REPORT_SOON = later(block("COMPLETION_REPORT"), 1.5)


def cast(report: Any = REPORT_SOON) -> Script:
    return Script(
        ("agent", asked("AUDIT-TASK"), [report]),
        ("parent", parent, reacting((r"not from the user\] label", launch(TASK)))),
    )


def spoken(run: Headless, model: Model, words: str) -> Request:
    """The user says something, the turn comes to its end; what the parent was asked then."""
    run.turn(words)
    return model.wait_for(lambda request: request.actor == "parent" and words in request.all_text())


def heard(request: Request) -> int:
    """How often the report stands in a request: whole, or at the end of a turn in short."""
    texts = [Request({"messages": [message]}) for message in request.messages]
    return sum(len(reminders(text, REPORTS)) + (f"{SENDER} {SHOWN}" in text.all_text()) for text in texts)


def blocked(home: Home) -> int:
    """How many prompts are written down as blocked by a hook."""
    return sum(path.read_text().count("operation blocked by hook") for path in home.transcripts())


def told(model: Model) -> int:
    """How often the report stands in what the parent was asked last."""
    return heard(model.by("parent")[-1])


@pytest.mark.versions(*WAKES)
def test_a_report_whose_prompt_a_peer_blocks_is_said_with_the_next_one(host: str, tmp_path) -> None:
    """Printed is not heard: the peer's block throws the host's message away with what our hook has added to it."""
    other = peer(tmp_path, "peer", {"UserPromptSubmit": BLOCKS})
    with Model(cast()) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT, other])) as run:
            run.send("/bg:bg Audit the authentication code")
            ended(home, 1)
            until(lambda: blocked(home) > 0, "the peer was never asked")
            until(lambda: bool(rows(home, "SELECT 1 FROM deliveries WHERE said IS NOT NULL")), "our hook has said it")
            assert not [request for request in model.by("parent") if heard(request)]
            assert heard(spoken(run, model, "What is the time?")) == 1
            spoken(run, model, "And the date?")
            assert told(model) == 1
            delivered(run, home, wakes=True)
            session = run.session_id
            run.finish()
        with Headless(home, host, arguments([ROOT, other], resume=session)) as run:
            spoken(run, model, "Where were we?")
            assert told(model) == 1
            run.finish()
        assert rows(home, "SELECT * FROM errors") == []


@pytest.mark.versions("2.1.197", NEWEST)
def test_what_is_answered_before_the_parent_is_told_is_not_asked_again(host: str, tmp_path) -> None:
    """A peer keeps the questions from the parent; the user has seen them all the same, and answers."""
    other = peer(tmp_path, "peer", {"UserPromptSubmit": BLOCKS})
    with Model(cast(later(block("CLARIFICATION_NEEDED"), 1.5))) as model, Home(model.url) as home:
        with Headless(home, host, arguments([ROOT, other])) as run:
            run.send("/bg:bg Audit the authentication code")
            ended(home, 1)
            until(lambda: blocked(home) > 0, "the peer was never asked")
            run.turn("/bg-answer bg-1 Q1: CSV Q2: no")
            said = model.wait_for(
                lambda request: request.actor == "parent" and "Q2: no" in request.all_text()
            ).all_text()
            run.finish()
        assert "The user's answers for bg-1 are recorded. Resume it now:" in said
        assert "needs answers before it can go on" not in said
        assert rows(home, "SELECT * FROM errors") == []


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.197", NEWEST)
def test_a_report_that_went_with_a_refused_prompt_is_said_with_the_one_that_passes(host: str, tmp_path) -> None:
    """For as many turns as the peer refuses; then once, and no more in what follows."""
    other = peer(tmp_path, "peer", {"UserPromptSubmit": REFUSES})
    refuse, go = other / "hooks" / "refuse", threading.Event()
    script = cast(lambda request: block("COMPLETION_REPORT")(request).after(go))
    with Model(script) as model, Home(model.url) as home, Headless(home, host, arguments([ROOT, other])) as run:
        run.send("/bg:bg Audit the authentication code")
        until(lambda: bool(model.by("agent")), "the agent is launched")
        run.await_turn()
        refuse.touch()
        go.set()
        ended(home, 1)
        for count, words in enumerate(("One?", "Two?", "Three?"), 1):
            run.send(words)
            until(lambda count=count: blocked(home) >= count, "the peer refuses")
        refuse.unlink()
        assert not [request for request in model.by("parent") if heard(request)]
        spoken(run, model, "Four?")
        spoken(run, model, "Five?")
        delivered(run, home, wakes=True)
        times = [heard(request) for request in model.by("parent")]
        assert sorted(times) == times, times
        assert told(model) == 1
        run.finish()
        assert rows(home, "SELECT * FROM errors") == []


@pytest.mark.versions("2.1.197", NEWEST)
def test_escape_while_a_peer_thinks_loses_no_report(host: str, tmp_path) -> None:
    """The host drops what the hooks have said by then; the next event brings it, with the line on the screen.

    That is the user's next prompt, or the end of the turn where the host goes on without what was dropped.
    """
    other = peer(tmp_path, "peer", {"UserPromptSubmit": SLOW})
    options = ["--permission-mode", "default", "--allowedTools", TOOLS]
    with Model(cast()) as model, Home(model.url) as home, Interactive(home, host, [ROOT, other], options) as term:
        term.say("/bg:bg Audit the authentication code")
        ended(home, 1)
        until((other / "hooks" / "slow").exists, "the peer was never asked")
        until(lambda: bool(rows(home, "SELECT 1 FROM deliveries WHERE said IS NOT NULL")), "our hook has said it")
        term.keys("Escape")
        term.settle()
        assert not [request for request in model.by("parent") if heard(request)]
        term.say("What is the time?")
        found = model.wait_for(lambda request: request.actor == "parent" and "What is the time?" in request.all_text())
        assert heard(found) == 1
        term.wait_for(SHOWN)
        term.say("And the date?")
        model.wait_for(lambda request: request.actor == "parent" and "And the date?" in request.all_text())
        assert told(model) == 1
        delivered(term, home, wakes=True)
        assert rows(home, "SELECT * FROM errors") == []


#: The hook has printed and does not come to an end: its session's ledger is on a disk that hangs, say.
HANGS = """#!/bin/sh
given=$(cat)
printf '%s' "$given" | sh "${0%/*}/run.real"
case $given in *'<task-notification'*) [ -e "${0%/*}/hang" ] && : >"${0%/*}/hung" && sleep 60 ;; esac
exit 0
"""


def hanging(folder: Path) -> Path:
    """Our plugin, whose hook hangs behind its answer to the host's message while a file says so, and for how long."""
    for name in (".claude-plugin", "hooks", "scripts", "commands", "agents", "skills"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    run = folder / "hooks" / "run"
    run.rename(folder / "hooks" / "run.real")
    run.write_text(HANGS)
    run.chmod(0o755)
    table = folder / "hooks" / "hooks.json"
    table.write_text(table.read_text().replace('"timeout": 20', '"timeout": 8'))
    return folder


@pytest.mark.versions("2.1.197", NEWEST)
def test_what_a_hook_printed_that_the_host_gave_up_is_said_again(host: str, tmp_path) -> None:
    """The host's own time-out throws away what was printed in time: printed is not heard, and the next event says it."""
    ours = hanging(tmp_path / "bg")
    (ours / "hooks" / "hang").touch()
    with Model(cast()) as model, Home(model.url) as home, Headless(home, host, arguments([ours])) as run:
        run.send("/bg:bg Audit the authentication code")
        ended(home, 1)
        until((ours / "hooks" / "hung").exists, "our hook was never asked")
        until(lambda: bool(rows(home, "SELECT 1 FROM deliveries WHERE said IS NOT NULL")), "our hook has said it")
        (ours / "hooks" / "hang").unlink()
        found = model.wait_for(lambda request: request.actor == "parent" and "<task-notification" in request.all_text())
        assert heard(found) == 0
        spoken(run, model, "What is the time?")
        spoken(run, model, "And the date?")
        assert told(model) == 1
        delivered(run, home, wakes=True)
        run.finish()
        assert rows(home, "SELECT * FROM errors") == []
