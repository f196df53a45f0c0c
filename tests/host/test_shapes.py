"""Whose prompt a record is: as real clients have written them, and with one mark more, one less or another one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bg.host import origins, versions
from rig import clients

#: Records of prompts of each client, without what names a machine or a moment; `whose` says who made them.
PROMPTS = json.loads((Path(__file__).parent / "prompts.json").read_text(encoding="utf-8"))
HUMAN = [each for each in PROMPTS if each["whose"] == "human"]
NAMED = [each for each in HUMAN if "entrypoint" in each["record"]]


def name(each: dict) -> str:
    return f"{each['record']['version']} {each['way']}"


def judged(record: dict, tmp_path: Path, *before: dict) -> origins.Origin:
    """Who has said it, in a transcript that has nothing else but what is before it."""
    path = tmp_path / "transcript.jsonl"
    path.write_text("".join(json.dumps(each) + "\n" for each in (*before, record)))
    prompt = record.get("attachment", {}).get("prompt") or record["message"]["content"]
    words = prompt if isinstance(prompt, str) else prompt[0]["text"]
    found = origins.of_prompt(str(path), 0, "/bg-answer words" if "<command" in words else words, "")
    assert found is not None
    return found


@pytest.mark.parametrize("each", PROMPTS, ids=name)
def test_what_a_client_writes_is_whose_it_was(each, tmp_path, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli" if each["whose"] == "sdk" else "cli")
    # Every client writes down that a schedule fires; on 2.1.100 nothing else tells its prompt.
    fires = (
        [{"type": "system", "subtype": "scheduled_task_fire", "uuid": "f-1"}] if each["whose"] == "a schedule" else []
    )
    found = judged({**each["record"], "parentUuid": "f-1"} if fires else each["record"], tmp_path, *fires)
    assert each["whose"] in (found.kind, found.who)


def test_every_client_is_among_them():
    assert {each["record"]["version"] for each in HUMAN} == set(clients.VERSIONS)
    assert all(len([each for each in HUMAN if each["record"]["version"] == one]) >= 8 for one in clients.VERSIONS)


@pytest.mark.parametrize("mark", origins.MARKS)
@pytest.mark.parametrize("each", NAMED, ids=name)
def test_one_mark_more_or_another_one_is_nobodys(each, mark, tmp_path):
    """Whatever it says: the table names what may be there, and no other."""
    record = each["record"]
    holder = "attachment" if "attachment" in record else None
    changed = {**record, holder: {**record[holder], mark: "dream"}} if holder else {**record, mark: "dream"}
    if mark in ("isMeta", "isSidechain") and not holder:
        changed = {**record, mark: "dream"}
        assert origins.shape_of(changed) is None
        return
    if mark == "entrypoint":
        assert judged(changed, tmp_path).kind != origins.HUMAN
        return
    assert judged(changed, tmp_path).kind not in (origins.HUMAN, origins.SDK)


@pytest.mark.parametrize("each", [each for each in NAMED if each["record"]["version"] >= "2.1.2"], ids=name)
def test_without_an_origin_or_an_entrypoint_it_is_nobodys(each, tmp_path):
    for mark in ("origin", "entrypoint", "version"):
        record = json.loads(json.dumps(each["record"]))
        holder = record["attachment"] if mark in record.get("attachment", {}) else record
        del holder[mark]
        assert judged(record, tmp_path).kind == origins.UNKNOWN, mark


def test_each_row_of_the_table_was_seen_on_its_clients():
    """And each is needed: a row that no recorded prompt fits would be a guess."""
    fitting = {id(origins.shape_of(each["record"])) for each in PROMPTS}
    assert [row for row in origins.SHAPES if id(row) not in fitting] == []
    for row in origins.SHAPES:
        for seen in row.seen.split(", "):
            version = versions.version_of(seen)
            assert version is not None
            assert row.since <= version
            assert row.until is None or version < row.until


@pytest.mark.parametrize("number", range(8, 340, 3))
@pytest.mark.parametrize("form", [origins.PLAIN, origins.COMMAND])
def test_between_two_clients_a_prompt_is_somebodys(number, form):
    """A version that nobody tried writes as the one before it did, or as the one behind it does."""
    before = [each for each in clients.VERSIONS if clients.numbers(each) <= (2, 1, number)][-1:]
    behind = [each for each in clients.VERSIONS if clients.numbers(each) >= (2, 1, number)][:1]
    found = [
        origins.shape_of({**each["record"], "version": f"2.1.{number}"})
        for each in HUMAN
        if each["record"]["version"] in before + behind and origins.form_of(each["record"]) == form
    ]
    assert any(found)


def test_from_2_1_78_on_a_prompt_names_what_has_started_its_session():
    """As typed on 2.1.78 and 2.1.98: `entrypoint`, and no other mark."""
    typed = {"type": "user", "version": "2.1.78", "entrypoint": "cli", "message": {"role": "user", "content": "Hello"}}
    for version, whose in (("2.1.77", None), ("2.1.78", origins.HUMAN), ("2.1.98", origins.HUMAN)):
        found = origins.shape_of({**typed, "version": version})
        assert whose == (found.whose if found else None)


@pytest.mark.parametrize(
    ("marks", "who"),
    [
        ({"origin": {"kind": "task-notification"}}, "the host (task-notification)"),
        ({"turnOrigin": "auto-continuation"}, "the host (auto-continuation)"),
        ({"isSynthetic": True}, "the host (isSynthetic)"),
        ({"origin": {"kind": "peer", "name": "reviewer"}}, "“reviewer”"),
        ({"origin": {"kind": "peer", "from": "unknown", "verifiedPeerPid": 7}}, "a process, number 7"),
    ],
)
def test_what_names_a_machine_is_that_machines_and_not_of_an_unknown_form(marks, who, tmp_path):
    """No code can confirm it as the user's own words, as it can for a form that no client is known to write."""
    typed = next(each["record"] for each in reversed(HUMAN) if each["way"] == "typed")
    assert (origins.OTHER, who, 0) == tuple(judged({**typed, **marks}, tmp_path))
