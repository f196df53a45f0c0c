"""Each signal has its module, which answers all that is asked of it; a signal that nobody knows is shown as it is."""

from __future__ import annotations

from pathlib import Path

import pytest
from bg.ledger.tasks import Task
from bg.ledger.values import Item, State
from bg.protocol import blocks, marks, signals
from bg.signals import kinds, stop_work
from bg.words.replies import Reminder, Told
from cases import cases

MODULES = Path(kinds.__file__).parent
OWN = ("state", "remind")  # what has no answer that would do for every signal
VALID = [case for case in cases("protocol/signals") if not case["problems"]]
ITEMS = sorted(value for name, value in vars(Item).items() if name.isupper())
STATES = {value for name, value in vars(State).items() if name.isupper()}


@pytest.mark.parametrize("marker", marks.MARKERS)
def test_every_signal_has_its_module_and_its_own_words(marker):
    """Without them the parent would hear nothing of it, and nothing else would fail."""
    kind = kinds.of(marker)
    assert marker == kind.marker
    assert kind.said
    assert [name for name in OWN if getattr(type(kind), name) is getattr(kinds.Kind, name)] == []


def test_every_module_of_a_signal_has_its_schema():
    found = {path.stem.upper() for path in MODULES.glob("*.py") if "\nKIND = " in path.read_text(encoding="utf-8")}
    assert found == set(marks.MARKERS)


@pytest.mark.parametrize("item", [item for item in ITEMS if item != Item.UNASKED])
def test_every_kind_of_item_has_the_signal_that_asks_for_it(item):
    kind = kinds.kind_asking_for(item)
    assert all(kind.counted)
    for name in ("answer", "ways_to_answer", "asks"):
        assert getattr(type(kind), name) is not getattr(kinds.Kind, name), name


def test_what_the_user_says_unasked_is_no_signal_and_has_words_of_its_own():
    """It is answered as soon as it is there, so it never waits and nobody is asked for it."""
    kind = kinds.kind_asking_for(Item.UNASKED)
    assert kind.marker not in marks.MARKERS
    assert type(kind).answer is not kinds.Kind.answer
    assert kind.asks(Book(), "bg-1", {}) == []


class Book:
    """A ledger in which no task has asked for anything."""

    @staticmethod
    def value(_sql: str, _label: str) -> int:
        return 0


@pytest.mark.parametrize("case", VALID, ids=lambda case: f"{case['file']}-{case['name']}")
def test_what_a_signal_asks_for_waits_with_its_task(case):
    """A task waits for the items of the signal that its run has ended with; one that is over asks for none."""
    signal = signals.decode(blocks.find(case["text"])[0])
    kind = kinds.of(signal.marker)
    asked = kind.asks(Book(), "bg-1", signal.fields)
    assert {ask.kind for ask in asked} <= set(ITEMS)
    assert kind.state(signal, [signal], kinds.Found()) in STATES
    assert bool(asked) != kind.is_over(signal.fields)


def test_a_signal_of_a_later_version_is_shown_by_its_name():
    kind = kinds.of("PAUSE_WORK")
    assert ("PAUSE_WORK", "", "") == (kind.marker, kind.said, kind.gist({"summary": "x"}))
    assert kinds.of("").woken([], {}, "").kind == "FOLLOW_UP"
    assert kinds.of("../loop/groups").marker == "../loop/groups"


def test_a_schema_can_say_that_its_signal_ends_no_run(monkeypatch):
    signal = signals.decode(blocks.find("[STOP_WORK]\nagent_id: a\n[/STOP_WORK]")[0])
    assert signal.terminal
    monkeypatch.setitem(signals.schemas()["STOP_WORK"], "x-terminal", False)
    assert not signal.terminal


class Row(dict):
    """A row as the ledger gives it, which goes through its values."""

    def __iter__(self):
        return iter(self.values())


def told() -> Told:
    """What a reminder of the task bg-1 is given."""
    task = Task(Row(label="bg-1", description="audit"))
    return Told(task, {}, [], "SendMessage", "/bg-answer", "bgctl report bg-1", {})


def reminded(marker: str, **fields: str) -> Reminder:
    lines = "".join(f"{name}: {value}\n" for name, value in fields.items())
    signal = signals.decode(blocks.find(f"[{marker}]\nagent_id: bg-1-a\n{lines}[/{marker}]")[0])
    return kinds.of(marker).remind(signals.as_json_object(signal), told())


@pytest.mark.parametrize(
    ("fields", "kind", "advice"),
    [
        ({"blocker_type": "missing_info"}, "missing info", stop_work.ADVICE["missing_info"]),
        ({"stop_reason": "error"}, "error", stop_work.ADVICE["error"]),
        ({"stop_reason": "error", "blocker_type": "resource_limit"}, "resource limit", stop_work.ADVICE["resource_limit"]),
        ({}, "blocker", "Tell the user what is needed."),
        ({"blocker_type": "the moon"}, "the moon", "Tell the user what is needed."),
    ],
)  # fmt: skip
def test_a_stop_names_its_blocker_and_what_may_clear_it(fields, kind, advice):
    said = reminded("STOP_WORK", details="No access to the registry", **fields).text
    assert kind in said.partition("No access to the registry")[0]
    assert advice in said
    assert "No access to the registry" in said


def test_a_stop_for_completion_is_an_end_that_asks_for_nothing():
    kind = kinds.of("STOP_WORK")
    fields = {"stop_reason": "completion", "details": "All is done"}
    assert kind.is_over(fields)
    assert kind.asks(Book(), "bg-1", fields) == []
    assert "COMPLETION_REPORT" in kind.better(fields)
    assert kind.better({"stop_reason": "error"}) == ""
    assert "/bg-answer" not in reminded("STOP_WORK", **fields).text
