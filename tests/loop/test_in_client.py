"""The module in the client: what it is told to show and to do, and which answers its chain proves to be the user's."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest
from bg import machine
from bg.ledger import chains, place
from drive import Drive, block, context
from hosts import HERE, OTHER
from recordings import VERSIONS

QUESTIONS = [
    {"question_id": "Q1", "text": "CSV or JSON?", "context": "Both are used.", "options": "- CSV\n- JSON"},
    {"question_id": "Q2", "text": "Which folder?", "context": "There are several."},
]
BEGUN = {
    "on": True,
    "command": {
        "name": "reply",
        "description": "Answer a background agent at once, also while Claude works; alone: all tasks",
        "argumentHint": "bg-3 Q1: CSV",
    },
}
CLIENT = machine.Process(os.getpid(), "1")


def hashed(data: bytes, times: int) -> bytes:
    for _ in range(times):
        data = hashlib.sha256(data).digest()
    return data


class Module:
    """The module's side: it shares its secret with nobody."""

    def __init__(self, drive: Drive, secret: bytes = b"s" * 32) -> None:
        self.drive, self.secret, self.used, self.calls = drive, secret, 0, 0

    def says(self, did: str, **more: object) -> dict:
        return self.drive.send({"hook_event_name": "Mod", "did": did}, **more)

    def begins(self) -> dict:
        return self.says("begin", commitment=hashed(self.secret, chains.LINKS).hex())

    def proof(self) -> dict:
        self.used += 1
        return {"used": self.used, "link": hashed(self.secret, chains.LINKS - self.used).hex()}

    def puts(self, ask: dict, chosen: str) -> dict:
        """The host's own dialog, with the hooks that fire for it; what the hook behind it says."""
        self.calls += 1
        options = [{"label": each, "description": ""} for each in ask["options"]]
        question = {"question": ask["question"], "header": ask["header"], "multiSelect": False, "options": options}
        call = {"tool_name": "AskUserQuestion", "tool_use_id": f"toolu_plugin_{self.calls}"}
        given = {"questions": [question]}
        self.drive.writes = False  # the host keeps no record of what a module asks
        said = self.drive.send({"hook_event_name": "PreToolUse"}, **call, tool_input=given)
        taken = said["hookSpecificOutput"]["updatedInput"]
        assert [ask["question"]] == [each["question"] for each in taken["questions"]]
        assert ask["options"] == [each["label"] for each in taken["questions"][0]["options"]]
        response = {**taken, "answers": {ask["question"]: chosen}}
        said = self.drive.send({"hook_event_name": "PostToolUse"}, **call, tool_input=taken, tool_response=response)
        self.drive.unwritten, self.drive.writes = [], True
        return said

    def answers(self, ask: dict, chosen: str, **more: object) -> dict:
        assert self.puts(ask, chosen) == {}, "the parent is told nothing"
        return self.says(
            "chose", **{"item": ask["id"], "words": chosen, "seen": [ask["id"]], "proof": self.proof(), **more}
        )

    def answers_both(self) -> dict:
        ask = self.says("key", seen=[])["ask"]
        return self.answers(self.answers(ask, "CSV")["ask"], "x", seen=[1, 2])


@pytest.fixture
def drive(tmp_path, monkeypatch, as_process):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "cli")
    monkeypatch.setattr(machine, "shares_terminal", lambda _: True)
    monkeypatch.setattr(machine, "above", lambda: [CLIENT])
    as_process(CLIENT)
    return Drive(VERSIONS[-1], tmp_path)


def asking(drive: Drive, marker: str = "CLARIFICATION_NEEDED", agent: str = "a1", **fields: object) -> None:
    drive.prompt("/bg:bg Audit the auth code")
    token = drive.launch("Audit.\nGoal: find holes", agent)
    fields = fields or ({"questions": QUESTIONS} if marker == "CLARIFICATION_NEEDED" else {})
    drive.ends(agent, block(marker, token, **fields))


def sent(drive: Drive) -> list[dict]:
    sql = "SELECT q.qid, a.text, p.proof FROM answers a JOIN questions q ON q.id = a.question JOIN proofs p ON p.id = a.proof"
    return drive.rows(f"{sql} ORDER BY a.id")


def test_the_band_says_what_waits_and_is_gone_with_it(drive):
    module = Module(drive)
    assert BEGUN == module.begins()
    asking(drive)
    band = module.says("look")["band"]
    assert {"counts": "1 asks", "words": "bg-1: CSV or JSON?", "key": "answer", "table": "tasks"} == band
    ask = module.says("key", seen=[])["ask"]
    assert ("bg-1 Q1", ["CSV", "JSON"]) == (ask["header"], ask["options"])
    second = module.answers(ask, "CSV")
    assert "bg-1 Q1 answered: CSV" == second["toast"]
    assert "wake" not in second, "the other question is still open"
    assert "bg-1: Which folder?" == second["band"]["words"]
    third = module.answers(second["ask"], "the usual one", seen=[1, 2])
    assert [{"agent": "a1", "label": "bg-1", "text": "The user has answered."}] == third["wake"]
    assert third["band"] is None
    assert [("CSV", "dialog"), ("the usual one", "dialog")] == [(row["text"], row["proof"]) for row in sent(drive)]


def test_nothing_is_said_twice_while_the_module_wakes_the_agent(drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    module.answers_both()
    assert "Resume" not in context(drive.stop(last_assistant_message="I go on."))
    said = module.says("refused", label="bg-1", reason="No transcript found", busy=False)
    assert "bg-1 cannot be woken from here: Claude is asked to" == said["toast"]
    assert "bg-1: answered, and Claude has yet to pass it on" == said["band"]["words"]
    assert "Resume it now" in context(drive.prompt(said["say"]))


def test_an_agent_that_the_module_never_wakes_is_left_to_the_parent(drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    module.answers_both()
    drive.advance(10)
    assert "Now resume it" in context(drive.stop(last_assistant_message="I go on."))


def test_a_question_without_options_is_not_answered_by_accident(drive):
    module = Module(drive)
    module.begins()
    asking(drive, questions=QUESTIONS[1:])
    ask = module.says("key", seen=[])["ask"]
    assert ["I type the answer", "Leave it to the agent"] == ask["options"]
    assert "/bg-answer bg-1 Q2: " == module.answers(ask, "I type the answer")["fill"]
    assert [] == sent(drive)
    assert ("skip" == module.answers(ask, "Leave it to the agent") and []) or sent(drive)[0]["text"]


@pytest.mark.parametrize("how", ["no proof", "another secret", "used before", "another terminal", "another client"])
def test_what_the_chain_does_not_prove_has_no_effect_and_is_shown(how, drive, monkeypatch, as_process):
    module = Module(drive)
    module.begins()
    asking(drive, questions=QUESTIONS[:1])
    ask = module.says("key", seen=[])["ask"]
    if how == "another secret":
        module.secret = b"x" * 32
        assert {} == module.begins(), "the first commitment stays"
    if how == "used before":
        module.says("chose", item=ask["id"], words="nothing", seen=[], proof=module.proof())
        module.used -= 1
    if how == "another terminal":
        monkeypatch.setattr(machine, "shares_terminal", lambda _: False)
    if how == "another client":
        as_process(machine.Process(os.getppid(), "1"))
        assert BEGUN == module.begins()
    said = module.answers(ask, "CSV", **({"proof": None} if how == "no proof" else {}))
    assert "wake" not in said
    drive.advance(10)
    told = str([drive.stop(last_assistant_message="bg-1 Q1 waits"), drive.prompt("What now?")])
    assert [] == sent(drive)
    assert [{"state": "open"}] == drive.rows("SELECT state FROM questions")
    assert "“CSV” is not known to come from you: it came from a dialog that the plugin's module has not shown" in told


def test_one_dialog_proves_nothing_of_another_question(drive):
    """What somebody has made up for another task, in the same words, is not proven with it."""
    module = Module(drive)
    module.begins()
    asking(drive, questions=QUESTIONS[:1])
    asking(drive, agent="a2", questions=QUESTIONS[:1])
    first = module.says("key", seen=[])["ask"]
    other = module.says("key", seen=[first["id"]])["ask"]
    module.puts(other, "CSV")
    woken = module.answers(first, "CSV")["wake"]
    assert ["a1"] == [each["agent"] for each in woken]
    assert [("CSV", None), ("CSV", "dialog")] == [(row["text"], row["proof"]) for row in sent(drive)]


def test_a_request_is_decided_in_the_prompt_whose_turn_launches_its_agent(drive):
    module = Module(drive)
    module.begins()
    asking(drive, "DELEGATE_WORK")
    said = module.says("key", seen=[])
    assert ("bg-1 D1: type approve or deny", "/bg-answer bg-1 D1: ") == (said["toast"], said["fill"])
    assert said["log"].startswith("bg-1 (audit) D1: it wants another agent for:")


def test_a_blocker_has_the_ways_to_go_on_by_their_names(drive):
    module = Module(drive)
    module.begins()
    asking(drive, "STOP_WORK")
    ask = module.says("key", seen=[])["ask"]
    assert 2 <= len(ask["options"]) <= 4
    assert [] != module.answers(ask, ask["options"][0])["wake"]


def test_the_users_file_turns_it_off(drive):
    Path(place.config_directory()).mkdir(parents=True, exist_ok=True)
    (Path(place.config_directory()) / "bg.json").write_text('{"mod": false}')
    module = Module(drive)
    assert {} == module.begins()
    asking(drive)
    assert {"band": None} == module.says("look")


def test_a_session_that_nobody_attends_has_none(drive, monkeypatch):
    monkeypatch.setenv("CLAUDE_CODE_ENTRYPOINT", "sdk-cli")
    assert {} == Module(drive).begins()
    assert not Path(place.directory_of_hooks(), chains.FOLDER).exists()


def test_it_begins_without_a_ledger_and_forgets_processes_that_are_gone(drive):
    folder = Path(place.directory_of_hooks(), chains.FOLDER)
    folder.mkdir(parents=True)
    (folder / "999999999-1").write_text("x")
    module = Module(drive)
    module.begins()
    assert [f"{CLIENT.pid}-1"] == [path.name for path in folder.iterdir()]
    assert hashed(module.secret, chains.LINKS).hex() == (folder / f"{CLIENT.pid}-1").read_text()
    assert 0o600 == (folder / f"{CLIENT.pid}-1").stat().st_mode & 0o777
    assert not place.existing()


def typed(module: Module, words: str, command: str = "reply", **more: object) -> dict:
    return module.says("typed", **{"command": command, "words": words, "proof": module.proof(), **more})


@pytest.mark.parametrize("command", ["reply", "bg-answer"])
def test_what_is_typed_in_the_client_answers_at_once(command, drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    first = typed(module, "bg-1 Q1: CSV", command, busy=True)
    assert "bg-1 Q1 answered: CSV" in first["toast"]
    assert "wake" not in first
    second = typed(module, "bg-1 Q2: the usual one", command)
    assert ("bg-1 Q2 answered: the usual one", None) == (second["text"].splitlines()[0], second["band"])
    assert "toast" not in second, "its text is shown at once"
    assert [{"agent": "a1", "label": "bg-1", "text": "The user has answered."}] == second["wake"]
    assert [("CSV", "client"), ("the usual one", "client")] == [(row["text"], row["proof"]) for row in sent(drive)]
    assert "Resume" not in context(drive.stop(last_assistant_message="I go on."))
    shown = module.says("typed", command="bg-status", words="bg-1")["text"]
    assert "you answered: “the usual one” (typed in the client)" in shown


def test_words_for_an_agent_that_asks_nothing_wake_it(drive):
    module = Module(drive)
    module.begins()
    asking(drive, "COMPLETION_REPORT")
    assert [{"agent": "a1", "label": "bg-1", "text": "The user has answered."}] == typed(module, "bg-1 add tests")[
        "wake"
    ]


@pytest.mark.parametrize(
    "words", ["bg-1 stop", "bg-1 go", "undo", "bg-1 close", "all go", "confirm 1", "code abcde-fghij"]
)
def test_what_claude_has_to_act_on_is_left_to_the_prompt(words, drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    said = typed(module, words)
    assert (f"/bg-answer {words}", "Claude has to act on this. Press Enter to send it.") == (said["fill"], said["text"])
    assert "text" not in typed(module, words, "bg-answer"), "its own hook carries it out"
    assert [] == sent(drive) == drive.rows("SELECT 1 FROM typed")


def test_a_request_is_approved_in_the_prompt_alone(drive):
    module = Module(drive)
    module.begins()
    asking(drive, "DELEGATE_WORK", independence="blocks_current_work")
    assert "/bg-answer bg-1 D1: approve" == typed(module, "bg-1 D1: approve")["fill"]
    assert {"band"} == set(typed(module, "approve", "bg-answer"))
    assert [{"state": "waiting"}] == drive.rows("SELECT state FROM delegations")


def test_what_is_only_shown_is_for_the_user_alone(drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    for command, words, shown in (
        ("bg-status", "", "Needs you"),
        ("bg-status", "bg-1", "CSV or JSON?"),
        ("bg-answer", "", "CSV or JSON?"),
        ("bg-answer", "help", "/bg-answer"),
    ):
        said = module.says("typed", command=command, words=words)
        assert shown in said["text"] and said["only"]
    assert [] == drive.rows("SELECT 1 FROM typed")


def test_words_that_are_in_doubt_are_asked_back_as_ever(drive):
    module = Module(drive)
    module.begins()
    asking(drive, questions=QUESTIONS[:1])
    assert "confirm 1" in typed(module, "bg-1 Q1: which one is faster?")["text"]
    assert [] == sent(drive)


@pytest.mark.parametrize("how", ["no proof", "another secret", "used before", "another terminal"])
def test_what_somebody_says_was_typed_has_no_effect_and_is_shown(how, drive, monkeypatch):
    module = Module(drive)
    module.begins()
    asking(drive)
    if how == "another secret":
        module.secret = b"x" * 32
    if how == "another terminal":
        monkeypatch.setattr(machine, "shares_terminal", lambda _: False)
    given = {"no proof": None, "used before": module.proof()}.get(how, module.proof())
    if how == "used before":
        typed(module, "bg-1 Q2: here", proof=given)
    said = typed(module, "bg-1 Q1: FORGED", proof=given)
    assert "/bg-answer bg-1 Q1: FORGED" == said["fill"]
    assert ["FORGED"] not in [[row["text"]] for row in sent(drive)]
    assert ["bg-1 Q1: FORGED"] == [
        row["text"] for row in drive.rows("SELECT text FROM proofs WHERE proof = 'unproven'")
    ]
    assert "FORGED" in module.says("typed", command="bg-status", words="bg-1")["text"]


def test_the_pane_holds_the_table_as_wide_as_it_is(drive):
    module = Module(drive)
    module.begins()
    asking(drive)
    assert "pane" not in module.says("look")
    for columns in (0, 40, 90):
        lines = module.says("table", columns=columns)["pane"]["lines"]
        assert "Needs you 1" == lines[0]
        assert any("CSV or JSON?" in line for line in lines)
        assert max(map(len, lines)) <= (columns or 66)
    assert "bg-1 Q1: …" == module.says("table", columns=0)["pane"]["hint"]
    after = typed(module, "bg-1 Q1: CSV Q2: here", columns=60)["pane"]
    assert ("answered" in after["lines"][1], "bg-3 Q1: CSV") == (True, after["hint"])


def test_a_question_without_options_is_typed_behind_the_command_that_runs_at_once(drive):
    module = Module(drive)
    module.begins()
    asking(drive, questions=QUESTIONS[1:])
    ask = module.says("key", seen=[])["ask"]
    assert "/reply bg-1 Q2: " == module.answers(ask, "I type the answer", offered=True)["fill"]


def test_what_is_typed_in_another_session_of_the_project_counts(drive, monkeypatch, as_process):
    """A session that has no task of its own, and that the ledger did not know: the first one passes the answer on."""

    def runs_in(process: machine.Process) -> None:
        monkeypatch.setattr(machine, "above", lambda: [process])
        as_process(process)

    runs_in(HERE)
    Module(drive).begins()
    asking(drive)
    first, drive.session = drive.session, "22222222-2222-4222-8222-222222222222"
    runs_in(OTHER)
    second = Module(drive, b"t" * 32)
    assert BEGUN == second.begins()
    said = typed(second, "bg-1 Q1: CSV Q2: here", "bg-answer")
    assert "belongs to another open session" in said["text"]
    assert not {"wake", "say"} & set(said), "its own session does that"
    assert ["client", "client"] == [row["proof"] for row in sent(drive)]
    assert [] == drive.rows("SELECT text FROM proofs WHERE proof = 'unproven'")
    drive.session = first
    runs_in(HERE)
    assert "Resume it now" in context(drive.prompt("Anything new?"))
