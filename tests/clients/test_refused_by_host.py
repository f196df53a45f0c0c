"""A launch that the host refuses, on the real clients: the user reads why, in the host's own words."""

from __future__ import annotations

import json

import pytest
from generations import NEWEST
from loop import ROOT, launch, reacting, rows
from rig.home import Home
from rig.model import Model
from rig.script import Script, parent
from rig.session import Headless, arguments

RULE = json.dumps({"permissions": {"deny": ["Agent(general-purpose)", "Task(general-purpose)"]}})
BY_RULE = (["--settings", RULE], "Agent type 'general-purpose' has been denied by permission rule '")
AUTO = ["--permission-mode", "auto"]  # which cannot be had without the host's own server


@pytest.mark.versions("2.1.7", "2.1.197", NEWEST)
def test_a_rule_is_named(host: str) -> None:
    refuses(host, *BY_RULE)


@pytest.mark.versions("2.1.197")
def test_a_refusal_that_brings_no_event_is_read_in_the_transcript(host: str) -> None:
    refuses(host, AUTO, "Permission for this action was denied by the Claude Code auto mode classifier. Reason: ")


@pytest.mark.versions(NEWEST)
def test_auto_mode_is_named(host: str) -> None:
    refuses(host, AUTO, "Auto mode is unavailable: its safety check does not run for this session")


def refuses(host: str, options: list[str], why: str) -> None:
    """The task says why; so does the line at the turn's end, where the client prints it in a headless run."""
    script = Script(("parent", parent, reacting((r"not from the user\] label", launch("AUDIT-TASK")))))
    with Model(script) as model, Home(model.url) as home:
        with Headless(home, host, [*arguments([ROOT], tools=None), *options]) as run:
            run.turn("/bg:bg Audit the authentication code")
            run.finish()
        [task] = rows(home, "SELECT state, note FROM tasks")
        assert task["state"] == "not_launched"
        assert task["note"].startswith(why)
        if host == NEWEST:
            said = [event["content"] for event in run.events if "was not launched" in str(event.get("content"))]
            assert [f"The launch was refused: “{why}" in words for words in said] == [True]
        assert rows(home, "SELECT * FROM errors") == []
