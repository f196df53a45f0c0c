"""What a case holds, compared with a fresh look each time: every test runs so, see `conftest`."""

from __future__ import annotations

import functools
import sqlite3
from typing import Any, Callable

from bg.ledger.cases import Held
from bg.ledger.file import Ledger, Record, tables_of


class Stale(AssertionError):  # noqa: N818 - as a test says it
    """A fact is held that the ledger no longer has."""


def compared(once: Callable[..., Any]) -> Callable[..., Any]:
    """`Held.once`, which fails where what it gives is not what the ledger has."""

    @functools.wraps(once)
    def checked(self: Held, read: Callable[..., Any], *given: Any) -> Any:
        value = once(self, read, *given)
        before = self.book.changes
        fresh = read(self, *given)
        self.book.see_others()
        # Where another process has written since, the next look sees that.
        if not _same(value, fresh) and self.book.changes == before:
            raise Stale(f"{type(self).__name__}.{read.__name__}: {_plain(value)!r}, and now {_plain(fresh)!r}")
        return value

    return checked


def _same(one: Any, other: Any) -> bool:
    return bool(_plain(one) == _plain(other))


def _plain(value: Any) -> Any:
    if isinstance(value, Record):
        return vars(value)
    return [_plain(each) for each in value] if isinstance(value, list) else value


def agree(connection: sqlite3.Connection, sql: str, values: tuple[Any, ...]) -> set[str]:
    """The tables that SQLite itself says this statement reads or writes."""
    found: set[str] = set()

    def note(action: int, table: Any, *_: Any) -> int:
        if action in (sqlite3.SQLITE_READ, sqlite3.SQLITE_INSERT, sqlite3.SQLITE_UPDATE, sqlite3.SQLITE_DELETE):
            found.add(table)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(note)
    try:
        connection.execute(f"EXPLAIN {sql}", values)
    finally:
        connection.set_authorizer(None)
    return found


def named(run: Callable[..., sqlite3.Cursor]) -> Callable[..., sqlite3.Cursor]:
    """`Ledger._run`, which fails where a statement reads or writes a table that `tables_of` does not see in it."""
    seen: set[str] = set()

    @functools.wraps(run)
    def checked(self: Ledger, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        if sql not in seen and sql.lstrip().upper().startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            seen.add(sql)
            used = agree(self._connection, sql, values) - {"sqlite_master"}
            assert used <= set(tables_of(sql)), (sql, used)
        return run(self, sql, values)

    return checked
