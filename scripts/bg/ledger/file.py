"""The ledger's file: opening it on any disk, its tables, one short transaction an event.

The only module that opens the database. What stands in the tables is read and written by `tasks`,
`inbox` and `deliveries`. A damaged ledger is kept aside, never deleted; one of an unknown schema is left in place.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import sqlite3
import time

from bg import foreign
from bg.ledger import mounts
from bg.ledger import place as state

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Optional, Union

LOCK_WAIT = 2.0

TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS sessions (
  id TEXT PRIMARY KEY, project TEXT, transcript TEXT, version TEXT, pid INTEGER, pid_started TEXT,
  first_seen REAL, last_seen REAL, ended REAL);
CREATE TABLE IF NOT EXISTS windows (
  id INTEGER PRIMARY KEY, session TEXT, kind TEXT, label TEXT, text TEXT, opened REAL, closed REAL);
CREATE TABLE IF NOT EXISTS tasks (
  label TEXT PRIMARY KEY, number INTEGER UNIQUE, grp TEXT, session TEXT, project TEXT, text TEXT,
  description TEXT, prompt TEXT, state TEXT, since REAL, created REAL, ended REAL, agent TEXT, note TEXT);
CREATE TABLE IF NOT EXISTS launches (
  tool_use TEXT PRIMARY KEY, label TEXT, token TEXT UNIQUE, agent TEXT, agent_type TEXT, name TEXT,
  cwd TEXT, head TEXT, made REAL, bound REAL, failed TEXT);
CREATE INDEX IF NOT EXISTS launches_agent ON launches (agent);
CREATE TABLE IF NOT EXISTS runs (
  agent TEXT, run INTEGER, label TEXT, began REAL, ended REAL, corrections INTEGER DEFAULT 0,
  asked REAL, cut TEXT, last_uuid TEXT, evidence TEXT, PRIMARY KEY (agent, run));
CREATE TABLE IF NOT EXISTS reports (
  id INTEGER PRIMARY KEY, agent TEXT, run INTEGER, source TEXT, text TEXT, digest TEXT, at REAL,
  UNIQUE (agent, run, digest));
CREATE TABLE IF NOT EXISTS signals (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, marker TEXT, body TEXT, digest TEXT,
  at REAL, terminal INTEGER, UNIQUE (agent, run, digest));
CREATE TABLE IF NOT EXISTS questions (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, run INTEGER, qid TEXT, text TEXT, context TEXT,
  extra TEXT, priority TEXT, digest TEXT, state TEXT, asked REAL, shown REAL,
  UNIQUE (agent, run, qid, digest));
CREATE TABLE IF NOT EXISTS answers (
  id INTEGER PRIMARY KEY, label TEXT, question INTEGER, kind TEXT, text TEXT, source TEXT, at REAL,
  sent REAL, resume INTEGER);
CREATE TABLE IF NOT EXISTS delegations (
  id INTEGER PRIMARY KEY, label TEXT, signal INTEGER UNIQUE, blocking INTEGER, state TEXT, words TEXT,
  decided REAL, child TEXT);
CREATE TABLE IF NOT EXISTS resumes (
  id INTEGER PRIMARY KEY, label TEXT, agent TEXT, tool_use TEXT UNIQUE, kind TEXT, typed TEXT,
  message TEXT, at REAL, proven REAL, failed TEXT);
CREATE TABLE IF NOT EXISTS deliveries (
  id INTEGER PRIMARY KEY, label TEXT, kind TEXT, key TEXT UNIQUE, made REAL, surfaced REAL, said REAL,
  seen REAL, session TEXT, via TEXT);
CREATE TABLE IF NOT EXISTS scans (agent TEXT PRIMARY KEY, offset INTEGER);
CREATE TABLE IF NOT EXISTS strangers (at REAL, agent TEXT, label TEXT, UNIQUE (agent, label));
CREATE TABLE IF NOT EXISTS errors (id INTEGER PRIMARY KEY, at REAL, event TEXT, text TEXT);
"""
VERSION = 1
CREATE = "CREATE TABLE IF NOT EXISTS"
UPDATE = "Update the plugin (claude plugin update bg), then restart Claude Code."
ELSE = "If that does not help, move the file elsewhere: the next hook begins a new ledger."
LOGS = ("-wal", "-shm", "-journal")


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
    """An open ledger. `transaction` is the only way to write."""

    def __init__(self, place: Union[str, os.PathLike[str]], *, create: bool = True) -> None:
        self.place = os.fspath(place)
        self.path = os.path.join(self.place, state.LEDGER)
        self._is_alone = False
        if not create and not os.path.isfile(self.path):
            raise Unavailable(f"there is no ledger at {self.path}")
        try:
            state.make_private(self.place)
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
            if not (_is_corrupt(error) or os.path.isdir(self.path)):
                raise
        with self._alone():
            try:
                return self._open()
            except sqlite3.DatabaseError as error:
                # Another hook may have begun a new one meanwhile, which is only busy.
                if not (_is_corrupt(error) or os.path.isdir(self.path)):
                    raise
            self._keep_aside()
            return self._open()

    def _open(self) -> sqlite3.Connection:
        if self._is_cut_to_nothing():
            raise sqlite3.DatabaseError("file is not a database: it is empty, and its log is not")
        self._leave_wal()
        connection = sqlite3.connect(self.path, timeout=LOCK_WAIT, isolation_level=None)
        connection.row_factory = sqlite3.Row
        # Under WAL a commit outlives the process without it; after a power cut the last ones may be missing.
        if connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal":
            connection.execute("PRAGMA synchronous=NORMAL")
        try:
            self._examine(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _examine(self, connection: sqlite3.Connection) -> None:
        """An empty file is made a ledger; what has another schema is somebody's, and is not touched."""
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise Unavailable(
                f"the ledger at {self.path} was written by a newer version of the bg plugin, and is left as it is",
                remedy=UPDATE,
            )
        if version < 0:
            raise self._unknown(f"schema number {version}")
        if version < VERSION:
            self._make(connection)
            return
        lacking = _lacking(connection)
        if lacking:
            raise self._unknown(lacking)
        connection.execute("SELECT 1 FROM tasks LIMIT 1")

    def _unknown(self, what: str) -> Unavailable:
        return Unavailable(
            f"the ledger at {self.path} has a schema that this version of the bg plugin does not know ({what}),"
            " and is left as it is",
            remedy=f"{UPDATE} {ELSE}",
        )

    def _leave_wal(self) -> None:
        """A ledger that came onto a network home in WAL is turned, without shared memory, once no other hook has it."""
        with contextlib.suppress(OSError):
            with open(self.path, "rb") as file:
                header = file.read(20)
            # A disk of this machine's own has a device number; asking costs less than reading the mounts.
            near = os.major(os.stat(self.path).st_dev) and not os.environ.get("BG_JOURNAL_MODE")
            if header[18:20] != b"\2\2" or near or mounts.journal_mode(self.place) == "WAL":
                return
            with (
                contextlib.suppress(sqlite3.Error),
                contextlib.closing(sqlite3.connect(self.path, timeout=0.2, isolation_level=None)) as alone,
            ):
                alone.execute("PRAGMA locking_mode=EXCLUSIVE")
                alone.execute("PRAGMA journal_mode=DELETE")

    def _make(self, connection: sqlite3.Connection) -> None:
        """The tables, by one hook only: changing the journal waits for no lock."""
        with self._alone():
            if connection.execute("PRAGMA user_version").fetchone()[0] >= VERSION:
                return
            if _tables(connection):
                raise self._unknown("the tables of another program")
            state.touch(self.path)
            os.chmod(self.path, 0o600)
            connection.execute(f"PRAGMA journal_mode={mounts.journal_mode(self.place)}")
            connection.executescript(f"BEGIN IMMEDIATE; {TABLES} PRAGMA user_version={VERSION};")
            # By what lies there, not by who moved it: that hook may have been killed before it could write this down.
            for aside in kept_aside(self.place)[-1:]:
                connection.execute("INSERT INTO meta VALUES ('kept_aside', ?)", (aside,))
            connection.execute("COMMIT")

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """No other hook makes or moves the ledger meanwhile, as far as this disk knows locks."""
        if self._is_alone:
            yield
            return
        with open(os.path.join(self.place, "making.lock"), "a", encoding="utf-8") as lock:
            with contextlib.suppress(OSError):
                fcntl.flock(lock, fcntl.LOCK_EX)
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    def _is_cut_to_nothing(self) -> bool:
        """SQLite would throw the log of an empty file away."""
        found, log = foreign.about(self.path), foreign.about(f"{self.path}-wal")
        return found is not None and log is not None and not found.st_size and log.st_size > 0

    def _keep_aside(self) -> None:
        aside = f"{self.path}.corrupt-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}"
        # The logs get their second name first: a hook that opens the place in between would throw them away.
        for suffix in LOGS:
            with contextlib.suppress(OSError):
                os.link(f"{self.path}{suffix}", f"{aside}{suffix}")
        os.rename(self.path, aside)
        for suffix in LOGS:
            log, kept = f"{self.path}{suffix}", f"{aside}{suffix}"
            with contextlib.suppress(OSError):
                os.unlink(log) if os.path.exists(kept) else os.rename(log, kept)

    def retire(self) -> None:
        """Close a ledger that proved corrupt while it was used, and move it aside: the next hook begins a new one."""
        self.close()
        with contextlib.suppress(OSError, sqlite3.Error, Unavailable), self._alone():
            if not self._is_whole():
                self._keep_aside()
                self._open().close()

    def _is_whole(self) -> bool:
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=LOCK_WAIT)) as connection:
                return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.DatabaseError as error:
            return not _is_corrupt(error)

    def _problem(self, what: str, error: sqlite3.Error) -> Unavailable:
        kind = Corrupt if _is_corrupt(error) else Unavailable
        return kind(f"the ledger at {self.path} cannot be {what}: {error}", passing="locked" in str(error))

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """One short write; everything in it is durable together, or nothing is."""
        try:
            self._connection.execute("BEGIN IMMEDIATE")
        except sqlite3.Error as error:
            raise self._problem("written", error) from error
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException as error:
            with contextlib.suppress(sqlite3.Error):
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.Error) and (_is_corrupt(error) or _is_passing(error)):
                raise self._problem("written", error) from error
            raise

    def _run(self, sql: str, values: tuple[Any, ...]) -> sqlite3.Cursor:
        try:
            return self._connection.execute(sql, values)
        except sqlite3.Error as error:
            if _is_corrupt(error) or _is_passing(error):
                raise self._problem("used", error) from error
            raise

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

    def meta(self, key: str) -> str:
        """A value kept beside the tables, empty where there is none."""
        return self.value("SELECT value FROM meta WHERE key = ?", key) or ""

    def set_meta(self, key: str, value: str) -> None:
        """Keep a value beside the tables."""
        self.write("INSERT OR REPLACE INTO meta VALUES (?, ?)", key, value)

    def trace(self, event: str, text: str) -> None:
        """Keep a hook's own error where `/bg-status` and the doctor show it; the last hundred stay."""
        with self.transaction():
            self.write("INSERT INTO errors (at, event, text) VALUES (?, ?, ?)", time.time(), event, text[-2000:])
            self.write("DELETE FROM errors WHERE id <= (SELECT max(id) - 100 FROM errors)")

    def close(self) -> None:
        """Let go of the file."""
        self._connection.close()


def kept_aside(place: str) -> list[str]:
    """The ledgers that could not be read, the oldest first."""
    start = f"{state.LEDGER}.corrupt-"
    names = [name for name in foreign.names(place) if name.startswith(start) and name[-1].isdigit()]
    return [os.path.join(place, name) for name in names]


def _tables(connection: sqlite3.Connection) -> set[str]:
    return {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def _lacking(connection: sqlite3.Connection) -> str:
    """A table or column that this version needs and the file has not, in words; empty where it has them all."""
    made = connection.execute("SELECT substr(sql, 14) FROM sqlite_master WHERE type = 'table'")
    if sum(f"{CREATE} {row[0]};" in TABLES for row in made) == TABLES.count(CREATE):
        return ""  # as this version made it; comparing columns would cost every hook a database more
    with contextlib.closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(TABLES)
        for table in sorted(_tables(ours)):
            there = _columns(connection, table)
            lacking = _columns(ours, table) - there
            if lacking:
                return f"no column {', '.join(sorted(lacking))} in {table}" if there else f"no table {table}"
    return ""


def _columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {row[1] for row in connection.execute(f"PRAGMA table_info({table})")}


def _is_corrupt(error: sqlite3.Error) -> bool:
    """What stands in the file cannot be read; a table that is not there is another schema, not damage."""
    words = str(error).lower()
    return any(sign in words for sign in ("malformed", "not a database", "file is encrypted"))


def _is_passing(error: sqlite3.Error) -> bool:
    """Another hook or the disk is in the way, which another time it will not be."""
    words = str(error).lower()
    return any(
        sign in words for sign in ("locked", "busy", "full", "readonly", "unable to open", "disk i/o", "protocol")
    )
