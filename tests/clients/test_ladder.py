"""The resume ladder on the real clients: an agent that the host cannot wake goes on as another, which knows everything."""

from __future__ import annotations

import pytest
from generations import NEWEST
from loop import block, reminders, rows, token, wake
from rig.home import Home
from rig.model import Model
from sessions import ANSWERS, anew, cast, close_up, left_asking, session
from test_loop import TASK, later, reminded

STATE = "Query and column mapping are written and tested (src/export/rows.ts); no file writer yet"


@pytest.mark.versions("2.1.7", "2.1.38", "2.1.197", NEWEST)
def test_an_agent_whose_transcript_is_gone_is_relaunched(host: str) -> None:
    """The host says that it cannot; the parent launches anew for the same label, and gets its report once."""
    script = cast(
        later(block("CLARIFICATION_NEEDED"), 0.3),
        rules=(("Resume it now", wake), ("was not woken. Nothing is lost", anew)),
    )
    with Model(script) as model, Home(model.url) as home:
        before = left_asking(model, home, host)
        gone = [path for path in home.transcripts() if path.name.startswith("agent-")]
        assert len(gone) == 1
        gone[0].unlink()
        with session(home, host, resume=before) as run:
            run.send(ANSWERS)
            told = reminded(run, model, home, "reports partial success", 2, host)
            last = close_up(run, model, home, ["partial"])
        assert "No transcript found" in told.all_text()
        heir = model.by("heir")
        assert len(heir) == 1
        given = heir[0].first_user_text()
        for part in (TASK, STATE, "A1: Both", "A2: no", "Go on.", "## CONTINUATION"):
            assert part in given, part
        assert token(heir[0]) != token(model.by("agent")[0])
        assert token(heir[0]).startswith("bg-1-")
        assert len(model.by("agent")) == 1
        assert len(reminders(last, "reports partial success")) == 1
        assert [row["state"] for row in rows(home, "SELECT state FROM questions")] == ["sent", "sent"]
        tried = rows(home, "SELECT failed IS NOT NULL AS failed, proven IS NOT NULL AS proven FROM resumes ORDER BY id")
        assert tried == [{"failed": 1, "proven": 0}, {"failed": 0, "proven": 1}]
