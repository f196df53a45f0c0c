"""Records name the columns of their tables, and what is written comes back by them."""

from __future__ import annotations

import ast
import hashlib
import importlib
import inspect
import pkgutil
from contextlib import closing
from pathlib import Path

import hosts
import pytest
from bg import ledger, machine
from bg.ledger import (
    children,
    delegations,
    deliveries,
    digests,
    inbox,
    launches,
    notes,
    proofs,
    reported,
    resumes,
    runs,
    sessions,
    sightings,
    tasks,
    typed,
    user_answers,
    verifications,
    windows,
)
from bg.ledger.deliveries import Key
from bg.ledger.file import Ledger, first_of, last_of
from bg.ledger.values import Due, State

ROOM = Path(ledger.__file__).parent
MODULES = [importlib.import_module(f"bg.ledger.{found.name}") for found in pkgutil.iter_modules([str(ROOM)])]
RECORDS = {
    "answers": user_answers.Answer,
    "children": children.Child,
    "delegations": delegations.Delegation,
    "deliveries": deliveries.Delivery,
    "errors": notes.Error,
    "launches": launches.Launch,
    "proofs": proofs.Proof,
    "questions": inbox.Question,
    "reports": reported.Report,
    "resumes": resumes.Resume,
    "retracted": user_answers.Retracted,
    "runs": runs.Run,
    "sessions": sessions.Session,
    "sightings": sightings.Sighting,
    "signals": reported.Signal,
    "strangers": notes.Stranger,
    "tasks": tasks.Task,
    "typed": typed.Typed,
    "verifications": verifications.Verification,
    "windows": windows.Window,
}


@pytest.fixture
def book(tmp_path: Path):
    with closing(Ledger(tmp_path)) as opened:
        yield opened


def test_every_table_has_a_record_but_four(book):
    there = {row["name"] for row in book.all("SELECT name FROM sqlite_master WHERE type = 'table'")}
    # Of these, one value is read or written at a time.
    assert set(RECORDS) == there - {"meta", "report_beginnings", "roots", "scans"}


@pytest.mark.parametrize("table", sorted(RECORDS))
def test_a_record_names_the_columns_of_its_table(book, table):
    columns = [row["name"] for row in book.all(f"PRAGMA table_info({table})")]
    assert sorted(columns) == sorted(RECORDS[table]._kinds)


def test_rows_are_found_by_their_columns_the_oldest_first(book):
    with book.transaction() as writing:
        for number in (1, 2, 3):
            windows.open_window(writing, "s1", "bg", f"work {number}", f"bg-{number}")
        windows.close_window(writing, windows.find(book, label="bg-2")[0])
    assert ["work 1", "work 2", "work 3"] == [one.text for one in windows.find(book, session="s1")]
    assert ["bg-1", "bg-3"] == [one.label for one in windows.find(book, session="s1", closed=None)]
    assert [] == windows.find(book, session="s2")
    assert "bg-3" == last_of(windows.find(book, session="s1")).label
    assert first_of(windows.find(book, session="s2")) is None is last_of([])


FINDERS = [(module, name) for module in MODULES for name in vars(module) if name.startswith("find")]


@pytest.mark.parametrize(("module", "name"), FINDERS, ids=lambda one: getattr(one, "__name__", one))
def test_what_is_looked_for_is_a_column_of_its_table(book, module, name):
    find = getattr(module, name)
    for column in inspect.signature(find).parameters:
        if column != "book":
            assert find(book, **{column: None}) == []
    with pytest.raises(TypeError, match="unexpected keyword argument 'nowhere'"):
        find(book, nowhere=1)


def test_a_row_is_read_by_attribute(book):
    with book.transaction() as writing:
        tasks.create(writing, "bg-7", "bg-7", "s1", "/p", "Audit", "launched")
    task = tasks.get(book, "bg-7")
    assert (task.label, task.number, task.ended) == ("bg-7", 7, None)
    assert (task.agent, task.note) == ("", "")  # what the table has nothing of reads as an empty text
    assert task.columns("label", "state") == {"label": "bg-7", "state": "launched"}
    with pytest.raises(AttributeError):
        _ = task.no_such_column
    assert tasks.get(book, "bg-8") is None


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_records_cost_no_hook_the_import_of_typing(module):
    holds = any(found in RECORDS.values() for found in vars(module).values())
    body = ast.parse(Path(module.__file__).read_text(encoding="utf-8")).body
    names = {
        getattr(node, "module", None) or node.names[0].name
        for node in body
        if isinstance(node, (ast.Import, ast.ImportFrom))
    }
    assert not (holds and names & {"typing", "dataclasses", "pathlib"})


KEYS = {
    "an end": (Key.of_end("a:b-1", 2), ("a:b-1", 2, "end")),
    "a signal": (Key.of_signal("a1", 3, "0f0f"), ("a1", 3, "0f0f")),
    "a group": (Key.of_group("bg-4", 1), ("bg-4", 1, "group")),
    "a check": (Key.of_verification("a1", 2), ("a1", 2, "verify")),
}


@pytest.mark.parametrize("what", KEYS)
def test_a_delivery_says_what_it_is_about(book, what):
    key, columns = KEYS[what]
    with book.transaction() as writing:
        tasks.create(writing, "bg-1", "bg-1", "s1", "/p", "Audit", "working")
        assert deliveries.make(writing, "bg-1", Due.ENDED, key)
    (due,) = deliveries.unsaid(book, "s1")
    assert (due.subject, due.run, due.mark) == columns


def test_an_answer_is_known_by_the_session_that_it_was_given_in(book):
    with book.transaction() as writing:
        tasks.create(writing, "bg-1", "bg-1", "s1", "/p", "Audit", "needs_answer")
        deliveries.owe_next_step(writing, "bg-1", "s2")
        deliveries.owe_next_step(writing, "bg-1", "s1", again=True)
    (due,) = deliveries.unsaid(book, "s1")
    assert (due.subject, due.run, due.answered_in, due.again) == ("bg-1", 0, "s1", 1)
    with book.transaction() as writing:
        deliveries.continue_in(writing, "s1", "s3")
    (due,) = deliveries.unsaid(book, "s1")
    assert due.answered_in == "s3"
    with book.transaction() as writing:
        deliveries.settle(writing, due)
    assert deliveries.unsaid(book, "s1") == []


def test_the_same_thing_is_queued_once(book):
    with book.transaction() as writing:
        assert deliveries.make(writing, "bg-1", Due.ENDED, Key.of_end("a1", 1))
        assert not deliveries.make(writing, "bg-1", Due.ENDED, Key.of_end("a1", 1))


@pytest.mark.parametrize(
    ("by", "claimed"), [("another hook", True), ("this hook", False), ("a hook that has ended", False)]
)
def test_what_a_living_hook_is_about_to_say_is_claimed_until_it_is_said(book, by, claimed, monkeypatch):
    hook = {"another hook": hosts.OTHER, "this hook": hosts.HERE, "a hook that has ended": hosts.gone()}[by]
    monkeypatch.setattr(machine, "this_process", lambda: hook)

    def is_claimed() -> bool:
        (due,) = deliveries.Delivery.all(book, "SELECT * FROM deliveries")
        return deliveries.is_claimed(due)

    with book.transaction() as writing:
        tasks.create(writing, "bg-1", "bg-1", "s1", "/p", "Audit", "done")
        deliveries.make(writing, "bg-1", Due.ENDED, Key.of_end("a1", 1))
        (due,) = deliveries.unsaid(book, "s1")
        assert not is_claimed()
        deliveries.surface(writing, [due.id], "s1", ("Stop", ""), ["bg-1 has ended"], 0, "")
        assert claimed == is_claimed()
        deliveries.say(writing, [due.id])
        assert not is_claimed()


def test_words_that_nobody_asked_for_are_an_item_of_their_own(book):
    with book.transaction() as writing:
        made = [
            inbox.unasked(writing, "bg-1", "a1", 1, "Use XLSX.", stops=False),
            inbox.unasked(writing, "bg-1", "a1", 1, "Stop.", stops=True),
        ]
    assert [("W1", "Use XLSX.", False), ("W2", "Stop.", True)] == [
        (item.qid, item.text, inbox.extra(item)["stops"]) for item in made
    ]
    assert [item.id for item in made] == [item.id for item in inbox.find(book, label="bg-1")]


def test_a_message_is_on_its_way_until_it_has_arrived_or_failed(book):
    def sent() -> tuple[bool, bool]:
        assert (resumes.pending(book, "a1") is not None) == resumes.is_on_its_way(book, last)
        return resumes.is_on_its_way(book, first), resumes.is_on_its_way(book, last)

    with book.transaction() as writing:
        first, last = [resumes.note(writing, "bg-1", "a1", call, "answers", "", "Both.") for call in ("t1", "t2")]
        assert sent() == (True, True)
        resumes.fail(writing, first, "no such agent")
        assert sent() == (False, True)
        assert (resumes.last_call(book, "a1"), resumes.last_woken(book, "a1", book.now())) == ("", None)
        resumes.prove(writing, last)
        assert sent() == (False, False)
        assert resumes.last_call(book, "a1") == "t2"
        assert resumes.last_woken(book, "a1", book.now()) is not None


def test_single_values_come_back_as_they_were_set(book):
    with book.transaction() as writing:
        assert [windows.take_label(writing), windows.take_label(writing)] == ["bg-1", "bg-2"]
        assert (notes.quiet_since(book, "bg-1"), notes.asked_first(book, "s1"), notes.kept_aside(book)) == (0, [], "")
        notes.set_quiet_since(writing, "bg-1", 1_700_000_000)
        notes.set_asked_first(writing, "s1", [3, 4])
        notes.set_kept_aside_told(writing, "/old")
        notes.add_late_words(writing, "s1", ["one", ""])
        notes.add_late_words(writing, "s1", ["two"])
    assert notes.quiet_since(book, "bg-1") == 1_700_000_000
    assert (notes.asked_first(book, "s1"), notes.asked_first(book, "s2")) == ([3, 4], [])
    assert notes.kept_aside_told(book) == "/old"
    assert notes.late_words(book, "s1") == "one\ntwo"
    with book.transaction() as writing:
        notes.forget_late_words(writing, "s1")
    assert notes.late_words(book, "s1") == ""


@pytest.mark.parametrize("shown", [{}, {5: "a1", 6: "b2"}])
def test_a_dialog_is_taken_once_and_none_is_not_an_empty_one(book, shown):
    with book.transaction() as writing:
        assert notes.take_dialog(writing, "t1") is None
        notes.set_dialog(writing, "t1", shown, 7, "c3")
        assert notes.take_dialog(writing, "t1") == notes.Dialog(shown, 7, "c3")
        assert notes.take_dialog(writing, "t1") is None


def test_a_group_is_over_with_its_last_member_and_only_where_there_are_several(book):
    with book.transaction() as writing:
        for label in ("bg-1", "bg-2", "bg-3"):
            tasks.create(writing, label, "bg-1", "s1", "/p", "", "launched")
        tasks.set_state(writing, "bg-1", "done")
        assert tasks.ended_group(book, tasks.get(book, "bg-1")) == ""
        tasks.set_state(writing, "bg-2", "failed")
        tasks.set_state(writing, "bg-3", "not_launched")
        assert tasks.ended_group(book, tasks.get(book, "bg-2")) == "bg-1"
        tasks.set_state(writing, "bg-2", "not_launched")
        assert tasks.ended_group(book, tasks.get(book, "bg-1")) == ""


def test_what_is_known_of_a_session(book):
    assert (sessions.get(book, "s1"), sessions.transcript(book, "s1")) == (None, "")
    with book.transaction() as writing:
        sessions.note(writing, "s1", "/p", "/t", "2.1.327")
        sessions.note(writing, "s1", "/q", "", "")
        sessions.note_process(writing, "s1", 7, "then")
        sessions.end(writing, "s1")
    known = sessions.get(book, "s1")
    assert (known.project, known.transcript, known.version, known.pid) == ("/p", "/t", "2.1.327", 7)
    assert known.ended is not None


@pytest.mark.parametrize(
    "text", ["", " ", "a", " a\n b\t", "\u2003x\u2028y  z", "w" * 300 + " " + "v" * 90, "a b " * 200]
)
@pytest.mark.parametrize("piece", [1, 2, 7, 100, 100_000])
def test_a_digest_is_the_same_in_whatever_pieces_a_text_is_read(text, piece, monkeypatch):
    monkeypatch.setattr(digests, "PIECE", piece)
    whole = hashlib.sha256(" ".join(text.split()).encode()).hexdigest()[:24]
    assert whole == digests.digest(text)


def test_every_state_is_open_or_ended():
    states = {value for name, value in vars(State).items() if not name.startswith("_")}
    assert states == {*tasks.OPEN_STATES, *tasks.ENDED_STATES}
    assert not {*tasks.OPEN_STATES} & {*tasks.ENDED_STATES}
