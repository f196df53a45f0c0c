"""Opening: a ledger is found or made on any disk, brought to the newest schema, and moved aside if it is damaged.

A damaged ledger is kept, never deleted; one of an unknown schema is left in place. The kind of file system decides
how the journal is kept.
"""

from __future__ import annotations

import contextlib
import os
import re

from bg import durations
from bg.ledger import migrations, sqlite3
from bg.ledger.aside import CUT_TO_NOTHING, is_corrupt, is_cut_to_nothing, keep_aside, kept_aside
from bg.ledger.place import LEDGER, alone, make_private, restrict, touch
from bg.pattern import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Callable

# The log is written into the ledger's file when it has this many pages, a megabyte: at about every tenth event. Until
# then each hook that follows has to read it, which takes a millisecond at most.
LOG_PAGES = 250
UPDATE = "Update the plugin (claude plugin update bg), then restart Claude Code."
ELSE = "If that does not help, move the file elsewhere: the next hook begins a new ledger."

_LEFT: list[sqlite3.Connection] = []  # references, as Python would close a connection without any
MOUNTS = "/proc/self/mounts"

# File systems on which shared memory does not work, or only within one machine. `autofs` may mount any of them later,
# and `fuse` may be any of them.
NETWORK_FILESYSTEMS = pattern(
    "nfs4?|cifs|smb[23]?|smbfs|9p|afs|afpfs|webdav|autofs|ncpfs|ceph|lustre|gfs2?|ocfs2|gpfs|virtiofs|vboxsf|prl_fs|fuse.*"
)


class Unavailable(Exception):  # noqa: N818 - a state of the disk, not a mistake
    """The ledger cannot be read or written now; `reason` says why, in a sentence, and `remedy` what helps."""

    def __init__(self, reason: str, *, passing: bool = False, remedy: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.passing = passing
        self.remedy = remedy


class Corrupt(Unavailable):
    """The file is no ledger, or a damaged one."""


def leave(connection: sqlite3.Connection) -> None:
    """Never close the connection: closing would write the log into the file."""
    _LEFT.append(connection)


class Opening:
    """How one ledger's connection is made, and what was found out meanwhile."""

    def __init__(self, place: str, clock: Callable[[], float]) -> None:
        self._place = place
        self._clock = clock
        self.path = os.path.join(place, LEDGER)
        self.has_log = False
        self.is_newer = False  # a newer plugin has added something that this one can ignore
        self._is_alone = False

    def connect(self, *, create: bool) -> sqlite3.Connection:
        """The connection to a whole ledger of a schema that this plugin can write."""
        if not create and not os.path.isfile(self.path):
            raise Unavailable(f"there is no ledger at {self.path}")
        try:
            make_private(self._place)
            return self._open_or_replace()
        except sqlite3.Error as error:
            raise self.problem("opened", error) from error
        except OSError as error:
            raise Unavailable(f"the directory {self._place} cannot be used: {error.strerror or error}") from error

    def _open_or_replace(self) -> sqlite3.Connection:
        """The connection; a file that is no ledger is moved aside, by one hook only, and a new ledger is begun."""
        try:
            return self._open()
        except sqlite3.DatabaseError as error:
            if not (is_corrupt(error) or os.path.isdir(self.path)):
                raise
        with self._alone():
            try:
                return self._open()
            except sqlite3.DatabaseError as error:
                # If another hook has begun a new ledger meanwhile, it may be busy: no reason to move it aside.
                if not (is_corrupt(error) or os.path.isdir(self.path)):
                    raise
            keep_aside(self.path, self._clock())
            return self._open()

    def _open(self) -> sqlite3.Connection:
        if is_cut_to_nothing(self.path):
            raise sqlite3.DatabaseError(f"file is not a database: {CUT_TO_NOTHING}")
        if os.path.exists(self.path):
            restrict(self.path, 0o600)
        leave_wal(self.path)
        connection = sqlite3.connect(self.path, timeout=durations.LOCK, isolation_level=None)
        connection.row_factory = sqlite3.Row
        try:
            self._examine(connection)
            self.has_log = connection.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
            if self.has_log:
                # A commit outlives the process without a sync; against power cuts, `secure` syncs once for each event.
                # FULL would sync at each commit, and each time the folder too.
                connection.execute("PRAGMA synchronous=NORMAL")
                connection.execute(f"PRAGMA wal_autocheckpoint={LOG_PAGES}")
        except BaseException as error:
            if isinstance(error, sqlite3.DatabaseError) and is_corrupt(error):
                leave(connection)  # the file is kept as it is
            else:
                connection.close()
            raise
        return connection

    def _examine(self, connection: sqlite3.Connection) -> None:
        """Make an empty file a ledger, and bring an older ledger up; a file with another schema is left alone."""
        writer = migrations.writer(connection)
        self.refuse_newer(writer)
        if writer < 0:
            raise self._unknown(f"schema number {writer}")
        schema = migrations.schema(connection, writer)
        lacking = migrations.lacking(connection, schema)
        if lacking and migrations.schema(connection) != schema:  # another hook has just updated the schema
            self._examine(connection)
            return
        if lacking:
            raise self._unknown(lacking)
        if schema < migrations.NEWEST:
            self._bring_up(connection)
            return
        self.is_newer = schema > migrations.NEWEST
        connection.execute("SELECT 1 FROM tasks LIMIT 1")

    def refuse_newer(self, writer: int) -> None:
        """Raise `Unavailable` if a newer plugin has changed the schema in a way that this one would spoil."""
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
        """Bring a ledger to the newest schema; one hook at a time, as changing the journal mode waits for no lock."""
        with self._alone():
            schema = migrations.schema(connection)
            if not schema:
                if migrations.tables(connection):
                    raise self._unknown("the tables of another program")
                touch(self.path)
                os.chmod(self.path, 0o600)
                connection.execute(f"PRAGMA journal_mode={journal_mode(self._place)}")
            if schema < migrations.NEWEST:
                migrations.bring_up(connection, lambda: self._note_kept_aside(connection))
                connection.execute("PRAGMA wal_checkpoint")  # so that a copy of the file alone is a ledger too
        # Another hook, of a newer plugin, may have brought it up further.
        self._examine(connection)

    def _note_kept_aside(self, connection: sqlite3.Connection) -> None:
        # Looked up in the directory, as the hook that moved it may have been killed before it could note this.
        for aside in kept_aside(self._place)[-1:]:
            connection.execute("INSERT INTO meta VALUES ('kept_aside', ?)", (aside,))

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Keep other hooks from making or moving the ledger within the block, as far as this disk supports locks."""
        if self._is_alone:
            yield
            return
        with alone(self._place, "making.lock"):
            self._is_alone = True
            try:
                yield
            finally:
                self._is_alone = False

    def retire(self) -> None:
        """Move a ledger aside that proved corrupt in use, and begin a new one; this process has closed it before."""
        with contextlib.suppress(OSError, sqlite3.Error, Unavailable), self._alone():
            if not self._is_whole():
                keep_aside(self.path, self._clock())
                self._open().close()

    def _is_whole(self) -> bool:
        try:
            with contextlib.closing(sqlite3.connect(self.path, timeout=durations.LOCK)) as connection:
                return bool(connection.execute("PRAGMA quick_check(1)").fetchone()[0] == "ok")
        except sqlite3.DatabaseError as error:
            return not is_corrupt(error)

    def problem(self, what: str, error: sqlite3.Error) -> Unavailable:
        """The exception for an error of the database; `what` is the verb of the action that failed."""
        kind = Corrupt if is_corrupt(error) else Unavailable
        return kind(f"the ledger at {self.path} cannot be {what}: {error}", passing="locked" in str(error))


def filesystem(place: str, mounts: str = MOUNTS) -> str:
    """The kind of file system that a directory is on; empty if the machine does not tell."""
    best, kind = "", ""
    with contextlib.suppress(OSError), open(mounts, encoding="utf-8", errors="replace") as listing:
        where = os.path.realpath(place)
        for line in listing:
            fields = line.split()
            if len(fields) < 3:
                continue
            mount = re.sub(r"\\([0-7]{3})", lambda code: chr(int(code[1], 8)), fields[1])
            inside = where == mount or where.startswith(mount.rstrip("/") + "/")
            if inside and len(mount) >= len(best):
                best, kind = mount, fields[2]
    return kind


def journal_mode(place: str, mounts: str = MOUNTS) -> str:
    """WAL, except on file systems where its shared memory does not work, such as a home on the network."""
    asked = os.environ.get("BG_JOURNAL_MODE", "").upper()
    if asked in {"WAL", "DELETE"}:
        return asked
    return "DELETE" if NETWORK_FILESYSTEMS.fullmatch(filesystem(place, mounts)) else "WAL"


def leave_wal(path: str) -> None:
    """Take a ledger out of WAL that was moved to a network disk, without shared memory, once no other hook has it."""
    with contextlib.suppress(OSError):
        with open(path, "rb") as file:
            header = file.read(20)
        # A disk of this machine's own has a major device number; checking that costs less than reading the mounts.
        near = os.major(os.stat(path).st_dev) and not os.environ.get("BG_JOURNAL_MODE")
        if header[18:20] != b"\2\2" or near or journal_mode(os.path.dirname(path)) == "WAL":
            return
        with (
            contextlib.suppress(sqlite3.Error),
            contextlib.closing(sqlite3.connect(path, timeout=durations.LOCK_ALONE, isolation_level=None)) as alone,
        ):
            alone.execute("PRAGMA locking_mode=EXCLUSIVE")
            alone.execute("PRAGMA journal_mode=DELETE")
