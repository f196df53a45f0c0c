"""Where the plugin keeps its data: the data directory, the markers of sessions, the note of the interpreter.

Hooks and `bgctl` use the same functions. `hooks/run` repeats `directories` in sh, because a hook with nothing to do
must not start Python; a test keeps the two equal.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re

from bg import foreign

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

LEDGER = "ledger.db"
ARCHIVE = "archive.jsonl"
BOARD = "board.html"
REPORTS = "reports"  # tasks written as pages
ARCHIVE_LOCK = "archive.lock"
ERASING = "erasing"  # exists while something is to be erased
LOST = "python.lost"  # hooks/run writes it


def config_directory() -> str:
    """The host's configuration directory."""
    named = os.environ.get("CLAUDE_CONFIG_DIR")
    return named or os.path.join(os.environ.get("HOME") or os.path.expanduser("~"), ".claude")


def _named() -> list[str]:
    """The places named by the user, the host or this plugin: nothing is executed from any other."""
    given = os.environ.get("BG_DATA")
    if given and not _why_not(given):
        return [given]
    own = os.path.join(own_config(), "bg")
    return [each for each in (os.environ.get("CLAUDE_PLUGIN_DATA"), own) if each]


def own_config() -> str:
    """The user's configuration directory; a relative one is ignored, as it would lead into a hook's project."""
    named = config_directory()
    return named if os.path.isabs(named) else os.path.expanduser("~/.claude")


def _candidates() -> list[str]:
    """Every place at which a data directory may be, the preferred one first."""
    named = _named()
    if named == [os.environ.get("BG_DATA")]:
        return named
    data = os.path.join(own_config(), "plugins", "data")
    found = [os.path.join(data, name) for name in foreign.names(data) if name.startswith("bg-")]
    return list(dict.fromkeys([*named[:-1], *found, *named[-1:]]))


def _why_not(path: str) -> str:
    """Why a directory is not used: because somebody else could have put something into it; empty if it is used."""
    if not os.path.isabs(path):
        return "its path is not absolute"
    try:
        owners, mode = {os.lstat(path).st_uid, os.stat(path).st_uid}, os.stat(path).st_mode
    except OSError:
        return ""
    if owners != {os.geteuid()}:
        return "it belongs to another user"
    return "every user may write into it" if mode & 0o002 else ""


def passed_over() -> dict[str, str]:
    """The places that exist or are named and yet are not used, each with the reason."""
    given = [path for path in (os.environ.get("BG_DATA"), os.environ.get("CLAUDE_CONFIG_DIR")) if path]
    return {path: why for path in dict.fromkeys([*given, *_candidates()]) for why in [_why_not(path)] if why}


def directories() -> list[str]:
    """The places that nobody else could have filled; if there are none, the last candidate, which cannot be used."""
    found = _candidates()
    return [path for path in found if not _why_not(path)] or found[-1:]


def existing() -> list[str]:
    """The places that hold a ledger."""
    return [place for place in directories() if os.path.isfile(os.path.join(place, LEDGER))]


def directory() -> str:
    """The data directory in use: the first with a ledger, else the preferred one."""
    named = [path for path in _named() if not _why_not(path)]
    return next(iter([*existing(), *named, *directories()]))


def directory_of_hooks() -> str:
    """The directory that the hooks use, as far as a command outside the host can tell while it has no ledger."""
    used = directory()
    made = [place for place in directories()[:-1] if os.path.isdir(place)]
    return made[0] if made and not os.path.isdir(used) else used


def make_private(place: str) -> None:
    """Make a directory that only its owner can read, and its missing parents; another user's is refused."""
    if os.path.isdir(place):
        restrict(place, 0o700)
        return
    try:
        os.mkdir(place, 0o700)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        make_private(place)
    except FileExistsError:
        if not os.path.isdir(place):  # else another hook was faster
            raise


def restrict(path: str, mode: int) -> None:
    """Take other users' rights off a path that the host or an older version left open; another user's is refused."""
    own, found = os.lstat(path), os.stat(path)
    me = os.getuid()
    if me and not {own.st_uid, found.st_uid} <= {me, 0}:
        raise PermissionError(errno.EACCES, "it belongs to another user", path)
    # A directory that the user named, and may use for other things too, is left as it is.
    is_ours = os.path.basename(os.path.abspath(path)).startswith(
        ("attempts", "bg", "erasing", "ledger", "modules", "reports", "sessions", "spool", "verify")
    )
    if found.st_mode & 0o077 and found.st_uid == me and is_ours:
        with contextlib.suppress(OSError):
            os.chmod(path, 0o700 if os.path.isdir(path) else mode)  # a folder may be where the ledger should be


def touch(path: str) -> None:
    """Set a file's time to now; make it, empty and for its owner only, if it does not exist."""
    try:
        os.utime(path)
    except OSError:
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))


@contextlib.contextmanager
def alone(place: str, name: str) -> Iterator[None]:
    """Hold this lock within the block, as far as this disk has locks."""
    path = os.path.join(place, name)
    touch(path)
    with open(path, "a", encoding="utf-8") as lock:
        with contextlib.suppress(OSError):
            fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def fallback_spools(place: str) -> list[str]:
    """The folders for events if this data directory cannot be written; no other data directory has the same."""
    owner = os.getuid() if hasattr(os, "getuid") else 0
    name = re.sub(r"[^A-Za-z0-9_-]", "-", place)[-80:]
    places = (os.environ.get("TMPDIR"), "/tmp", "/var/tmp")  # noqa: S108 - like tempfile, which is slow to import
    found = dict.fromkeys(each for each in places if each and os.path.isdir(each))
    return [os.path.join(each, f"bg-spool-{owner}-{name}") for each in found]


def safe_name(text: str) -> str:
    """A session id made safe as a file name, and bounded."""
    return re.sub(r"[^A-Za-z0-9_-]", "-", text)[:80] or "none"


def marker(place: str, session: str) -> str:
    """The file whose presence tells `hooks/run` that this session has something of ours."""
    return os.path.join(place, "sessions", safe_name(session))


def mark(place: str, session: str, ledger: str) -> None:
    """Let the hooks of this session start Python from now on, and note which ledger knows the session."""
    path = marker(place, session)
    make_private(os.path.dirname(path))
    touch(path)
    if _ledger_in(path) != ledger:
        with open(path, "w", encoding="utf-8") as file:
            file.write(ledger)


def ledgers_that_knew(here: str, session: str) -> list[str]:
    """The ledgers that have known this session, by its markers here and at places that have no ledger any more.

    Markers of older versions name none.
    """
    places = [place for place in directories() if place == here or not os.path.exists(os.path.join(place, LEDGER))]
    return list(filter(None, (_ledger_in(marker(place, session)) for place in places)))


def is_marked(session: str) -> bool:
    """Whether the session has had something of ours, in any place."""
    return any(os.path.exists(marker(place, session)) for place in directories())


def _ledger_in(path: str) -> str:
    try:
        return foreign.whole(path, 100).decode("ascii", "replace").strip()
    except (OSError, ValueError):
        return ""


def idle(place: str, session: str) -> str:
    """The file that tells `hooks/run`, while it is newer than the marker, that nothing is due in this session."""
    return f"{marker(place, session)}.idle"


def clear_idle(place: str, session: str) -> None:
    """Let every event of this session start Python again."""
    with contextlib.suppress(OSError):
        os.unlink(idle(place, session))


def lost_interpreter() -> str:
    """The interpreter that did not start for a hook, until the user has been told; else empty."""
    try:
        return foreign.whole(_lost(), 4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def forget_lost_interpreter() -> None:
    """Forget that interpreter: the user has been told."""
    with contextlib.suppress(OSError):
        os.unlink(_lost())


def _lost() -> str:
    return os.path.join(os.environ.get("BG_PLACE") or os.devnull, LOST)  # hooks/run names only a place it may use


def interpreter_note(place: str) -> str:
    """The file that names the interpreter for `hooks/run`."""
    return os.path.join(place, "python")


PROGRAM = os.path.realpath(os.path.join(__file__, *[os.pardir] * 3, "bgctl"))


def bgctl(arguments: str) -> str:
    """The command line that runs this plugin's bgctl with these arguments, as it can be typed here."""
    import shlex  # noqa: PLC0415 - late: most events need none

    found = (os.path.join(folder, "bgctl") for folder in os.get_exec_path())
    name = "bgctl" if any(os.path.realpath(each) == PROGRAM for each in found) else shlex.quote(PROGRAM)
    return f"{name} {arguments}"
