"""Attempts: what each hook is at, so that what has ended two hooks is passed over by the third.

A hook that is killed, crashes or runs out of time or memory says nothing of it. While it works, a file that it keeps
locked names what it is at: who finds such a file and its lock free knows what its owner died of. Nothing waits for the
disk here: what a dead process has written is still there, and after a power cut nothing has to be known.
"""

from __future__ import annotations

import contextlib
import fcntl
import os

from bg import foreign
from bg.ledger import digests, place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Optional

MOST = 2
PATIENCE = 30.0  # longer than the host waits for a hook
KEPT = 24 * 3600
NOW, FALLEN = ".now", ".fallen"
LONGEST = 200


class Attempt:
    """What one hook is at since `now`; without a directory nothing is noted, and nothing passed over."""

    def __init__(self, directory: str = "", now: float = 0.0) -> None:
        self._now = now
        self._folder = os.path.join(directory, "attempts") if directory else ""
        self._path = ""
        self._file = -1
        self._steps: list[str] = []
        self._end = 0
        self._fallen: set[str] = set()
        self._passed: set[str] = set()
        self.ended: list[str] = []  # what has ended a hook for the second time at least, found out just now
        if directory:
            # Where nothing can be written, the event is handled all the same.
            with contextlib.suppress(OSError):
                self._begin(directory)

    def _begin(self, directory: str) -> None:
        place.make_private(directory)
        place.make_private(self._folder)
        names = foreign.names(self._folder)
        self._fallen.update(name for name in names if name.endswith(FALLEN))
        for name in names:
            if name.endswith(NOW):
                self._bury(os.path.join(self._folder, name))
        self._path = os.path.join(self._folder, f"{os.getpid()}-{int(self._now * 1e9)}{NOW}")
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with contextlib.suppress(OSError):  # not every disk knows locks: then the file's age must do
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    @contextlib.contextmanager
    def step(self, what: str, *, alone: bool = False) -> Iterator[bool]:
        """From here on the hook is at this; False where it has to be passed over.

        A step is known by its name and that of the step around it; `alone` by its name, and what is within it too.
        """
        name = " ".join(what.split())[:LONGEST]
        around = "" if alone or not self._steps else self._steps[-1]
        key = f"{around}: {name}" if around else name
        if self._fallen and self._is_passed(key):
            yield False
            return
        begin = self._end
        self._note(f"{key}\n\n".encode("utf-8", "replace"), begin)
        self._steps.append("" if alone else name)
        try:
            yield True
        finally:
            self._steps.pop()
            self._note(b"\n", begin)
            self._end = begin
            if self._fallen:
                self._forget(key)

    def _note(self, line: bytes, begin: int) -> None:
        """The file names one step a line, up to an empty one; the last is the innermost."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.pwrite(self._file, line, begin)
        self._end = begin + len(line) - 1

    def close(self) -> None:
        """The hook ends by itself."""
        if self._file >= 0:
            with contextlib.suppress(OSError):
                os.unlink(self._path)
            os.close(self._file)
            self._file = -1

    def _bury(self, path: str) -> None:
        """Where the hook that this file belongs to is gone, what it was at counts as what ended it."""
        try:
            number = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return
        try:
            found = os.fstat(number)
            is_old = abs(self._now - found.st_mtime) > PATIENCE
            if not found.st_nlink or not (is_old or (found.st_size and _is_free(number))):
                return
            data = os.pread(number, 64 * 1024, 0)
            os.unlink(path)
        except OSError:
            return
        finally:
            os.close(number)
        steps = data.decode("utf-8", "replace").partition("\n\n")[0].strip("\n\x00").split("\n")
        if steps[-1]:
            self._count(steps[-1])

    def _count(self, key: str) -> None:
        deaths = (self._known(key) or (0, 0))[0] + 1
        self._write(key, deaths, 0)
        if deaths >= MOST:
            self.ended.append(key)

    def _is_passed(self, key: str) -> bool:
        """Passed over twice, then tried again, in case it was somebody's kill; then four times, eight and so on."""
        if key in self._passed:
            return True
        deaths, passes = self._known(key) or (0, 0)
        if deaths < MOST or passes >= 2 ** (min(deaths, 20) - 1):
            return False
        with contextlib.suppress(OSError):
            self._write(key, deaths, passes + 1)
        self._passed.add(key)
        return True

    def _known(self, key: str) -> Optional[tuple[int, int]]:
        """How often this has ended a hook, and how often it was passed over since."""
        name = _name(key)
        if name not in self._fallen:
            return None
        path = os.path.join(self._folder, name)
        found = foreign.about(path)
        try:
            deaths, passes = foreign.read(path, 100).split()[:2]
            return (int(deaths), int(passes)) if found and self._now - found.st_mtime < KEPT else None
        except (OSError, ValueError):
            return None

    def _write(self, key: str, deaths: int, passes: int) -> None:
        path = os.path.join(self._folder, _name(key))
        part = f"{path}-{os.getpid()}"
        with open(part, "w", encoding="utf-8", errors="replace", opener=_private) as file:
            file.write(f"{deaths} {passes}\n{key}\n")
        os.replace(part, path)
        self._fallen.add(os.path.basename(path))

    def _forget(self, key: str) -> None:
        """It has come to an end."""
        name = _name(key)
        if name in self._fallen:
            self._fallen.discard(name)
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(self._folder, name))


def passed_over(directory: str, now: float) -> list[str]:
    """What has ended two hooks and has not come to an end since."""
    folder, found = os.path.join(directory, "attempts"), []
    for name in foreign.names(folder):
        path = os.path.join(folder, name)
        about = foreign.about(path)
        if name.endswith(FALLEN) and about and now - about.st_mtime < KEPT:
            with contextlib.suppress(OSError, ValueError):
                count, _, key = foreign.read(path, 1000).decode("utf-8", "replace").partition("\n")
                found += [key.strip()] if int(count.split()[0]) >= MOST else []
    return found


def _name(key: str) -> str:
    return f"{digests.digest(key)}{FALLEN}"


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_CLOEXEC, 0o600)


def _is_free(number: int) -> bool:
    """Nobody holds the file: it was locked by the process that wrote it."""
    try:
        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
