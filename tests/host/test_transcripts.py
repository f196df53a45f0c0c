"""Transcripts: an agent's words and calls, whether they are all there, where its file is, who has typed a prompt."""

from __future__ import annotations

import json

import pytest
from bg.host import agents, origins, tools, transcripts
from bg.host.event import read
from recordings import NEWEST

CALL = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {}}


def said(words: str, *calls: dict) -> dict:
    content = [{"type": "text", "text": words}, *calls]
    return {"type": "assistant", "uuid": words, "message": {"role": "assistant", "content": content}}


def user(words: str) -> dict:
    return {"type": "user", "message": {"role": "user", "content": words}}


@pytest.mark.parametrize(
    ("records", "text", "is_settled"),
    [
        ([user("Audit"), said("I begin."), said("Done.")], "Done.", True),
        ([said("I begin."), user("And the tests?")], "I begin.", False),
        ([said("I begin.", CALL)], "I begin.", False),
        ([said("I begin."), said("", CALL)], "I begin.", False),
        ([said("I begin."), said("", CALL), user("a result"), said("Done.")], "Done.", True),
        ([said("Done."), {"type": "system", "content": "a note of the host's"}], "Done.", True),
        ([user("Audit")], "", False),
        ([], "", False),
    ],
)
def test_the_last_words_are_settled_until_something_stands_behind_them(records, text, is_settled):
    found = transcripts.last_assistant(records)
    assert (text, text, is_settled) == (found.text, found.uuid, found.settled)


@pytest.mark.parametrize("place", ["session/subagents/agent-a1.jsonl", "agent-a1.jsonl"])
def test_an_agent_is_found_where_newer_and_where_older_hosts_keep_it(tmp_path, place):
    path = tmp_path / place
    assert agents.of_agent(str(tmp_path / "session.jsonl"), "a1") == ""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("")
    assert agents.of_agent(str(tmp_path / "session.jsonl"), "a1") == str(path)
    assert agents.of_agent(str(tmp_path / "session.jsonl"), "a2") == ""


@pytest.mark.parametrize(
    ("sessions", "whole"),
    [((), True), (("own",), True), (("other",), False), (("own", "other"), False), (("own", "linked"), True)],
)
def test_an_agent_wakes_without_its_memory_if_another_session_holds_any_of_it(tmp_path, sessions, whole):
    """Where the session has moved into the background, the other one only links to it."""
    for name in sessions:
        path = tmp_path / name / "subagents/agent-a1.jsonl"
        path.parent.mkdir(parents=True)
        if name == "linked":
            path.symlink_to(tmp_path / "own/subagents/agent-a1.jsonl")
        else:
            path.write_text("")
    assert whole == agents.wakes_whole(str(tmp_path / "own.jsonl"), "a1")
    assert agents.wakes_whole(str(tmp_path / "own.jsonl"), "a2")


def test_all_that_the_model_said_is_read_however_much_its_tools_brought_between(tmp_path):
    path = tmp_path / "agent-a1.jsonl"
    brought = {"type": "user", "toolUseResult": "x" * 2 * transcripts.TAIL}
    records = [said("I begin."), brought, said("Done.")]
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    found, place = transcripts.said_since(str(path), 0)
    assert ["I begin.", "Done."] == [line.record["uuid"] for line in found]
    assert path.stat().st_size == place


def test_the_calls_of_one_message_are_told_from_those_of_the_next():
    """The host writes a record for each part of a message; the message's id holds them together."""

    def called(message: str, call: str) -> dict:
        record = said("", {**CALL, "id": call})
        return {**record, "message": {**record["message"], "id": message}}

    records = [called("m1", "t1"), called("m2", "t2"), called("m2", "t3"), user("a result"), called("m2", "t4")]
    before, behind = transcripts.beside(records, "t3")
    assert (["t2"], ["t4"]) == ([call for call, _, _ in before], [call for call, _, _ in behind])


def test_a_command_that_claude_runs_by_itself_is_read_whichever_way_it_is_named():
    def given(**words: str) -> tuple[str, str]:
        event = {"session_id": "s", "hook_event_name": "PreToolUse", "tool_name": "Skill", "tool_input": words}
        return tools.invoked_command(read(json.dumps(event)))

    assert given(skill="bg:bg-answer", args="bg-1 Q1: yes") == ("bg-answer", "bg-1 Q1: yes")
    assert given(command="/bg-status") == ("bg-status", "")
    assert given(skill="commit") == ("", "")
    assert given() == ("", "")


def test_a_record_of_this_turn_with_these_words_signs_a_prompt(tmp_path):
    path = tmp_path / "session.jsonl"
    marks = {"entrypoint": "cli", "origin": {"kind": "human"}, "promptSource": "typed", "turnOrigin": "human"}
    path.write_text(json.dumps({**user("Keep the API"), **marks, "promptId": "p1", "version": NEWEST}) + "\n")
    assert origins.is_signed(str(path), 0, "Keep the API", "p1")
    assert not origins.is_signed(str(path), 0, "Keep the API", "p2")
    assert not origins.is_signed(str(path), 0, "Break the API", "p1")
    assert not origins.is_signed(str(path), path.stat().st_size, "Keep the API", "p1")


def test_another_session_has_joined_a_turn_only_by_a_record_of_that_turn(tmp_path):
    path = tmp_path / "session.jsonl"
    posted = {**user("Hello"), "isMeta": True, "origin": {"kind": "peer", "from": "uds:/tmp/other"}}

    def joined(*records: dict) -> str | None:
        path.write_text("".join(json.dumps(record) + "\n" for record in records))
        return origins.peer_in_turn(str(path), "p2")

    mine, former = {**user("Go on"), "promptId": "p2"}, {**user("Audit"), "promptId": "p1"}
    assert joined(former, mine) == ""
    assert joined(former, mine, posted)
    assert joined(former, posted, mine) == ""
    assert joined(mine, posted, former) is None
    assert joined() == ""
