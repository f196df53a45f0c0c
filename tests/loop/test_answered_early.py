"""What the user has answered before the parent was told: the parent hears the next step, and is not told to ask."""

from __future__ import annotations

import pytest
from drive import Drive, block, context
from recordings import VERSIONS

ENDED = (
    "<task-notification>\n<task-id>a1</task-id>\n<status>completed</status>\n"
    '<summary>Agent "audit" finished</summary>\n<result>It has asked.</result>\n</task-notification>'
)


@pytest.fixture(params=(VERSIONS[0], VERSIONS[-1]))
def version(request):
    return request.param


def asks(drive: Drive, marker: str) -> None:
    """The agent's run has ended with this signal, and nobody has been told."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit", "a1")
    drive.stop()
    drive.ends("a1", block(marker, token))


@pytest.mark.parametrize(
    ("marker", "words", "line"),
    [
        ("CLARIFICATION_NEEDED", "Q1: CSV Q2: no", "bg-1 Q1 answered: CSV\nbg-1 Q2 answered: no"),
        ("CLARIFICATION_NEEDED", "go", "bg-1 goes on with what there is."),
        ("STOP_WORK", "it is up now", "bg-1 B1 answered: it is up now"),
        ("DELEGATE_WORK", "D1: deny", "bg-1 D1: denied"),
    ],
)
def test_only_the_next_step_is_said(drive: Drive, marker: str, words: str, line: str) -> None:
    """The message says one thing, the user reads one line, and the host's own word of the end adds nothing."""
    asks(drive, marker)
    said = drive.prompt(f"/bg-answer bg-1 {words}")
    [paragraph] = context(said).split("\n\n")
    assert "bg-1 are recorded. Resume it now:" in paragraph
    assert said["systemMessage"] == line
    assert drive.prompt(ENDED) == {}


def test_what_is_approved_is_launched_and_not_asked_again(drive: Drive) -> None:
    asks(drive, "DELEGATE_WORK")
    said = drive.prompt("/bg-answer bg-1 D1: approve")
    assert "The user approved bg-1 D1. Launch this now" in context(said)
    assert "asks to hand work" not in context(said)
    assert said["systemMessage"] == "bg-1 D1: approved"


def test_what_is_left_open_is_still_asked(drive: Drive) -> None:
    asks(drive, "CLARIFICATION_NEEDED")
    said = context(drive.prompt("/bg-answer bg-1 Q1: CSV"))
    assert "Still open: Q2. Resume it when these are answered too." in said
    assert "Put the open questions to the user now" in said
    assert ("bg-1 Q1:" in said, "bg-1 Q2:" in said) == (False, True)
