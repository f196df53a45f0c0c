"""What others have written: devices, pipes, folders, huge files, JSON of any depth, folders that vanish."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bg import settings
from bg.evidence import Launch, Look, baseline, examine
from bg.host import agents, arrivals, transcripts
from bg.ledger import place
from bg.loop import delivered
from drive import Drive, block, context, recorded

KINDS = ["device", "pipe", "folder", "huge", "loop"]
DEEP = '{"type": "user", "a": ' + "[" * 1200 + "]" * 1200 + "}"


@pytest.fixture(autouse=True)
def _no_more_than_a_gigabyte() -> Iterator[None]:
    """What reads a device to its end fails here; what waits for a pipe's writer is ended by one."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 30, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)


def make(path: Path, kind: str) -> Path:
    """Something that is no file to be read."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "device":
        path.symlink_to("/dev/zero")
    elif kind == "pipe":
        os.mkfifo(path)
        # A reader that waits is let go, and the test fails by what it was given.
        threading.Timer(5, _let_go, [path]).start()
    elif kind == "folder":
        path.mkdir()
    elif kind == "loop":
        path.symlink_to(path.name)
    else:
        with path.open("wb") as file:
            file.truncate(1 << 40)
    return path


def _let_go(path: Path) -> None:
    try:
        number = os.open(path, os.O_WRONLY | os.O_NONBLOCK)
    except OSError:
        return
    os.write(number, b'{"gate": "observe"}')
    os.close(number)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whose", ["the user's", "the project's"])
def test_settings_are_read_from_a_file_only(kind: str, whose: str, tmp_path: Path) -> None:
    folder = Path(place.config_directory()) if whose == "the user's" else tmp_path / ".claude"
    path = make(folder / "bg.json", kind)
    found, problems = settings.read(str(tmp_path))
    assert found == settings.read(str(tmp_path / "other"))[0]
    assert [problem.startswith(f"{path} cannot be read: ") for problem in problems] == [True]


@pytest.mark.parametrize("kind", KINDS)
def test_a_transcript_is_read_from_a_file_only(kind: str, tmp_path: Path) -> None:
    path = str(make(tmp_path / "agent-a1.jsonl", kind))
    assert transcripts.tail(path) == []
    assert transcripts.first_prompt(path) == ""
    assert transcripts.said_since(path, 0) == ([], 0)
    assert arrivals.settled_text(path, wait=0).text == ""


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("whose", ["agent", "parent"])
def test_the_loop_goes_on_past_such_a_transcript(kind: str, whose: str, tmp_path: Path) -> None:
    drive = Drive("2.1.197", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    path = drive.transcript if whose == "parent" else drive.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    if whose == "parent":
        path.unlink()
    make(path, kind)
    text = block("COMPLETION_REPORT", token)
    said = drive.send(
        recorded(drive.version, drive.scene, "SubagentStop"),
        agent_id="a1",
        agent_transcript_path=str(path) if whose == "agent" else "",
        last_assistant_message=text,
    )
    assert said == {}
    assert "reports" in context(drive.announced("a1"))
    drive.stop()
    assert drive.rows("SELECT text FROM reports") == [{"text": text}]
    assert drive.rows("SELECT * FROM errors") == []


@pytest.mark.parametrize("kind", KINDS)
def test_a_deliverable_is_read_from_a_file_only(kind: str, tmp_path: Path) -> None:
    make(tmp_path / "out" / "result.json", kind)
    make(tmp_path / "out" / "result.md", kind)
    launch = Launch(tmp_path, tmp_path, "", 0.0)
    fields = {
        "deliverables": "Wrote `out/result.json`, 3 lines",
        "summary": "See out/result.json:2",
        "status": "success",
    }
    calls: list[dict[str, Any]] = []
    for name in ("result.json", "result.md"):
        file = {"file_path": str(tmp_path / "out" / name)}
        opened = {"type": "tool_use", "id": name, "name": "Read", "input": file}
        result = {"type": "tool_result", "tool_use_id": name, "content": "1\t{}"}
        calls += [
            {"type": kind, "message": {"role": kind, "content": [part]}}
            for kind, part in (("assistant", opened), ("user", result))
        ]
    (tmp_path / "agent.jsonl").write_text("".join(json.dumps(each) + "\n" for each in calls))
    examine("I wrote out/result.json; see out/result.json:2", fields, launch, str(tmp_path / "agent.jsonl"))
    data, why = delivered._inside(str(tmp_path), "out/result.md", Look(launch, str(tmp_path / "agent.jsonl")))
    assert not data
    assert "cannot be read" in why or "larger" in why or kind == "device"


def test_a_huge_file_of_the_commit_at_launch_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=x", "-c", "user.email=x@example.org"]
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(baseline.BLOB + 1)
    (tmp_path / "small").write_text("small")
    for words in (["init", "-q"], ["add", "."], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True)
    head = subprocess.run([*git, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    asked: list[list[str]] = []
    real = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda words, **more: asked.append(words) or real(words, **more))
    known = baseline.Baseline(tmp_path, head)
    assert (known.content("small"), known.content("huge")) == (b"small", None)
    assert [words[-1] for words in asked if "blob" in words] == [known.files["small"]]


def test_the_output_of_a_task_may_be_nested_deep(tmp_path: Path) -> None:
    drive = Drive("2.1.7", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    text = block("COMPLETION_REPORT", token)
    line = {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": text}]}}
    output = f"{DEEP}\n{json.dumps(line)}\n{json.dumps({'type': [], 'uuid': {}})}"
    task = {"task_id": "a1", "status": "completed", "output": output}
    said = drive.send(
        {**recorded("2.1.7", "background", "PostToolUse", drive.spawn), "tool_name": "TaskOutput"},
        tool_input={"task_id": "a1"},
        tool_response={"task": task},
    )
    assert "reports" in context(said)
    assert drive.rows("SELECT text FROM reports") == [{"text": text}]
    assert drive.rows("SELECT * FROM errors") == []


ODD = {
    "deep": DEEP,
    "deep, in a tool call": json.dumps(
        {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": "X", "input": {}}]}}
    ).replace("{}", '{"a":' * 900 + "1" + "}" * 900),
    "numbers": '{"type": "user", "a": ' + "9" * 10_000 + "}",
    "kinds": '{"type": ["user"], "uuid": {}, "message": {"content": [{"type": {}}, 3]}, "attachment": {"type": []}}',
    "bytes": '{"type": "user", "uuid": "\udcff\udcfe"}',
    "times": '{"attachment": {"type": "queued_command", "prompt": "x"}, "timestamp": "0001-01-01T00:00:00"}',
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("version", ["2.1.7", "2.1.197"])
def test_one_odd_line_costs_nothing_but_itself(odd: str, drive: Drive) -> None:
    """In the agent's transcript and in the parent's, before and behind the report."""
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    own = drive.transcript.with_suffix("") / "subagents" / "agent-a1.jsonl"
    own.parent.mkdir(parents=True)
    for path in (own, drive.transcript):
        with path.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{ODD[odd]}\n")
    drive.stop()
    text = block("COMPLETION_REPORT", token)
    assert drive.ends("a1", text) == {}
    assert "reports" in context(drive.announced("a1"))
    drive.stop()
    assert drive.prompt("And now?") == {}
    assert drive.rows("SELECT text FROM reports") == [{"text": text}]
    assert drive.rows("SELECT * FROM errors") == []


@pytest.mark.parametrize("version", ["2.1.7", "2.1.197"])
def test_half_a_surrogate_anywhere_in_a_record_costs_no_report(version: str, tmp_path: Path, drive) -> None:
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    text = block("COMPLETION_REPORT", token)
    path = drive.transcript_of("a1", text)
    line = json.loads(path.read_text(encoding="utf-8"))
    half = {**line, "uuid": "\ud83d", "cwd": f"{tmp_path}/\udcff", "gitBranch": "\udc00"}
    path.write_text(json.dumps(half) + "\n", encoding="utf-8")
    assert "\\ud83d" in path.read_text(encoding="utf-8")
    payload = recorded(version, drive.scene, "SubagentStop")
    words = {"last_assistant_message": text} if "last_assistant_message" in payload else {}
    drive.send(payload, agent_id="a1", agent_transcript_path=str(path), **words)
    assert "reports" in context(drive.announced("a1"))
    assert drive.rows("SELECT text FROM reports") == [{"text": text}]
    assert drive.rows("SELECT last_uuid FROM runs") == [{"last_uuid": "?"}]
    assert drive.rows("SELECT * FROM errors") == []


def test_half_a_surrogate_in_what_a_report_spells_as_json_costs_nothing(tmp_path: Path) -> None:
    drive = Drive("2.1.197", tmp_path)
    drive.prompt("/bg Audit")
    token = drive.launch("Audit.", "a1")
    fields = {"agent_id": token, "summary": "Done \ud83d", "status": "success", "deliverables": ["a \udc00"]}
    for text in (json.dumps(fields), f"[COMPLETION_REPORT]\n{json.dumps(fields)}\n[/COMPLETION_REPORT]"):
        assert "\\ud83d" in text
        drive.ends("a1", text)
    assert "bg-1" in context(drive.announced("a1"))
    assert drive.rows("SELECT * FROM errors") == []


def projects(top: Path, count: int) -> Path:
    """A home with many projects of several sessions; the transcript of one session."""
    for number in range(count):
        for session in range(5):
            (top / f"other-{number}" / f"s{session}" / "subagents").mkdir(parents=True)
    own = top / "own"
    for session in ("s1", "s2"):
        (own / session / "subagents").mkdir(parents=True)
        (own / f"{session}.jsonl").touch()
    return own / "s1.jsonl"


def opened(monkeypatch: pytest.MonkeyPatch, path: Path) -> int:
    """How many directories are opened in search of agents that are, and are not, to be found."""
    count = 0

    def counting(real: Any) -> Any:
        def call(*arguments: Any, **more: Any) -> Any:
            nonlocal count
            count += 1
            return real(*arguments, **more)

        return call

    with monkeypatch.context() as patch:
        patch.setattr(os, "scandir", counting(os.scandir))
        patch.setattr(os, "listdir", counting(os.listdir))
        assert agents.of_agent(str(path), "none") == ""
        assert agents.of_agent(str(path), "a2").endswith("own/s2/subagents/agent-a2.jsonl")
        assert not agents.wakes_whole(str(path), "a2")
        assert agents.wakes_whole(str(path), "a1")
        assert [agents.agent_in(found) for found in agents.agents_of(str(path))] == ["a1"]
    return count


def test_how_many_other_projects_there_are_does_not_matter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    counts = []
    for number in (0, 30):
        path = projects(tmp_path / str(number), number)
        for session, agent in (("s1", "a1"), ("s2", "a2")):
            (path.parent / session / "subagents" / f"agent-{agent}.jsonl").touch()
        counts.append(opened(monkeypatch, path))
    assert counts[0] == counts[1]
    assert counts[0] <= 10


def test_an_agent_of_another_project_is_not_looked_for(tmp_path: Path) -> None:
    path = projects(tmp_path, 1)
    (tmp_path / "other-0" / "s0" / "subagents" / "agent-a3.jsonl").touch()
    assert agents.of_agent(str(path), "a3") == ""


def test_a_part_with_another_session_of_the_project_is_seen(tmp_path: Path) -> None:
    path = projects(tmp_path, 0)
    for session in ("s1", "s2"):
        (path.parent / session / "subagents" / "agent-a1.jsonl").touch()
    assert agents.of_agent(str(path), "a1").endswith("s1/subagents/agent-a1.jsonl")
    assert not agents.wakes_whole(str(path), "a1")


def test_a_listing_survives_what_vanishes_under_it(tmp_path: Path) -> None:
    """Folders come and go by the thousand while agents are looked for and the data directory is found."""
    path = projects(tmp_path / "projects", 3)
    data = tmp_path / "config" / "plugins" / "data"
    mover = f"""
import os, shutil
while True:
    for top in ({str(tmp_path / "projects" / "come")!r}, {str(path.parent / "come")!r}, {str(data / "bg-come")!r}):
        os.makedirs(os.path.join(top, "s", "subagents"), exist_ok=True)
        shutil.rmtree(os.path.dirname(top) if top.endswith("bg-come") else top)
"""
    process = subprocess.Popen([sys.executable, "-I", "-c", mover])
    environment = os.environ.copy()
    try:
        os.environ.update(CLAUDE_CONFIG_DIR=str(tmp_path / "config"))
        os.environ.pop("BG_DATA", None)
        for _ in range(3000):
            assert agents.of_agent(str(path), "none") == ""
            assert agents.wakes_whole(str(path), "none")
            assert agents.agents_of(str(path)) == []
            place.directories()
        assert process.poll() is None
    finally:
        os.environ.clear()
        os.environ.update(environment)
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", ["x" * 300, "a\0b", "../../etc", ""])
def test_an_agents_name_may_be_anything(name: str, tmp_path: Path) -> None:
    path = projects(tmp_path, 0)
    assert agents.of_agent(str(path), name) == ""
    assert agents.wakes_whole(str(path), name)
