"""A host that goes away, or goes on, while a hook answers: nobody has heard it, and the next event says it."""

from __future__ import annotations

import io
import json

import pytest
from bg import hook
from drive import block, context
from recordings import VERSIONS, recorded


class Gone(io.StringIO):
    """The host's end of the pipe is closed."""

    def flush(self) -> None:
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("version", [VERSIONS[0], VERSIONS[-1]])
def test_what_nobody_has_read_is_said_at_the_next_event_and_is_no_error(version, tmp_path, drive):
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block("CLARIFICATION_NEEDED", token))
    where = {"session_id": drive.session, "transcript_path": str(drive.transcript), "cwd": str(tmp_path)}
    stop = {**recorded(version, drive.scene, "Stop"), **where, "background_tasks": []}
    assert hook.main(io.StringIO(json.dumps(stop)), Gone()) == 0
    assert drive.rows("SELECT event, text FROM errors") == []
    said = drive.announced("a1")
    assert "Q1" in context(said)
