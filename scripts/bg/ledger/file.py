"""The ledger as modules use it: reading, one or two transactions for each event, and facts held while nothing changes.

The modules beside this one read and write the rows, each those of its own tables; a subclass of `Record` lists the
columns of a table as annotations. These are plain classes: dataclasses or typing would cost every hook half as much as
the start of a bare interpreter.
"""

from __future__ import annotations

import contextlib
import os
import time

from bg import foreign
from bg.ledger import migrations, sqlite3
from bg.ledger.aside import is_corrupt, is_passing
from bg.ledger.opening import Corrupt, Opening, Unavailable, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Callable, NoReturn, Optional, TypeVar, Union

    from typing_extensions import Self

    _Row = TypeVar("_Row", bound="Record")

__all__ = [
    "ANY",
    "Corrupt",
    "Ledger",
    "Record",
    "Unavailable",
    "Writing",
    "first_of",
    "last_of",
    "left",
    "tables_of",
    "unpacked",
]

_BEFORE_A_TABLE = frozenset({"FROM", "JOIN", "INTO", "UPDATE"})


class Ledger:
    """An open ledger, for reading; only the `Writing` that `transaction` yields can write.

    Within an event, the writes of several steps are gathered in one transaction until `settle`. The ledger also carries
    the clock and the source of random bytes: nothing else in these rooms asks the machine for either. `held` has the
    facts that the event has read; see `cases.Held`.
    """

    def __init__(
        self,
        place: Union[str, os.PathLike[str]],
        *,
        create: bool = True,
        clock: Callable[[], float] = time.time,
        chance: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.now, self.chance = clock, chance
        self.place = os.fspath(place)
        self._opening = Opening(self.place, clock)
        self.path = self._opening.path
        self._gathers = False
        self._secured = 0
        self.held: dict[tuple[object, ...], Any] = {}
        self.changes = 0  # the number of changes so far, by this process or others
        self.changed: dict[str, int] = {}  # by table, the number of its last change
        self.all_changed = 0  # the number of the last change that may have been to any table
        self.is_alone = False  # this transaction keeps others from writing, and all that they wrote before was noticed
        self._others: Optional[int] = None  # SQLite's counter of the writes of other connections
        self._noted: Optional[set[str]] = None  # the tables of the fact that is being read
        self._connection = self._opening.connect(create=create)
        self.is_newer = self._opening.is_newer

    def retire(self) -> None:
        """Close a ledger that proved corrupt in use, and move it aside: the next hook begins a new one."""
        self.close()
        self._opening.retire()

    def _raise(self, what: str, error: sqlite3.Error) -> NoReturn:
        """Raise `Unavailable` for a state of the disk, or for a newer plugin's schema; else the error itself."""
        if is_corrupt(error) or is_passing(error):
            raise self._opening.problem(what, error) from error
        self._opening.refuse_newer(migrations.writer(self._connection))
        raise error

    def gather(self) -> None:
        """From now on make writes durable at the next `settle` only: the commit is the most costly part of a write."""
        self._gathers = True

    @property
    def is_gathering(self) -> bool:
        """Whether there are writes that the next `settle` makes durable."""
        return self._connection.in_transaction

    def settle(self) -> None:
        """Commit the gathered writes, and let other hooks write; to be called before an answer and before any wait."""
        if self._connection.in_transaction:
            try:
                self._connection.execute("COMMIT")
                self.is_alone = False
            except sqlite3.Error as error:
                self._roll_back("ROLLBACK")
                self._raise("written", error)

    def secure(self) -> None:
        """Sync the log, so that settled writes survive a power cut too; once for each event, before its answer."""
        written = self._connection.total_changes
        if not self._opening.has_log or written == self._secured:
            return
        try:
            log = os.open(f"{self.path}-wal", os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(log)
            finally:
                os.close(log)  # SQLite has no locks in this file that closing it would release
        except FileNotFoundError:
            pass  # everything is in the ledger's own file
        except OSError as error:
            raise Unavailable(f"the ledger at {self.path} cannot be written: {error.strerror or error}") from error
        self._secured = written

    def overwrite(self, patience: float) -> str:
        """Remove every trace of deleted rows from the file and its log; why that cannot be done now, else empty.

        It waits `patience` seconds for other processes that read or write the ledger.
        """
        self.settle()
        try:
            self._connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            # The first one finds out whether another process reads: VACUUM is costly, and useless if the log must stay.
            for statement in ("PRAGMA wal_checkpoint(TRUNCATE)", "VACUUM", "PRAGMA wal_checkpoint(TRUNCATE)"):
                row = self._connection.execute(statement).fetchone()
                if row and row[0]:
                    return "another process reads the ledger"
        except sqlite3.Error as error:
            if not is_passing(error):
                self._raise("written", error)
            return str(error)
        return ""

    @contextlib.contextmanager
    def transaction(self) -> Iterator[Writing]:
        """Yield the ledger for one short write, all of which becomes durable, or nothing."""
        begun = not self._connection.in_transaction
        try:
            self._connection.execute("BEGIN IMMEDIATE" if begun else "SAVEPOINT step")
        except sqlite3.Error as error:
            raise self._opening.problem("written", error) from error
        try:
            if begun:  # a newer plugin may have changed the schema since the ledger was opened
                self._opening.refuse_newer(migrations.writer(self._connection))
            yield self if isinstance(self, Writing) else Writing(self)
            if not begun:
                self._connection.execute("RELEASE step")
        except BaseException as error:
            self._roll_back("ROLLBACK" if begun else "ROLLBACK TO step")
            if isinstance(error, sqlite3.Error):
                self._raise("written", error)
            raise
        if begun and not self._gathers:
            self.settle()

    def _roll_back(self, statement: str) -> None:
        self.is_alone = False
        self._note_all_changed()
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute(statement)

    def see_others(self) -> None:
        """Notice the writes of other connections, unless none of them can write."""
        if self.is_alone:
            return
        others = self._connection.execute("PRAGMA data_version").fetchone()[0]
        if others != self._others:
            self._others = others
            self._note_all_changed()
        self.is_alone = self._connection.in_transaction

    @contextlib.contextmanager
    def noting_tables(self) -> Iterator[set[str]]:
        """Collect the names of the tables that are read within the block."""
        if self._noted is not None:
            message = "a fact was read from another one, whose tables are not known to be its own"
            raise RuntimeError(message)
        found: set[str] = set()
        self._noted = found
        try:
            yield found
        finally:
            self._noted = None

    def _note_change(self, sql: str, rows: int) -> None:
        if rows:
            self.changes += 1
            self.changed[tables_of(sql)[0]] = self.changes

    def _note_all_changed(self) -> None:
        self.changes += 1
        self.all_changed = self.changes

    def _run(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except UnicodeEncodeError:  # every text passes here: none is refused because of odd characters in a file's name
            return self._run(sql, tuple(foreign.encodable(each) if isinstance(each, str) else each for each in values))
        except sqlite3.Error as error:
            self._raise("used", error)

    def one(self, sql: str, *values: Any) -> Optional[sqlite3.Row]:
        """The first row; None if there is none."""
        found = self.all(sql, *values)
        return found[0] if found else None

    def all(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Every row."""
        if self._noted is not None:
            self._noted.update(tables_of(sql))
        cursor = self._run(sql, values)
        try:
            return cursor.fetchall()
        except sqlite3.Error as error:
            raise self._opening.problem("read", error) from error

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row."""
        row = self.one(sql, *values)
        return row[0] if row else None

    def close(self) -> None:
        """Close the connection; the last one that closes writes the log into the file."""
        self._connection.close()

    def leave(self) -> None:
        """Leave the connection open as the process ends: the log stays beside the file, and the next hook uses it."""
        leave(self._connection)


class Writing(Ledger):
    """A ledger within a transaction; a function that takes one may write."""

    def __init__(self, book: Ledger) -> None:
        self.__dict__ = book.__dict__  # the same ledger, not a copy of it

    def write(self, sql: str, *values: Any) -> int:
        """Run one statement; return how many rows it changed."""
        rows = self._run(sql, values).rowcount
        self._note_change(sql, rows)
        return rows

    def insert(self, sql: str, *values: Any) -> int:
        """Run one INSERT; return the new row's id, or 0 if the row existed."""
        cursor = self._run(sql, values)
        self._note_change(sql, cursor.rowcount)
        return (cursor.lastrowid or 0) if cursor.rowcount > 0 else 0


def tables_of(sql: str) -> list[str]:
    """The tables that a statement names; the first of a writing statement is the one that it writes to."""
    words = sql.split()
    return [after.strip('(),"') for word, after in zip(words, words[1:]) if word.strip("(") in _BEFORE_A_TABLE]


@contextlib.contextmanager
def left(book: Ledger) -> Iterator[Ledger]:
    """Like `contextlib.closing`, for a process that exits at once, without Python's own shutdown."""
    try:
        yield book
    finally:
        book.leave()


ANY: Any = object()  # as a column's value in a search: any value fits

_NONE = type(None)
_KINDS: dict[str, tuple[tuple[type, ...], Any]] = {
    "str": ((str,), ""),
    "int": ((int,), 0),
    "float": ((float, int), 0.0),
    "Optional[str]": ((str, _NONE), None),
    "Optional[int]": ((int, _NONE), None),
    "Optional[float]": ((float, int, _NONE), None),
}


def unpacked(text: Any) -> dict[str, Any]:
    """The object that a column holds as JSON; empty if it holds something else."""
    try:
        found = foreign.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


class Record:
    """A row as it was when it was read; a subclass lists the columns."""

    _table = ""
    _kinds: dict[str, tuple[tuple[type, ...], Any]] = {}  # noqa: RUF012 - each class has its own

    def __init_subclass__(cls) -> None:
        """Give each column the type of its annotation: a value of another type reads as empty."""
        cls._kinds = {**cls._kinds, **{name: _KINDS[kind] for name, kind in cls.__annotations__.items()}}

    def __init__(self, row: Any) -> None:
        found = self.__dict__
        found.update(zip(row.keys(), row))
        for name, (kinds, default) in self._kinds.items():
            if type(found.get(name)) not in kinds:
                found[name] = default

    def columns(self, *names: str) -> dict[str, Any]:
        """These columns by their names."""
        return {name: self.__dict__[name] for name in names}

    @classmethod
    def one(cls, book: Ledger, sql: str, *values: Any) -> Optional[Self]:
        """The first row that the statement finds; None if it finds none."""
        row = book.one(sql, *values)
        return cls(row) if row else None

    @classmethod
    def all(cls, book: Ledger, sql: str, *values: Any) -> list[Self]:
        """Every row that the statement finds."""
        return [cls(row) for row in book.all(sql, *values)]

    @classmethod
    def where(cls, book: Ledger, **columns: Any) -> list[Self]:
        """The rows of the table with these values in these columns, the oldest first; None stands for NULL."""
        asked = {name: value for name, value in columns.items() if value is not ANY}
        terms = " AND ".join(f"{name} IS NULL" if value is None else f"{name} = ?" for name, value in asked.items())
        values = [value for value in asked.values() if value is not None]
        return cls.all(book, f"SELECT * FROM {cls._table} WHERE {terms} ORDER BY rowid", *values)


def first_of(found: list[_Row]) -> Optional[_Row]:
    """The first of the rows, which is the oldest; None if there are none."""
    return found[0] if found else None


def last_of(found: list[_Row]) -> Optional[_Row]:
    """The last of the rows, which is the newest; None if there are none."""
    return found[-1] if found else None
