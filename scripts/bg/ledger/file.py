"""The ledger's file: opened on any disk, brought to the newest schema, written in one or two transactions an event.

What stands in the tables is read and written by the modules beside this one, each for its own tables.
A damaged ledger is kept aside, never deleted; one of an unknown schema is left in place.

One subject: the one connection. Opening, making, moving aside and writing share its lock and what its errors mean.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time

from bg.ledger import migrations, mounts
from bg.ledger.aside import is_corrupt, is_cut_to_nothing, is_passing, keep_aside, kept_aside
from bg.ledger.place import LEDGER, close, make_private, touch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Callable, NoReturn, Optional, Union

LOCK_WAIT = 2.0
# The next hook reads the log: a megabyte takes a millisecond. It is written into the file at each tenth event or so.
LOG_PAGES = 250
UPDATE = "Update the plugin (claude plugin update bg), then restart Claude Code."
ELSE = "If that does not help, move the file elsewhere: the next hook begins a new ledger."


_LEFT: list[sqlite3.Connection] = []  # else they would be closed when nobody names them any more


class Unavailable(Exception):  # noqa: N818 - a state of the disk, not a mistake
    """The ledger cannot be read or written now; `reason` says why in a sentence, `remedy` what helps."""

    def __init__(self, reason: str, *, passing: bool = False, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.passing = passing
        self.remedy = remedy


class Corrupt(Unavailable):
    """What stands in the file is no ledger, or no longer a whole one."""


class Ledger:
    """An open ledger. `transaction` is the only way to write.

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
        self.path = os.path.join(self.place, LEDGER)
        self._is_alone = False
        self._gathers = False
        self._has_log = False
        self._secured = 0
        self.is_newer = False  # a newer plugin has added something; this one goes on beside it
        if not create and not os.path.isfile(self.path):
            raise Unavailable(f"there is no ledger at {self.path}")
        try:
            make_private(self.place)
            self._connection = self._open_or_replace()
        except sqlite3.Error as error:
            raise self._problem("opened", error) from error
        except OSError as error:
            raise Unavailable(f"the directory {place} cannot be used: {error.strerror or error}") from error

    def _open_or_replace(self) -> sqlite3.Connection:
        """The connection; what is no ledger is moved aside, by one hook only, and a new ledger begun."""
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            if not (is_corrupt(error) or os.path.isdir(self.path)):
                raise
        with self._alone():
            try:
                return self._open()
            except sqlite3.DatabaseError as error:
                # Another hook may have begun a new one meanwhile, which is only busy.
                if not (is_corrupt(error) or os.path.isdir(self.path)):
                    raise
            keep_aside(self.path, self.now())
            return self._open()

    def _open(self) -> sqlite3.Connection:
        if is_cut_to_nothing(self.path):
            raise sqlite3.DatabaseError("file is not a database: it is empty, and its log is not")
        if os.path.exists(self.path):
            close(self.path, 0o600)
        mounts.leave_wal(self.path)
        connection = sqlite3.connect(self.path, timeout=LOCK_WAIT, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            self._examine(connection)
            self._has_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            if self._has_log:
                # A commit outlives the process without a sync; `secure` makes one for all of an event's, against a
                # power cut. FULL would sync at each commit, and each time the folder too.
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
        except BaseException as error:
            if isinstance(error, sqlite3.DatabaseError) and is_corrupt(error):
                _LEFT.append(connection)  # closing it would write the log into a file that is kept as it is
            else:
                connection.close()
            raise
        return connection

    def _examine(self, connection: sqlite3.Connection) -> None:
        """An empty file is made a ledger, an older one brought up; what has another schema is somebody's."""
        writer = migrations.writer(connection)
        self._refuse_newer(writer)
        if writer < 0:
            raise self._unknown(f"schema number {writer}")
        schema = migrations.schema(connection, writer)
        lacking = migrations.lacking(connection, schema)
        if lacking:
            raise self._unknown(lacking)
        if schema < migrations.NEWEST:
            self._bring_up(connection)
            return
        self.is_newer = schema > migrations.NEWEST
        connection.execute("SELECT 1 FROM tasks LIMIT 1")

    def _refuse_newer(self, writer: int) -> None:
        if writer > migrations.NEWEST:
            raise Unavailable(
                f"the ledger at {self.path} was written by a newer version of the bg plugin, and is left as it is",
                remedy=UPDATE,
            )

    def _unknown(self, what: str) -> Unavailable:
        return Unavailable(
            f"the ledger at {self.path} has a schema that this version of the bg plugin does not know ({what}),"
            " and is left as it is",
            remedy=f"{UPDATE} {ELSE}",
        )

    def _bring_up(self, connection: sqlite3.Connection) -> None:
        """By one hook only: changing the journal waits for no lock."""
        with self._alone():
            schema = migrations.schema(connection)
            if not schema:
                if migrations.tables(connection):
                    raise self._unknown("the tables of another program")
                touch(self.path)
                os.chmod(self.path, 0o600)
                connection.execute(f"PRAGMA journal_mode={mounts.journal_mode(self.place)}")
            if schema < migrations.NEWEST:
                migrations.bring_up(connection, lambda: self._note_kept_aside(connection))
                connection.execute("PRAGMA wal_checkpoint")  # a copy of the file alone is a ledger too
        # Another hook, of a newer plugin, may have brought it up further.
        self._examine(connection)

    def _note_kept_aside(self, connection: sqlite3.Connection) -> None:
        # By what lies there, not by who moved it: that hook may have been killed before it could write this down.
        for aside in kept_aside(self.place)[-1:]:
            connection.execute("INSERT INTO meta VALUES ('kept_aside', ?)", (aside,))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other hook makes or moves the ledger meanwhile, as far as this disk knows locks."""
        if self._is_alone:
            yield
            return
        path = os.path.join(self.place, "making.lock")
        touch(path)
        with open(path, "a", encoding="utf-8") as lock:
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    def retire(self) -> None:
        """Close a ledger that proved corrupt while it was used, and move it aside: the next hook begins a new one."""
        self.close()
        with contextlib.suppress(OSError, sqlite3.Error, Unavailable), self._alone():
            if not self._is_whole():
                keep_aside(self.path, self.now())
                self._open().close()

    def _is_whole(self) -> bool:
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=LOCK_WAIT)) as connection:
                return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.DatabaseError as error:
            return not is_corrupt(error)

    def _problem(self, what: str, error: sqlite3.Error) -> Unavailable:
        kind = Corrupt if is_corrupt(error) else Unavailable
        return kind(f"the ledger at {self.path} cannot be {what}: {error}", passing="locked" in str(error))

    def _raise(self, what: str, error: sqlite3.Error) -> NoReturn:
        """Tell a state of the disk, or a table that a newer plugin changed meanwhile, from a mistake of ours."""
        if is_corrupt(error) or is_passing(error):
            raise self._problem(what, error) from error
        self._refuse_newer(migrations.writer(self._connection))
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
        if not self._has_log or written == self._secured:
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

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """One short write; everything in it becomes durable together, or nothing does."""
        begun = not self._connection.in_transaction
        try:
            self._connection.execute("BEGIN IMMEDIATE" if begun else "SAVEPOINT step")
        except sqlite3.Error as error:
            raise self._problem("written", error) from error
        try:
            if begun:  # a newer plugin may have brought the ledger up since it was opened
                self._refuse_newer(migrations.writer(self._connection))
            yield
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
        except sqlite3.Error as error:
            self._raise("used", error)

    def write(self, sql: str, *values: Any) -> int:
        """Run one statement; how many rows it changed."""
        return self._run(sql, values).rowcount

    def insert(self, sql: str, *values: Any) -> int:
        """Run one INSERT; the new row's id, 0 where it was there already."""
        cursor = self._run(sql, values)
        return (cursor.lastrowid or 0) if cursor.rowcount > 0 else 0

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
            raise self._problem("read", error) from error

    def value(self, sql: str, *values: Any) -> Any:
        """The first column of the first row."""
        row = self.one(sql, *values)
        return row[0] if row else None

    def close(self) -> None:
        """Let go of the file; the last one to do so writes the log into it."""
        self._connection.close()

    def leave(self) -> None:
        """The process ends: the log stays beside the file, as after a kill, and the next hook goes on with it."""
        _LEFT.append(self._connection)


@contextlib.contextmanager
def left(book: Ledger) -> Iterator[Ledger]:
    """As `contextlib.closing`, for a process that ends at once, past Python's own end."""
    try:
        yield book
    finally:
        book.leave()
