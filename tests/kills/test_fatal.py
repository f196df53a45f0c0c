"""What ends a hook the hard way (a kill, a crash, no time or memory left) ends two of them at most before it is passed over."""

from __future__ import annotations

import json
import shutil
import signal
import sqlite3
import time
from pathlib import Path
from typing import Any

import pytest
from bg.host import transcripts
from bg.ledger import attempts
from drive import plain
from hook import ROOT
from play import Host, block, label_in, questions, token_in
from rig import conversation

DEATHS = {
    "killed": f"os.kill(os.getpid(), {int(signal.SIGKILL)})",
    "out of time": f"os.kill(os.getpid(), {int(signal.SIGTERM)})",
    "crashed": f"os.kill(os.getpid(), {int(signal.SIGSEGV)})",
}


class Deadly(Host):
    """Real hook processes of a copy of the plugin, in which a step can be made to end its process."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.plugin = root / "plugin"
        for folder in ("hooks", "scripts/bg", "commands"):
            shutil.copytree(ROOT / folder, self.plugin / folder, ignore=shutil.ignore_patterns("__pycache__"))
        self.prefix = ("sh", "-c", f"exec sh '{self.plugin}/hooks/run'")
        self.whole: dict[Path, str] = {}

    def plant(self, module: str, name: str, death: str = DEATHS["killed"], when: str = "True") -> None:
        """This function ends its process from now on, where the condition holds for what it is `given`."""
        path = self.plugin / "scripts" / "bg" / f"{module}.py"
        text = self.whole.setdefault(path, path.read_text())
        deadly = f"    if {when}:\n        import os, time\n        {death}\n"
        path.write_text(
            f"{text}\n\n_whole = {name}\n\n\ndef {name}(*given, **named):\n{deadly}    return _whole(*given, **named)\n"
        )

    def mend(self) -> None:
        for path, text in self.whole.items():
            path.write_text(text)

    def tells(self, event: dict[str, Any]) -> dict[str, Any]:
        """What the hook says, empty where it is ended; the host goes on either way."""
        code, out, _ = self.run(event)
        assert code == 0
        return json.loads(out) if out else {}

    def asks_for(self, words: str) -> str:
        """What is told to a prompt, to whomever."""
        return json.dumps(self.tells(self.prompt(words)), ensure_ascii=False)

    def agent(self, agent: str) -> str:
        """A task is handed over; the token of its agent."""
        label = label_in(self.asks_for("/bg Audit"))
        said = self.tells(self.launch(f"use-{agent}", f"{label}: audit", "Look around."))
        given = said["hookSpecificOutput"]["updatedInput"]
        self.tells(self.launched(f"use-{agent}", agent, given))
        token = token_in(given["prompt"])
        assert token
        return token

    def report(self, agent: str, token: str, words: str) -> None:
        text = block("COMPLETION_REPORT", token, summary=words, deliverables="None", status="success")
        self.agent_says(agent, ("assistant", text))
        self.tells(self.ends(agent, text))

    def passes(self, seconds: float = 60.0) -> None:
        """So much time goes by."""
        with sqlite3.connect(self.data / "ledger.db") as book:
            book.execute("UPDATE reports SET at = at - ?", (seconds,))
            book.execute("UPDATE runs SET began = began - ?", (seconds,))
        book.close()

    def errors(self) -> list[str]:
        return [row["event"] for row in self.rows("SELECT event FROM errors ORDER BY id")]


@pytest.fixture
def host(tmp_path: Path) -> Deadly:
    return Deadly(tmp_path)


@pytest.mark.parametrize("death", DEATHS)
def test_a_report_whose_check_ends_the_hook_is_delivered_unchecked(host: Deadly, death: str) -> None:
    token = host.agent("a1")
    host.plant("loop/judging", "_gather", DEATHS[death])
    host.report("a1", token, "word-a1-x")
    assert [row["text"].count("word-a1-x") for row in host.rows("SELECT text FROM reports")] == [1], (
        "kept before it is judged"
    )
    host.passes()
    assert "word-a1-x" not in host.asks_for("Go on"), "the second hook that it ends"
    said = host.asks_for("And now?")
    assert "word-a1-x" in said
    assert "nothing was checked: the check has ended two hooks" in said
    assert host.rows("SELECT state FROM tasks") == [{"state": "done"}]
    shown = host.asks_for("/bg-status")
    assert "the check of bg-1" in shown
    assert "has ended two hooks" in plain(host.asks_for("/bg-status doctor").replace("\\n>", " "))
    host.mend()
    token = host.agent("a2")
    host.report("a2", token, "word-a2-x")
    assert "nothing was checked" not in host.asks_for("Go on")


def test_what_comes_to_an_end_again_is_no_longer_counted(host: Deadly) -> None:
    token = host.agent("a1")
    host.report("a1", token, "word-a1-x")
    host.plant("loop/reminding", "_to_say")
    for words in ("One", "Two"):
        assert host.asks_for(words) == "{}"
    assert "word-a1-x" not in host.asks_for("Three")
    assert attempts.passed_over(str(host.data), time.time(), transcripts.is_interrupted) == [
        "the reminders: delivery 1 of bg-1"
    ]
    host.mend()
    assert "word-a1-x" not in host.asks_for("Four")
    assert "word-a1-x" in host.asks_for("Five"), "passed over twice, then tried again"
    assert attempts.passed_over(str(host.data), time.time(), transcripts.is_interrupted) == []
    assert host.errors() == ["the reminders: delivery 1 of bg-1"]


def test_one_death_passes_nothing_over(host: Deadly) -> None:
    """Somebody may just have closed the terminal."""
    token = host.agent("a1")
    host.report("a1", token, "word-a1-x")
    host.plant("loop/reminding", "_to_say")
    host.asks_for("One")
    host.mend()
    assert "word-a1-x" in host.asks_for("Two")
    assert host.errors() == []
    assert [*(host.data / "attempts").iterdir()] == []


def test_what_stands_beside_it_is_done_and_it_is_tried_ever_more_rarely(host: Deadly) -> None:
    tokens = {agent: host.agent(agent) for agent in ("a1", "a2")}
    for agent, token in tokens.items():
        host.report(agent, token, f"word-{agent}-x")
    host.plant("loop/reminding", "_to_say", when="given[1].id == 1")
    said = [host.asks_for(f"Prompt {number}") for number in range(16)]
    assert "word-a2-x" in said[2], "what stands beside it is said"
    assert "word-a1-x" not in "".join(said)
    [left] = (host.data / "attempts").glob("*.fallen")
    assert len(left.read_text().splitlines()[2:]) <= 5, "twice, then after 2, 4 and 8 prompts that passed it over"
    host.mend()
    assert "word-a1-x" in "".join(host.asks_for(f"Again {number}") for number in range(8))


@pytest.mark.parametrize(
    ("module", "name"), [("loop/turns", "prompt"), ("loop/proof", "look"), ("loop/reconciling", "catch_up")]
)
def test_no_session_is_silenced_whatever_its_prompts_die_of(host: Deadly, module: str, name: str) -> None:
    """Each command says something at the third time at the latest."""
    token = host.agent("a1")
    host.tells(host.ends("a1", block("CLARIFICATION_NEEDED", token, questions=questions("Which one?"))))
    host.plant(module, name)
    for command in ("/bg-status", "/bg-answer bg-1 Q1: this one", "/bg Another"):
        said = [host.asks_for(command) for _ in range(3)]
        assert said[2] != "{}" or said[1] != "{}" or said[0] != "{}", command
        writes(host, conversation.prompt(host.version, command, host.prompt("")["prompt_id"], attended=True))
    host.mend()
    said = [host.asks_for(f"Go on {number}") for number in range(16)]
    assert "this one" in json.dumps(host.rows("SELECT text FROM answers")), said
    assert not [*(host.data / "spool").glob("*")]


def test_an_event_that_waits_and_ends_hooks_goes_on_waiting(host: Deadly) -> None:
    token = host.agent("a1")
    spool = host.data / "spool"
    spool.mkdir(mode=0o700, exist_ok=True)
    text = block("COMPLETION_REPORT", token, summary="word-a1-x")
    (spool / f"{time.time_ns()}-1.json").write_text(json.dumps(host.ends("a1", text)))
    host.plant("loop/ending", "stopped")
    for words in ("One", "Two"):
        assert host.asks_for(words) == "{}"
        assert len([*spool.iterdir()]) == 1
    assert "bg-2" in host.asks_for("/bg Another"), "what comes after it is handled"
    [left] = spool.iterdir()
    assert "word-a1-x" in left.read_text()
    assert "what waited since" in host.asks_for("/bg-status")
    host.mend()
    said = [host.asks_for(f"Go on {number}") for number in range(4)]
    assert "word-a1-x" in "".join(said), "tried again, and taken in"
    assert [*spool.iterdir()] == []


def test_a_launch_is_refused_where_its_hook_is_passed_over(host: Deadly) -> None:
    """Its agent would have no identity."""
    label = label_in(host.asks_for("/bg Audit"))
    host.plant("loop/launching", "before")
    said = [host.tells(host.launch(f"use-{number}", f"{label}: audit", "Look around.")) for number in range(4)]
    assert [each["hookSpecificOutput"]["permissionDecision"] for each in said] == ["deny"] * 4
    assert "has ended two hooks" in said[2]["hookSpecificOutput"]["permissionDecisionReason"]
    host.mend()
    assert "updatedInput" in json.dumps(host.tells(host.launch("use-4", f"{label}: audit", "Look around.")))


def writes(host: Deadly, *records: dict[str, Any]) -> None:
    """The session's transcript goes on, now."""
    path = Path(host.prompt("")["transcript_path"])
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = conversation.prompt(host.version, "/bg Audit", host.prompt("")["prompt_id"], attended=True)
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps({**whole, **each}) + "\n" for each in records)


def told(part: dict[str, Any]) -> dict[str, Any]:
    return {"message": {"role": "user", "content": [part]}}


INTERRUPTED = told({"type": "text", "text": "[Request interrupted by user for tool use]"})
REJECTED = told({"type": "tool_result", "is_error": True, "tool_use_id": "use-0", "content": "User rejected"})
PROMPT: dict[str, Any] = {}


def launches(host: Deadly, label: str, *records: dict[str, Any]) -> dict[str, Any]:
    """What a launch is answered whose forerunners' two hooks were killed, and what the host wrote then."""
    host.plant("loop/launching", "before")
    for number in range(2):
        host.tells(host.launch(f"use-{number}", f"{label}: audit", "Look around."))
    writes(host, *records)
    host.mend()
    return host.tells(host.launch("use-3", f"{label}: audit", "Look around."))["hookSpecificOutput"]


def test_what_the_user_has_interrupted_has_failed_nobody(host: Deadly) -> None:
    """One Esc ends the hooks of all calls of a message at once, and the host says so a moment later."""
    label = label_in(host.asks_for("/bg Audit"))
    writes(host, PROMPT)
    assert "updatedInput" in launches(host, label, REJECTED, INTERRUPTED)
    assert attempts.passed_over(str(host.data), time.time(), transcripts.is_interrupted) == []
    assert host.errors() == []


@pytest.mark.parametrize("records", [(), (PROMPT,), (PROMPT, INTERRUPTED)], ids=len)
def test_an_interrupt_of_another_turn_excuses_nobody(host: Deadly, records: tuple[dict[str, Any], ...]) -> None:
    label = label_in(host.asks_for("/bg Audit"))
    writes(host, PROMPT, INTERRUPTED)
    assert "has ended two hooks" in launches(host, label, *records)["permissionDecisionReason"]
    assert [each.partition(" Agent")[0] for each in host.errors()] == ["PreToolUse"]


def test_a_ledger_that_ends_whoever_opens_it_is_named_with_the_remedy(host: Deadly) -> None:
    host.agent("a1")
    host.plant("hook", "_opened")
    assert [host.asks_for("/bg-status") for _ in range(2)] == ["{}", "{}"]
    host.mend()
    assert "bg-1" in host.asks_for("/bg-status"), "what has died was no step that is known"
    path = host.plugin / "scripts" / "bg" / "hook.py"
    path.write_text(
        host.whole[path].replace(
            "        return Ledger(folder, clock=given[0], chance=given[1])\n", f"        {DEATHS['killed']}\n"
        )
    )
    for _ in range(2):
        host.asks_for("/bg-status")
    assert "move ledger.db elsewhere" in host.asks_for("/bg-status")
    host.asks_for("/bg-status")
    assert "Nothing was handed over" in "".join(host.asks_for("/bg Another") for _ in range(3))


def test_a_hook_that_hangs_ends_with_the_hosts_patience(host: Deadly) -> None:
    """The host ends only what it has started, which is a shell."""
    host.agent("a1")
    path = host.plugin / "hooks" / "hook.py"
    text = path.read_text()
    assert "_signal.alarm(20)" in text
    assert all(f'"timeout": {seconds}' in (ROOT / "hooks" / "hooks.json").read_text() for seconds in (20,))
    path.write_text(text.replace("_signal.alarm(20)", "_signal.alarm(1)"))
    host.plant("loop/proof", "look", "time.sleep(60)")
    began = time.monotonic()
    assert host.asks_for("/bg-status") == host.asks_for("/bg-status") == "{}"
    assert "bg-1" in host.asks_for("/bg-status")
    assert time.monotonic() - began < 30


def test_hooks_that_live_are_left_alone(host: Deadly) -> None:
    host.agent("a1")
    here = attempts.Attempt(str(host.data), time.time())
    with here.step("something slow"):
        assert "bg-1" in host.asks_for("/bg-status")
        assert "bg-1" in host.asks_for("/bg-status")
    here.close()
    assert [*(host.data / "attempts").iterdir()] == []


def test_where_nothing_can_be_noted_events_are_handled_all_the_same(host: Deadly) -> None:
    (host.data / "attempts").write_text("no folder")
    token = host.agent("a1")
    host.report("a1", token, "word-a1-x")
    assert "word-a1-x" in host.asks_for("Go on")
