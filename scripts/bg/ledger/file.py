"""The ledger as modules use it: read, and written in one or two transactions an event.

The modules beside this one read and write the rows, each those of its own tables.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import time

from bg import foreign
from bg.ledger import migrations
from bg.ledger.aside import is_corrupt, is_passing
from bg.ledger.opening import Corrupt, Opening, Unavailable, leave

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Callable, NoReturn, Optional, Union

__all__ = ["Corrupt", "Ledger", "Unavailable", "Writing", "left"]


class Ledger:
    """An open ledger, to read; only the `Writing` that `transaction` yields can write.

    Within an event, what several steps write is gathered in one transaction until `settle`. Whoever has the ledger has
    the clock and the chance too: nothing else in these rooms asks the machine for either.
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
        self._connection = self._opening.connect(create=create)
        self.is_newer = self._opening.is_newer

    def retire(self) -> None:
        """Close a ledger that proved corrupt while it was used, and move it aside: the next hook begins a new one."""
        self.close()
        self._opening.retire()

    def _raise(self, what: str, error: sqlite3.Error) -> NoReturn:
        """Tell a state of the disk, or a table that a newer plugin changed meanwhile, from a mistake of ours."""
        if is_corrupt(error) or is_passing(error):
            raise self._opening.problem(what, error) from error
        self._opening.refuse_newer(migrations.writer(self._connection))
        raise error

    def gather(self) -> None:
        """From now on a write is durable at the next `settle` only: a commit is the dearest part of a write."""
        self._gathers = True

    def settle(self) -> None:
        """Make durable what was gathered, and let other hooks write: before an answer goes out, and before any wait."""
        if self._connection.in_transaction:
            try:
                self._connection.execute("COMMIT")
            except sqlite3.Error as error:
                self._roll_back("ROLLBACK")
                self._raise("written", error)

    def secure(self) -> None:
        """What was settled outlives a power cut too: the log is synced, once an event, before its answer goes out."""
        written = self._connection.total_changes
        if not self._opening.has_log or written == self._secured:
            return
        try:
            log = os.open(f"{self.path}-wal", os.O_RDONLY | os.O_CLOEXEC)
            try:
                os.fsync(log)
            finally:
                os.close(log)  # SQLite locks nothing in this file, so that closing it lets go of nothing
        except FileNotFoundError:
            pass  # all of it is in the ledger's own file
        except OSError as error:
            raise Unavailable(f"the ledger at {self.path} cannot be written: {error.strerror or error}") from error
        self._secured = written

    def overwrite(self, patience: float) -> str:
        """Leave nothing of what was deleted in the file or its log; why that cannot be done now, else empty.

        It waits so many seconds for whoever else reads or writes the ledger.
        """
        self.settle()
        try:
            self._connection.execute(f"PRAGMA busy_timeout = {int(patience * 1000)}")
            # The first asks whether somebody reads: writing the file anew is dear where the log must stay after all.
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
        """One short write; everything in it becomes durable together, or nothing does."""
        begun = not self._connection.in_transaction
        try:
            self._connection.execute("BEGIN IMMEDIATE" if begun else "SAVEPOINT step")
        except sqlite3.Error as error:
            raise self._opening.problem("written", error) from error
        try:
            if begun:  # a newer plugin may have brought the ledger up since it was opened
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
        with contextlib.suppress(sqlite3.Error):
            self._connection.execute(statement)

    def _run(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except UnicodeEncodeError:  # the one door of all texts: nothing is refused for how a file is named
            return self._run(sql, tuple(foreign.encodable(each) if isinstance(each, str) else each for each in values))
        except sqlite3.Error as error:
            self._raise("used", error)

    def one(self, sql: str, *values: Any) -> Optional[sqlite3.Row]:
        """The first row, None where there is none."""
        found = self.all(sql, *values)
        return found[0] if found else None

    def all(self, sql: str, *values: Any) -> list[sqlite3.Row]:
        """Every row."""
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
        """Let go of the file; the last one to do so writes the log into it."""
        self._connection.close()

    def leave(self) -> None:
        """The process ends: the log stays beside the file, as after a kill, and the next hook goes on with it."""
        leave(self._connection)


class Writing(Ledger):
    """A ledger within a transaction: whoever is handed one may write."""

    def __init__(self, book: Ledger) -> None:
        self.__dict__ = book.__dict__  # the same ledger, not a copy of it

    def write(self, sql: str, *values: Any) -> int:
        """Run one statement; how many rows it changed."""
        return self._run(sql, values).rowcount

    def insert(self, sql: str, *values: Any) -> int:
        """Run one INSERT; the new row's id, 0 where it was there already."""
        cursor = self._run(sql, values)
        return (cursor.lastrowid or 0) if cursor.rowcount > 0 else 0


@contextlib.contextmanager
def left(book: Ledger) -> Iterator[Ledger]:
    """As `contextlib.closing`, for a process that ends at once, past Python's own end."""
    try:
        yield book
    finally:
        book.leave()
