"""Migrations: the numbered schema files, and the numbers by which a ledger says which schema it has.

Two numbers are in the header of a ledger, so that an event need read no more: `application_id` is its schema (0 means
the first), `user_version` the oldest schema whose plugin may write it. An update that only adds something leaves
`user_version` unchanged, so that sessions that began with an older plugin can continue.
"""

from __future__ import annotations

import contextlib
import os

from bg.ledger import sqlite3

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Callable, Optional

# The number of the newest schema file, and the digest of its tables; a test keeps them true, so no event reads a file.
NEWEST = 7
DIGEST = 3986772421
FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema")


def writer(connection: sqlite3.Connection) -> int:
    """The oldest schema whose plugin may write this ledger, 0 for an empty file."""
    number: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return number


def schema(connection: sqlite3.Connection, known: Optional[int] = None) -> int:
    """The schema that a ledger has, 0 for an empty file; `known` is its `writer`, if the caller has that already."""
    oldest = writer(connection) if known is None else known
    number: int = connection.execute("PRAGMA application_id").fetchone()[0]
    return max(number, 1) if oldest > 0 else 0


def bring_up(connection: sqlite3.Connection, begun: Callable[[], object]) -> None:
    """Apply the schema files that a ledger lacks; `begun` is called in the transaction that makes the first tables."""
    for number in range(schema(connection) + 1, NEWEST + 1):
        connection.execute("BEGIN IMMEDIATE")
        try:
            # Checked again: on a disk without file locks, another hook may be doing the same.
            if schema(connection) < number:
                _apply(connection, number)
                if number == 1:
                    begun()
            connection.execute("COMMIT")
        except BaseException:
            with contextlib.suppress(sqlite3.Error):
                connection.execute("ROLLBACK")
            raise


def _apply(connection: sqlite3.Connection, number: int) -> None:
    # One by one, as executescript would first end the transaction.
    with open(os.path.join(FOLDER, f"{number:04}.sql"), encoding="utf-8") as file:
        statements = list(_statements(file.read()))
    for statement in statements:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {number}")


def _statements(text: str) -> Iterator[str]:
    statement = ""
    for line in text.splitlines(keepends=True):
        statement += line if statement or not line.startswith("--") else ""
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def tables(connection: sqlite3.Connection) -> set[str]:
    """The names of a ledger's tables."""
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def lacking(connection: sqlite3.Connection, wanted: int) -> str:
    """A table or column of this schema that the ledger lacks, in words; empty if it has all of them."""
    if wanted == NEWEST and digest(connection) == DIGEST:
        return ""  # as the schema files make it; comparing columns would cost every hook a second database
    with contextlib.closing(sqlite3.connect(":memory:")) as ours:
        for number in range(1, min(wanted, NEWEST) + 1):
            _apply(ours, number)
        for table in sorted(tables(ours)):
            there = _columns(connection, table)
            missing = _columns(ours, table) - there
            if missing:
                return f"no column {', '.join(sorted(missing))} in {table}" if there else f"no table {table}"
    return ""


def digest(connection: sqlite3.Connection) -> int:
    """A digest of the definitions of the tables."""
    made = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' ORDER BY name")
    # The remainder by a prime: a hash from the standard library would be one more module to load at every event.
    return int.from_bytes("\n".join(row[0] for row in made).encode(), "big") % 4294967291


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}
