"""The hooks on a bare Python, and what no host should send: exit 0, a usable answer or none, nothing lost."""

from __future__ import annotations

import copy
import io
import json
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from answers import check_answer, context, updated
from bg import durations
from bg import hook as way_in
from bg.host import tools
from bg.ledger import place
from bg.ledger.file import Ledger
from bg.ledger.naming import TOKEN
from bg.loop import routes
from bg.protocol import signals
from generations import NEWEST
from hook import STDERR_LIMIT, Machine, name_of
from loop import PLAIN
from recordings import Payload, events, everything
from rig import clients

QUESTION = signals.schema("CLARIFICATION_NEEDED")["examples"][0]
REPORT = {**signals.schema("COMPLETION_REPORT")["examples"][0], **PLAIN}
TASK = "Audit the authentication code"


def _pythons() -> list[Path]:
    """The oldest supported interpreter and the newest one that this machine has."""
    versions = Path.home() / ".pyenv" / "versions"
    found = sorted(versions.glob("3.*/bin/python"), key=lambda path: clients.numbers(path.parts[-3]))
    usable = [path for path in found if clients.numbers(path.parts[-3]) >= (3, 9)]
    return list(dict.fromkeys([*usable[:1], *usable[-1:]])) or [Path(sys.executable)]


@pytest.fixture(scope="module", params=_pythons(), ids=lambda path: path.parts[-3])
def bare(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A fresh virtual environment without any package."""
    folder = tmp_path_factory.mktemp("bare") / "venv"
    subprocess.run([str(request.param), "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    python = folder / "bin" / "python3"
    probe = subprocess.run([str(python), "-c", "import yaml"], capture_output=True, check=False)
    assert probe.returncode != 0, "this interpreter has packages"
    return python


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """The interpreter that runs these tests, which has both packages."""
    return Machine(tmp_path, sys.executable)


class Story:
    """A recorded launch, end, resume and end, retold with our command, our token and our blocks."""

    def __init__(self, machine: Machine, version: str) -> None:
        self.machine = machine
        self.version = version
        self.events = events(version, "resume")
        self.token = ""
        self.turns: list[tuple[str, str]] = []

    def named(self, name: str, number: int = 0) -> Payload:
        """One of the recorded events."""
        wanted = name.split()
        found = [
            event
            for event in self.events
            if event["hook_event_name"] == wanted[0] and wanted[1:] in ([], [event.get("tool_name", "")])
        ]
        event = copy.deepcopy(found[number])
        event["transcript_path"] = event["transcript_path"].replace("/home/user", str(self.machine.home))
        return event

    @property
    def spawn(self) -> str:
        return "Task" if clients.numbers(self.version) < (2, 1, 63) else "Agent"

    def launch(self) -> None:
        tell = self.machine.tell
        assert tell(self.named("SessionStart")) is None
        said = tell({**self.named("UserPromptSubmit"), "prompt": f"/bg {TASK}"})
        assert "[from the bg plugin, not from the user] label: bg-1 " in context(said)
        event = self.named(f"PreToolUse {self.spawn}")
        event["tool_input"]["description"] = "bg-1: audit auth"
        given = updated(tell(event))
        assert f"## Your task\n\n{event['tool_input']['prompt']}\n\n" in given["prompt"]
        assert given["run_in_background"] is True
        self.token = TOKEN.findall(given["prompt"])[0]
        self.turns = [("user", given["prompt"])]
        after = self.named(f"PostToolUse {self.spawn}")
        after["tool_input"] = given
        said = tell(after)
        assert (said or {})["systemMessage"].startswith("bg-1 started: audit auth")

    def end(self, number: int, words: str) -> Payload | None:
        """A run ends with these words; what the hook says to the agent."""
        event = self.named("SubagentStop", number)
        self.turns.append(("assistant", words))
        if "last_assistant_message" in event:
            event["last_assistant_message"] = words
        event["agent_transcript_path"] = self.machine.transcript(event["agent_id"], *self.turns)
        return self.machine.tell(event)

    def notified(self, number: int) -> str:
        """What the parent is told when the host announces the end."""
        prompts = [event for event in self.events if event.get("prompt", "").startswith("<task-notification>")]
        return context(self.machine.tell(prompts[number]))

    def answer(self, words: str) -> str:
        """The user answers, the parent wakes the agent; the message that the agent gets."""
        said = self.machine.tell({**self.named("UserPromptSubmit"), "prompt": f"/bg-answer {words}"})
        assert "Resume it now" in context(said), said
        tool, key = ("Task", "prompt") if self.spawn == "Task" else ("SendMessage", "message")
        directory = 1 if tool == "Task" else 0
        given = updated(self.machine.tell(self.named(f"PreToolUse {tool}", directory)))
        self.turns.append(("user", given[key]))
        after = self.named(f"PostToolUse {tool}", directory)
        after["tool_input"] = given
        assert "systemMessage" not in (self.machine.tell(after) or {})
        return str(given[key])


def retell(machine: Machine, version: str) -> None:
    """The whole loop; every step is asserted."""
    story = Story(machine, version)
    story.launch()
    question = signals.render("CLARIFICATION_NEEDED", {**QUESTION, "agent_id": story.token})
    assert story.end(0, f"Notes.\n\n{question}") is None
    asked = story.notified(0)
    for item in QUESTION["questions"]:
        assert item["text"] in asked
    answered = story.answer("Q1: both, \"csv\" & 'xlsx' $HOME `x`  Q2: no")
    assert "A1: both, \"csv\" & 'xlsx' $HOME `x`" in answered
    assert "A2: no" in answered
    assert story.end(1, f"{signals.render('COMPLETION_REPORT', {**REPORT, 'agent_id': story.token})}\n") is None
    assert "reports" in story.notified(1)
    machine.tell(story.named("Stop", -1))
    assert machine.rows("SELECT label, state FROM tasks") == [{"label": "bg-1", "state": "partial"}]
    assert [row["marker"] for row in machine.rows("SELECT marker FROM signals ORDER BY id")] == [
        "CLARIFICATION_NEEDED",
        "COMPLETION_REPORT",
    ]
    assert machine.rows("SELECT 1 FROM deliveries WHERE seen IS NULL") == []
    assert machine.rows("SELECT * FROM errors") == []


def test_half_a_surrogate_pair_costs_no_report(machine: Machine) -> None:
    """The hosts cut texts between two UTF-16 units; in the payload, or in the transcript where the payload has no text."""
    for version in ("2.1.7", NEWEST):
        story = Story(Machine(machine.home.parent / version, sys.executable), version)
        story.launch()
        words = f"Half a smiley: \ud83d\n\n{signals.render('COMPLETION_REPORT', {**REPORT, 'agent_id': story.token})}"
        assert story.end(0, words) is None
        assert story.machine.rows("SELECT state FROM tasks") == [{"state": "partial"}]
        assert "Half a smiley: ?" in story.machine.rows("SELECT text FROM reports")[0]["text"]
        assert "reports partial success" in story.notified(0)
        assert story.machine.rows("SELECT * FROM errors") == []


@pytest.mark.parametrize("version", ["2.1.7", NEWEST])
def test_the_whole_loop_on_a_bare_python(bare: Path, tmp_path: Path, version: str) -> None:
    machine = Machine(tmp_path, bare)
    retell(machine, version)


# What no host should send

GARBAGE: dict[str, bytes] = {
    "empty": b"",
    "white space": b" \n\n",
    "text": b"hello",
    "NUL": b"\0" * 5000,
    "not utf-8": b'{"hook_event_name": "UserPromptSubmit", "prompt": "/bg \xff\xfe"',
    "lone surrogate": b'{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"/bg \\ud800 x"}',
    "truncated": b'{"session_id":"s","hook_event_name":"UserPromptSubmit","prompt":"/bg do th',
    "array": b'[{"hook_event_name": "Stop"}]',
    "null": b"null",
    "number": b"17",
    "NaN": b'{"hook_event_name":"Stop","session_id":NaN}',
    "deep": b'{"hook_event_name":"/bg","a":' + b"[" * 100_000,
    "unknown event": b'{"hook_event_name":"/bg NoSuchEvent","session_id":"s","prompt":"/bg x"}',
    "unknown tool": b'{"hook_event_name":"PreToolUse","tool_name":"/bg","session_id":"s"}',
    "no event": b'{"session_id":"s","prompt":"/bg x"}',
    "event is no string": b'{"hook_event_name":["/bg"],"session_id":"s"}',
    "strange session": b'{"hook_event_name":"UserPromptSubmit","session_id":"../../../etc","prompt":"/bg x"}',
    "session with a quote": b'{"hook_event_name":"UserPromptSubmit","session_id":"a\\"b$(id)","prompt":"/bg x"}',
    "shell": b'{"hook_event_name":"UserPromptSubmit","session_id":"s","prompt":"/bg $(touch pwned) `touch pwned` %s"}',
}


@pytest.mark.parametrize("case", GARBAGE)
def test_garbage_on_stdin_disturbs_nothing(machine: Machine, case: str) -> None:
    code, out, err = machine.run(GARBAGE[case])
    assert code == 0
    assert len(err) < STDERR_LIMIT, err
    check_answer("UserPromptSubmit", out)
    assert not (machine.project / "pwned").exists()
    assert not any(path.name == "etc" for path in machine.data.rglob("*"))
    said = machine.tell({"hook_event_name": "UserPromptSubmit", "session_id": "good", "prompt": f"/bg {TASK}"})
    assert "[from the bg plugin, not from the user] label: bg-" in context(said)
    if (machine.data / "ledger.db").is_file():
        assert machine.rows("SELECT event, text FROM errors") == []


def test_ten_megabytes_are_taken_whole(machine: Machine) -> None:
    """A huge report arrives entirely in the ledger, a huge prompt is answered, a huge foreign event costs nothing."""
    story = Story(machine, NEWEST)
    story.launch()
    huge = "x " * 5_000_000
    assert story.end(0, f"{huge}\n{signals.render('COMPLETION_REPORT', {**REPORT, 'agent_id': story.token})}") is None
    assert (
        machine.rows(
            "SELECT sum(length(text)) AS n FROM (SELECT text FROM reports UNION ALL SELECT text FROM report_beginnings)"
        )[0]["n"]
        > 10_000_000
    )
    assert machine.rows("SELECT state FROM tasks") == [{"state": "partial"}]
    assert "reports partial success" in story.notified(0)
    said = machine.tell({**story.named("UserPromptSubmit"), "prompt": f"/bg {huge}"})
    assert "[from the bg plugin, not from the user] label: bg-2" in context(said)
    assert machine.run({**story.named("Stop"), "session_id": "foreign", "last_assistant_message": huge}) == (0, "", "")
    assert machine.rows("SELECT * FROM errors") == []


def test_a_closed_pipe_on_stdout_is_no_accident(machine: Machine) -> None:
    """The host was killed while the hook wrote: the hook ends with 0, and the delivery is not counted as said."""
    process = machine.start({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": f"/bg {TASK}"})
    assert process.stdout
    assert process.stdin
    assert process.stderr
    process.stdout.close()
    process.stdin.write(process.data)  # type: ignore[attr-defined]
    process.stdin.close()
    err = process.stderr.read().decode()
    process.stderr.close()
    assert process.wait(30) == 0
    assert len(err) < STDERR_LIMIT, err


# Fuzz: what stands in for a value, and where

HUGE = "x" * 70_000
WRONG: list[Any] = [
    None,
    [],
    {},
    0,
    -1,
    1.5,
    True,
    "",
    "\0",
    HUGE,
    [None],
    {"a": None},
    ["x", 1],
    "\ud800",
    "/bg",
    "bg-1",
]


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every key and index in a payload."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield (*path, key)
        yield from _places(item, (*path, key))


def _spoil(payload: Payload, rng: random.Random) -> tuple[Payload, str]:
    """The payload with one or two things gone or wrong, and what was done to it."""
    spoiled = copy.deepcopy(payload)
    done = []
    for _ in range(rng.choice((1, 1, 2))):
        *path, last = rng.choice(list(_places(spoiled)))
        inside: Any = spoiled
        for key in path:
            inside = inside[key]
        if rng.random() < 0.3:
            del inside[last]
            done.append(f"no {[*path, last]}")
        else:
            inside[last] = copy.deepcopy(rng.choice(WRONG))
            done.append(f"{[*path, last]} = {str(inside[last])[:20]!r}")
        if not spoiled:
            break
    return spoiled, ", ".join(done)


def _mine(payload: Payload, session: str) -> Payload:
    """A recorded payload as it would be in a session with tasks of ours."""
    mine = {**copy.deepcopy(payload), "session_id": session}
    if mine["hook_event_name"] == "UserPromptSubmit" and mine.get("prompt") == "Launch it":
        mine["prompt"] = f"/bg {TASK}"
    return mine


def _corpus() -> list[tuple[str, Payload]]:
    found = [
        (directory, payload)
        for directory, payload in everything()
        if (name_of(payload), tools.known(payload.get("tool_name", ""))) in routes.HANDLERS
    ]
    assert len(found) > 300
    return found


class _Bytes(io.StringIO):
    """Standard input as a hook has it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.buffer = io.BytesIO(text.encode())


def _inside(payload: Any) -> str:
    """What the handlers answer, without the cost of a process."""
    out = io.StringIO()
    assert way_in.main(_Bytes(json.dumps(payload)), out) == 0  # type: ignore[arg-type]
    return out.getvalue()


@pytest.mark.parametrize("seed", range(4))
def test_wrong_fields_anywhere_in_the_recorded_payloads(
    seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Hundreds of spoiled payloads in sessions of ours: each answer usable, no traceback, and the ledger goes on."""
    monkeypatch.setenv("BG_DATA", str(tmp_path / "data"))
    for name in ("HOME", "CLAUDE_PROJECT_DIR", "TMPDIR"):
        monkeypatch.setenv(name, str(tmp_path))
    for wait in ("LATE_TEXT", "LATE_PROMPT"):
        monkeypatch.setattr(durations, wait, 0.0)  # nobody writes the texts that a spoiled path does not lead to
    rng = random.Random(seed)
    corpus = _corpus()
    failures: dict[str, str] = {}
    for number in range(250):
        where, payload = rng.choice(corpus)
        spoiled, done = _spoil(_mine(payload, f"s{number % 3}"), rng)
        if rng.random() < 0.5:
            _inside(_mine(payload, f"s{number % 3}"))
        out = _inside(spoiled)
        try:
            check_answer(name_of(spoiled), out)
        except (AssertionError, ValueError) as error:
            failures.setdefault(f"{where}: {done}", str(error)[:300])
    said = _inside({"hook_event_name": "UserPromptSubmit", "session_id": "good", "prompt": f"/bg {TASK}"})
    assert "[from the bg plugin, not from the user] label: bg-" in said
    book = Ledger(place.directory())
    errors = book.all("SELECT event, text FROM errors")
    traces = [f"{row['event']}: {row['text'].strip().splitlines()[-1]}" for row in errors]
    book.close()
    assert capsys.readouterr().err == ""
    assert (failures, sorted(set(traces))) == ({}, [])


def test_wrong_fields_through_the_real_process(machine: Machine) -> None:
    """The launcher's own reading of the first bytes, with a smaller number of spoiled payloads."""
    rng = random.Random(9)
    corpus = _corpus()
    machine.tell({"hook_event_name": "UserPromptSubmit", "session_id": "s", "prompt": f"/bg {TASK}"})
    for _ in range(25):
        where, payload = rng.choice(corpus)
        spoiled, done = _spoil(_mine(payload, "s"), rng)
        code, out, err = machine.run(spoiled)
        assert code == 0, (where, done)
        assert len(err) < STDERR_LIMIT, (where, done, err)
        check_answer(name_of(spoiled), out)
    assert machine.rows("SELECT event, text FROM errors") == []


def test_a_schema_that_accepts_anything_would_prove_nothing() -> None:
    """The shapes refuse what the host would not take."""
    for name, said in (
        ("SessionEnd", {"systemMessage": "x"}),
        ("SubagentStop", {"hookSpecificOutput": {"hookEventName": "SubagentStop", "additionalContext": "x"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}),
        ("PreToolUse", {"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedInput": {"a": 1}}}),
        ("UserPromptSubmit", {"decision": "block"}),
        (
            "UserPromptSubmit",
            {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "x" * 4001}},
        ),
        ("Stop", {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "x"}}),
        ("Stop", {}),
        ("Notification", {"systemMessage": "x"}),
    ):
        with pytest.raises(AssertionError):
            check_answer(name, json.dumps(said))
