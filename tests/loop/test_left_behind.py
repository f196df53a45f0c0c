"""A run that was cut: the parent hears what it left, in full where there is room, in one line where the user reads it."""

from __future__ import annotations

import json
import lzma
from pathlib import Path

import pytest
from bg import durations
from drive import Drive, block, context
from recordings import VERSIONS, recorded

FORTY = Path(__file__).parents[1] / "evidence" / "forty.jsonl.xz"
BEGUN = 4


@pytest.fixture
def drive(tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    return Drive(VERSIONS[-1], tmp_path)


def at_work(drive: Drive) -> str:
    """An agent whose transcript is that of a recorded run, up to a call that has not come back."""
    drive.prompt("/bg Count the words")
    token = drive.launch("Count the words", "a1")
    lines, calls = [], 0
    for line in lzma.decompress(FORTY.read_bytes()).decode("utf-8").splitlines():
        lines.append(line)
        calls += '"tool_use"' in line and '"type":"assistant"' in line.replace(" ", "")
        if calls == BEGUN:
            break
    path = drive.transcript_of("a1", "").with_name("agent-a1.jsonl")
    path.write_text("\n".join(lines).replace("/ROOT", str(drive.folder)) + "\n")
    (drive.folder / "made.txt").write_text("new")
    assert token
    return token


def test_a_run_that_was_stopped_is_told_with_what_it_left(drive):
    at_work(drive)
    drive.stop()
    told = context(drive.announced("a1", "killed", "", "was stopped by user"))
    assert "What it left, from its transcript and the disk" in told
    assert f"Working directory: “{drive.folder}”" in told
    assert "> made.txt" in told
    for heading in ("Last call:\n> ", "Open step:\n> "):
        assert heading in told, told
    assert "(no result of it was seen)" in told
    assert "was cut off before it could report (stopped by the user)" in told
    assert "Go on with it only where the user asks for that: " in told


def kept_by_the_host(drive: Drive, meta: str) -> None:
    (drive.transcript.with_suffix("") / "subagents" / "agent-a1.meta.json").write_text(meta)


ONE = 'Background agent "audit" was stopped by the user.'
TWO = '2 background agents were stopped by the user: "audit", "b".'


@pytest.mark.parametrize(
    ("words", "meta", "stopped"),
    [
        (ONE, '{"stoppedByUser": true}', True),
        (TWO, '{"stoppedByUser": true}', True),
        (ONE, '{"stoppedByUser": "yes"}', False),
        (ONE, "{", False),
        (f"{ONE} Was it not?", '{"stoppedByUser": true}', False),
    ],
)
def test_all_agents_are_stopped_at_once_by_key(drive, words, meta, stopped):
    """The host names descriptions only, as anybody may: what it keeps of the agent says whether that is so."""
    at_work(drive)
    kept_by_the_host(drive, meta)
    said = drive.prompt(words)
    assert drive.rows("SELECT state, note FROM tasks") == [
        {"state": "stopped", "note": "stopped by the user"} if stopped else {"state": "working", "note": ""}
    ]
    assert ("Go on with it only where the user asks for that: launch a new agent" in context(said)) == stopped
    line = said.get("systemMessage", "")
    assert line.startswith("bg-1 stopped by you ") == stopped
    assert line.endswith(" · /bg-answer bg-1 go") == stopped


def test_an_agent_that_its_user_has_stopped_is_not_woken_but_followed(drive, monkeypatch):
    """The host would refuse to wake it; it was gone from the list before anybody said why."""
    monkeypatch.setattr(durations, "GRACE", -1.0)
    at_work(drive)
    kept_by_the_host(drive, '{"stoppedByUser": true}')
    drive.stop(background_tasks=[])
    assert drive.rows("SELECT state, note FROM tasks") == [{"state": "stopped", "note": "stopped by the user"}]
    told = context(drive.prompt("/bg-answer bg-1 go"))
    assert "The user wants bg-1 to go on. Resume it now: launch a new agent" in told
    call = {"hook_event_name": "PreToolUse", "tool_name": "SendMessage", "tool_use_id": "s1"}
    refused = drive.send({**call, "tool_input": {"to": "a1", "message": "Go on."}})["hookSpecificOutput"]
    assert refused["permissionDecision"] == "deny"
    assert "The user has stopped bg-1, and the host does not wake it again." in refused["permissionDecisionReason"]
    assert drive.launch("Go on.", "a2", "another")
    assert drive.rows("SELECT label, state, agent FROM tasks") == [{"label": "bg-1", "state": "working", "agent": "a2"}]


@pytest.mark.parametrize("parent", ["u2", "never written"])
def test_a_run_whose_connection_was_lost_has_failed_on_a_host_that_says_nothing(tmp_path, monkeypatch, parent):
    """Asked once more, it says nothing again. Where the host's record is torn, waking would lose all before that."""
    monkeypatch.setattr(durations, "LATE_TEXT", 0.0)
    drive = Drive("2.1.7", tmp_path)
    drive.prompt("/bg Count the words")
    drive.launch("Count the words", "a1")
    path = drive.transcript_of("a1", "")
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "true"}}
    said = [{"type": "text", "text": "Part one is done."}, call]
    result = {"type": "tool_result", "tool_use_id": "t1", "content": ""}
    lines: list[dict[str, object]] = [
        {"type": "assistant", "uuid": "u1", "parentUuid": None, "message": {"role": "assistant", "content": said}},
        {"type": "user", "uuid": "u2", "parentUuid": "u1", "message": {"role": "user", "content": [result]}},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    stop = {**recorded("2.1.7", "background", "SubagentStop"), "agent_id": "a1", "agent_transcript_path": str(path)}
    asked = drive.send(stop)["reason"]
    with path.open("a", encoding="utf-8") as file:
        feedback = {"role": "user", "content": asked}
        file.write(json.dumps({"type": "user", "uuid": "u3", "parentUuid": parent, "message": feedback}) + "\n")
    assert drive.send(stop, stop_hook_active=True) == {}
    assert drive.rows("SELECT state, note FROM tasks") == [{"state": "failed", "note": "no answer from the model"}]
    heard = drive.prompt("Anything new?")
    assert "was cut off before it could report (no answer from the model)" in context(heard)
    way = (
        'call Task with resume: "a1"' if parent == "u2" else "launch a new agent with a description that begins `bg-1:`"
    )
    assert f"To go on with it: {way}" in context(heard)
    assert heard["systemMessage"].endswith(" · /bg-answer bg-1 go")


ERROR = "API Error: Connection dropped (ECONNRESET)"


@pytest.mark.parametrize(
    ("status", "result", "summary"),
    [
        ("completed", ERROR, "finished"),  # 2.1.197
        ("failed", "Next: count.", f"failed: Agent terminated early due to an API error: {ERROR}"),  # 2.1.327
    ],
)
def test_why_a_run_has_failed_is_told_before_the_host_has_written_it_down(drive, status, result, summary):
    """Seen on both: the notification is there, and the transcript still ends with the last call."""
    drive.prompt("/bg Count the words")
    drive.launch("Count the words", "a1")
    path = drive.transcript_of("a1", "Next: count.")
    called = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "wc -w text"}}
    returned = {"type": "tool_result", "tool_use_id": "t1", "content": "2"}
    with path.open("a", encoding="utf-8") as file:
        for kind, part in (("assistant", called), ("user", returned)):
            file.write(json.dumps({"type": kind, "uuid": kind, "message": {"content": [part]}}) + "\n")
    told = context(drive.announced("a1", status, result, summary))
    assert "was cut off before it could report (failed)" in told
    assert f"> {ERROR}" in told


def test_a_call_that_the_host_ended_with_the_run_was_refused_by_nobody(drive):
    """The host's answer to it speaks in the user's name."""
    at_work(drive)
    path = drive.transcript_of("a1", "").with_name("agent-a1.jsonl")
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    parts = [part for record in records for part in record["message"]["content"] if isinstance(part, dict)]
    called = [part for part in parts if part.get("type") == "tool_use"]
    rejected = {"type": "tool_result", "content": "No.", "is_error": True, "tool_use_id": called[-1]["id"]}
    said = {"type": "text", "text": "[Request interrupted by user for tool use]"}
    with path.open("a", encoding="utf-8") as file:
        for part in (rejected, said):
            file.write(json.dumps({"type": "user", "message": {"role": "user", "content": [part]}}) + "\n")
    drive.stop()
    told = context(drive.announced("a1", "killed", "Now part 1.", "was stopped by Claude"))
    assert "was cut off before it could report (killed)" in told
    assert "(it was stopped before it came back)" in told
    assert f"Open step:\n> {called[-1]['name']}: " in told


def test_where_the_user_reads_along_it_is_one_line(drive, monkeypatch):
    monkeypatch.setattr(durations, "GRACE", -1.0)
    monkeypatch.setattr(durations, "ANNOUNCED_WITHIN", -1.0)
    monkeypatch.setenv("CLAUDE_CODE_SESSION_ATTENDED", "1")
    at_work(drive)
    said = drive.stop(background_tasks=[])
    told = said.get("reason") or context(said)
    left = [line for line in told.splitlines() if line.startswith("Changed since the launch: ")]
    assert len(left) == 1, told
    assert "made.txt" in left[0]
    assert "; open step: “" in left[0]
    assert len(told.splitlines()) <= 6


@pytest.mark.parametrize("spoke", ["prose", "signal"])
def test_a_run_that_has_spoken_is_told_in_its_own_words_only(drive, spoke):
    token = at_work(drive)
    text = "I am done." if spoke == "prose" else block("STOP_WORK", token)
    drive.ends("a1", text)
    drive.ends("a1", text, stop_hook_active=True)
    assert "What it left" not in context(drive.announced("a1"))


def test_a_report_that_is_just_being_handed_over_was_not_cut_off(drive):
    """The host takes its time over the call, and meanwhile tells the parent of another agent."""
    at_work(drive)
    drive.scene = "handback"
    call = recorded(drive.version, "handback", "PreToolUse", "SubagentHandback")
    path = drive.transcript_of("a1", "I have what I need, and hand it over.")
    for words in ("All is well, no block.", "As I said."):
        given = {"type": "tool_use", "id": "toolu_h", "name": "SubagentHandback", "input": {"message": words}}
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"type": "assistant", "message": {"role": "assistant", "content": [given]}}) + "\n")
        drive.send(call, agent_id="a1", tool_input={"message": words})
    told = context(drive.prompt('<agent-message from="b1">\n  Another one.\n</agent-message>'))
    assert "ended without a readable signal block" in told
    assert "All is well, no block." in told
    assert "was cut off" not in told
    assert "What it left" not in told
