"""A case holds what an event has read, and never a row that the ledger no longer has."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from bg.ledger import cases, sessions, tasks
from bg.ledger.cases import Held, fact
from bg.ledger.file import Ledger, tables_of
from bg.ledger.values import State
from fresh import Stale, agree, compared


@pytest.fixture
def book(tmp_path: Path):
    with closing(Ledger(tmp_path)) as ledger:
        with ledger.transaction() as writing:
            tasks.create(writing, "bg-1", "bg-1", "s1", "/p", "look", State.WORKING)
        yield ledger


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that the ledger is asked for, in this order; what compares asks too, and is left out."""
    monkeypatch.setattr(Held, "once", Held.once.__wrapped__)
    found: list[str] = []
    read = Ledger.all

    def all_(self, sql, *values):
        found.extend(tables_of(sql))
        return read(self, sql, *values)

    monkeypatch.setattr(Ledger, "all", all_)
    return found


def set_state(book: Ledger, state: str) -> None:
    with book.transaction() as writing:
        tasks.set_state(writing, "bg-1", state)


def test_whoever_asks_for_a_case_gets_the_same_one(book):
    assert cases.case(book, "bg-1") is cases.of(book, "bg-1")
    with book.transaction() as writing:
        assert cases.case(writing, "bg-1") is cases.case(book, "bg-1")
    assert cases.of(book, "bg-2") is None


def test_a_fact_is_read_once(book, asked):
    case = cases.case(book, "bg-1")
    assert [case.task.state for _ in range(3)] == [State.WORKING] * 3
    with book.transaction():
        assert cases.case(book, "bg-1").task.state == State.WORKING
    assert asked == ["tasks"]


def test_it_is_read_again_after_a_write_to_its_table_only(book, asked):
    case = cases.case(book, "bg-1")
    with book.transaction() as writing:
        assert case.task.state == State.WORKING
        sessions.note(writing, "s1", "/p", "", "")
        assert case.task.state == State.WORKING
        tasks.set_state(writing, "bg-1", State.DONE)
        assert case.task.state == State.DONE
        tasks.set_state(writing, "bg-9", State.DONE)  # of which there is none
        assert case.task.state == State.DONE
    assert asked == ["tasks", "tasks"]


def test_what_another_process_has_written_is_seen(book, tmp_path):
    case = cases.case(book, "bg-1")
    assert case.task.state == State.WORKING
    with closing(Ledger(tmp_path)) as other:
        set_state(other, State.BLOCKED)
        assert case.task.state == State.BLOCKED
        set_state(other, State.DONE)
    with book.transaction():
        assert case.task.state == State.DONE


def test_after_its_own_transaction_others_are_looked_for_again(book, tmp_path):
    case = cases.case(book, "bg-1")
    book.gather()
    with book.transaction():
        assert case.task.state == State.WORKING
    book.settle()
    with closing(Ledger(tmp_path)) as other:
        set_state(other, State.DONE)
    assert case.task.state == State.DONE


@pytest.mark.parametrize("within", [False, True])
def test_what_was_rolled_back_is_forgotten(book, within):
    case = cases.case(book, "bg-1")

    def fail() -> None:
        with book.transaction() as writing:
            tasks.set_state(writing, "bg-1", State.DONE)
            assert case.task.state == State.DONE
            raise ZeroDivisionError

    if within:
        with book.transaction():
            with pytest.raises(ZeroDivisionError):
                fail()
            assert case.task.state == State.WORKING
    else:
        with pytest.raises(ZeroDivisionError):
            fail()
    assert case.task.state == State.WORKING


def test_a_fact_may_not_rest_on_another(book):
    class Wrong(Held):
        @fact
        def tables(self) -> int:
            return len(cases.case(self.book, "bg-1").task.label)

    with pytest.raises(RuntimeError, match="another one"):
        Wrong(book).tables  # noqa: B018 - it is read


def test_the_tables_of_a_statement_are_those_that_sqlite_reads_and_writes(book, tmp_path):
    """Of every statement that the tests of the ledger's own modules have: see `fresh`, which asks SQLite each time."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript("CREATE TABLE a (x); CREATE TABLE b (x);")
        for sql, named in {
            "SELECT x FROM a WHERE x IN (SELECT x FROM b)": {"a", "b"},
            "SELECT 1 FROM (SELECT x FROM a) q CROSS JOIN b": {"a", "b"},
            "INSERT OR IGNORE INTO a SELECT x FROM b": {"a", "b"},
            "UPDATE a SET x = (SELECT max(x) FROM b)": {"a", "b"},
            'DELETE FROM "a"': {"a"},  # as what is forgotten is deleted
        }.items():
            assert agree(connection, sql, ()) == named <= set(tables_of(sql))
            assert tables_of(sql)[0] == "a" or sql.startswith("SELECT 1")


def test_a_row_that_is_no_longer_so_is_seen_by_the_comparison(book, monkeypatch):
    """As if a write were not noted."""
    monkeypatch.setattr(cases.Fact, "still_holds", lambda *_: True)
    case = cases.case(book, "bg-1")
    assert case.task.state == State.WORKING
    set_state(book, State.DONE)
    with pytest.raises(Stale, match="task"):
        case.task  # noqa: B018 - it is read


def test_the_tests_compare(book):
    assert Held.once.__wrapped__
    assert compared(Held.once.__wrapped__).__name__ == Held.once.__name__


def test_where_an_earlier_ledger_is_that_could_not_be_read_is_known(tmp_path):
    (tmp_path / "ledger.db").write_bytes(b"no database" * 1000)
    with closing(Ledger(tmp_path)) as book:
        assert Path(cases.whole(book).kept_aside).read_bytes() == b"no database" * 1000
    (tmp_path / "new").mkdir()
    with closing(Ledger(tmp_path / "new")) as book:
        assert cases.whole(book).kept_aside == ""
