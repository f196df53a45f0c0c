"""A session that one client has begun and a newer one goes on with: what this client can do counts, not what that could."""

from __future__ import annotations

from typing import Any

import pytest
from generations import NEWEST
from loop import block, news, one, rows, wake
from rig import clients
from rig.home import Home
from rig.model import Model
from rig.request import Request
from rig.script import Reply, call
from rig.session import auto_mode
from sessions import ANSWERS, cast, close_up, left_asking, session
from test_loop import later, reminded


def go_on(request: Request) -> Reply:
    """By a message, though the older client may have said in this conversation that it cannot."""
    if "SendMessage" in request.tools():
        return wake(request)
    return call("ToolSearch", query="select:SendMessage", max_results=3)


@pytest.mark.versions(NEWEST)
@pytest.mark.parametrize("begun", ["2.1.100", "2.1.258"])
def test_a_newer_client_wakes_the_agent_of_an_older_one(host: str, begun: str) -> None:
    """In auto mode where that hands back: the agent has two runs, and its report ends the task."""
    if not clients.installed(begun):
        pytest.skip(f"Claude Code {begun} is not installed")
    options: list[Any] = auto_mode() if begun == "2.1.258" else []
    script = cast(
        later(block("CLARIFICATION_NEEDED"), 0.3),
        later(block("COMPLETION_REPORT"), 0.3),
        rules=(("Resume it now", go_on),),
    )
    with Model(script) as model, Home(model.url) as home:
        before = left_asking(model, home, begun)
        with session(home, host, *options, resume=before) as run:
            run.send(ANSWERS)
            reminded(run, model, home, "reports partial success", 2, host)
            close_up(run, model, home, ["partial"])
        resumed = model.by("agent")[-1]
        assert "A1: Both" in news(resumed)
        assert ("SubagentHandback" in resumed.tools()) == bool(options)
        assert model.by("heir") == []
        assert one(home, "SELECT count(*) AS runs FROM runs") == {"runs": 2}
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
